"""Measure planted feet and pins on recorded motion: python -m benchmarks.planting [FOLDER ...] [-n 30].

Compares variants of four takes without planting, planted, and planted hard: movement of the hips, largest acceleration,
travel of feet and hips, speed of feet that should be planted, and their depth. Each figure is divided by that of
the inputs, unless it has a unit. A folder such as walk or validation/walk07 contains takes NAME_1.bvh and unseen takes
extra_1.bvh. Needs the folder that FRESHTAKE_DATA names.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

import freshtake as ft
from benchmarks.takes import DATA
from benchmarks.timing import table
from freshtake.evaluation.tracks import foot_joints, leg
from freshtake.motion import Clip
from freshtake.motion.body.orientation import distances
from freshtake.motion.body.roles import feet
from freshtake.motion.edit import with_up
from freshtake.motion.pins import Pin
from freshtake.motion.planting import Planter, learn_planting, plant
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import about_axis, angle_between, from_rotvec, multiply, rotate, twist_angle

KINDS = (
    "walk", "swim", "cheering", "throw", "jump", "validation/walk07", "validation/swim126", "validation/cheering13",
    "validation/throw141",
)  # fmt: skip
WAYS: dict[str, bool | str] = {"without": False, "planted": True, "hard": "hard"}
HEAD = (
    "what", "hip jerk", "peak acceleration (95 %, all)", "foot path", "travel",
    "speed where feet should stand, % leg/s", "below the inputs' lowest, % leg",
    "hips moved, % leg", "joints turned",
)  # fmt: skip


def clips_of(pattern: str) -> list[Clip]:
    found = [ft.read(path) for path in sorted(DATA.glob(pattern))]
    return [clip for clip in found if isinstance(clip, Clip)]


def noisy(clip: Clip, rng: np.random.Generator, degrees: float = 3.0, shift: float = 0.02) -> Clip:
    """Return smooth noise (0.3 to 2 Hz) for every joint and the root."""
    t = np.arange(len(clip)) * clip.frame_time
    rates, lags = rng.uniform(0.3, 2.0, 4), rng.uniform(0.0, 2 * np.pi, 4)
    waves = np.sin(2 * np.pi * rates[:, None] * t + lags[:, None])
    turn = np.einsum("kf,kjc->fjc", waves, rng.normal(0, np.radians(degrees) / 4, (4, len(clip.skeleton), 3)))
    push = np.einsum("kf,kc->fc", waves, rng.normal(0, shift * leg(clip.skeleton) / 4, (4, 3)))
    return clip.changed(root=clip.root + push, rotations=multiply(clip.rotations, from_rotvec(turn)))


def inputs_of(folder: str) -> list[Clip]:
    """Return the takes that a model learns from."""
    name = folder.split("/")[-1].rstrip("0123456789")
    return clips_of(f"{folder}/{name}_[1-4].bvh")


class Slow(NamedTuple):
    """A clip at about 30 frames per second: poses without travel and heading, speed and height of toes."""

    poses: Floats
    speed: Floats
    height: Floats


def slow(clip: Clip) -> Slow:
    """Measure by the definitions of `freshtake.evaluation`."""
    clip, step = with_up(clip, "y"), 1
    while clip.frame_time * step < 0.017:
        step *= 2
    size, frame_time = leg(clip.skeleton), clip.frame_time * step
    world = clip.positions()[::step]
    back = about_axis(np.eye(3)[1], -twist_angle(clip.rotations[::step, 0], 1))
    poses = rotate(back[:, None], world - world[:, :1]).reshape(len(world), -1)
    toes = world[:, list(foot_joints(clip.skeleton))]
    speed = np.linalg.norm(np.diff(toes[..., [0, 2]], axis=0), axis=-1) / frame_time / size * 100
    return Slow(poses, np.concatenate([speed[:1], speed]), toes[..., 1] / size)


def planted_speed(inputs: Sequence[Clip], clips: Sequence[Clip]) -> float:
    """Return the mean speed of toes in poses whose nearest input pose has them low and slow."""
    own, other = [slow(clip) for clip in inputs], [slow(clip) for clip in clips]
    floor = np.percentile(np.concatenate([s.height for s in own]), 2, axis=0)
    planted = np.concatenate([(s.height - floor < 0.03) & (s.speed < 20.0) for s in own])
    poses = np.concatenate([s.poses for s in own])
    there = np.concatenate([s.speed[planted[distances(s.poses, poses).argmin(axis=1)]] for s in other])
    return float(there.mean()) if len(there) else float("nan")


def left_out(inputs: Sequence[Clip]) -> float:
    """Return the planted speed of every input compared with the others, which is the value for real takes."""
    return float(np.nanmean([planted_speed([c for c in inputs if c is not clip], [clip]) for clip in inputs]))


class Moving(NamedTuple):
    """Figures of a clip, lengths in legs: jerk of the hips, largest acceleration, paths of feet and hips, depth."""

    jerk: float
    peak: float
    path: float
    travel: float
    lowest: float


def moving(clip: Clip) -> Moving:
    """Measure by the definitions of the tables."""
    clip = with_up(clip, "y")
    world = clip.positions() / leg(clip.skeleton)
    toes = world[:, list(foot_joints(clip.skeleton))]
    joints = [joint for foot in feet(clip.skeleton) for joint in foot.joints]
    return Moving(
        float(np.linalg.norm(np.diff(world[:, 0], 3, axis=0), axis=-1).mean()) / clip.frame_time**3,
        float(np.linalg.norm(np.diff(world, 2, axis=0), axis=-1).max()) / clip.frame_time**2,
        float(np.linalg.norm(np.diff(toes, axis=0), axis=-1).sum()),
        float(np.linalg.norm((world[-1, 0] - world[0, 0])[[0, 2]])),
        float(world[:, joints, 1].min()),
    )


def row(name: str, inputs: Sequence[Clip], clips: Sequence[Clip], free: Sequence[Clip]) -> list[str]:
    """Return figures of variants relative to those of the inputs, with and without planting."""
    own, made = [moving(clip) for clip in inputs], [moving(clip) for clip in clips]
    peaks = np.array([m.peak for m in made]) / max(m.peak for m in own)
    jerk, path, travel = (
        np.mean([getattr(m, key) for m in made]) / np.mean([getattr(m, key) for m in own])
        for key in ("jerk", "path", "travel")
    )
    below = 100 * max(0.0, min(m.lowest for m in own) - min(m.lowest for m in made))
    moved = max(float(np.linalg.norm(a.root - b.root, axis=1).max()) for a, b in zip(clips, free, strict=True))
    turned = [np.degrees(angle_between(a.rotations, b.rotations)) for a, b in zip(clips, free, strict=True)]
    return [
        name, f"{jerk:.2f}", f"{np.percentile(peaks, 95):.2f}, {peaks.max():.2f}", f"{path:.2f}", f"{travel:.2f}",
        f"{planted_speed(inputs, clips):.1f}", f"{below:.2f}", f"{100 * moved / leg(inputs[0].skeleton):.1f}",
        f"{np.mean([t.mean() for t in turned]):.2f}°",
    ]  # fmt: skip


def quality(kinds: Sequence[str], count: int) -> str:
    """Compare variants of every folder without and with planting."""
    rows = []
    for kind in kinds:
        inputs = inputs_of(kind)
        model = ft.variation.learn(inputs, rng=np.random.default_rng(1))
        ways = {
            way: [model.sample(np.random.default_rng([1, k]), plant=plant) for k in range(count)]
            for way, plant in WAYS.items()
        }
        rows += [row(f"{kind}, {way}", inputs, clips, ways["without"]) for way, clips in ways.items()]
        speeds = f"{planted_speed(inputs, inputs):.1f}, left out {left_out(inputs):.1f}"
        rows.append([f"{kind}, inputs", "", "", "", "", speeds, "", "", ""])
    return table("Planted feet", list(HEAD), rows)


def pinned(kinds: Sequence[str], count: int) -> str:
    """Measure the errors of pins about 6 cm from the joint, at random frames (for a leg of 85 cm)."""
    rows, rng = [], np.random.default_rng(0)
    for kind in kinds:
        inputs = inputs_of(kind)
        base, missed = learn_planting(inputs), []
        size = leg(base.skeleton)
        for clip in [noisy(clip, rng) for clip in inputs for _ in range(count // len(inputs))]:
            for joint in ("LeftHand", "RightHand", "LeftFoot", "RightToeBase"):
                frame = int(rng.integers(5, len(clip) - 5))
                place = clip.positions()[frame, clip.skeleton.index(joint)] + rng.normal(0, 0.04 * size, 3)
                frames = frame if rng.random() < 0.5 else range(frame - 3, frame + 4)
                missed.append(plant(clip, pins=[Pin(joint, frames, place)], examples=base).report.pins[0].residual)
        mm = np.array(missed) / size * 850.0
        rows.append([kind, str(len(mm)), f"{np.median(mm):.2g}", f"{mm.max():.2g}", f"{(mm < 1).mean():.0%}"])
    return table("Hard pins, mm", ["type", "pins", "median", "largest", "below 1 mm"], rows)


def speed() -> str:
    """Measure CPU time per limb and frame: `plant` with contacts given, and streams."""
    paths = sorted((DATA / "cyclic").glob("walk8_11s.bvh"))
    clip = ft.read(paths[0]) if paths else ft.samples.walk(np.random.default_rng(0), cycles=8)
    assert isinstance(clip, Clip)
    clip = noisy(clip, np.random.default_rng(1))
    base = learn_planting([clip])
    flags = base.contacts(clip)
    legs = 2 * len(clip)
    planter = Planter.learn(base)

    def streamed(block: int) -> None:
        state = planter.start()
        for k in range(0, len(clip), block):
            span = slice(k, k + block)
            state, _ = planter.feed(state, clip.root[span], clip.rotations[span], flags[span])
        planter.finish(state)

    acts: dict[str, Callable[[], object]] = {
        "plant, contacts given": lambda: plant(clip, flags, examples=base),
        "contacts of the nearest poses": lambda: base.contacts(clip),
        "stream, blocks of 32": lambda: streamed(32),
        "stream, frame by frame": lambda: streamed(1),
    }
    rows = []
    for name, act in acts.items():
        act()
        spent = []
        for _ in range(3):
            begun = time.process_time()
            act()
            spent.append(time.process_time() - begun)
        rows.append([name, f"{1e6 * min(spent) / legs:.1f}"])
    return table("Speed (target: 15 µs per limb and frame)", ["what", "CPU µs per limb and frame"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.planting", description=__doc__)
    parser.add_argument("kinds", nargs="*", default=list(KINDS))
    parser.add_argument("-n", type=int, default=30)
    given = parser.parse_args()
    print(speed(), flush=True)
    if not DATA.is_dir():
        raise SystemExit("recorded motion is absent: set FRESHTAKE_DATA to its folder")
    print(pinned(given.kinds, given.n), flush=True)
    print(quality(given.kinds, given.n))


if __name__ == "__main__":
    main()

"""Planted feet and pins on recorded motion: python -m benchmarks.planting [KIND ...] [-n 20] [--variants FOLDER].

Variants of four takes, the takes themselves with smooth noise, and walks in styles with noise: how fast planted feet
move, how deep they sink, how smooth hands and feet are, before and after. Contacts are those of the nearest poses of
the takes; "alone" plants each clip by what it shows itself. Needs the folder that FRESHTAKE_DATA names.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import freshtake as ft
from benchmarks.takes import DATA
from benchmarks.timing import table
from freshtake.evaluation.tracks import foot_joints, leg
from freshtake.motion import Clip
from freshtake.motion.body import feet, hands
from freshtake.motion.edit import with_up
from freshtake.motion.pins import Pin
from freshtake.motion.planting import Groundwork, Planted, Planter, lay_groundwork, plant
from freshtake.motion.pose_space import distances
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import about_axis, from_rotvec, multiply, rotate, twist_angle

KINDS = ("walk", "cheering", "throw", "jump")
HEAD = (
    "what",
    "planted-foot speed, % leg/s",
    "inputs",
    "sunk, % leg (mean, deepest)",
    "inputs",
    "jerk of hands and feet",
)
MORE = ("legs turned outside contacts", "in contacts", "all joints outside", "root moved, cm")


def clips_of(pattern: str) -> list[Clip]:
    found = [ft.read(path) for path in sorted(DATA.glob(pattern))]
    return [clip for clip in found if isinstance(clip, Clip)]


def noisy(clip: Clip, rng: np.random.Generator, degrees: float = 3.0, shift: float = 0.02) -> Clip:
    """Smooth noise (0.3 to 2 Hz) on every joint and on the root."""
    t = np.arange(len(clip)) * clip.frame_time
    rates, lags = rng.uniform(0.3, 2.0, 4), rng.uniform(0.0, 2 * np.pi, 4)
    waves = np.sin(2 * np.pi * rates[:, None] * t + lags[:, None])
    turn = np.einsum("kf,kjc->fjc", waves, rng.normal(0, np.radians(degrees) / 4, (4, len(clip.skeleton), 3)))
    push = np.einsum("kf,kc->fc", waves, rng.normal(0, shift * leg(clip.skeleton) / 4, (4, 3)))
    return clip.changed(root=clip.root + push, rotations=multiply(clip.rotations, from_rotvec(turn)))


def sunk(inputs: Sequence[Clip], clips: Sequence[Clip]) -> tuple[float, float]:
    """Mean and largest depth of toes below the second percentile of their heights in the inputs, in % of the leg."""
    toes = list(foot_joints(inputs[0].skeleton))
    heights = [np.concatenate([with_up(c, "y").positions()[:, toes, 1] for c in group]) for group in (inputs, clips)]
    depth = np.maximum(np.percentile(heights[0], 2, axis=0) - heights[1], 0.0) / leg(inputs[0].skeleton) * 100
    return float(depth.mean()), float(depth.max())


class Slow(NamedTuple):
    """A clip at about 30 frames a second: poses without travel and heading, speed and height of toes, jerk."""

    poses: Floats
    speed: Floats
    height: Floats
    jerk: Floats


def slow(clip: Clip) -> Slow:
    """By the definitions of `freshtake.evaluation`."""
    clip, step = with_up(clip, "y"), 1
    while clip.frame_time * step < 0.017:
        step *= 2
    size, frame_time = leg(clip.skeleton), clip.frame_time * step
    world = clip.positions()[::step]
    back = about_axis(np.eye(3)[1], -twist_angle(clip.rotations[::step, 0], 1))
    poses = rotate(back[:, None], world - world[:, :1]).reshape(len(world), -1)
    toes = world[:, list(foot_joints(clip.skeleton))]
    speed = np.linalg.norm(np.diff(toes[..., [0, 2]], axis=0), axis=-1) / frame_time / size * 100
    ends = sorted({j for foot in feet(clip.skeleton) for j in foot.joints} | set(hands(clip.skeleton)))
    jerk = np.linalg.norm(np.diff(world[:, ends], 3, axis=0), axis=-1) / frame_time**3
    return Slow(poses, np.concatenate([speed[:1], speed]), toes[..., 1] / size, jerk)


def figures(inputs: Sequence[Clip], clips: Sequence[Clip]) -> list[str]:
    """The first columns of a row."""
    own, other = [slow(clip) for clip in inputs], [slow(clip) for clip in clips]
    floor = np.percentile(np.concatenate([s.height for s in own]), 2, axis=0)
    planted = np.concatenate([(s.height - floor < 0.03) & (s.speed < 20.0) for s in own])
    speeds, poses = np.concatenate([s.speed for s in own]), np.concatenate([s.poses for s in own])
    there = [s.speed[planted[distances(s.poses, poses).argmin(axis=1)]] for s in other]
    jerk = np.mean([s.jerk.mean() for s in other]) / np.mean([s.jerk.mean() for s in own])
    depth = [f"{a:.3f}, {b:.2f}" for a, b in (sunk(inputs, clips), sunk(inputs, inputs))]
    return [f"{np.concatenate(there).mean():.1f}", f"{speeds[planted].mean():.1f}", *depth, f"{jerk:.2f}"]


def compared(what: str, inputs: Sequence[Clip], clips: Sequence[Clip], base: Groundwork) -> list[list[str]]:
    """Rows before, after with contacts of the inputs, and after alone."""
    rows = [[what, *figures(inputs, clips), "", "", "", ""]]
    ways: tuple[tuple[str, Callable[[Clip], Planted]], ...] = (
        ("planted", lambda clip: plant(clip, examples=base)),
        ("planted, alone", lambda clip: plant(clip)),
    )
    for name, way in ways:
        made = [way(clip) for clip in clips]
        reports = [planted.report for planted in made]
        out, held = (float(np.mean([getattr(r, k) for r in reports])) for k in ("change", "change_held"))
        legs = len([1 for limb in base.limbs if limb.is_leg for _ in (*limb.turning, limb.points[-1])]) / 2
        body = out * legs / (len(base.skeleton) - legs)
        moved = max(r.root_shift for r in reports) / leg(base.skeleton) * 85.0
        more = [f"{out:.2f}°", f"{held:.2f}°", f"{body:.2f}°", f"{moved:.1f}"]
        rows.append([name, *figures(inputs, [planted.clip for planted in made]), *more])
    return rows


def variants(kind: str, inputs: Sequence[Clip], count: int, folder: Path | None) -> list[Clip]:
    """From a folder of BVH files made before, else from a model learned now."""
    if folder is not None:
        return [clip for p in sorted((folder / kind).glob("v*.bvh"))[:count] if isinstance(clip := ft.read(p), Clip)]
    model = ft.variation.learn(list(inputs), rng=np.random.default_rng(1))
    return [model.sample(np.random.default_rng([1, k])) for k in range(count)]


def quality(kinds: Sequence[str], count: int, folder: Path | None) -> str:
    rows = []
    for kind in kinds:
        inputs = clips_of(f"{kind}/{kind}_*.bvh")
        base = lay_groundwork(inputs)
        rows += compared(f"{kind}, {count} variants", inputs, variants(kind, inputs, count, folder), base)
        rng = np.random.default_rng(2)
        rows += compared(f"{kind}, inputs with noise", inputs, [noisy(c, rng) for c in inputs for _ in range(3)], base)
    styles = ("normal", "bentforward", "crouched", "toes")
    for style in styles:
        inputs = clips_of(f"style/{style}_[0-9].bvh")[:2]
        rng = np.random.default_rng(3)
        rows += compared(f"{style} walk with noise", inputs, [noisy(c, rng) for c in inputs], lay_groundwork(inputs))
    return table("Planted feet", [*HEAD, *MORE], rows)


def pinned(kinds: Sequence[str], count: int, folder: Path | None) -> str:
    """Pins about 6 cm from where the joint is, at random frames: how far they are missed (leg taken as 85 cm)."""
    rows, rng = [], np.random.default_rng(0)
    for kind in kinds:
        inputs = clips_of(f"{kind}/{kind}_*.bvh")
        base, missed = lay_groundwork(inputs), []
        size = leg(base.skeleton)
        for clip in variants(kind, inputs, count, folder):
            for joint in ("LeftHand", "RightHand", "LeftFoot", "RightToeBase"):
                frame = int(rng.integers(5, len(clip) - 5))
                place = clip.positions()[frame, clip.skeleton.index(joint)] + rng.normal(0, 0.04 * size, 3)
                frames = frame if rng.random() < 0.5 else range(frame - 3, frame + 4)
                missed.append(plant(clip, pins=[Pin(joint, frames, place)], examples=base).report.pins[0].residual)
        mm = np.array(missed) / size * 850.0
        rows.append([kind, str(len(mm)), f"{np.median(mm):.2g}", f"{mm.max():.2g}", f"{(mm < 1).mean():.0%}"])
    return table("Hard pins, mm", ["type", "pins", "median", "largest", "below 1 mm"], rows)


def speed() -> str:
    """CPU time per limb and frame: all of `plant` with contacts given, and streams."""
    paths = sorted((DATA / "cyclic").glob("walk8_11s.bvh"))
    clip = ft.read(paths[0]) if paths else ft.samples.walk(np.random.default_rng(0), cycles=8)
    assert isinstance(clip, Clip)
    clip = noisy(clip, np.random.default_rng(1))
    base = lay_groundwork([clip])
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
        rows.append([name, f"{1e6 * min(spent) / legs:.0f}"])
    return table("Speed (target: 150 µs per limb and frame)", ["what", "CPU µs per limb and frame"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.planting", description=__doc__)
    parser.add_argument("kinds", nargs="*", default=list(KINDS))
    parser.add_argument("-n", type=int, default=20)
    parser.add_argument("--variants", type=Path, help="a folder with KIND/v*.bvh, made before")
    given = parser.parse_args()
    print(speed(), flush=True)
    if not DATA.is_dir():
        raise SystemExit("recorded motion is absent: set FRESHTAKE_DATA to its folder")
    print(pinned(given.kinds, given.n, given.variants), flush=True)
    print(quality(given.kinds, given.n, given.variants))


if __name__ == "__main__":
    main()

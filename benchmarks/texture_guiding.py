"""Texture: feet, loops on trajectories, cells and guided play, on used and held-out takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import freshtake as ft
from benchmarks.takes import DATA
from benchmarks.timing import table
from freshtake.motion import Clip
from freshtake.motion.body.roles import leg_length
from freshtake.motion.cycles.looping import played as endless
from freshtake.motion.cycles.seams import seam_of, steps_of
from freshtake.motion.edit import heading
from freshtake.texture import TextureModel, learn
from freshtake.texture.cells import turn_cells
from freshtake.texture.guiding import Guide, start_on
from freshtake.texture.planting import shown_contacts
from freshtake.texture.synthesize import shown

FOLDERS = ("cyclic", "validation/cyclic", "validation/style137")


def clips(names: Sequence[str] = ()) -> Iterator[tuple[str, Clip]]:
    """Yield walks, runs and a swim (those in `validation` chose no constants); without recorded takes, a sample."""
    paths = [path for folder in FOLDERS for path in sorted((DATA / folder).glob("*.bvh"))]
    for path in paths:
        if not names or path.stem in names:
            clip = ft.read(path)
            assert isinstance(clip, Clip)
            yield path.stem + (" (held out)" if "validation" in str(path) else ""), clip
    if not paths:
        yield "walk", ft.samples.walk(np.random.default_rng(0), cycles=12)


def bends(clip: Clip) -> Any:
    """Return second differences of all joints in the world (frames - 2,)."""
    return np.linalg.norm(np.diff(clip.positions(), 2, axis=0).reshape(len(clip) - 2, -1), axis=1)


def mean_heading(clip: Clip) -> Any:
    """Return the heading in degrees, averaged over a second."""
    width = min(len(clip), round(1.0 / clip.frame_time))
    return np.degrees(np.convolve(heading(clip), np.ones(width) / width, "valid"))


def feet(takes: Sequence[str] = ()) -> str:
    """Measure planted feet, in % of the leg per second: in the take, in fades without and with planting."""
    rows = []
    for name, take in clips(takes):
        model = learn(take)
        if model.standing is None:
            continue
        rng = np.random.default_rng(1)
        state = model.start(rng)
        _, played = model.play(state, rng, 6000)
        raw = model.decode(shown(state, played, model.blending))
        done = model.planted(raw, played)
        stands = shown_contacts(model.standing, played) > 0.5
        near = np.zeros(len(raw), dtype=np.bool_)
        for t in np.flatnonzero(played.jumped >= 0):
            near[t : t + model.fade + 2] = True
        own = slide(model, model.decode(model.rows), model.standing.contacts > 0.5)
        usual = np.quantile(bends(model.decode(model.rows)), 0.999)
        cells = [own, *(slide(model, clip, stands & near[:, None]) for clip in (raw, done)), slide(model, done, stands)]
        moved = float(np.linalg.norm(done.root[-1] - raw.root[-1]) / leg_length(raw.skeleton))
        rows.append(
            [name, *(f"{x:.0f}" for x in cells), f"{np.quantile(bends(done), 0.999) / usual:.2f}", f"{moved:.2f}"]
        )
    head = ["take", "take", "fades, not planted", "fades, planted", "all, planted", "2nd difference, 99.9 %"]
    return table("Feet that stand, % of the leg per second", [*head, "end moved by, legs"], rows)


def slide(model: TextureModel, clip: Clip, stands: Any) -> float:
    """Return the mean ground speed of foot joints between consecutive frames of a contact."""
    assert model.standing is not None
    joints = [joint for foot in model.standing.base.feet for joint in foot.joints]
    ground = np.delete(clip.positions()[:, joints], clip.up_index, axis=2)
    speed = np.linalg.norm(np.diff(ground, axis=0), axis=2) / clip.frame_time / leg_length(clip.skeleton)
    return 100.0 * float(speed[stands[1:] & stands[:-1]].mean())


def courses(takes: Sequence[str] = ()) -> str:
    """Make loops of three lengths: turn without and with a trajectory, seams relative to the take's 99th percentile."""
    rows = []
    for name, take in clips(takes):
        model, steps = learn(take), steps_of(take)
        usual = np.percentile(steps.step, 99), np.percentile(steps.bend, 99)
        for frames in (130, 300):
            for mode in (None, "closed"):
                free = model.loop(np.random.default_rng(2), frames=frames, course="free", plant=False)
                made = model.loop(np.random.default_rng(2), frames=frames, course=mode)
                seam = seam_of(made)
                round_ = endless(made, 2 * frames + 2)
                left = np.degrees(heading(round_))[[0, -2]] @ [-1, 1]
                rows.append(
                    [
                        name, str(frames), mode or "straight", f"{np.degrees(heading(free))[[0, -1]] @ [-1, 1]:.0f}",
                        f"{(left + 180) % 360 - 180:.1f}", f"{seam.step / usual[0]:.2f}", f"{seam.bend / usual[1]:.2f}",
                        f"{np.quantile(bends(round_), 0.999) / np.quantile(bends(take), 0.999):.2f}",
                    ]
                )  # fmt: skip
    head = ["take", "frames", "course", "turn, free", "turn left", "seam's step", "seam's bend", "2nd difference"]
    return table("Loops on their courses (steps and bends in units of the take's 99th percentile)", head, rows)


def going(takes: Sequence[str] = ()) -> str:
    """Measure errors and smoothness for a kept heading, a path, and cells that go forward."""
    rows = []
    for name, take in clips(takes):
        model = learn(take)
        usual, speed = np.quantile(bends(take), 0.999), model.bearings.speed
        leg = leg_length(take.skeleton)
        if speed < 0.3 * leg:
            continue
        kept = _sent(model, Guide(heading=0.0))
        t = np.linspace(0.0, 30.0, 400)
        way = speed * np.stack([3.0 * np.sin(t / 3.0), 0.6 * t], axis=1)
        along = _sent(model, Guide(path=way))
        at = np.delete(along.root, along.up_index, axis=1)
        off = np.linalg.norm(at[:, None] - way[None], axis=2).min(axis=1) / leg
        cells = turn_cells(take)
        ahead = {"": "-"} if "forward" not in cells or len(cells) < 2 else _forward(cells)
        rows.append(
            [
                name, f"{np.abs(mean_heading(kept)).mean():.1f}", f"{np.abs(mean_heading(kept)).max():.0f}",
                f"{np.quantile(bends(kept), 0.999) / usual:.2f}", f"{off.mean():.2f}", f"{off.max():.2f}",
                f"{np.quantile(bends(along), 0.999) / usual:.2f}", *(list(ahead.values()) * 3)[:3],
            ]
        )  # fmt: skip
    head = ["take", "heading off, mean deg", "most", "2nd difference", "path off, legs", "most", "2nd difference"]
    head += ["forward cell off in 10 s, deg", "without", "2nd difference while steering, largest"]
    return table("Sent somewhere, 20 s each, planted", head, rows)


def _sent(model: TextureModel, guide: Guide) -> Clip:
    rng = np.random.default_rng(4)
    state, rows, played = model.advance_guided(model.start_guided(rng, guide), rng, guide, 1200)
    made = model.planted(model.decode(rows, start=start_on(guide, model.bearings.up)), played)
    assert isinstance(made, Clip) and state.play is not None
    return made


def _forward(cells: dict[str, list[Clip]]) -> dict[str, str]:
    """Measure ten seconds of the forward cell with and without guiding, and 200 requests for other cells."""
    model, rng = learn(cells), np.random.default_rng(0)
    state = model.start_guided(rng, Guide(), cell="forward")
    _, rows, _ = model.advance_guided(state, rng, Guide(), 600)
    free = model.sample(np.random.default_rng(0), frames=600, cell="forward", plant=False)
    off = [float(np.abs(x - x[0]).max()) for x in (mean_heading(model.decode(rows)), mean_heading(free))]
    parts = []
    for _ in range(200):
        goal = str(rng.choice([cell for cell in model.cells if cell != model.cell_of(state.play)]))
        state = state.steered(model.steer(state.play, goal))
        state, rows, _ = model.advance_guided(state, rng, Guide(), int(rng.integers(40, 100)))
        parts.append(rows)
    takes = [model.decode(part) for part in np.split(model.rows, model.segments.bounds[1:-1])]
    usual = np.quantile(np.concatenate([bends(take) for take in takes]), 0.999)
    most = float(bends(model.decode(np.concatenate(parts))).max() / usual)
    return {"off": f"{off[0]:.0f}", "free": f"{off[1]:.0f}", "bend": f"{most:.2f}"}

"""Loops of a model: a closed way of an exact length, its rows, its course over the ground, feet through the seam."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.cycles.looping import facing_forward
from freshtake.motion.playback import Playback
from freshtake.numeric.arrays import Floats
from freshtake.texture.jump_map import Reach, within
from freshtake.texture.loop_courses import LoopCourse, check_course, detours, on_course, rate_of, turning_trend
from freshtake.texture.loops import (
    LoopWish,
    anchors_of,
    closing_frames,
    find_loop,
    near_lengths,
    nearest_length,
    varied_loop,
    ways_of,
)
from freshtake.texture.planting import around, cut_loop, planted
from freshtake.texture.synthesize import advance, begin, looped
from freshtake.texture.transitions import Played, paced

if TYPE_CHECKING:
    from freshtake.texture.model import TextureModel

NO_TRAVEL = "travel was not taken out of the takes (root heading does)"


def loop_rows(
    model: TextureModel,
    rng: np.random.Generator,
    frames: int,
    variety: float,
    stretch: float,
    course: str | float | None,
) -> tuple[Floats, Played]:
    """Rows of a loop of exactly so many frames, and what they show; the frame after the last is the first.

    Where that makes better jumps, a way whose length differs by at most a share `stretch` is played faster or
    slower; what is shown then has that other length. Frames are preferred that turn as the `course` does; the rows
    are not on it yet.
    """
    if frames < 2:
        raise UsageError(f"a loop has at least 2 frames, not {frames}")
    if not (np.isfinite(variety) and variety >= 0.0):
        raise UsageError(f"variety must be 0 or more, not {variety}")
    if not 0.0 <= stretch <= 0.5:
        raise UsageError(f"stretch must lie between 0 and 0.5, not {stretch}")
    check_course(course)
    way = _closed_way(model, rng, frames, variety, stretch, _detours(model, frames, course))
    played = _around(model, way, rng)
    rows = looped(played, model.blending)
    if len(rows) == frames:
        return rows, played
    return paced(rows, frames, model.blending.turning, model.rates), played


def loop_lengths(model: TextureModel, rng: np.random.Generator, frames: int) -> list[int]:
    """Up to three lengths near `frames` of loops that need no larger jumps than play does."""
    small = ways_of(*model.live, model.weights.poses, model.rules)
    return near_lengths(frames, small, anchors_of(small, rng))


def on_its_course(model: TextureModel, rows: Floats, course: str | float | None) -> LoopCourse | None:
    """A loop's rows on its course over the ground; None for motions that have none."""
    check_course(course)
    if model.rates == 0 or model.recipe is None:
        if course not in (None, "free"):
            raise UsageError(f"{NO_TRAVEL}, so that a loop has no course")
        return None
    return on_course(rows, model.frame_time, model.up, course, model.rules.step)


def loop_motion(
    model: TextureModel,
    rows: Floats,
    played: Played,
    *,
    times: int,
    course: str | float | None,
    plant: bool | str,
    name: str,
) -> Any:
    """A loop's rows as a motion on its course, feet planted through the seam; a clip says that it is a loop."""
    found = on_its_course(model, rows, course)
    rows = np.tile(rows if found is None else found.rows, (max(1, times), 1))
    made = model.decode(rows, name=name)
    if not isinstance(made, Clip) or found is None:
        return made
    info = None
    if course in (None, "straight", "closed"):
        seconds, cycles = len(rows) * model.frame_time, max(1, times)
        info = Playback(found.travel * cycles, seconds, True, cycles=cycles, turn=found.turned - found.turns)
    if not plant or model.standing is None:
        return made if info is None else facing_forward(made.changed(playback=info))
    before, count = around(len(rows), model.standing, model.frame_time)
    at = np.mod(np.arange(count) - before, len(rows))
    source = played.source[(np.mod(at, len(rows) // max(1, times)) * len(played.source)) * max(1, times) // len(rows)]
    endless = model.decode(rows[at], name=name)
    done = planted(endless, model.standing.contacts[source], model.standing, plant)
    return cut_loop(done, before, len(rows), info)


def _detours(model: TextureModel, frames: int, course: str | float | None) -> Floats:
    """What each frame of the takes costs on a course (frames,)."""
    rate = rate_of(course, frames * model.frame_time)
    if model.rates == 0 or rate is None:
        return np.zeros(len(model.rows))
    trend = turning_trend(model.rows, model.segments, model.frame_time)
    return detours(np.abs(trend) if course == "closed" else trend, rate)


def _closed_way(
    model: TextureModel, rng: np.random.Generator, frames: int, variety: float, stretch: float, detour: Floats
) -> tuple[int, ...]:
    """With small jumps, at the takes' tempo or a slightly different one; or else with any jumps."""

    def stroll(start: int, count: int) -> tuple[int, ...]:
        played = model.play(begin(start, model.settings.recent), rng, count)[1]
        return () if played.step[-1] else tuple(played.source[played.step == 0].tolist())

    closing = closing_frames(model.frame_time)
    small = ways_of(*model.live, model.weights.poses, model.rules)
    found = nearest_length(frames, small, anchors_of(small, rng), stretch)
    if found is not None:
        length, anchor = found
        way = find_loop(length, small, stroll, rng, LoopWish(variety, closing, detour, (anchor,)))
        return varied_loop(frames, way, small, rng, variety, stretch, detour)
    wide = within(model.jumps, Reach(tuple(1e9 for _ in model.cells), model.reach.alive), model.segments)
    some = ways_of(*wide, model.weights.poses, model.rules, slots=32)
    return find_loop(frames, some, stroll, rng, LoopWish(variety, closing, detour))


def _around(model: TextureModel, way: tuple[int, ...], rng: np.random.Generator) -> Played:
    """A closed way as it is shown: the last frame leads to the first one."""
    state = begin(way[-1], 0).heading_for(way)
    last, parts = way[-1], []
    while True:
        state, played = advance(state, 1, model.chances, model.play_material, 0, rng)
        parts.append(played)
        if not state.plan and state.numbers[4] == 0 and state.frame == last and len(parts) > len(way):
            break
    return Played(*[np.concatenate([getattr(p, f) for p in parts[1:]]) for f in Played._fields])

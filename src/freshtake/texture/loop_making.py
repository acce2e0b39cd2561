"""Loops of a model: a closed way of an exact length, its rows, its course over the ground, feet through the seam."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip
from freshtake.motion.cycles.looping import facing_forward
from freshtake.motion.planting.contacts import runs
from freshtake.motion.playback import Playback
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.texture.action import Likeness, action_of, moved_steps
from freshtake.texture.frame_distance import Weights, judged
from freshtake.texture.jump_map import band_of, costs_of, jumps_and_reach, reach_of, within
from freshtake.texture.loop_courses import LoopCourse, check_course, detours, on_course, rate_of, turning_trend
from freshtake.texture.loops import (
    LoopWish,
    NoLoop,
    Ways,
    anchors_of,
    closed_stretches,
    drawn,
    find_loops,
    loop_wish,
    near_lengths,
    nearest_lengths,
    price_of,
    tempo_price,
    ways_of,
)
from freshtake.texture.planting import around, cut_loop, planted
from freshtake.texture.segments import laid_out, split
from freshtake.texture.synthesize import advance, begin, looped
from freshtake.texture.transitions import Played, paced

if TYPE_CHECKING:
    from freshtake.texture.model import TextureModel

UNLIKE = 60.0  # mean frame steps that a loop costs on top which is only just like the action in one respect
LENGTHS = 3  # lengths near the one asked for that loops are looked for in
CANDIDATES = 5  # loops that are compared
WIDER = (2.0, 4.0, 1e9)  # times the largest jump of play, where there is no loop without larger ones
SAME = 0.7  # share of shown frames from which two loops count as one
NO_TRAVEL = "travel was not taken out of the takes (root heading does)"


class Loop(NamedTuple):
    """A loop that was found: the frames of the takes that it shows (way), how alike it is to them, and its jumps.

    `length` is that of the way, inserted frames included; it is played in the number of frames asked for. `costs`
    (jumps,) are in mean frame steps of the action, and `limit` is the largest that play takes.
    """

    way: tuple[int, ...]
    length: int
    price: float
    likeness: Likeness
    costs: Floats
    limit: float

    def pieces(self) -> list[tuple[int, int]]:
        """Return the first and the last frame of each piece of the takes that is shown."""
        shown = np.array(self.way)
        shown = np.roll(shown, -int(np.argmax(np.diff(shown, prepend=shown[-1]) != 1)))  # begin behind a jump
        cuts = [0, *(np.flatnonzero(np.diff(shown) != 1) + 1).tolist(), len(shown)]
        return [(int(shown[a]), int(shown[b - 1])) for a, b in pairwise(cuts)]


def found_loops(
    model: TextureModel,
    rng: np.random.Generator,
    frames: int,
    *,
    variety: float,
    stretch: float,
    course: str | float | None,
    among: Bools | None,
    report: Report = silent,
) -> list[Loop]:
    """Find loops of exactly so many frames, the best one first: small jumps, few of them, and like the action.

    The action is the part of the takes, or of the frames `among`, that moves. Where that makes better jumps, a way
    whose length differs by at most a share `stretch` is played faster or slower. Frames are preferred that turn as
    the `course` does.
    """
    if frames < 2:
        raise UsageError(f"a loop has at least 2 frames, not {frames}")
    if not (np.isfinite(variety) and variety >= 0.0):
        raise UsageError(f"variety must be 0 or more, not {variety}")
    if not 0.0 <= stretch <= 0.5:
        raise UsageError(f"stretch must lie between 0 and 0.5, not {stretch}")
    check_course(course)
    action = action_of(
        model.rows, model.weights.poses, model.segments, model.frame_time, rates=model.rates, among=among
    )
    part, kept = _part(model, action.frames)
    detour = _detours(model, frames, course)[kept]
    if part is not model:
        action = action.narrowed(kept)
    if action.travel is not None or part is not model:
        detour = detour + action.costs()
    wish = loop_wish(variety, model.frame_time, detour)
    dear = wish.dear(len(kept))
    priced: list[tuple[float, float, int, tuple[int, ...], Likeness]] = []
    for ways, closed in _closed_ways(part, rng, frames, stretch, wish, report):
        for length, way in closed:
            likeness = action.likeness(way, length / frames)
            price = price_of(way, ways, variety, dear) + tempo_price(length, frames)
            priced.append((price + UNLIKE * likeness.distance, price, length, way, likeness))
        # Where small jumps only lead round a part of the action, larger ones may lead round all of it.
        if not min(priced)[-1].unlike:
            break
    pieces = split(model.points(part.rows), part.segments)
    # Steps are measured within pieces, since the way between two of them is never shown.
    steps = np.concatenate([moved_steps(piece) for piece in pieces])
    out: list[Loop] = []
    for _, price, length, way, likeness in sorted(priced):
        shown = tuple(kept[list(way)].tolist())
        # A list of choices is of no use if all of them show nearly the same frames.
        if any(_shared(shown, other.way) >= SAME for other in out):
            continue
        report(Progress(0.8 + 0.2 * len(out) / CANDIDATES, f"comparing loop {len(out) + 1}"))
        loop = Loop(shown, length, price, likeness, _jump_costs(part, way), max(part.reach.limits))
        rows = shown_loop(model, loop, rng, frames)[0]
        moved = np.linalg.norm(np.diff(model.points(np.concatenate([rows, rows[:1]])), axis=0), axis=1)
        likeness = action.as_shown(likeness, rows, float(moved.mean()), steps, way[0])
        out.append(loop._replace(price=price + UNLIKE * likeness.distance, likeness=likeness))
        if len(out) == CANDIDATES:
            break
    return sorted(out, key=lambda loop: loop.price)


def shown_loop(model: TextureModel, loop: Loop, rng: np.random.Generator, frames: int) -> tuple[Floats, Played]:
    """Return the rows of a loop and what they show; the frame after the last is the first. Not on a course yet.

    Where the way has another length, what is shown has that one.
    """
    played = _around(model, loop.way, rng)
    rows = looped(played, model.blending)
    if len(rows) == frames:
        return rows, played
    return paced(rows, frames, model.blending.turning, model.rates), played


def loop_lengths(model: TextureModel, rng: np.random.Generator, frames: int) -> list[int]:
    """Find up to three lengths near `frames` of loops that need no larger jumps than play does."""
    small = ways_of(*model.live, max(model.reach.limits), model.play_material)
    return near_lengths(frames, small, anchors_of(small, rng))


def _shared(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """Compute the share of the frames of two loops that both show."""
    a, b = set(one), set(other)
    return len(a & b) / len(a | b)


def _jump_costs(model: TextureModel, way: tuple[int, ...]) -> Floats:
    before, after = np.array(way), np.roll(way, -1)
    jumps = np.flatnonzero(model.segments.successors()[before] != after)
    return costs_of(model.jumps, before[jumps], after[jumps])


def _part(model: TextureModel, frames: Bools) -> tuple[TextureModel, Ints]:
    """Return a model of some frames of the takes with jumps among these alone, and which frames they are."""
    if frames.all():
        return model, np.arange(len(frames))
    least, pieces, cells = model.rules.hold + 2, [], []
    for first, stop, cell in zip(
        model.segments.bounds[:-1], model.segments.bounds[1:], model.segments.cell_of_take, strict=True
    ):
        for start, end in runs(frames[first:stop]):
            if end - start >= least:
                pieces.append(np.arange(first + start, first + end))
                cells.append(model.segments.names[cell])
    kept = np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.intp)
    if len(kept) < band_of(model.settings, model.frame_time) + 2:
        raise UsageError("too few frames to make a loop of: ask for a longer part")
    segments = laid_out([len(piece) for piece in pieces], cells)
    weights = Weights(model.weights.poses[kept], model.weights.velocities[kept])
    judged_frames = judged(weights, segments, model.frame_time, model.settings.velocity_weight)
    jumps, reach = jumps_and_reach(judged_frames, segments, model.settings, model.frame_time)
    return replace(
        model, segments=segments, rows=model.rows[kept], weights=weights, jumps=jumps, entries=(), reach=reach
    ), kept


def on_its_course(model: TextureModel, rows: Floats, course: str | float | None) -> LoopCourse | None:
    """Bend a loop's rows to its course over the ground; None for motions that have none."""
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
    """Decode a loop's rows on its course, feet planted through the seam; a clip says that it is a loop."""
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
    # Planting looks back and ahead: only in the midst of an endless play are both ends of the loop alike.
    before, count = around(len(rows), model.standing, model.frame_time)
    at = np.mod(np.arange(count) - before, len(rows))
    source = played.source[(np.mod(at, len(rows) // max(1, times)) * len(played.source)) * max(1, times) // len(rows)]
    endless = model.decode(rows[at], name=name)
    done = planted(endless, model.standing.contacts[source], model.standing, plant)
    return cut_loop(done, before, len(rows), info)


def _detours(model: TextureModel, frames: int, course: str | float | None) -> Floats:
    """Compute what each frame of the takes costs on a course (frames,)."""
    rate = rate_of(course, frames * model.frame_time)
    if model.rates == 0 or rate is None:
        return np.zeros(len(model.rows))
    # A closed course may turn either way, so that only the amount counts.
    trend = turning_trend(model.rows, model.segments, model.frame_time)
    return detours(np.abs(trend) if course == "closed" else trend, rate)


def _closed_ways(
    model: TextureModel, rng: np.random.Generator, frames: int, stretch: float, wish: LoopWish, report: Report
) -> Iterator[tuple[Ways, list[tuple[int, tuple[int, ...]]]]]:
    """Yield closed ways and their lengths: with jumps as small as those of play, then with larger and larger ones."""

    def stroll(start: int, count: int) -> tuple[int, ...]:
        played = model.play(begin(start, model.settings.recent), rng, count)[1]
        return () if played.step[-1] else tuple(played.source[played.step == 0].tolist())

    def of_near_lengths(ways: Ways, anchors: list[int]) -> Iterator[tuple[int, tuple[int, ...]]]:
        for length, anchor in nearest_lengths(frames, ways, anchors, stretch, dear, LENGTHS):
            report(Progress(0.2, f"looking for loops of {length} frames"))
            through = list(dict.fromkeys([anchor, *anchors]))
            yield from ((length, way) for way in find_loops(length, ways, stroll, through, wish))

    dear, limit = wish.dear(len(model.rows)), max(model.reach.limits)
    some = ways_of(model.live[0], drawn(model.live[1], rng), limit, model.play_material)
    anchors = anchors_of(some, rng)
    found: list[tuple[int, tuple[int, ...]]] = []
    report(Progress(0.05, "looking for loops"))
    if frames > wish.link:  # a chain has any length that its links add up to, so that its tempo need not change
        found += [(frames, way) for way in find_loops(frames, some, stroll, anchors, wish)]
    else:
        found += of_near_lengths(some, anchors)
    closes = bool(found)
    if found:
        yield some, found + [(len(way), way) for way in closed_stretches(frames, some, stretch, dear)]
    for number, wider in enumerate(WIDER):
        report(Progress(0.5 + 0.1 * number, "looking for loops with larger jumps"))
        try:
            reach = reach_of(model.jumps, model.segments, wider * limit)
        except UsageError:  # even so large jumps lead nowhere
            continue
        wide = within(model.jumps, reach, model.segments)
        some = ways_of(wide[0], drawn(wide[1], rng), limit, model.play_material, slots=32)
        anchors = anchors_of(some, rng)
        found = [(frames, way) for way in find_loops(frames, some, stroll, anchors, wish)]
        # A change of tempo that nobody sees is better than no loop at all.
        found = found or list(of_near_lengths(some, anchors))
        found += [(len(way), way) for way in closed_stretches(frames, some, stretch, dear)]
        if found:
            closes = True
            yield some, found
    if not closes:  # `some` and its anchors are those of the largest jumps that lead anywhere
        raise NoLoop(frames, near_lengths(frames, some, anchors))


def _around(model: TextureModel, way: tuple[int, ...], rng: np.random.Generator) -> Played:
    """Play a closed way as it is shown: the last frame leads to the first one."""
    state = begin(way[-1], 0).heading_for(way)
    last, parts = way[-1], []
    while True:
        # Frame by frame, because inserted frames make the length known only at the end.
        state, played = advance(state, 1, model.chances, model.play_material, 0, rng)
        parts.append(played)
        if not state.plan and state.numbers[4] == 0 and state.frame == last and len(parts) > len(way):
            break
    return Played(*[np.concatenate([getattr(p, f) for p in parts[1:]]) for f in Played._fields])

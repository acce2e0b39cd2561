"""Make loops of a model: closed paths of exact length, their rows and courses, feet planted across the seam."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip
from freshtake.motion.clip import Playback
from freshtake.motion.cycles.looping import facing_forward
from freshtake.motion.planting import Planter, settings_for
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.curves import runs
from freshtake.texture import action as actions
from freshtake.texture import closed_paths
from freshtake.texture.action import Action, Likeness, LoopCourse
from freshtake.texture.closed_paths import FrameGraph, LoopRequest, closed_stretches, find_loops, frame_graph
from freshtake.texture.frame_distance import Weights, laid_out, weighted_frames
from freshtake.texture.jump_map import band_of, costs_of, jumps_and_reach, reach_of, within
from freshtake.texture.planting import cut_loop, planted
from freshtake.texture.play_kernels import LENGTH
from freshtake.texture.synthesize import advance, begin, shown
from freshtake.texture.transitions import Played, paced

if TYPE_CHECKING:
    from freshtake.texture.model import TextureModel

UNLIKE_COST = 60.0  # mean frame steps: extra cost of a loop that differs from the action by `ALIKE` in one factor
STRETCH = 0.05  # fraction by which a loop's tempo may differ from the takes'
CANDIDATES = 5  # loops to compare
WIDER = (2.0, 4.0, 1e9)  # factors on the largest jump of playback, tried if no loop has only such jumps
NO_TRAVEL = "travel was not removed from the takes (root heading does that)"


class Loop(NamedTuple):
    """A loop: the frames of the takes that it shows (path), its likeness to them, and its jumps.

    `length` is the path's length, inserted frames included; it is played in the requested number of frames. `costs`
    (jumps,) are in mean frame steps of the action, and `limit` is the largest cost in playback.
    """

    path: tuple[int, ...]
    length: int
    cost: float
    likeness: Likeness
    costs: Floats
    limit: float

    def pieces(self) -> list[tuple[int, int]]:
        """Return the first and last frame of each piece of the takes that is shown."""
        shown = np.array(self.path)
        shown = np.roll(shown, -int(np.argmax(np.diff(shown, prepend=shown[-1]) != 1)))  # begin after a jump
        cuts = [0, *(np.flatnonzero(np.diff(shown) != 1) + 1).tolist(), len(shown)]
        return [(int(shown[a]), int(shown[b - 1])) for a, b in pairwise(cuts)]


def ranked_loops(
    model: TextureModel,
    rng: np.random.Generator,
    frames: int,
    *,
    variety: float = 1.0,
    stretch: float = STRETCH,
    course: str | float | None = "free",
    among: Bools | None = None,
    report: Report = silent,
) -> list[Loop]:
    """Find up to five loops of exactly `frames` frames; the best have few and small jumps and resemble the action.

    `variety`, `stretch` and `course` are as for `TextureModel.loop`; `among` (frames of the takes,) is true for the
    frames that loops may show, by default all moving frames.
    """
    if frames < 2:
        raise UsageError(f"a loop needs at least 2 frames, not {frames}")
    if not (np.isfinite(variety) and variety >= 0.0):
        raise UsageError(f"variety must be 0 or more, not {variety}")
    if not 0.0 <= stretch <= 0.5:
        raise UsageError(f"stretch must lie between 0 and 0.5, not {stretch}")
    actions.check_course(course)
    action = _action(model, among)
    part, part_frames = _part(model, action.frames)
    penalties = _turning_costs(model, frames, course)[part_frames]
    if part is not model:
        action = action.narrowed(part_frames)
    if action.travel is not None or part is not model:
        penalties = penalties + action.costs()
    # The path back of a random playback lasts at most 2.5 s.
    closing, link = round(2.5 / model.frame_time), round(closed_paths.LINK / model.frame_time)
    request = LoopRequest(variety, closing, link, penalties)
    frame_costs = request.frame_costs(len(part_frames))
    ranked: list[tuple[float, float, int, tuple[int, ...], Likeness]] = []
    for graph, closed in _closed_paths(part, rng, frames, stretch, request, report):
        for length, path in closed:
            likeness = action.likeness(path, length / frames)
            cost = closed_paths.path_cost(path, graph, variety, frame_costs) + closed_paths.tempo_cost(length, frames)
            ranked.append((cost + UNLIKE_COST * likeness.distance, cost, length, path, likeness))
        # If small jumps cover only part of the action, larger jumps may cover all of it.
        if not min(ranked)[-1].unlike:
            break
    # Steps are measured within pieces of the takes, since the jump between two pieces is never shown.
    steps = np.concatenate([actions.moved_steps(piece) for piece in part.segments.split(model.points(part.rows))])
    out: list[Loop] = []
    for _, cost, length, path, likeness in sorted(ranked):
        frames_shown = tuple(part_frames[list(path)].tolist())
        seen = set(frames_shown)
        # Loops that show nearly the same frames are no alternatives.
        if any(len(seen & set(other.path)) >= 0.7 * len(seen | set(other.path)) for other in out):
            continue
        report(Progress(0.8 + 0.2 * len(out) / CANDIDATES, f"comparing loop {len(out) + 1}"))
        after = np.roll(path, -1)
        jumps = np.flatnonzero(part.segments.successors()[list(path)] != after)
        costs = costs_of(part.jumps, np.array(path)[jumps], after[jumps])
        loop = Loop(frames_shown, length, cost, likeness, costs, max(part.reach.limits))
        rows = shown_loop(model, loop, rng, frames)[0]
        moved = np.linalg.norm(np.diff(model.points(np.concatenate([rows, rows[:1]])), axis=0), axis=1)
        likeness = action.as_shown(likeness, rows, float(moved.mean()), steps, path[0])
        out.append(loop._replace(cost=cost + UNLIKE_COST * likeness.distance, likeness=likeness))
        if len(out) == CANDIDATES:
            break
    return sorted(out, key=lambda loop: loop.cost)


def shown_loop(model: TextureModel, loop: Loop, rng: np.random.Generator, frames: int) -> tuple[Floats, Played]:
    """Return the rows of a loop, before the course is applied, and the frames they show; the last leads to the first.

    If the path has another length, so do the frames shown.
    """
    played = _around(model, loop.path, rng)
    rows = shown(None, played, model.blending)
    if len(rows) == frames:
        return rows, played
    return paced(rows, frames, model.blending.turning, model.rates), played


def loop_rows(model: TextureModel, rng: np.random.Generator, frames: int, **how: Any) -> tuple[Floats, Played]:
    """Make the rows of the best loop; the frame after the last is the first. `how` is passed to `ranked_loops`."""
    return shown_loop(model, ranked_loops(model, rng, frames, **how)[0], rng, frames)


def finished_likeness(model: TextureModel, loop: Loop, motion: Any, among: Bools | None) -> Likeness:
    """Return the likeness of a loop's finished motion: planting and fades may add movement that rows do not show."""
    if not isinstance(motion, Clip):
        return loop.likeness
    action = _action(model, among)
    mine = action.frames & (action.cells == action.cells[loop.path[0]])
    takes = [model.decode(rows) for rows in model.segments.split(model.rows)]
    factors = loop.likeness.energy, actions.joint_speed_factor(motion, takes, mine)
    # The measure that is farther from 1 counts.
    return loop.likeness._replace(energy=max(factors, key=lambda factor: abs(np.log(max(factor, 1e-3)))))


def _action(model: TextureModel, among: Bools | None) -> Action:
    rows, poses = model.rows, model.weights.poses
    return actions.action_of(rows, poses, model.segments, model.frame_time, rates=model.rates, among=among)


def loop_lengths(model: TextureModel, rng: np.random.Generator, frames: int) -> list[int]:
    """Find up to three lengths near `frames` for which loops need no larger jumps than playback does."""
    small = frame_graph(*model.live, max(model.reach.limits), model.play_material)
    return closed_paths.near_lengths(frames, small, closed_paths.anchors_of(small, rng))


def _part(model: TextureModel, frames: Bools) -> tuple[TextureModel, Ints]:
    """Return a model of some frames of the takes, with jumps only among these, and the frame numbers."""
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
    chosen = np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.intp)
    if len(chosen) < band_of(model.settings, model.frame_time) + 2:
        raise UsageError("too few frames to make a loop: choose a longer section")
    segments = laid_out([len(piece) for piece in pieces], cells)
    weights = Weights(model.weights.poses[chosen], model.weights.velocities[chosen])
    weighted = weighted_frames(weights, segments, model.frame_time, model.settings.velocity_weight)
    jumps, reach = jumps_and_reach(weighted, segments, model.settings, model.frame_time)
    return replace(
        model, segments=segments, rows=model.rows[chosen], weights=weights, jumps=jumps, entries=(), reach=reach
    ), chosen


def on_its_course(model: TextureModel, rows: Floats, course: str | float | None) -> LoopCourse | None:
    """Bend a loop's rows to its course over the ground; None for motions without a course."""
    actions.check_course(course)
    if model.rates == 0:
        if course not in (None, "free"):
            raise UsageError(f"{NO_TRAVEL}, so a loop has no course")
        return None
    return actions.on_course(rows, model.frame_time, model.up, course, model.rules.step)


def loop_motion(
    model: TextureModel,
    rows: Floats,
    played: Played,
    *,
    times: int = 1,
    course: str | float | None = None,
    plant: bool | str = True,
    name: str = "",
) -> Any:
    """Decode a loop's rows on its course, feet planted across the seam; a clip is marked as a loop."""
    bent = on_its_course(model, rows, course)
    rows = np.tile(rows if bent is None else bent.rows, (max(1, times), 1))
    motion = model.decode(rows, name=name)
    if not isinstance(motion, Clip) or bent is None:
        return motion
    info = None
    if course in (None, "straight", "closed"):
        seconds, cycles = len(rows) * model.frame_time, max(1, times)
        info = Playback(bent.travel * cycles, seconds, True, cycles=cycles, turn=bent.turned - bent.turns)
    if not plant or model.standing is None:
        return motion if info is None else facing_forward(motion.changed(playback=info))
    # Planting looks back and ahead, so the loop is planted within endless playback.
    before, count = Planter(model.standing.base, settings_for(True), model.frame_time).around(len(rows))
    at = np.mod(np.arange(count) - before, len(rows))
    source = played.source[(np.mod(at, len(rows) // max(1, times)) * len(played.source)) * max(1, times) // len(rows)]
    endless = model.decode(rows[at], name=name)
    done = planted(endless, model.standing.contacts[source], model.standing, plant)
    return cut_loop(done, before, len(rows), info)


def _turning_costs(model: TextureModel, frames: int, course: str | float | None) -> Floats:
    """Compute the cost of each frame of the takes on a course (frames,)."""
    rate = actions.rate_of(course, frames * model.frame_time)
    if model.rates == 0 or rate is None:
        return np.zeros(len(model.rows))
    # A closed course may turn left or right, so only the magnitude counts.
    trend = actions.trend_of(model.rows[:, 2], model.segments, model.frame_time)
    return actions.turning_costs(np.abs(trend) if course == "closed" else trend, rate)


def _closed_paths(
    model: TextureModel, rng: np.random.Generator, frames: int, stretch: float, request: LoopRequest, report: Report
) -> Iterator[tuple[FrameGraph, list[tuple[int, tuple[int, ...]]]]]:
    """Yield closed paths and their lengths: first with jumps as small as in playback, then with larger jumps."""

    def random_play(start: int, count: int) -> tuple[int, ...]:
        played = model.play(begin(start, model.settings.recent), rng, count)[1]
        return () if played.step[-1] else tuple(played.source[played.step == 0].tolist())

    def of_near_lengths(graph: FrameGraph, anchors: list[int]) -> Iterator[tuple[int, tuple[int, ...]]]:
        for length, anchor in closed_paths.nearest_lengths(frames, graph, anchors, stretch, frame_costs):
            report(Progress(0.2, f"looking for loops of {length} frames"))
            through = list(dict.fromkeys([anchor, *anchors]))
            yield from ((length, path) for path in find_loops(length, graph, random_play, through, request))

    frame_costs, limit = request.frame_costs(len(model.rows)), max(model.reach.limits)
    some = frame_graph(model.live[0], closed_paths.drawn(model.live[1], rng), limit, model.play_material)
    anchors = closed_paths.anchors_of(some, rng)
    report(Progress(0.05, "looking for loops"))
    if frames > request.link:  # a chain can have any length, so its tempo need not change
        paths = [(frames, path) for path in find_loops(frames, some, random_play, anchors, request)]
    else:
        paths = list(of_near_lengths(some, anchors))
    closes = bool(paths)
    if paths:
        yield some, paths + [(len(path), path) for path in closed_stretches(frames, some, stretch, frame_costs)]
    for number, wider in enumerate(WIDER):
        report(Progress(0.5 + 0.1 * number, "looking for loops with larger jumps"))
        try:
            reach = reach_of(model.jumps, model.segments, wider * limit)
        except UsageError:  # even jumps this large do not close a loop
            continue
        wide = within(model.jumps, reach, model.segments)
        some = frame_graph(wide[0], closed_paths.drawn(wide[1], rng), limit, model.play_material, slots=32)
        anchors = closed_paths.anchors_of(some, rng)
        paths = [(frames, path) for path in find_loops(frames, some, random_play, anchors, request)]
        # A small change of tempo is better than no loop at all.
        paths = paths or list(of_near_lengths(some, anchors))
        paths += [(len(path), path) for path in closed_stretches(frames, some, stretch, frame_costs)]
        if paths:
            closes = True
            yield some, paths
    if not closes:  # `some` and its anchors are from the last attempt, with the largest jumps
        raise closed_paths.NoLoop(frames, closed_paths.near_lengths(frames, some, anchors))


def _around(model: TextureModel, path: tuple[int, ...], rng: np.random.Generator) -> Played:
    """Play a closed path as it is shown: the last frame leads to the first."""
    last, parts = path[-1], []
    state = begin(last, 0).heading_for(path)
    while True:
        # Play one frame at a time, because with jumps that insert frames the length is known only at the end.
        state, played = advance(state, 1, model.chances, model.play_material, 0, rng)
        parts.append(played)
        if not state.plan and state.numbers[LENGTH] == 0 and state.frame == last and len(parts) > len(path):
            break
    return Played(*[np.concatenate([getattr(p, f) for p in parts[1:]]) for f in Played._fields])

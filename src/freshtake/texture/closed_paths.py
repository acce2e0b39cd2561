"""Search closed paths with jumps, the basis of loops, by dynamic programming and by random playback."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats, Ints
from freshtake.texture.jump_map import Jumps
from freshtake.texture.play_kernels import Numbers, PlayMaterial, Steps, inserted, path_costs

ANCHORS = 16  # frames from which loops are tried
RANDOM_PLAYS = 24  # random playbacks that are closed to loops
APART = 0.03  # relative difference of the lengths tried
LINK = 30.0  # seconds: longer loops are chains of shorter loops, since the table of all paths grows with the length
REPEAT_COST = 0.1  # mean frame steps per frame shown before
MONOTONY_COST = 20.0  # mean frame steps: extra cost of a loop that repeats a shorter one
JUMP_COST = 8.0  # mean frame steps: extra cost of every jump, so that loops have few; chosen on odd-numbered performers
TEMPO_COST = 100.0  # mean frame steps: extra cost of twice the tempo
USUAL_JUMP = 1.5  # mean frame steps: the largest jump of takes that recur well

RandomPlay = Callable[[int, int], tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class FrameGraph:
    """The steps of loops: to the successor, or a jump and the following frames without another jump.

    A jump leads from i by `entries` (frames, k) to `targets`, `rest` frames later, and takes `durations` in total.
    """

    successor: Ints
    entries: Numbers
    targets: Numbers
    costs: Floats
    durations: Numbers
    rest: int
    every: Jumps  # all jumps, including those used only by random playback
    limit: float  # mean frame steps: the largest jump that playback needs

    def jump_penalties(self, costs: Floats) -> Floats:
        """Return the penalties of jumps with these costs in mean frame steps."""
        # The square makes a large jump worse than several small ones. Costs are relative to the largest jump that
        # playback needs in these takes, because it is unavoidable.
        return np.asarray(JUMP_COST + 0.5 * np.square(costs * (USUAL_JUMP / max(USUAL_JUMP, self.limit))))

    def least(self, start: int, length: int, penalty: Floats) -> tuple[Floats, Numbers]:
        """Find the lowest costs after 0 ... length frames from `start`, and the predecessors."""
        shape = (length + 1, len(self.successor))
        least, origin = np.empty(shape), np.empty(shape, dtype=np.int32)
        steps = Steps(self.successor, self.targets, self.costs, self.durations)
        path_costs(start, length, steps, penalty, least, origin)
        return least, origin

    def traced(self, end: int, length: int, origin: Numbers) -> tuple[int, ...]:
        """Trace the cheapest path that ends at `end` after `length` frames; `end` itself is left out."""
        path: list[int] = []
        frame, t = end, length
        while t > 0:
            slot, before = divmod(int(origin[t, frame]), len(self.successor))
            slot -= 1
            if slot < 0:
                t -= 1
            else:
                t -= int(self.durations[before, slot])
                entry = int(self.entries[before, slot])
                path.extend(range(entry + self.rest - 1, entry - 1, -1))
            frame = before
            path.append(frame)
        return tuple(path[::-1])


def frame_graph(successor: Ints, jumps: Jumps, limit: float, material: PlayMaterial, slots: int = 6) -> FrameGraph:
    """Return the steps of loops, with each jump followed by the frames that playback shows before the next jump."""
    rules, poses = material.rules, material.poses
    entries = np.ascontiguousarray(jumps.targets[:, :slots])
    targets = entries.copy()
    for _ in range(rules.hold):
        # The frames without a jump are part of the step, so that dynamic programming need not remember the last jump.
        targets = np.where(targets >= 0, successor[np.maximum(targets, 0)], -1).astype(np.int32)
    durations = np.ones(entries.shape, dtype=np.int32)
    for i, slot in zip(*np.nonzero(targets >= 0), strict=True):
        durations[i, slot] = 1 + rules.hold + inserted(rules, poses, i, entries[i, slot])
    graph = FrameGraph(
        successor, entries, targets, jumps.costs[:, : entries.shape[1]], durations, rules.hold, jumps, limit
    )
    return replace(graph, costs=graph.jump_penalties(graph.costs))


class NoLoop(UsageError):
    """Raised if there is no loop of a length; `near` are lengths of possible loops."""

    def __init__(self, length: int, near: list[int]) -> None:
        lengths = f"the nearest lengths are {', '.join(map(str, near))}" if near else "allow larger jumps"
        super().__init__(f"there is no loop of exactly {length} frames: {lengths}")
        self.near = near


class LoopRequest(NamedTuple):
    """Parameters of the search for a loop."""

    variety: float  # weight of repetitions relative to costs of jumps
    closing: int  # maximum length in frames of a random playback's path back
    link: int  # maximum length in frames of a loop that is not a chain
    penalties: Floats | None = None  # (frames,): cost of showing each frame; 1 is the cost of showing a frame twice

    def frame_costs(self, frames: int) -> Floats:
        """Return the cost of showing each frame (frames,), in the unit of jumps."""
        return REPEAT_COST * (np.zeros(frames) if self.penalties is None else self.penalties)


def drawn(jumps: Jumps, rng: np.random.Generator) -> Jumps:
    """Vary the costs of jumps so that each seed finds different loops."""
    return Jumps(jumps.targets, jumps.costs * np.exp(0.15 * rng.standard_normal(jumps.costs.shape)))


def find_loops(
    length: int, graph: FrameGraph, random_play: RandomPlay, anchors: Sequence[int], request: LoopRequest
) -> set[tuple[int, ...]]:
    """Find closed paths of exactly `length` frames, inserted frames included, through some of the anchors.

    `random_play(start, frames)` returns the frames of a random playback.
    """
    frame_costs = request.frame_costs(len(graph.successor))
    if length > request.link:
        paths = set(_chained(length, graph, anchors, request, frame_costs))
    else:
        paths = set(_planned(length, graph, anchors, request.variety, frame_costs))
    if request.variety > 0.0:
        paths |= set(_closed(length, graph, anchors, random_play, request.closing, frame_costs))
    return paths


def tempo_cost(length: int, frames: int) -> float:
    """Return the cost of playing a loop of `length` frames in `frames`."""
    return TEMPO_COST * abs(length / frames - 1.0)


def path_cost(path: tuple[int, ...], graph: FrameGraph, variety: float, frame_costs: Floats) -> float:
    """Sum the costs of a closed path: jumps, frames shown twice, repetitions of a shorter loop, and each frame."""
    shown = np.bincount(path, minlength=len(graph.successor))
    cost = jump_cost(path, graph) + variety * REPEAT_COST * float(np.maximum(shown - 1, 0).sum())
    return cost + variety * MONOTONY_COST * (period(path) < len(path)) + float(frame_costs[list(path)].sum())


def closed_stretches(frames: int, graph: FrameGraph, stretch: float, frame_costs: Floats) -> list[tuple[int, ...]]:
    """Return the best stretches of a take that one jump closes, longer or shorter by at most a fraction `stretch`."""
    ends, slots = np.nonzero(graph.every.targets >= 0)
    starts = graph.every.targets[ends, slots]
    lengths = ends - starts + 1
    # With cumulative counts of breaks, one subtraction shows whether a stretch contains any.
    breaks = np.concatenate([[0], np.cumsum(graph.successor != np.arange(1, len(graph.successor) + 1))])
    unbroken = (breaks[ends] == breaks[starts]) & (lengths > graph.rest + 1)
    usable = np.flatnonzero(unbroken & (np.abs(lengths / frames - 1.0) <= stretch))
    if not len(usable) or graph.durations.max() > 1 + graph.rest:  # jumps that insert frames have other lengths
        return []
    # Cumulative sums give the cost of any stretch with two look-ups.
    sums = np.concatenate([[0.0], np.cumsum(frame_costs)])
    costs = graph.jump_penalties(graph.every.costs[ends, slots])[usable] + sums[ends[usable] + 1] - sums[starts[usable]]
    # Stretches compete with loops found by path search, which chooses jumps before repetitions count, so that a path
    # with small jumps may show half of its frames twice.
    best = usable[np.argsort(costs + TEMPO_COST * np.abs(lengths[usable] / frames - 1.0), kind="stable")[:8]]
    return [tuple(range(int(starts[k]), int(ends[k]) + 1)) for k in best]


def period(path: tuple[int, ...]) -> int:
    """Find the length of the shortest path whose repetition is this path."""
    counts = (count for count in range(1, len(path)) if len(path) % count == 0 and path[count:] == path[:-count])
    return next(counts, len(path))


def jump_cost(path: tuple[int, ...], graph: FrameGraph) -> float:
    """Sum the costs of the jumps of a closed path."""
    total = 0.0
    for before, after in zip(path, (*path[1:], path[0]), strict=True):
        if graph.successor[before] != after:
            costs = graph.every.costs[before][graph.every.targets[before] == after]
            total += float(graph.jump_penalties(costs).min(initial=np.inf))
    return total


def _planned(
    length: int, graph: FrameGraph, anchors: Sequence[int], variety: float, frame_costs: Floats
) -> Iterator[tuple[int, ...]]:
    """Yield the cheapest loop, then the cheapest with repeated frames penalized, and so on."""
    penalty = frame_costs.copy()
    for _ in range(4):
        best, path = np.inf, None
        for anchor in anchors:
            least, origin = graph.least(anchor, length, penalty)
            if least[length, anchor] < best:
                best, path = float(least[length, anchor]), graph.traced(anchor, length, origin)
        if path is None:
            return
        yield path
        shown = np.bincount(path, minlength=len(penalty))
        if variety == 0.0 or shown.max() <= 1:
            return
        # Dynamic programming cannot count repetitions, so frames that this loop repeats are penalized in the next.
        penalty += variety * REPEAT_COST * np.maximum(shown - 1, 0)


def _chained(
    length: int, graph: FrameGraph, anchors: Sequence[int], request: LoopRequest, frame_costs: Floats
) -> Iterator[tuple[int, ...]]:
    """Yield long loops as chains of shorter loops through one frame, for the two best such frames.

    Time is proportional to the length and memory hardly grows, whereas a table of all paths over the full length would
    take gigabytes.
    """
    chains = {}  # by anchor, the lowest costs of chains of every length
    for anchor in anchors:
        costs = graph.least(anchor, request.link, frame_costs)[0][1:, anchor]
        chain = np.full(length + 1, np.inf)
        chain[0] = 0.0
        for n in range(1, length + 1):
            k = min(n, len(costs))
            chain[n] = (costs[:k] + chain[n - k : n][::-1]).min()
        chains[anchor] = chain
    for anchor in sorted(anchors, key=lambda anchor: float(chains[anchor][length]))[:2]:
        if not np.isfinite(chains[anchor][length]):
            return
        shown, path, remaining = np.zeros(len(frame_costs)), list[int](), length
        while remaining:
            # Frames shown more often than the mean cost the same, however often they are shown: a growing penalty would
            # make links jump only to even out the counts.
            penalty = frame_costs + request.variety * REPEAT_COST * (shown > shown.mean())
            least, origin = graph.least(anchor, min(request.link, remaining), penalty)
            costs = least[1:, anchor]
            # The costs of chains show which links leave a remainder that other links fill exactly.
            size = 1 + int(np.argmin(costs + chains[anchor][remaining - len(costs) : remaining][::-1]))
            part = graph.traced(anchor, size, origin)
            path.extend(part)
            remaining -= size
            shown += np.bincount(part, minlength=len(frame_costs))
        yield tuple(path)


def _closed(
    length: int, graph: FrameGraph, anchors: Sequence[int], random_play: RandomPlay, closing: int, frame_costs: Floats
) -> Iterator[tuple[int, ...]]:
    """Yield random playbacks that end with the cheapest path back to their start."""
    closing = min(closing, length - 1)
    for number in range(RANDOM_PLAYS if anchors else 0):  # without jumps, no path leads back
        anchor = anchors[number % len(anchors)]
        path = random_play(anchor, length - closing)
        if not path:
            continue
        least, origin = graph.least(path[-1], closing + 1, frame_costs)
        if np.isfinite(least[closing + 1, anchor]):
            yield (*path[:-1], *graph.traced(anchor, closing + 1, origin))


def anchors_of(graph: FrameGraph, rng: np.random.Generator) -> list[int]:
    """Choose frames to search loops from: targets of the cheapest jumps, since every loop has one, and a few others."""
    frames, slots = np.nonzero(graph.targets >= 0)
    order = np.argsort(graph.costs[frames, slots], kind="stable")
    # These targets are the last frames of their steps, not the frames entered: paths contain only the ends of steps.
    unique = list(dict.fromkeys(graph.targets[frames[order], slots[order]].tolist()))
    some, others = unique[: ANCHORS // 2], unique[ANCHORS // 2 :]
    if others:
        some += rng.choice(others, min(len(others), ANCHORS - len(some)), replace=False).tolist()
    return some


def nearest_lengths(
    length: int, graph: FrameGraph, anchors: Sequence[int], stretch: float, frame_costs: Floats
) -> list[tuple[int, int]]:
    """Return up to three lengths of the best loops within a fraction `stretch` of the length, and an anchor of each."""
    longest, shortest = int(length * (1.0 + stretch)), max(2, int(np.ceil(length * (1.0 - stretch))))
    if not anchors:
        return []
    costs = np.stack([graph.least(anchor, longest, frame_costs)[0][:, anchor] for anchor in anchors])
    costs += TEMPO_COST * np.abs(np.arange(longest + 1) / length - 1.0)
    costs[:, :shortest] = np.inf
    least, through = costs.min(axis=0), costs.argmin(axis=0)
    lengths: list[int] = []
    for t in np.argsort(least, kind="stable").tolist():
        if len(lengths) < 3 and np.isfinite(least[t]) and all(abs(t - s) > APART * length for s in lengths):
            lengths.append(t)
    return [(t, anchors[int(through[t])]) for t in lengths]


def near_lengths(length: int, graph: FrameGraph, anchors: Sequence[int]) -> list[int]:
    """Find up to three lengths of possible loops near the requested one."""
    lengths: set[int] = set()
    for anchor in anchors:
        least, _ = graph.least(anchor, 2 * length + 240, np.zeros(len(graph.successor)))
        lengths |= {int(t) for t in np.flatnonzero(np.isfinite(least[1:, anchor])) + 1}
    return sorted(sorted(lengths, key=lambda t: abs(t - length))[:3])

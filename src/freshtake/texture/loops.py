"""Loops whose end meets their start: closed ways over jumps, by dynamic programming and from random plays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats, Ints
from freshtake.texture.jump_map import Jumps
from freshtake.texture.play_kernels import Numbers, PlayMaterial, Steps, inserted, walk_costs

ANCHORS = 16  # frames that loops are tried from
SLOTS = 6  # jumps per frame that loops use
ROUNDS = 4  # of finding a loop and laying a toll on what it repeats
STRETCHES = 8  # pieces of a take, closed by a single jump, that are compared with other loops
STROLLS = 24  # random plays that are closed to loops
APART = 0.03  # share of the length by which lengths that are tried differ
CLOSING = 2.5  # seconds of which the way back of a random play has at most
LINK = 30.0  # seconds: longer loops are chains of such ones, since the table of all ways grows with the length
TOLL = 0.1  # mean frame steps per frame that was shown before
MONOTONOUS = 20.0  # mean frame steps that a loop costs on top which is a shorter one over and over
RESTLESS = 8.0  # mean frame steps that every jump costs on top, so that a loop has few; chosen on odd performers
TEMPO = 100.0  # mean frame steps that a loop of twice the tempo would cost on top
USUAL = 1.5  # mean frame steps: the largest jump of takes that recur well
SPREAD = 0.3  # by how much costs are varied, as a standard deviation of their logarithm

Stroll = Callable[[int, int], tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Ways:
    """The steps that loops are made of: to the successor, or a jump and the frames after it without another.

    A jump leads from i by `entries` (frames, k) to `targets`, `rest` frames later, and takes `durations` in all.
    """

    successor: Ints
    entries: Numbers
    targets: Numbers
    costs: Floats
    durations: Numbers
    rest: int
    every: Jumps  # also those that only random plays use
    limit: float  # mean frame steps: the largest jump that play needs

    def felt(self, costs: Floats) -> Floats:
        """Return how bad jumps are that cost so many mean frame steps.

        Every jump is one too many, and a large one is worse than several small ones; large is what exceeds the jumps
        that these takes need for play, because no choice of frames spares a loop those.
        """
        return np.asarray(RESTLESS + 0.5 * np.square(costs * (USUAL / max(USUAL, self.limit))))

    def least(self, start: int, length: int, toll: Floats) -> tuple[Floats, Numbers]:
        """Find the least costs after 0 ... length frames from `start`, and where from."""
        shape = (length + 1, len(self.successor))
        least, origin = np.empty(shape), np.empty(shape, dtype=np.int32)
        steps = Steps(self.successor, self.targets, self.costs, self.durations)
        walk_costs(start, length, steps, toll, least, origin)
        return least, origin

    def traced(self, end: int, length: int, origin: Numbers) -> tuple[int, ...]:
        """Trace the cheapest way that ends at `end` after `length` frames, `end` itself left out."""
        way: list[int] = []
        frame, t = end, length
        while t > 0:
            slot, before = int(origin[t, frame]) // len(self.successor) - 1, int(origin[t, frame]) % len(self.successor)
            if slot < 0:
                t -= 1
            else:
                t -= int(self.durations[before, slot])
                entry = int(self.entries[before, slot])
                way.extend(range(entry + self.rest - 1, entry - 1, -1))
            frame = before
            way.append(frame)
        return tuple(way[::-1])


def ways_of(successor: Ints, jumps: Jumps, limit: float, material: PlayMaterial, slots: int = SLOTS) -> Ways:
    """Follow each jump by as many frames as play shows after one."""
    rules, poses = material.rules, material.poses
    entries = np.ascontiguousarray(jumps.targets[:, :slots])
    targets = entries.copy()
    for _ in range(rules.hold):
        # The frames without a jump are part of the step, so that dynamic programming need not remember the last jump.
        targets = np.where(targets >= 0, successor[np.maximum(targets, 0)], -1).astype(np.int32)
    durations = np.ones(entries.shape, dtype=np.int32)
    for i, slot in zip(*np.nonzero(targets >= 0), strict=True):
        durations[i, slot] = 1 + rules.hold + inserted(rules, poses, i, entries[i, slot])
    ways = Ways(successor, entries, targets, jumps.costs[:, : entries.shape[1]], durations, rules.hold, jumps, limit)
    return replace(ways, costs=ways.felt(ways.costs))


class NoLoop(UsageError):
    """There is no loop of this length; `near` are lengths that loops have."""

    def __init__(self, length: int, near: list[int]) -> None:
        lengths = f"the nearest lengths are {', '.join(map(str, near))}" if near else "allow larger jumps"
        super().__init__(f"there is no loop of exactly {length} frames: {lengths}")
        self.near = near


class LoopWish(NamedTuple):
    """What a loop should be like."""

    variety: float  # how much repetitions count against costs of jumps
    closing: int  # frames of which the way back of a random play has at most
    link: int  # frames of which a loop has at most that is not made of shorter ones
    detour: Floats | None = None  # (frames,): what it costs to show each frame, 1 as much as showing one twice

    def dear(self, frames: int) -> Floats:
        """Return what it costs to show each frame (frames,), in the unit of jumps."""
        return TOLL * (np.zeros(frames) if self.detour is None else self.detour)


def loop_wish(variety: float, frame_time: float, detour: Floats) -> LoopWish:
    """Return what a loop should be like at a frame rate."""
    return LoopWish(variety, round(CLOSING / frame_time), round(LINK / frame_time), detour)


def drawn(jumps: Jumps, rng: np.random.Generator) -> Jumps:
    """Vary what jumps cost, so that each seed finds other loops."""
    return Jumps(jumps.targets, jumps.costs * np.exp(0.5 * SPREAD * rng.standard_normal(jumps.costs.shape)))


def find_loops(length: int, ways: Ways, stroll: Stroll, anchors: Sequence[int], wish: LoopWish) -> set[tuple[int, ...]]:
    """Find closed ways of exactly `length` frames, inserted ones included, through some of the anchors.

    `stroll(start, frames)` gives the frames of a random play.
    """
    dear = wish.dear(len(ways.successor))
    if length > wish.link:
        found = set(_chained(length, ways, anchors, wish, dear))
    else:
        found = set(_planned(length, ways, anchors, wish.variety, dear))
    if wish.variety > 0.0:
        found |= set(_closed(length, ways, anchors, stroll, wish.closing, dear))
    return found


def tempo_price(length: int, frames: int) -> float:
    """Return what it costs to play a loop of `length` frames in `frames`."""
    return TEMPO * abs(length / frames - 1.0)


def price_of(way: tuple[int, ...], ways: Ways, variety: float, dear: Floats) -> float:
    """Price a closed way: its jumps, frames that are shown twice, a shorter loop over and over, and detours."""
    shown = np.bincount(way, minlength=len(ways.successor))
    cost = jump_cost(way, ways) + variety * TOLL * float(np.maximum(shown - 1, 0).sum())
    return cost + variety * MONOTONOUS * (period(way) < len(way)) + float(dear[list(way)].sum())


def closed_stretches(frames: int, ways: Ways, stretch: float, dear: Floats) -> list[tuple[int, ...]]:
    """Return the best stretches of a take that one jump closes, at most a share `stretch` longer or shorter.

    Jumps are chosen before what is repeated counts, so that a loop of small jumps may show half of its frames twice.
    """
    left, slots = np.nonzero(ways.every.targets >= 0)
    entered = ways.every.targets[left, slots]
    lengths = left - entered + 1
    # Counting the breaks up to each frame tells in one step whether a stretch runs through without any.
    breaks = np.concatenate([[0], np.cumsum(ways.successor != np.arange(1, len(ways.successor) + 1))])
    whole = (breaks[left] == breaks[entered]) & (lengths > ways.rest + 1)
    usable = np.flatnonzero(whole & (np.abs(lengths / frames - 1.0) <= stretch))
    if not len(usable) or ways.durations.max() > 1 + ways.rest:  # jumps that insert frames have other lengths
        return []
    # Running sums price a stretch of any length by two look-ups.
    sums = np.concatenate([[0.0], np.cumsum(dear)])
    prices = ways.felt(ways.every.costs[left, slots])[usable] + sums[left[usable] + 1] - sums[entered[usable]]
    best = usable[np.argsort(prices + TEMPO * np.abs(lengths[usable] / frames - 1.0), kind="stable")[:STRETCHES]]
    return [tuple(range(int(entered[k]), int(left[k]) + 1)) for k in best]


def period(way: tuple[int, ...]) -> int:
    """Find the length of the shortest way that is this one when it is repeated."""
    shown = np.array(way)
    for count in range(1, len(way) // 2 + 1):
        if len(way) % count == 0 and np.array_equal(shown[count:], shown[:-count]):
            return count
    return len(way)


def jump_cost(way: tuple[int, ...], ways: Ways) -> float:
    """Add up what the jumps of a closed way cost."""
    total = 0.0
    for before, after in zip(way, (*way[1:], way[0]), strict=True):
        if ways.successor[before] != after:
            costs = ways.every.costs[before][ways.every.targets[before] == after]
            total += float(ways.felt(costs).min(initial=np.inf))
    return total


def _planned(
    length: int, ways: Ways, anchors: Sequence[int], variety: float, dear: Floats
) -> Iterator[tuple[int, ...]]:
    """Yield the cheapest loop, then the cheapest when what was repeated costs a toll, and so on."""
    toll = dear.copy()
    for _ in range(ROUNDS):
        best, way = np.inf, None
        for anchor in anchors:
            least, origin = ways.least(anchor, length, toll)
            if least[length, anchor] < best:
                best, way = float(least[length, anchor]), ways.traced(anchor, length, origin)
        if way is None:
            return
        yield way
        shown = np.bincount(way, minlength=len(toll))
        if variety == 0.0 or shown.max() <= 1:
            return
        # Dynamic programming cannot count repetitions; a toll on what was repeated makes the next loop avoid it.
        toll += variety * TOLL * np.maximum(shown - 1, 0)


def _chained(
    length: int, ways: Ways, anchors: Sequence[int], wish: LoopWish, dear: Floats
) -> Iterator[tuple[int, ...]]:
    """Yield long loops as chains of shorter ones through one frame, for the two best frames to come back to.

    Time grows in proportion to the length and memory hardly, where a table of all ways over the whole length has
    gigabytes.
    """
    rests = {}
    for anchor in anchors:
        costs = ways.least(anchor, wish.link, dear)[0][1:, anchor]
        # The least cost of chains of every length tells which links leave a rest that other links can fill exactly.
        rest = np.full(length + 1, np.inf)
        rest[0] = 0.0
        for n in range(1, length + 1):
            k = min(n, len(costs))
            rest[n] = (costs[:k] + rest[n - k : n][::-1]).min()
        rests[anchor] = rest
    for anchor in sorted(anchors, key=lambda anchor: float(rests[anchor][length]))[:2]:
        if not np.isfinite(rests[anchor][length]):
            return
        shown, way, remaining = np.zeros(len(dear)), list[int](), length
        while remaining:
            # Frames shown more often than others cost a toll that does not grow, else links would jump to even it out.
            toll = dear + wish.variety * TOLL * (shown > shown.mean())
            least, origin = ways.least(anchor, min(wish.link, remaining), toll)
            costs = least[1:, anchor]
            size = 1 + int(np.argmin(costs + rests[anchor][remaining - len(costs) : remaining][::-1]))
            part = ways.traced(anchor, size, origin)
            way.extend(part)
            remaining -= size
            shown += np.bincount(part, minlength=len(dear))
        yield tuple(way)


def _closed(
    length: int, ways: Ways, anchors: Sequence[int], stroll: Stroll, closing: int, dear: Floats
) -> Iterator[tuple[int, ...]]:
    """Yield random plays whose last part is the cheapest way back to their start."""
    closing = min(closing, length - 1)
    for number in range(STROLLS if anchors else 0):  # without jumps there is no way back
        anchor = anchors[number % len(anchors)]
        way = stroll(anchor, length - closing)
        if not way:
            continue
        least, origin = ways.least(way[-1], closing + 1, dear)
        if np.isfinite(least[closing + 1, anchor]):
            yield (*way[:-1], *ways.traced(anchor, closing + 1, origin))


def anchors_of(ways: Ways, rng: np.random.Generator) -> list[int]:
    """Choose frames to look for loops from: where the cheapest jumps lead, as every loop has one, and a few others."""
    frames, slots = np.nonzero(ways.targets >= 0)
    order = np.argsort(ways.costs[frames, slots], kind="stable")
    # Where a jump and its rest lead, not where it enters: walks know only ends of steps.
    listed = ways.targets[frames[order], slots[order]]
    unique = listed[np.sort(np.unique(listed, return_index=True)[1])]
    some, rest = unique[: ANCHORS // 2], unique[ANCHORS // 2 :]
    if len(rest):
        some = np.concatenate([some, rng.choice(rest, min(len(rest), ANCHORS - len(some)), replace=False)])
    return [int(anchor) for anchor in some]


def nearest_lengths(
    length: int, ways: Ways, anchors: Sequence[int], stretch: float, dear: Floats, most: int = 1
) -> list[tuple[int, int]]:
    """Return lengths of the best loops that are at most a share `stretch` longer or shorter, and an anchor of each."""
    longest, shortest = int(length * (1.0 + stretch)), max(2, int(np.ceil(length * (1.0 - stretch))))
    if not anchors:
        return []
    costs = np.stack([ways.least(anchor, longest, dear)[0][:, anchor] for anchor in anchors])
    costs += TEMPO * np.abs(np.arange(longest + 1) / length - 1.0)
    costs[:, :shortest] = np.inf
    least, through = costs.min(axis=0), costs.argmin(axis=0)
    lengths: list[int] = []
    for t in np.argsort(least, kind="stable").tolist():
        if len(lengths) < most and np.isfinite(least[t]) and all(abs(t - s) > APART * length for s in lengths):
            lengths.append(t)
    return [(t, anchors[int(through[t])]) for t in lengths]


def near_lengths(length: int, ways: Ways, anchors: Sequence[int]) -> list[int]:
    """Find up to three lengths, near the one asked for, that loops have."""
    found: set[int] = set()
    for anchor in anchors:
        least, _ = ways.least(anchor, 2 * length + 240, np.zeros(len(ways.successor)))
        found |= {int(t) for t in np.flatnonzero(np.isfinite(least[1:, anchor])) + 1}
    return sorted(sorted(found, key=lambda t: abs(t - length))[:3])

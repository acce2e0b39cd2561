"""Cut several takes at one common phase: all their cycles begin with the same foot, or in the same pose.

The mean cycle of every take is aligned to that of one of them by a circular shift; the phase at which to cut is then
chosen once, for all takes together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion.body.orientation import pose_points, usual_facing
from freshtake.motion.clip import Clip
from freshtake.motion.cycles.cycles import (
    STRIKE_SHIFT,
    Cycles,
    Recurrence,
    blur,
    chosen_phase,
    closing_of,
    cycle_counts,
    cycles_at,
    find_recurrence,
    no_recurrence,
    phase_of_pose,
    strike_phases,
)
from freshtake.motion.edit import take_frames
from freshtake.motion.skeleton import compatible
from freshtake.numeric.arrays import Floats

BINS = 72  # bins of the phase that takes have in common


def find_common_cycles(clips: Sequence[Clip], like: Clip | None = None) -> list[Cycles | None]:
    """Find the cycles of several takes, which all begin at one common phase.

    Args:
        clips: Takes; those with another skeleton than the first have a separate common phase.
        like: A clip whose first pose is the phase at which to cut; by default it is chosen as in `find_cycles`.

    Returns:
        The cycles of each take, None where nothing recurs in it.
    """
    cycles: list[Cycles | None] = [None] * len(clips)
    remaining = list(range(len(clips)))
    while remaining:
        first = clips[remaining[0]]
        group = [k for k in remaining if compatible(first.skeleton, clips[k].skeleton)]
        remaining = [k for k in remaining if k not in group]
        repeating = {k: take for k in group if (take := find_recurrence(clips[k])) is not None}
        example = like if like is not None and compatible(first.skeleton, like.skeleton) else None
        places = _places(list(repeating.values()), example)
        for (k, take), place in zip(repeating.items(), places, strict=True):
            cycles[k] = cycles_at(take, place)
    return cycles


def require_cycles(clips: Sequence[Clip]) -> list[Cycles]:
    """Find the cycles of several takes at one common phase, and refuse a take in which nothing recurs."""
    by_take = find_common_cycles(clips)
    for clip, cycles in zip(clips, by_take, strict=True):
        if cycles is None:
            raise UsageError(no_recurrence(clip))
    return [cycles for cycles in by_take if cycles is not None]


def torn_takes(clips: Sequence[Clip]) -> list[tuple[Clip, float]]:
    """Return takes that hold less than a cycle of what the others repeat, and the share of it that they hold."""
    by_take = find_common_cycles(clips)
    periods = [
        cycles.period * clip.frame_time for clip, cycles in zip(clips, by_take, strict=True) if cycles is not None
    ]
    if not periods:
        return []
    shares = [clip.duration / float(np.median(periods)) for clip in clips]
    # A take clearly shorter than the usual period that does not close is torn, not a quick cycle.
    return [
        (clip, share)
        for clip, cycles, share in zip(clips, by_take, shares, strict=True)
        if cycles is None and share < 0.8 and not closing_of([clip]).cyclic
    ]


def phase_lag(clip: Clip, reference: Clip) -> float:
    """Return by what share of a cycle (-0.5 to 0.5) a clip of one cycle begins later than another one."""
    facing = usual_facing(reference)
    mean_cycles = [_even(pose_points(one, facing)[:-1]) for one in (reference, clip)]
    return ((_shift(*mean_cycles) + BINS // 2) % BINS - BINS // 2) / BINS


def _places(takes: list[Recurrence], like: Clip | None) -> list[int]:
    """Return the bin of each take's mean cycle at which to cut it."""
    if like is not None:
        return [phase_of_pose(take, like) for take in takes]
    if len(takes) < 2:
        return [chosen_phase(take) for take in takes]
    aligned = _Aligned.of(takes)
    totals = aligned.totals()
    best, reach = None, round(STRIKE_SHIFT * BINS)
    for votes, strikes in aligned.strikes():
        # one shift for all takes: the smallest of those that lose the fewest cycles
        shifts = sorted(range(-reach, reach + 1), key=abs)
        counts = [int(sum(aligned.counts_at(strikes + shift))) for shift in shifts]
        score = (max(counts), votes)
        # A third of all cycles may be lost for a cut at a foot strike.
        if max(counts) >= (1.0 - 1.0 / 3.0) * totals.max() and (best is None or score > best[0]):
            best = score, strikes, shifts[int(np.argmax(counts))]
    if best is not None:
        return aligned.in_bins(best[1] + best[2])
    blurred = np.where(totals == totals.max(), aligned.blurred(), np.inf)
    return aligned.in_bins(np.full(len(takes), int(blurred.argmin())))


class _Aligned(NamedTuple):
    """Takes, by how many of `BINS` each one's phase is ahead of the reference's, and the common phases of strikes."""

    takes: list[Recurrence]
    shifts: list[int]
    struck: list[dict[str, float]]
    reference: int

    @classmethod
    def of(cls, takes: list[Recurrence]) -> _Aligned:
        # The reference is the take with the most cycles: its mean cycle is the best known.
        reference = max(takes, key=lambda take: int(cycle_counts(take.tracked).max()))
        period = reference.bins * reference.stride
        facing = usual_facing(take_frames(reference.clip, 0, min(period + 1, len(reference.clip))))
        mean_cycles = [_mean_cycle(take, facing) for take in takes]
        number = next(k for k, take in enumerate(takes) if take is reference)
        shifts = [_shift(mean_cycles[number], cycle) for cycle in mean_cycles]
        struck = [
            {foot: phase / take.bins * BINS - shift for foot, phase in strike_phases(take).items()}
            for take, shift in zip(takes, shifts, strict=True)
        ]
        return cls(takes, shifts, struck, number)

    def totals(self) -> Floats:
        """Return (BINS,): how many cycles all takes have together if they are cut at this common phase."""
        every = np.arange(BINS)
        return np.asarray(sum(self._counts(k)[(every + shift) % BINS] for k, shift in enumerate(self.shifts)))

    def strikes(self) -> list[tuple[int, Floats]]:
        """Return phases (takes,) at which a foot strikes in each take, and how many takes begin with it."""
        out = []
        for foot, phase in self.struck[self.reference].items():
            common = []
            for struck in self.struck:
                # where this foot strikes unclearly, or elsewhere: at the aligned phase
                off = (struck.get(foot, phase) - phase + BINS / 2) % BINS - BINS / 2
                # A foot strike near the aligned phase is the better place to cut; one far away is another event.
                common.append(phase + (off if abs(off) <= 0.1 * BINS else 0.0))
            out.append(np.array(common))
        if not out:
            return []
        begins = [take.tracked.progress[0] / take.bins * BINS - ahead for take, ahead in zip(*self[:2], strict=True)]
        # How much of a cycle passes in each take before it first reaches a strike.
        firsts = (np.array(out) - begins + STRIKE_SHIFT * BINS) % BINS
        votes = np.bincount(firsts.argmin(axis=0), minlength=len(out))
        return [(int(count), one) for count, one in zip(votes, out, strict=True)]

    def counts_at(self, phases: Floats) -> list[float]:
        """Return how many cycles each take has if it is cut at its common phase."""
        places = [round(phase + ahead) % BINS for phase, ahead in zip(phases, self.shifts, strict=True)]
        return [self._counts(k)[place] for k, place in enumerate(places)]

    def in_bins(self, phases: Floats) -> list[int]:
        """Return common phases as bins of the takes' mean cycles."""
        return [
            int(round((phase + ahead) / BINS * take.bins) % take.bins)
            for take, phase, ahead in zip(self.takes, phases, self.shifts, strict=True)
        ]

    def blurred(self) -> Floats:
        """Return (BINS,): how poorly defined in time each common phase is, as a sum over the takes."""
        every = np.arange(BINS)
        read = [_at(blur(take), every + shift) for take, shift in zip(self.takes, self.shifts, strict=True)]
        return np.asarray(sum(read))

    def _counts(self, k: int) -> Floats:
        return _at(cycle_counts(self.takes[k].tracked).astype(np.float64), np.arange(BINS))


def _at(values: Floats, phases: npt.ArrayLike) -> Floats:
    """Return values over the bins of a take at common bins."""
    return np.asarray(values[np.round(np.asarray(phases) % BINS / BINS * len(values)).astype(np.intp) % len(values)])


def _mean_cycle(take: Recurrence, facing: Floats) -> Floats:
    """Return (BINS, dimensions): the mean cycle of a take in coordinates that takes share."""
    points = pose_points(take.clip, facing)[:: take.stride]
    place = take.tracked.progress % take.bins
    sums = np.zeros((take.bins, points.shape[1]))
    np.add.at(sums, place, points)
    counts = np.bincount(place, minlength=take.bins)
    filled = np.flatnonzero(counts)
    means = sums[filled] / counts[filled, None]
    every = np.arange(take.bins)
    return _even(np.stack([np.interp(every, filled, column, period=take.bins) for column in means.T], axis=1))


def _even(cycle: Floats) -> Floats:
    """Return a closed trajectory at BINS even phases."""
    phases = np.arange(BINS) * len(cycle) / BINS
    positions = np.arange(len(cycle))
    return np.stack([np.interp(phases, positions, column, period=len(cycle)) for column in cycle.T], axis=1)


def _shift(reference: Floats, cycle: Floats) -> int:
    """Return the shift in bins that makes a closed trajectory most like another; the mean posture is ignored."""
    a, b = reference - reference.mean(axis=0), cycle - cycle.mean(axis=0)
    return int(np.argmax([(a * np.roll(b, -shift, axis=0)).sum() for shift in range(BINS)]))

"""Find cycles, for all methods: whether clips are cycles, and at which phase to cut one or several takes.

A clip is a cycle if its ends differ by less than separate takes do. The cycles of several takes begin with the same
foot, or in the same pose: the mean cycle of each take is aligned to one take's mean cycle by a circular shift, and the
phase at which to cut is then chosen once for all takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion.body.orientation import RATE, body_poses, pose_points, usual_facing
from freshtake.motion.clip import Clip
from freshtake.motion.cycles.recurrence import (
    Cycles,
    Recurrence,
    blur,
    cycle_counts,
    cycles_at,
    find_recurrence,
    phase_of_pose,
    strike_phases,
)
from freshtake.motion.edit import take_frames
from freshtake.motion.skeleton import compatible
from freshtake.numeric.arrays import Floats

# Fractions of a movement's extent, from 70 recorded and synthetic sets: gaps of cycles .05 to .87, others .67 to 2.6.
CLOSED = 0.5  # below: cyclic
OPEN = 1.0  # above: acyclic; in between, it depends on the differences between takes at their ends
AT_REST = 0.3  # fraction of the mean speed (cycles: .66 or more): clips with slower ends are acyclic in any pose
STRIKE_SHIFT = 0.05  # largest distance of the cut from a foot strike, in cycles, if that saves a cycle
CYCLIC_STEPS = 7.0  # frame steps (at 60 fps) between first and last pose below which a clip is one cycle
BINS = 72  # bins of the common phase of takes


class Closing(NamedTuple):
    """How well clips end where they begin: medians over the clips, in leg lengths.

    `gap` is the distance between the last and the first pose and velocity, `extent` the usual distance from the mean
    pose, `apart` the distance between clips at their ends (None for fewer than three), `pace` the faster of the speeds
    at both ends over the mean speed.
    """

    gap: float
    extent: float
    apart: float | None
    pace: float

    @property
    def cyclic(self) -> bool:
        """Whether the clips are one cycle each."""
        share = self.share
        if self.pace < AT_REST:
            return False
        if self.apart is None:
            # Fewer than three clips do not show the differences between takes, so only the extent counts.
            return share < 0.65
        # If takes begin at any phase, the distance between them is not a measure.
        alike = self.apart < OPEN * self.extent
        # Takes begin differently in any case: gaps of cycles are .6 to 1.2 times this difference, other gaps 1.8 times.
        return share < CLOSED or (share < OPEN and alike and self.gap < 1.5 * self.apart)

    @property
    def share(self) -> float:
        """The gap as a fraction of the extent."""
        return self.gap / max(self.extent, 1e-12)

    @property
    def doubtful(self) -> bool:
        """Whether poses and speeds at the ends contradict each other or are inconclusive."""
        return CLOSED <= self.share < OPEN or (self.pace < AT_REST and self.share < OPEN)

    @property
    def evidence(self) -> str:
        """The reason for the decision, in words."""
        if self.pace < AT_REST:
            return "it begins and ends at rest"
        gap = f"its last pose is {100 * self.share:.0f} % of the movement's extent away from its first"
        if self.apart is None or not CLOSED <= self.share < OPEN:
            return gap
        return f"{gap}, and takes begin {100 * self.apart / max(self.extent, 1e-12):.0f} % apart"


def closing_of(clips: Sequence[Clip]) -> Closing:
    """Measure how well clips of one movement close, regardless of travel, heading, size and frame rate."""
    if not clips:
        raise UsageError("there are no clips to check for cycles: give at least one")
    reference = usual_facing(clips[0])
    points = [pose_points(clip, reference) for clip in clips]
    gap = float(np.median([_gap(poses) for poses in points]))
    extent = float(np.median([np.sqrt(((poses - poses.mean(axis=0)) ** 2).sum(axis=1).mean()) for poses in points]))
    apart = None
    # Two clips do not show the differences between takes.
    if len(clips) >= 3 and len({poses.shape[1] for poses in points}) == 1:
        ends = np.array([[poses[0], poses[-1]] for poses in points])
        pairs = np.triu_indices(len(clips), 1)
        apart = float(np.median(np.linalg.norm(ends[pairs[0]] - ends[pairs[1]], axis=-1)))
    paces = []
    for poses in points:
        steps = np.linalg.norm(np.diff(poses, axis=0), axis=1)
        # Measure the speed at the ends over a twentieth of the clip: a clip that begins and ends slowly is not a cycle.
        count = max(1, round(0.05 * len(steps)))
        if len(steps) and steps.mean() > 1e-12:
            paces.append(max(steps[:count].mean(), steps[-count:].mean()) / steps.mean())
    return Closing(gap, extent, apart, float(np.median(paces)) if paces else 0.0)


def _gap(points: Floats) -> float:
    """Return the smallest distance from the first pose to the last one and to what would follow it within a frame.

    Few cycles last an integer number of frames, and many files omit the frame that repeats the first frame: at 24 fps
    the last frame of a walk may be a quarter of the movement's extent before the end of its cycle.
    """
    missing = points[0] - points[-1]
    step = points[-1] - points[-2] if len(points) > 1 else np.zeros_like(missing)
    share = float(np.clip(missing @ step / max(float(step @ step), 1e-12), 0.0, 1.0))
    return float(np.linalg.norm(missing - share * step))


def find_cycles(clip: Clip, like: Clip | None = None) -> Cycles:
    """Find the cycles of a take; all begin and end at the same phase.

    The phase is that of the first pose of `like`; by default it is a foot strike if feet strike once per cycle,
    otherwise the phase that is best defined in time, chosen for the most complete cycles.
    """
    recurring = find_recurrence(clip)
    cycles = None if recurring is None else cycles_at(recurring, _places([recurring], like)[0])
    if cycles is None:
        raise UsageError(no_recurrence(clip))
    return cycles


def first_to_last(clip: Clip) -> float:
    """Return the distance from first to last pose, travel and heading removed, in mean frame steps at 60 fps."""
    if len(clip) < 3:
        return np.inf
    poses = body_poses(clip)
    distance = float(np.linalg.norm(poses[-1] - poses[0], axis=-1).mean())
    step = float(np.linalg.norm(np.diff(poses, axis=0), axis=-1).mean()) * clip.fps / RATE
    return distance / step if step > 1e-12 else np.inf


def is_cyclic(clips: Sequence[Clip]) -> bool:
    """Return whether clips are one cycle each; see `Closing`."""
    return closing_of(clips).cyclic


def no_recurrence(clip: Clip) -> str:
    """Return the message for a take in which nothing recurs."""
    name = clip.name or "the clip"
    if first_to_last(clip) < CYCLIC_STEPS:
        return (
            f"{name} does not repeat within its {len(clip)} frames, but it ends as it begins: it may be one cycle, "
            "which needs no cutting"
        )
    return f"{name} has no cycles: no pose recurs within its {len(clip)} frames; cut it by frame numbers instead"


def chosen_phase(take: Recurrence) -> int:
    """Return the bin of the mean cycle at which to cut: a foot strike if possible, otherwise the best defined bin."""
    bins, counts = take.bins, cycle_counts(take.tracked)
    most = counts == counts.max()
    for strike in strike_phases(take).values():
        shifts = (np.flatnonzero(most) - strike + bins / 2) % bins - bins / 2
        nearest = shifts[np.abs(shifts).argmin()]
        if abs(nearest) <= STRIKE_SHIFT * bins:
            return int(round(strike + nearest) % bins)
        if counts.max() >= 3:
            return int(round(strike) % bins)
    return int(np.where(most, blur(take), np.inf).argmin())


def find_common_cycles(clips: Sequence[Clip], like: Clip | None = None) -> list[Cycles | None]:
    """Find the cycles of several takes, which all begin at a common phase; None for a take in which nothing recurs.

    The phase at which to cut is the first pose of `like`; by default it is chosen as in `find_cycles`. Takes whose
    skeleton differs from the first take's have a separate common phase.
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
    """Return takes with less than one cycle of the movement that the others repeat, and the fraction of it in each."""
    by_take = find_common_cycles(clips)
    periods = [
        cycles.period * clip.frame_time for clip, cycles in zip(clips, by_take, strict=True) if cycles is not None
    ]
    if not periods:
        return []
    shares = [clip.duration / float(np.median(periods)) for clip in clips]
    # A take clearly shorter than the usual period that does not close is a fragment, not a quick cycle.
    return [
        (clip, share)
        for clip, cycles, share in zip(clips, by_take, shares, strict=True)
        if cycles is None and share < 0.8 and not closing_of([clip]).cyclic
    ]


def phase_lag(clip: Clip, reference: Clip) -> float:
    """Return the lag of a clip of one cycle behind another, as a fraction of a cycle (-0.5 to 0.5)."""
    facing = usual_facing(reference)
    mean_cycles = [_even(pose_points(cycle, facing)[:-1]) for cycle in (reference, clip)]
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
        # Use one shift for all takes: the smallest shift that loses the fewest cycles.
        shifts = sorted(range(-reach, reach + 1), key=abs)
        counts = [int(sum(aligned.counts_at(strikes + shift))) for shift in shifts]
        score = (max(counts), votes)
        # To cut at a foot strike, up to a third of all cycles may be lost.
        if max(counts) >= (1.0 - 1.0 / 3.0) * totals.max() and (best is None or score > best[0]):
            best = score, strikes, shifts[int(np.argmax(counts))]
    if best is not None:
        return aligned.in_bins(best[1] + best[2])
    blurred = np.where(totals == totals.max(), aligned.blurred(), np.inf)
    return aligned.in_bins(np.full(len(takes), int(blurred.argmin())))


class _Aligned(NamedTuple):
    """Takes, the lead of each take's phase over the reference's in bins, and the common phases of strikes."""

    takes: list[Recurrence]
    shifts: list[int]
    struck: list[dict[str, float]]
    reference: int

    @classmethod
    def of(cls, takes: list[Recurrence]) -> _Aligned:
        # The reference is the take with the most cycles: its mean cycle is the most reliable.
        number = int(np.argmax([cycle_counts(take.tracked).max() for take in takes]))
        reference = takes[number]
        period = reference.bins * reference.stride
        facing = usual_facing(take_frames(reference.clip, 0, min(period + 1, len(reference.clip))))
        mean_cycles = [_mean_cycle(take, facing) for take in takes]
        shifts = [_shift(mean_cycles[number], cycle) for cycle in mean_cycles]
        struck = [
            {foot: phase / take.bins * BINS - shift for foot, phase in strike_phases(take).items()}
            for take, shift in zip(takes, shifts, strict=True)
        ]
        return cls(takes, shifts, struck, number)

    def totals(self) -> Floats:
        """Return (BINS,): how many cycles all takes have in total if cut at each common phase."""
        every = np.arange(BINS)
        return np.asarray(sum(self._counts(k)[(every + shift) % BINS] for k, shift in enumerate(self.shifts)))

    def strikes(self) -> list[tuple[int, Floats]]:
        """Return for each foot how many takes begin with its strike, and the phases (takes,) at which it strikes."""
        out = []
        for foot, phase in self.struck[self.reference].items():
            common = []
            for struck in self.struck:
                # A foot strike near the aligned phase is a better place to cut; a strike far away is another event.
                off = (struck.get(foot, phase) - phase + BINS / 2) % BINS - BINS / 2
                common.append(phase + (off if abs(off) <= 0.1 * BINS else 0.0))
            out.append(np.array(common))
        if not out:
            return []
        begins = [take.tracked.progress[0] / take.bins * BINS - ahead for take, ahead in zip(*self[:2], strict=True)]
        # The fraction of a cycle that passes in each take before its first strike.
        firsts = (np.array(out) - begins + STRIKE_SHIFT * BINS) % BINS
        votes = np.bincount(firsts.argmin(axis=0), minlength=len(out))
        return [(int(count), one) for count, one in zip(votes, out, strict=True)]

    def counts_at(self, phases: Floats) -> list[float]:
        """Return how many cycles each take has if cut at its common phase."""
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
    """Return values over a take's bins, sampled at common bins."""
    return np.asarray(values[np.round(np.asarray(phases) % BINS / BINS * len(values)).astype(np.intp) % len(values)])


def _mean_cycle(take: Recurrence, facing: Floats) -> Floats:
    """Return (BINS, dimensions): the mean cycle of a take in coordinates shared by all takes."""
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
    """Return the shift in bins that makes a closed trajectory most like another, ignoring the mean posture."""
    a, b = reference - reference.mean(axis=0), cycle - cycle.mean(axis=0)
    return int(np.argmax([(a * np.roll(b, -shift, axis=0)).sum() for shift in range(BINS)]))

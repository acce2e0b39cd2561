"""Recurrence: the period of a motion, the phase of every frame, and the cycles of a take cut at one phase."""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from freshtake.motion.body.orientation import RATE, distances, pose_points, principal, usual_facing
from freshtake.motion.clip import Clip
from freshtake.motion.planting.contacts import foot_contacts
from freshtake.motion.skeleton import require_compatible
from freshtake.numeric.arrays import Floats, Ints

END_TOLERANCE = 0.06  # fraction of a cycle that may be missing at the ends of a take
SHARPER = 0.15  # a longer period must match this much better to be preferred to a shorter one


class Phase(NamedTuple):
    """Phase of each frame: `progress` (frames,) in bins, rising by `len(template)` per cycle.

    `template` (bins, dimensions) is the mean cycle; `misfit` (frames,) the distance of each frame from its bin.
    """

    progress: Ints
    template: Floats
    misfit: Floats


def dissimilarity(points: Floats, longest: int) -> Floats:
    """Return d[lag] = mean |x(t + lag) - x(t)|² / (2 variance) for lags 0 to `longest`, by autocorrelation."""
    centered = points - points.mean(axis=0)
    frames = len(centered)
    size = 1 << (2 * frames - 1).bit_length()
    spectrum = np.zeros(size // 2 + 1)
    for column in centered.T:
        transformed = np.fft.rfft(column, size)
        spectrum += transformed.real**2 + transformed.imag**2
    product = np.fft.irfft(spectrum, size)[: longest + 1]
    energy = np.concatenate([[0.0], np.cumsum((centered**2).sum(axis=1))])
    lags = np.arange(longest + 1)
    both = energy[frames - lags] + energy[frames] - energy[lags]
    variance = energy[frames] / frames
    out: Floats = (both - 2.0 * product) / ((frames - lags) * 2.0 * max(variance, 1e-300))
    return out


def find_phase(points: Floats, fps: float) -> tuple[Phase, float] | None:
    """Return the phase for the shortest period after which the motion recurs, and the remaining dissimilarity.

    Autocorrelation proposes periods; each is scored after tracking the tempo. None if nothing recurs.
    """
    tracked: list[tuple[Phase, float]] = []
    # The few shortest periods are enough: longer ones are mostly their multiples.
    for period in possible_periods(points, fps)[:4]:
        phase = track(points, period)
        unlike = one_cycle_apart(points, phase.progress, period)
        tracked.append((phase, unlike))
        if unlike < SHARPER:
            break
    # Once the tempo is tracked, frames a cycle apart are less than half as dissimilar as any two frames.
    good = [entry for entry in tracked if entry[1] < 0.5]
    if not good:
        return None
    limit = min(unlike for _, unlike in good) + SHARPER
    return next(entry for entry in good if entry[1] <= limit)


def possible_periods(points: Floats, fps: float) -> list[int]:
    """Return lags at which the take resembles itself more than at neighboring lags, shortest first."""
    # A period must fit into the take one and a half times for a recurrence to be visible.
    longest = int(0.67 * (len(points) - 1))
    # Movements do not repeat within a fifth of a second; shorter periods are shaking.
    shortest = max(3, round(0.2 * fps))
    if longest <= shortest + 1 or float(np.ptp(points, axis=0).max()) < 1e-9:
        return []
    curve = dissimilarity(points, longest + 1)
    lags = np.arange(shortest, longest + 1)
    # Any two frames have a dissimilarity of 1 on average; at 0.9 or more, a shifted take does not match.
    valley = (curve[lags] <= curve[lags - 1]) & (curve[lags] < curve[lags + 1]) & (curve[lags] < 0.9)
    # A valley counts only beyond a hill: neighboring frames are similar without being a cycle apart.
    behind = np.maximum.accumulate(curve)[lags] > curve[lags] + 0.15
    return [int(lag) for lag in lags[valley & behind]]


def one_cycle_apart(points: Floats, progress: Ints, period: int) -> float:
    """Return the mean squared distance of frames whose phases are a cycle apart, over twice the variance."""
    later = np.searchsorted(progress, progress + period)
    inside = later < len(points)
    if not inside.any():
        return np.inf
    variance = ((points - points.mean(axis=0)) ** 2).sum(axis=1).mean()
    squared = ((points[later[inside]] - points[inside]) ** 2).sum(axis=1).mean()
    return float(squared / (2.0 * max(float(variance), 1e-300)))


def track(points: Floats, period: int) -> Phase:
    """Align the take to a mean cycle by dynamic programming and average the cycle again, three times.

    Per frame, the phase may stay, or advance by one bin (the mean tempo) or by two bins.
    """
    # Start with the period that leads best into the next period.
    gaps = np.linalg.norm(points[period:] - points[:-period], axis=1)
    start = int(np.argmin(np.convolve(gaps, np.ones(min(period, len(gaps))), mode="valid")))
    template = _closed(points[start : start + period])
    progress = np.zeros(len(points), dtype=np.intp)
    for _ in range(3):
        progress = _follow(distances(points, template))
        template = _mean_cycle(points, progress, template)
    misfit = distances(points, template)[np.arange(len(points)), progress % period]
    return Phase(progress, template, misfit)


def _closed(cycle: Floats) -> Floats:
    """Return the cycle with the step from its last frame back to the first spread evenly over it."""
    step = cycle[-1] - cycle[-2] if len(cycle) > 1 else np.zeros_like(cycle[0])
    gap = cycle[-1] + step - cycle[0]
    ramp = np.arange(len(cycle)) / len(cycle) - 0.5
    out: Floats = cycle - ramp[:, None] * gap
    return out


def _follow(cost: Floats) -> Ints:
    """Return the cheapest path of the phase through cost (frames, bins); bins are cyclic."""
    frames, bins = cost.shape
    penalty = 0.5 * float(np.median(cost.min(axis=1))) + 1e-9
    penalties = np.array([2.0 * penalty, 0.0, penalty])[:, None]  # stay, one bin, two bins
    total = cost[0].copy()
    choices = np.empty((frames, bins), dtype=np.int8)
    for frame in range(1, frames):
        candidates = np.stack([total, np.roll(total, 1), np.roll(total, 2)]) + penalties
        choices[frame] = candidates.argmin(axis=0)
        total = candidates.min(axis=0) + cost[frame]
    place = int(total.argmin())
    steps = np.zeros(frames, dtype=np.intp)
    first = place
    for frame in range(frames - 1, 0, -1):
        steps[frame] = choices[frame, first]
        first = (first - int(steps[frame])) % bins
    return first + np.cumsum(steps)


def _mean_cycle(points: Floats, progress: Ints, template: Floats) -> Floats:
    """Return the mean of the frames near each bin, weighted by a narrow bell; the old template if a bin is empty."""
    bins = len(template)
    place = progress % bins
    columns = (np.bincount(place, weights=column, minlength=bins) for column in (np.ones(len(points)), *points.T))
    sums = np.stack([*columns], axis=1)  # number of frames, then sums of the points
    bell = np.exp(-0.5 * (np.arange(-2, 3) / 0.8) ** 2)
    near = np.asarray(sum(b * np.roll(sums, k, axis=0) for b, k in zip(bell, range(-2, 3), strict=True)))
    weight = near[:, :1]
    return np.where(weight > 1e-9, near[:, 1:] / np.maximum(weight, 1e-9), template)


@dataclass(frozen=True)
class Cycles:
    """The cycles of a take.

    `spans` are first and last frames; the last frame of a cycle is usually the first frame of the next cycle. `period`
    is the median duration in frames; `confidence` runs from 0 (recurs by chance) to 1 (recurs exactly).
    """

    spans: tuple[tuple[int, int], ...]
    period: float
    confidence: float

    def __len__(self) -> int:
        return len(self.spans)

    @property
    def boundaries(self) -> Ints:
        """The frames at which a cycle begins or ends."""
        return np.unique(np.array(self.spans, dtype=np.intp))


class Recurrence(NamedTuple):
    """A take that repeats: its phase at every `stride`-th frame, and how dissimilar frames a cycle apart are."""

    clip: Clip
    tracked: Phase
    unlike: float
    points: Floats
    stride: int

    @property
    def bins(self) -> int:
        """The number of bins of the mean cycle."""
        return len(self.tracked.template)


def find_recurrence(clip: Clip) -> Recurrence | None:
    """Find the phase of a take's frames; None if nothing recurs."""
    stride = max(1, int(clip.fps / RATE + 1e-6))
    points = principal(pose_points(clip))
    recurring = find_phase(points[::stride], clip.fps / stride)
    if recurring is None:
        return None
    return Recurrence(clip, *recurring, points, stride)


def cycles_at(take: Recurrence, place: int) -> Cycles | None:
    """Cut a take at a bin of its mean cycle; None if there is no complete cycle between two such cuts."""
    frames = _crossings(take.tracked, place, take.points, take.stride)
    spans = _plausible(take.tracked, frames, take.stride)
    if not spans:
        return None
    typical = float(np.median([stop - start for start, stop in spans]))
    return Cycles(tuple(spans), typical, float(np.clip(1.0 - take.unlike, 0.0, 1.0)))


def cycle_counts(tracked: Phase) -> Ints:
    """Return the number of complete cycles for each bin at which to cut."""
    bins = len(tracked.template)
    slack = END_TOLERANCE * bins / 2.0
    first, last = tracked.progress[0] - slack, tracked.progress[-1] + slack
    start = np.ceil((first - np.arange(bins)) / bins)
    stop = np.floor((last - np.arange(bins)) / bins)
    return np.asarray(np.maximum(stop - start, 0), dtype=np.intp)


def strike_phases(take: Recurrence) -> dict[str, float]:
    """Return the mean phases in bins at which feet strike, for feet that strike once per cycle; right feet first."""
    tracked, bins = take.tracked, take.bins
    strikes: dict[str, list[int]] = {}
    for contact in foot_contacts(take.clip):
        if contact.start > 0:
            strikes.setdefault(contact.foot, []).append(contact.start // take.stride)
    cycles = (tracked.progress[-1] - tracked.progress[0]) / bins
    phases = {}
    for foot in sorted(strikes, key=lambda name: not name.lower().startswith("r")):
        turns = np.exp(2j * np.pi * tracked.progress[np.minimum(strikes[foot], len(tracked.progress) - 1)] / bins)
        if abs(turns.mean()) > 0.9 and abs(len(turns) - cycles) <= max(1.5, 0.25 * cycles):
            phases[foot] = float(np.angle(turns.mean()) / (2 * np.pi) % 1.0 * bins)
    return phases


def blur(take: Recurrence) -> Floats:
    """Return the frames' spread over the speed, (bins,): smaller values mean that a bin is better defined in time."""
    tracked, bins = take.tracked, take.bins
    place = tracked.progress % bins
    frames = np.bincount(place, minlength=bins)
    spread = np.bincount(place, weights=tracked.misfit, minlength=bins) / np.maximum(frames, 1)
    speed = np.linalg.norm(np.roll(tracked.template, -1, axis=0) - np.roll(tracked.template, 1, axis=0), axis=1)
    blurred = spread / np.maximum(speed, 1e-12)
    return np.asarray(np.where(frames == 0, blurred.max(), blurred))


def phase_of_pose(take: Recurrence, example: Clip) -> int:
    """Return the bin whose frames are nearest to the first pose of another clip."""
    clip, tracked = take.clip, take.tracked
    require_compatible(clip.skeleton, example.skeleton, clip.name or "the take", example.name or "the example")
    reference = usual_facing(clip)
    first_pose = pose_points(example, reference)[0]
    distances = np.linalg.norm(pose_points(clip, reference)[:: take.stride] - first_pose, axis=1)
    place = tracked.progress % take.bins
    sums = np.bincount(place, weights=distances, minlength=take.bins)
    counts = np.bincount(place, minlength=take.bins)
    return int(np.where(counts > 0, sums / np.maximum(counts, 1), np.inf).argmin())


def _crossings(tracked: Phase, place: int, points: Floats, stride: int) -> list[int]:
    """Return frames of the take (at its full rate) that are nearest to the mean pose at bin `place`, once per cycle."""
    progress, bins = tracked.progress, len(tracked.template)
    slack = END_TOLERANCE * bins
    first = int(np.ceil((progress[0] - slack - place) / bins))
    last = int(np.floor((progress[-1] + slack - place) / bins))
    reach = max(stride, round(0.04 * bins * stride))
    frames: list[int] = []
    for number in range(first, last + 1):
        around = stride * int(np.searchsorted(progress, place + number * bins))
        around = min(around, len(points) - 1)
        window = np.arange(max(around - reach, 0), min(around + reach + 1, len(points)))
        distances = np.linalg.norm(points[window] - tracked.template[place], axis=1)
        frame = int(window[distances.argmin()])
        if not frames or frame > frames[-1]:
            frames.append(frame)
    return frames


def _plausible(tracked: Phase, frames: list[int], stride: int) -> list[tuple[int, int]]:
    """Return pairs of boundaries as spans, without spans of unusual duration or far from the mean cycle."""
    spans = list(pairwise(frames))
    if not spans:
        return []
    durations = np.array([stop - start for start, stop in spans])
    misfits = np.array([tracked.misfit[start // stride : stop // stride + 1].mean() for start, stop in spans])
    spread = np.sqrt(((tracked.template - tracked.template.mean(axis=0)) ** 2).sum(axis=1).mean())
    good = (durations > 0.55 * np.median(durations)) & (durations < 1.8 * np.median(durations))
    good &= (misfits < spread) | (misfits < 2.5 * np.median(misfits))
    return [span for span, is_good in zip(spans, good, strict=True) if is_good]

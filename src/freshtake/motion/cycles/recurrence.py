"""Recurrence: the period of a motion, the phase of every frame, and where an action occurs again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.orientation import RATE, distances, pose_points, usual_facing
from freshtake.motion.clip import Clip
from freshtake.motion.skeleton import require_compatible
from freshtake.numeric.arrays import Floats, Ints

SHARPER = 0.15  # a longer period must be this much more alike to be preferred to a shorter one


class Phase(NamedTuple):
    """Where each frame is: `progress` (frames,) in bins, rising by `len(template)` per cycle.

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
    """Return the phase by the shortest period after which the motion resembles itself, and the remaining dissimilarity.

    Autocorrelation proposes periods; each is scored after the tempo has been tracked. None where nothing recurs.
    """
    best: list[tuple[Phase, float]] = []
    # The shortest few periods are enough: longer ones are mostly their multiples.
    for period in possible_periods(points, fps)[:4]:
        phase = track(points, period)
        unlike = one_cycle_apart(points, phase.progress, period)
        best.append((phase, unlike))
        if unlike < SHARPER:
            break
    # Once the tempo is tracked, frames a cycle apart are less than half as dissimilar as any two.
    good = [entry for entry in best if entry[1] < 0.5]
    if not good:
        return None
    limit = min(unlike for _, unlike in good) + SHARPER
    return next(entry for entry in good if entry[1] <= limit)


def possible_periods(points: Floats, fps: float) -> list[int]:
    """Return lags at which the take is more like itself than at those around, shortest first."""
    # A period must fit into the take one and a half times to be seen to recur.
    longest = int(0.67 * (len(points) - 1))
    # Movements are not repeated within a fifth of a second; shorter periods are shaking.
    shortest = max(3, round(0.2 * fps))
    if longest <= shortest + 1 or float(np.ptp(points, axis=0).max()) < 1e-9:
        return []
    curve = dissimilarity(points, longest + 1)
    lags = np.arange(shortest, longest + 1)
    # Any two frames have a dissimilarity of 1 on average; from 0.9 on a shifted take does not recur.
    valley = (curve[lags] <= curve[lags - 1]) & (curve[lags] < curve[lags + 1]) & (curve[lags] < 0.9)
    # A valley counts only behind a hill: neighbouring frames are alike without being a cycle apart.
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


def track(points: Floats, period: int, rounds: int = 3) -> Phase:
    """Align the take to a mean cycle by dynamic programming and average the cycle again, `rounds` times.

    Per frame the phase may stay, advance by one bin (the mean tempo) or by two.
    """
    # The mean cycle begins as the frames from which one period meets the next one best.
    gaps = np.linalg.norm(points[period:] - points[:-period], axis=1)
    start = int(np.argmin(np.convolve(gaps, np.ones(min(period, len(gaps))), mode="valid")))
    template = _closed(points[start : start + period])
    progress = np.zeros(len(points), dtype=np.intp)
    for _ in range(rounds):
        cost = distances(points, template)
        progress = _follow(cost)
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
    """Return the mean of the frames near each bin, weighted by a narrow bell; the old template where a bin is empty."""
    bins = len(template)
    place = progress % bins
    count = np.bincount(place, minlength=bins).astype(np.float64)
    sums = np.stack([np.bincount(place, weights=column, minlength=bins) for column in points.T], axis=1)
    bell = np.exp(-0.5 * (np.arange(-2, 3) / 0.8) ** 2)
    weight = sum(b * np.roll(count, k) for b, k in zip(bell, range(-2, 3), strict=True))
    total = sum(b * np.roll(sums, k, axis=0) for b, k in zip(bell, range(-2, 3), strict=True))
    weight = np.asarray(weight)[:, None]
    return np.where(weight > 1e-9, np.asarray(total) / np.maximum(weight, 1e-9), template)


class Occurrence(NamedTuple):
    """Frames start to stop (exclusive) of the take that resemble the example.

    `distance` is the mean distance per frame in units of the example's spread about its mean pose: 0 for a
    copy, about 1.4 for unrelated poses of the same kind.
    """

    start: int
    stop: int
    distance: float


def find_occurrences(
    take: Clip, example: Clip, *, threshold: float = 0.85, tempo: float = 1.3, overlap: float = 0.1
) -> list[Occurrence]:
    """Return where the take does what the example does, in order of time; they overlap by at most a share of one.

    Tempo may be up to `tempo` times faster or slower. An occurrence is kept if its distance is below `threshold`.
    """
    _check(take, example, threshold, tempo)
    reference = usual_facing(example)
    rate = min(RATE, take.fps, example.fps)
    example_points = _at_rate(pose_points(example, reference), example.fps, rate)
    points = _at_rate(pose_points(take, reference), take.fps, rate)
    spread = float(np.sqrt(((example_points - example_points.mean(axis=0)) ** 2).sum(axis=1).mean()))
    if spread < 1e-9:
        raise UsageError(f"nothing moves in {example.name or 'the example'}, so it cannot be looked for")
    if len(points) < 2:
        return []
    costs, starts = warped(distances(example_points, points) / spread)
    length = np.arange(len(points)) - starts
    span = len(example_points) - 1
    allowed = (length <= span * tempo + 1.0) & (length >= span / tempo - 1.0)
    costs = np.where(allowed & (costs < threshold), costs, np.inf)
    scale = take.fps / rate
    occurrences = []
    for start, last, cost in _without_overlaps(costs, starts, overlap * span):
        first = min(round(start * scale), len(take) - 1)
        occurrences.append(Occurrence(first, min(round(last * scale), len(take) - 1) + 1, cost))
    return sorted(occurrences)


def _check(take: Clip, example: Clip, threshold: float, tempo: float) -> None:
    require_compatible(take.skeleton, example.skeleton, take.name or "the take", example.name or "the example")
    if take.up != example.up:
        raise UsageError(f"{take.name or 'the take'} has {take.up} up and {example.name or 'the example'} {example.up}")
    if len(example) < 4:
        raise UsageError(f"{example.name or 'the example'} has {len(example)} frames: an action needs at least 4")
    if not (threshold > 0 and tempo >= 1):
        raise UsageError("the threshold must be above 0 and the tempo at least 1")


def _at_rate(points: Floats, fps: float, rate: float) -> Floats:
    """Resample points to another rate by linear interpolation."""
    if abs(fps / rate - 1.0) < 1e-6:
        return points
    places = np.minimum(np.arange(int((len(points) - 1) * rate / fps + 1e-6) + 1) * fps / rate, len(points) - 1)
    low = np.minimum(places.astype(np.intp), max(len(points) - 2, 0))
    share = (places - low)[:, None]
    out: Floats = points[low] * (1.0 - share) + points[np.minimum(low + 1, len(points) - 1)] * share
    return out


def warped(cost: Floats) -> tuple[Floats, Ints]:
    """Return for every frame the mean cost of the best warp of the full example that ends there, and its start."""
    from freshtake.numeric.dtw import open_ends  # compiled: loaded when it is needed

    # Each step off the diagonal costs a tenth of a frame, or still frames would be matched for free.
    totals, starts = open_ends(np.ascontiguousarray(cost), 0.1)
    return totals / len(cost), starts


def _without_overlaps(costs: Floats, starts: Ints, overlap: float) -> list[tuple[int, int, float]]:
    """Return the best ends first, leaving out all that overlap with one already chosen."""
    taken: list[tuple[int, int, float]] = []
    for last in np.argsort(costs, kind="stable"):
        if not np.isfinite(costs[last]):
            break
        start = int(starts[last])
        if all(start >= t - overlap or last <= s + overlap for s, t, _ in taken):
            taken.append((start, int(last), float(costs[last])))
    return taken

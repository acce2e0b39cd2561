"""The period of a recurring motion, and where in its cycle every frame is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.motion.body.pose_space import distances
from freshtake.numeric.arrays import Floats, Ints

HINT = 0.9  # dissimilarity (1: as different as any two frames) up to which a shifted take may recur
ALIKE = 0.5  # the same once the tempo is followed: up to here it does
SHARPER = 0.15  # a longer period must be this much more alike to be preferred to a shorter one
HILL = 0.15  # how much more different the take must be at smaller shifts
TRIED = 4  # shortest periods that are tried
SHARE = 0.67  # longest period that is looked for, as a share of the take
SHORTEST = 0.2  # seconds


class Phase(NamedTuple):
    """Where each frame is: `progress` (frames,) in bins, rising by `len(template)` per cycle.

    `template` (bins, dimensions) is the mean cycle; `misfit` (frames,) the distance of each frame from its bin.
    """

    progress: Ints
    template: Floats
    misfit: Floats


def dissimilarity(points: Floats, longest: int) -> Floats:
    """d[lag] = mean |x(t + lag) - x(t)|² / (2 variance) for lags 0 to `longest`, by autocorrelation."""
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
    """The phase by the shortest period after which the motion is like itself again, and how unlike it still is.

    Autocorrelation proposes periods; each is judged after the tempo has been followed. None where nothing recurs.
    """
    best: list[tuple[Phase, float]] = []
    for period in possible_periods(points, fps)[:TRIED]:
        phase = track(points, period)
        unlike = one_cycle_apart(points, phase.progress, period)
        best.append((phase, unlike))
        if unlike < SHARPER:
            break
    good = [entry for entry in best if entry[1] < ALIKE]
    if not good:
        return None
    limit = min(unlike for _, unlike in good) + SHARPER
    return next(entry for entry in good if entry[1] <= limit)


def possible_periods(points: Floats, fps: float) -> list[int]:
    """Shifts at which the take is more like itself than at those around, shortest first."""
    longest = int(SHARE * (len(points) - 1))
    shortest = max(3, round(SHORTEST * fps))
    if longest <= shortest + 1 or float(np.ptp(points, axis=0).max()) < 1e-9:
        return []
    curve = dissimilarity(points, longest + 1)
    lags = np.arange(shortest, longest + 1)
    valley = (curve[lags] <= curve[lags - 1]) & (curve[lags] < curve[lags + 1]) & (curve[lags] < HINT)
    # A valley counts only behind a hill: frames next to each other are alike without being a cycle apart.
    behind = np.maximum.accumulate(curve)[lags] > curve[lags] + HILL
    return [int(lag) for lag in lags[valley & behind]]


def one_cycle_apart(points: Floats, progress: Ints, period: int) -> float:
    """Mean squared distance of frames whose phases are a cycle apart, over twice the variance."""
    later = np.searchsorted(progress, progress + period)
    inside = later < len(points)
    if not inside.any():
        return np.inf
    variance = ((points - points.mean(axis=0)) ** 2).sum(axis=1).mean()
    squared = ((points[later[inside]] - points[inside]) ** 2).sum(axis=1).mean()
    return float(squared / (2.0 * max(float(variance), 1e-300)))


def track(points: Floats, period: int, rounds: int = 3) -> Phase:
    """Lay the take along a mean cycle by dynamic programming, and average the cycle anew, a few times over.

    Per frame the phase may rest, advance by one bin (the mean tempo) or by two.
    """
    start = _best_start(points, period)
    template = _closed(points[start : start + period])
    progress = np.zeros(len(points), dtype=np.intp)
    for _ in range(rounds):
        cost = distances(points, template)
        progress = _follow(cost)
        template = _mean_cycle(points, progress, template)
    misfit = distances(points, template)[np.arange(len(points)), progress % period]
    return Phase(progress, template, misfit)


def _best_start(points: Floats, period: int) -> int:
    """The frame from which one period meets the next one best."""
    distances = np.linalg.norm(points[period:] - points[:-period], axis=1)
    window = min(period, len(distances))
    sums = np.convolve(distances, np.ones(window), mode="valid")
    return int(np.argmin(sums))


def _closed(cycle: Floats) -> Floats:
    """Spread the step from the last frame back to the first evenly over the cycle."""
    step = cycle[-1] - cycle[-2] if len(cycle) > 1 else np.zeros_like(cycle[0])
    gap = cycle[-1] + step - cycle[0]
    ramp = np.arange(len(cycle)) / len(cycle) - 0.5
    out: Floats = cycle - ramp[:, None] * gap
    return out


def _follow(cost: Floats) -> Ints:
    """The cheapest course of the phase through cost (frames, bins); bins are a circle."""
    frames, bins = cost.shape
    penalty = 0.5 * float(np.median(cost.min(axis=1))) + 1e-9
    toll = np.array([2.0 * penalty, 0.0, penalty])[:, None]  # rest, one bin, two bins
    total = cost[0].copy()
    choices = np.empty((frames, bins), dtype=np.int8)
    for frame in range(1, frames):
        ways = np.stack([total, np.roll(total, 1), np.roll(total, 2)]) + toll
        choices[frame] = ways.argmin(axis=0)
        total = ways.min(axis=0) + cost[frame]
    place = int(total.argmin())
    steps = np.zeros(frames, dtype=np.intp)
    first = place
    for frame in range(frames - 1, 0, -1):
        steps[frame] = choices[frame, first]
        first = (first - int(steps[frame])) % bins
    return first + np.cumsum(steps)


def _mean_cycle(points: Floats, progress: Ints, template: Floats) -> Floats:
    """Mean of the frames near each bin, weighted by a narrow bell; the old template where a bin is empty."""
    bins = len(template)
    place = progress % bins
    count = np.bincount(place, minlength=bins).astype(np.float64)
    sums = np.stack([np.bincount(place, weights=column, minlength=bins) for column in points.T], axis=1)
    bell = np.exp(-0.5 * (np.arange(-2, 3) / 0.8) ** 2)
    weight = sum(b * np.roll(count, k) for b, k in zip(bell, range(-2, 3), strict=True))
    total = sum(b * np.roll(sums, k, axis=0) for b, k in zip(bell, range(-2, 3), strict=True))
    weight = np.asarray(weight)[:, None]
    return np.where(weight > 1e-9, np.asarray(total) / np.maximum(weight, 1e-9), template)

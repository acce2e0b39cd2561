"""How well a long synthesis holds: stalls, period, distance, sharpness, variation from cycle to cycle, repetition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.density.class_cycles import FASTEST, SLOWEST, cycle_heights, recurrence
from freshtake.motion.planting.contacts import runs
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.graphs import nearest

BINS = 32  # moments of a cycle


class Holding(NamedTuple):
    """Figures of a synthesis beside the data's; a ratio of 1 is like the data.

    `stalls` counts stretches slower than 5 % of the data's median speed for more than 10 frames. `period` is the mean
    cycle over the data's; `distance` the largest distance from the data over their 99.9th percentile of
    nearest-neighbour distances; `sharpness` the largest second difference over their 99.9th percentile; `variation`
    the spread of cycles about their mean over the data's; `repeats` the number of cycles that equal another.
    """

    stalls: int
    period: float
    distance: float
    sharpness: float
    variation: float
    repeats: int
    cycles: int


def holding(data: Sequence[Floats], made: Floats) -> Holding:
    """Compare mode weights (frames, modes) of a synthesis with runs of the data."""
    points = np.concatenate(data)
    column = cycle_column(data)
    # Noise about the mean is no cycle: the curve has to pass well to both sides.
    middle, swing = float(points[:, column].mean()), 0.15 * float(points[:, column].std())
    speeds = np.concatenate([np.linalg.norm(np.diff(y, axis=0), axis=1) for y in data])
    bends = np.concatenate([np.linalg.norm(np.diff(y, 2, axis=0), axis=1) for y in data])
    near = nearest(points, points, 2)[0][:, 1]
    # As in `Holding`: below 5 % of the median speed for more than ten frames.
    slow = np.linalg.norm(np.diff(made, axis=0), axis=1) < 0.05 * np.median(speeds)
    stalls = sum(stop - start > 10 for start, stop in runs(slow))
    known = [cycle_starts(y[:, column], middle, swing) for y in data]
    found = cycle_starts(made[:, column], middle, swing)
    real = np.concatenate([np.diff(starts) for starts in known]) if known else np.empty(0)
    periods, usual = np.diff(found), median(real)
    ours = cycle_curves(made, found)[is_usual(periods, median(periods))]
    theirs = np.concatenate(
        [cycle_curves(y, starts)[is_usual(np.diff(starts), usual)] for y, starts in zip(data, known, strict=True)]
    )
    real, periods = real[is_usual(real, usual)], periods[is_usual(periods, median(periods))]
    return Holding(
        int(stalls),
        float(periods.mean() / real.mean()) if len(real) and len(periods) else np.nan,
        float(nearest(points, made)[0].max() / np.percentile(near, 99.9)),
        float(np.linalg.norm(np.diff(made, 2, axis=0), axis=1).max() / np.percentile(bends, 99.9)),
        spread(ours) / spread(theirs) if len(theirs) > 2 and len(ours) > 2 else np.nan,
        repeated_cycles(ours),
        len(periods),
    )


def cycle_column(data: Sequence[Floats]) -> int:
    """The mode that has most of the cycle in it, or most of the movement where there is no steady cycle."""
    # No cycle is shorter than six frames.
    came_back = recurrence(list(data), 6.0)
    if not came_back.steady:
        return int(np.concatenate(data).var(axis=0).argmax())
    return int(cycle_heights(list(data), came_back.periods).argmax())


def median(durations: Floats) -> float:
    """NaN where there are none."""
    return float(np.median(durations)) if len(durations) else np.nan


def is_usual(durations: Floats, usual: float) -> Bools:
    """Which cycles take about as long as they usually do: while a body sets out or stands there is none."""
    return np.asarray((durations >= SLOWEST * usual) & (durations <= FASTEST * usual))


def cycle_starts(curve: Floats, middle: float, swing: float) -> Floats:
    """When, in frames and parts of them, a curve rises through its middle, from well below it to well above."""
    out, low, last = [], False, -1.0
    for t in range(1, len(curve)):
        if curve[t] < middle - swing:
            low = True
        if curve[t - 1] < middle <= curve[t]:
            last = t - (curve[t] - middle) / (curve[t] - curve[t - 1])
        if low and last >= 0.0 and curve[t] > middle + swing:
            out.append(last)
            low, last = False, -1.0
    return np.array(out, dtype=np.float64)


def cycle_curves(values: Floats, starts: Floats) -> Floats:
    """Cycles (cycles, BINS, modes) read at equal shares of their duration."""
    out = np.empty((max(len(starts) - 1, 0), BINS, values.shape[1]))
    grid = np.arange(len(values))
    for number in range(len(out)):
        at = np.linspace(starts[number], starts[number + 1], BINS, endpoint=False)
        for k in range(values.shape[1]):
            out[number, :, k] = np.interp(at, grid, values[:, k])
    return out


def spread(cycles: Floats) -> float:
    """Root mean square distance of cycles from their mean (unbiased)."""
    apart = cycles - cycles.mean(axis=0)
    return float(np.sqrt((apart**2).sum(axis=2).mean(axis=1).sum() / (len(cycles) - 1)))


def repeated_cycles(cycles: Floats) -> int:
    """How many cycles equal an earlier one, number for number up to a millionth of the spread."""
    if len(cycles) < 2:
        return 0
    unit = 1e-6 * max(spread(cycles), float(np.abs(cycles).max()) * 1e-9, 1e-300)
    rounded = np.round(cycles.reshape(len(cycles), -1) / unit)
    return len(cycles) - len(np.unique(rounded, axis=0))

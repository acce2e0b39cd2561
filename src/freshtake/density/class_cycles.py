"""The cycle phase of every kernel, aligned across classes, and how well a synthesis preserves the cycles."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from freshtake.density.decoding import feet_of
from freshtake.density.time_alignment import around, fit_near, harmonic_basis, phase_window, phases
from freshtake.motion.cycles.recurrence import dissimilarity, find_phase, possible_periods
from freshtake.motion.tempo import LONGEST_CYCLE, SHORTEST_CYCLE
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.curves import runs
from freshtake.numeric.graphs import nearest

if TYPE_CHECKING:
    from freshtake.density.model import DensityModel

LONGEST = 4096  # frames of a run that are searched for its cycle
PERIODIC = 0.6  # distance after a cycle, relative to that between two random frames
ROUNDS = 2.0  # cycles: a class with at least this many has several, wherever its takes end
SINGLE = 1.5  # cycles: shorter runs are one cycle each
OTHER = 1.2  # cycles: a longer period is not the same cycle
HARMONICS = 4  # per mean cycle, for aligning the classes to each other
GRID = 256  # samples of a cycle
BINS = 32  # samples of a cycle


class Cycles(NamedTuple):
    """The phase (radians) and pace (radians per frame) of each kernel, entry points, and which classes have cycles.

    Phases are aligned to the first class, so that poses of equal phase are as similar as possible.
    """

    phases: Floats
    paces: Floats
    allowed: Bools
    periodic: Bools  # (classes,)


def cycles_of(model: DensityModel) -> Cycles:
    """Compute the phases of all kernels."""
    edges = [0, *model.run_stops.tolist()]
    place, pace = np.zeros(len(model.weights)), np.ones(len(model.weights))
    periodic = np.array(model.periodic or model.cyclic)
    first: Floats | None = None
    for owner in range(len(model.classes)):
        if not periodic[owner]:
            continue
        spans = [(a, b) for a, b in pairwise(edges) if model.owners[a] == owner]
        lengths, learned = np.array([float(b - a) for a, b in spans]), float(model.limits[owner, 2])
        # Single cycles may differ in length.
        periods = lengths if lengths.max() < SINGLE * learned else np.full(len(spans), learned)
        tracked = _phases([model.weights[a:b] for a, b in spans], periods)
        for (a, b), (phases_there, paces_there) in zip(spans, tracked, strict=True):
            place[a:b], pace[a:b] = phases_there, paces_there
        members = model.owners == owner
        # Poses and contacts weigh the same: classes with similar poses but different contacts would slide.
        signals = model.weights, feet_of(model, model.foot_columns)[0]
        means = [mean_cycle(values[members], place[members]) for values in signals]
        curve = np.concatenate([mean / max(float(np.linalg.norm(mean)), 1e-300) for mean in means], axis=1)
        first = curve if first is None else first
        place[members] += offset_between(first, curve)
    return Cycles(place, pace, model.allowed, periodic)


def periods_of(runs: Sequence[Floats], fps: float) -> Floats | None:
    """Return each run's cycle length in frames (runs,), detected as for all methods; None without cycles.

    No pose recurs in a take that was cut to one cycle. It is recognized by its end, whose pose and velocity lead back
    to its beginning.
    """
    # The beginning shows the cycle, and tracking its phase takes time in proportion to the length.
    beginnings = [y[:LONGEST] for y in runs]
    for part in ("all modes", "cyclic ones"):
        modes = beginnings if part == "all modes" else _cycling_modes(beginnings, fps)
        cycles = [(len(y), find_phase(y, fps)) for y in modes]
        # One run of several may recur by chance.
        if sum(frames for frames, cycle in cycles if cycle is not None) >= 0.5 * sum(map(len, beginnings)):
            return np.full(len(runs), np.median([len(cycle[0].template) for _, cycle in cycles if cycle is not None]))
    return np.array([float(len(y)) for y in runs]) if closing(runs) <= PERIODIC else None


def _cycling_modes(runs: Sequence[Floats], fps: float) -> list[Floats]:
    """Return the runs in those modes that are mostly cyclic; none if these modes explain little.

    The legs may be cyclic while the arms move independently.
    """
    spread = np.concatenate(runs).var(axis=0)
    for period in possible_periods(max(runs, key=len), fps)[:4]:
        heights = cycle_heights(runs, np.full(len(runs), float(period))) / (2.0 * sum(map(len, runs)))
        # A mode is cyclic if a sine of the period explains 0.3 of its variance.
        cycling = heights >= 0.3 * spread
        # Such modes must explain about a third of the motion, as legs do.
        if 1.0 > spread[cycling].sum() / spread.sum() > 1.0 / 3.0:
            return [y[:, cycling] for y in runs]
    return []


def is_even(runs: Sequence[Floats], period: float) -> bool:
    """Return whether poses recur after a period, so that cycles are equally long and have one frequency."""
    lag = round(period)
    apart = [(len(y) - lag, dissimilarity(y, lag)[lag]) for y in runs if len(y) > lag]
    return bool(sum(n * x for n, x in apart) <= PERIODIC**2 * sum(n for n, _ in apart))


def closing(runs: Sequence[Floats]) -> float:
    """Return the distance between runs' beginnings and ends, in pose and velocity; 1: as far as random frames.

    Velocities are compared relative to their size: a run that begins and ends with standing does not close.
    """
    poses = np.mean([((y[-1] - y[0]) ** 2).sum() for y in runs]) / (2.0 * np.concatenate(runs).var(axis=0).sum())
    first, last = (np.array([y[k + 1] - y[k] for y in runs]) for k in (0, -2))
    speeds = ((last - first) ** 2).sum() / max((last**2).sum() + (first**2).sum(), 1e-300)
    return float(np.sqrt(0.5 * (poses + speeds)))


def in_cycle(runs: list[Floats], period: float) -> list[Bools]:
    """Mark the cyclic frames (frames,) of each run; standing, starting and stopping are not cyclic.

    The amplitude of the cycle's frequency is measured in a window of two periods, over all modes. Where cycles begin or
    end, they fill half of the window, so a frame with less than half of the usual amplitude is not cyclic.
    """
    heights = [_heights(y, period) for y in runs]
    everywhere = np.concatenate(heights)
    # The mean is weighted by the amplitudes themselves, so standing hardly counts.
    usual = float((everywhere**2).sum() / max(everywhere.sum(), 1e-300))
    return [height >= 0.5 * usual for height in heights]


def _heights(values: Floats, period: float) -> Floats:
    """Return the amplitude of the cycle around each frame (frames,); slow changes are subtracted."""
    reach = max(round(period), 1)
    window = phase_window(reach)
    turns = np.exp(-2j * np.pi * np.arange(len(values)) / period)
    weight = around(np.ones(len(values)), window)
    squares = np.zeros(len(values))
    for column in values.T:
        middle = around(column, np.ones(reach)) / around(np.ones(len(values)), np.ones(reach))
        squares += np.abs(2.0 * around((column - middle) * turns, window) / weight) ** 2
    return np.sqrt(squares)


def cycle_heights(runs: Sequence[Floats], periods: Floats) -> Floats:
    """Return each mode's share of the cycle (modes,): squared amplitudes of the sines, summed over frames."""
    fits = [[fit_near(column, period).amplitude for column in y.T] for y, period in zip(runs, periods, strict=True)]
    return np.asarray((np.array(fits) ** 2 * np.array([[len(y)] for y in runs])).sum(axis=0))


def _phases(runs: list[Floats], periods: Floats) -> list[tuple[Floats, Floats]]:
    """Return the phase and pace of every frame, run by run, from the most cyclic mode."""
    column = int(cycle_heights(runs, periods).argmax())
    out = []
    for y, period in zip(runs, periods, strict=True):
        fit = fit_near(y[:, column], period)
        phase = phases(y[:, column], fit, tracked=True)
        usual = float(phase[-1] - phase[0]) / max(len(phase) - 1, 1)
        usual = usual if usual > 0.0 else fit.omega
        pace = np.clip(np.gradient(phase), SHORTEST_CYCLE * usual, LONGEST_CYCLE * usual)
        steps = np.clip(np.diff(phase), SHORTEST_CYCLE * usual, LONGEST_CYCLE * usual)
        out.append((phase[0] + np.concatenate([[0.0], np.cumsum(steps)]), pace))
    return out


def mean_cycle(rows: Floats, phase: Floats) -> Floats:
    """Return the mean of rows (frames, modes) over phase, (GRID, modes), with its own mean subtracted."""
    basis = harmonic_basis(phase, HARMONICS)
    coefficients, *_ = np.linalg.lstsq(basis, rows, rcond=None)
    turns = 2.0 * np.pi * np.arange(GRID) / GRID
    return np.asarray(harmonic_basis(turns, HARMONICS)[:, 1:] @ coefficients[1:])


def offset_between(first: Floats, other: Floats) -> float:
    """Return the phase offset that best aligns another mean cycle (GRID, modes) with the first."""
    spectrum = np.fft.rfft(first, axis=0) * np.fft.rfft(other, axis=0).conj()
    alike = np.fft.irfft(spectrum.sum(axis=1), GRID)
    return 2.0 * np.pi * float(alike.argmax()) / GRID


class Holding(NamedTuple):
    """Measurements of a synthesis relative to the data; a ratio of 1 means as in the data.

    `stalls` counts stretches slower than 5 % of the data's median speed for more than 10 frames. `period` is the ratio
    of the mean cycles, `variation` the ratio of the cycles' spreads about their mean. `distance` is the largest
    distance from the data, divided by the 99.9th percentile of the data's nearest-neighbour distances; `sharpness` is
    the largest second difference, divided by the data's 99.9th percentile; `repeats` is the number of cycles that equal
    another cycle.
    """

    stalls: int
    period: float
    distance: float
    sharpness: float
    variation: float
    repeats: int
    cycles: int


def holding(data: Sequence[Floats], synthesized: Floats) -> Holding:
    """Compare mode weights (frames, modes) of a synthesis with runs of the data."""
    points = np.concatenate(data)
    column = cycle_column(data)
    # Noise about the mean is not a cycle: the curve has to deviate clearly to both sides.
    middle, margin = float(points[:, column].mean()), 0.15 * float(points[:, column].std())
    speeds = np.concatenate([np.linalg.norm(np.diff(y, axis=0), axis=1) for y in data])
    bends = np.concatenate([np.linalg.norm(np.diff(y, 2, axis=0), axis=1) for y in data])
    near = nearest(points, points, 2)[0][:, 1]
    # As in `Holding`: below 5 % of the median speed for more than ten frames.
    slow = np.linalg.norm(np.diff(synthesized, axis=0), axis=1) < 0.05 * np.median(speeds)
    stalls = sum(stop - start > 10 for start, stop in runs(slow))
    real, theirs = usual_cycles(data, column, middle, margin)
    periods, ours = usual_cycles([synthesized], column, middle, margin)
    return Holding(
        int(stalls),
        float(periods.mean() / real.mean()) if len(real) and len(periods) else np.nan,
        float(nearest(points, synthesized)[0].max() / np.percentile(near, 99.9)),
        float(np.linalg.norm(np.diff(synthesized, 2, axis=0), axis=1).max() / np.percentile(bends, 99.9)),
        spread(ours) / spread(theirs) if len(theirs) > 2 and len(ours) > 2 else np.nan,
        repeated_cycles(ours),
        len(periods),
    )


def cycle_column(data: Sequence[Floats]) -> int:
    """Return the number of the most cyclic mode, or of the mode that moves most if there is no steady cycle."""
    # At 30 frames per second no cycle is shorter than six frames.
    periods, order = periods_of(data, 30.0), np.argsort(-np.concatenate(data).var(axis=0))
    if periods is not None:
        return int(cycle_heights(data, periods).argmax())
    # If modes recur independently, the largest of them shows the cycle.
    return int(next((k for k in order if periods_of([y[:, [k]] for y in data], 30.0) is not None), order[0]))


def usual_cycles(runs: Sequence[Floats], column: int, middle: float, margin: float) -> tuple[Floats, Floats]:
    """Return durations (cycles,) and curves (cycles, BINS, modes) of cycles of about the usual duration.

    Cycles of other durations are starts or pauses.
    """
    starts = [cycle_starts(y[:, column], middle, margin) for y in runs]
    durations = np.concatenate([np.diff(each) for each in starts])
    usual = float(np.median(durations)) if len(durations) else np.nan
    curves = np.concatenate([cycle_curves(y, each) for y, each in zip(runs, starts, strict=True)])
    is_usual = (durations >= SHORTEST_CYCLE * usual) & (durations <= LONGEST_CYCLE * usual)
    return durations[is_usual], curves[is_usual]


def cycle_starts(curve: Floats, middle: float, margin: float) -> Floats:
    """Return the fractional frames at which a curve rises through its middle, from below the margin to above it."""
    out, low, last = [], False, -1.0
    for t in range(1, len(curve)):
        if curve[t] < middle - margin:
            low = True
        if curve[t - 1] < middle <= curve[t]:
            last = t - (curve[t] - middle) / (curve[t] - curve[t - 1])
        if low and last >= 0.0 and curve[t] > middle + margin:
            out.append(last)
            low, last = False, -1.0
    return np.array(out, dtype=np.float64)


def cycle_curves(values: Floats, starts: Floats) -> Floats:
    """Return cycles (cycles, BINS, modes) sampled at equal fractions of their duration."""
    out = np.empty((max(len(starts) - 1, 0), BINS, values.shape[1]))
    grid = np.arange(len(values))
    for number in range(len(out)):
        at = np.linspace(starts[number], starts[number + 1], BINS, endpoint=False)
        for k in range(values.shape[1]):
            out[number, :, k] = np.interp(at, grid, values[:, k])
    return out


def spread(cycles: Floats) -> float:
    """Return the root mean square distance of cycles from their mean (unbiased)."""
    apart = cycles - cycles.mean(axis=0)
    return float(np.sqrt((apart**2).sum(axis=2).mean(axis=1).sum() / (len(cycles) - 1)))


def repeated_cycles(cycles: Floats) -> int:
    """Return the number of cycles that equal an earlier cycle to within a millionth of the spread."""
    if len(cycles) < 2:
        return 0
    unit = 1e-6 * max(spread(cycles), float(np.abs(cycles).max()) * 1e-9, 1e-300)
    rounded = np.round(cycles.reshape(len(cycles), -1) / unit)
    return len(cycles) - len(np.unique(rounded, axis=0))

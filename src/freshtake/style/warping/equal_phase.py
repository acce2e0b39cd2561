"""Two cyclic clips cut at equal phase to equal numbers of cycles, so that their ends match (Hsu 2005, §5.1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.motion.body.orientation import RATE, pose_points, principal
from freshtake.motion.clip import Clip
from freshtake.motion.cycles.cycles import CYCLIC_STEPS, first_to_last
from freshtake.motion.cycles.recurrence import find_phase
from freshtake.numeric.arrays import Floats

BINS = 96  # phases at which mean cycles are compared
LEAST = 0.9  # cycles that must be left in common

Span = tuple[int, int]


class Gait(NamedTuple):
    """How far a clip has come at each frame, in cycles, and its mean cycle (BINS, DOFs)."""

    cycles: Floats
    mean: Floats


def common_cycles(clips: tuple[Clip, Clip], rows: tuple[Floats, Floats]) -> tuple[Span, Span] | None:
    """Find the frames (start, stop not included) of each clip between the same two phases, as many cycles as there are.

    The phases are related by the shift at which the mean cycles correlate best, DOF by DOF, whatever their scale and
    offset. A clip that ends as it begins is one cycle beside one of several. None where the clips do not recur, or
    where less than a cycle is in common.
    """
    gaits = [gait_of(clip, values) for clip, values in zip(clips, rows, strict=True)]
    if gaits[0] is None and gaits[1] is not None:
        gaits[0] = _single(clips[0], rows[0])
    elif gaits[1] is None and gaits[0] is not None:
        gaits[1] = _single(clips[1], rows[1])
    if gaits[0] is None or gaits[1] is None:
        return None
    first = gaits[0].cycles
    second = gaits[1].cycles + best_shift(gaits[0].mean, gaits[1].mean)
    whole = _best_overlap(first, second)
    start, stop = max(first[0], second[0] + whole), min(first[-1], second[-1] + whole)
    if stop - start < LEAST:
        return None
    return _between(first, start, stop), _between(second + whole, start, stop)


def gait_of(clip: Clip, rows: Floats) -> Gait | None:
    """Find the phase of every frame, continuous and increasing, and the mean of the rows at every phase."""
    stride = max(1, int(clip.fps / RATE + 1e-6))
    found = find_phase(principal(pose_points(clip))[::stride], clip.fps / stride)
    if found is None:
        return None
    progress, bins = found[0].progress, len(found[0].template)
    coarse = _smooth(progress.astype(np.float64), 0.04 * bins) / bins
    at = np.arange(len(clip)) / stride
    cycles = np.interp(at, np.arange(len(coarse)), coarse)
    beyond = at > len(coarse) - 1
    cycles[beyond] += (at[beyond] - (len(coarse) - 1)) * (coarse[-1] - coarse[-2])
    return Gait(cycles, mean_cycle(rows, cycles))


def _single(clip: Clip, rows: Floats) -> Gait | None:
    """Return the gait of a clip that is one cycle; None if it is not."""
    if first_to_last(clip) > CYCLIC_STEPS:
        return None
    cycles = np.linspace(0.0, 1.0, len(clip))
    return Gait(cycles, mean_cycle(rows, cycles))


def mean_cycle(rows: Floats, cycles: Floats) -> Floats:
    """Average the cycles (BINS, DOFs), from the rows read at evenly spaced phases."""
    first, last = int(np.floor(cycles[0] * BINS)) + 1, int(np.floor(cycles[-1] * BINS))
    phases = np.arange(first, last + 1)
    frames = np.interp(phases / BINS, cycles, np.arange(len(cycles)))
    low = np.minimum(frames.astype(np.intp), len(rows) - 2)
    read = rows[low] + (frames - low)[:, None] * (rows[low + 1] - rows[low])
    out = np.zeros((BINS, rows.shape[1]))
    np.add.at(out, phases % BINS, read)
    return out / np.maximum(np.bincount(phases % BINS, minlength=BINS), 1)[:, None]


def best_shift(first: Floats, second: Floats) -> float:
    """Return how many cycles the second mean cycle has to be moved on so that it correlates best with the first.

    Every DOF counts by the product of its deviations in both, over the larger one: a DOF that moves in one motion
    only says nothing.
    """
    a, b = first - first.mean(axis=0), second - second.mean(axis=0)
    sizes = np.maximum(np.linalg.norm(a, axis=0), np.linalg.norm(b, axis=0))
    weights = 1.0 / np.maximum(sizes, 1e-9)
    # All shifts at once: a circular correlation is a product of spectra.
    product = np.fft.rfft(a, axis=0) * np.conj(np.fft.rfft(b, axis=0))
    likeness = np.fft.irfft((product * weights).sum(axis=1), BINS)
    best = int(likeness.argmax())
    left, here, right = likeness[best - 1], likeness[best], likeness[(best + 1) % BINS]
    # A parabola through the best bin and its neighbors tells the shift finer than a bin.
    bend = left - 2.0 * here + right
    return float((best + (0.5 * (left - right) / bend if bend < 0.0 else 0.0)) / BINS % 1.0)


def _best_overlap(first: Floats, second: Floats) -> int:
    """Find the whole number of cycles by which the second is moved so that both cover most of one another."""
    tried = np.arange(int(first[0] - second[-1]) - 1, int(first[-1] - second[0]) + 2)
    common = np.minimum(first[-1], second[-1] + tried) - np.maximum(first[0], second[0] + tried)
    return int(tried[common.argmax()])


def _between(cycles: Floats, start: float, stop: float) -> Span:
    """Return the frames nearest to two phases, as a span."""
    low, high = np.interp([start, stop], cycles, np.arange(len(cycles)))
    return round(float(low)), round(float(high)) + 1


def _smooth(progress: Floats, deviation: float) -> Floats:
    """Smooth with the trend kept to both ends, and make the result increasing."""
    from freshtake.numeric.curves import gaussian_filter1d

    reach = min(len(progress) - 1, int(4 * deviation) + 1)
    before = 2.0 * progress[0] - progress[reach:0:-1]
    after = 2.0 * progress[-1] - progress[-2 : -reach - 2 : -1]
    smooth = gaussian_filter1d(np.concatenate([before, progress, after]), deviation)[reach : reach + len(progress)]
    # Phases are inverted by interpolation, which needs them to rise strictly.
    out: Floats = np.maximum.accumulate(smooth) + 1e-9 * np.arange(len(progress))
    return out

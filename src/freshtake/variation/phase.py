"""The common phase of takes: which frame of each take corresponds to each moment of their mean.

Lau 2009 leaves the phase to the nearest neighbours (§10 says that they may miss it). Departs from the paper: takes are
aligned by dynamic time warping first, so that they can be averaged and combined moment by moment.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.numeric.curves import gaussian_filter1d
from freshtake.numeric.dtw import warp_path

ALIGNMENT = 0.05  # seconds by which warps are smoothed
PACE = 0.5  # seconds by which paces are smoothed: the body cannot speed up and slow down faster as a whole
ROUNDS = 4  # of warping onto the mean and averaging; the mean hardly changes after three
MOST_AVERAGED = 12  # takes that the mean is found from; the others are warped onto it once
LOBES = 4  # of the interpolating sinc, to either side
SLOWEST, FASTEST = 0.4, 2.5  # paces of a take relative to the mean


def representative(examples: Sequence[Floats] | Floats, most: int = MOST_AVERAGED) -> list[int]:
    """Return the numbers of examples that represent all where cost would grow with the square of their number.

    Args:
        examples: Rows (frames, DOFs) of every example.
        most: The largest number of examples to return.

    Returns:
        All numbers if there are few, else `most` of them spread evenly over the lengths, in increasing order.
    """
    if len(examples) <= most:
        return list(range(len(examples)))
    by_length = np.argsort([len(x) for x in examples], kind="stable")
    return sorted(by_length[np.linspace(0, len(examples) - 1, most).round().astype(np.intp)].tolist())


def common_phase(examples: Sequence[Floats], weights: Floats, frame_time: float) -> Floats:
    """Align takes to their mean and smooth their paces.

    Args:
        examples: Rows (frames, DOFs) of every take.
        weights: (DOFs,): how much one unit of each DOF counts.
        frame_time: Seconds from frame to frame.

    Returns:
        (phases, takes): the frame of each take at each phase, from its first frame to its last.
    """
    aligned = align(examples, weights, ALIGNMENT / frame_time)
    return steadied(aligned, [x * weights for x in examples], PACE / frame_time)


def align(examples: Sequence[Floats], weights: Floats, smooth: float) -> Floats:
    """Align examples by dynamic time warping onto their mean, which is as long as the examples are on average.

    Args:
        examples: Rows (frames, DOFs) of every example.
        weights: (DOFs,): how much one unit of each DOF counts.
        smooth: Standard deviation, in frames, by which the warps are smoothed.

    Returns:
        (phases, examples): the frame of each example at each phase.
    """
    lengths = [len(x) for x in examples]
    count = round(float(np.mean(lengths)))
    phase_frames = np.stack([np.linspace(0.0, n - 1.0, count) for n in lengths], axis=1)
    if len(examples) == 1:
        return phase_frames
    some = representative(examples)
    scaled = [examples[k] * weights for k in some]
    phase_frames = phase_frames[:, some]
    for _ in range(ROUNDS - 1):
        mean = _mean(scaled, phase_frames)
        phase_frames = np.stack([warp_onto(mean, x, smooth) for x in scaled], axis=1)
    mean = _mean(scaled, phase_frames)
    return np.stack([warp_onto(mean, x * weights, smooth) for x in examples], axis=1)


def _mean(examples: Sequence[Floats], phase_frames: Floats) -> Floats:
    return np.asarray(np.mean([read_at(x, phase_frames[:, k]) for k, x in enumerate(examples)], axis=0))


def warp_onto(mean: Floats, example: Floats, smooth: float) -> Floats:
    """Return where each row of the mean lies in the example: monotone, smooth, from its first frame to its last."""
    path, _ = warp_path(mean, example)
    count, last = len(mean), len(example) - 1.0
    place = np.bincount(path[:, 0], weights=path[:, 1], minlength=count) / np.bincount(path[:, 0], minlength=count)
    straight = np.linspace(0.0, last, count)
    bent = gaussian_filter1d(np.concatenate([-(place - straight)[:0:-1], place - straight]), smooth)[count - 1 :]
    bent -= bent[0]
    bent -= bent[-1] * np.linspace(0.0, 1.0, count)
    pace = last / max(count - 1, 1)
    steps = np.clip(np.diff(straight + bent), SLOWEST * pace, FASTEST * pace)
    return np.concatenate([[0.0], np.cumsum(steps) * (last / steps.sum())]) if count > 1 else place


def steadied(phase_frames: Floats, scaled: Sequence[Floats], frames: float) -> Floats:
    """Smooth the pace at which each example goes through the phase; examples last as long as before.

    Poses and places are read at the same frames, so that a take is still exactly itself on the common phase.

    Args:
        phase_frames: (phases, examples): the frame of each example at each phase.
        scaled: Weighted rows (frames, DOFs) of every example, which show where it moves.
        frames: Standard deviation of the smoothing.

    Returns:
        (phases, examples), like `phase_frames`.
    """
    pace = np.gradient(phase_frames, axis=0)
    rows = [gaussian_filter1d(x, frames / 3.0, axis=0, mode="nearest") for x in scaled]
    mean = _mean(rows, phase_frames)
    # phases that move most count most: while nothing moves, the warp is arbitrary
    moving = (np.gradient(mean, axis=0) ** 2).sum(axis=1)
    # a warp means little where nothing moves: such phases keep a weight of 0.02 only
    weight = (moving / max(float(moving.mean()), 1e-300) + 0.02)[:, None]
    above = gaussian_filter1d(weight * np.clip(pace, SLOWEST, FASTEST), frames, axis=0, mode="nearest")
    pace = above / gaussian_filter1d(weight, frames, axis=0, mode="nearest")
    steps = np.cumsum(0.5 * (pace[1:] + pace[:-1]), axis=0)
    return np.concatenate([np.zeros_like(steps[:1]), steps * (phase_frames[-1] / steps[-1])])


def read_at(rows: Floats, phase_frames: Floats) -> Floats:
    """Read rows at fractional frames by a cubic through the four nearest (Catmull-Rom); the ends are held."""
    phase_frames = np.clip(phase_frames, 0.0, len(rows) - 1.0)
    low = np.minimum(phase_frames.astype(np.intp), max(len(rows) - 2, 0))
    t = (phase_frames - low)[:, None]
    a, b = rows[np.maximum(low - 1, 0)], rows[low]
    c, d = rows[np.minimum(low + 1, len(rows) - 1)], rows[np.minimum(low + 2, len(rows) - 1)]
    out: Floats = b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
    return out


def read_sharply(rows: Floats, frames: Floats) -> Floats:
    """Read rows at fractional frames by a sinc over the eight nearest (Lanczos): a cubic smooths away quick movement.

    Beyond its ends a motion continues point-symmetrically, so that neither its speed nor its place jumps there.

    Args:
        rows: (rows, columns).
        frames: (frames,): where to read, from 0 to the last row.

    Returns:
        (frames, columns).
    """
    reach = min(LOBES, len(rows) - 1)
    before, after = 2.0 * rows[:1] - rows[reach:0:-1], 2.0 * rows[-1:] - rows[-2 : -reach - 2 : -1]
    padded = np.concatenate([before, rows, after])
    at = np.clip(frames, 0.0, len(rows) - 1.0) + reach
    low = np.floor(at).astype(np.intp)
    near = low[:, None] + np.arange(1 - LOBES, LOBES + 1)
    away = at[:, None] - near
    weights = np.sinc(away) * np.sinc(away / LOBES)
    weights /= weights.sum(axis=1, keepdims=True)
    return np.asarray(np.matmul(weights[:, None], padded[np.clip(near, 0, len(padded) - 1)])[:, 0])

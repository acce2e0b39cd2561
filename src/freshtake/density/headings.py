"""The way a body goes apart from the swing of its hips: travel in a smooth heading, so that jumps do not turn it.

A root's heading swings with every step. Jumps between moments of unequal swing would add up to a drift. So rates are
carried along a heading without the swing, and the swing is carried beside them, as part of the pose.
"""

from __future__ import annotations

import numpy as np

from freshtake.numeric.arrays import Floats

COLUMNS = 4  # forward, sideways, turn, swing
ENOUGH = 3.0  # periods of a run from which a mean over one period is taken; shorter ones are fitted as a whole


def smooth_rates(rates: Floats, frame_time: float, period: float) -> Floats:
    """Rates (frames, 3) in the root's own heading to rates in the smooth one, and the swing in radians: (frames, 4)."""
    if rates.shape[1] == 0:
        return rates
    steps = rates[:, 2] * frame_time
    heading = np.concatenate([[0.0], np.cumsum(steps[1:])])
    smooth = _smoothed(heading, period)
    swing = heading - smooth
    out = np.empty((len(rates), COLUMNS))
    travel = (rates[1:, 0] + 1j * rates[1:, 1]) * np.exp(1j * swing[:-1])
    out[1:, 0], out[1:, 1] = travel.real, travel.imag
    out[1:, 2] = np.diff(smooth) / frame_time
    out[:1, :3] = out[1:2, :3] if len(out) > 1 else rates[:1]
    out[:, 3] = swing
    return out


def own_rates(rates: Floats, frame_time: float, before: float | None = None) -> Floats:
    """The inverse: (frames, 3) in the root's own heading. `before` is the swing of the frame before the first."""
    if rates.shape[1] == 0:
        return rates
    swing = rates[:, 3]
    last = np.concatenate([[swing[0] if before is None else before], swing[:-1]])
    travel = (rates[:, 0] + 1j * rates[:, 1]) * np.exp(-1j * last)
    return np.stack([travel.real, travel.imag, rates[:, 2] + (swing - last) / frame_time], axis=1)


def _smoothed(heading: Floats, period: float) -> Floats:
    """Without what repeats with the cycle: the mean over a period, or a straight line beside a sine."""
    frames = len(heading)
    if frames >= ENOUGH * period:
        reach = max(round(period), 1)
        padded = np.pad(heading, reach, mode="reflect", reflect_type="odd")
        window = np.full(reach, 1.0 / reach)
        twice = np.convolve(np.convolve(padded, window), window)
        start = 2 * reach - 1
        return np.asarray(twice[start : start + frames])
    times = np.arange(frames, dtype=np.float64)
    turns = 2.0 * np.pi * times / period
    columns = [np.ones(frames), times, np.sin(turns), np.cos(turns), np.sin(2.0 * turns), np.cos(2.0 * turns)]
    basis = np.stack(columns if frames >= period else columns[:2], axis=1)
    found, *_ = np.linalg.lstsq(basis, heading, rcond=None)
    return np.asarray(basis[:, :2] @ found[:2])

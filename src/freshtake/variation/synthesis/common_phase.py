"""The common phase of the examples: where in each example every moment of their mean lies.

Lau 2009 leaves the phase to the nearest neighbours (§10 says that they may miss it). Departs from the paper: the
examples are laid on one another by dynamic time warping first, so that nodes may draw on several of them at one
phase, and so that a path that crosses itself cannot stall.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.numeric.dtw import warp_path
from freshtake.numeric.gaussian import gaussian_filter1d
from freshtake.variation.network.instances import representative

ALIGNMENT = 0.05  # seconds by which warps are smoothed
ROUNDS = 4
LOBES = 4  # of the sinc, to either side
SLOWEST, FASTEST = 0.4, 2.5  # of the mean's pace


def align(examples: Sequence[Floats], weights: Floats, smooth: float) -> Floats:
    """Places (phases, examples): the frame of each example at each phase, from its first frame to its last.

    Phases are frames of the mean, which is as long as the examples are on average. `smooth` is the standard
    deviation, in frames, by which the warps are smoothed. Of many examples a dozen that stand for all give the mean,
    so that every other one is warped once.
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
    """Where each row of the mean lies in the example: monotone, smooth, from the first frame to the last."""
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


def read_at(rows: Floats, phase_frames: Floats) -> Floats:
    """Rows at fractional frames, by a cubic through the four nearest (Catmull-Rom); the ends are held."""
    phase_frames = np.clip(phase_frames, 0.0, len(rows) - 1.0)
    low = np.minimum(phase_frames.astype(np.intp), max(len(rows) - 2, 0))
    t = (phase_frames - low)[:, None]
    a, b = rows[np.maximum(low - 1, 0)], rows[low]
    c, d = rows[np.minimum(low + 1, len(rows) - 1)], rows[np.minimum(low + 2, len(rows) - 1)]
    out: Floats = b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
    return out


def read_sharply(rows: Floats, phase_frames: Floats, cyclic: bool) -> Floats:
    """Rows at fractional frames by a sinc over the eight nearest (Lanczos): a cubic would smooth away quick movement.

    A cycle goes on with its beginning; otherwise the ends are held.
    """
    low = np.floor(phase_frames).astype(np.intp)
    near = low[:, None] + np.arange(1 - LOBES, LOBES + 1)
    away = phase_frames[:, None] - near
    weights = np.sinc(away) * np.sinc(away / LOBES)
    near = near % len(rows) if cyclic else np.clip(near, 0, len(rows) - 1)
    return np.asarray(np.einsum("fk,fkd->fd", weights / weights.sum(axis=1, keepdims=True), rows[near]))

"""Bridges: variants that pass through given values at given frames, by conditioning the deviations on them.

What varies is a Gaussian process over frames and DOFs: covariance of (i, t) and (j, s)

    size_i(t) size_j(s) C_ij k(t - s),

C from the learned edges (see dynamics), size from how far takes lie apart at that phase. A drawn variant x becomes
one that holds the pinned values y exactly (Matheron's rule): x + K_xp K_pp^-1 (y - x_p). DOFs that are not pinned
follow as the network relates them; far from the pins nothing changes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints

LOCAL = 0.2  # seconds: how far a pin is felt
WIDE = 0.8  # seconds, likewise, of the wider part
WIDE_SHARE = 0.4
JITTER = 1e-9


class PinnedValues(NamedTuple):
    """Values that a variant has to pass through."""

    frames: Ints  # (values,)
    dofs: Ints  # (values,)
    values: Floats  # (values,)


def nearness(frames_apart: Floats, frame_time: float) -> Floats:
    """k: how much frames that lie so far apart share."""
    seconds = frames_apart * frame_time
    local = np.exp(-0.5 * (seconds / LOCAL) ** 2)
    wide = np.exp(-0.5 * (seconds / WIDE) ** 2)
    return np.asarray((1.0 - WIDE_SHARE) * local + WIDE_SHARE * wide)


def bridged(rows: Floats, held: PinnedValues, sizes: Floats, correlation: Floats, frame_time: float) -> Floats:
    """Rows (frames, DOFs) that pass through the held values.

    `sizes` (frames, DOFs) are standard deviations, `correlation` (DOFs, DOFs) how DOFs deviate together; DOFs of size 0
    do not move.
    """
    if len(held.frames) == 0:
        return rows
    frames, dofs = held.frames, held.dofs
    size = sizes[frames, dofs]
    missing = (held.values - rows[frames, dofs]) / np.where(size > 0.0, size, 1.0) * (size > 0.0)
    between = (
        nearness(np.subtract.outer(frames, frames).astype(np.float64), frame_time) * correlation[np.ix_(dofs, dofs)]
    )
    pull = np.linalg.solve(between + JITTER * np.eye(len(frames)), missing)
    when, which = np.unique(frames, return_inverse=True)
    strength = np.zeros((len(when), correlation.shape[0]))
    np.add.at(strength, which, pull[:, None] * correlation[dofs])
    felt = nearness(np.subtract.outer(np.arange(float(len(rows))), when), frame_time)
    return np.asarray(rows + sizes * (felt @ strength))


def strain(rows: Floats, held: PinnedValues, sizes: Floats) -> float:
    """How many standard deviations held values lie from a drawn variant: root mean square, of the farthest frame.

    About 1.4 where both deviate as they usually do. The farthest single value would say little: of a hundred DOFs one
    always hardly varies at that phase.
    """
    size = sizes[held.frames, held.dofs]
    deviations = (held.values - rows[held.frames, held.dofs]) / np.maximum(size, 1e-12)
    return max(
        (float(np.sqrt((deviations[held.frames == t] ** 2).mean())) for t in np.unique(held.frames)), default=0.0
    )

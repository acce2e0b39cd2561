"""The examples as synthesis reads them: split into smooth part and detail, closed where they are cycles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.ndimage import gaussian_filter1d

from freshtake.numeric.arrays import Bools, Floats
from freshtake.variation.alignment import read_at
from freshtake.variation.kernels import Tables
from freshtake.variation.network import TransitionNetwork

SEAM = 0.16  # share of a cycle to either side of its seam over which the ends are brought together
SLOPE = 0.05  # share of a cycle over which the slopes at its ends are measured


def closed(example: Floats) -> Floats:
    """One cycle without its last frame, bent at the seam so that it meets its beginning in value and slope."""
    period = len(example) - 1
    reach = max(2, round(SEAM * period))
    gap = example[-1] - example[0]
    over = max(1, round(SLOPE * period))  # slopes over several frames: recorded ones are too noisy over one
    # second-order one-sided differences: first-order ones would take curvature for a kink
    leaving = (3.0 * example[-1] - 4.0 * example[-1 - over] + example[-1 - 2 * over]) / (2.0 * over)
    arriving = (-3.0 * example[0] + 4.0 * example[over] - example[2 * over]) / (2.0 * over)
    kink = leaving - arriving
    out = example[:period].copy()
    u = np.arange(reach) / reach
    ramp = (1.0 - u) ** 3 * (1.0 + 3.0 * u + 6.0 * u**2)  # 1 with flat ends, to 0 with flat ends
    hook = reach * (1.0 - u) ** 3 * u * (1.0 + 3.0 * u)  # slope 1 at 0, everything 0 at 1
    out[:reach] += 0.5 * (ramp[:, None] * gap + hook[:, None] * kink)
    later = np.arange(1, reach)
    out[period - later] += 0.5 * (-ramp[later][:, None] * gap + hook[later][:, None] * kink)
    return out


def synthesis_tables(
    examples: Sequence[Floats],
    places: Floats,
    weights: Floats,
    rates: Bools,
    spread: Floats,
    transition: TransitionNetwork,
    *,
    detail_frames: float,
    cyclic: bool,
) -> Tables:
    """All arrays of the inner loop."""
    rows = [closed(x) if cyclic else x for x in examples]
    low = [_smoothed(x, detail_frames, cyclic) for x in rows]
    slope = [_slope(x, cyclic) for x in low]
    counts = np.array([len(x) for x in rows], dtype=np.intp)
    parents = transition.parent_dofs()
    return Tables(
        np.ascontiguousarray(np.concatenate(low)),
        np.concatenate([x - y for x, y in zip(rows, low, strict=True)]),
        np.concatenate(slope),
        np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.intp),
        counts,
        np.ascontiguousarray(places),
        np.array([len(x) - 1.0 for x in examples]),
        np.ascontiguousarray(weights),
        rates.astype(np.intp),
        np.ascontiguousarray(spread),
        np.concatenate([[0], np.cumsum([len(p) for p in parents])]).astype(np.intp),
        np.array([p for own in parents for p in own], dtype=np.intp),
        cyclic,
    )


def _smoothed(x: Floats, frames: float, cyclic: bool) -> Floats:
    if frames <= 0:
        return x
    return gaussian_filter1d(x, frames, axis=0, mode="wrap" if cyclic else "nearest")


def _slope(x: Floats, cyclic: bool) -> Floats:
    if cyclic:
        return np.asarray((np.roll(x, -1, axis=0) - np.roll(x, 1, axis=0)) / 2.0)
    return np.gradient(x, axis=0) if len(x) > 1 else np.zeros_like(x)


def deviations(tables: Tables) -> Floats:
    """Smooth parts of the examples less their mean, (examples, phases, DOFs)."""
    parts = []
    for k, first in enumerate(tables.firsts):
        rows = tables.low[first : first + tables.counts[k]]
        if tables.cyclic:
            rows = np.concatenate([rows, rows[:1]])
        parts.append(read_at(rows, tables.places[:, k]))
    stack = np.stack(parts)
    return np.asarray(stack - stack.mean(axis=0))

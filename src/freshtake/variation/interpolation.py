"""Values between frames and between knots: how synthesis reads the examples and its smooth processes."""

from __future__ import annotations

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import kernel


@kernel
def spline_basis(t: float) -> tuple[float, float, float, float]:
    """Uniform cubic B-spline at t in [0, 1), scaled to unit variance when its knots are standard normal."""
    a = (1.0 - t) ** 3 / 6.0
    b = (3.0 * t**3 - 6.0 * t**2 + 4.0) / 6.0
    c = (-3.0 * t**3 + 3.0 * t**2 + 3.0 * t + 1.0) / 6.0
    d = t**3 / 6.0
    scale = 1.0 / np.sqrt(a * a + b * b + c * c + d * d)
    return a * scale, b * scale, c * scale, d * scale


@kernel
def smooth_values(knots: Floats, t: float, spacing: float, first: int, out: Floats) -> None:
    """Smooth processes (columns,) at time t from their knots (knots, columns)."""
    f = t / spacing
    k = int(f) - first
    w0, w1, w2, w3 = spline_basis(f - np.floor(f))
    a, b, c, d = knots[k], knots[k + 1], knots[k + 2], knots[k + 3]
    for i in range(out.shape[0]):
        out[i] = w0 * a[i] + w1 * b[i] + w2 * c[i] + w3 * d[i]


@kernel
def wrapped(place: float, count: int) -> float:
    """A place in a cycle, between 0 and count."""
    if place < 0.0 or place >= count:
        place -= np.floor(place / count) * count
        if place >= count:  # by rounding
            place = 0.0
    return place


@kernel
def four_frames(place: float, count: int, cyclic: bool) -> tuple[int, int, int, int, float]:
    """The frames round a fractional one, and its fraction; cyclic examples go round, others hold their ends."""
    place = wrapped(place, count) if cyclic else min(max(place, 0.0), count - 1.0)
    low = int(place)
    if 0 < low < count - 2:
        return low - 1, low, low + 1, low + 2, place - low
    if cyclic:
        return (low - 1 + count) % count, low, (low + 1) % count, (low + 2) % count, place - low
    low = min(low, max(count - 2, 0))
    return max(low - 1, 0), low, min(low + 1, count - 1), min(low + 2, count - 1), place - low


@kernel
def cubic(a: float, b: float, c: float, d: float, t: float) -> float:
    """Between b and c, by a cubic through four values (Catmull-Rom)."""
    return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))


@kernel
def read(flat: Floats, columns: int, first: int, count: int, place: float, column: int, cyclic: bool) -> float:
    """One column at a fractional frame of an example; `flat` are rows of `columns` values, one after the other."""
    i0, i1, i2, i3, t = four_frames(place, count, cyclic)
    return cubic(
        flat[(first + i0) * columns + column],
        flat[(first + i1) * columns + column],
        flat[(first + i2) * columns + column],
        flat[(first + i3) * columns + column],
        t,
    )


@kernel
def read_inside(flat: Floats, columns: int, first: int, place: float, column: int) -> float:
    """The same for places that have two frames to either side."""
    low = int(place)
    stride = np.uint64(columns)  # unsigned indices are never counted from the end
    a = np.uint64((first + low - 1) * columns + column)
    b = a + stride
    c = b + stride
    return cubic(flat[a], flat[b], flat[c], flat[c + stride], place - low)


@kernel
def read_nodes(
    flat: Floats, first: int, count: int, place: float, pace: float, leads: Floats, shifts: Floats, gain: float,
    cyclic: bool, out: Floats,
) -> None:  # fmt: skip
    """The smooth part of every node, each at its own place near the common one."""
    dofs = out.shape[0]
    nearest, farthest = np.inf, -np.inf
    for i in range(dofs):
        out[i] = place + pace * leads[i] + gain * shifts[i]
    for i in range(dofs):
        nearest, farthest = min(nearest, out[i]), max(farthest, out[i])
    if nearest >= 1.0 and farthest < count - 2.0:
        for i in range(dofs):
            out[i] = read_inside(flat, dofs, first, out[i], i)
    else:
        for i in range(dofs):
            out[i] = read(flat, dofs, first, count, out[i], i, cyclic)


@kernel
def add_row(
    rows: Floats, first: int, count: int, place: float, cyclic: bool, scale: float, rate_scale: float, rates: Ints,
    out: Floats,
) -> None:  # fmt: skip
    """Add all columns at one place to `out`, times `scale`, or `rate_scale` where they are speeds."""
    i0, i1, i2, i3, t = four_frames(place, count, cyclic)
    w0, w1 = 0.5 * t * (-1.0 + t * (2.0 - t)), 1.0 + 0.5 * t * t * (-5.0 + 3.0 * t)
    w2, w3 = 0.5 * t * (1.0 + t * (4.0 - 3.0 * t)), 0.5 * t * t * (t - 1.0)
    a, b, c, d = rows[first + i0], rows[first + i1], rows[first + i2], rows[first + i3]
    for i in range(out.shape[0]):
        out[i] += (scale + rates[i] * (rate_scale - scale)) * (w0 * a[i] + w1 * b[i] + w2 * c[i] + w3 * d[i])

"""The time warp (Hsu 2005, §3.2, eq. 2-3), its dynamic program and smooth curve; and the space warp (eq. 4)."""

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled
from freshtake.numeric.curves import gaussian_filter1d
from freshtake.numeric.smooth_path import solve_banded


class Stiffness(NamedTuple):
    """Weights of |Fa|² and |Gb|² (squared steps from frame to frame), and of a small pull toward a = 1, b = 0.

    Departs from the paper: eq. 1 has no pull, but without it a DOF that never moves would make eq. 4 singular.
    """

    scale: float = 100.0
    offset: float = 100.0
    pull: float = 1e-4


class SpaceWarp(NamedTuple):
    """U a + b: scale a and offset b, both (frames, DOFs)."""

    scale: Floats
    offset: Floats

    def apply(self, u: Floats) -> Floats:
        """Warp the first motion in space."""
        out: Floats = u * self.scale + self.offset
        return out


def no_space_warp(u: Floats) -> SpaceWarp:
    """Return a = 1, b = 0 (§3.3)."""
    return SpaceWarp(np.ones_like(u), np.zeros_like(u))


@compiled
def covered(y: Floats, repeats: Ints, slope: int) -> Floats:
    """Return Wᵀy: per frame of the first motion the sum over the rows of the lengthened y that it covers."""
    out = np.zeros((len(repeats), y.shape[1]))
    row = 0
    for i in range(len(repeats)):
        for _ in range(repeats[i]):
            frame, sums = y[row // slope], out[i]
            for d in range(len(sums)):
                sums[d] += frame[d]
            row += 1
    return out


def best_space_warp(u: Floats, y: Floats, repeats: Ints, slope: int, stiff: Stiffness) -> SpaceWarp:
    """Find the scale and offset that minimize E for a given time warp: banded normal equations (Hsu 2005, eq. 4).

    The unknowns are ordered a₀ b₀ a₁ b₁ ..., which makes the matrix pentadiagonal.
    """
    bands, right = _normal_equations(u, covered(y, repeats, slope), repeats, *stiff)
    both = solve_banded(bands, right).reshape(len(u), 2, u.shape[1])
    return SpaceWarp(both[:, 0].copy(), both[:, 1].copy())


@compiled
def _normal_equations(
    u: Floats, target: Floats, repeats: Ints, scale: float, offset: float, pull: float
) -> tuple[Floats, Floats]:
    """Return the lower bands (2 frames, 3, DOFs) of the matrix of eq. 4 and its right side (2 frames, DOFs)."""
    frames, dofs = u.shape
    bands, right = np.zeros((2 * frames, 3, dofs)), np.empty((2 * frames, dofs))
    for i in range(frames):
        sides = float((i > 0) + (i < frames - 1))  # neighbors in time
        weight, row = float(repeats[i]), 2 * i  # WᵀW
        for d in range(dofs):
            x = u[i, d]
            # A frame that is repeated w times counts w times, and its target is already the sum over those rows.
            bands[row, 0, d] = weight * x * x + scale * sides + pull
            bands[row + 1, 0, d] = weight + offset * sides + pull
            bands[row + 1, 1, d] = weight * x
            bands[row, 2, d] = -scale
            bands[row + 1, 2, d] = -offset
            right[row, d] = x * target[i, d] + pull
            right[row + 1, d] = target[i, d]
    return bands, right


def energy(u: Floats, y: Floats, repeats: Ints, slope: int, warp: SpaceWarp, stiff: Stiffness) -> float:
    """Return E(a, b, W), summed over the DOFs (Hsu 2005, eq. 1), with the small pull toward a = 1, b = 0."""
    return misfit(u, y, repeats, slope, warp) + roughness(warp, stiff)


def misfit(u: Floats, y: Floats, repeats: Ints, slope: int, warp: SpaceWarp) -> float:
    """Return |W(Ua + b) - y|² against the lengthened y."""
    return float(_squared(warp.apply(u), y, repeats, slope))


@compiled
def _squared(warped: Floats, y: Floats, repeats: Ints, slope: int) -> float:
    total = 0.0
    row = 0
    for i in range(len(repeats)):
        for _ in range(repeats[i]):
            j = row // slope
            for d in range(y.shape[1]):
                away = warped[i, d] - y[j, d]
                total += away * away
            row += 1
    return total


def roughness(warp: SpaceWarp, stiff: Stiffness) -> float:
    """Return |Fa|² + |Gb|², and the pull."""
    smooth = stiff.scale * _sum_of_squares(np.diff(warp.scale, axis=0))
    smooth += stiff.offset * _sum_of_squares(np.diff(warp.offset, axis=0))
    return smooth + stiff.pull * (_sum_of_squares(warp.scale - 1.0) + _sum_of_squares(warp.offset))


def _sum_of_squares(values: Floats) -> float:
    """Sum squares without the linear algebra library, whose threads cost more than the sum."""
    return float(np.square(values).sum())


def feasible(first: int, second: int, slope: int) -> bool:
    """Return whether a warp with slopes between 1/s and s leads from `first` frames to `second`."""
    return first <= second * slope <= first * slope * slope


def cheapest_repetitions(p: Floats, q: Floats, slope: int) -> Ints:
    """Find the repetition vector r (frames of p,) minimizing |R p - q|², with q lengthened s-fold (Hsu 2005, eq. 2-3).

    The cost c of the edit in eq. 2 is the squared norm of the frame difference, coupled over all DOFs (§3.3). Every r
    is in 1..s², and their sum is s times the frames of q. Ties go to the r closest to s, an unchanged pace.
    """
    # A frame is repeated 1 to k = s² times, against the s-fold lengthened other motion (§3.1).
    order = np.array(sorted(range(1, slope * slope + 1), key=lambda r: (abs(r - slope), r)), dtype=np.intp)
    return _repetitions(np.ascontiguousarray(p), np.ascontiguousarray(q.T), slope, order)


@compiled
def _covered(frame: int, frames: int, rows: int, least: int, most: int) -> tuple[int, int]:
    """Return the fewest and most rows of the lengthened q that can be covered before a frame of p."""
    return max(frame * least, rows - (frames - frame) * most), min(frame * most, rows - (frames - frame) * least)


@compiled
def _frame_costs(frame: Floats, others: Floats, first: int, out: Floats) -> None:
    """Write the squared norms of a frame (DOFs,) minus each of the others (DOFs, frames), beginning with `first`."""
    # Sum DOF by DOF over many frames, not frame by frame over DOFs: the inner loop is long and runs as a vector.
    out[:] = 0.0
    for d in range(len(frame)):
        x, row = frame[d], others[d, first : first + len(out)]
        for j in range(len(out)):
            away = x - row[j]
            out[j] += away * away


@compiled
def _least(total: Floats, other: Floats) -> None:
    """Set total = min(total, other), in place."""
    for j in range(len(total)):
        total[j] = min(total[j], other[j])


@compiled
def _repetitions(p: Floats, q: Floats, slope: int, order: Ints) -> Ints:
    """Search over (frame of p, rows of the lengthened q covered so far) by dynamic programming; q is (DOFs, frames)."""
    frames, rows = p.shape[0], q.shape[1] * slope
    least, most = order.min(), order.max()
    cost = np.empty(q.shape[1])
    total = np.full(rows + 1, np.inf)
    total[0] = 0.0
    summed = np.empty(rows + 1)  # cumulative cost up to each row, from the first row that this frame can cover
    before = np.full((frames, rows + 1), np.inf)  # total before the frame, minus the sum up to that row
    for i in range(frames):
        low, high = _covered(i, frames, rows, least, most)
        start, stop = _covered(i + 1, frames, rows, least, most)
        first, last = low // slope, (stop - 1) // slope + 1
        # The lengthened q repeats each frame s times, so each cost is computed once and summed s times.
        _frame_costs(p[i], q, first, cost[first:last])
        running = 0.0
        for frame in range(first, last):
            for row in range(max(frame * slope, low), min(frame * slope + slope, stop)):
                summed[row] = running
                running += cost[frame]
        summed[stop] = running
        # The cost of r repetitions is a difference of two running sums. As the earlier sum is subtracted here, the best
        # r is a minimum over shifted rows, without any sum over repetitions.
        before[i, low : high + 1] = total[low : high + 1] - summed[low : high + 1]
        total[start : stop + 1] = np.inf
        for r in order:
            left, right = max(start, low + r), min(stop, high + r) + 1
            if right > left:
                _least(total[left:right], before[i, left - r : right - r])
        total[start : stop + 1] += summed[start : stop + 1]
    return _backtrack(before, order)


@compiled
def _backtrack(before: Floats, order: Ints) -> Ints:
    """Follow the repetitions that led to the least total, from the last row back."""
    # `order` begins with an unchanged pace, and only a smaller total replaces it, so ties go to an even pace.
    frames, at = before.shape[0], before.shape[1] - 1
    out = np.empty(frames, dtype=np.intp)
    for i in range(frames - 1, -1, -1):
        best, chosen = np.inf, order[0]
        for r in order:
            if r <= at and before[i, at - r] < best:
                best, chosen = before[i, at - r], r
        out[i] = chosen
        at -= chosen
    return out


def differential(repeats: Ints, slope: int) -> Floats:
    """Return w = diag(WᵀW) / s: the duration of each frame of the first motion in frames of the second."""
    out: Floats = repeats / float(slope)
    return out


def smooth_warp(w: Floats, deviation: float) -> tuple[Floats, Floats]:
    """Return the curve (frames,) from frame 0 to the last frame, and its positive steps, smoothed by a bell curve.

    w takes few values, and the mean of its logarithm is biased (durations shrink by several percent), so models should
    learn the smooth steps. They sum to the frames of the second motion.
    """
    frames, rows = len(w), float(w.sum())
    if frames == 1:
        return np.zeros(1), w.copy()
    # Smooth the deviation from an even pace instead of w: it is 0 at both ends, so durations are preserved.
    pace = rows / frames
    bent = np.concatenate([[0.0], np.cumsum(w - pace)])  # at frame boundaries; zero at both ends
    steps = pace + np.diff(_bell(bent, deviation)) if deviation > 0.0 else w.copy()
    # Each frame lasts at least 0.01 frames, even if dynamic time warping does not advance.
    steps = np.maximum(steps, 0.01 * min(pace, 1.0))
    steps *= rows / steps.sum()
    # Frames are at the middle of their steps; stretch them so that the first and last frames of both motions meet.
    curve = np.cumsum(steps) - 0.5 * steps
    curve = (curve - curve[0]) * ((rows - 1.0) / (curve[-1] - curve[0]))
    curve[-1] = rows - 1.0
    return curve, steps


def _bell(bent: Floats, deviation: float) -> Floats:
    """Smooth by a Gaussian without moving the ends (odd continuation)."""
    count = len(bent)
    reach = min(count - 1, int(4.0 * deviation) + 1)
    longer = np.concatenate([-bent[reach:0:-1], bent, -bent[-2 : -reach - 2 : -1]])
    out: Floats = gaussian_filter1d(longer, deviation, mode="nearest")[reach : reach + count]
    return out


def read_rows(rows: Floats, at: Floats) -> Floats:
    """Read rows at fractional frames, by linear interpolation."""
    low = np.clip(at.astype(np.intp), 0, max(len(rows) - 2, 0))
    share = (at - low)[:, None]
    high = rows[np.minimum(low + 1, len(rows) - 1)]
    out: Floats = rows[low] + share * (high - rows[low])
    return out

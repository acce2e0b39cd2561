"""Densities: Gaussian kernels on every frame (Okwechime 2008, eq. 6-8), their sums, and kernels near a point.

Both are found by pruning. Kernels are sorted into compact blocks. A block is skipped when its nearest possible kernel,
times the number of kernels, weighs less than a given share of the best one found: all that is left out holds less than
that share of the mass.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.compiled import compiled

BLOCK = 16  # kernels


class Index(NamedTuple):
    """Places (kernels, 2 modes) in kernel widths, sorted into compact blocks, and the blocks' spheres."""

    places: Floats  # in the order of the blocks
    order: Ints  # (kernels,): which kernel a place belongs to
    starts: Ints  # (blocks + 1,)
    centers: Floats  # (blocks, 2 modes)
    radii: Floats  # (blocks,)
    owners: Ints  # (blocks,): the class
    allowed: Bools  # (kernels,), in the order of the blocks: may be jumped to


def block_index(places: Floats, owners: Ints, allowed: Bools) -> Index:
    """Blocks of at most BLOCK kernels of one class each, by halving along the widest direction."""
    leaves: list[Ints] = []
    for owner in range(int(owners.max()) + 1):
        stack = [np.flatnonzero(owners == owner)]
        while stack:
            inside = stack.pop()
            if len(inside) <= BLOCK:
                leaves += [np.sort(inside)] if len(inside) else []
                continue
            column = int(np.ptp(places[inside], axis=0).argmax())
            half = len(inside) // 2
            split = inside[np.argpartition(places[inside, column], half)]
            stack += [split[half:], split[:half]]
    order = np.concatenate(leaves)
    edges = np.cumsum([0, *map(len, leaves)])
    boxes = [(places[leaf].min(axis=0), places[leaf].max(axis=0)) for leaf in leaves]
    centers = np.array([0.5 * (low + high) for low, high in boxes])
    radii = np.array([np.sqrt(((places[x] - c) ** 2).sum(axis=1).max()) for x, c in zip(leaves, centers, strict=True)])
    whose = np.asarray(owners[order[edges[:-1]]], dtype=np.intp)
    return Index(np.ascontiguousarray(places[order]), order, edges, centers, radii, whose, allowed[order])


@compiled
def squared_distance(a: Floats, b: Floats) -> float:
    """Between two points."""
    total = 0.0
    for k in range(len(a)):
        apart = a[k] - b[k]
        total += apart * apart
    return total


@compiled
def near_kernels(
    index: Index, point: Floats, owner: int, skip_low: float, skip_high: float, found: Ints, squares: Floats
) -> int:
    """Kernels of one class whose squared distance from `point` is within reach of the least; how many there are.

    Numbers go to `found` and squared distances to `squares` (kernels,). Kernels from skip_low to skip_high are left
    out, and so are those that may not be jumped to; `owner` -1 stands for all classes.
    """
    blocks = len(index.radii)
    # Kernels farther than this from the nearest one hold less than a millionth of the mass, all of them together.
    reach = 2.0 * np.log(max(len(index.places), 1) / 1e-6)
    bounds = np.empty(blocks)
    first, least = -1, np.inf
    for block in range(blocks):
        bounds[block] = np.inf
        if owner >= 0 and index.owners[block] != owner:
            continue
        gap = np.sqrt(squared_distance(index.centers[block], point)) - index.radii[block]
        bounds[block] = gap * gap if gap > 0.0 else 0.0
        if bounds[block] < least:
            first, least = block, bounds[block]
    best, count = np.inf, 0
    for turn in range(blocks + 1):  # the most promising block first, so that the others can be skipped
        block = first if turn == 0 else turn - 1
        if block < 0 or (turn > 0 and block == first) or bounds[block] > best + reach:
            continue
        for i in range(index.starts[block], index.starts[block + 1]):
            if not index.allowed[i] or skip_low <= index.order[i] <= skip_high:
                continue
            square = squared_distance(index.places[i], point)
            if square <= best + reach:
                found[count], squares[count] = index.order[i], square
                count += 1
                best = min(best, square)
    kept = 0
    for c in range(count):
        if squares[c] <= best + reach:
            found[kept], squares[kept] = found[c], squares[c]
            kept += 1
    return kept


@compiled
def nearest_square(index: Index, point: Floats, owner: int) -> float:
    """The least squared distance to a kernel of a class that may be jumped to; inf where there is none."""
    blocks = len(index.radii)
    best = np.inf
    for block in range(blocks):
        if index.owners[block] != owner:
            continue
        gap = np.sqrt(squared_distance(index.centers[block], point)) - index.radii[block]
        if gap > 0.0 and gap * gap > best:
            continue
        for i in range(index.starts[block], index.starts[block + 1]):
            if index.allowed[i]:
                best = min(best, squared_distance(index.places[i], point))
    return best


@compiled
def drawn(squares: Floats, count: int, chance: float) -> int:
    """One of the kernels with probability proportional to exp(-square / 2), by a number between 0 and 1."""
    least = np.inf
    for c in range(count):
        least = min(least, squares[c])
    total = 0.0
    for c in range(count):
        total += np.exp(-0.5 * (squares[c] - least))
    goal = chance * total
    for c in range(count):
        goal -= np.exp(-0.5 * (squares[c] - least))
        if goal < 0.0:
            return c
    return count - 1


class Density(NamedTuple):
    """Gaussian kernels of one width on every frame, sorted into blocks that can be skipped."""

    lookup: Index  # places are divided by the widths
    widths: Floats
    log_norm: float  # of one kernel


def density(points: Floats, widths: Floats) -> Density:
    """Kernels on points (kernels, dimensions); neighbours in time make compact blocks, so keep the frames' order."""
    alone = np.zeros(len(points), dtype=np.intp)
    index = block_index(points / widths, alone, np.ones(len(points), dtype=np.bool_))
    norm = -float(np.log(widths).sum()) - 0.5 * len(widths) * float(np.log(2.0 * np.pi))
    return Density(index, np.asarray(widths, dtype=np.float64), norm)


def pose_widths(variances: Floats, alpha: float) -> Floats:
    """alpha sqrt(lambda_i) (modes,): Okwechime 2008, §4; a mode without variance gets a millionth of the first."""
    wide = np.sqrt(variances)
    return np.asarray(alpha * np.maximum(wide, 1e-6 * wide.max()))


def log_density(dense: Density, points: Floats) -> Floats:
    """log P (queries,) at points (queries, dimensions): Okwechime 2008, eq. 6.

    P(x) = (1/F) sum_i N(x; x_i, diag(widths^2))
    """
    out = np.empty(len(points))
    log_sums(dense.lookup, np.ascontiguousarray(points / dense.widths), out)
    return np.asarray(out + dense.log_norm - float(np.log(len(dense.lookup.places))))


@compiled
def log_sums(index: Index, points: Floats, out: Floats) -> None:
    """log sum_i exp(-square_i / 2) at points in kernel widths, leaving out blocks that together hold below 1e-12."""
    blocks = len(index.radii)
    # A sum is compared with others, a draw is not: here far kernels may hold no more than rounding does.
    reach = 2.0 * np.log(max(len(index.places), 1) / 1e-12)
    bounds = np.empty(blocks)
    for q in range(len(points)):
        first, least = 0, np.inf
        for block in range(blocks):
            gap = np.sqrt(squared_distance(index.centers[block], points[q])) - index.radii[block]
            bounds[block] = gap * gap if gap > 0.0 else 0.0
            if bounds[block] < least:
                first, least = block, bounds[block]
        best, total = np.inf, 0.0
        for turn in range(blocks + 1):  # the most promising block first
            block = first if turn == 0 else turn - 1
            if (turn > 0 and block == first) or bounds[block] > best + reach:
                continue
            for i in range(index.starts[block], index.starts[block + 1]):
                square = squared_distance(index.places[i], points[q])
                if square < best:
                    total = total * np.exp(-0.5 * (best - square)) + 1.0 if best < np.inf else 1.0
                    best = square
                else:
                    total += np.exp(-0.5 * (square - best))
        out[q] = np.log(total) - 0.5 * best


def velocities(weights: Floats) -> Floats:
    """dy_i/dt = y_(i+1) - y_i (frames, modes): Okwechime 2008, eq. 7; the last frame repeats the one before."""
    steps = np.diff(weights, axis=0)
    return np.concatenate([steps, steps[-1:]])


def arrivals(y: Floats) -> Floats:
    """The step that led to each frame (frames, modes), as a synthesis knows its own; that of the first leads on."""
    steps = velocities(y)
    return np.concatenate([steps[:1], steps[:-1]])


def motion_widths(variances: Floats, steps: Floats, alpha: float) -> Floats:
    """alpha (sqrt(lambda_1) .. sqrt(lambda_d), sigma_1 .. sigma_d) (2 modes,): Okwechime 2008, eq. 8.

    Departs from the paper: eq. 8 prints standard deviations where a covariance belongs. They are read as standard
    deviations of the kernels, which is what the text beside eq. 6 says of the pose density.
    """
    spread = steps.std(axis=0)
    return np.concatenate([pose_widths(variances, alpha), alpha * np.maximum(spread, 1e-6 * spread.max())])

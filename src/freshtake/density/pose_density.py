"""Kernel densities over all frames (Okwechime 2008, eq. 6-8), and LearnedKernels: all that is saved of a model.

Sums and near kernels are found by pruning. Kernels are sorted into compact blocks. A block is skipped if its nearest
possible kernel, times the number of kernels, weighs less than a given fraction of the best kernel so far. So all
skipped kernels together contain less than that fraction of the mass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from freshtake.density.class_weights import changes, schedule
from freshtake.density.settings import Settings
from freshtake.errors import UsageError
from freshtake.motion.features import Recipe
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.compiled import compiled
from freshtake.numeric.pca import Pca

if TYPE_CHECKING:
    from freshtake.density.even_jumps import JumpTable

BLOCK = 16  # kernels


class Index(NamedTuple):
    """Positions (kernels, 2 modes) in kernel widths, sorted into compact blocks, and the blocks' bounding spheres."""

    places: Floats  # (kernels, 2 modes), in the order of the blocks
    order: Ints  # (kernels,): which kernel a position belongs to
    starts: Ints  # (blocks + 1,)
    centers: Floats  # (blocks, 2 modes)
    radii: Floats  # (blocks,)
    owners: Ints  # (blocks,): the class
    allowed: Bools  # (kernels,), in the order of the blocks: may be jumped to


def block_index(places: Floats, owners: Ints, allowed: Bools) -> Index:
    """Return blocks of at most BLOCK kernels of one class each, by halving along the widest direction."""
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
    """Return the squared distance of two points."""
    total = 0.0
    for k in range(len(a)):
        apart = a[k] - b[k]
        total += apart * apart
    return total


@compiled
def bound_blocks(index: Index, point: Floats, owner: int, bounds: Floats) -> int:
    """Fill in the least possible squared distance (blocks,) from a point; return the most promising block.

    Blocks of other classes than `owner` are infinitely far; -1 means all classes.
    """
    first, least = -1, np.inf
    for block in range(len(index.radii)):
        bounds[block] = np.inf
        if owner >= 0 and index.owners[block] != owner:
            continue
        gap = np.sqrt(squared_distance(index.centers[block], point)) - index.radii[block]
        bounds[block] = gap * gap if gap > 0.0 else 0.0
        if bounds[block] < least:
            first, least = block, bounds[block]
    return first


@compiled
def near_kernels(
    index: Index, point: Floats, owner: int, skip_low: float, skip_high: float, near: Ints, squares: Floats
) -> int:
    """Find kernels of one class whose squared distance from `point` is near the least; return their number.

    Kernel numbers go to `near` and squared distances to `squares` (kernels,). Kernels from skip_low to skip_high are
    left out, as are those that may not be jumped to; `owner` -1 means all classes.
    """
    blocks = len(index.radii)
    # Together, kernels farther than this from the nearest kernel contain less than a millionth of the mass.
    reach = 2.0 * np.log(max(len(index.places), 1) / 1e-6)
    bounds = np.empty(blocks)
    first = bound_blocks(index, point, owner, bounds)
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
                near[count], squares[count] = index.order[i], square
                count += 1
                best = min(best, square)
    count_near = 0
    for c in range(count):
        if squares[c] <= best + reach:
            near[count_near], squares[count_near] = near[c], squares[c]
            count_near += 1
    return count_near


@compiled
def nearest_square(index: Index, point: Floats, owner: int) -> float:
    """Return the least squared distance to a kernel of a class that may be jumped to; inf if there is none."""
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
    """Draw one of the kernels with probability proportional to exp(-square / 2), using a number from 0 to 1."""
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
    """Gaussian kernels of equal width, one per frame, sorted into blocks that can be skipped."""

    lookup: Index  # positions are divided by the widths
    widths: Floats
    log_norm: float  # logarithm of the normalization of one kernel


def density(points: Floats, widths: Floats) -> Density:
    """Place kernels on points (kernels, dimensions), in temporal order, which makes blocks compact."""
    alone = np.zeros(len(points), dtype=np.intp)
    index = block_index(points / widths, alone, np.ones(len(points), dtype=np.bool_))
    norm = -float(np.log(widths).sum()) - 0.5 * len(widths) * float(np.log(2.0 * np.pi))
    return Density(index, np.asarray(widths, dtype=np.float64), norm)


def pose_widths(variances: Floats, alpha: float) -> Floats:
    """Return alpha sqrt(lambda_i) (modes,): Okwechime 2008, §4; a millionth of the first if there is no variance."""
    wide = np.sqrt(variances)
    return np.asarray(alpha * np.maximum(wide, 1e-6 * wide.max()))


def log_density(dense: Density, points: Floats) -> Floats:
    """Return log P (queries,) at points (queries, dimensions): Okwechime 2008, eq. 6.

    P(x) = (1/F) sum_i N(x; x_i, diag(widths^2))
    """
    out = np.empty(len(points))
    log_sums(dense.lookup, np.ascontiguousarray(points / dense.widths), out)
    return np.asarray(out + dense.log_norm - float(np.log(len(dense.lookup.places))))


@compiled
def log_sums(index: Index, points: Floats, out: Floats) -> None:
    """Fill in log sum_i exp(-square_i / 2) at points in kernel widths; skipped blocks are below 1e-12 of the sum."""
    blocks = len(index.radii)
    # Sums are compared with each other, unlike draws: skipped kernels may contribute no more than rounding error.
    reach = 2.0 * np.log(max(len(index.places), 1) / 1e-12)
    bounds = np.empty(blocks)
    for q in range(len(points)):
        first = bound_blocks(index, points[q], -1, bounds)
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
    """Return dy_i/dt = y_(i+1) - y_i (frames, modes): Okwechime 2008, eq. 7; the last velocity is repeated."""
    steps = np.diff(weights, axis=0)
    return np.concatenate([steps, steps[-1:]])


def arrivals(y: Floats) -> Floats:
    """Return the step that led to each frame (frames, modes); for the first frame, the step after it."""
    steps = velocities(y)
    return np.concatenate([steps[:1], steps[:-1]])


def motion_widths(variances: Floats, steps: Floats, alpha: float) -> Floats:
    """Return alpha (sqrt(lambda_1) .. sqrt(lambda_d), sigma_1 .. sigma_d) (2 modes,): Okwechime 2008, eq. 8.

    Departs from the paper: eq. 8 prints standard deviations where a covariance belongs. They are read as standard
    deviations of the kernels, as the text next to eq. 6 defines them for the pose density.
    """
    spread = steps.std(axis=0)
    return np.concatenate([pose_widths(variances, alpha), alpha * np.maximum(spread, 1e-6 * spread.max())])


@dataclass(frozen=True, eq=False, repr=False)
class LearnedKernels:
    """All learned parameters, as saved.

    `weights` (kernels, modes), `rates` (kernels, 0 or 4; see decoding) and `residuals` (kernels, DOFs or 0) are sorted
    by class, then by run, then by frame; `lengths` are the lengths of the runs by class.
    """

    settings: Settings
    classes: tuple[str, ...]
    names: tuple[str, ...]
    frame_time: float
    recipe: Recipe | None
    scale: Floats
    pca: Pca
    weights: Floats
    rates: Floats
    residuals: Floats
    lengths: tuple[tuple[int, ...], ...]
    allowed: Bools  # (kernels,): may be jumped to
    cyclic: tuple[bool, ...]
    limits: Floats  # (classes, 3): limits of jumps (second difference, distance); frames per cycle
    errors: tuple[float, ...]  # per class: error of the eigenspace in centimetres (arrays: in their unit)
    jumps: JumpTable
    notes: tuple[str, ...] = ()  # which frames were left out, and why
    periodic: tuple[bool, ...] = ()  # per class: whether it repeats in cycles and can be blended

    def __repr__(self) -> str:
        kernels = ", ".join(f"{name} {sum(runs)}" for name, runs in zip(self.classes, self.lengths, strict=True))
        return f"DensityModel({len(self.pca.modes)} modes, kernels: {kernels})"

    @property
    def modes(self) -> int:
        """The number of modes of the eigenspace."""
        return len(self.pca.modes)

    @cached_property
    def owners(self) -> Ints:
        """The class of every kernel, (kernels,)."""
        counts = [sum(runs) for runs in self.lengths]
        return np.repeat(np.arange(len(counts)), counts)

    @cached_property
    def run_stops(self) -> Ints:
        """One past the last kernel of every run."""
        return np.cumsum([length for runs in self.lengths for length in runs])

    def runs(self, name: str) -> list[Floats]:
        """Return the mode weights of one class, run by run."""
        if name not in self.classes:
            raise UsageError(f"there is no class {name!r}; the classes are {', '.join(self.classes)}")
        number, edges = self.classes.index(name), [0, *self.run_stops.tolist()]
        return [self.weights[a:b] for a, b in pairwise(edges) if self.owners[a] == number]

    @cached_property
    def speeds(self) -> Floats:
        """The velocities dy/dt (kernels, modes) of eq. 7, run by run."""
        return np.concatenate([velocities(run) for name in self.classes for run in self.runs(name)])

    @cached_property
    def widths(self) -> Floats:
        """The widths of the kernels in pose and motion, (2 modes,): eq. 8."""
        return motion_widths(self.pca.variances, self.speeds, self.settings.alpha)

    @cached_property
    def pose_densities(self) -> tuple[Density, ...]:
        """The density P(y) of every class: eq. 6."""
        widths = pose_widths(self.pca.variances, self.settings.alpha)
        return tuple(density(self.weights[self.owners == k], widths) for k in range(len(self.classes)))

    @cached_property
    def motion_densities(self) -> tuple[Density, ...]:
        """The density P(y, dy/dt) of every class: eq. 6 with the widths of eq. 8."""
        both = np.concatenate([self.weights, self.speeds], axis=1)
        return tuple(density(both[self.owners == k], self.widths) for k in range(len(self.classes)))

    def mixture(self, weights: Any = None) -> Floats:
        """Return constant class weights.

        Args:
            weights: a mapping, a single w for two classes, a text without arrows, an array (classes,), or None.

        Returns:
            Weights (classes,), summing to 1.
        """
        if isinstance(weights, str) and changes(weights):
            raise UsageError(f"{weights!r} changes over time: give the number of frames, or a function")
        if weights is not None and not isinstance(weights, str | Mapping):
            values = np.asarray(weights, dtype=np.float64)
            weights = values if values.ndim == 0 else values[None]
        mix: Floats = schedule(self.classes, weights, 1)[0]
        return mix

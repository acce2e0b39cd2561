"""The regressions that Lau 2009, §5.2, tried and gave up: linear, and a sum of radial basis functions.

They are here so that the choice of kernel regression can be measured. Nodes are Gaussian with one variance each, that
of the residuals.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled
from freshtake.variation.network.propagation import PackedParents, Pool, PredictedFrames, Predictor
from freshtake.variation.network.regression import FLOOR

LINEAR, RADIAL = 0, 1
KINDS = {"linear": LINEAR, "radial": RADIAL}
CENTERS = 24
RIDGES = (1e-9, 1e-3)  # of the mean square of a basis function
FAR = 1e3  # standard deviations after which a course that runs away is held


class Fit(NamedTuple):
    """One node: mean = coefficients . basis(parents)."""

    centers: Floats  # (centers, inputs), radial only
    width: float
    coefficients: Floats
    variance: float


@compiled
def basis(kind: int, inputs: Floats, centers: Floats, width: float, out: Floats) -> None:
    """1 and the inputs themselves, or 1 and exp(-|inputs - center|^2 / width^2) for every center."""
    out[0] = 1.0
    if kind == LINEAR:
        out[1 : len(inputs) + 1] = inputs
        return
    for m in range(centers.shape[0]):
        total = 0.0
        for p in range(inputs.shape[0]):
            difference = inputs[p] - centers[m, p]
            total += difference * difference
        out[m + 1] = np.exp(-total / (width * width))


@compiled
def fit(kind: int, inputs: Floats, targets: Floats, floor: float) -> Fit:
    """Least squares with a small ridge on instances (instances, inputs); centers are instances at equal steps."""
    count, size = inputs.shape
    few = min(CENTERS, count) if kind == RADIAL else 0
    centers, width = np.empty((few, size)), 1.0
    for m in range(few):
        centers[m] = inputs[(2 * m + 1) * count // (2 * few)]
    if few > 1:
        width = max(np.sqrt(((centers - centers.sum(axis=0) / few) ** 2).sum() / few), 1e-12)
    many = 1 + (few if kind == RADIAL else size)
    rows = np.empty((count, many))
    for c in range(count):
        basis(kind, inputs[c], centers, width, rows[c])
    normal = rows.T @ rows
    ridge = RIDGES[1] if kind == RADIAL else RIDGES[0]
    level = ridge * np.trace(normal) / many + 1e-300
    for m in range(1, many):
        normal[m, m] += level
    coefficients: Floats = np.linalg.solve(normal, rows.T @ targets).astype(np.float64)
    left = targets - rows @ coefficients
    return Fit(centers, width, coefficients, max((left * left).sum() / max(count - 1.0, 1.0), floor))


class Fits(NamedTuple):
    """All nodes of a transition network, padded."""

    kind: int
    centers: Floats  # (DOFs, centers, inputs)
    widths: Floats
    coefficients: Floats  # (DOFs, basis functions)
    variances: Floats


@compiled
def inputs_of(packed: PackedParents, i: int, pool: Pool, velocity_weight: float, kind: int) -> Floats:
    """Weighted parents of a node at every instance, and for radial functions its weighted velocity, as in §5.2."""
    first, last = packed.starts[i], packed.starts[i + 1]
    moving = kind == RADIAL and packed.order > 1 and velocity_weight > 0.0
    out = np.empty((pool.targets.shape[1], last - first + moving))
    for e in range(first, last):
        out[:, e - first] = pool.known[packed.parents[e]]
    if moving:
        out[:, last - first] = np.sqrt(velocity_weight) * pool.moving[i]
    return out


@compiled
def fit_all(kind: int, packed: PackedParents, pool: Pool, velocity_weight: float, floors: Floats) -> Fits:
    """Every node fitted to the instances of a pool."""
    dofs = pool.targets.shape[0]
    size = 2 + (packed.starts[1:] - packed.starts[:-1]).max()
    many = 1 + (CENTERS if kind == RADIAL else size)
    out = Fits(kind, np.zeros((dofs, CENTERS, size)), np.ones(dofs), np.zeros((dofs, many)), np.empty(dofs))
    for i in range(dofs):
        inputs = inputs_of(packed, i, pool, velocity_weight, kind)
        node_fit = fit(kind, inputs, pool.targets[i], floors[i])
        out.centers[i, : node_fit.centers.shape[0], : inputs.shape[1]] = node_fit.centers
        out.widths[i], out.variances[i] = node_fit.width, node_fit.variance
        out.coefficients[i, : len(node_fit.coefficients)] = node_fit.coefficients
    return out


@compiled
def propagate_fitted(predictor: Predictor, fits: Fits, out: PredictedFrames) -> int:
    """As `propagate`, with fitted functions; it ends where the nearest instance of all parents together is a last
    one."""
    packed, pool, weights, rule, mode, _ = predictor
    clip, noise, means, variances, values = out
    order, frames = packed.order, means.shape[0]
    dofs, count = pool.targets.shape
    squared, row = np.empty(count), np.empty(fits.coefficients.shape[1])
    inputs = np.empty(fits.centers.shape[2])
    values[:order] = clip[:order]
    middle, limit = np.empty(dofs), np.empty(dofs)
    for i in range(dofs):
        middle[i] = pool.absolute[i].mean()
        limit[i] = FAR * max(pool.absolute[i].std(), 1e-12)
    for f in range(frames):
        past = values[f : f + order] if mode.propagated else clip[f : f + order]
        for k in range(dofs):
            i = packed.sequence[k]
            size = packed.starts[i + 1] - packed.starts[i]
            for e in range(size):
                node = packed.parents[packed.starts[i] + e]
                dof, step = node % dofs, node // dofs
                x = values[order + f, dof] if mode.propagated else clip[order + f, dof]
                inputs[e] = weights[dof] * (past[step, dof] if step < order else x)
            if fits.kind == RADIAL and order > 1 and rule.velocity_weight > 0.0:
                moving = weights[i] * (past[order - 1, i] - past[order - 2, i])
                inputs[size] = np.sqrt(rule.velocity_weight) * moving
                size += 1
            basis(fits.kind, inputs[:size], fits.centers[i, :, :size], fits.widths[i], row)
            many = 1 + (fits.centers.shape[1] if fits.kind == RADIAL else size)
            mean = (row[:many] * fits.coefficients[i, :many]).sum() + (past[order - 1, i] if mode.delta else 0.0)
            means[f, i] = middle[i] + min(max(mean - middle[i], -limit[i]), limit[i])
            variances[f, i] = fits.variances[i]
            x = means[f, i] + (np.sqrt(variances[f, i]) * noise[f, i] if noise.shape[0] > 0 else 0.0)
            values[order + f, i] = x
        if mode.ends and pool.last[closest(packed, pool, weights, past, squared)] == 1:
            return f + 1
    return frames


@compiled
def closest(packed: PackedParents, pool: Pool, weights: Floats, past: Floats, squared: Floats) -> int:
    """The instance nearest by all known nodes that are anybody's parent."""
    dofs = pool.targets.shape[0]
    squared[:] = 0.0
    for m in range(packed.used.shape[0]):
        node = packed.used[m]
        x, known = weights[node % dofs] * past[node // dofs, node % dofs], pool.known[node]
        for c in range(squared.shape[0]):
            difference = x - known[c]
            squared[c] += difference * difference
    return int(squared.argmin())


@compiled
def draw_fitted(
    kind: int, columns: Floats, weights: Floats, order: Ints, starts: Ints, parents: Ints, noise: Floats
) -> Floats:
    """As `draw_nodes` of the prior network, with fitted functions of the parents (nodes, instances)."""
    nodes = columns.shape[0]
    values, row = np.zeros(nodes), np.empty(1 + max(CENTERS, nodes))
    for k in range(nodes):
        node = order[k]
        node_parents = parents[starts[node] : starts[node + 1]]
        chosen = kind if len(node_parents) > 0 else LINEAR
        inputs, x = np.empty((columns.shape[1], len(node_parents))), np.empty(len(node_parents))
        for p in range(len(node_parents)):
            inputs[:, p] = weights[node_parents[p]] * columns[node_parents[p]]
            x[p] = weights[node_parents[p]] * values[node_parents[p]]
        node_fit = fit(chosen, inputs, columns[node], FLOOR * max(columns[node].var(), 1e-30))
        basis(chosen, x, node_fit.centers, node_fit.width, row)
        many = len(node_fit.coefficients)
        values[node] = (row[:many] * node_fit.coefficients).sum() + np.sqrt(node_fit.variance) * noise[k]
    return values

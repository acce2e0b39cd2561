"""Which DOFs deviate together: a network on how takes differ from their mean, learned by leaving one take out.

The transition network says what the next frame depends on; what one take does differently from the others is another
matter. Here nodes are the DOFs' deviations at one phase (edges among the nodes of one frame, which Lau 2009 allows),
edges their strongest correlations, as many as predict a take that was left out best; all other pairs are independent
given the rest (a Gaussian graphical model).
"""

from __future__ import annotations

import numpy as np

from freshtake.numeric.arrays import Bools, Floats
from freshtake.variation.instances import representative

COUNTS = (0, 25, 50, 100, 200)  # edges that are tried
USUAL = 100  # edges where there are too few takes to leave one out
SHRINK = 0.7  # of correlations, which are measured on a few takes
LEAST = 0.3  # of a DOF's mean spread: how little it counts where takes agree
SWEEPS, CLOSE, ROUGH = 40, 1e-4, 3e-3  # of covariance selection
STRENGTH = 10.0  # of the ties between shares


def learn_ties(apart: Floats, free: Bools) -> Floats:
    """The precision (DOFs, DOFs) of deviations in units of their spread: 0 where there is no edge, 1 for lone nodes.

    `apart` (examples, phases, DOFs) are the examples less their mean; only DOFs that are `free` are tied.
    """
    values = apart[:, :, free]
    whole = np.eye(apart.shape[2])
    if len(apart) < 2 or values.shape[2] < 2:
        return whole
    found = correlations_of(values)
    edges = strongest(found, _best_count(values[representative(list(values))]) if len(apart) > 2 else USUAL)
    inverse = np.linalg.inv(covariance_selection(found, edges))
    whole[np.ix_(free, free)] = np.where(edges | np.eye(len(found), dtype=np.bool_), inverse, 0.0)
    return whole


def _best_count(values: Floats) -> int:
    """How many edges make a take most likely that was left out."""
    pairs = values.shape[2] * (values.shape[2] - 1) // 2
    counts = [count for count in COUNTS if count <= pairs]
    scores = np.zeros(len(counts))
    for number, own in enumerate(values):
        others = np.delete(values, number, axis=0)
        mean = others.mean(axis=0)
        found = correlations_of(others - mean)
        rows = scaled(own[None] - mean, spread_of(others - mean))
        scores += [likelihood(rows, covariance_selection(found, strongest(found, n), ROUGH)) for n in counts]
    return counts[int(np.argmax(scores))]


def spread_of(values: Floats) -> Floats:
    """Standard deviation (phases, DOFs) between examples, not below a share of its mean over phases."""
    spread = np.sqrt((values * values).sum(axis=0) / max(len(values) - 1, 1))
    return np.asarray(np.maximum(spread, LEAST * spread.mean(axis=0) + 1e-12))


def scaled(values: Floats, spread: Floats) -> Floats:
    """Deviations in units of their spread, as rows (examples * phases, DOFs)."""
    return np.asarray((values / spread).reshape(-1, values.shape[2]))


def correlations_of(values: Floats) -> Floats:
    """Correlations of deviations (examples, phases, DOFs) over examples and phases, 0 on the diagonal."""
    rows = scaled(values, spread_of(values))
    size = np.sqrt((rows * rows).sum(axis=0))
    rows = rows / np.where(size > 1e-12, size, 1.0)
    found = np.clip(rows.T @ rows, -1.0, 1.0)
    np.fill_diagonal(found, 0.0)
    return np.asarray(found)


def strongest(correlations: Floats, count: int) -> Bools:
    """The edges (DOFs, DOFs) of the so many largest correlations; ties go to the lower numbers."""
    rows, columns = np.triu_indices(len(correlations), 1)
    order = np.argsort(-np.abs(correlations[rows, columns]), kind="stable")[:count]
    edges = np.zeros(correlations.shape, dtype=np.bool_)
    edges[rows[order], columns[order]] = True
    return np.asarray(edges | edges.T)


def covariance_selection(correlations: Floats, edges: Bools, close: float = CLOSE) -> Floats:
    """The covariance (DOFs, DOFs) with these correlations, shrunk, on the edges and an inverse that is 0 elsewhere.

    Node after node is regressed on its neighbours until nothing changes (Hastie, Tibshirani, Friedman 2009, 17.3.1).
    """
    wanted = SHRINK * correlations
    out = wanted + np.eye(len(wanted))
    neighbors = [np.flatnonzero(row) for row in edges]
    for _ in range(SWEEPS):
        change = 0.0
        for node, near in enumerate(neighbors):
            if len(near) == 0 and not out[node, :node].any() and not out[node, node + 1 :].any():
                continue
            slopes = np.linalg.solve(out[np.ix_(near, near)], wanted[near, node])
            new = out[:, near] @ slopes
            new[node] = 1.0
            change = max(change, float(np.abs(new - out[node]).max()))
            out[node], out[:, node] = new, new
        if change < close:
            break
    return np.asarray(out)


def likelihood(rows: Floats, covariance: Floats) -> float:
    """Mean log density per DOF of rows under a covariance times the scale that suits them best, but for a constant."""
    _, logarithm = np.linalg.slogdet(covariance)
    square = float((rows * np.linalg.solve(covariance, rows.T).T).mean())
    return -0.5 * (float(logarithm) / len(covariance) + float(np.log(max(square, 1e-300))))


def correlations_from(precision: Floats) -> Floats:
    """The correlations (DOFs, DOFs) that a precision implies, unit diagonal."""
    covariance = np.linalg.inv(precision)
    size = np.sqrt(np.diag(covariance))
    return np.asarray(covariance / np.outer(size, size))


def tied_deviations(correlations: Floats, ties: float) -> Floats:
    """A matrix (DOFs, DOFs) that turns independent standard normals into deviations that belong together.

    Its square is ties * correlations + (1 - ties) * I.
    """
    values, vectors = np.linalg.eigh(ties * correlations + (1.0 - ties) * np.eye(len(correlations)))
    root = (vectors * np.sqrt(np.maximum(values, 1e-9))) @ vectors.T
    return np.asarray(root / np.sqrt((root * root).sum(axis=1, keepdims=True)))


def tied_shares(correlations: Floats, edges: Bools, ties: float) -> Floats:
    """The same for shares of the examples: nodes with an edge between them tend to draw on the same ones.

    p(z) ~ exp(-1/2 (|z|^2 + k sum_edges |r_ij| (z_i - z_j)^2)),  k = STRENGTH ties
    """
    strength = np.where(edges, np.abs(correlations), 0.0)
    laplacian = np.diag(strength.sum(axis=1)) - strength
    values, vectors = np.linalg.eigh(np.eye(len(strength)) + STRENGTH * ties * laplacian)
    root = (vectors / np.sqrt(values)) @ vectors.T
    return np.asarray(root / np.sqrt((root * root).sum(axis=1, keepdims=True)))


def shuffled(precision: Floats, rng: np.random.Generator) -> Floats:
    """The same network between random DOFs, for comparison: nodes that have edges change places."""
    used = np.flatnonzero((precision - np.diag(np.diag(precision))).any(axis=0))
    out = precision.copy()
    out[np.ix_(used, used)] = precision[np.ix_(*[rng.permutation(used)] * 2)]
    return out

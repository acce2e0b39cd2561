"""How the learned edges tie the nodes' shares: a Gaussian Markov random field on the network's graph."""

from __future__ import annotations

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.variation.network import Edges


def edge_correlations(parent_dofs: Edges, deviations: Floats) -> Floats:
    """Symmetric (DOFs, DOFs): how far DOFs with an edge between them deviate together, 0 where there is no edge.

    `deviations` (examples, phases, DOFs) are the examples less their mean; the correlation is over both.
    """
    count = len(parent_dofs)
    edge = np.zeros((count, count), dtype=np.bool_)
    for child, parents in enumerate(parent_dofs):
        edge[child, [p for p in parents if p != child]] = True
    edge |= edge.T
    flat = deviations.reshape(-1, count)
    size = np.sqrt((flat * flat).sum(axis=0))
    scaled = flat / np.where(size > 1e-12, size, 1.0)
    return np.where(edge, np.clip(scaled.T @ scaled, -1.0, 1.0), 0.0)


def tied_mixing(correlations: Floats, ties: float, *, signed: bool) -> Floats:
    """A matrix (DOFs, DOFs) that turns independent standard normals into tied ones of unit variance.

    p(z) ~ exp(-1/2 (|z|^2 + k sum_edges |r_ij| (z_i - s_ij z_j)^2)),  k = ties / (1 - ties)

    Shares are tied unsigned (s = 1): nodes with an edge between them tend to draw on the same examples. Deviations
    are tied with the sign of their correlation.
    """
    strength = np.abs(correlations)
    laplacian = np.diag(strength.sum(axis=1)) - (correlations if signed else strength)
    values, vectors = np.linalg.eigh(np.eye(len(strength)) + ties / (1.0 - ties) * laplacian)
    root = (vectors / np.sqrt(values)) @ vectors.T
    out: Floats = root / np.sqrt((root * root).sum(axis=1, keepdims=True))
    return out

"""Local principal components over clusters of frames (Sattler 2004, §4.1; Kambhatla and Leen 1997).

Each cluster of like frames has a mean and modes of its own. Modes of all clusters stand in one set, so that frames of
two clusters can be mixed: a frame has weights for the modes of its cluster and zeros for the others. Where a take goes
from one cluster to the next, both are mixed over some frames.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from freshtake.numeric import pca as principal
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.pca import Pca
from freshtake.texture.shape import Group, Shape, group_of, like_rows

FEATURES = 24  # modes by which frames are told apart
ROUNDS = 20  # in which frames may go to another cluster
MIXED = 4  # frames to either side over which one cluster turns into the next

Fit = Callable[[Floats], Pca]


class Local(NamedTuple):
    """A group whose modes are, cluster by cluster, the way from the common mean to the cluster's, then its own."""

    group: Group
    weights: Floats  # (frames, modes)


def memberships(columns: Floats, clusters: int, components: int) -> Floats:
    """(frames, clusters), rows summing to one: who restores each frame best, mixed where one cluster follows another.

    Clusters begin as frames of like poses; then, round after round, each frame goes to the cluster whose modes leave
    least of it (Kambhatla and Leen 1997).
    """
    features = principal.project(principal.fit(columns, count=min(FEATURES, *columns.shape)), columns)
    owner = np.zeros(len(columns), dtype=np.intp)
    for number, own in enumerate(like_rows(features, clusters)):
        owner[own] = number
    for _ in range(ROUNDS):
        left = np.stack([_left(features, owner == k, components) for k in range(int(owner.max()) + 1)], axis=1)
        before, owner = owner, left.argmin(axis=1)
        if np.array_equal(before, owner):
            break
    hard = (owner[:, None] == np.unique(owner)).astype(np.float64)
    window = np.ones(2 * MIXED + 1)
    soft = np.stack([np.convolve(part, window)[MIXED : MIXED + len(part)] for part in hard.T], axis=1)
    return np.asarray(soft / soft.sum(axis=1, keepdims=True))


def _left(features: Floats, mine: Bools, components: int) -> Floats:
    """What the modes of some frames leave of every frame (frames,), squared; infinite of none."""
    if not mine.any():
        return np.full(len(features), np.inf)
    found = principal.fit(features[mine], count=min(components, int(mine.sum()), features.shape[1]))
    made = principal.restore(found, principal.project(found, features))
    return np.asarray(np.square(features - made).sum(axis=1))


def local_group(whole: Group, columns: Floats, member: Floats, fit: Fit, bits: int) -> Local:
    """The modes of every cluster for the columns of a group, and the weights of all frames."""
    scales = whole.scales.astype(np.float64)
    values = columns[:, whole.columns] * scales
    mean, modes, counts = values.mean(axis=0), [], []
    for share in member.T:
        own = fit(values[share > 0.0])
        modes += [(own.mean - mean)[None], own.modes]
        counts.append(len(own.modes))
    stacked = np.concatenate(modes)
    group = group_of(whole.name, whole.columns, scales, Pca(mean, stacked, np.ones(len(stacked)), 1.0), bits)
    return Local(group, _weights(group, values, member, counts))


def _weights(group: Group, values: Floats, member: Floats, counts: list[int]) -> Floats:
    """The nearest that each cluster can make of its frames, by least squares, since stored modes are rounded."""
    scales = group.scales.astype(np.float64)
    modes, mean = group.modes.astype(np.float64) * scales, group.mean.astype(np.float64) * scales
    out, at = np.zeros((len(values), len(modes))), 0
    for share, count in zip(member.T, counts, strict=True):
        mine, own = share > 0.0, modes[at + 1 : at + 1 + count]
        away = values[mine] - mean - modes[at]
        out[mine, at] = share[mine]
        if count:
            found = np.linalg.lstsq(own.T, away.T, rcond=None)[0].T
            out[mine, at + 1 : at + 1 + count] = share[mine, None] * found
        at += 1 + count
    return out


def local_shape(shape: Shape, columns: Floats, clusters: int, fit: Fit, bits: int) -> tuple[Shape, Floats]:
    """A shape with modes per cluster of frames instead of its own, and the weights (frames, width)."""
    first = shape.groups[0]
    member = memberships(columns[:, first.columns], clusters, max(first.components, 1))
    found = [local_group(group, columns, member, fit, bits) for group in shape.groups]
    return Shape(tuple(local.group for local in found)), np.concatenate([local.weights for local in found], axis=1)

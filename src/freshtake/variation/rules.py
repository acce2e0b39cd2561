"""k, kernel width and velocity weight, chosen from the data by cross-validation unless they are given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freshtake.variation.joint_scores import Mapper
from freshtake.variation.node_scores import TransitionData, TransitionNode
from freshtake.variation.regression import Regression
from freshtake.variation.settings import Settings

NEIGHBORS = (15, 30)
VELOCITY_WEIGHTS = (0.0, 1.0, 4.0)
WIDTHS = (0.15, 0.3, 0.6)  # K_W^2 as a share of the k-th squared distance
LITERAL_WIDTHS = (0.25, 0.5, 1.0, 2.0)  # K_W as a share of the usual distance to the k-th instance
WIDTH = 0.3  # before the choice
TRIED = 12  # DOFs that are predicted for the choice
SHARED = 6  # DOFs that predict them, besides themselves


def largest_movers(data: TransitionData) -> list[int]:
    """The DOFs by how far they move the body, farthest first."""
    moving = data.columns.std(axis=1) * data.weights
    return [int(k) for k in np.argsort(-moving, kind="stable")]


def choose_rule(data: TransitionData, settings: Settings, mapper: Mapper = map) -> Regression:
    """First k and the velocity weight, then the width, by the held-out error of the largest movers given each other.

    In the paper's method K_W is one fixed length for all nodes and frames; in the default it follows the distance of
    the k-th instance.
    """
    neighbors = NEIGHBORS if settings.neighbors is None else (settings.neighbors,)
    velocities = VELOCITY_WEIGHTS if settings.velocity_weight is None else (settings.velocity_weight,)
    best = _best(data, settings, mapper, [Regression(k, WIDTH, True, v) for k in neighbors for v in velocities])
    if settings.kernel_width is not None:
        return best._replace(width=settings.kernel_width, adaptive=settings.is_adaptive)
    if settings.is_adaptive:
        return _best(data, settings, mapper, [best._replace(width=w) for w in WIDTHS])
    usual = _usual_distance(data, best.neighbors)
    return _best(data, settings, mapper, [best._replace(width=w * usual, adaptive=False) for w in LITERAL_WIDTHS])


def _best(data: TransitionData, settings: Settings, mapper: Mapper, rules: Sequence[Regression]) -> Regression:
    if len(rules) == 1:
        return rules[0]
    movers = largest_movers(data)

    def total(rule: Regression) -> float:
        out = 0.0
        for i in movers[:TRIED]:
            node = TransitionNode(i, data, rule, deltas=settings.deltas, propagate=settings.propagate, calibrated=True)
            out += node.score(frozenset(movers[:SHARED]) - {i})
        return out

    return rules[int(np.argmax(list(mapper(total, rules))))]


def _usual_distance(data: TransitionData, neighbors: int) -> float:
    """The median over instances of the distance to the k-th instance of another example, by the largest movers."""
    movers = largest_movers(data)[:SHARED]
    known = data.instances
    slices = [known.rows[known.queries - s][:, movers] * data.weights[movers] for s in range(known.order)]
    x = np.concatenate(slices, axis=1)
    found = []
    for row, clip in zip(x, known.clips, strict=True):
        squared = ((x[known.clips != clip] - row) ** 2).sum(axis=1)
        k = min(neighbors, len(squared)) - 1
        found.append(np.sqrt(np.partition(squared, k)[k]))
    return max(float(np.median(found)), 1e-12)

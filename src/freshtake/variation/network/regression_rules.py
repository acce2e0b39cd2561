"""k, kernel width and velocity weight, chosen from the data by cross-validation unless they are given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.variation.network.joint_scores import JointScores, Mapper, run
from freshtake.variation.network.networks import Edges
from freshtake.variation.network.node_scores import TransitionData, TransitionNode
from freshtake.variation.network.propagation import pack_parents
from freshtake.variation.network.regression import Regression
from freshtake.variation.settings import Settings
from freshtake.variation.synthesis.kernel_method import BLOCK, noise_blocks

NEIGHBORS = (15, 30)
VELOCITY_WEIGHTS = (0.0, 1.0, 4.0)
WIDTHS = (0.15, 0.3, 0.6)  # K_W^2 as a share of the k-th squared distance
LITERAL_WIDTHS = (0.25, 0.5, 1.0, 2.0)  # K_W as a share of the usual distance to the k-th instance
NARROWER = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0, 2.0)  # times the width that the structure was searched with
DRAWS = 3  # of every take, for the last choice of K_W
WIDTH = 0.3  # before the choice
TRIED = 12  # DOFs that are predicted for the choice
SHARED = 6  # DOFs that predict them, besides themselves


def largest_movers(data: TransitionData) -> list[int]:
    """The DOFs by how far they move the body, farthest first."""
    moving = data.columns.std(axis=1) * data.weights
    return [int(k) for k in np.argsort(-moving, kind="stable")]


def choose_rule(data: TransitionData, settings: Settings, mapper: Mapper = map) -> Regression:
    """First k and the velocity weight, then the width, by the held-out error of the largest movers given each other.

    A fixed K_W is one length for all nodes and frames; the structure is searched with it, and then it is chosen once
    more (see choose_width). An adaptive one follows the distance of the k-th instance.
    """
    neighbors = NEIGHBORS if settings.neighbors is None else (settings.neighbors,)
    velocities = VELOCITY_WEIGHTS if settings.velocity_weight is None else (settings.velocity_weight,)
    best = _best(data, settings, mapper, [Regression(k, WIDTH, True, v) for k in neighbors for v in velocities])
    if settings.kernel_width is not None:
        return best._replace(width=settings.kernel_width, adaptive=settings.chosen("adaptive"))
    if settings.chosen("adaptive"):
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
    distances = []
    for row, clip in zip(x, known.clips, strict=True):
        squared = ((x[known.clips != clip] - row) ** 2).sum(axis=1)
        k = min(neighbors, len(squared)) - 1
        distances.append(np.sqrt(np.partition(squared, k)[k]))
    return max(float(np.median(distances)), 1e-12)


def resynthesis_errors(joint: JointScores, edges: Edges, rule: Regression, noise: Sequence[Floats]) -> Floats:
    """(takes * draws,): how far takes that are re-synthesised by the others stay from the recorded ones.

    Every take goes on from its first frames, is predicted by the other takes, and noise is drawn as in synthesis (Lau
    2009, §6). Distances are after time warping, as shares of the take's extent: a take that stands still, ends too
    soon or leaves the range of the recorded one is far from it.
    """
    edges_of = pack_parents(edges, joint.instances.order)
    way = joint.way._replace(rule=rule, mode=joint.way.mode._replace(propagated=True))

    def errors(k: int) -> list[float]:
        clip, pool = joint.clips[k], joint.pools[k]
        frames = len(clip) - joint.instances.order
        paths = [run(edges_of, pool, joint.weights, way, joint.floors, clip, drawn[:frames]).values for drawn in noise]
        return [joint.distance(values, k) for values in paths]

    return np.concatenate(list(joint.mapper(errors, range(len(joint.clips)))))


def choose_width(
    joint: JointScores, edges: Edges, rule: Regression, smooth_frames: float, rng: np.random.Generator
) -> Regression:
    """One fixed K_W: the widest with which whole takes are re-synthesised as well as they can be.

    The paper does not say how it chose K_W. Predictions alone (no noise) would make it wide, and noise, which grows
    with it, then carries variants away; the least error alone would make it so narrow that variants copy single
    instances. So: the widest whose mean error lies within a standard error of the least one.
    """
    longest, dofs = max(len(x) for x in joint.clips), joint.clips[0].shape[1]
    blocks = [noise_blocks(rng, dofs, smooth_frames) for _ in range(DRAWS)]
    noise = [np.concatenate([next(drawn) for _ in range(-(-longest // BLOCK))]) for drawn in blocks]
    tried = [rule._replace(width=share * rule.width) for share in NARROWER]
    errors = np.array([resynthesis_errors(joint, edges, each, noise) for each in tried])
    means = errors.mean(axis=1)
    best = errors[int(np.argmin(means))]
    limit = best.mean() + best.std() / np.sqrt(len(best))
    return tried[int(np.flatnonzero(means <= limit)[-1])]

"""The score of a whole transition network, all nodes propagated together (Lau 2009, eq. 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.dtw import distance
from freshtake.variation.network.instances import TransitionInstances
from freshtake.variation.network.networks import Edges
from freshtake.variation.network.propagation import (
    PackedParents,
    Pool,
    PredictionMode,
    Predictor,
    floors_of,
    pack_parents,
    pool_of,
    predicted_frames,
    propagate,
)
from freshtake.variation.network.regression import Regression, log_densities
from freshtake.variation.settings import Settings

Mapper = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]


class Outcome(NamedTuple):
    """One example as the others predict it: Gaussians of all its frames but the first, and the way it went."""

    means: Floats  # (frames - order, DOFs)
    variances: Floats
    values: Floats  # (frames, DOFs)


class Way(NamedTuple):
    """What decides how nodes are predicted."""

    rule: Regression
    mode: PredictionMode
    regression: str  # kernel, linear or radial
    calibrated: bool = False  # scores go by the variance of the errors, not by that of eq. 6


def way_of(rule: Regression, settings: Settings, *, pull: float = 0.0) -> Way:
    """As the settings say."""
    return Way(
        rule, PredictionMode(settings.deltas, settings.propagate, pull, False), settings.regression, settings.calibrated
    )


def run(
    packed: PackedParents, pool: Pool, weights: Floats, way: Way, floors: Floats, clip: Floats, noise: Floats
) -> Outcome:
    """Propagate a network along a clip; with `ends` in the mode it may be shorter."""
    predictor = Predictor(packed, pool, weights, way.rule, way.mode, floors)
    out = predicted_frames(clip, noise, packed.order)
    if way.regression == "kernel":
        count = propagate(predictor, out)
    else:
        from freshtake.variation.network.parametric import KINDS, fit_all, propagate_fitted

        fits = fit_all(KINDS[way.regression], packed, pool, way.rule.velocity_weight, floors)
        count = propagate_fitted(predictor, fits, out)
    return Outcome(out.means[:count], out.variances[:count], out.values[: packed.order + count])


class JointScores:
    """Each example predicted from its first frames by the others; examples run side by side in `mapper`."""

    def __init__(self, instances: TransitionInstances, weights: Floats, way: Way, mapper: Mapper = map) -> None:
        self.instances, self.weights, self.way, self.mapper = instances, weights, way, mapper
        self.floors = floors_of(instances.rows)
        numbers: Ints = np.arange(len(instances.lengths))
        delta = way.mode.delta
        self.pools = [pool_of(instances, weights, np.flatnonzero(instances.clips != k), delta=delta) for k in numbers]
        ends = instances.firsts + instances.lengths
        self.clips = [instances.rows[a:b] for a, b in zip(instances.firsts, ends, strict=True)]

    def outcome(self, packed: PackedParents, k: int) -> Outcome:
        """One example, predicted by the others."""
        return run(packed, self.pools[k], self.weights, self.way, self.floors, self.clips[k], np.empty((0, 0)))

    def outcomes(self, edges: Edges) -> list[Outcome]:
        """Every example, predicted by the others."""
        packed = pack_parents(edges, self.instances.order)
        return list(self.mapper(lambda k: self.outcome(packed, k), range(len(self.clips))))

    def node_scores(self, outcomes: list[Outcome]) -> Floats:
        """(DOFs,): sum over examples and frames of log P(X_i[j] | parents), whose sum is eq. 4.

        Departs from the paper when calibrated: a node's variance is that of its errors (see scores.recalibrated). By
        the variances of eq. 6, a network whose predictions have left the data altogether can score better than one
        that is a little late.
        """
        both = [(x[self.instances.order :], outcome) for x, outcome in zip(self.clips, outcomes, strict=True)]
        if self.way.calibrated:
            squares = np.concatenate([x - outcome.means for x, outcome in both]) ** 2
            variances = np.maximum(squares.mean(axis=0), self.floors)
            total = -0.5 * len(squares) * (np.log(2.0 * np.pi * variances) + 1.0)
        else:
            total = np.zeros(len(self.floors))
            for x, outcome in both:
                total += log_densities(x, outcome.means, outcome.variances).sum(axis=0)
        return np.where(np.isfinite(total), total, -np.inf)

    def score(self, edges: Edges) -> float:
        """The sum over nodes, every one predicted from predictions (Lau 2009, eq. 4)."""
        return float(self.node_scores(self.outcomes(edges)).sum())

    def errors(self, edges: Edges) -> Floats:
        """(examples,): distance of what is predicted from the example after time warping, against its own extent."""
        return np.array(list(self.mapper(lambda k: self.error(edges, k), range(len(self.clips)))))

    def error(self, edges: Edges, k: int) -> float:
        """The distance of one example from what the others predict of it, against its own extent."""
        return self.distance(self.outcome(pack_parents(edges, self.instances.order), k).values, k)

    def distance(self, values: Floats, k: int) -> float:
        """Distance of any rows from example k after time warping, as a share of its extent."""
        clip = self.clips[k]
        extent = np.sqrt((((clip - clip.mean(axis=0)) * self.weights) ** 2).sum(axis=1).mean())
        return distance(values * self.weights, clip * self.weights) / max(float(extent), 1e-300)

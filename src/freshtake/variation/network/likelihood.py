"""How likely a clip is under both networks (Lau 2009, eq. 2-6), per frame and per node."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats, Ints
from freshtake.variation.network.instances import PriorInstances, prior_instances, transition_instances
from freshtake.variation.network.joint_scores import Way, run
from freshtake.variation.network.networks import PriorNetwork
from freshtake.variation.network.propagation import PredictionMode, floors_of, packed_parents, pool_of
from freshtake.variation.network.regression import Regression, gaussian, log_densities

if TYPE_CHECKING:
    from freshtake.variation.model import VariationModel

LEAST = 0.01  # of a DOF's standard deviation: no prediction is trusted to be closer
LEAST_FIRST = 0.1  # the same for the first frame, of which there are only as many as clips: they may agree by chance


@dataclass(frozen=True, eq=False)
class Likelihood:
    """Log densities of every node at every frame of a clip, each given its parents.

    Frames 0 and 1 are the prior network's, all others the transition network's. A network of another order than 2
    has its first frames from the prior network as well, and the frames in between, if any, hold 0.
    """

    frames: Floats  # (frames, DOFs): log density of every node
    dofs: tuple[str, ...]

    def __float__(self) -> float:
        return self.total

    @property
    def total(self) -> float:
        """log P(X[0..T]) = log P_prior(X[0], X[1]) + sum_t log P_trans(X[t+2] | X[t], X[t+1])   (Lau 2009, eq. 2)."""
        return float(self.frames.sum())

    @property
    def normalized(self) -> float:
        """The total per frame and node: what clips of different lengths are compared by."""
        return float(self.frames.mean())

    @property
    def per_frame(self) -> Floats:
        """(frames,): mean over nodes."""
        out: Floats = self.frames.mean(axis=1)
        return out


class LikelihoodScorer:
    """Scores clips under a model's networks; made once, because variances are recalibrated on the examples first.

    Departs from the paper: the variances of eq. 6 know nothing of how far takes differ in phase, and are far too
    small. Every node's are multiplied by the mean over frames of squared error over variance when an example is
    predicted by the others. Densities are of weighted DOFs (each measured by how far it moves the body, in units of
    the mean extent of all), so that units do not matter. With one example there are no others: variances stay.

    By default every frame is predicted from the frames before it. When `propagated`, predictions are fed back as in
    eq. 4: that tells far more about whether a clip is of the same movement, and less about single frames.
    """

    def __init__(self, model: VariationModel, *, propagated: bool = False) -> None:
        self.model, self.propagated = model, propagated
        self.instances = transition_instances(model.material.values, model.settings.order)
        settings = model.settings
        self.delta: bool = settings.chosen("prior_deltas")
        self.starts = prior_instances(model.material.values, settings.prior_pairs, delta=self.delta)
        pull = settings.chosen("pull") if propagated else 0.0
        self.way = Way(model.rule, PredictionMode(settings.deltas, propagated, pull, False), "kernel")
        rows = self.instances.rows
        deviation = np.maximum(rows.std(axis=0), 1e-12)
        self.floors: Floats = np.maximum(floors_of(rows), (LEAST * deviation) ** 2)
        first = np.maximum(self.floors, (LEAST_FIRST * deviation) ** 2)
        self.start_floors: Floats = np.concatenate([first, self.floors if self.delta else first])
        scaled = model.material.weights * deviation
        self.unit = float(np.sqrt((scaled * scaled).mean())) / model.material.weights

    @cached_property
    def factors(self) -> tuple[Floats, Floats]:
        """By how much the variances of the prior's nodes and of the transition's are too small, at least 1.

        The median over examples, so that one that is unlike the others does not excuse itself.
        """
        values = self.model.material.values
        if len(values) < 2:
            return np.ones(2 * len(self.unit)), np.ones(len(self.unit))
        starts, rest = zip(*[self._ratios(x, k) for k, x in enumerate(values)], strict=True)
        return np.maximum(np.median(starts, axis=0), 1.0), np.maximum(np.median(rest, axis=0), 1.0)

    def _ratios(self, clip: Floats, left: int) -> tuple[Floats, Floats]:
        """Squared error over variance of one example by the others: (2 DOFs,), and (DOFs,) as means over frames."""
        (m, v, x), (means, variances) = self._start(clip, left), self._rest(clip, left)
        gap = clip[self.instances.order :] - means
        return (x - m) ** 2 / v, (gap * gap / variances).mean(axis=0)

    def _start(self, clip: Floats, left: int | None) -> tuple[Floats, Floats, Floats]:
        """Means, variances and values of the prior network's nodes."""
        values = np.concatenate([clip[0], clip[1] - clip[0] if self.delta else clip[1]])
        use = self.starts.clips != (-1 if left is None else left)
        chosen = PriorInstances(self.starts.values[use], self.starts.clips[use])
        model, floors = self.model, self.start_floors
        return (*prior_gaussians(model.prior, chosen, model.material.weights, model.prior_rule, values, floors), values)

    def _rest(self, clip: Floats, left: int | None) -> tuple[Floats, Floats]:
        use: Ints = np.flatnonzero(self.instances.clips != (-1 if left is None else left))
        pool = pool_of(self.instances, self.model.material.weights, use, delta=self.way.mode.delta)
        edges = packed_parents(self.model.transition)
        outcome = run(edges, pool, self.model.material.weights, self.way, self.floors, clip, np.empty((0, 0)))
        return outcome.means, outcome.variances

    def score(self, rows: Floats, *, left: int | None = None) -> Likelihood:
        """Of a clip as rows of the model's DOFs; `left` leaves one of the examples out of what is known."""
        order, dofs = self.instances.order, self.model.dofs
        if len(rows) <= max(order, 2):
            raise UsageError(f"the clip has {len(rows)} frames, but scoring needs at least {max(order, 2) + 1}")
        mean, variance, values = self._start(rows, left)
        means, variances = self._rest(rows, left)
        prior, transition = self.factors
        out = np.zeros(rows.shape)
        both = np.concatenate([self.unit, self.unit])
        out[:2] = log_densities(values, mean, variance * prior, both).reshape(2, -1)
        later = log_densities(rows[order:], means, variances * transition, self.unit)
        out[max(order, 2) :] = later[max(2 - order, 0) :]
        return Likelihood(out, dofs)


def prior_gaussians(
    network: PriorNetwork, instances: PriorInstances, weights: Floats, rule: Regression, values: Floats, floors: Floats
) -> tuple[Floats, Floats]:
    """Mean and variance of every node given its parents' values, no variance below its floor."""
    both = np.concatenate([weights, weights])
    x = instances.values
    means, variances = x.mean(axis=0), x.var(axis=0) * len(x) / max(len(x) - 1, 1)
    for node, parents in enumerate(network.edges):
        if parents:
            listed = list(parents)
            squared = (((x[:, listed] - values[listed]) * both[listed]) ** 2).sum(axis=1)
            targets = np.ascontiguousarray(x[:, node])
            means[node], variances[node] = gaussian(squared, targets, len(x), rule, floors[node], np.empty(len(x)))
    return means, np.maximum(variances, floors)


def examples_by_others(model: VariationModel) -> list[Likelihood]:
    """Every example under the model with this example left out of what is known; the network stays as it is."""
    values = model.material.values
    if model.kernel is None:
        known = [replace(model.material, values=values[:k] + values[k + 1 :]) for k in range(len(values))]
        return [replace(model, material=others).score_rows(x) for others, x in zip(known, values, strict=True)]
    scorer = LikelihoodScorer(model)
    return [scorer.score(x, left=k) for k, x in enumerate(values)]

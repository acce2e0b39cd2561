"""All nodes propagated together, against a slow twin; and the joint score of Lau 2009, eq. 4."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from scipy.stats import norm

from freshtake.numeric.arrays import Floats
from freshtake.variation.network.instances import transition_instances
from freshtake.variation.network.joint_scores import JointScores, Way
from freshtake.variation.network.networks import TransitionNetwork, own_parents
from freshtake.variation.network.propagation import (
    PredictionMode,
    Predictor,
    floors_of,
    pack_parents,
    pool_of,
    predicted_frames,
    propagate,
)
from freshtake.variation.network.regression import FLOOR, Regression
from tests.variation.twins import slow_gaussian, takes

WEIGHTS = np.array([1.0, 0.7, 1.5, 0.4])
# node numbers slice * 4 + i; the last slice is the predicted frame
EDGES = {
    1: ((0, 1), (1, 4), (2, 0, 5), (3,)),
    2: ((0, 4, 5), (1, 5, 8), (2, 6, 9, 0), (3, 7)),
    3: ((0, 4, 8), (1, 5, 9, 12), (2, 6, 10, 3), (3, 7, 11, 14)),
}


def slow_propagate(
    examples: Sequence[Floats],
    held: int,
    edges: Sequence[Sequence[int]],
    rule: Regression,
    mode: PredictionMode,
    order: int,
) -> tuple[Floats, Floats]:
    """Means and variances of one example by the others, from the paper's formulas."""
    pool = [(x, t) for k, x in enumerate(examples) if k != held for t in range(order - 1, len(x) - 1)]
    clip = examples[held]
    floors = FLOOR * np.concatenate(examples).var(axis=0)
    values = [row.copy() for row in clip[:order]]
    means, variances = [], []
    sequence = TransitionNetwork(tuple("abcd"), order, tuple(tuple(e) for e in edges)).prediction_order()
    for t in range(order, len(clip)):
        past = np.array(values[-order:]) if mode.propagated else clip[t - order : t]
        mean, variance, fresh = np.zeros(4), np.zeros(4), np.zeros(4)
        for i in sequence:
            squared = np.zeros(len(pool))
            for n, (x, s) in enumerate(pool):
                for parent in edges[i]:
                    step, p = divmod(parent, 4)
                    now = past[step, p] if step < order else (fresh if mode.propagated else clip[t])[p]
                    squared[n] += (WEIGHTS[p] * (now - x[s - order + 1 + step, p])) ** 2
                if order > 1:
                    moving = past[-1, i] - past[-2, i] - (x[s, i] - x[s - 1, i])
                    squared[n] += rule.velocity_weight * (WEIGHTS[i] * moving) ** 2
            absolute = np.array([x[s + 1, i] for x, s in pool])
            targets = absolute - np.array([x[s, i] for x, s in pool]) if mode.delta else absolute
            mu, variance[i] = slow_gaussian(squared, targets, rule.neighbors, rule.width, rule.adaptive, floors[i])
            mu += past[-1, i] if mode.delta else 0.0
            level, _ = slow_gaussian(squared, absolute, rule.neighbors, rule.width, rule.adaptive)
            mean[i] = (1 - mode.pull) * mu + mode.pull * level
            fresh[i] = mean[i]
        values.append(fresh)
        means.append(mean)
        variances.append(variance)
    return np.array(means), np.array(variances)


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize(("delta", "propagated", "adaptive"), list(product([True, False], repeat=3)))
def test_propagation_equals_its_slow_twin(order: int, delta: bool, propagated: bool, adaptive: bool) -> None:
    examples = takes(2, lengths=(14, 12, 13))
    rule = Regression(8, 0.3 if adaptive else 0.5, adaptive, 2.0)
    mode = PredictionMode(delta, propagated, 0.1 if delta else 0.0, False)
    joint = JointScores(transition_instances(examples, order), WEIGHTS, Way(rule, mode, "kernel"))
    found = joint.outcomes(EDGES[order])
    for held in range(3):
        means, variances = slow_propagate(examples, held, EDGES[order], rule, mode, order)
        np.testing.assert_allclose(found[held].means, means, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(found[held].variances, variances, rtol=1e-6, atol=1e-12)


def test_the_joint_score_is_the_sum_over_examples_frames_and_nodes() -> None:
    """Lau 2009, eq. 4, with the hat on every parent."""
    examples = takes(2, lengths=(14, 12, 13))
    rule, mode = Regression(8, 0.5, False, 2.0), PredictionMode(True, True, 0.0, False)
    joint = JointScores(transition_instances(examples, 2), WEIGHTS, Way(rule, mode, "kernel"))
    slow = 0.0
    for held, clip in enumerate(examples):
        means, variances = slow_propagate(examples, held, EDGES[2], rule, mode, 2)
        slow += float(np.sum(norm.logpdf(clip[2:], means, np.sqrt(variances))))
    assert joint.score(EDGES[2]) == pytest.approx(slow, rel=1e-8)
    nodes = joint.node_scores(joint.outcomes(EDGES[2]))
    assert nodes.shape == (4,)
    assert nodes.sum() == pytest.approx(slow, rel=1e-8)


def test_a_calibrated_joint_score_has_the_variance_of_the_errors() -> None:
    examples = takes(2, lengths=(14, 12, 13))
    rule, mode = Regression(8, 0.5, False, 2.0), PredictionMode(True, True, 0.0, False)
    joint = JointScores(transition_instances(examples, 2), WEIGHTS, Way(rule, mode, "kernel", calibrated=True))
    gaps = [x[2:] - slow_propagate(examples, k, EDGES[2], rule, mode, 2)[0] for k, x in enumerate(examples)]
    errors = np.concatenate(gaps)
    slow = norm.logpdf(errors, 0.0, np.sqrt((errors**2).mean(axis=0))).sum(axis=0)
    np.testing.assert_allclose(joint.node_scores(joint.outcomes(EDGES[2])), slow, rtol=1e-8)


def test_noise_adds_so_many_standard_deviations() -> None:
    instances = transition_instances(takes(2), 2)
    pool = pool_of(instances, WEIGHTS, np.arange(len(instances.queries)), delta=True)
    rule, mode, floors = (
        Regression(8, 0.3, True, 1.0),
        PredictionMode(True, True, 0.0, False),
        floors_of(instances.rows),
    )
    noise = np.random.default_rng(0).normal(size=(9, 4))
    out = predicted_frames(takes(2)[0], noise, 2)
    propagate(Predictor(pack_parents(EDGES[2], 2), pool, WEIGHTS, rule, mode, floors), out)
    np.testing.assert_allclose(out.values[2:], out.means + np.sqrt(out.variances) * noise, rtol=1e-12)
    np.testing.assert_array_equal(out.values[:2], takes(2)[0][:2])


def test_a_course_that_may_end_does_so_at_the_end_of_an_example() -> None:
    """The mean motion of an acyclic movement is about as long as the examples; without an end it goes on."""
    examples = takes(5, cyclic=False, lengths=(31, 30, 32))
    instances = transition_instances(examples, 2)
    pool = pool_of(instances, WEIGHTS, np.arange(len(instances.queries)), delta=True)
    rule, floors, packed = (
        Regression(4, 0.3, True, 1.0),
        floors_of(instances.rows),
        pack_parents((tuple(range(8)),) * 4, 2),
    )

    def frames(ends: bool) -> int:
        predictor = Predictor(packed, pool, WEIGHTS, rule, PredictionMode(True, True, 0.1, ends), floors)
        return 2 + int(propagate(predictor, predicted_frames(examples[0][:2], np.zeros((90, 4)), 2)))

    assert 25 <= frames(True) <= 38
    assert frames(False) == 92


def test_errors_are_0_where_the_others_hold_the_example_itself() -> None:
    examples = takes(2, lengths=(20, 20))
    twice = [*examples, examples[0] + 1e-9]
    rule, mode = Regression(1, 0.3, True, 1.0), PredictionMode(True, True, 0.0, False)
    joint = JointScores(transition_instances(twice, 2), WEIGHTS, Way(rule, mode, "kernel"))
    errors = joint.errors(own_parents(4, 2))
    assert errors[0] < 1e-6 and errors[2] < 1e-6
    assert errors[1] > 0.01

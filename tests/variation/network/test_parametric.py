"""Linear and radial regression against numpy's least squares and a slow twin, and a process that is known."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from freshtake.numeric.arrays import Floats
from freshtake.variation.network.instances import prior_instances, transition_instances
from freshtake.variation.network.joint_scores import JointScores, Way
from freshtake.variation.network.networks import PriorNetwork, TransitionNetwork
from freshtake.variation.network.parametric import CENTERS, KINDS, LINEAR, RADIAL, RIDGES, fit
from freshtake.variation.network.parametric_nodes import FittedNode, FittedPriorNode, FittedWay
from freshtake.variation.network.prior_sampling import sample_prior
from freshtake.variation.network.propagation import (
    PredictionMode,
    Predictor,
    floors_of,
    pack_parents,
    pool_of,
    predicted_frames,
    propagate,
)
from freshtake.variation.network.regression import Regression
from freshtake.variation.synthesis.kernel_method import noise_blocks, paper_blocks
from tests.variation.twins import takes

EDGES = ((0, 4, 5), (1, 5, 8), (2, 6, 9, 0), (3, 7))  # node numbers slice * 4 + i
WEIGHTS = np.array([1.0, 0.7, 1.5, 0.4])
COURSE = PredictionMode(True, True, 0.0, False)


def slow_fit(kind: int, inputs: Floats, targets: Floats, at: Floats) -> tuple[float, float]:
    """The value at one place and the residual variance."""

    def design(z: Floats) -> Floats:
        if kind == LINEAR:
            return np.concatenate([np.ones((len(z), 1)), z], axis=1)
        return np.concatenate([np.ones((len(z), 1)), np.exp(-((z[:, None] - c) ** 2).sum(axis=2) / h**2)], axis=1)

    few = min(CENTERS, len(inputs))
    c = inputs[[(2 * m + 1) * len(inputs) // (2 * few) for m in range(few)]]
    h = float(np.sqrt(c.var(axis=0).sum()))
    rows = design(inputs)
    normal = rows.T @ rows
    ridge = RIDGES[kind] * np.trace(normal) / len(normal)
    b = np.linalg.solve(normal + ridge * np.diag([0.0] + [1.0] * (len(normal) - 1)), rows.T @ targets)
    return float((design(at[None]) @ b)[0]), float(((targets - rows @ b) ** 2).sum() / (len(inputs) - 1))


@pytest.mark.parametrize("kind", [LINEAR, RADIAL])
def test_linear_and_radial_courses_equal_their_slow_twin(kind: int) -> None:
    examples = takes(2, lengths=(26, 24, 25))
    rule = Regression(5, 0.3, True, 2.0 if kind == RADIAL else 0.0)
    way = Way(rule, COURSE, ["linear", "radial"][kind])
    joint = JointScores(transition_instances(examples, 2), WEIGHTS, way)
    found = joint.outcomes(EDGES)
    sequence = TransitionNetwork(tuple("abcd"), 2, EDGES).prediction_order()
    for held, clip in enumerate(examples):
        pool = [x[s : s + 3] * WEIGHTS for k, x in enumerate(examples) if k != held for s in range(len(x) - 2)]
        values = [clip[0], clip[1]]
        for t in range(5):
            now = np.array([values[-2], values[-1], np.zeros(4)])
            for i in sequence:
                inputs = np.array([[p[e // 4, e % 4] for e in EDGES[i]] for p in pool])
                at = np.array([WEIGHTS[e % 4] * now[e // 4, e % 4] for e in EDGES[i]])
                if kind == RADIAL:
                    speeds = np.array([p[1, i] - p[0, i] for p in pool])
                    inputs = np.concatenate([inputs, np.sqrt(2.0) * speeds[:, None]], axis=1)
                    at = np.append(at, np.sqrt(2.0) * WEIGHTS[i] * (now[1, i] - now[0, i]))
                targets = np.array([(p[2, i] - p[1, i]) / WEIGHTS[i] for p in pool])
                value, variance = slow_fit(kind, inputs, targets, at)
                now[2, i] = now[1, i] + value
                assert found[held].variances[t, i] == pytest.approx(variance, rel=1e-4)
            np.testing.assert_allclose(found[held].means[t], now[2], rtol=1e-5, atol=1e-6)
            values.append(found[held].values[2 + t])


def test_a_linear_fit_is_least_squares() -> None:
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(50, 3))
    targets = inputs @ [1.0, -2.0, 0.5] + 3.0
    found = fit(LINEAR, inputs, targets, 0.0)
    np.testing.assert_allclose(found.coefficients, [3.0, 1.0, -2.0, 0.5], atol=1e-6)


@pytest.mark.parametrize(("regression", "propagate"), list(product(["linear", "radial"], [True, False])))
def test_a_node_alone_scores_as_the_whole_with_the_others_at_the_data(regression: str, propagate: bool) -> None:
    """One step ahead there is nothing to propagate, so that node and joint scores agree; fed back they do for a
    node that nobody but itself feeds."""
    examples = takes(2, lengths=(26, 24, 25))
    instances = transition_instances(examples, 2)
    rule = Regression(5, 0.3, True, 1.0)
    joint = JointScores(instances, WEIGHTS, Way(rule, PredictionMode(True, propagate, 0.0, False), regression))
    whole = joint.node_scores(joint.outcomes(EDGES))
    for i in [3] if propagate else range(4):
        way = FittedWay(KINDS[regression], 1.0, 2, True, propagate, False)
        node = FittedNode(i, joint.pools, joint.clips, joint.clips, WEIGHTS, way)
        others = frozenset(p for p in EDGES[i] if p % 4 != i)
        assert node.score(others) == pytest.approx(whole[i], rel=1e-8)
        assert node.additions(others - {5}, [5])[0] == pytest.approx(node.score(others | {5}), rel=1e-12)


@pytest.mark.parametrize("by_clip", [True, False])
def test_prior_scores_leave_the_group_out(by_clip: bool) -> None:
    instances = prior_instances(takes(1), 6, delta=True)
    groups = instances.clips if by_clip else np.arange(len(instances.values))
    x = instances.values
    for regression, kind in (("linear", LINEAR), ("radial", RADIAL)):
        node = FittedPriorNode(3, instances, np.ones(4), groups, regression)
        for parents in ([], [1], [0, 5]):
            slow = 0.0
            for row, group in zip(x, groups, strict=True):
                others = x[groups != group]
                value, variance = slow_fit(
                    kind if parents else LINEAR, others[:, parents], others[:, 3], row[np.array(parents, dtype=int)]
                )
                slow -= 0.5 * (np.log(2 * np.pi * variance) + (row[3] - value) ** 2 / variance)
            assert node.score(frozenset(parents)) == pytest.approx(slow, rel=1e-5)


def test_a_prior_drawn_linearly_has_the_mean_and_covariance_of_its_instances() -> None:
    """A full chain of linear Gaussians can hold any covariance: within six standard errors of 4,000 draws."""
    rng = np.random.default_rng(0)
    mixing = rng.normal(size=(4, 4))
    values = rng.normal(size=(500, 4)) @ mixing.T + 1.0
    network = PriorNetwork(("a", "b"), ((), (0,), (0, 1), (0, 1, 2)))
    instances = prior_instances([values[:2, :2]], 1, delta=False)._replace(values=values)
    rule = Regression(5, 0.3, True, 0.0)
    drawn = np.array(
        [
            np.concatenate(
                sample_prior(
                    network, instances, np.ones(2), rule, rng.standard_normal(4), delta=False, regression="linear"
                )
            )
            for _ in range(4000)
        ]
    )
    covariance = np.cov(values.T)
    spread = np.sqrt(np.diag(covariance))
    assert (np.abs(drawn.mean(axis=0) - values.mean(axis=0)) < 6 * spread / np.sqrt(4000)).all()
    error = 6 * np.sqrt((covariance**2 + np.outer(spread, spread) ** 2) / 4000) + 0.01 * np.outer(spread, spread)
    assert (np.abs(np.cov(drawn.T) - covariance) < error).all()


A, NOISE = np.array([[0.9, 0.2], [-0.2, 0.85]]), np.array([0.3, 0.2])


def process(frames: int, rng: np.random.Generator) -> Floats:
    """x' = A x + noise, begun in its own distribution."""
    x = np.zeros((frames + 200, 2))
    for t in range(1, len(x)):
        x[t] = A @ x[t - 1] + NOISE * rng.normal(size=2)
    return x[200:]


def test_a_linear_gaussian_process_is_reproduced() -> None:
    """Lau 2009, §6: samples of the network have the mean and covariance of the process.

    Within six standard errors of 20,000 frames whose effective number is less by their correlation time.
    """
    rng = np.random.default_rng(1)
    examples = [process(3000, rng) for _ in range(4)]
    network = TransitionNetwork(("a", "b"), 1, ((0, 1), (0, 1)))
    rule = Regression(5, 0.3, True, 0.0)
    made: list[Floats] = []
    way = Way(rule, PredictionMode(True, True, 0.0, False), "linear")
    blocks = paper_blocks(examples, np.ones(2), network, way, examples[0][:1], noise_blocks(rng, 2, 0.0))
    while sum(map(len, made)) < 20_000:
        made.append(next(blocks))
    x = np.concatenate(made)[500:]
    truth = np.zeros((2, 2))
    for _ in range(400):
        truth = A @ truth @ A.T + np.diag(NOISE**2)
    spread, effective = np.sqrt(np.diag(truth)), len(x) / 20.0
    assert (np.abs(x.mean(axis=0)) < 6 * spread / np.sqrt(effective)).all()
    assert (np.abs(np.cov(x.T) - truth) < 6 * np.outer(spread, spread) * np.sqrt(2 / effective)).all()


def test_kernel_regression_draws_the_next_frame_of_a_linear_gaussian_process() -> None:
    """One step from a given frame, many times: mean A x and the covariance of the noise, within six standard errors
    plus the bias of a kernel 0.15 wide on 6,000 instances."""
    rng = np.random.default_rng(2)
    examples = [process(2000, rng) for _ in range(3)]
    instances = transition_instances(examples, 1)
    pool = pool_of(instances, np.ones(2), np.arange(len(instances.queries)), delta=True)
    rule, floors = Regression(6000, 0.15, False, 0.0), floors_of(instances.rows)
    here, draws = np.array([[0.4, -0.3]]), 3000
    noise = rng.normal(size=(draws, 1, 2))
    x = np.empty((draws, 2))
    edges = pack_parents(((0, 1), (0, 1)), 1)
    for k in range(draws):
        out = predicted_frames(here, noise[k], 1)
        propagate(Predictor(edges, pool, np.ones(2), rule, COURSE, floors), out)
        x[k] = out.values[1]
    weight = np.exp(-((instances.rows[instances.queries] - here) ** 2).sum(axis=1) / 0.15**2).sum()
    several = 6 * np.sqrt(1 / draws + 1 / weight)
    assert (np.abs(x.mean(axis=0) - A @ here[0]) < several * NOISE + 0.02).all()
    bias = np.diag(2 * 0.15**2 / 2 * (np.square(A - np.eye(2)).sum(axis=1)))
    assert (np.abs(np.cov(x.T) - np.diag(NOISE**2)) < several * np.outer(NOISE, NOISE) * np.sqrt(2) + bias).all()

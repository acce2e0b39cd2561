"""Regression, propagation, scores and searches against slow twins and against exhaustive search."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from freshtake.errors import InvalidMotion
from freshtake.variation.examples import HORIZON
from freshtake.variation.paper.networks import PriorNetwork, own_parents, shared_parents, topological_order
from freshtake.variation.paper.prior import PriorScores, prior_instances, sample_prior
from freshtake.variation.paper.regression import (
    FLOOR,
    Rule,
    floors_of,
    gaussian,
    kth_smallest,
    nearest_of,
    pool_of,
    unroll,
    wiring_of,
)
from freshtake.variation.paper.search import (
    Found,
    Resynthesis,
    Takes,
    align,
    features,
    printed_score,
    search_acyclic,
    search_core,
    search_edges,
)

FRAME_TIME = 1 / 60


def takes(seed: int = 0, count: int = 3, dofs: int = 3, frames: int = 20) -> Takes:
    """Return noisy waves with a beginning and an end."""
    rng = np.random.default_rng(seed)
    values = []
    for _ in range(count):
        t = np.linspace(0.0, 2.5, frames + int(rng.integers(0, 3)))[:, None]
        values.append(np.sin(t + np.arange(dofs) + 0.1 * rng.standard_normal(dofs)) + 0.05 * rng.standard_normal(dofs))
    return Takes(values, np.linspace(1.0, 2.0, dofs), FRAME_TIME, False)


def slow_gaussian(squared: np.ndarray, targets: np.ndarray, rule: Rule, floor: float) -> tuple[float, float]:
    """Compute eq. 5 and 6 in plain numpy."""
    near = np.argsort(squared, kind="stable")[: rule.neighbors]
    w = np.exp(-(squared[near] - squared[near].min()) / rule.width**2)
    x, count = targets[near], int((w > 0).sum())
    mean = (w * x).sum() / w.sum()
    variance = (w * (x - mean) ** 2).sum() / w.sum() * (count / (count - 1) if count > 1 else 1.0)
    return float(mean), max(float(variance), floor)


@given(
    st.lists(st.sampled_from([0.0, 1e-300, 0.5, 1.0, 2.0, 3.5, 7.0, 1e300]), min_size=1, max_size=40),
    st.integers(1, 60),
    st.sampled_from([0.0, 1e-9, 1.0, 3.0, 1e9]),
)
def test_the_kth_smallest_is_that_of_a_sort(values: list[float], k: int, guess: float) -> None:
    x = np.array(values)
    assert kth_smallest(x, k, guess) == np.sort(x)[min(k, len(x)) - 1]
    assert x[nearest_of(x)] == x.min()


@pytest.mark.parametrize("width", [0.01, 0.1, 0.5, 3.0])
@pytest.mark.parametrize("neighbors", [2, 15, 60, 500])
def test_mean_and_variance_are_those_of_the_paper(width: float, neighbors: int) -> None:
    rng = np.random.default_rng(3)
    squared, targets = rng.chisquare(4, 200), rng.standard_normal(200)
    rule = Rule(neighbors, width, 0.0)
    mean, variance, nearest = gaussian(squared, targets, rule, 1e-9, np.empty(200))
    assert (mean, variance) == pytest.approx(slow_gaussian(squared, targets, rule, 1e-9), rel=1e-9)
    assert nearest == squared.argmin()


def slow_unroll(
    edges: tuple[tuple[int, ...], ...], known: Takes, rule: Rule, start: np.ndarray, noise: np.ndarray, order: int
) -> np.ndarray:
    """Predict frame by frame and node by node in plain numpy, without an end."""
    n, rows, w = start.shape[1], list(start), known.weights
    windows = [x[t : t + order + 1] for x in known.values for t in range(len(x) - order)]
    floors = FLOOR * np.var([win[order] - win[order - 1] for win in windows], axis=0)
    ranked = topological_order([[p - order * n for p in parents if p >= order * n] for parents in edges])
    for step in noise:
        now = np.array([*rows[-order:], np.zeros(n)])
        for i in ranked:
            squared = np.zeros(len(windows))
            for p in edges[i]:
                squared += [(w[p % n] * (win[p // n, p % n] - now[p // n, p % n])) ** 2 for win in windows]
            if order > 1:
                seconds = w[i] * HORIZON / FRAME_TIME
                speed = [seconds * (v[order - 1, i] - v[order - 2, i]) for v in [now, *windows]]
                squared += rule.velocity_weight * (np.array(speed[1:]) - speed[0]) ** 2
            targets = np.array([win[order, i] - win[order - 1, i] for win in windows])
            mean, variance = slow_gaussian(squared, targets, rule, floors[i])
            now[order, i] = now[order - 1, i] + mean + np.sqrt(variance) * step[i]
        rows.append(now[order])
    return np.array(rows)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("kind", ["own", "shared", "within the frame"])
def test_unrolling_equals_its_slow_twin(order: int, kind: str) -> None:
    known, rule = takes(), Rule(12, 0.3, 0.7)
    edges = own_parents(3, order)
    if kind == "shared":
        edges = shared_parents(3, order, [0, 3 * (order - 1) + 2])
    if kind == "within the frame":
        edges = (edges[0], (*edges[1], 3 * order), (*edges[2], 3 * order + 1, 0))
    noise = 0.5 * np.random.default_rng(1).standard_normal((10, 3))
    made = unroll(
        wiring_of(edges, order), pool_of(known.values, known.weights, order, FRAME_TIME), known.weights, FRAME_TIME,
        rule, known.values[0][:order], noise, earliest_end=1000, cyclic=False,
    )  # fmt: skip
    assert made.values == pytest.approx(
        slow_unroll(edges, known, rule, known.values[0][:order], noise, order), abs=1e-9
    )


def test_a_motion_ends_where_the_takes_end() -> None:
    known = takes()
    pool = pool_of(known.values, known.weights, 2, FRAME_TIME)
    for x in known.values:
        made = unroll(
            wiring_of(shared_parents(3, 2, [3, 4, 5]), 2), pool, known.weights, FRAME_TIME, Rule(12, 0.02, 0.3), x[:2],
            np.zeros((100, 3)), earliest_end=5, cyclic=False,
        )  # fmt: skip
        assert made.ended and abs(len(made.values) - len(x)) <= 1
        assert made.values == pytest.approx(x[: len(made.values)], abs=0.05)


def test_only_the_chosen_node_is_predicted_where_frames_are_known() -> None:
    known = takes()
    score = Resynthesis(known, 2, np.random.default_rng(0).standard_normal((2, 40, 3)), printed=False, mapper=map)
    edges, rule = shared_parents(3, 2, [3]), Rule(12, 0.1, 0.3)
    whole = score.evaluate(edges, rule)
    for node in range(3):
        assert score.node(node, edges, rule, whole) == pytest.approx(whole.scores[..., node].sum())


@pytest.mark.parametrize("printed", [False, True])
def test_the_score_is_the_sum_over_takes_draws_and_nodes(printed: bool) -> None:
    known = takes()
    noise = np.random.default_rng(0).standard_normal((2, 40, 3))
    edges, rule = shared_parents(3, 2, [3]), Rule(12, 0.2, 0.3)
    found = Resynthesis(known, 2, noise, printed=printed, mapper=map).evaluate(edges, rule)
    total = 0.0
    for take, x in enumerate(known.values):
        others = [y for k, y in enumerate(known.values) if k != take]
        pool = pool_of(others, known.weights, 2, FRAME_TIME)
        for draw in noise:
            made = unroll(
                wiring_of(edges, 2), pool, known.weights, FRAME_TIME, rule, x[:2], draw[: int(1.5 * 22) - 2],
                earliest_end=known.earliest_end, cyclic=False,
            )  # fmt: skip
            if printed:
                total += _slow_printed(made.values, made.means, made.variances, x)
            else:
                total += _slow_aligned(made.values, x, known)
    if not printed:
        assert found.total == pytest.approx(total, rel=1e-6)
    assert found.total == pytest.approx(found.scores.sum(axis=0).sum())
    assert np.isfinite(total)


def _slow_printed(values: np.ndarray, means: np.ndarray, variances: np.ndarray, x: np.ndarray) -> float:
    total = 0.0
    for j in range(2, min(len(x), len(means) + 2)):
        gap = x[j] - values[j - 1] - means[j - 2]
        total += float((-0.5 * (np.log(2 * np.pi * variances[j - 2]) + gap**2 / variances[j - 2])).sum())
    return total


def _slow_aligned(values: np.ndarray, x: np.ndarray, known: Takes) -> float:
    made, real = features(values, known), features(x, known)
    views = [features(y, known) for y in known.values]
    pairs = [(a, b, align(a, b)) for k, a in enumerate(views) for b in views[:k]]
    spread = np.mean(
        [((a[p[:, 0]] - b[p[:, 1]]) ** 2).mean(axis=0).reshape(3, -1).mean(axis=1) for a, b, p in pairs], 0
    )
    path = align(made, real)
    gaps = ((made[path[:, 0]] - real[path[:, 1]]) ** 2).mean(axis=0).reshape(3, -1).sum(axis=1)
    return float(-0.5 * (gaps / spread).sum() * len(x))


def test_the_printed_score_is_equation_four() -> None:
    """With as many frames as the take has, it is the sum of log densities, frame by frame."""
    known = takes()
    pool = pool_of(known.values[1:], known.weights, 2, FRAME_TIME)
    x = known.values[0]
    made = unroll(
        wiring_of(own_parents(3, 2), 2), pool, known.weights, FRAME_TIME, Rule(12, 0.2, 0.3), x[:2],
        np.random.default_rng(0).standard_normal((len(x) - 2, 3)), earliest_end=1000, cyclic=False,
    )  # fmt: skip
    assert printed_score(made, x, 2, pool).sum() == pytest.approx(
        _slow_printed(made.values, made.means, made.variances, x)
    )
    assert (made.variances >= floors_of(pool)).all()


def test_random_parents_score_worse_than_shared_ones() -> None:
    known = takes(dofs=6, count=4)
    score = Resynthesis(known, 2, np.random.default_rng(0).standard_normal((2, 40, 6)), printed=False, mapper=map)
    rule = Rule(15, 0.1, 0.3)
    shared = score.evaluate(shared_parents(6, 2, range(6, 12)), rule)
    alone = score.evaluate(own_parents(6, 2), rule)
    assert shared.total > alone.total


def all_networks(nodes: int) -> list[list[frozenset[int]]]:
    """Return all acyclic networks with this many nodes."""
    sets = [
        [frozenset(c) for size in range(nodes) for c in combinations([p for p in range(nodes) if p != k], size)]
        for k in range(nodes)
    ]
    out = []
    for network in product(*sets):
        try:
            topological_order(network)
        except InvalidMotion:
            continue
        out.append(list(network))
    return out


@pytest.mark.parametrize("seed", range(4))
def test_the_greedy_search_comes_near_the_best_of_all_543_prior_networks(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((12, 1)).cumsum(axis=0)
    example = np.concatenate([a, np.sin(a) + 0.01 * rng.standard_normal((12, 1))], axis=1)
    scores = PriorScores(prior_instances([example, example[::-1] + 0.1], 10, np.ones(2)), Rule(8, 0.5, 0.0))
    networks = all_networks(4)
    assert len(networks) == 543
    totals = [sum(scores.node(k, p) for k, p in enumerate(network)) for network in networks]
    empty, everyone = [frozenset[int]()] * 4, [list(range(4))] * 4
    parents, value = search_acyclic(scores.node, empty, everyone, 4, empty)
    assert value == pytest.approx(scores.total(tuple(tuple(p) for p in parents)))
    assert np.mean(np.array(totals) > value + 1e-6) < 0.02
    # The best network is not left: no single edit improves it.
    best = networks[int(np.argmax(totals))]
    assert search_acyclic(scores.node, best, everyone, 4, empty)[1] == pytest.approx(max(totals))


def test_no_edit_of_one_edge_improves_what_the_search_of_edges_returns() -> None:
    """On two DOFs every legal edit is scored by running all nodes together."""
    known = takes(dofs=2)
    score = Resynthesis(known, 2, np.random.default_rng(0).standard_normal((2, 40, 2)), printed=False, mapper=map)
    rule = Rule(12, 0.1, 0.3)
    candidates = [[1, 3, 5], [0, 2, 4]]
    start = Found(own_parents(2, 2), score.evaluate(own_parents(2, 2), rule))
    found = search_edges(score, rule, start, candidates, 5)
    assert found.evaluation.total >= start.evaluation.total
    assert found.evaluation.total == pytest.approx(score.evaluate(found.edges, rule).total)
    for i, own in enumerate(own_parents(2, 2)):
        assert set(own) <= set(found.edges[i]) and len(found.edges[i]) <= 5


def test_the_search_of_the_core_never_loses_and_respects_the_cap() -> None:
    known = takes(dofs=4, count=4)
    score = Resynthesis(known, 2, np.random.default_rng(0).standard_normal((2, 40, 4)), printed=False, mapper=map)
    rule = Rule(12, 0.1, 0.3)
    start = score.evaluate(shared_parents(4, 2, [4]), rule)
    found = search_core(score, rule, [4], [5, 6, 7], 4)
    assert found.evaluation.total >= start.total
    assert max(map(len, found.edges)) <= 4


def test_first_frames_have_the_moments_of_the_instances() -> None:
    """Without edges the prior network is a product of Gaussians with the instances' means and deviations."""
    rng = np.random.default_rng(0)
    x = [rng.standard_normal((11, 2)) * [1.0, 3.0] for _ in range(6)]
    instances = prior_instances(x, 10, np.ones(2))
    network = PriorNetwork(("a", "b"), ((), (), (), ()))
    drawn = np.array([sample_prior(network, instances, Rule(5, 1.0, 0.0), rng.standard_normal(4)) for _ in range(4000)])
    real = instances.values
    assert drawn[:, 0].mean(axis=0) == pytest.approx(real[:, :2].mean(axis=0), abs=5 * 3 / np.sqrt(4000))
    assert drawn[:, 0].std(axis=0) == pytest.approx(real[:, :2].std(axis=0, ddof=1), rel=0.05)
    assert (drawn[:, 1] - drawn[:, 0]).std(axis=0) == pytest.approx(real[:, 2:].std(axis=0, ddof=1), rel=0.05)

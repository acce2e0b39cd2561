"""The transition network that is sampled: laws of its second moments, and a known network found again."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from freshtake.errors import InvalidMotion
from freshtake.numeric.arrays import Floats
from freshtake.variation import Settings
from freshtake.variation.network.networks import TransitionNetwork
from freshtake.variation.synthesis.dynamics import Dynamics, deviating_together
from freshtake.variation.synthesis.dynamics_learning import FIT_RIDGE, OWN_RIDGE
from freshtake.variation.synthesis.frame_kernels import draw_slices
from freshtake.variation.synthesis.swing_following import swing_tables
from freshtake.variation.synthesis.traits import TRAITS
from freshtake.variation.synthesize import begin, sampler_of
from tests.variation.network.known_network import NODES, OTHERS, SIZES, courses_from, learned_from, simulated, truth
from tests.variation.synthesis.synthesis_twin import matrices, slow_process
from tests.variation.synthesis.test_frame_kernels import AMOUNTS, tables

SLICES = 120
TAKES = 40


@cache
def found() -> Dynamics:
    return learned_from(simulated(TAKES, SLICES, 3))


def samples(dynamics: Dynamics, frames: int, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    first = dynamics.start_root @ rng.standard_normal(2 * NODES)
    rows = np.concatenate([[first[NODES:]], [first[:NODES]], np.empty((frames, NODES))])
    draw_slices(dynamics.packed, rng.standard_normal((frames, NODES)), rows)
    return rows


def correlations(rows: Floats) -> Floats:
    """(2, nodes, nodes): within a frame, and of a frame (rows) with the one before it (columns)."""
    z = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    return np.stack([z.T @ z / len(z), z[1:].T @ z[:-1] / (len(z) - 1)])


# --- laws ------------------------------------------------------------------------------------------------------------


def step_of(dynamics: Dynamics) -> tuple[Floats, Floats]:
    """F and G of (z[t+2], z[t+1]) = F (z[t+1], z[t]) + G e."""
    older, newer, inside = matrices(dynamics.network, dynamics.slopes)
    solved = np.linalg.inv(np.eye(NODES) - inside)
    step = np.block([[solved @ newer, solved @ older], [np.eye(NODES), np.zeros((NODES, NODES))]])
    return step, np.concatenate([solved * dynamics.noise, np.zeros((NODES, NODES))])


@pytest.mark.parametrize("which", ["known", "learned"])
def test_the_covariance_is_the_one_that_a_step_keeps(which: str) -> None:
    dynamics = truth() if which == "known" else found()
    step, noise = step_of(dynamics)
    kept = step @ dynamics.covariance @ step.T + noise @ noise.T
    np.testing.assert_allclose(dynamics.covariance, kept, atol=1e-10)
    assert dynamics.growth == pytest.approx(np.abs(np.linalg.eigvals(step)).max())
    np.testing.assert_allclose(dynamics.start_root @ dynamics.start_root.T, dynamics.covariance, atol=1e-8)


def test_long_samples_have_the_covariance() -> None:
    dynamics = truth()
    rows = samples(dynamics, 40_000, 1)
    z = np.concatenate([rows[1:], rows[:-1]], axis=1)
    np.testing.assert_allclose(z.T @ z / len(z), dynamics.covariance, atol=0.06)
    np.testing.assert_allclose(
        correlations(rows)[0], dynamics.correlation, atol=0.04
    )  # 6 standard errors of 40,000 frames, which last about 4


NOTHING_SWINGS = swing_tables(np.empty(0, np.intp), np.empty(0), np.empty((0, 3 * NODES)))


def test_variants_begin_as_if_they_had_gone_on_for_ever() -> None:
    """The first two frames have the covariance, the older one first; from then on nothing tells how long it has run."""
    dynamics = truth()
    sampler = sampler_of(dynamics, tables(True), AMOUNTS, NOTHING_SWINGS)
    starts = np.stack([begin(sampler, np.random.default_rng(seed)).rest for seed in range(4000)])
    expected, size = dynamics.covariance[:NODES, NODES:], np.sqrt(np.diag(dynamics.covariance)[:NODES])
    bound = 5.0 * np.outer(size, size) / np.sqrt(4000)
    assert (np.abs(starts[:, 1].T @ starts[:, 0] / 4000 - expected) < bound).all()
    assert (np.abs(expected - expected.T) > 2.0 * bound).any()  # or the test could not tell which comes first


def test_how_frames_resemble_earlier_ones() -> None:
    dynamics = truth()
    z = samples(dynamics, 40_000, 6)
    found = dynamics.autocorrelation(5)
    np.testing.assert_allclose(found[0], 1.0)
    for lag in range(1, 5):
        expected = (z[lag:] * z[:-lag]).mean(axis=0) / (z * z).mean(axis=0)
        np.testing.assert_allclose(found[lag], expected, atol=0.04)


def test_the_spline_has_variance_1() -> None:
    """Monte Carlo: starts and a few further frames, read between the knots."""
    dynamics = found()
    squares = []
    for seed in range(60):
        rows = samples(dynamics, 200, seed)
        squares += [slow_process(rows, place, 0, False) ** 2 for place in np.arange(0.0, 196.0, 0.75)]
    variance = np.mean(squares, axis=0) * dynamics.scale**2
    np.testing.assert_allclose(variance, 1.0, atol=0.1)
    assert np.abs(dynamics.scale - 1.0).max() > 0.02  # or the test could not see anything


def with_traits() -> Dynamics:
    rng, plain = np.random.default_rng(4), truth()
    return replace(
        plain, trait_slopes=0.5 * rng.normal(size=plain.trait_slopes.shape),
        trait_noise=rng.uniform(0.3, 1.0, plain.trait_noise.shape),
    )  # fmt: skip


def test_traits_have_variance_1_and_follow_the_parents_of_their_frame() -> None:
    dynamics = with_traits()
    np.testing.assert_allclose((dynamics.trait_roots**2).sum(axis=2), 1.0)
    for q in range(len(TRAITS)):
        inside = matrices(dynamics.network, dynamics.trait_slopes[q])[2]  # earlier frames have no say
        raw = dynamics.trait_roots[q] * dynamics.trait_scales[q][:, None]
        np.testing.assert_allclose(raw - inside @ raw, np.diag(dynamics.trait_noise[q]), atol=1e-12)


def test_what_deviates_together_is_what_samples_show() -> None:
    dynamics = with_traits()
    rng = np.random.default_rng(5)
    basis, sizes = rng.normal(size=(len(TRAITS), 30, NODES)), rng.uniform(0.3, 1.0, (30, NODES))
    total = np.zeros((NODES, NODES))
    root = np.linalg.cholesky(dynamics.correlation)
    for _ in range(4000):
        traits = np.einsum("qij,qj->qi", dynamics.trait_roots, rng.normal(size=(len(TRAITS), NODES)))
        rest = rng.normal(size=(30, NODES)) @ root.T
        whole = sizes * rest + np.einsum("qn,qpn->pn", traits * dynamics.trait_sizes, basis)
        total += whole.T @ whole
    spread = np.sqrt(np.diag(total))
    np.testing.assert_allclose(deviating_together(dynamics, basis, sizes), total / np.outer(spread, spread), atol=0.06)


# --- what is refused -------------------------------------------------------------------------------------------------


def test_deviations_that_grow_are_refused() -> None:
    plain = truth()
    with pytest.raises(InvalidMotion, match=r"grow by 1\.\d+ from frame to frame"):
        replace(plain, slopes=2.5 * plain.slopes)


def test_numbers_that_do_not_fit_the_edges_are_refused() -> None:
    plain = truth()
    for name in ("slopes", "noise", "trait_slopes", "trait_noise", "trait_sizes"):
        with pytest.raises(InvalidMotion, match="do not fit its edges"):
            replace(plain, **{name: getattr(plain, name)[..., :-1]})
    with pytest.raises(InvalidMotion, match="a take of 1 frames"):
        replace(plain, slices=1)


def test_learned_slopes_let_nothing_grow() -> None:
    """Takes that run away from one another: slopes above 1 are learned, and shrunk until all comes back."""
    growing = simulated(6, 30, 1) * 1.1 ** np.arange(31.0)[:, None]
    dynamics = learned_from(growing)
    assert dynamics.growth <= 0.98


# --- a known network -------------------------------------------------------------------------------------------------


def edges(dynamics: Dynamics) -> set[tuple[int, int]]:
    own = {(i, k * NODES + i) for i in range(NODES) for k in (0, 1)}
    every = {(child, parent) for child, parents in enumerate(dynamics.network.edges) for parent in parents}
    assert own <= every
    return every - own


def test_the_edges_of_a_known_network_are_found() -> None:
    true = {(child, parent) for child, parents in OTHERS.items() for parent in parents}
    learned = edges(found())
    assert true <= learned
    assert len(learned - true) <= 1


def test_slopes_are_those_of_the_truth_within_their_standard_error() -> None:
    """Expected are the truth's moments in units of deviations, and the ridge that learning uses."""
    true, dynamics = truth(), found()
    covariance = true.covariance
    step, noise = step_of(true)
    size = np.sqrt(np.diag(covariance)[:NODES])
    later = step @ covariance
    newest = later @ step.T + noise @ noise.T
    # columns t, t+1, t+2, as edges count them
    order = np.concatenate([np.arange(NODES, 2 * NODES), np.arange(NODES)])
    across = later[:NODES][:, order]
    whole = np.block([[covariance[np.ix_(order, order)], across.T], [across, newest[:NODES, :NODES]]])
    moments = whole / np.outer(np.tile(size, 3), np.tile(size, 3))
    edge = 0
    for child, parents in enumerate(dynamics.network.edges):
        own = np.array(parents)
        inner, with_child = moments[np.ix_(own, own)], moments[own, 2 * NODES + child]
        ridge = np.where(own % NODES == child, OWN_RIDGE, FIT_RIDGE)
        expected = np.linalg.solve(inner + np.diag(ridge), with_child)
        left = 1.0 - 2.0 * expected @ with_child + expected @ inner @ expected
        deviation = np.sqrt(left * np.diag(np.linalg.inv(inner)) / (TAKES * SLICES))
        slopes = dynamics.slopes[edge : edge + len(own)]
        assert (np.abs(slopes - expected) < 4.0 * deviation + 3.0 / SLICES).all()  # offsets are taken out of each take
        assert dynamics.noise[child] == pytest.approx(np.sqrt(left), rel=0.05)
        edge += len(own)


def test_variants_of_the_network_have_the_second_moments_of_the_truth() -> None:
    true = correlations(np.concatenate(list(simulated(200, SLICES, 8))))
    np.testing.assert_allclose(found().correlation, truth().correlation, atol=0.1)
    np.testing.assert_allclose(correlations(samples(found(), 20_000, 2)), true, atol=0.1)


def prediction_error(dynamics: Dynamics, takes: Floats, known: Floats) -> Floats:
    """(nodes,): squared error of one step, as a share of the variance, on takes that were not learned from."""
    mean, size = known.mean(axis=0), known.std(axis=(0, 1))
    z = (takes - mean) / size
    older, newer, inside = matrices(dynamics.network, dynamics.slopes)
    predicted = z[:, 2:] @ inside.T + z[:, 1:-1] @ newer.T + z[:, :-2] @ older.T
    return np.asarray(((z[:, 2:] - predicted) ** 2).mean(axis=(0, 1)))


def test_with_four_takes_learned_parents_predict_further_takes_better() -> None:
    errors: dict[str, list[float]] = {"learned": [], "random": [], "own": []}
    for seed in range(6):
        few, further = simulated(4, 60, 20 + seed), simulated(20, 60, 90 + seed)
        for kind, found in errors.items():
            own = prediction_error(learned_from(few, kind, seed), further, few)
            found.append(float(own[[1, 2, 3, 4]].mean()))  # those that have other parents in truth
    learned, drawn, own = (np.array(found) for found in errors.values())
    assert (learned < own).all()
    assert learned.mean() < 0.8 * own.mean()
    assert learned.mean() < 0.9 * drawn.mean()


def test_kinds_of_parents() -> None:
    few = simulated(5, 40, 2)
    learned, drawn = (learned_from(few, kind) for kind in ("learned", "random"))
    assert edges(learned_from(few, "own")) == set()
    assert all(len(own) == 0 for own in learned_from(few, "none").network.edges)
    assert [len(own) for own in drawn.network.edges] == [len(own) for own in learned.network.edges]
    assert edges(drawn) != edges(learned)


def test_what_looks_like_a_trait_by_chance_is_not_added_twice() -> None:
    """Takes of a network without traits have offsets all the same; those of what is drawn must not be larger."""
    takes = simulated(40, 30, 7)
    dynamics = learned_from(takes)
    size = SIZES / np.sqrt(np.diag(truth().covariance)[:NODES])
    given = (takes * size).mean(axis=1).std(axis=0)
    rest = np.stack([samples(dynamics, 29, seed).mean(axis=0) for seed in range(400)])
    scale = np.sqrt((dynamics.sizes**2).mean(axis=0) / np.diag(dynamics.covariance)[:NODES])
    drawn = np.sqrt(rest.var(axis=0) * scale**2 + dynamics.trait_sizes[0] ** 2)
    np.testing.assert_allclose(drawn, given, rtol=0.3)
    assert (dynamics.trait_sizes[0] < 0.85 * given).all()


def test_two_takes_are_enough_to_learn_from() -> None:
    dynamics = learned_from(simulated(2, 60, 5))
    assert np.isfinite(dynamics.slopes).all()
    assert all(len(own) <= Settings().max_parents for own in dynamics.network.edges)


def test_frames_of_the_network_are_a_step_apart() -> None:
    assert found().slices == SLICES
    assert courses_from(simulated(2, 60, 5)).smooth.shape[1] == 121


def test_an_edge_within_a_frame_never_leads_back() -> None:
    network = found().network
    assert isinstance(network, TransitionNetwork)
    order = network.prediction_order()
    place = {node: k for k, node in enumerate(order)}
    for child, parents in enumerate(network.edges):
        assert all(place[p % NODES] < place[child] for p in parents if p >= 2 * NODES)

"""What deviates together: covariance selection by its law, edges that predict further takes, unit variances."""

from __future__ import annotations

import numpy as np
import pytest
from freshtake.variation.ties import (
    SHRINK,
    correlations_from,
    correlations_of,
    covariance_selection,
    learn_ties,
    likelihood,
    shuffled,
    strongest,
    tied_deviations,
    tied_shares,
)


def chain(rng: np.random.Generator, takes: int, phases: int = 60, dofs: int = 8) -> np.ndarray:
    """Deviations of takes in which every DOF follows the one before it; the last stands alone. Smooth over phases."""
    knots = rng.normal(size=(takes, 6, dofs))
    for k in range(1, dofs - 1):
        knots[..., k] = 0.9 * knots[..., k - 1] * (-1.0) ** k + 0.3 * knots[..., k]
    at = np.linspace(0, 5, phases)
    low = np.minimum(at.astype(int), 4)
    t = (at - low)[:, None]
    return np.asarray((1 - t) * knots[:, low] + t * knots[:, low + 1])


def correlation(seed: int, dofs: int = 6) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(50, dofs)) @ np.random.default_rng(seed + 1).normal(
        size=(dofs, dofs)
    )
    found = np.corrcoef(rows.T)
    np.fill_diagonal(found, 0.0)
    return np.asarray(found)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("count", [0, 3, 7, 15])
def test_covariance_selection_meets_the_edges_and_has_no_precision_elsewhere(seed: int, count: int) -> None:
    wanted = correlation(seed)
    edges = strongest(wanted, count)
    assert edges.sum() == 2 * count
    out = covariance_selection(wanted, edges)
    np.testing.assert_allclose(np.diag(out), 1.0)
    np.testing.assert_allclose(out[edges], SHRINK * wanted[edges], atol=1e-3)
    free = ~edges & ~np.eye(6, dtype=bool)
    assert np.abs(np.linalg.inv(out)[free]).max(initial=0.0) < 5e-3
    assert np.linalg.eigvalsh(out)[0] > 0


def test_a_chain_is_found_and_what_stands_alone_stays_alone() -> None:
    precision = learn_ties(chain(np.random.default_rng(0), 6), np.ones(8, dtype=bool))
    for k in range(1, 7):
        assert precision[k, k - 1] != 0.0
    implied = correlations_from(precision)
    assert (np.sign([implied[k, k - 1] for k in range(1, 7)]) == [(-1.0) ** k for k in range(1, 7)]).all()
    held = np.array([True] * 7 + [False])
    assert not learn_ties(chain(np.random.default_rng(0), 6), held)[7, :7].any()


def test_learned_edges_make_further_takes_likelier_than_random_ones_or_none() -> None:
    """The reason for the network: takes that were not learned from deviate as it says."""
    rng = np.random.default_rng(3)
    precision = learn_ties(chain(rng, 4), np.ones(8, dtype=bool))
    further = chain(rng, 40).reshape(-1, 8)
    further = further / further.std(axis=0)
    learned = likelihood(further, correlations_from(precision))
    assert learned > likelihood(further, np.eye(8)) + 0.05
    for seed in range(5):
        assert learned > likelihood(further, correlations_from(shuffled(precision, np.random.default_rng(seed)))) + 0.05


def test_order_of_dofs_does_not_matter() -> None:
    apart = chain(np.random.default_rng(1), 4)
    order = np.random.default_rng(2).permutation(8)
    free = np.ones(8, dtype=bool)
    np.testing.assert_allclose(
        learn_ties(apart[..., order], free), learn_ties(apart, free)[np.ix_(order, order)], atol=2e-3
    )


@pytest.mark.parametrize("ties", [0.0, 0.5, 1.0])
def test_mixed_normals_have_unit_variance_and_the_correlations_asked_for(ties: float) -> None:
    wanted = correlations_from(learn_ties(chain(np.random.default_rng(0), 5), np.ones(8, dtype=bool)))
    mixing = tied_deviations(wanted, ties)
    np.testing.assert_allclose(mixing @ mixing.T, ties * wanted + (1 - ties) * np.eye(8), atol=1e-9)
    shares = tied_shares(wanted, np.abs(wanted) > 0.5, ties)
    together = shares @ shares.T
    np.testing.assert_allclose(np.diag(together), 1.0)
    assert (together >= -1e-12).all()  # shares are tied without signs
    assert (together[0, 1] > 0.3) == (ties > 0.0)


def test_shuffling_keeps_the_network_and_moves_it() -> None:
    precision = learn_ties(chain(np.random.default_rng(0), 5), np.ones(8, dtype=bool))
    moved = shuffled(precision, np.random.default_rng(0))
    np.testing.assert_allclose(np.sort(np.linalg.eigvalsh(moved)), np.sort(np.linalg.eigvalsh(precision)))
    assert not np.array_equal(moved, precision)


def test_correlations_are_of_deviations_in_units_of_their_spread() -> None:
    apart = np.random.default_rng(0).normal(size=(3, 40, 4))
    apart[..., 1] = -2.0 * apart[..., 0]
    apart[..., 3] = 0.0
    found = correlations_of(apart)
    assert found[0, 1] == pytest.approx(-1.0, abs=1e-3)
    assert not found[3].any()
    assert not np.diag(found).any()
    np.testing.assert_array_equal(learn_ties(apart[:1], np.ones(4, dtype=bool)), np.eye(4))

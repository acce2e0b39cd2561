"""Ties between nodes: unit variance, stronger ties correlate more, signs where they are asked for."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.variation.ties import edge_correlations, tied_mixing

EDGES = ((1,), (0,), (1,), ())  # a chain 0 - 1 - 2; node 3 stands alone


def correlations(sign: float = 1.0) -> np.ndarray:
    out = np.zeros((4, 4))
    out[0, 1] = out[1, 0] = 0.9
    out[1, 2] = out[2, 1] = 0.7 * sign
    return out


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("ties", [0.0, 0.5, 0.9, 0.999])
def test_mixed_normals_have_unit_variance(ties: float, signed: bool) -> None:
    mixing = tied_mixing(correlations(-1.0), ties, signed=signed)
    np.testing.assert_allclose(np.diag(mixing @ mixing.T), 1.0, atol=1e-12)


def test_mixing_is_the_field_of_its_docstring() -> None:
    """The covariance, scaled to unit variance, is the inverse of the precision written there."""
    ties, precision, r = 0.8, np.eye(4), correlations(-1.0)
    for i in range(4):
        for j in range(i):
            direction = np.zeros(4)
            direction[i], direction[j] = 1.0, -np.sign(r[i, j])
            precision += ties / (1 - ties) * abs(r[i, j]) * np.outer(direction, direction)
    # The root of the covariance is scaled row by row, so that correlations are those of the inverse.
    covariance = np.linalg.inv(precision)
    size = np.sqrt(np.diag(covariance))
    mixing = tied_mixing(r, ties, signed=True)
    np.testing.assert_allclose(mixing @ mixing.T, covariance / np.outer(size, size), atol=1e-10)


def test_correlation_grows_with_strength_and_is_none_without_edges() -> None:
    tied = [tied_mixing(correlations(), ties, signed=False) for ties in (0.0, 0.3, 0.6, 0.9)]
    together = [m @ m.T for m in tied]
    np.testing.assert_allclose(together[0], np.eye(4), atol=1e-12)
    for edge in ((0, 1), (1, 2), (0, 2)):
        assert (np.diff([c[edge] for c in together]) > 0.01).all()
    assert all(np.abs(c[3, :3]).max() < 1e-12 for c in together)


def test_signs_count_only_when_signed() -> None:
    signed = tied_mixing(correlations(-1.0), 0.9, signed=True)
    plain = tied_mixing(correlations(-1.0), 0.9, signed=False)
    assert (signed @ signed.T)[1, 2] < -0.1
    assert (signed @ signed.T)[0, 1] > 0.1
    assert (plain @ plain.T)[1, 2] > 0.1


def test_edge_correlations_are_those_of_the_deviations_where_there_is_an_edge() -> None:
    rng = np.random.default_rng(0)
    apart = rng.normal(size=(3, 50, 4))
    apart[..., 1] = -2.0 * apart[..., 0]
    apart[..., 3] = 0.0
    found = edge_correlations(((1, 3), (1,), (0,), ()), apart)
    assert found[0, 1] == pytest.approx(-1.0)
    flat = apart.reshape(-1, 4)
    expected = (flat[:, 0] @ flat[:, 2]) / np.sqrt((flat[:, 0] @ flat[:, 0]) * (flat[:, 2] @ flat[:, 2]))
    assert found[0, 2] == pytest.approx(expected)
    np.testing.assert_array_equal(found, found.T)
    assert found[1, 2] == 0.0  # no edge
    assert found[0, 3] == 0.0  # an edge to what never deviates
    assert found[1, 1] == 0.0

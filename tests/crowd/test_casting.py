"""Positions keep their distance, fit if they can and are refused if they cannot."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from freshtake.crowd.casting import along, disc, grid
from freshtake.errors import UsageError


@pytest.mark.parametrize("number", [1, 2, 7, 60, 400])
@pytest.mark.parametrize("radius", [None, 40.0])
def test_nobody_in_a_disc_stands_closer_than_the_gap(number: int, radius: float | None) -> None:
    places = disc(number, 1.2, radius, np.random.default_rng(number)).ground
    assert len(places) == number
    assert number == 1 or pdist(places).min() >= 1.2 - 1e-9
    if radius is not None:
        assert np.hypot(*places.T).max() <= radius + 1e-9


def test_a_disc_is_random_and_a_full_one_is_refused() -> None:
    one, other = (disc(50, 1.0, 10.0, np.random.default_rng(k)).ground for k in (0, 1))
    assert np.abs(one - other).max() > 0.5
    with pytest.raises(UsageError, match=r"placement: 500 characters, 1 m apart, do not fit into a disc of 5 m radius"):
        disc(500, 1.0, 5.0, np.random.default_rng(0))


@pytest.mark.parametrize(("number", "radius"), [(1, 0.1), (2, 1.0), (3, 2 / np.sqrt(3)), (7, 2.0), (19, 4.0)])
def test_a_disc_takes_what_hexagons_allow(number: int, radius: float) -> None:
    places = disc(number, 2.0, radius, np.random.default_rng(1)).ground
    assert number == 1 or pdist(places).min() >= 2.0 - 1e-9
    assert np.hypot(*places.T).max() <= radius + 1e-6


def test_a_grid_is_centred_and_regular() -> None:
    places = grid(9, 2.0).ground
    np.testing.assert_allclose(places.mean(axis=0), 0.0, atol=1e-12)
    assert pdist(places).min() == pytest.approx(2.0)


def test_paths_are_followed_at_the_spacing_and_faced_along() -> None:
    lines = (((0.0, 0.0), (0.0, 4.0), (4.0, 4.0)), ((10.0, 0.0), (10.0, -4.0)))
    places = along(lines, 14, 1.0)
    np.testing.assert_allclose(places.ground[:3], [[0, 0], [0, 1], [0, 2]])
    np.testing.assert_allclose(places.ground[6], [2.0, 4.0])
    np.testing.assert_allclose(places.heading[[0, 6, 13]], [0.0, np.pi / 2, np.pi])  # along z, along x, against z
    with pytest.raises(UsageError, match="which have room for 14"):
        along(lines, 15, 1.0)


def test_nobody_shares_a_place_on_a_closed_path() -> None:
    square = ((0.0, 0.0), (0.0, 4.0), (4.0, 4.0), (4.0, 0.0), (0.0, 0.0))
    ground = along((square,), 16, 1.0).ground
    apart = np.linalg.norm(ground[:, None] - ground, axis=-1)[np.triu_indices(16, 1)]
    assert apart.min() > 0.99  # the end of the path is its start
    with pytest.raises(UsageError, match="which have room for 16"):
        along((square,), 17, 1.0)

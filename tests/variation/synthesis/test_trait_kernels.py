"""Traits, compiled, against the equations written out in numpy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import erf

from freshtake.variation.synthesis.swing_following import swing_tables
from freshtake.variation.synthesis.trait_kernels import tie_traits


@pytest.mark.parametrize("ends", [0, 2])
def test_traits_are_tied_spread_and_led_to_their_swings(ends: int) -> None:
    rng, knots, traits, nodes = np.random.default_rng(ends), 5, 3, 11
    roots, drawn = rng.normal(0, 0.4, (traits, nodes, nodes)), rng.normal(size=(knots, traits, nodes))
    tables = swing_tables(np.array([7, 9][:ends], np.intp), rng.uniform(0.5, 2, ends), rng.normal(size=(ends, 33)))
    tie_traits(np.ascontiguousarray(roots.transpose(0, 2, 1)), tables, drawn, found := np.empty_like(drawn))
    spread = np.sqrt(3) * erf(np.einsum("qij,cqj->cqi", roots, drawn) / np.sqrt(2))
    flat = spread.reshape(knots, -1)
    wanted = flat + (spread[:, 0, tables.nodes] * tables.sizes - flat @ tables.changes.T) @ tables.follows.T
    np.testing.assert_allclose(found.reshape(knots, -1), wanted, atol=1e-12)

"""Variants of one command that balance each other: each is a standard normal draw, their mean is zero."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.workflows.inputs import BalancedGenerator, balanced_generator

SIZE = 15


def group(seed: int) -> list[BalancedGenerator]:
    """Return the generators of all draws of one group."""
    return [
        BalancedGenerator(np.random.default_rng([seed, place]), np.random.default_rng([seed, 99, 0]), SIZE, place)
        for place in range(SIZE)
    ]


def test_draws_of_a_group_sum_to_zero_in_every_call() -> None:
    draws = group(3)
    for shape in (4, (2, 5), None):
        total = sum(np.asarray(draw.standard_normal(shape)) for draw in draws)
        np.testing.assert_allclose(total, 0.0, atol=1e-12)


def test_each_draw_alone_is_standard_normal() -> None:
    values = np.array([group(seed)[4].standard_normal(8) for seed in range(1500)])
    # bounds are four standard errors of 12,000 numbers
    assert abs(values.mean()) < 4.0 / np.sqrt(values.size)
    assert values.var() == pytest.approx(1.0, abs=4.0 * np.sqrt(2.0 / values.size))
    assert (np.abs(values) > 1.96).mean() == pytest.approx(0.05, abs=4.0 * np.sqrt(0.05 * 0.95 / values.size))


def test_everything_else_is_the_draws_generator() -> None:
    for place, draw in enumerate(group(5)):
        assert draw.integers(0, 2**40) == np.random.default_rng([5, place]).integers(0, 2**40)


def test_variants_of_a_command_are_balanced_fifteen_at_a_time() -> None:
    drawn = np.array([balanced_generator(0, number).standard_normal(5) for number in range(1, 31)])
    np.testing.assert_allclose(drawn[:15].sum(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(drawn[15:].sum(axis=0), 0.0, atol=1e-12)
    assert not np.allclose(drawn[:15], drawn[15:])

"""Discriminant analysis on states."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.errors import UsageError
from freshtake.style.footplants import learn_annotation


def test_direction_separates_where_single_states_do_not() -> None:
    rng = np.random.default_rng(0)
    yes = rng.random(3000) < 0.5
    shared = rng.normal(size=3000)
    states = np.stack([shared + 0.5 * yes, shared - 0.5 * yes], axis=1) + 0.05 * rng.normal(size=(3000, 2))
    found = learn_annotation("stands", [states[:2000]], [yes[:2000]])
    assert np.mean(found.label(states[2000:]) == yes[2000:]) > 0.99
    single = [np.mean((states[:, k] > np.median(states[:, k])) == yes) for k in range(2)]
    assert max(max(s, 1 - s) for s in single) < 0.75


def test_boundary_is_where_both_gaussians_are_equally_likely() -> None:
    rng = np.random.default_rng(1)
    yes = np.arange(40_000) % 4 == 0
    values = np.where(yes, rng.normal(3.0, 1.0, 40_000), rng.normal(0.0, 2.0, 40_000))
    found = learn_annotation("any", [values[:, None]], [yes])
    at = found.boundary / found.direction[0]

    def density(mean: float, deviation: float, share: float) -> float:
        return float(share / deviation * np.exp(-0.5 * ((at - mean) / deviation) ** 2))

    assert density(3.0, 1.0, 0.25) == pytest.approx(density(0.0, 2.0, 0.75), rel=0.1)
    assert np.mean(found.label(values[:, None]) == yes) > 0.84


@pytest.mark.parametrize("value", [True, False])
def test_a_label_that_never_changes_stays(value: bool) -> None:
    states = np.random.default_rng(2).normal(size=(20, 3))
    found = learn_annotation("always", [states], [np.full(20, value)])
    assert (found.label(states) == value).all()


def test_labels_must_fit_the_frames() -> None:
    with pytest.raises(UsageError, match="10 labels for 20 frames"):
        learn_annotation("stands", [np.zeros((20, 2))], [np.zeros(10, dtype=bool)])

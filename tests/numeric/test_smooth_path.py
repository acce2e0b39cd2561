"""The smooth path against a dense least-squares solution, and its laws."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.numeric.arrays import Floats
from freshtake.numeric.smooth_path import smooth_path


def solved(weights: Floats, wishes: Floats, past: Floats, known: int) -> Floats:
    out = np.empty_like(wishes)
    smooth_path(weights, wishes, past, known, np.empty((len(weights), 4)), out)
    return out


def dense(weights: Floats, wishes: Floats, past: Floats, known: int) -> Floats:
    """The same by one large least-squares problem."""
    count, columns = wishes.shape
    rows, right = [np.diag(np.sqrt(weights))], [np.sqrt(weights)[:, None] * wishes]
    for k in range(max(3 - known, 0), count):
        row, rest = np.zeros((1, count)), np.zeros((1, columns))
        for i, factor in enumerate((1.0, -3.0, 3.0, -1.0)):
            if k - i >= 0:
                row[0, k - i] = factor
            else:
                rest -= factor * past[i - k - 1]
        rows.append(row)
        right.append(rest)
    return np.asarray(np.linalg.lstsq(np.concatenate(rows), np.concatenate(right), rcond=None)[0])


@pytest.mark.parametrize("known", [0, 1, 2, 3])
@pytest.mark.parametrize("frames", [1, 2, 3, 24])
def test_it_is_the_least_squares_solution(known: int, frames: int) -> None:
    rng = np.random.default_rng(known)
    weights, wishes, past = rng.uniform(1e-4, 0.1, frames), rng.normal(size=(frames, 2)), rng.normal(size=(3, 2))
    np.testing.assert_allclose(
        solved(weights, wishes, past, known), dense(weights, wishes, past, known), atol=1e-8, rtol=1e-8
    )


def test_a_parabola_goes_on() -> None:
    """Without wishes that matter, acceleration stays as it was."""
    t = np.arange(-3.0, 12.0)[:, None]
    path = 0.3 * t * t - t + 2.0
    made = solved(np.full(12, 1e-12), np.zeros((12, 1)), path[2::-1].copy(), 3)
    np.testing.assert_allclose(made, path[3:], atol=1e-3)


def test_strong_wishes_are_met_and_nothing_stays_nothing() -> None:
    wishes = np.random.default_rng(0).normal(size=(20, 1))
    np.testing.assert_allclose(solved(np.full(20, 1e9), wishes, np.zeros((3, 1)), 3), wishes, atol=1e-6)
    np.testing.assert_array_equal(solved(np.full(20, 0.1), np.zeros((20, 1)), np.zeros((3, 1)), 3), np.zeros((20, 1)))

"""The smooth path against a dense least-squares solution, and its laws."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.numeric.arrays import Floats
from freshtake.numeric.smooth_path import COLUMNS, EDGE, PathScratch, path_scratch, smooth_paths, solve_banded


def solved(weights: Floats, targets: Floats, past: Floats, known: int, scratch: PathScratch | None = None) -> Floats:
    """Columns of targets with the same weights; further columns of the scratch hold something else."""
    frames, columns = targets.shape
    scratch = path_scratch(frames + 2) if scratch is None else scratch
    scratch.weights[:frames], scratch.targets[:frames], scratch.past[:] = 0.03, 1.0, 7.0
    scratch.weights[:frames, :columns] = weights.reshape(frames, -1)
    scratch.targets[:frames, :columns], scratch.past[:, :columns] = targets, past
    smooth_paths(scratch, frames, known)
    return scratch.path[EDGE : EDGE + frames, :columns].copy()


def solved_at_once(weights: Floats, targets: Floats, past: Floats, known: int) -> Floats:
    """The same by one large least-squares problem."""
    count, columns = targets.shape
    rows, right = [np.diag(np.sqrt(weights))], [np.sqrt(weights)[:, None] * targets]
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
    weights, targets, past = rng.uniform(1e-4, 0.1, frames), rng.normal(size=(frames, 2)), rng.normal(size=(3, 2))
    np.testing.assert_allclose(
        solved(weights, targets, past, known), solved_at_once(weights, targets, past, known), atol=1e-8, rtol=1e-8
    )


def test_a_parabola_goes_on() -> None:
    """Without targets that matter, acceleration stays as it was."""
    t = np.arange(-3.0, 12.0)[:, None]
    path = 0.3 * t * t - t + 2.0
    made = solved(np.full(12, 1e-12), np.zeros((12, 1)), path[2::-1].copy(), 3)
    np.testing.assert_allclose(made, path[3:], atol=1e-3)


def test_strong_targets_are_met_and_nothing_stays_nothing() -> None:
    targets = np.random.default_rng(0).normal(size=(20, 1))
    np.testing.assert_allclose(solved(np.full(20, 1e9), targets, np.zeros((3, 1)), 3), targets, atol=1e-6)
    np.testing.assert_array_equal(solved(np.full(20, 0.1), np.zeros((20, 1)), np.zeros((3, 1)), 3), np.zeros((20, 1)))


def test_every_column_has_weights_of_its_own() -> None:
    rng = np.random.default_rng(2)
    weights, targets, past = rng.uniform(1e-4, 0.1, (9, COLUMNS)), rng.normal(size=(9, COLUMNS)), np.ones((3, COLUMNS))
    made = solved(weights, targets, past, 3)
    for column in range(COLUMNS):
        one = slice(column, column + 1)
        np.testing.assert_allclose(
            made[:, one], solved_at_once(weights[:, column], targets[:, one], past[:, one], 3), atol=1e-8, rtol=1e-8
        )


def test_room_that_was_used_for_longer_paths_changes_nothing() -> None:
    rng, scratch = np.random.default_rng(3), path_scratch(24)
    for frames, known in ((24, 3), (5, 3), (5, 1), (1, 0), (24, 2)):
        weights, targets = rng.uniform(1e-4, 0.1, frames), rng.normal(size=(frames, 2))
        past = rng.normal(size=(3, 2))
        np.testing.assert_array_equal(
            solved(weights, targets, past, known, scratch), solved(weights, targets, past, known)
        )


def dense(bands: Floats) -> Floats:
    """The matrices (systems, rows, rows) that the bands stand for."""
    rows, columns, systems = bands.shape
    out = np.zeros((systems, rows, rows))
    for i in range(rows):
        for k in range(min(i + 1, columns)):
            out[:, i, i - k] = out[:, i - k, i] = bands[i, k]
    return out


def systems(rng: np.random.Generator, rows: int, width: int, count: int) -> np.ndarray:
    """Diagonally dominant, hence positive definite."""
    bands = rng.normal(size=(rows, width + 1, count))
    bands[:, 0] = 2.0 * (width + 1) * np.abs(bands).max() + rng.random((rows, count))
    return bands


@pytest.mark.parametrize("rows", [1, 2, 5, 40])
@pytest.mark.parametrize("width", [0, 1, 2, 3])
def test_equals_dense_elimination(rows: int, width: int) -> None:
    rng = np.random.default_rng(10 * rows + width)
    bands, right = systems(rng, rows, width, 4), rng.normal(size=(rows, 4))
    matrices = dense(bands)
    expected = np.stack([np.linalg.solve(matrices[k], right[:, k]) for k in range(4)], axis=1)
    np.testing.assert_allclose(solve_banded(bands.copy(), right), expected, rtol=1e-10)


def test_right_sides_stay_as_they_are() -> None:
    rng = np.random.default_rng(1)
    right = rng.normal(size=(9, 2))
    kept = right.copy()
    solve_banded(systems(rng, 9, 2, 2), right)
    np.testing.assert_array_equal(right, kept)

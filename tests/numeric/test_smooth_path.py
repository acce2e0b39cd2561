"""The smooth path against a dense least-squares solution, and its laws."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.numeric.arrays import Floats
from freshtake.numeric.smooth_path import COLUMNS, EDGE, PathRoom, path_room, smooth_paths


def solved(weights: Floats, targets: Floats, past: Floats, known: int, room: PathRoom | None = None) -> Floats:
    """Columns of targets with the same weights; further columns of the room hold something else."""
    frames, columns = targets.shape
    room = path_room(frames + 2) if room is None else room
    room.weights[:frames], room.targets[:frames], room.past[:] = 0.03, 1.0, 7.0
    room.weights[:frames, :columns] = weights.reshape(frames, -1)
    room.targets[:frames, :columns], room.past[:, :columns] = targets, past
    smooth_paths(room, frames, known)
    return room.path[EDGE : EDGE + frames, :columns].copy()


def dense(weights: Floats, targets: Floats, past: Floats, known: int) -> Floats:
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
        solved(weights, targets, past, known), dense(weights, targets, past, known), atol=1e-8, rtol=1e-8
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
            made[:, one], dense(weights[:, column], targets[:, one], past[:, one], 3), atol=1e-8, rtol=1e-8
        )


def test_room_that_was_used_for_longer_paths_changes_nothing() -> None:
    rng, room = np.random.default_rng(3), path_room(24)
    for frames, known in ((24, 3), (5, 3), (5, 1), (1, 0), (24, 2)):
        weights, targets = rng.uniform(1e-4, 0.1, frames), rng.normal(size=(frames, 2))
        past = rng.normal(size=(3, 2))
        np.testing.assert_array_equal(
            solved(weights, targets, past, known, room), solved(weights, targets, past, known)
        )

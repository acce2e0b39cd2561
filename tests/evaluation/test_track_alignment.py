"""Dynamic time warping against the written-out recursion."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.evaluation.tracks import aligned_to, dtw_distances, dtw_path
from freshtake.motion.body.orientation import distances
from freshtake.numeric.arrays import Floats


def slow_total(a: Floats, b: Floats) -> float:
    table: dict[tuple[int, int], float] = {}
    for i in range(len(a)):
        for j in range(len(b)):
            c = float(np.linalg.norm(a[i] - b[j]))
            before = [table.get((i - 1, j), np.inf) + c, table.get((i, j - 1), np.inf) + c]
            before.append(table.get((i - 1, j - 1), np.inf) + 2 * c if i + j else 2 * c)
            table[i, j] = min(before)
    return table[len(a) - 1, len(b) - 1]


SHAPES = [(1, 1), (1, 5), (5, 1), (4, 4), (7, 3), (3, 9), (12, 11)]


def sequences() -> list[tuple[Floats, Floats]]:
    rng = np.random.default_rng(0)
    return [(rng.normal(size=(n, 3)), rng.normal(size=(m, 3))) for n, m in SHAPES]


def test_a_batch_of_all_shapes_equals_the_recursion() -> None:
    pairs = sequences()
    slow = [slow_total(a, b) / (len(a) + len(b)) for a, b in pairs]
    assert np.allclose(dtw_distances(pairs), slow)
    assert np.allclose(dtw_distances([(b, a) for a, b in pairs]), slow)


@pytest.mark.parametrize("number", range(len(SHAPES)))
def test_the_path_is_monotone_and_costs_the_distance(number: int) -> None:
    a, b = sequences()[number]
    path = dtw_path(a, b)
    steps = np.diff(path, axis=0)
    assert path[0].tolist() == [0, 0]
    assert path[-1].tolist() == [len(a) - 1, len(b) - 1]
    assert steps.size == 0 or (steps.min() >= 0 and steps.max() <= 1 and steps.sum(axis=1).min() >= 1)
    cost = distances(a, b)
    weights = np.concatenate([[2], steps.sum(axis=1)])
    assert np.isclose((weights * cost[path[:, 0], path[:, 1]]).sum(), slow_total(a, b))


def test_equal_sequences_have_no_distance_and_time_does_not_count() -> None:
    time = np.linspace(0, 1, 60)
    curve = np.stack([np.sin(6 * time), np.cos(4 * time)], axis=1)
    bent = np.linspace(0, 1, 75) ** 1.3
    slower = np.stack([np.sin(6 * bent), np.cos(4 * bent)], axis=1)
    same, warped = dtw_distances([(curve, curve), (curve, slower)])
    assert same < 1e-7
    assert warped < 0.03
    assert np.abs(aligned_to(curve, slower) - curve).max() < 0.12
    assert np.abs(aligned_to(curve, curve) - curve).max() < 1e-12

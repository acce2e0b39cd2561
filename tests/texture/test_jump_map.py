"""Jump maps: rows sum to one, eqs. 3-8 written out, slow twins of the kernels, calibration, reach."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats
from freshtake.texture.frame_distance import Weights, laid_out, matrix, weighted_frames, weights_of
from freshtake.texture.jump_map import (
    Jumps,
    as_table,
    calibrated,
    chances_at,
    combined,
    find_jumps,
    jump_rate,
    probabilities,
    reach_of,
    successor_distances,
    totals,
    within,
)
from freshtake.texture.play_kernels import Frames, costs_to_come
from tests.texture.made import circling


def _case(cells: tuple[str, ...] = ("all",)):
    rows = [circling(3.0, seed=k) + 0.01 * k for k in range(len(cells))]
    segments = laid_out([len(x) for x in rows], list(cells))
    velocities = np.concatenate([np.gradient(x, axis=0) for x in rows])
    weights = weights_of(np.concatenate(rows), velocities, 4, 4)
    return weighted_frames(weights, segments, 1 / 60, 0.5), segments


def test_probabilities_are_exponentials_of_successor_distances() -> None:
    d = np.random.default_rng(0).uniform(0, 3, size=(5, 5))
    p = probabilities(d, 0.7)
    expected = np.exp(-d / 0.7)
    np.testing.assert_allclose(p, expected / expected.sum(axis=1, keepdims=True))
    assert np.isfinite(probabilities(d * 1e6, 1e-3)).all()


def test_emphasis_as_printed() -> None:
    rng = np.random.default_rng(1)
    p, pv = (probabilities(rng.uniform(size=(4, 4)), 0.3) for _ in range(2))
    plain = p * pv
    np.testing.assert_allclose(combined(p, pv), plain / plain.sum(axis=1, keepdims=True))  # eq. 7
    mixed = (0.3 + 0.7 * p) * (0.1 + 0.9 * pv)
    np.testing.assert_allclose(combined(p, pv, 0.3, 0.1), mixed / mixed.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(combined(p, pv, q=1.0), pv)  # the text has it the other way round
    np.testing.assert_allclose(combined(p, pv, velocity_q=1.0), p)
    np.testing.assert_allclose(combined(np.eye(2), 1.0 - np.eye(2)), 0.5)  # nothing left: all alike


def test_a_full_map_as_jumps_keeps_all_chances() -> None:
    p = probabilities(np.random.default_rng(2).uniform(size=(5, 5)), 0.5)
    successor = laid_out([5], ["all"]).successors()
    targets, chances, onward = as_table(p, successor)
    np.testing.assert_allclose(onward + chances.sum(axis=1), 1.0)
    assert targets.shape == (5, 5) and onward[-1] == 0.0 and chances[1, 2] == 0.0


def slow_costs(frames: Frames) -> Floats:
    """For all jumps from i to j: how far j's pose and velocity are from those that follow i."""
    pose = np.linalg.norm(frames.ahead[:, None] - frames.here, axis=2)
    return np.asarray(pose + np.linalg.norm(frames.speed_ahead[:, None] - frames.speed, axis=2))


def test_costs_of_jumps_equal_their_slow_twin() -> None:
    frames, _ = _case()
    slow = slow_costs(frames)
    np.testing.assert_allclose(matrix(frames), slow, atol=1e-12)


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("cells", [("all",), ("a", "b", "a")])
def test_best_jumps_equal_a_slow_search(cells: tuple[str, ...], k: int) -> None:
    frames, segments = _case(cells)
    costs, label, band = slow_costs(frames), segments.cells(), 4
    found = find_jumps(frames, label, label, band, k)
    for i in range(0, segments.frames, 3):
        good = []
        for j in range(segments.frames):
            inside = (frames.first[j], frames.last[j])
            before = costs[i, j - 1] if j > inside[0] and label[j - 1] == label[i] else np.inf
            after = costs[i, j + 1] if j < inside[1] and label[j + 1] == label[i] else np.inf
            little = abs(frames.gone[j] - frames.gone[i]) <= band
            near = frames.take[i] == frames.take[j] and (abs(j - i - 1) <= band or little)
            forward = min(frames.change_ahead[i] @ frames.change[j], frames.change[i] @ frames.change[j]) >= 0
            if label[j] == label[i] and not near and before >= costs[i, j] < after and forward:
                good.append((costs[i, j], j))
        expected = [j for _, j in sorted(good)[:k]]
        mine = [j for j in found.targets[i].tolist() if j >= 0]
        assert mine == expected
        np.testing.assert_allclose(found.costs[i][: len(mine)], [c for c, _ in sorted(good)[:k]], atol=1e-7)


def test_costs_to_come_solve_their_equation() -> None:
    frames, segments = _case()
    jumps = find_jumps(frames, segments.cells(), segments.cells(), 4, 6)
    successor = segments.successors()
    come = costs_to_come(successor, jumps.targets, jumps.costs, 0.9, 1000)
    onward, jumping = totals(successor, jumps, 0.9)
    np.testing.assert_allclose(come, np.minimum(onward, jumping.min(axis=1)), atol=1e-7)
    assert come[-1] > come[0]  # the end of a take is expensive: its jump is due at once


def test_chances_sum_to_one_and_calibration_meets_the_rate() -> None:
    frames, segments = _case()
    jumps = find_jumps(frames, segments.cells(), segments.cells(), 4, 6)
    reach = reach_of(jumps, segments, None)
    successor, live = within(jumps, reach, segments)
    costs = totals(successor, live, 0.99)
    for rate in (0.05, 0.1):
        sigma, reluctance = calibrated(successor, live, costs, reach.alive, rate)
        chances = chances_at(successor, live, costs, sigma, reluctance)
        total = chances.onward + chances.chances.sum(axis=1)
        np.testing.assert_allclose(total[reach.alive], 1.0)
        found, shares = jump_rate(chances, reach.alive / reach.alive.sum())
        assert abs(found - rate) < 0.05 * rate
        assert np.isclose(shares.sum(), 1.0) and (shares[~reach.alive] < 1e-6).all()


def test_long_run_shares_are_stationary() -> None:
    frames, segments = _case()
    jumps = find_jumps(frames, segments.cells(), segments.cells(), 4, 6)
    reach = reach_of(jumps, segments, None)
    successor, live = within(jumps, reach, segments)
    chances = chances_at(successor, live, totals(successor, live, 0.99), 0.5)
    full = np.zeros((segments.frames, segments.frames))
    for i in range(segments.frames):
        if successor[i] >= 0:
            full[i, successor[i]] += chances.onward[i]
        for j, p in zip(chances.targets[i], chances.chances[i], strict=True):
            if j >= 0:
                full[i, j] += p
    shares = jump_rate(chances, reach.alive / reach.alive.sum())[1]
    np.testing.assert_allclose(shares @ full, shares, atol=1e-5)


def test_frames_that_lead_nowhere_are_left_out() -> None:
    successor = laid_out([6], ["all"])
    targets = np.full((6, 1), -1, dtype=np.int32)
    costs = np.full((6, 1), np.inf)
    targets[3, 0], costs[3, 0] = 1, 1.0  # 1 2 3 go round; 0 leads in, 4 and 5 end
    reach = reach_of(Jumps(targets, costs), successor, 2.0)
    assert reach.alive.tolist() == [False, True, True, True, False, False]
    goes, live = within(Jumps(targets, costs), reach, successor)
    assert goes.tolist() == [-1, 2, 3, -1, -1, -1] and live.targets[3, 0] == 1
    with pytest.raises(UsageError, match=r"no jump of at most 0.5 mean frame steps leads back in the take"):
        reach_of(Jumps(targets, costs), successor, 0.5)


def test_distances_of_the_papers_map_are_those_of_the_successor() -> None:
    """D_(i+1, j) and D*_(i+1, j) of eqs. 3 and 6, written out; a take's last frame continues along a straight line."""
    rng = np.random.default_rng(4)
    poses, speeds = rng.normal(size=(7, 3)), rng.normal(size=(7, 2))
    segments = laid_out([4, 3], ["all", "all"])
    found = successor_distances(Weights(poses, speeds), segments)
    for values, distances in zip((poses, speeds), found, strict=True):
        for i in range(7):
            after = values[i + 1] if i not in (3, 6) else 2.0 * values[i] - values[i - 1]
            for j in range(7):
                assert distances[i, j] == pytest.approx(np.abs(after - values[j]).sum())

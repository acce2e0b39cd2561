"""Kernels of play against their definitions, written down slowly."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.numeric.arrays import Floats, Ints
from freshtake.texture.play_kernels import (
    CONSTANT,
    NO_BLEND,
    STATE,
    VARIABLE,
    Chances,
    Playing,
    PlayMaterial,
    Rules,
    Steps,
    _next,
    arrival_costs,
    inserted,
    path_costs,
    play,
    visiting,
)

COUNT = 6


def some_steps(seed: int) -> Steps:
    """A take of six frames with up to two jumps from each, some slots empty."""
    rng = np.random.default_rng(seed)
    targets = rng.integers(-1, COUNT, size=(COUNT, 2)).astype(np.int32)
    successor = np.append(np.arange(1, COUNT), -1)
    durations = rng.integers(1, 4, size=targets.shape).astype(np.int32)
    return Steps(successor, targets, rng.uniform(0.5, 3.0, size=targets.shape), durations)


def onward(steps: Steps, i: int) -> list[tuple[int, float, int]]:
    """Where frame i leads: frame, cost, duration."""
    out = [(int(steps.successor[i]), 0.0, 1)] if steps.successor[i] >= 0 else []
    for j, cost, duration in zip(steps.targets[i], steps.costs[i], steps.durations[i], strict=True):
        if j >= 0:
            out.append((int(j), float(cost), int(duration)))
    return out


def all_walks(steps: Steps, start: int, length: int, penalty: Floats) -> Floats:
    """Every walk there is, one by one."""
    least = np.full((length + 1, COUNT), np.inf)

    def walk(t: int, i: int, cost: float) -> None:
        least[t, i] = min(least[t, i], cost)
        for j, price, duration in onward(steps, i):
            if t + duration <= length:
                walk(t + duration, j, cost + penalty[i] + price)

    walk(0, start, 0.0)
    return least


@pytest.mark.parametrize("seed", range(4))
def test_path_costs_are_the_lowest_of_all_paths(seed: int) -> None:
    steps, length = some_steps(seed), 8
    penalty = np.random.default_rng(seed).uniform(0.0, 0.5, COUNT)
    least, origin = np.empty((length + 1, COUNT)), np.empty((length + 1, COUNT), dtype=np.int32)
    path_costs(1, length, steps, penalty, least, origin)
    np.testing.assert_allclose(least, all_walks(steps, 1, length, penalty), rtol=1e-12)
    for t, j in zip(*np.nonzero(np.isfinite(least)), strict=True):
        if t == 0:
            continue
        slot, before = int(origin[t, j]) // COUNT - 1, int(origin[t, j]) % COUNT
        duration = 1 if slot < 0 else steps.durations[before, slot]
        price = 0.0 if slot < 0 else steps.costs[before, slot]
        assert (steps.successor[before] if slot < 0 else steps.targets[before, slot]) == j
        assert least[t, j] == pytest.approx(least[t - duration, before] + penalty[before] + price)


@pytest.mark.parametrize("seed", range(4))
def test_arrival_costs_are_the_lowest_of_all_paths_into_the_goal(seed: int) -> None:
    steps, horizon = some_steps(10 + seed), 5
    goal = np.zeros(COUNT, dtype=np.intp)
    goal[4] = 1

    def cheapest(i: int, left: int) -> float:
        if goal[i]:
            return 0.0
        if left == 0:
            return np.inf
        return min((price + cheapest(j, left - 1) for j, price, _ in onward(steps, i)), default=np.inf)

    least = np.empty((horizon + 1, COUNT))
    arrival_costs(goal, steps.successor, steps.targets, steps.costs, horizon, least)
    for h in range(horizon + 1):
        np.testing.assert_allclose(least[h], [cheapest(i, h) for i in range(COUNT)], rtol=1e-12)


def some_chances(seed: int) -> Chances:
    """A chain that leads from every frame to every other."""
    rng = np.random.default_rng(seed)
    targets = np.array([[(i + 2) % COUNT, (i + 4) % COUNT] for i in range(COUNT)], dtype=np.int32)
    shares = rng.dirichlet(np.ones(3), size=COUNT)
    shares[-1, 0] = 0.0
    shares /= shares.sum(axis=1, keepdims=True)
    return Chances(np.append(np.arange(1, COUNT), -1), shares[:, 0].copy(), targets, shares[:, 1:].copy())


def test_visits_are_the_stationary_shares_of_the_chain() -> None:
    table = some_chances(1)
    matrix = np.zeros((COUNT, COUNT))
    for i in range(COUNT):
        if table.successor[i] >= 0:
            matrix[i, table.successor[i]] += table.onward[i]
        for j, chance in zip(table.targets[i], table.chances[i], strict=True):
            matrix[i, j] += chance
    share = np.linalg.matrix_power(matrix, 4000)[0]
    found = visiting(*table, np.full(COUNT, 1.0 / COUNT), 10_000)
    np.testing.assert_allclose(found, share, atol=1e-6)


def slow_next(draw: float, i: int, since: int, recent: Ints | list[int], table: Chances, hold: int) -> int:
    """One draw from a list of what may follow."""
    natural = int(table.successor[i])
    if natural >= 0 and since < hold:
        return natural
    jumps = [(int(j), float(c)) for j, c in zip(table.targets[i], table.chances[i], strict=True)]
    jumps = [(j, c) for j, c in jumps if j >= 0 and j not in recent and c > 0.0]
    if not jumps:
        return natural if natural >= 0 else int(table.targets[i, 0])
    frames, weights = zip(*([(natural, float(table.onward[i]))] if natural >= 0 else []), *jumps, strict=True)
    bounds = np.cumsum(weights) / sum(weights)
    return int(frames[min(int(np.searchsorted(bounds, draw, side="right")), len(frames) - 1)])


def test_the_next_frame_is_drawn_from_the_list() -> None:
    table, rng = some_chances(2), np.random.default_rng(0)
    for _ in range(3000):
        i, since, draw = int(rng.integers(COUNT)), int(rng.integers(4)), float(rng.random())
        recent = rng.integers(-1, COUNT, size=2)
        assert _next(draw, i, since, recent, table, 2) == slow_next(draw, i, since, recent, table, 2)


def slow_play(draws: Floats, start: int, plan: list[int], table: Chances, material: PlayMaterial) -> list[list[int]]:
    """What is shown, frame by frame: source, target, step, length, and the frame left by a jump or -1."""
    rules, shown, recent = material.rules, [[start, start, 0, 0, -1]], [start, -1]
    frame, since, waiting = start, rules.hold, list(plan)
    while len(shown) < len(draws):
        following = waiting.pop(0) if waiting else slow_next(draws[len(shown)], frame, since, recent, table, rules.hold)
        since += 1
        left = -1
        if following != material.natural[frame]:
            length = int(inserted(rules, material.poses, frame, following))
            shown += [[frame, following, step + 1, length, -1] for step in range(length)]
            left, since = frame, 0
        shown.append([following, following, 0, 0, left])
        frame, recent = following, [following, recent[0]]
    return shown[: len(draws)]


@pytest.mark.parametrize("blend", [NO_BLEND, CONSTANT, VARIABLE])
@pytest.mark.parametrize("plan", [[], [3, 4, 1]])
def test_play_shows_the_frames_of_its_slow_twin(blend: int, plan: list[int]) -> None:
    table = some_chances(3)
    poses = np.random.default_rng(5).normal(size=(COUNT, 3))
    natural = np.append(np.arange(1, COUNT), -1)
    draws = np.random.default_rng(6).random(400)
    material = PlayMaterial(natural, poses, Rules(2, blend, 3, 0.9))
    state = np.zeros(STATE, dtype=np.intp)
    state[:2] = 2, -1
    out = np.empty((len(draws), 5), dtype=np.int32)
    play(draws, Playing(state, np.full(2, -1), np.array(plan, dtype=np.intp)), table, material, out)
    np.testing.assert_array_equal(out, slow_play(draws, 2, plan, table, material))


def test_a_variable_blend_inserts_a_frame_per_step() -> None:
    poses = np.array([[0.0, 0.0], [3.0, 4.0], [300.0, 400.0]])
    rules = Rules(0, VARIABLE, 3, 0.8)
    assert inserted(rules, poses, 0, 1) == 6  # 5 / 0.8, rounded
    assert inserted(rules, poses, 0, 2) == 60

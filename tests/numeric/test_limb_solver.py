"""The limb solver against forward kinematics, finite differences and scipy's SLSQP."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from freshtake.numeric.arrays import Floats
from freshtake.numeric.kinematics import forward
from freshtake.numeric.limb_kernels import (
    goal_rows,
    kkt_step,
    place_limb,
    point_jacobian,
    right_jacobian_into,
    solve_spd,
)
from freshtake.numeric.limb_solver import Chain, LimbMemory, fresh_memory, solve_limb
from freshtake.numeric.rotations import from_rotvec, inverse, multiply, normalize, to_matrix, to_rotvec

JOINTS = 3


def random_limb(rng: np.random.Generator, *, tight: bool = False) -> tuple[Chain, Floats, Floats, Floats, Floats]:
    """A leg-like chain, where it hangs, its offsets and coordinates of a bent pose."""
    reference = normalize(rng.normal(size=(JOINTS, 4)))
    basis = np.stack([to_matrix(normalize(rng.normal(size=4))) for _ in range(JOINTS)])
    reach = 0.25 if tight else 3.0
    sample = rng.uniform(-0.4, 0.4, 3 * JOINTS)
    stiffness = rng.uniform(0.5, 4.0, 3 * JOINTS)
    chain = Chain(reference, basis, stiffness, sample - reach, sample + reach, 2.0)
    offsets = rng.normal(size=(JOINTS, 3)) * np.array([[1.0], [1.0], [0.3]])
    return chain, rng.normal(size=3), normalize(rng.normal(size=4)), offsets, sample


def points_of(chain: Chain, base: Floats, turned: Floats, offsets: Floats, y: Floats) -> Floats:
    """The slow twin: forward kinematics with the general routine."""
    vectors = np.einsum("nij,nj->ni", chain.basis, y.reshape(-1, 3))
    local = np.concatenate([multiply(chain.reference, from_rotvec(vectors)), [[1.0, 0, 0, 0]]])
    local[0] = multiply(turned, local[0])
    translations = np.concatenate([base[None], offsets])
    return forward(np.array([-1, 0, 1, 2]), translations[None], local[None]).positions[0]


def placed(chain: Chain, base: Floats, turned: Floats, offsets: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    points, turns, vectors = np.empty((JOINTS + 1, 3)), np.empty((JOINTS, 4)), np.empty((JOINTS, 3))
    place_limb(base, turned, offsets, chain.reference, chain.basis, y, points, turns, vectors)
    return points, turns, vectors


@pytest.mark.parametrize("seed", range(5))
def test_points_are_those_of_forward_kinematics(seed: int) -> None:
    limb = random_limb(np.random.default_rng(seed))
    np.testing.assert_allclose(placed(*limb)[0], points_of(*limb), atol=1e-12)


@pytest.mark.parametrize("point", [1, 2, 3])
def test_jacobian_against_finite_differences(point: int) -> None:
    chain, base, turned, offsets, y = random_limb(np.random.default_rng(7))
    jacobian = np.empty((3, 3 * JOINTS))
    points, turns, vectors = placed(chain, base, turned, offsets, y)
    point_jacobian(points, turns, vectors, chain.basis, point, jacobian)
    for column in range(3 * JOINTS):
        step = 1e-6 * np.eye(3 * JOINTS)[column]
        ahead, back = (points_of(chain, base, turned, offsets, y + sign * step)[point] for sign in (1, -1))
        np.testing.assert_allclose(jacobian[:, column], (ahead - back) / 2e-6, atol=1e-8)


@pytest.mark.parametrize("size", [0.0, 1e-6, 0.3, 2.5])
def test_right_jacobian_of_the_exponential(size: float) -> None:
    v = size * normalize(np.array([1.0, -2.0, 0.5]))
    out = np.empty((3, 3))
    right_jacobian_into(v, out)
    for column in range(3):
        step = 1e-6 * np.eye(3)[column]
        turned = to_rotvec(multiply(inverse(from_rotvec(v)), from_rotvec(v + step)))
        np.testing.assert_allclose(out[:, column], turned / 1e-6, atol=2e-6)


def test_cholesky_solves() -> None:
    rng = np.random.default_rng(1)
    a = rng.normal(size=(5, 5))
    matrix, right = a @ a.T + np.eye(5), rng.normal(size=5)
    wanted = np.linalg.solve(matrix, right)
    solve_spd(matrix.copy(), found := right.copy(), 5)
    np.testing.assert_allclose(found, wanted, rtol=1e-10)


def test_step_of_the_quadratic_program_is_the_kkt_point() -> None:
    """Without ranges the step solves the KKT system; with them nothing leaves its range and the goals still hold."""
    rng = np.random.default_rng(3)
    size, count = 9, 5
    rows, errors, gradient = rng.normal(size=(count, size)), rng.normal(size=count), rng.normal(size=size)
    weight = rng.uniform(0.5, 2.0, size)
    step, fixed, forces = np.empty(size), np.empty(size, dtype=bool), np.empty(count)
    wide = np.full(size, 1e3)
    kkt_step(np.zeros(size), gradient, 1 / weight, errors, rows, count, -wide, wide, 0.0, step, fixed, forces)
    system = np.block([[np.diag(weight), rows.T], [rows, np.zeros((count, count))]])
    wanted = np.linalg.solve(system, np.concatenate([-gradient, -errors]))[:size]
    np.testing.assert_allclose(step, wanted, rtol=1e-8)
    narrow = np.abs(wanted).copy() + 1.0
    narrow[np.abs(wanted).argmax()] = 0.5 * np.abs(wanted).max()
    kkt_step(np.zeros(size), gradient, 1 / weight, errors, rows, count, -narrow, narrow, 0.0, step, fixed, forces)
    assert (np.abs(step) <= narrow + 1e-12).all() and fixed.any()
    np.testing.assert_allclose(rows @ step, -errors, atol=1e-7)


def test_frozen_coordinates_have_no_say_in_the_step_of_the_others() -> None:
    """The step is that of the smaller problem, also where the larger one would leave the ranges."""
    rng = np.random.default_rng(4)
    size, count, frozen = 9, 5, np.arange(9) % 4 == 0
    rows, errors, gradient = rng.normal(size=(count, size)), rng.normal(size=count), rng.normal(size=size)
    weight = rng.uniform(0.5, 2.0, size)
    few, free = rows[:, ~frozen], size - int(frozen.sum())
    system = np.block([[np.diag(weight[~frozen]), few.T], [few, np.zeros((count, count))]])
    wanted = np.zeros(size)
    wanted[~frozen] = np.linalg.solve(system, np.concatenate([-gradient[~frozen], -errors]))[:free]
    room = np.where(frozen, 0.0, np.abs(wanted) + 1e-6)
    step, fixed, forces = np.empty(size), np.empty(size, dtype=bool), np.empty(count)
    kkt_step(np.zeros(size), gradient, 1 / weight, errors, rows, count, -room, room, 0.0, step, fixed, forces)
    np.testing.assert_allclose(step, wanted, atol=1e-8)
    np.testing.assert_array_equal(fixed, frozen)


def test_two_neighbouring_goals_take_five_rows() -> None:
    chain, base, turned, offsets, y = random_limb(np.random.default_rng(2))
    points, turns, vectors = placed(chain, base, turned, offsets, y)
    errors, rows = np.empty(6), np.empty((6, 9))
    goals = points[2:] + 0.1
    assert goal_rows(points, turns, vectors, chain.basis, goals, np.array([2, 3]), 1.0, errors, rows) == 5
    assert np.linalg.matrix_rank(rows[:5]) == 5
    np.testing.assert_allclose(errors[:3], points[2] - goals[0])


def solved_by_scipy(
    chain: Chain, base: Floats, turned: Floats, offsets: Floats, sample: Floats, mean: Floats, wanted: Floats,
    goals: Floats, at: list[int], weights: tuple[float, float],
) -> Floats:  # fmt: skip
    """Eq. 7 by SLSQP; of a toe next to an ankle only the direction is asked for."""

    def cost(y: Floats) -> float:
        return float((chain.stiffness * (weights[0] * (y - mean) ** 2 + weights[1] * (y - wanted) ** 2)).sum())

    def missed(y: Floats) -> Floats:
        points = points_of(chain, base, turned, offsets, y)
        first = points[at[0]] - goals[0]
        if len(at) == 1:
            return first
        across = np.linalg.svd((goals[1] - goals[0])[None])[2][1:]
        return np.concatenate([first, across @ (points[at[1]] - goals[1])])

    found = minimize(
        cost, sample, method="SLSQP", bounds=list(zip(chain.low, chain.high, strict=True)),
        constraints={"type": "eq", "fun": missed}, options={"maxiter": 500, "ftol": 1e-14},
    )  # fmt: skip
    assert np.abs(missed(found.x)).max() < 1e-6
    return np.asarray(found.x)


@pytest.mark.parametrize("tight", [False, True])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("at", [[2], [2, 3]])
def test_solution_is_that_of_slsqp(seed: int, at: list[int], tight: bool) -> None:
    rng = np.random.default_rng([seed, len(at)])
    chain, base, turned, offsets, sample = random_limb(rng, tight=tight)
    mean, memory = sample + 0.05 * rng.normal(size=9), LimbMemory(0.03 * rng.normal(size=(2, 9)))
    wanted = sample + 2 * memory.corrections[0] - memory.corrections[1]
    near = sample + rng.uniform(-0.2, 0.2, 9)
    goals = points_of(chain, base, turned, offsets, near)[at]
    args = (base, turned, offsets, sample, mean)
    solved = solve_limb(
        chain, *[x[None] for x in args], goals[None], np.array(at), np.array([True]), weights=(1.0, 5.0), memory=memory
    )
    oracle = solved_by_scipy(chain, *args, wanted, goals, at, (1.0, 5.0))
    ours = solved.y[0]
    assert solved.residual[0] < 1e-6
    assert (ours >= chain.low - 1e-12).all() and (ours <= chain.high + 1e-12).all()

    def cost(y: Floats) -> float:
        return float((chain.stiffness * ((y - mean) ** 2 + 5.0 * (y - wanted) ** 2)).sum())

    assert cost(ours) <= cost(oracle) * (1.0 + (5e-2 if tight else 1e-5)) + 1e-9
    if not tight:
        np.testing.assert_allclose(ours, oracle, atol=2e-4)


def test_frames_without_goals_stay_bit_for_bit() -> None:
    chain, base, turned, offsets, sample = random_limb(np.random.default_rng(0))
    frames = 4
    many = [np.tile(x, (frames, *[1] * x.ndim)) for x in (base, turned, offsets, sample, sample)]
    goals = np.zeros((frames, 1, 3))
    solved = solve_limb(chain, *many, goals, np.array([2]), np.zeros(frames, dtype=bool), weights=(1.0, 5.0))
    np.testing.assert_array_equal(solved.y, many[3])
    assert not solved.residual.any() and not solved.memory.corrections.any()


def test_memory_continues_where_frames_were_cut() -> None:
    rng = np.random.default_rng(5)
    chain, base, turned, offsets, sample = random_limb(rng)
    frames = 12
    many = [np.tile(x, (frames, *[1] * x.ndim)) for x in (base, turned, offsets)]
    path = sample + 0.1 * np.sin(np.arange(frames) / 3)[:, None]
    goal = points_of(chain, base, turned, offsets, sample + 0.1)[[2]]
    goals, active = np.tile(goal, (frames, 1, 1)), np.ones(frames, dtype=bool)
    whole = solve_limb(chain, *many, path, path, goals, np.array([2]), active, weights=(1.0, 5.0))
    memory, parts = fresh_memory(JOINTS), []
    for span in (slice(0, 5), slice(5, 6), slice(6, 12)):
        cut = [x[span] for x in (*many, path, path, goals)]
        part = solve_limb(chain, *cut, np.array([2]), active[span], weights=(1.0, 5.0), memory=memory)
        memory = part.memory
        parts.append(part.y)
    np.testing.assert_array_equal(np.concatenate(parts), whole.y)


def test_goals_out_of_reach_are_missed_by_the_rest_and_nothing_explodes() -> None:
    chain, base, turned, offsets, sample = random_limb(np.random.default_rng(4))
    length = np.linalg.norm(offsets[:2], axis=1).sum()
    goal = base + np.array([0.0, 0.0, 3.0 * length])
    args = [x[None] for x in (base, turned, offsets, sample, sample)]
    solved = solve_limb(chain, *args, goal[None, None], np.array([2]), np.array([True]), weights=(1.0, 5.0))
    assert np.isfinite(solved.y).all()
    assert solved.residual[0] == pytest.approx(2.0 * length, rel=0.05)

"""Limbs to their places (Lau 2009, §7, eq. 7): sequential quadratic programming over one limb, frame after frame."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.compiled import kernel
from freshtake.numeric.limb_kernels import goal_rows, kkt_step, place_limb

ITERATIONS = 30
EXACT = 1e-8  # radians of the last step
DAMPING = 1e-8
LONGEST_STEP = 0.5  # radians
HALVINGS = 5
STRONGEST = 1e4  # penalty per limb length missed, where goals cannot be met
AT_REST = 2e-4  # radians of correction below which a limb without goals is left alone


class Chain(NamedTuple):
    """What a limb can do: joint i turns by reference[i] exp(basis[i] y[i]), low ≤ y ≤ high.

    `reference` (n, 4), `basis` (n, 3, 3); `stiffness`, `low`, `high` (3n,); `length` is what errors are measured in.
    """

    reference: Floats
    basis: Floats
    stiffness: Floats
    low: Floats
    high: Floats
    length: float


class LimbMemory(NamedTuple):
    """What the solver remembers from frame to frame: the last two corrections y - sample, (2, 3n), newest first."""

    corrections: Floats


class SolvedLimb(NamedTuple):
    """Coordinates (frames, 3n), distance of the goals in the frames' unit (frames,), and the memory after them."""

    y: Floats
    residual: Floats
    memory: LimbMemory


def fresh_memory(joints: int) -> LimbMemory:
    """Before the first frame."""
    return LimbMemory(np.zeros((2, 3 * joints)))


def solve_limb(
    chain: Chain,
    bases: Floats,
    turned: Floats,
    offsets: Floats,
    sample: Floats,
    mean: Floats,
    goals: Floats,
    points: Ints,
    active: Bools,
    *,
    weights: tuple[float, float],
    memory: LimbMemory | None = None,
) -> SolvedLimb:
    """Coordinates of a limb, frame by frame in forward order, so that its points are at their goals.

    Minimizes w1 |y - mean|² + w2 |e - 2 e₋₁ + e₋₂|², e = y - sample, subject to points = goals and low ≤ y ≤ high
    (widened to hold the sample), each coordinate weighed by its stiffness; starts from the sample. Departs from the
    paper: smoothness is asked of the correction e, not of the angles, since the sample's own accelerations are wanted.
    `bases` (frames, 3), `turned` (frames, 4): where joint 0 is and how its parent is turned; `offsets`
    (frames, n, 3); `goals` (frames, goals, 3) for the points numbered `points`, in rising order; `active` (frames,).
    """
    memory = memory or fresh_memory(len(chain.reference))
    frames, size = sample.shape
    out, residual = np.empty((frames, size)), np.zeros(frames)
    corrections = memory.corrections.copy()
    _solve_frames(
        *chain, bases, turned, offsets, sample, mean, goals, points, active, float(weights[0]), float(weights[1]),
        corrections, out, residual,
    )  # fmt: skip
    return SolvedLimb(out, residual, LimbMemory(corrections))


@kernel
def _solve_frames(
    reference: Floats, basis: Floats, stiffness: Floats, low: Floats, high: Floats, length: float,
    bases: Floats, turned: Floats, offsets: Floats, sample: Floats, mean: Floats, goals: Floats, at: Ints,
    active: Bools, w1: float, w2: float, corrections: Floats, out: Floats, residual: Floats,
) -> None:  # fmt: skip
    """All frames; `corrections` is read and left as the memory."""
    for frame in range(len(sample)):
        residual[frame] = solve_next(
            reference, basis, stiffness, low, high, length, bases[frame], turned[frame], offsets[frame],
            sample[frame], mean[frame], goals[frame], at, active[frame], w1, w2, corrections, out[frame],
        )  # fmt: skip


@kernel
def solve_next(
    reference: Floats, basis: Floats, stiffness: Floats, low: Floats, high: Floats, length: float,
    base: Floats, turned: Floats, offsets: Floats, sample: Floats, mean: Floats, goals: Floats, at: Ints,
    active: bool, w1: float, w2: float, corrections: Floats, y: Floats,
) -> float:  # fmt: skip
    """The next frame into `y`, and into the memory `corrections`; returns how far the farthest goal was missed."""
    size = len(sample)
    wanted = np.empty(size)
    idle = not active
    for k in range(size):
        wanted[k] = sample[k] + 2.0 * corrections[0, k] - corrections[1, k]
        idle = idle and abs(corrections[0, k]) < AT_REST and abs(corrections[1, k]) < AT_REST
    missed = 0.0
    if idle:
        y[:] = sample
    else:
        missed = solve_frame(
            reference, basis, stiffness, low, high, length, base, turned, offsets, sample, mean, wanted, goals, at,
            w1, w2, y,
        )  # fmt: skip
    for k in range(size):
        corrections[1, k] = corrections[0, k]
        corrections[0, k] = y[k] - sample[k]
    return missed


@kernel
def solve_frame(
    reference: Floats, basis: Floats, stiffness: Floats, low: Floats, high: Floats, length: float,
    base: Floats, turned: Floats, offsets: Floats, sample: Floats, mean: Floats, wanted: Floats,
    goals: Floats, at: Ints, w1: float, w2: float, y: Floats,
) -> float:  # fmt: skip
    """One frame of eq. 7 into `y`; returns how far the farthest goal was missed."""
    joints, size, most = len(reference), len(sample), 3 * len(at)
    points, turns, vectors = np.empty((joints + 1, 3)), np.empty((joints, 4)), np.empty((joints, 3))
    errors, rows, forces = np.empty(most), np.empty((most, size)), np.empty(most)
    gradient, inverse, step = np.empty(size), np.empty(size), np.empty(size)
    fixed, trial = np.empty(size, dtype=np.bool_), np.empty(size)
    lower, upper = np.minimum(low, sample), np.maximum(high, sample)
    for k in range(size):
        inverse[k] = 1.0 / ((w1 + w2) * stiffness[k])
        y[k] = sample[k]
    penalty, damping = 0.0, DAMPING
    place_limb(base, turned, offsets, reference, basis, y, points, turns, vectors)
    for _ in range(ITERATIONS):
        count = goal_rows(points, turns, vectors, basis, goals, at, length, errors, rows)
        for k in range(size):
            gradient[k] = stiffness[k] * (w1 * (y[k] - mean[k]) + w2 * (y[k] - wanted[k]))
        kkt_step(y, gradient, inverse, errors, rows, count, lower, upper, damping, step, fixed, forces)
        largest = np.max(np.abs(step))
        share = min(1.0, LONGEST_STEP / max(largest, 1e-300))
        penalty = max(penalty, min(2.5 * np.max(np.abs(forces[:count])) + 1e-3, STRONGEST))
        found = _misses(points, goals, at, length, errors)
        before = _merit(y, stiffness, mean, wanted, w1, w2, errors, found, penalty)
        better = False
        for _ in range(HALVINGS):
            for k in range(size):
                trial[k] = y[k] + share * step[k]
            place_limb(base, turned, offsets, reference, basis, trial, points, turns, vectors)
            found = _misses(points, goals, at, length, errors)
            if _merit(trial, stiffness, mean, wanted, w1, w2, errors, found, penalty) <= before + 1e-14:
                better = True
                break
            share *= 0.5
        if better:
            y[:] = trial
            damping = max(0.1 * damping, DAMPING)
            if largest < EXACT:
                break
        else:
            place_limb(base, turned, offsets, reference, basis, y, points, turns, vectors)
            damping *= 1e3
            if damping > 1.0 or largest < EXACT:
                break
    farthest = 0.0
    for goal in range(len(at)):
        square = 0.0
        for axis in range(3):
            square += (points[at[goal], axis] - goals[goal, axis]) ** 2
        farthest = max(farthest, math.sqrt(square))
    return farthest


@kernel
def _misses(points: Floats, goals: Floats, at: Ints, length: float, errors: Floats) -> int:
    """Errors of all goals in limb lengths, three each."""
    for goal in range(len(at)):
        for axis in range(3):
            errors[3 * goal + axis] = (points[at[goal], axis] - goals[goal, axis]) / length
    return 3 * len(at)


@kernel
def _merit(
    y: Floats, stiffness: Floats, mean: Floats, wanted: Floats, w1: float, w2: float,
    errors: Floats, count: int, penalty: float,
) -> float:  # fmt: skip
    """Half the cost of eq. 7 plus the penalty on what the goals are missed by."""
    total = 0.0
    for k in range(len(y)):
        total += 0.5 * stiffness[k] * (w1 * (y[k] - mean[k]) ** 2 + w2 * (y[k] - wanted[k]) ** 2)
    miss = 0.0
    for i in range(count):
        miss += abs(errors[i])
    return total + penalty * miss

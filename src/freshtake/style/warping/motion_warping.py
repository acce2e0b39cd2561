"""Iterative motion warping: time warp and space warp in turns until neither changes (Hsu 2005, §3.3)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.style.warping.space_warp import SpaceWarp, Stiffness, best_space_warp, misfit, no_space_warp, roughness
from freshtake.style.warping.time_warp import cheapest_repetitions

CLEARLY = 0.96  # of E; recorded pairs: 0.77 to 0.94 where the first search went wrong, 0.98 to 1.06 elsewhere
FLOOR = 1e-3  # share of the mean deviation below which a DOF is not scaled up


class MotionWarp(NamedTuple):
    """A solution {a, b, W} of eq. 1: repetitions (frames of u,), the space warp, and E after every stage."""

    repeats: Ints
    space: SpaceWarp
    energy: tuple[float, ...]


def warp_motion(u: Floats, y: Floats, slope: int, stiff: Stiffness, rounds: int = 50) -> MotionWarp:
    """Minimize E(a, b, W) by alternating global optimizations of W and of {a, b}; E never rises.

    Departs from the paper, which starts from a = 1, b = 0 alone: the alternation ends in the nearest valley, and where
    a style moves much less than the other (an old man's shuffle, a wide stride) that one may lie half a step off. A
    second search starts from the time warp of both motions, each by its own means and deviations; it is taken where its
    E is clearly lower.
    """
    plain = _descend(u, y, cheapest_repetitions(u, y, slope), slope, stiff, rounds)
    scaled = cheapest_repetitions(zscored(u), zscored(y), slope)
    if np.array_equal(scaled, plain.repeats):
        return plain
    other = _descend(u, y, scaled, slope, stiff, rounds)
    return other if other.energy[-1] < CLEARLY * plain.energy[-1] else plain


def _descend(u: Floats, y: Floats, repeats: Ints, slope: int, stiff: Stiffness, rounds: int) -> MotionWarp:
    """Both stages in turns from a time warp on. One that would not lower E (equal up to rounding) ends the search."""
    space = no_space_warp(u)
    distance, rough = misfit(u, y, repeats, slope, space), 0.0
    energies = [distance]
    for _ in range(rounds):
        next_space = best_space_warp(u, y, repeats, slope, stiff)
        distance, rough = misfit(u, y, repeats, slope, next_space), roughness(next_space, stiff)
        if not distance + rough < energies[-1]:
            break
        space = next_space
        energies.append(distance + rough)
        next_repeats = cheapest_repetitions(space.apply(u), y, slope)
        nearer = misfit(u, y, next_repeats, slope, space)
        if not nearer < distance or np.array_equal(next_repeats, repeats):
            break
        repeats, distance = next_repeats, nearer
        energies.append(distance + rough)
    return MotionWarp(repeats, space, tuple(energies))


def zscored(values: Floats) -> Floats:
    """Every DOF by its own mean and deviation; DOFs that hardly move are left small."""
    deviation = values.std(axis=0)
    floor = max(FLOOR * float(deviation.mean()), 1e-12)
    out: Floats = (values - values.mean(axis=0)) / np.maximum(deviation, floor)
    return out

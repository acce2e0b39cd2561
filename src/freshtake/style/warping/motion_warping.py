"""Iterative motion warping: time warp and space warp in turns until neither changes (Hsu 2005, §3.3)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.style.warping.space_warp import SpaceWarp, Stiffness, best_space_warp, misfit, no_space_warp, roughness
from freshtake.style.warping.time_warp import cheapest_repetitions


class MotionWarp(NamedTuple):
    """A solution {a, b, W} of eq. 1: repetitions (frames of u,), the space warp, and E after every stage."""

    repeats: Ints
    space: SpaceWarp
    energy: tuple[float, ...]


def warp_motion(u: Floats, y: Floats, slope: int, stiff: Stiffness, rounds: int = 50) -> MotionWarp:
    """Minimize E(a, b, W) by alternating global optimizations of W and of {a, b}, from a = 1, b = 0 on.

    A stage that would not lower E (equal up to rounding) ends the search, so E never rises.
    """
    space = no_space_warp(u)
    repeats = cheapest_repetitions(u, y, slope)
    apart, rough = misfit(u, y, repeats, slope, space), 0.0
    energies = [apart]
    for _ in range(rounds):
        found_space = best_space_warp(u, y, repeats, slope, stiff)
        apart, rough = misfit(u, y, repeats, slope, found_space), roughness(found_space, stiff)
        if not apart + rough < energies[-1]:
            break
        space = found_space
        energies.append(apart + rough)
        found = cheapest_repetitions(space.apply(u), y, slope)
        nearer = misfit(u, y, found, slope, space)
        if not nearer < apart or np.array_equal(found, repeats):
            break
        repeats, apart = found, nearer
        energies.append(apart + rough)
    return MotionWarp(repeats, space, tuple(energies))

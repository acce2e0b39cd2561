"""Iterative motion warping (Hsu 2005, §3, eq. 1), and the methods that it is compared with."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.dtw import constrained_path, costs
from freshtake.style.settings import WarpSettings
from freshtake.style.warping.warps import (
    SpaceWarp,
    Stiffness,
    best_space_warp,
    cheapest_repetitions,
    differential,
    misfit,
    no_space_warp,
    roughness,
)

CLEARLY = 0.96  # of E; recorded pairs: 0.77 to 0.94 where the first search went wrong, 0.98 to 1.06 elsewhere


class MotionWarp(NamedTuple):
    """A solution {a, b, W} of eq. 1: repetitions (frames of u,), the space warp, and E after every stage."""

    repeats: Ints
    space: SpaceWarp
    energy: tuple[float, ...]


def warp_motion(u: Floats, y: Floats, slope: int, stiff: Stiffness, rounds: int = 50) -> MotionWarp:
    """Minimize E(a, b, W) by alternating global optimizations of W and of {a, b}; E never rises.

    Departs from the paper, which starts from a = 1, b = 0 alone: the alternation ends in the nearest valley, and where
    a style moves much less than the other (an old man's shuffle, a wide stride) that one may lie half a step off. A
    second search starts from the time warp of both motions, each by its means and deviations; it is taken where its
    E is clearly lower.
    """
    plain = _descend(u, y, cheapest_repetitions(u, y, slope), slope, stiff, rounds)
    scaled = cheapest_repetitions(zscored(u), zscored(y), slope)
    if np.array_equal(scaled, plain.repeats):
        return plain
    other = _descend(u, y, scaled, slope, stiff, rounds)
    return other if other.energy[-1] < CLEARLY * plain.energy[-1] else plain


def _descend(u: Floats, y: Floats, repeats: Ints, slope: int, stiff: Stiffness, rounds: int) -> MotionWarp:
    """Alternate both stages from a time warp on; one that would not lower E (equal up to rounding) ends the search."""
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
        # The time warp does not change the roughness, so the misfit alone tells whether E falls.
        nearer = misfit(u, y, next_repeats, slope, space)
        if not nearer < distance or np.array_equal(next_repeats, repeats):
            break
        repeats, distance = next_repeats, nearer
        energies.append(distance + rough)
    return MotionWarp(repeats, space, tuple(energies))


def zscored(values: Floats) -> Floats:
    """Scale every DOF by its mean and deviation; DOFs that hardly move are left small."""
    deviation = values.std(axis=0)
    # A DOF below a thousandth of the mean deviation is not scaled up.
    floor = max(1e-3 * float(deviation.mean()), 1e-12)
    out: Floats = (values - values.mean(axis=0)) / np.maximum(deviation, floor)
    return out


class Warped(NamedTuple):
    """The result of a method; `repeats` is empty where frames of both motions may be repeated."""

    differential: Floats
    repeats: Ints
    space: SpaceWarp
    energy: tuple[float, ...]


Method = Callable[[Floats, Floats, WarpSettings, float], Warped]


def iterative(u: Floats, y: Floats, settings: WarpSettings, fps: float) -> Warped:
    """Warp by iterative motion warping (Hsu 2005, §3.3)."""
    warp = warp_motion(u, y, settings.slope, settings.stiffness(fps), settings.rounds)
    return Warped(differential(warp.repeats, settings.slope), warp.repeats, warp.space, warp.energy)


def time_warp_alone(u: Floats, y: Floats, settings: WarpSettings, fps: float) -> Warped:
    """Run the time-warp stage with a = 1, b = 0 and nothing after it (§5.1)."""
    repeats, still = cheapest_repetitions(u, y, settings.slope), no_space_warp(u)
    return Warped(
        differential(repeats, settings.slope), repeats, still, (misfit(u, y, repeats, settings.slope, still),)
    )


def dynamic(kind: int) -> Method:
    """Return dynamic time warping with type I or type III local constraints (§5.1)."""

    def run(u: Floats, y: Floats, settings: WarpSettings, fps: float) -> Warped:
        path, cost = constrained_path(costs(u, y), kind)
        if len(path) == 0:
            raise UsageError(f"{len(u)} frames cannot be warped to {len(y)} within half and double pace")
        return Warped(steps_of(path, len(u)), np.empty(0, dtype=np.intp), no_space_warp(u), (cost,))

    return run


def steps_of(path: Ints, frames: int) -> Floats:
    """Count the frames of the second motion that each frame of the first one lasts, from pairs of frames."""
    count = np.bincount(path[:, 0], minlength=frames)
    met = np.flatnonzero(count)
    place = np.bincount(path[:, 0], weights=path[:, 1], minlength=frames)[met] / count[met]
    # A path may stand still in either motion; edges halfway between the mean partners of neighbors always add up to
    # the second motion's length.
    middle = np.interp(np.arange(frames - 1) + 0.5, met, place)
    edges = np.concatenate([[-0.5], middle, [path[-1, 1] + 0.5]])
    out: Floats = np.diff(edges)
    return out


METHODS: dict[str, Method] = {
    "imw": iterative,
    "time-warp": time_warp_alone,
    "dtw-1": dynamic(1),
    "dtw-3": dynamic(3),
}

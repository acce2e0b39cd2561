"""Iterative motion warping (Hsu 2005, §3, eq. 1), and the methods it is compared with."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.dtw import constrained_path, costs
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

CLEARLY = 0.96  # ratio of both searches' E; 0.77 to 0.94 for recorded pairs if the first failed, else 0.98 to 1.06


DOF_SCALES = ("auto", "raw", "zscore")
CUTS = ("auto", "never")
RATE = 60.0  # frames per second that the weights are meant for


@dataclass(frozen=True)
class WarpSettings:
    """The settings of an alignment; defaults are from the paper (Hsu 2005, §5.1) where it gives one.

    `method`: "imw" (iterative motion warping), or a method for comparison: "time-warp" (its first stage
    alone), "dtw-1" and "dtw-3" (dynamic time warping with type I or type III local constraints).
    `slope`: the warp runs between 1/slope and slope times as fast. `smoothness` and `offset_smoothness` weigh |Fa|²
    and |Gb|² of eq. 1 at 60 frames per second; they are scaled to other rates, so the warp stays the same.
    `pull` keeps a near 1 and b near 0 where the data do not determine them. `rounds`: the most runs of both stages.
    `scale`: the units of the DOFs: "raw", "zscore" (each DOF of each motion by its mean and deviation) or "auto"
    (joint angles in radians and heights in meters as they are; anything else about its mean, times one common factor
    that makes the DOFs' mean deviation equal to a walk's joint angles'). `cut`: "auto" first cuts cyclic clips at
    equal phase to equal numbers of cycles, "never" keeps them complete. `smoothing`: seconds over which the warp curve
    is smoothed, less for very short motions (arrays and strokes are assumed to have 60 frames per second).
    """

    method: str = "imw"
    slope: int = 2
    smoothness: float = 100.0
    offset_smoothness: float = 100.0
    pull: float = 1e-4
    rounds: int = 50
    scale: str = "auto"
    cut: str = "auto"
    smoothing: float = 0.05

    def __post_init__(self) -> None:
        if not (isinstance(self.slope, int) and 2 <= self.slope <= 8):
            raise UsageError(f"the slope limit must be a whole number from 2 to 8, not {self.slope}")
        for name in ("smoothness", "offset_smoothness", "pull"):
            if not 0.0 < getattr(self, name) < float("inf"):
                raise UsageError(f"{name} must be above 0, not {getattr(self, name)}")
        if self.rounds < 1:
            raise UsageError(f"at least one round is needed, not {self.rounds}")
        if not 0.0 <= self.smoothing < 10.0:
            raise UsageError(f"the smoothing must be between 0 and 10 seconds, not {self.smoothing}")
        for name, choices in (("method", tuple(METHODS)), ("scale", DOF_SCALES), ("cut", CUTS)):
            if getattr(self, name) not in choices:
                raise UsageError(f"{name} must be one of {', '.join(choices)}, not {getattr(self, name)!r}")


class Warped(NamedTuple):
    """The result of a method: for eq. 1 a solution {a, b, W}, and E after each stage."""

    differential: Floats
    repeats: Ints  # (frames of u,); empty if frames of both motions may be repeated
    space: SpaceWarp
    energy: tuple[float, ...]


def warp_motion(u: Floats, y: Floats, slope: int, stiff: Stiffness, rounds: int = 50) -> Warped:
    """Minimize E(a, b, W) by alternating global optimizations of W and {a, b}; E never rises.

    Departs from the paper, which only starts from a = 1, b = 0. The alternation ends in the nearest minimum, which may
    be off by half a step if a style moves much less than the other (an old man's shuffle, a wide stride). So a second
    search starts from the time warp of z-scored motions; its result is used if its E is clearly lower.
    """
    plain = _descend(u, y, cheapest_repetitions(u, y, slope), slope, stiff, rounds)
    scaled = cheapest_repetitions(zscored(u), zscored(y), slope)
    if np.array_equal(scaled, plain.repeats):
        return plain
    other = _descend(u, y, scaled, slope, stiff, rounds)
    return other if other.energy[-1] < CLEARLY * plain.energy[-1] else plain


def _descend(u: Floats, y: Floats, repeats: Ints, slope: int, stiff: Stiffness, rounds: int) -> Warped:
    """Alternate both stages, starting from a time warp; the search ends when E no longer falls (up to rounding)."""
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
        # The time warp does not change the roughness, so the misfit alone determines whether E falls.
        nearer = misfit(u, y, next_repeats, slope, space)
        if not nearer < distance or np.array_equal(next_repeats, repeats):
            break
        repeats, distance = next_repeats, nearer
        energies.append(distance + rough)
    return Warped(differential(repeats, slope), repeats, space, tuple(energies))


def zscored(values: Floats) -> Floats:
    """Scale each DOF by its mean and deviation; DOFs below a thousandth of the mean deviation stay small."""
    deviation = values.std(axis=0)
    floor = max(1e-3 * float(deviation.mean()), 1e-12)
    out: Floats = (values - values.mean(axis=0)) / np.maximum(deviation, floor)
    return out


Method = Callable[[Floats, Floats, WarpSettings, float], Warped]


def iterative(u: Floats, y: Floats, settings: WarpSettings, fps: float) -> Warped:
    """Warp by iterative motion warping (Hsu 2005, §3.3)."""
    # At f times the rate both sums have f times as many terms, but each squared step is f² times smaller: f² keeps
    # them in proportion, so the warp does not depend on the rate.
    finer = (fps / RATE) ** 2
    stiff = Stiffness(settings.smoothness * finer, settings.offset_smoothness * finer, settings.pull)
    return warp_motion(u, y, settings.slope, stiff, settings.rounds)


def time_warp_alone(u: Floats, y: Floats, settings: WarpSettings, fps: float) -> Warped:
    """Run only the time-warp stage, with a = 1, b = 0 (§5.1)."""
    repeats, still = cheapest_repetitions(u, y, settings.slope), no_space_warp(u)
    return Warped(
        differential(repeats, settings.slope), repeats, still, (misfit(u, y, repeats, settings.slope, still),)
    )


def dynamic(kind: int) -> Method:
    """Return dynamic time warping with type I or type III local constraints (§5.1)."""

    def run(u: Floats, y: Floats, settings: WarpSettings, fps: float) -> Warped:
        path, cost = constrained_path(costs(u, y), kind)
        if len(path) == 0:
            raise UsageError(f"{len(u)} frames cannot be warped to {len(y)} at half to double pace")
        return Warped(steps_of(path, len(u)), np.empty(0, dtype=np.intp), no_space_warp(u), (cost,))

    return run


def steps_of(path: Ints, frames: int) -> Floats:
    """Return the duration of each frame of the first motion in frames of the second, from pairs of frames."""
    count = np.bincount(path[:, 0], minlength=frames)
    met = np.flatnonzero(count)
    place = np.bincount(path[:, 0], weights=path[:, 1], minlength=frames)[met] / count[met]
    # A path may pause in either motion. Edges halfway between the mean partners of neighbors always add up to the
    # second motion's length.
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

"""Iterative motion warping and the methods it is compared with, each from rows to a differential time warp."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.dtw import constrained_path, costs
from freshtake.style.warping.motion_warping import warp_motion
from freshtake.style.warping.space_warp import SpaceWarp, misfit, no_space_warp
from freshtake.style.warping.time_warp import cheapest_repetitions
from freshtake.style.warping.warp_curve import differential
from freshtake.style.warping.warp_settings import WarpSettings


class Warped(NamedTuple):
    """What a method finds; `repeats` is empty where frames of both motions may be repeated."""

    differential: Floats
    repeats: Ints
    space: SpaceWarp
    energy: tuple[float, ...]


Method = Callable[[Floats, Floats, WarpSettings, float], Warped]


def iterative(u: Floats, y: Floats, settings: WarpSettings, fps: float) -> Warped:
    """Iterative motion warping (Hsu 2005, §3.3)."""
    found = warp_motion(u, y, settings.slope, settings.stiffness(fps), settings.rounds)
    return Warped(differential(found.repeats, settings.slope), found.repeats, found.space, found.energy)


def time_warp_alone(u: Floats, y: Floats, settings: WarpSettings, fps: float) -> Warped:
    """The time-warp stage with a = 1, b = 0 and nothing after it (§5.1)."""
    repeats, still = cheapest_repetitions(u, y, settings.slope), no_space_warp(u)
    return Warped(
        differential(repeats, settings.slope), repeats, still, (misfit(u, y, repeats, settings.slope, still),)
    )


def dynamic(kind: int) -> Method:
    """Dynamic time warping with type I or type III local constraints (§5.1)."""

    def run(u: Floats, y: Floats, settings: WarpSettings, fps: float) -> Warped:
        path, cost = constrained_path(costs(u, y), kind)
        if len(path) == 0:
            raise UsageError(f"{len(u)} frames cannot be warped to {len(y)} within half and double pace")
        return Warped(steps_of(path, len(u)), np.empty(0, dtype=np.intp), no_space_warp(u), (cost,))

    return run


def steps_of(path: Ints, frames: int) -> Floats:
    """Frames of the second motion that each frame of the first one lasts, from pairs of frames."""
    count = np.bincount(path[:, 0], minlength=frames)
    met = np.flatnonzero(count)
    place = np.bincount(path[:, 0], weights=path[:, 1], minlength=frames)[met] / count[met]
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

"""The ground plane as complex numbers: travel and heading as rates, and back to places by summing up.

A place in the ground plane is g = forward + i sideways, so that turning by a heading is multiplying by exp(i heading).
With y up, forward is +z and sideways +x; with z up, forward is -y and sideways +x (the same body tilted upright).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.numeric.arrays import Floats

Complexes = npt.NDArray[np.complex128]


class Start(NamedTuple):
    """Where a motion begins: place in the ground plane (world x and z, or x and y), heading, time in seconds.

    `moved` (dimensions,) is how far a stroke lies from where the recipe's examples lie on average.
    """

    ground: tuple[float, float] = (0.0, 0.0)
    heading: float = 0.0
    time: float = 0.0
    moved: tuple[float, ...] = ()


AT_ORIGIN = Start()


class Path(NamedTuple):
    """Place (frames,) in the ground plane as complex numbers, and heading (frames,) in radians."""

    ground: Complexes
    heading: Floats


def ground_of(places: Floats, up: str) -> Complexes:
    """World vectors (..., 3) to the ground plane (...,)."""
    forward = places[..., 2] if up == "y" else -places[..., 1]
    return np.asarray(forward + 1j * places[..., 0])


def set_ground(places: Floats, ground: Complexes, up: str) -> None:
    """Write the ground plane (...,) into world vectors (..., 3), leaving the height as it is."""
    places[..., 0] = ground.imag
    if up == "y":
        places[..., 2] = ground.real
    else:
        places[..., 1] = -ground.real


def turned_back(vectors: Floats, heading: Floats, up: str) -> Floats:
    """Vectors (frames, ..., 3) turned about the vertical by minus the heading (frames,)."""
    spin = np.exp(-1j * heading).reshape(-1, *[1] * (vectors.ndim - 2))
    out = vectors.copy()
    set_ground(out, ground_of(vectors, up) * spin, up)
    return out


def start_of(path: Path, frame: int, up: str, time: float = 0.0) -> Start:
    """The placement of one frame of a path."""
    place = np.zeros(3)
    set_ground(place, path.ground[frame], up)
    first, second = place[[0, 2] if up == "y" else [0, 1]].tolist()
    return Start((first, second), float(path.heading[frame]), time)


def rates(path: Path, frame_time: float) -> Floats:
    """Forward and sideways speed (in the heading of the frame before) and turn rate, (frames, 3) per second.

    Row t holds the step from frame t - 1 to t (Hsu 2005, §4.1). Row 0 has no step: it repeats row 1.
    """
    out = np.zeros((len(path.ground), 3))
    step = np.diff(path.ground) * np.exp(-1j * path.heading[:-1]) / frame_time
    out[1:, 0], out[1:, 1] = step.real, step.imag
    out[1:, 2] = np.diff(path.heading) / frame_time
    out[:1] = out[1:2] if len(out) > 1 else 0.0
    return out


def summed(rate: Floats, frame_time: float, start: Start, up: str, resume: bool = False) -> Path:
    """The inverse of `rates`: row 0 stands at `start`, or one step after it when resuming from there."""
    place = np.zeros(3)
    place[[0, 2] if up == "y" else [0, 1]] = start.ground
    step = rate * frame_time
    if not resume:
        step[:1] = 0.0
    heading = start.heading + np.cumsum(step[:, 2])
    before = np.concatenate([[start.heading], heading[:-1]]) if len(step) else heading
    travel = (step[:, 0] + 1j * step[:, 1]) * np.exp(1j * before)
    return Path(ground_of(place, up) + np.cumsum(travel), heading)

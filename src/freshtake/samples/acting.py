"""What the acyclic actions share: the take's timing, feet on their spots, and the small sway of a living body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.samples.gait_path import checked_length
from freshtake.samples.humanoid import Build
from freshtake.samples.puppet import FootTrack
from freshtake.samples.smooth_curves import Curve
from freshtake.samples.variation_law import Wander

SOFTNESS = 0.1  # seconds: width of the bump that rounds the curves of an action


@dataclass(frozen=True)
class Timeline:
    """Times of the frames (seconds), and the action's own time, which runs faster and slower than the clock."""

    clock: Floats
    action: Floats


def timeline(length: float, tempo: float, warp: Wander | None, fps: float) -> Timeline:
    """Frames from the start to the end of an action of `length` seconds, done at a tempo (1: as written)."""
    checked_length(None, None, fps)
    rate = max(tempo, 0.3)
    clock = np.arange(int(np.ceil(1.6 * length / rate * fps)) + 2) / fps
    action = rate * clock
    if warp is not None:
        action = action + rate * warp.integral(clock)[:, 0]
    count = int(np.searchsorted(action, length)) + 1
    return Timeline(clock[:count], action[:count])


def keys(at: Floats, *knots: tuple[float, float], width: float = SOFTNESS) -> Floats:
    """A rounded polyline through (time, value) knots, read at these times."""
    return Curve(knots, width)(at)


def standing_feet(
    build: Build, spots: Sequence[tuple[float, float]], pitch: Sequence[Floats], yaw: Sequence[Floats]
) -> tuple[FootTrack, FootTrack]:
    """Feet whose toe joints stay on their spots (x, z of the toe joint, cm); the heel may rise (pitch below 0)."""
    left, right = (
        FootTrack(np.broadcast_to([x, 2.0 * build.scale, z], (len(tilt), 3)), turned, tilt, np.maximum(tilt, 0.0))
        for (x, z), tilt, turned in zip(spots, pitch, yaw, strict=True)
    )
    return left, right


@dataclass(frozen=True)
class Sway:
    """The small slow motion of someone who stands: root (cm: x, z), chest and head (degrees: pitch, roll, yaw)."""

    root: Floats
    chest: Floats
    head: Floats


def sway(rng: np.random.Generator, clock: Floats, amount: float) -> Sway:
    """Independent smooth processes of 0.5 cm, 0.7 and 1.0 degrees."""
    return Sway(
        Wander(rng, 0.5 * amount, 1.0, 2)(clock),
        Wander(rng, 0.7 * amount, 0.8, 3)(clock),
        Wander(rng, 1.0 * amount, 0.8, 3)(clock),
    )

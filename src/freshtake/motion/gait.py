"""Measure the gait of a body with two feet: strides, speed, sliding feet and jerk, in leg lengths and seconds."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.motion.body.orientation import facing
from freshtake.motion.body.roles import feet, leg_length
from freshtake.motion.clip import Clip
from freshtake.motion.edit import heading
from freshtake.motion.features.angles import ground_of
from freshtake.numeric.arrays import Floats

STANDING = 0.15  # leg lengths per second: a slower body does not travel
# In a step, an ankle is farther from the middle than both: a fraction of the usual half step, and leg lengths.
SWING = (0.2, 0.05)


class Gait(NamedTuple):
    """How a clip moves over the ground.

    Attributes:
        strides: Pairs of steps; half strides are counted.
        speed: Leg lengths per second along the ground.
        slide: Mean speed of the slowest foot joint, leg lengths per second, even if it is too fast to count as planted.
        jerk: Mean third derivative of the joints' positions, leg lengths / s^3.
    """

    strides: float
    speed: float
    slide: float
    jerk: float


def gait_of(clip: Clip) -> Gait | None:
    """Measure a clip's gait; None if the body does not have two feet or the clip is too short."""
    both, leg = feet(clip.skeleton), leg_length(clip.skeleton)
    # A third difference and a stride need eight frames.
    if len(both) != 2 or len(clip) < 8:
        return None
    places = clip.positions() / leg
    ground = ground_of(places[:, 0], clip.up)
    # Hip sway within a tenth of a second is not travel.
    every = max(1, round(0.1 / clip.frame_time))
    travel = np.abs(np.diff(ground[::every])).sum() + abs(ground[-1] - ground[::every][-1])
    soles = [joint for foot in both for joint in foot.joints]
    slowest = np.linalg.norm(np.diff(places[:, soles], axis=0), axis=-1).min(axis=1) / clip.frame_time
    # Measure jerk at 30 frames per second: faster recordings would show their noise.
    step = max(1, round(clip.fps / 30.0))
    third = np.linalg.norm(np.diff(places[::step], 3, axis=0), axis=-1) / (step * clip.frame_time) ** 3
    # In some rigs the root may point anywhere: the line across the hips shows which way the body faces.
    faces = facing(clip)
    forward = np.exp(-1j * (heading(clip) if faces is None else faces))
    ahead = (ground_of(places[:, both[0].ankle] - places[:, both[1].ankle], clip.up) * forward).real
    return Gait(
        0.5 * _steps(ahead), float(travel / clip.duration), float(slowest.mean()),
        float(third.mean()) if third.size else 0.0,
    )  # fmt: skip


def _steps(ahead: Floats) -> int:
    """Count how often an ankle swings from one side of the middle to the other.

    The middle is taken over the clip: a lame leg may make steps although it never passes the other leg.
    """
    low, high = np.percentile(ahead, [5.0, 95.0])
    away = ahead - 0.5 * (low + high)
    sides = np.sign(away[np.abs(away) > max(SWING[0] * 0.5 * (high - low), SWING[1])])
    return int((sides[1:] != sides[:-1]).sum())


def mean_gait(gaits: Sequence[Gait | None]) -> Gait | None:
    """Return the mean over clips; None if any clip has no gait."""
    measured = [gait for gait in gaits if gait is not None]
    return Gait(*np.mean(measured, axis=0).tolist()) if measured and len(measured) == len(gaits) else None

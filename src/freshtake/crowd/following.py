"""A motion that follows a way over the ground in time: bent to it, and faster or slower where the walker was.

The model's own steering turns towards a path and knows no time; those who avoid each other have to be in a place at a
moment. So what a motion does about its own course (its way without the sway of steps) is put onto the way it is to go,
and it is played at the pace that makes both equally far. Poses, and how bodies sway, stay those of the model.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.motion import Clip
from freshtake.motion.edit import sampled_at, turned
from freshtake.motion.features.ground import Complexes, ground_of, set_ground
from freshtake.numeric.arrays import Floats

EASED = 0.15  # seconds: standard deviation by which ways are smoothed, since nobody turns on the spot
TURNING = 0.3  # seconds: that of directions
SLOW = 0.1  # of the usual speed: below it the direction is that before and after


class Way(NamedTuple):
    """Where a walker is to be (frames,), its direction (frames,) in radians, how far it has gone (frames,)."""

    ground: Complexes
    direction: Floats
    gone: Floats


def way_of(course: Floats, step: float, frame_time: float, frames: int) -> Way:
    """Places (steps, 2), x and z every `step` seconds, as a smooth way at a frame rate."""
    from scipy.interpolate import CubicSpline

    points = course[:, 1] + 1j * course[:, 0]
    spline = CubicSpline(np.arange(len(points)) * step, smoothed(points, EASED / step))
    times = np.minimum(np.arange(frames) * frame_time, (len(points) - 1) * step)
    ground, velocity = spline(times), smoothed(spline(times, 1), TURNING / frame_time)
    speed = np.abs(velocity)
    known = np.flatnonzero(speed > SLOW * max(float(np.median(speed)), 1e-9))
    known = known if len(known) else np.arange(1)
    direction = np.interp(np.arange(frames), known, np.unwrap(np.angle(velocity[known])))
    ahead = np.maximum((np.diff(ground) * np.exp(-1j * direction[:-1])).real, 0.0)
    return Way(ground, direction, np.concatenate([[0.0], np.cumsum(ahead)]))


def smoothed(values: Complexes, deviation: float) -> Complexes:
    """By a Gaussian, with both ends going on as they are."""
    reach = min(max(1, round(3.0 * deviation)), len(values) - 1)
    if deviation < 0.3 or reach < 1:
        return values
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / deviation) ** 2)
    return _averaged(values, weights / weights.sum())


def _averaged(values: Complexes, weights: Floats) -> Complexes:
    reach = len(weights) // 2
    before = 2.0 * values[0] - values[reach:0:-1]
    after = 2.0 * values[-1] - values[-2 : -reach - 2 : -1]
    return np.asarray(np.convolve(np.concatenate([before, values, after]), weights, mode="valid"))


class Course(NamedTuple):
    """The way of a motion without the sway of its steps, and what it does about it."""

    ground: Complexes
    direction: Floats
    gone: Floats
    sway: Complexes


def own_course(clip: Clip, cycle: int) -> Course:
    """The mean over one cycle before and after, which leaves out what repeats with the steps."""
    places = ground_of(clip.root, clip.up)
    reach = min(cycle, len(places) - 1)
    weights = np.convolve(np.ones(reach), np.ones(reach))
    ground = _averaged(places, weights / weights.sum())
    step = np.diff(ground, append=2.0 * ground[-1] - ground[-2])
    direction = np.unwrap(np.angle(step))
    gone = np.concatenate([[0.0], np.cumsum(np.abs(step[:-1]))])
    return Course(ground, direction, gone, places - ground)


class Followed(NamedTuple):
    """The motion on its way, the frames of the drawn one that it was read at, and its mean pace."""

    clip: Clip
    places: Floats
    rate: float


def along_way(clip: Clip, way: Way, cycle: int) -> Followed:
    """A motion put onto a way in its own lengths; it has to go at least as far."""
    own = own_course(clip, cycle)
    places = np.interp(way.gone, own.gone, np.arange(len(clip)))
    turn = way.direction - np.interp(places, np.arange(len(clip)), own.direction)
    sway = np.interp(places, np.arange(len(clip)), own.sway.real) + 1j * np.interp(
        places, np.arange(len(clip)), own.sway.imag
    )
    out = turned(sampled_at(clip, places), turn)
    root = out.root.copy()
    set_ground(root, way.ground + sway * np.exp(1j * turn), clip.up)
    return Followed(out.changed(root=root), places, float(places[-1] - places[0]) / max(len(places) - 1, 1))

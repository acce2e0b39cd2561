"""Bend a motion to a route, and play it at the pace that keeps the body on schedule.

The model's steering follows a path but not a schedule; walkers that avoid each other must be at a position at a
certain time. So movement relative to the path (without the sway of steps) is transferred to the route, and played at
the pace that makes both equally long. Poses and the sway of bodies stay as the model makes them.
"""

from typing import NamedTuple

import numpy as np

from freshtake.motion import Clip
from freshtake.motion.edit import sampled_at, turned
from freshtake.motion.features.angles import Complexes, ground_of, set_ground
from freshtake.numeric.arrays import Floats

EASED = 0.15  # seconds: standard deviation of the smoothing of routes, since walkers do not turn on the spot


class Route(NamedTuple):
    """All (frames,): a walker's target position, its direction in radians, the distance covered."""

    ground: Complexes
    direction: Floats
    distance: Floats


def smooth_route(places: Floats, step: float, frame_time: float, frames: int) -> Route:
    """Turn positions (steps, 2), x and z every `step` seconds, into a smooth route at a frame rate."""
    # A cubic B-spline through control points already smooths by a variance of a third of a squared step.
    points = smooth(places[:, 1] + 1j * places[:, 0], np.sqrt((EASED / step) ** 2 - 1.0 / 3.0))
    control = np.concatenate([2.0 * points[:1] - points[1:2], points, 2.0 * points[-1:] - points[-2:-1]])
    times = np.minimum(np.arange(frames) * frame_time / step, len(points) - 1.0)
    before = np.minimum(times.astype(np.intp), len(points) - 2)
    near, t = control[before[:, None] + np.arange(4)].T, times - before
    ground = (near * [(1.0 - t) ** 3, (3.0 * t - 6.0) * t**2 + 4.0, 1.0 + 3.0 * t * (1.0 + t - t**2), t**3]).sum(
        0
    ) / 6.0
    slopes = np.diff(near, axis=0) * [(1.0 - t) ** 2, 1.0 + 2.0 * t * (1.0 - t), t**2]
    # A body turns more slowly than its path changes: smooth directions twice as far.
    velocity = smooth(slopes.sum(axis=0) / (2.0 * step), 2.0 * EASED / frame_time)
    speed = np.abs(velocity)
    # A walker that hardly moves has no direction: below a tenth of the usual speed, interpolate it.
    moving = np.flatnonzero(speed > 0.1 * max(float(np.median(speed)), 1e-9))
    moving = moving if len(moving) else np.arange(1)
    direction = np.interp(np.arange(frames), moving, np.unwrap(np.angle(velocity[moving])))
    # Only distance along the direction counts: a walker pushed aside or back takes no step for it.
    ahead = np.maximum((np.diff(ground) * np.exp(-1j * direction[:-1])).real, 0.0)
    return Route(ground, direction, np.concatenate([[0.0], np.cumsum(ahead)]))


def smooth(values: Complexes, deviation: float) -> Complexes:
    """Smooth with a Gaussian, extending both ends by point reflection."""
    reach = min(max(1, round(3.0 * deviation)), len(values) - 1)
    if deviation < 0.3 or reach < 1:
        return values
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / deviation) ** 2)
    return _average(values, weights / weights.sum())


def _average(values: Complexes, weights: Floats) -> Complexes:
    reach = len(weights) // 2
    # Ends are reflected through their end point, so a straight route stays straight up to its end.
    before = 2.0 * values[0] - values[reach:0:-1]
    after = 2.0 * values[-1] - values[-2 : -reach - 2 : -1]
    return np.asarray(np.convolve(np.concatenate([before, values, after]), weights, mode="valid"))


class BodyPath(NamedTuple):
    """All (frames,): the path of a motion without the sway of its steps, as direction and distance, and the sway."""

    direction: Floats
    distance: Floats
    sway: Complexes


def body_path(clip: Clip, cycle: int) -> BodyPath:
    """Average a motion over one cycle before and after each frame, which removes the sway of its steps."""
    places = ground_of(clip.root, clip.up)
    reach = min(cycle, len(places) - 1)
    # Two consecutive means over a cycle: each alone cancels the steps; together they also smooth the rest.
    weights = np.convolve(np.ones(reach), np.ones(reach))
    ground = _average(places, weights / weights.sum())
    step = np.diff(ground, append=2.0 * ground[-1] - ground[-2])
    distance = np.concatenate([[0.0], np.cumsum(np.abs(step[:-1]))])
    return BodyPath(np.unwrap(np.angle(step)), distance, places - ground)


class RoutedMotion(NamedTuple):
    """The motion on its route, the frames at which the drawn motion was read, and its mean pace."""

    clip: Clip
    frames: Floats
    rate: float


def follow_route(clip: Clip, route: Route, cycle: int) -> RoutedMotion:
    """Bend a motion to a route given in lengths of its body; the motion must travel at least as far."""
    path, every = body_path(clip, cycle), np.arange(len(clip))
    frames = np.interp(route.distance, path.distance, every)
    turn = route.direction - np.interp(frames, every, path.direction)
    sway = np.interp(frames, every, path.sway.real) + 1j * np.interp(frames, every, path.sway.imag)
    out = turned(sampled_at(clip, frames), turn)
    root = out.root.copy()
    set_ground(root, route.ground + sway * np.exp(1j * turn), clip.up)
    return RoutedMotion(out.changed(root=root), frames, float(frames[-1] - frames[0]) / max(len(frames) - 1, 1))

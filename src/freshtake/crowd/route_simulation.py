"""Where everybody walks: the routes of a whole crowd over the ground, with or without avoiding each other.

Walkers keep a heading, go to a target or follow a polyline. Bodies are discs here; motions are made afterwards and
follow these routes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.crowd.collision_avoidance import Neighbors, allowed_velocities, half_planes
from freshtake.crowd.plan import Avoidance
from freshtake.crowd.polylines import Polylines
from freshtake.numeric.arrays import Bools, Floats, Ints

STEP = 0.1  # seconds
NEIGHBORS = 10  # the nearest are seen
FASTEST = 1.25  # times the own speed
SPEEDING = 2.0  # metres per second and second: nobody changes velocity faster
ROUNDS = 20  # of moving overlapping discs apart
SWAY = 0.03  # metres that a body may be off its route: nobody comes closer than the radii and twice this
ROOM = 0.05  # metres that walkers try to keep beyond that
CLOSE = 1e-4  # metres of overlap that are none
NEAR = 1.0  # metres from a target at which its direction is kept
UNEVEN = 0.01  # metres per second by which wishes differ, so that two who meet head-on do not stop for ever


class Walkers(NamedTuple):
    """Everybody at the start: place, speed (0 stands), radius, direction (walkers, 2), target or NaN, polylines."""

    place: Floats
    speed: Floats
    radius: Floats
    direction: Floats
    target: Floats
    polylines: Polylines | None = None


def simulate_routes(walkers: Walkers, seconds: float, avoiding: Avoidance | None, rng: np.random.Generator) -> Floats:
    """Places (walkers, steps, 2) every `STEP` seconds, a little beyond the end."""
    steps = 2 + int(np.ceil(seconds / STEP))
    uneven = UNEVEN * (2.0 * rng.random((len(walkers.place), 2)) - 1.0)
    place, direction, at = walkers.place.copy(), walkers.direction.copy(), None
    if walkers.polylines is not None:
        at = walkers.polylines.first.copy()
    routes = np.empty((len(place), steps, 2))
    velocity = walkers.speed[:, None] * _direction(walkers, place, direction, at)
    for step in range(steps):
        routes[:, step] = place
        direction = _direction(walkers, place, direction, at)
        wish = walkers.speed[:, None] * direction
        if avoiding is not None:
            wish = _avoided(walkers, place, velocity, wish + uneven * (walkers.speed > 0.0)[:, None], avoiding)
        velocity = _eased(velocity, wish)
        before, place = place, place + STEP * velocity
        if avoiding is not None:
            place = moved_apart(place, walkers.radius + SWAY, walkers.speed > 0.0)
            velocity = (place - before) / STEP
        if walkers.polylines is not None and at is not None:
            at = walkers.polylines.advanced(at, place)
    return routes


def _direction(walkers: Walkers, place: Floats, before: Floats, at: Ints | None) -> Floats:
    """Where everybody wants to go, as unit vectors."""
    out = before.copy()
    goal = walkers.target - place
    if walkers.polylines is not None and at is not None:
        ahead = walkers.polylines.ahead(at)
        goal = np.where(walkers.polylines.has[:, None], ahead - place, goal)
    length = np.sqrt(goal[:, 0] ** 2 + goal[:, 1] ** 2)
    far = length > (NEAR if walkers.polylines is None else np.where(walkers.polylines.has, 1e-6, NEAR))  # false for NaN
    out[far] = goal[far] / length[far, None]
    return out


def _eased(velocity: Floats, wish: Floats) -> Floats:
    change = wish - velocity
    length = np.sqrt(change[:, 0] ** 2 + change[:, 1] ** 2)
    return np.asarray(velocity + change * np.minimum(1.0, SPEEDING * STEP / np.maximum(length, 1e-12))[:, None])


def _avoided(walkers: Walkers, place: Floats, velocity: Floats, wish: Floats, avoiding: Avoidance) -> Floats:
    if len(place) < 2:
        return wish
    reach = 2.0 * float(walkers.radius.max()) + 2.0 * FASTEST * float(walkers.speed.max()) * avoiding.horizon
    moving = np.flatnonzero(walkers.speed > 0.0)
    seen = neighbors_of(walkers, moving, place, velocity, reach)
    planes = half_planes(velocity[moving], seen, avoiding.horizon, STEP)
    out = wish.copy()
    out[moving] = allowed_velocities(planes, wish[moving], FASTEST * walkers.speed[moving])
    return out


def neighbors_of(walkers: Walkers, moving: Ints, place: Floats, velocity: Floats, reach: float) -> Neighbors:
    """The nearest others of everybody who walks, nearest first."""
    from scipy.spatial import cKDTree

    count = min(NEIGHBORS + 1, len(place))
    nearest = cKDTree(place).query(place[moving], count, distance_upper_bound=reach)
    far, other = np.asarray(nearest[0])[:, 1:], np.asarray(nearest[1])[:, 1:]
    there = np.isfinite(far)
    other = np.where(there, other, 0)
    share = np.where(walkers.speed[other] > 0.0, 0.5, 1.0)
    radius = walkers.radius[moving, None] + walkers.radius[other] + 2.0 * SWAY + ROOM
    return Neighbors(place[other] - place[moving, None], velocity[moving, None] - velocity[other], radius, share, there)


def moved_apart(place: Floats, radius: Floats, moves: Bools) -> Floats:
    """Discs that overlap, each moved by half of it, in a few rounds; who stands is not moved."""
    from scipy.spatial import cKDTree

    out = place.copy()
    for _ in range(ROUNDS):
        pairs = cKDTree(out).query_pairs(2.0 * float(radius.max()), output_type="ndarray")
        pairs = pairs[np.lexsort(pairs.T[::-1])]
        gap = out[pairs[:, 1]] - out[pairs[:, 0]]
        length = np.maximum(np.sqrt(gap[:, 0] ** 2 + gap[:, 1] ** 2), 1e-9)
        over = radius[pairs].sum(axis=1) - length
        close = over > CLOSE
        if not close.any():
            break
        pairs, gap = pairs[close], (gap / length[:, None] * over[:, None])[close]
        weight = moves[pairs].astype(np.float64)
        weight /= np.maximum(weight.sum(axis=1, keepdims=True), 1.0)
        np.add.at(out, pairs[:, 0], -weight[:, :1] * gap)
        np.add.at(out, pairs[:, 1], weight[:, 1:] * gap)
    return out

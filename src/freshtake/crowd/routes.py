"""The routes of a complete crowd over the ground, with or without collision avoidance.

Walkers keep a heading, go to a target or follow a polyline. Bodies are discs here; motions are made afterwards and
follow these routes. Routes are planned once and written next to the shards, so that all parts of a farm use the same
routes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from freshtake.crowd.casting import WALKS, Cast
from freshtake.crowd.collision_avoidance import Neighbors, allowed_velocities, half_planes
from freshtake.crowd.folder import ROUTES, replacing_ours
from freshtake.crowd.plan import Avoidance, Plan
from freshtake.errors import FormatError, UsageError
from freshtake.formats.archive import open_archive, text_array, write_archive
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.graphs import nearest, nearest_others, pairs_within
from freshtake.workflows.inputs import generator

STEP = 0.1  # seconds
NEIGHBORS = 10  # number of nearest walkers that a walker avoids
FASTEST = 1.25  # maximum speed, relative to the usual speed
SWAY = 0.03  # metres that a body may be off its route: walkers keep the sum of their radii plus twice this distance
ROOM = 0.05  # metres of clearance that walkers try to keep in addition
SPACING = 0.1  # metres between samples
AHEAD = 1.0  # metres that walkers look ahead: corners are cut by a quarter of it; near targets, directions are kept


class Walkers(NamedTuple):
    """Characters at the start: position, speed (0: waits), radius, direction (walkers, 2), target or NaN, polylines."""

    place: Floats
    speed: Floats
    radius: Floats
    direction: Floats
    target: Floats
    polylines: Polylines | None = None


def simulate_routes(walkers: Walkers, seconds: float, avoiding: Avoidance | None, rng: np.random.Generator) -> Floats:
    """Simulate positions (walkers, steps, 2) every `STEP` seconds, a little beyond the end."""
    steps = 2 + int(np.ceil(seconds / STEP))
    # Preferred velocities differ by up to 1 cm/s, so that two walkers who meet head-on do not stop forever.
    uneven = 0.01 * (2.0 * rng.random((len(walkers.place), 2)) - 1.0)
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
            wish = _avoid(walkers, place, velocity, wish + uneven * (walkers.speed > 0.0)[:, None], avoiding)
        velocity = _limit_change(velocity, wish)
        before, place = place, place + STEP * velocity
        if avoiding is not None:
            place = move_apart(place, walkers.radius + SWAY, walkers.speed > 0.0)
            velocity = (place - before) / STEP
        if walkers.polylines is not None and at is not None:
            at = walkers.polylines.advanced(at, place)
    return routes


def _direction(walkers: Walkers, place: Floats, before: Floats, at: Ints | None) -> Floats:
    """Return the directions in which walkers want to go, as unit vectors (walkers, 2)."""
    out = before.copy()
    goal = walkers.target - place
    if walkers.polylines is not None and at is not None:
        ahead = walkers.polylines.ahead(at)
        goal = np.where(walkers.polylines.has[:, None], ahead - place, goal)
    length = np.sqrt(goal[:, 0] ** 2 + goal[:, 1] ** 2)
    # Near a target, keep the direction, which would reverse on arrival; without a target (NaN), keep it too.
    far = length > (AHEAD if walkers.polylines is None else np.where(walkers.polylines.has, 1e-6, AHEAD))
    out[far] = goal[far] / length[far, None]
    return out


def _limit_change(velocity: Floats, wish: Floats) -> Floats:
    change = wish - velocity
    length = np.sqrt(change[:, 0] ** 2 + change[:, 1] ** 2)
    # Velocities change by at most 2 m/s per second.
    return np.asarray(velocity + change * np.minimum(1.0, 2.0 * STEP / np.maximum(length, 1e-12))[:, None])


def _avoid(walkers: Walkers, place: Floats, velocity: Floats, wish: Floats, avoiding: Avoidance) -> Floats:
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
    """Find the nearest neighbors of every walker, nearest first."""
    far, other = nearest_others(place, moving, min(NEIGHBORS, len(place) - 1), reach)
    there = np.isfinite(far)
    share = np.where(walkers.speed[other] > 0.0, 0.5, 1.0)
    radius = walkers.radius[moving, None] + walkers.radius[other] + 2.0 * SWAY + ROOM
    return Neighbors(place[other] - place[moving, None], velocity[moving, None] - velocity[other], radius, share, there)


def move_apart(place: Floats, radius: Floats, moves: Bools) -> Floats:
    """Move discs that overlap apart, each by half the overlap, in a few rounds; standing characters are not moved."""
    out = place.copy()
    # Moving two apart can push a third: stop when no overlap exceeds a tenth of a millimetre.
    for _ in range(20):
        pairs = pairs_within(out, 2.0 * float(radius.max()))
        gap = out[pairs[:, 1]] - out[pairs[:, 0]]
        length = np.maximum(np.sqrt(gap[:, 0] ** 2 + gap[:, 1] ** 2), 1e-9)
        over = radius[pairs].sum(axis=1) - length
        close = over > 1e-4
        if not close.any():
            break
        pairs, gap = pairs[close], (gap / length[:, None] * over[:, None])[close]
        weight = moves[pairs].astype(np.float64)
        weight /= np.maximum(weight.sum(axis=1, keepdims=True), 1.0)
        np.add.at(out, pairs[:, 0], -weight[:, :1] * gap)
        np.add.at(out, pairs[:, 1], weight[:, 1:] * gap)
    return out


class Polylines(NamedTuple):
    """Samples (samples, 2) of all polylines, concatenated; for every walker, its sample at the start.

    `has` marks the walkers that follow a polyline. Polylines continue beyond their end: straight, or from the start if
    the last point is the first.
    """

    samples: Floats
    first: Ints  # (walkers,)
    has: Bools

    def ahead(self, at: Ints) -> Floats:
        """Return the points that walkers at these samples head for (walkers, 2)."""
        return np.asarray(self.samples[at + round(AHEAD / SPACING)])

    def advanced(self, at: Ints, place: Floats) -> Ints:
        """Find the sample nearest to each position, not before the previous one."""
        # Look only a few metres ahead: a polyline may cross itself, and walkers must not change branches there.
        window = at[:, None] + np.arange(round(3.0 * AHEAD / SPACING))
        off = self.samples[window] - place[:, None]
        return np.asarray(at + (off[..., 0] ** 2 + off[..., 1] ** 2).argmin(axis=1))


def polylines_of(lines: Sequence[Sequence[Floats]], group: Ints, place: Floats, longest: float) -> Polylines | None:
    """Assign each walker the nearest polyline of its group.

    `longest` is the largest distance that any walker covers.
    """
    if not any(len(group_lines) for group_lines in lines):
        return None
    samples: list[Floats] = []
    first, has = np.zeros(len(place), dtype=np.intp), np.zeros(len(place), dtype=bool)
    count_so_far = 0
    for number, group_lines in enumerate(lines):
        members = np.flatnonzero(group == number)
        least = np.full(len(members), np.inf)
        for line in group_lines:
            points, count = _sample(line, longest)
            far, index = (values[:, 0] for values in nearest(points[:count], place[members]))
            closer = far < least
            least[closer], first[members[closer]] = far[closer], count_so_far + index[closer]
            samples.append(points)
            count_so_far += len(points)
        has[members] = len(group_lines) > 0
    return Polylines(np.concatenate(samples), first, has)


def _sample(line: Floats, longest: float) -> tuple[Floats, int]:
    """Sample a polyline and its continuation; return the samples and how many belong to the polyline itself."""
    steps = np.linalg.norm(np.diff(line, axis=0), axis=1)
    marks = np.concatenate([[0.0], np.cumsum(steps)])
    # Long enough for the farthest walker and its view ahead.
    beyond = longest + 7.0 * AHEAD
    along = SPACING * np.arange(int((marks[-1] + beyond) / SPACING) + 2)
    count = int(marks[-1] / SPACING) + 1
    if len(line) > 2 and np.array_equal(line[0], line[-1]):
        along = np.mod(along, marks[-1])
    out = np.stack([np.interp(along, marks, line[:, k]) for k in range(2)], axis=1)
    out += np.maximum(along - marks[-1], 0.0)[:, None] * (line[-1] - line[-2]) / steps[-1]
    return out, count


def with_routes(plan: Plan, cast: Cast, speeds: list[float], folder: Path) -> Cast:
    """Add the routes of all walkers to the cast: planned now, or read if another part has written them."""
    walkers = walkers_of(plan, cast, np.array(speeds))
    digest = hashlib.sha256(repr((plan.seed, plan.seconds, plan.avoidance)).encode())
    for values in (*walkers[:5], *(walkers.polylines or ())):
        digest.update(np.ascontiguousarray(values).tobytes())
    path, key = folder / ROUTES, digest.hexdigest()
    routes = _read_routes(path, key)
    if routes is None:
        routes = simulate_routes(walkers, plan.seconds, plan.avoidance, generator(plan.seed, 0, WALKS)).astype(
            np.float32
        )
        replacing_ours(write_archive, path, {"key": text_array(key), "places": routes})
    direction = walkers.polylines is not None or any(group.target for group in plan.groups)
    first = routes[:, 1].astype(np.float64) - routes[:, 0]
    moves = (first != 0.0).any(axis=1) if direction else np.zeros(len(first), dtype=bool)
    heading = np.where(moves, np.arctan2(first[:, 0], first[:, 1]), cast.heading)
    return cast._replace(routes=routes, heading=heading)


def _read_routes(path: Path, key: str) -> Floats | None:
    if not path.is_file():
        return None
    try:
        archive = open_archive(path)
        return archive.array("places") if str(archive.array("key")) == key else None
    except FormatError:
        return None


def walkers_of(plan: Plan, cast: Cast, speeds: Floats) -> Walkers:
    """Return all characters at the start; raise if bodies that should avoid each other overlap."""
    speed = speeds[cast.group] * cast.size
    target = np.array([group.target or (np.nan, np.nan) for group in plan.groups])[cast.group]
    lines = [[np.array(line) for line in group.paths] for group in plan.groups]
    polylines = polylines_of(lines, cast.group, cast.ground, 2.0 * plan.seconds * float(speed.max(initial=0.0)))
    direction = np.stack([np.sin(cast.heading), np.cos(cast.heading)], axis=1)
    radius = np.zeros(len(speed))
    if plan.avoidance is not None:
        radius = plan.avoidance.radius * cast.size
        check_apart(cast.ground, radius)
    for group, speed_of_group in zip(plan.groups, speeds, strict=True):
        if speed_of_group == 0.0 and (group.paths or group.target):
            raise UsageError(
                f"{group.model.name}: its motion does not keep walking, so it cannot follow a path or reach a "
                "target: give the group a cyclic model that travels"
            )
    return Walkers(cast.ground, speed, radius, direction, target, polylines)


def check_apart(ground: Floats, radius: Floats) -> None:
    """Raise if bodies overlap."""
    pairs = pairs_within(ground, 2.0 * float(radius.max(initial=0.0)))
    distance = np.linalg.norm(ground[pairs[:, 0]] - ground[pairs[:, 1]], axis=1)
    close = np.flatnonzero(distance < radius[pairs].sum(axis=1) - 1e-9)
    if len(close):
        first, second = sorted(pairs[close[0]].tolist())
        raise UsageError(
            f"placement: characters {first + 1} and {second + 1} are {distance[close[0]]:.2g} m apart and could not "
            f"avoid each other with a radius of {radius[first]:.2g} m: give more spacing, or a smaller avoidance.radius"
        )

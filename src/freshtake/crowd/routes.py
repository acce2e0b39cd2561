"""The routes of a whole crowd, planned once and kept beside its shards: every part of a farm follows the same."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from freshtake.crowd.casting import WALKS, Cast
from freshtake.crowd.characters import Body
from freshtake.crowd.folder import ROUTES, replacing_ours
from freshtake.crowd.plan import Plan
from freshtake.crowd.route_simulation import Walkers, polylines_of, simulate_routes
from freshtake.errors import FormatError, UsageError
from freshtake.formats.archive import open_archive, text_array, write_archive
from freshtake.numeric.arrays import Floats
from freshtake.numeric.graphs import pairs_within
from freshtake.variation.model import VariationModel
from freshtake.workflows.inputs import generator

WALKING = 0.2  # metres per second: what is slower stands


def speed_of(model: VariationModel, body: Body) -> float:
    """Measure metres per second of a body that walks on and on and can be steered; 0 of others, who stand."""
    recipe = model.material.recipe
    if not model.cyclic or recipe is None or "turn" not in recipe.units:
        return 0.0
    speed = model.travel.speed * body.scale
    return speed if speed >= WALKING else 0.0


def with_routes(plan: Plan, cast: Cast, speeds: list[float], folder: Path) -> Cast:
    """Add the routes of all walkers to the cast: planned now, or read where another part of the crowd has done so."""
    if not plan.steered:
        return cast
    walkers = walkers_of(plan, cast, np.array(speeds))
    digest = hashlib.sha256(repr((plan.seed, plan.seconds, plan.avoidance)).encode())
    for values in (*walkers[:5], *(walkers.polylines or ())):
        digest.update(np.ascontiguousarray(values).tobytes())
    path, key = folder / ROUTES, digest.hexdigest()
    routes = _kept(path, key)
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


def _kept(path: Path, key: str) -> Floats | None:
    if not path.is_file():
        return None
    try:
        archive = open_archive(path)
        return archive.array("places") if str(archive.array("key")) == key else None
    except FormatError:
        return None


def walkers_of(plan: Plan, cast: Cast, speeds: Floats) -> Walkers:
    """Place everybody at the start; refuse where bodies overlap that are to avoid each other."""
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
                f"{group.model.name}: its motion does not walk on and on, so that it can follow no path and reach no "
                "target: give the group a cyclic model that travels"
            )
    return Walkers(cast.ground, speed, radius, direction, target, polylines)


def check_apart(ground: Floats, radius: Floats) -> None:
    """Refuse places where bodies overlap."""
    pairs = pairs_within(ground, 2.0 * float(radius.max(initial=0.0)))
    distance = np.linalg.norm(ground[pairs[:, 0]] - ground[pairs[:, 1]], axis=1)
    close = np.flatnonzero(distance < radius[pairs].sum(axis=1) - 1e-9)
    if len(close):
        first, second = sorted(pairs[close[0]].tolist())
        raise UsageError(
            f"placement: characters {first + 1} and {second + 1} stand {distance[close[0]]:.2g} m apart and could not "
            f"avoid each other with a radius of {radius[first]:.2g} m: give more spacing, or a smaller avoidance.radius"
        )

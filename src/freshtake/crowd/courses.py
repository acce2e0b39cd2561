"""The ways of a whole crowd, planned once and kept beside its shards, so that every part of a farm follows the same."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from freshtake.crowd.casting import WALKS, Cast
from freshtake.crowd.characters import Body
from freshtake.crowd.folder import COURSES, replacing_ours
from freshtake.crowd.plan import Plan
from freshtake.crowd.walking import Walkers, walked
from freshtake.crowd.ways import ways_of
from freshtake.errors import FormatError, UsageError
from freshtake.formats.npz.archive import open_archive, write_archive
from freshtake.formats.npz.array_fields import text_array
from freshtake.numeric.arrays import Floats
from freshtake.variation.model import VariationModel
from freshtake.workflows.seeds import generator

WALKING = 0.2  # metres per second: what is slower stands


def speed_of(model: VariationModel, body: Body) -> float:
    """Metres per second of a body that walks on and on and can be steered; 0 of others, who stand."""
    recipe = model.material.recipe
    if not model.cyclic or recipe is None or "turn" not in recipe.units:
        return 0.0
    speed = model.travel.speed * body.scale
    return speed if speed >= WALKING else 0.0


def with_courses(plan: Plan, cast: Cast, speeds: list[float], folder: Path) -> Cast:
    """The cast with the ways of all walkers: planned now, or read where another part of the same crowd has done so."""
    if not plan.steered:
        return cast
    walkers = walkers_of(plan, cast, np.array(speeds))
    digest = hashlib.sha256(repr((plan.seed, plan.seconds, plan.avoidance)).encode())
    for values in (*walkers[:5], *(walkers.ways or ())):
        digest.update(np.ascontiguousarray(values).tobytes())
    path, key = folder / COURSES, digest.hexdigest()
    course = _kept(path, key)
    if course is None:
        course = walked(walkers, plan.seconds, plan.avoidance, generator(plan.seed, 0, WALKS)).astype(np.float32)
        replacing_ours(write_archive, path, {"key": text_array(key), "places": course})
    direction = walkers.ways is not None or any(group.target for group in plan.groups)
    first = course[:, 1].astype(np.float64) - course[:, 0]
    moves = (first != 0.0).any(axis=1) if direction else np.zeros(len(first), dtype=bool)
    heading = np.where(moves, np.arctan2(first[:, 0], first[:, 1]), cast.heading)
    return cast._replace(course=course, heading=heading)


def _kept(path: Path, key: str) -> Floats | None:
    if not path.is_file():
        return None
    try:
        archive = open_archive(path)
        return archive.array("places") if str(archive.array("key")) == key else None
    except FormatError:
        return None


def walkers_of(plan: Plan, cast: Cast, speeds: Floats) -> Walkers:
    """Everybody at the start; refused where bodies overlap that are to avoid each other."""
    speed = speeds[cast.group] * cast.size
    target = np.array([group.target or (np.nan, np.nan) for group in plan.groups])[cast.group]
    lines = [[np.array(line) for line in group.paths] for group in plan.groups]
    ways = ways_of(lines, cast.group, cast.ground, 2.0 * plan.seconds * float(speed.max(initial=0.0)))
    direction = np.stack([np.sin(cast.heading), np.cos(cast.heading)], axis=1)
    radius = np.zeros(len(speed))
    if plan.avoidance is not None:
        radius = plan.avoidance.radius * cast.size
        check_apart(cast.ground, radius)
    for group, own in zip(plan.groups, speeds, strict=True):
        if own == 0.0 and (group.paths or group.target):
            raise UsageError(
                f"{group.model.name}: its motion does not walk on and on, so that it can follow no path and reach no "
                "target: give the group a cyclic model that travels"
            )
    return Walkers(cast.ground, speed, radius, direction, target, ways)


def check_apart(ground: Floats, radius: Floats) -> None:
    """Refuse places where bodies overlap."""
    from scipy.spatial import cKDTree

    pairs = cKDTree(ground).query_pairs(2.0 * float(radius.max(initial=0.0)), output_type="ndarray")
    apart = np.linalg.norm(ground[pairs[:, 0]] - ground[pairs[:, 1]], axis=1)
    close = np.flatnonzero(apart < radius[pairs].sum(axis=1) - 1e-9)
    if len(close):
        first, second = sorted(pairs[close[0]].tolist())
        raise UsageError(
            f"placement: characters {first + 1} and {second + 1} stand {apart[close[0]]:.2g} m apart and could not "
            f"avoid each other with a radius of {radius[first]:.2g} m: give more spacing, or a smaller avoidance.radius"
        )

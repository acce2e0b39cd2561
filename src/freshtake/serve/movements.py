"""Group takes into movements, the units of a project, by name and pose cloud.

A take joins a movement of the same kind and skeleton whose takes it resembles. Meaningful names take precedence:
`walk_1` and `walk_2` belong together unless they move very differently, `walk_1` and `limp_1` are never grouped
automatically. Names without a meaningful word (`07_01`, `take_3`) are ignored, so only the motion counts.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.read_options import Motion
from freshtake.motion import Clip, MeshSequence, Stroke
from freshtake.numeric.arrays import Floats
from freshtake.reports.differences import body_points
from freshtake.serve.items import Item, new_id

if TYPE_CHECKING:
    from freshtake.serve.project import Project

BODY, STROKE, MESH, MARKERS = "body", "stroke", "mesh", "markers"
# Distances between pose clouds, in leg lengths. Nearest takes of one movement are below .06 (99 of 100, among
# odd-numbered CMU performers and among even-numbered ones), different movements of the training folders above .10.
ALIKE = 0.1
ALIKE_BY_NAME = 0.25  # the limit for takes with the same name
POINTS = 48  # points of a stroke, or vertices of a mesh, that are compared
PLAIN_NAMES = {
    "", "take", "takes", "clip", "motion", "mocap", "anim", "animation", "untitled", "recording", "scene", "mixamo com",
}  # fmt: skip
LEARNED = ("take", "strokes")


class Print(NamedTuple):
    """The basis for comparing takes: kind, a hash of the skeleton or layout, and the pose cloud (2, points, 3)."""

    kind: str
    signature: str
    cloud: Floats


def print_of(motion: Motion) -> Print:
    """Return the kind, signature and pose cloud of a motion.

    The cloud is the mean and standard deviation of every point, relative to the body and in units of its size: it does
    not depend on where, when, how often or in which direction something is done.
    """
    if isinstance(motion, Clip):
        parts = (*motion.skeleton.names, *(str(parent) for parent in motion.skeleton.parents))
        return Print(BODY, _hash(parts), _statistics(body_points(motion)))
    if isinstance(motion, Stroke):
        return Print(STROKE, _hash(motion.dimensions), _stroke_shape(motion))
    if isinstance(motion, MeshSequence):
        some = np.linspace(0, motion.vertices.shape[1] - 1, POINTS).astype(int)
        points = motion.vertices[:, some].astype(np.float64)
        # Position and scale of a mesh do not count.
        middle = points.mean(axis=1, keepdims=True)
        size = float(np.ptp(points[0], axis=0).max()) or 1.0
        signature = _hash((str(motion.vertices.shape[1]), motion.faces.tobytes().hex()))
        return Print(MESH, signature, _statistics((points - middle) / size))
    points = np.nan_to_num(motion.positions - np.nanmean(motion.positions, axis=1, keepdims=True))
    size = float(np.abs(points).max()) or 1.0
    return Print(MARKERS, _hash(motion.names), _statistics(points / size))


def _hash(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _statistics(points: Floats) -> Floats:
    return np.stack([points.mean(axis=0), points.std(axis=0)])


def _stroke_shape(stroke: Stroke) -> Floats:
    """Return the drawn line as (2, points, 3): with equal steps along it, centered, in units of its size."""
    flat = stroke.points[:, :2] if stroke.points.shape[1] > 1 else np.column_stack([stroke.times, stroke.points])
    # Equal steps along the line make shapes comparable at any drawing speed.
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(flat, axis=0), axis=1))])
    at = np.linspace(0.0, length[-1], POINTS)
    line = np.column_stack([np.interp(at, length, column) for column in flat.T])
    line -= 0.5 * (line.min(axis=0) + line.max(axis=0))
    line /= float(np.ptp(line, axis=0).max()) or 1.0
    out = np.zeros((2, POINTS, 3))
    out[0, :, :2] = line
    return out


def distance(one: Floats, other: Floats) -> float:
    """Return the root mean square distance of two pose clouds over points (Fréchet, for independent Gaussians)."""
    if one.shape != other.shape:
        return np.inf
    return float(np.sqrt(((one - other) ** 2).sum(axis=(0, 2)).mean()))


def stem(name: str) -> str:
    """Return a take's name without trailing numbers: walk for `walk_1`."""
    return re.sub(r"[\s_.\-()]*\d+[\s_.\-()\d]*$", "", name).strip(" _.-")


def _is_meaningful(word: str) -> bool:
    return re.sub(r"[\W\d_]+", " ", word).strip().lower() not in PLAIN_NAMES


class Known(NamedTuple):
    """A take that belongs to a movement."""

    movement: str
    name: str
    signature: str
    cloud: Callable[[], Floats]


def known_takes(project: Project) -> list[Known]:
    """Return all takes of a project that belong to a movement."""
    items = project.items()
    movements = {item.id for item in items if item.kind == "movement"}
    return [
        Known(item.movement, item.name, item.facts["signature"], partial(project.cloud, item.id))
        for item in items
        if item.kind in LEARNED and item.movement in movements
    ]


def best_movement(known: Iterable[Known], name: str, described: Print) -> str | None:
    """Return the movement that a take with this name and print belongs to, or None for a new one."""
    word = stem(name)
    best, nearest = None, np.inf
    for take in known:
        other = stem(take.name)
        # Different words mean different movements: a walk and a limp may look similar.
        named_apart = word != other and _is_meaningful(word) and _is_meaningful(other)
        if take.signature != described.signature or named_apart:
            continue
        # Equal names mean one movement, unless the motions are very different.
        limit = ALIKE_BY_NAME if word == other and _is_meaningful(word) else ALIKE
        away = distance(described.cloud, take.cloud())
        if away < limit and away < nearest:
            best, nearest = take.movement, away
    return best


def movement_name(take: str) -> str:
    """Derive the name of a movement from the name of its first take."""
    return stem(take) or take


def new_movement(name: str, kind: str, signature: str, created: float) -> Item:
    """Return an empty movement."""
    return Item(id=new_id(), kind="movement", name=name, created=created, facts={"what": kind, "signature": signature})


def check_regroup(items: list[Item], movement: Item | None) -> None:
    """Refuse takes that cannot be learned from together with a movement's takes."""
    for item in items:
        if item.kind not in LEARNED:
            raise UsageError(f"{item.name} is not a take: only takes can be moved; everything made from them stays")
    signatures = {item.facts["signature"] for item in items}
    if movement is not None:
        signatures.add(movement.facts["signature"])
    if len(signatures - {""}) > 1:  # a movement that began with an uploaded model has no signature
        target = "one movement" if movement is None else movement.name
        raise UsageError(f"these takes have different skeletons or kinds: they cannot be learned together in {target}")


def kind_of(facts: dict[str, Any]) -> str:
    """Return the kind of movement that an item's facts describe."""
    if facts.get("vertices") or "mesh" in str(facts.get("motion", "")):
        return MESH
    if facts.get("joints"):
        return BODY
    if facts.get("points"):
        return MARKERS
    # A model without joints was learned from strokes.
    return STROKE if facts.get("what") == "stroke" or facts.get("method") == "variation" else BODY

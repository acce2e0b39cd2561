"""Point clips as columns, and poses as points, optionally with the body's travel and heading separated.

A cloud of points has no root rotation, so its heading is the turn about the vertical that best aligns its ground plan.
Joint positions alone lose the twist of a forearm, so each joint also carries points off its axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.clip import Clip
from freshtake.motion.features.angles import (
    Columns,
    Complexes,
    Path,
    Start,
    ground_of,
    rates,
    set_ground,
    start_of,
    summed,
    turned_back,
)
from freshtake.motion.kinds import PointClip
from freshtake.motion.skeleton import Skeleton
from freshtake.motion.validation import Parts, check_timing, checked_names, frozen
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.rotations import from_matrix, inverse, local_rotations, multiply, rotate

ROOTS = ("absolute", "heading")
RATES = ("body.forward", "body.sideways", "body.turn")
RATE_UNITS = ("speed", "speed", "turn")


def centered_plan(positions: Floats, up: str) -> tuple[Complexes, Complexes]:
    """Return the ground plan (frames, points) about its center, and the center (frames,)."""
    plan = ground_of(positions, up)
    center = plan.mean(axis=1)
    return plan - center[:, None], center


def reference_plan(examples: Sequence[Floats], up: str) -> Complexes:
    """Return the mean ground plan (points,) of all frames, each rotated to fit; the first frame has heading 0."""
    plans = np.concatenate([centered_plan(positions, up)[0] for positions in examples])
    reference: Complexes = plans[0]
    # Repeat three times: align all frames to the plan and average them again.
    for _ in range(3):
        turns = np.exp(-1j * np.angle(plans @ reference.conj()))
        reference = np.asarray((plans * turns[:, None]).mean(axis=0))
    return reference


def cloud_path(positions: Floats, reference: Complexes, up: str) -> Path:
    """Return the position and heading of a cloud (frames, points, 3) over time."""
    plan, center = centered_plan(positions, up)
    return Path(center, np.unwrap(np.angle(plan @ reference.conj())))


def relative_columns(positions: Floats, path: Path, frame_time: float, up: str) -> tuple[Floats, Floats]:
    """Return rates (frames, 3), and positions about the center with heading removed; heights stay as they are."""
    local = positions.copy()
    set_ground(local, ground_of(positions, up) - path.ground[:, None], up)
    return rates(path, frame_time), turned_back(local, path.heading, up)


def placed(local: Floats, path: Path, up: str) -> Floats:
    """Return world positions along the path: the inverse of `relative_columns`."""
    out = turned_back(local, -path.heading, up)
    set_ground(out, ground_of(out, up) + path.ground[:, None], up)
    return out


class Markers(NamedTuple):
    """Points fixed to joints, in addition to the joints themselves: joint (points,), offset (points, 3), name."""

    joints: Ints
    places: Floats
    names: tuple[str, ...]


def markers_for(skeleton: Skeleton, moving: bool) -> Markers:
    """Return end sites, and helpers for joints whose points are on one line; children that translate do not count."""
    lengths = skeleton.lengths()
    size = float(np.median(lengths[lengths > 0])) if (lengths > 0).any() else 1.0
    markers: list[tuple[int, Floats, str]] = []
    for joint, name in enumerate(skeleton.names):
        tips = [np.array(site.offset) for site in skeleton.end_sites if site.joint == joint]
        markers += [(joint, tip, f"{name}.tip{k + 1 if k else ''}_") for k, tip in enumerate(tips)]
        children = [] if moving else [skeleton.offsets[child] for child in skeleton.children(joint)]
        helpers = _helpers([*children, *tips], size)
        markers += [(joint, place, f"{name}.{side}_") for place, side in zip(helpers, ("side", "front"), strict=False)]
    joints = np.array([joint for joint, _, _ in markers], dtype=np.intp)
    places = np.array([place for _, place, _ in markers]).reshape(-1, 3)
    return Markers(joints, places, tuple(name for _, _, name in markers))


def _helpers(vectors: list[Floats], size: float) -> list[Floats]:
    """Return up to two perpendicular points that make the vectors span a plane."""
    useful = sorted((v for v in vectors if np.linalg.norm(v) > 1e-6 * size), key=lambda v: -float(np.linalg.norm(v)))
    if not useful:
        return [np.array([size, 0.0, 0.0]), np.array([0.0, size, 0.0])]
    line = useful[0] / np.linalg.norm(useful[0])
    # Directions within about six degrees of each other count as one line: they do not fix a rotation.
    if any(np.linalg.norm(np.cross(line, v)) > 0.1 * np.linalg.norm(v) for v in useful[1:]):
        return []
    beside = np.cross(line, np.eye(3)[int(np.abs(line).argmin())])
    return [size * beside / np.linalg.norm(beside)]


def solve_pose(points: Floats, skeleton: Skeleton, markers: Markers, moving: bool) -> tuple[Floats, Floats]:
    """Align each joint's rigid points to `points` (frames, joints - 1 + markers, 3).

    Return local rotations (frames, joints, 4) and translations (frames, joints, 3), the root's at zero.
    """
    joints = len(skeleton)
    places = np.concatenate([np.zeros((len(points), 1, 3)), points], axis=1)
    owner = np.concatenate([[-1], skeleton.parents[1:], markers.joints])
    rigid = np.concatenate([skeleton.offsets, markers.places])
    usable = np.linalg.norm(rigid, axis=1) > 1e-6 * np.linalg.norm(rigid, axis=1).max()
    if moving:
        usable[:joints] = False
    points_of = [np.flatnonzero(usable & (owner == joint)) for joint in range(joints)]
    world = np.empty((len(points), joints, 4))
    pairs = [joint for joint in range(joints) if len(points_of[joint]) == 2]
    if pairs:
        two = np.array([sorted(points_of[joint], key=lambda k: -np.linalg.norm(rigid[k])) for joint in pairs])
        # The first vector's direction is matched exactly, the second determines the side.
        seen = places[:, two] - places[:, pairs, None]
        world[:, pairs] = multiply(from_matrix(_frame(seen)), inverse(from_matrix(_frame(rigid[two]))))
    for joint in set(range(joints)) - set(pairs):
        # Other numbers of vectors are matched by least squares (Kabsch).
        seen = places[:, points_of[joint]] - places[:, joint, None]
        u, _, vt = np.linalg.svd(np.einsum("fpa,pb->fab", seen, rigid[points_of[joint]]))
        u[..., -1] *= np.sign(np.linalg.det(u @ vt))[:, None]
        world[:, joint] = from_matrix(u @ vt)
    rotations = local_rotations(skeleton.parents, world)
    translations = np.broadcast_to(skeleton.offsets, (len(points), joints, 3)).copy()
    translations[:, 0] = 0.0
    if moving:
        above = skeleton.parents[1:]
        translations[:, 1:] = rotate(inverse(world[:, above]), places[:, 1:joints] - places[:, above])
    return rotations, translations


def _frame(pair: Floats) -> Floats:
    """Return orthonormal columns (..., 3, 3) from two directions (..., 2, 3); arbitrary ones if they are parallel."""
    x = _unit(pair[..., 0, :], np.array([1.0, 0.0, 0.0]))
    least = np.eye(3)[np.abs(x).argmin(axis=-1)]
    other = np.cross(x, least)
    z = _unit(np.cross(x, pair[..., 1, :]), other / np.linalg.norm(other, axis=-1, keepdims=True))
    return np.stack([x, np.cross(z, x), z], axis=-1)


def _unit(v: Floats, otherwise: Floats) -> Floats:
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.where(length > 1e-12, v / np.where(length > 1e-12, length, 1.0), otherwise)


def place_names(skeleton: Skeleton, markers: Markers) -> list[str]:
    """Return `LeftLeg.x` for joints, `Head.tip_x` and `LeftLeg.side_x` for the points fixed to them."""
    stems = [*(f"{name}." for name in skeleton.names[1:]), *markers.names]
    return [stem + axis for stem in stems for axis in "xyz"]


def relative_points(clip: Clip, markers: Markers) -> Floats:
    """Return positions (frames, joints - 1 + markers, 3) from the root: all other joints, then the markers."""
    pose = clip.world()
    fixed = pose.positions[:, markers.joints] + rotate(pose.rotations[:, markers.joints], markers.places)
    return np.concatenate([pose.positions[:, 1:], fixed], axis=1) - clip.root[:, None]


class CloudColumns(Columns):
    """Base of the layouts of points and of meshes: with heading, the rates of the body come first."""

    root: str
    frame_time: float
    up: str

    def rates(self, names: Sequence[str]) -> list[str]:
        """Return names or units of the rates, if there are any."""
        return list(names) if self.root == "heading" else []

    def path(self, values: Floats, start: Start, resume: bool = False) -> Path:
        """Return the position and heading of each row in the ground plane."""
        if self.root == "heading":
            return summed(values[:, :3], self.frame_time, start, self.up, resume)
        return Path(np.zeros(len(values), dtype=np.complex128), np.zeros(len(values)))


@dataclass(frozen=True, eq=False)
class PointLayout(CloudColumns):
    """The points of a clip, and the ground plan from which their heading is measured."""

    point_names: tuple[str, ...]
    root: str
    frame_time: float
    up: str
    unit_m: float | None
    plan: Complexes  # (points,) when the root is encoded as heading, else empty

    kind: ClassVar[str] = "points"

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "point_names", checked_names(self.point_names, "point"))
        check_timing(self)
        count = len(self.point_names) if self.root == "heading" else 0
        put(self, "plan", frozen(self.plan, "plan", (count,), np.complex128))

    def names(self) -> list[str]:
        """Return the DOFs by name: `C7.x`."""
        return self.rates(RATES) + [f"{name}.{axis}" for name in self.point_names for axis in "xyz"]

    def units(self) -> list[str]:
        """Return the quantity that each column measures."""
        return self.rates(RATE_UNITS) + ["length"] * 3 * len(self.point_names)

    def encode(self, clip: PointClip) -> tuple[Floats, Start]:
        """Return all columns (frames, columns) and where the clip starts."""
        name = clip.name or "a point clip"
        if clip.names != self.point_names:
            raise UsageError(f"{name} has different points from the recipe, which has {', '.join(self.point_names)}")
        if clip.up != self.up:
            raise UsageError(f"{name} has {clip.up} up and the recipe {self.up}")
        check_whole(clip)
        if self.root == "absolute":
            return clip.positions.reshape(len(clip), -1), Start()
        path = cloud_path(clip.positions, self.plan, self.up)
        rates, local = relative_columns(clip.positions, path, self.frame_time, self.up)
        return np.concatenate([rates, local.reshape(len(clip), -1)], axis=1), start_of(path, 0, self.up)

    def decode(self, values: Floats, start: Start, resume: bool, skeleton: Skeleton | None, name: str) -> PointClip:
        """Return a point clip from all columns."""
        positions = values[:, -3 * len(self.point_names) :].reshape(len(values), -1, 3)
        if self.root == "heading":
            positions = placed(positions, self.path(values, start, resume), self.up)
        return PointClip(self.point_names, positions, self.frame_time, name, "", self.up, self.unit_m)

    def effects(self, examples: Sequence[Floats], horizon: float) -> Floats:
        """Return the RMS displacement of all points that one unit of each column causes."""
        return cloud_effects(np.concatenate(examples), len(self.point_names), self.root, self.up, horizon)

    def parts(self) -> Parts:
        """Return the header and arrays from which `from_parts` rebuilds the layout."""
        header = {name: getattr(self, name) for name in ("root", "frame_time", "up", "unit_m")}
        return Parts({**header, "points": list(self.point_names)}, {"plan": self.plan.view(np.float64)})

    @classmethod
    def from_parts(cls, parts: Parts) -> PointLayout:
        """Return the layout from its `parts`."""
        return cls(parts.texts("points"), parts.choice("root", ROOTS), *parts.placed(), parts.complexes("plan"))


def check_whole(clip: PointClip) -> None:
    """Refuse a clip with gaps, naming the first gap."""
    gaps = clip.gaps()
    if gaps.any():
        frame, point = (int(k) for k in np.argwhere(gaps)[0])
        where = f"point {clip.names[point]!r} of {clip.name or 'a point clip'} is missing in frame {frame}"
        remedy = "fill the gaps or drop the point first (freshtake convert --repair fill-gaps drop-unseen)"
        raise UsageError(f"{where}: {remedy}")


def cloud_effects(rows: Floats, points: int, root: str, up: str, horizon: float) -> Floats:
    """Return effects: a coordinate moves one point, a speed all points, a turn each in proportion to its distance."""
    out = np.full(rows.shape[1], points**-0.5)
    if root == "heading":
        ground = [k for k in range(3) if "xyz"[k] != up]
        local = rows[:, 3 : 3 + 3 * points].reshape(len(rows), points, 3)[..., ground]
        out[:3] = horizon * np.array([1.0, 1.0, np.sqrt(np.mean((local**2).sum(-1)))])
    return out


def point_layout(clips: Sequence[PointClip], root: str) -> PointLayout:
    """Return the layout that fits all examples: the points of the first example."""
    first = clips[0]
    for clip in clips:
        check_whole(clip)
        if clip.names != first.names:
            raise UsageError(f"{clip.name or 'an example'} has different points from {first.name or 'the first one'}")
        if clip.up != first.up:
            raise UsageError(f"{clip.name or 'an example'} has {clip.up} up and {first.name or 'the first'} {first.up}")
    positions = [clip.positions for clip in clips]
    plan = reference_plan(positions, first.up) if root == "heading" else np.zeros(0, dtype=np.complex128)
    return PointLayout(first.names, root, first.frame_time, first.up, first.unit_m, plan)

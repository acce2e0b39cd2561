"""Clips as columns: the root first, then three numbers per joint (or per point), then joints that move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.orientation import facing, mean_angle
from freshtake.motion.clip import Clip
from freshtake.motion.features import angles as angles_of
from freshtake.motion.features.angles import (
    Columns,
    Path,
    Start,
    ground_of,
    join_heading,
    rates,
    set_ground,
    split_heading,
    start_of,
    summed,
    turned_back,
    upright_reference,
)
from freshtake.motion.features.point_features import (
    ROOTS,
    Markers,
    markers_for,
    place_names,
    relative_points,
    solve_pose,
)
from freshtake.motion.skeleton import Skeleton, require_compatible, skeleton_from_parts, skeleton_parts
from freshtake.motion.validation import Parts, check_timing, frozen, frozen_quaternions
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.rotations import about_axis, forward, from_rotvec, mean, multiply, rotate

ANGLES = ("euler", "expmap", "positions")


class Pose(NamedTuple):
    """The arrays of a clip: root (frames, 3), local rotations, and translations if joints move."""

    root: Floats
    rotations: Floats
    translations: Floats | None


@dataclass(frozen=True, eq=False)
class ClipLayout(Columns):
    """The columns of a clip, and the references from which its rotations are measured."""

    skeleton: Skeleton
    angles: str
    root: str
    moving: bool
    frame_time: float
    up: str
    unit_m: float | None
    reference: Floats  # euler: mean angles (joints, 3); expmap: mean rotations (joints, 4); positions: empty
    upright: Floats  # (4,), see `upright_reference`

    kind: ClassVar[str] = "clip"

    def __post_init__(self) -> None:
        put = object.__setattr__
        joints = len(self.skeleton)
        check_timing(self)
        put(self, "upright", frozen_quaternions(self.upright, "upright", (4,)))
        if self.angles == "expmap":
            put(self, "reference", frozen_quaternions(self.reference, "reference", (joints, 4)))
        else:
            shape = (joints if self.angles == "euler" else 0, 3)
            put(self, "reference", frozen(self.reference, "reference", shape))

    @cached_property
    def markers(self) -> Markers:
        """The points that determine how joints are turned, if poses are positions."""
        return markers_for(self.skeleton, self.moving)

    @property
    def up_index(self) -> int:
        """The column of the vertical axis."""
        return "xyz".index(self.up)

    @property
    def usual(self) -> bool:
        """Whether rows are decoded by compiled functions."""
        return self.root == "heading" and self.angles == "expmap" and not self.moving

    @property
    def root_width(self) -> int:
        """The number of columns of the root."""
        turning = self.angles != "positions"
        if self.root == "absolute":
            return 3 + 3 * turning
        return 4 + 2 * turning

    def names(self) -> list[str]:
        """Return the DOFs by name: `Hips.forward`, `LeftLeg.x`."""
        names = list(self.skeleton.names)
        if self.skeleton.base is not None:  # name the root like the joint that carries the body in the file
            joint = self.skeleton.base.joint
            names[0], names[joint] = names[joint], names[0]
        root, *joints = names
        orders = self.skeleton.orders if self.angles == "euler" else ["XYZ"] * len(self.skeleton)
        letters = [angles_of.angle_letters(order) for order in orders]
        if self.root != "absolute":
            swings = [f"swing_{axis}" for axis in "xyz" if axis != self.up]
            head = ["forward", "sideways", "turn", "height", *swings][: self.root_width]
        else:
            head = ["tx", "ty", "tz", *letters[0]][: self.root_width]
        out = [f"{root}.{dof}" for dof in head]
        if self.angles == "positions":
            return out + place_names(self.skeleton, self.markers)
        out += [f"{name}.{letter}" for name, triple in zip(joints, letters[1:], strict=True) for letter in triple]
        return out + [f"{name}.t{axis}" for name in joints for axis in "xyz"] * self.moving

    def units(self) -> list[str]:
        """Return what each column measures: angle, length, or speed and turn, which are rates per second."""
        head = ["length"] * 3 if self.root == "absolute" else ["speed", "speed", "turn", "length"]
        head += ["angle"] * (self.root_width - len(head))
        count = len(self.skeleton) - 1
        if self.angles == "positions":
            return head + ["length"] * 3 * (count + len(self.markers.names))
        return head + ["angle"] * 3 * count + ["length"] * 3 * count * self.moving

    def spare(self) -> Bools:
        """Return flags of columns to leave out if they stay zero: angles for which the file has no channel."""
        out = super().spare()
        if self.angles == "euler":
            outside = angles_of.outside_layout(self.skeleton)
            first = 0 if self.root == "absolute" else 1
            at = 3 if self.root == "absolute" else self.root_width
            out[at : at + outside[first:].size] = outside[first:].ravel()
        return out

    def encode(self, clip: Clip) -> tuple[Floats, Start]:
        """Return all columns (frames, columns) and where the clip starts."""
        self._check(clip)
        ground = ground_of(clip.root, self.up)
        if self.root == "absolute":
            path, head = Path(ground, np.zeros(len(clip))), clip.root
        else:
            heading, swing = split_heading(clip.rotations[:, 0], self.upright, self.up_index)
            path, height = Path(ground, heading), clip.root[:, self.up_index]
            parts = [rates(path, self.frame_time), height[:, None], swing]
            head = np.concatenate(parts, axis=1)[:, : self.root_width]
        blocks = [head]
        if self.angles == "positions":
            points = relative_points(clip, self.markers)
            blocks.append(points if self.root == "absolute" else turned_back(points, path.heading, self.up))
        else:
            if self.angles == "euler":
                numbers = angles_of.euler_angles(self.skeleton, clip.rotations, self.reference)
            else:
                numbers = angles_of.rotation_vectors(clip.rotations, self.reference)
            if self.root == "absolute":
                blocks.append(numbers[:, :1])
            blocks.append(numbers[:, 1:])
            if self.moving:
                blocks.append(clip.local_translations()[:, 1:])
        values = np.concatenate([block.reshape(len(clip), -1) for block in blocks], axis=1)
        return values, Start() if self.root == "absolute" else start_of(path, 0, self.up)

    def _check(self, clip: Clip) -> None:
        name = clip.name or "a clip"
        require_compatible(self.skeleton, clip.skeleton, "the recipe", name)
        if clip.up != self.up:
            raise UsageError(
                f"{name} has {clip.up} up and the recipe {self.up}: turn it first (convert --up, motion.edit.with_up)"
            )
        if clip.joint_translations is not None and not self.moving:
            shifts = np.abs(clip.joint_translations - clip.skeleton.offsets)[:, 1:].max(axis=(0, 2), initial=0.0)
            if shifts.max(initial=0.0) > 1e-9:
                joint = self.skeleton.names[1 + int(shifts.argmax())]
                raise UsageError(f"joint {joint!r} moves on its parent in {name}, but in no example of the recipe")

    def path(self, values: Floats, start: Start, resume: bool = False) -> Path:
        """Return the position and heading of each row in the ground plane."""
        if self.root != "absolute":
            return summed(values[:, :3], self.frame_time, start, self.up, resume)
        return Path(ground_of(values[:, :3], self.up), np.zeros(len(values)))

    def decode(self, values: Floats, start: Start, resume: bool, skeleton: Skeleton | None, name: str) -> Clip:
        """Return a clip from all columns, on the recipe's skeleton or on a compatible skeleton."""
        body = skeleton or self.skeleton
        require_compatible(self.skeleton, body, "the recipe", "the skeleton")
        if self.usual:
            first, second = start.ground
            begin = np.array([second if self.up == "y" else -second, first, start.heading])
            pose = self.poses(values, begin, resume)
        else:
            pose = self.pose(values, self.path(values, start, resume), body)
        return Clip(
            body, self.frame_time, pose.root, pose.rotations, pose.translations, None, name, "", self.up, self.unit_m
        )

    def poses(self, values: Floats, begin: Floats, resume: bool) -> Pose:
        """Return the poses of usual columns, compiled: equal to `pose` up to rounding; `begin` is as in `pose_rows`."""
        from freshtake.motion.features.pose_stream import (  # numba is slow to import, and encoding does not need it
            PoseCoding,
            pose_rows,
        )

        coding = PoseCoding(self.reference, self.upright, self.up_index, self.frame_time)
        pose = Pose(np.empty((len(values), 3)), np.empty((len(values), len(self.skeleton), 4)), None)
        pose_rows(values, coding, begin, resume, pose.root, pose.rotations)
        return pose

    def pose(self, values: Floats, path: Path, skeleton: Skeleton) -> Pose:
        """Return root, rotations and translations of rows placed along a path."""
        joints, at = len(skeleton), self.root_width
        root = values[:, :3].copy()
        if self.root != "absolute":
            root[:, self.up_index] = values[:, 3]
            set_ground(root, path.ground, self.up)
        if self.angles == "positions":
            return self._solved(values, path, root, skeleton)
        if self.root == "absolute":
            rotations = self._rotations(values[:, 3 : 3 + 3 * joints].reshape(len(values), joints, 3))
            at = 6
        else:
            numbers = np.concatenate([np.zeros((len(values), 3)), values[:, at : at + 3 * (joints - 1)]], axis=1)
            rotations = self._rotations(numbers.reshape(len(values), joints, 3))
            rotations[:, 0] = join_heading(path.heading, values[:, 4:6], self.upright, self.up_index)
        if not self.moving:
            return Pose(root, rotations, None)
        translations = values[:, at + 3 * (joints - 1) :].reshape(len(values), joints - 1, 3)
        return Pose(root, rotations, np.concatenate([root[:, None], translations], axis=1))

    def _rotations(self, numbers: Floats) -> Floats:
        if self.angles == "euler":
            return angles_of.euler_rotations(self.skeleton, numbers)
        return multiply(self.reference, from_rotvec(numbers))

    def _solved(self, values: Floats, path: Path, root: Floats, skeleton: Skeleton) -> Pose:
        points = values[:, self.root_width :].reshape(len(values), -1, 3)
        rotations, translations = solve_pose(points, skeleton, self.markers, self.moving)
        turn = about_axis(np.eye(3)[self.up_index], path.heading)
        rotations[:, 0] = multiply(turn, rotations[:, 0])
        translations[:, 0] = root
        return Pose(root, rotations, translations if self.moving else None)

    def effects(self, examples: Sequence[Floats], horizon: float) -> Floats:
        """Return the fk scale: RMS displacement of joints and tips that one unit of each column causes.

        A rate acts for `horizon` seconds: a speed moves all points, a turn swings them about the vertical.
        """
        rows = np.concatenate(examples)
        # Two dozen poses are enough to measure the effect of each DOF.
        rows = rows[np.linspace(0, len(rows) - 1, min(len(rows), 24)).astype(np.intp)]
        width, pushed = rows.shape[1], 1e-4
        if self.angles == "positions":
            out = np.full(width, (1 + (width - self.root_width) // 3) ** -0.5)
            out[: self.root_width] = 1.0
        else:
            # Central differences: every column perturbed in every row, all at once.
            push = np.eye(width)[:, None] * pushed
            points = self.body_points(np.stack([rows + push, rows - push]).reshape(-1, width))
            points = points.reshape(2, width, len(rows), -1, 3)
            moved = (points[0] - points[1]) / (2.0 * pushed)
            out = np.asarray(np.sqrt((moved**2).sum(-1).mean(axis=(1, 2))))
        if self.root != "absolute":
            arm = np.sqrt(np.mean(np.abs(ground_of(self.body_points(rows), self.up)) ** 2))
            out[:3] = horizon * np.array([1.0, 1.0, arm])
        return out

    def points(self, rows: Floats) -> Floats:
        """Return world positions of joints and tips of single poses, each at the origin and heading 0 if possible."""
        still = Path(np.zeros(len(rows), dtype=np.complex128), np.zeros(len(rows)))
        root, rotations, moved = self.pose(rows, still, self.skeleton)
        local = np.broadcast_to(self.skeleton.offsets, (*rotations.shape[:-1], 3)).copy() if moved is None else moved
        local[:, 0] = root
        world = forward(self.skeleton.parents, local, rotations)
        joints = [site.joint for site in self.skeleton.end_sites]
        offsets = np.array([site.offset for site in self.skeleton.end_sites]).reshape(-1, 3)
        tips = world.positions[:, joints] + rotate(world.rotations[:, joints], offsets)
        return np.concatenate([world.positions, tips], axis=1)

    def body_points(self, rows: Floats) -> Floats:
        """Return world positions of single poses as in `points`, of the body's joints and tips only."""
        body, count = self.skeleton.body(), len(self.skeleton)
        tips = [count + k for k, site in enumerate(self.skeleton.end_sites) if site.joint in body]
        return self.points(rows)[:, [*body, *tips]]

    def parts(self) -> Parts:
        """Return the header and arrays from which `from_parts` rebuilds the layout."""
        header, arrays = skeleton_parts(self.skeleton)
        header |= {name: getattr(self, name) for name in ("angles", "root", "moving", "frame_time", "up", "unit_m")}
        return Parts(header, {**arrays, "reference": self.reference, "upright": self.upright})

    @classmethod
    def from_parts(cls, parts: Parts) -> ClipLayout:
        """Return the layout from its `parts`."""
        return cls(
            skeleton_from_parts(parts),
            parts.choice("angles", ANGLES),
            parts.choice("root", ROOTS),
            parts.field("moving", bool),
            *parts.placed(),
            parts.array("reference"),
            parts.array("upright"),
        )


def _facing_forward(clips: Sequence[Clip], upright: Floats) -> Floats:
    """Return the reference turned so that heading 0 faces forward: in some rigs the root is sideways at rest."""
    off = []
    for clip in clips:
        angles = facing(clip)
        if angles is None:
            return upright
        off.append(angles - split_heading(clip.rotations[:, 0], upright, clip.up_index)[0])
    usual, agreement = mean_angle(np.concatenate(off))
    if agreement < 0.7 or abs(usual) < np.radians(20.0):  # an ordinary rig already faces forward at heading 0
        return upright
    return multiply(about_axis(np.eye(3)[clips[0].up_index], -usual), upright)


def clip_layout(clips: Sequence[Clip], angles: str, root: str) -> ClipLayout:
    """Return the layout that fits all examples: the first example's skeleton, and references learned from all."""
    first = clips[0]
    for clip in clips[1:]:
        require_compatible(first.skeleton, clip.skeleton, first.name or "the first example", clip.name or "another")
    if any(clip.up != first.up for clip in clips):
        raise UsageError("some examples have y up and some z: turn them with motion.edit.with_up first")
    rotations = [clip.rotations for clip in clips]
    if angles == "euler":
        reference = angles_of.euler_reference(first.skeleton, rotations)
    elif angles == "expmap":
        reference = mean(np.concatenate(rotations))
    else:
        reference = np.zeros((0, 3))
    upright = _facing_forward(clips, upright_reference([q[:, 0] for q in rotations], first.up_index))
    moving = any(clip.joint_translations is not None for clip in clips)
    return ClipLayout(
        first.skeleton, angles, root, moving, first.frame_time, first.up, first.unit_m, reference, upright
    )

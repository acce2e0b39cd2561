"""Point clips as columns: three coordinates per point, with the body's travel and heading separated on request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.features import recipe_parts as stored
from freshtake.motion.features.cloud import cloud_path, placed, reference_plan, relative_columns
from freshtake.motion.features.ground import Complexes, Path, Start, start_of, summed
from freshtake.motion.points import PointClip
from freshtake.motion.skeleton import Skeleton
from freshtake.motion.validation import checked_names, frozen, positive, up_axis
from freshtake.numeric.arrays import Bools, Floats

ROOTS = ("absolute", "heading")
RATES = ("body.forward", "body.sideways", "body.turn")


@dataclass(frozen=True, eq=False)
class PointLayout:
    """Which points there are, and the ground plan that their heading is measured from."""

    point_names: tuple[str, ...]
    root: str
    frame_time: float
    up: str
    unit_m: float | None
    plan: Complexes  # (points,) when the root is taken as heading, else empty

    kind: ClassVar[str] = "points"

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "point_names", checked_names(self.point_names, "point"))
        put(self, "frame_time", positive(self.frame_time, "frame_time"))
        put(self, "up", up_axis(self.up))
        count = len(self.point_names) if self.root == "heading" else 0
        put(self, "plan", frozen(self.plan, "plan", (count,), np.complex128))

    def names(self) -> list[str]:
        """The DOFs by name: `C7.x`."""
        rates = list(RATES) if self.root == "heading" else []
        return rates + [f"{name}.{axis}" for name in self.point_names for axis in "xyz"]

    def units(self) -> list[str]:
        """What each column measures."""
        rates = ["speed", "speed", "turn"] if self.root == "heading" else []
        return rates + ["length"] * 3 * len(self.point_names)

    @property
    def width(self) -> int:
        """How many columns there are."""
        return 3 * len(self.point_names) + 3 * (self.root == "heading")

    def spare(self) -> Bools:
        """No column is left out by default."""
        return np.zeros(self.width, dtype=np.bool_)

    def encode(self, clip: PointClip) -> tuple[Floats, Start]:
        """All columns (frames, columns) and where the clip starts."""
        name = clip.name or "a point clip"
        if clip.names != self.point_names:
            raise UsageError(f"{name} has other points than the recipe, which has {', '.join(self.point_names)}")
        if clip.up != self.up:
            raise UsageError(f"{name} has {clip.up} up and the recipe {self.up}")
        check_whole(clip)
        if self.root == "absolute":
            return clip.positions.reshape(len(clip), -1), Start()
        path = cloud_path(clip.positions, self.plan, self.up)
        rates, local = relative_columns(clip.positions, path, self.frame_time, self.up)
        return np.concatenate([rates, local.reshape(len(clip), -1)], axis=1), start_of(path, 0, self.up)

    def path(self, values: Floats, start: Start, resume: bool = False) -> Path:
        """Where each row stands and faces in the ground plane."""
        if self.root == "heading":
            return summed(values[:, :3], self.frame_time, start, self.up, resume)
        return Path(np.zeros(len(values), dtype=np.complex128), np.zeros(len(values)))

    def decode(self, values: Floats, start: Start, resume: bool, skeleton: Skeleton | None, name: str) -> PointClip:
        """A point clip from all columns."""
        positions = values[:, -3 * len(self.point_names) :].reshape(len(values), -1, 3)
        if self.root == "heading":
            positions = placed(positions, self.path(values, start, resume), self.up)
        return PointClip(self.point_names, positions, self.frame_time, name, "", self.up, self.unit_m)

    def effects(self, examples: Sequence[Floats], horizon: float) -> Floats:
        """RMS displacement of all points that one unit of each column causes."""
        return cloud_effects(np.concatenate(examples), len(self.point_names), self.root, self.up, horizon)

    def parts(self) -> stored.Parts:
        """Header and arrays from which `from_parts` makes the same layout."""
        header = {name: getattr(self, name) for name in ("root", "frame_time", "up", "unit_m")}
        return stored.Parts({**header, "points": list(self.point_names)}, {"plan": self.plan.view(np.float64)})

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], arrays: Mapping[str, stored.Array]) -> PointLayout:
        """The inverse of `parts`."""
        return cls(
            stored.texts(header, "points"),
            stored.choice(header, "root", ROOTS),
            stored.field(header, "frame_time", float, int),
            stored.field(header, "up", str),
            stored.field(header, "unit_m", float, int, type(None)),
            stored.complexes(arrays, "plan"),
        )


def check_whole(clip: PointClip) -> None:
    """Raise with the first gap, if there is one."""
    gaps = clip.gaps()
    if gaps.any():
        frame, point = (int(k) for k in np.argwhere(gaps)[0])
        where = f"point {clip.names[point]!r} of {clip.name or 'a point clip'} is missing in frame {frame}"
        raise UsageError(
            f"{where}: fill the gaps or drop the point first (freshtake convert --repair fill-gaps drop-unseen)"
        )


def cloud_effects(rows: Floats, points: int, root: str, up: str, horizon: float) -> Floats:
    """A coordinate moves one of the points, a speed all of them, a turn each by its distance from the center."""
    out = np.full(rows.shape[1], points**-0.5)
    if root == "heading":
        ground = [k for k in range(3) if "xyz"[k] != up]
        local = rows[:, 3 : 3 + 3 * points].reshape(len(rows), points, 3)[..., ground]
        out[:3] = horizon * np.array([1.0, 1.0, np.sqrt(np.mean((local**2).sum(-1)))])
    return out


def point_layout(clips: Sequence[PointClip], root: str) -> PointLayout:
    """The layout that fits all examples: the points of the first one."""
    first = clips[0]
    for clip in clips:
        check_whole(clip)
        if clip.names != first.names:
            raise UsageError(f"{clip.name or 'an example'} has other points than {first.name or 'the first one'}")
        if clip.up != first.up:
            raise UsageError(f"{clip.name or 'an example'} has {clip.up} up and {first.name or 'the first'} {first.up}")
    positions = [clip.positions for clip in clips]
    plan = reference_plan(positions, first.up) if root == "heading" else np.zeros(0, dtype=np.complex128)
    return PointLayout(first.names, root, first.frame_time, first.up, first.unit_m, plan)

"""Scenes of shapes in display units (a leg is 0.9 long, y is up, bodies start at the origin and face z)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float32]
LEG = 0.9  # display units: an adult is then as tall as in metres


@dataclass(frozen=True)
class Body:
    """A body with volume between points, shared by all clips of a skeleton.

    `bones` (bones, 2) are pairs of points, `radii` (bones, 2) their thickness at both ends, `shades` (bones,) their
    brightness. `tips` are the points whose trails are drawn: hands and feet. `feet` are pairs of points: ankle and toe.
    """

    bones: npt.NDArray[np.int32]
    radii: Points
    shades: Points
    tips: tuple[int, ...] = ()
    feet: tuple[tuple[int, int], ...] = ()


class Paint(NamedTuple):
    """Consecutive faces of a skin, starting at `first`, in a display color (0 to 1) or with a picture (PNG or JPEG)."""

    first: int
    faces: int
    color: tuple[float, float, float] | None = None
    image: bytes | None = None


@dataclass(frozen=True)
class Skin:
    """The mesh of a character in its bind pose; each vertex is carried by the `joints` (vertices, 4) with `weights`.

    `coordinates` (vertices, 2) are positions in pictures, v downwards; `paints` cover all faces in order.
    """

    vertices: Points
    normals: Points | None
    faces: npt.NDArray[np.int32]
    joints: npt.NDArray[np.int32]
    weights: Points
    coordinates: Points | None = None
    paints: tuple[Paint, ...] = ()


@dataclass(frozen=True)
class Wear:
    """The fit of the neutral body to a skeleton: a joint per bone, and the map (bones, 3, 4) from its template.

    `ends` are the joints at the bones' ends, whose differences tint the bones.
    """

    joints: npt.NDArray[np.int64]
    binds: Points
    ends: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Moving:
    """The fields of all shapes: points per frame at equal intervals, and a role (input, variant, extra) for color."""

    name: str
    role: str
    frame_time: float
    points: Points

    def __len__(self) -> int:
        return len(self.points)


@dataclass(frozen=True)
class Figure(Moving):
    """A body in motion, or markers: points (frames, points, 3), NaN where a marker was not seen.

    `ground` (frames, 2) is the position x, z on the floor. `standing` (frames, feet) is 0 in the air, 1 on the floor
    and 2 while a foot slides. With a `skin`, `matrices` (frames, joints, 3, 4) move it from its bind pose into the
    display. With a `wear` the neutral body is shown, its bones rotated by `turns` (frames, bones, 4) and tinted by
    the `differences` (frames, joints) of joints from the takes.
    """

    body: Body
    ground: Points
    standing: npt.NDArray[np.uint8]
    skin: Skin | None = None
    matrices: Points | None = None
    wear: Wear | None = None
    turns: Points | None = None
    differences: Points | None = None


@dataclass(frozen=True)
class Line(Moving):
    """A stroke that writes itself: points (frames, 3)."""


@dataclass(frozen=True)
class Surface(Moving):
    """A mesh in motion: points (frames, vertices, 3), triangles, and its middle (frames, 2) on the floor."""

    faces: npt.NDArray[np.int32]
    ground: Points


Shape = Figure | Line | Surface


class Placed(NamedTuple):
    """A member of a crowd: its shape, its start on the floor, its rotation in radians, and its start in seconds."""

    shape: int
    x: float
    z: float
    turn: float = 0.0
    start: float = 0.0


@dataclass(frozen=True)
class Scene:
    """Everything that one page or picture shows, on one timeline.

    `layout` is row, grid or overlaid; "" means automatic. `legend` names roles other than takes, variants and
    additional takes. `placements` place the members of a crowd; without them every shape is shown once.
    """

    shapes: tuple[Shape, ...]
    title: str = ""
    layout: str = ""
    legend: Mapping[str, str] = field(default_factory=dict)
    placements: tuple[Placed, ...] = ()

    @property
    def duration(self) -> float:
        """Seconds from the first to the last frame of the longest shape."""
        return max((len(shape) - 1) * shape.frame_time for shape in self.shapes)

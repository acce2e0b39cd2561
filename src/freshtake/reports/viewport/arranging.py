"""Place shapes and a camera for pictures made without a browser.

Shapes are side by side, on a grid (with a new row for each role), or overlaid.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.reports.viewport.scene import Line, Scene, Shape

GAP = 0.4
# Rotation about the vertical, and elevation, in radians.
ORBIT, ABOVE, SIDE, FRONT = (0.5, 0.28), (0.3, 0.42), (-0.5 * np.pi, 0.04), (0.0, 0.0)
FIELD = float(np.tan(np.radians(15.0)))  # half the height of the picture at distance 1
FAR_FIELD = 0.04  # field of a distant camera, which shows all poses of a strip from the same side


def about_y(turn: float) -> Floats:
    """Return the matrix (3, 3) by which points (..., 3) are multiplied to rotate them about the vertical."""
    cos, sin = np.cos(turn), np.sin(turn)
    return np.array([[cos, 0.0, -sin], [0.0, 1.0, 0.0], [sin, 0.0, cos]])


class Box(NamedTuple):
    """The lowest and highest corners."""

    low: Floats
    high: Floats

    def corners(self) -> Floats:
        """Return the corners (8, 3)."""
        return np.array([np.where([k & 1, k & 2, k & 4], self.high, self.low) for k in range(8)])


class Eye(NamedTuple):
    """A camera: its position, its axes (right, up, back) as rows, the picture in pixels, and its field of view."""

    place: Floats
    axes: Floats
    size: tuple[int, int]
    field: float = FIELD

    def seen(self, points: Floats) -> tuple[Floats, Floats]:
        """Project points (..., 3) to pixels (..., 2), with pixels per unit (...)."""
        relative = (points - self.place) @ self.axes.T
        scale = 0.5 * self.size[1] / self.field / np.maximum(-relative[..., 2], 1e-3)
        middle = 0.5 * np.array(self.size, dtype=np.float64)
        return relative[..., :2] * scale[..., None] * [1.0, -1.0] + middle, scale


def eye_on(box: Box, view: tuple[float, float], size: tuple[int, int], field: float = FIELD) -> Eye:
    """Return a camera that looks from a direction and shows a box as large as possible."""
    turn, rise = view
    back = np.array([np.cos(rise) * np.sin(turn), np.sin(rise), np.cos(rise) * np.cos(turn)])
    right = np.array([np.cos(turn), 0.0, -np.sin(turn)])
    axes = np.stack([right, np.cross(back, right), back])
    target, distance = 0.5 * (box.low + box.high), (1.0 + float(np.linalg.norm(box.high - box.low))) * 0.5 / field
    # The distance is adjusted iteratively until the box fills the picture.
    for _ in range(40):
        pixels, _ = Eye(target + distance * back, axes, size, field).seen(box.corners())
        low, high = pixels.min(axis=0), pixels.max(axis=0)
        # Perspective shifts the center of a box: the camera looks at the center of its projection.
        off = 0.5 * (low + high) - 0.5 * np.array(size)
        unit = 2.0 * field * distance / size[1]
        target = target + unit * (off[0] * axes[0] - off[1] * axes[1])
        distance *= (float(((high - low) / np.array(size)).max()) / 0.92) ** 0.6  # a full step would overshoot
    return Eye(target + distance * back, axes, size, field)


def arranged(scene: Scene) -> tuple[list[Floats], bool, Box]:
    """Return a shift (3,) per shape, whether travel is removed, and the bounding box of all shapes.

    Without a layout in the scene, it depends on the number of shapes.
    """
    shapes = scene.shapes
    lines = all(isinstance(shape, Line) for shape in shapes)
    kind = scene.layout or ("grid" if lines or len(shapes) > 6 else "row")
    # Long travel is removed, because it would make figures small.
    in_place = max(float(np.ptp(shape.points[..., [0, 2]], axis=(0, 1)).max()) for shape in shapes if len(shape)) > 5.0
    boxes = [_box(shape, in_place) for shape in shapes]
    shifts = [np.zeros(3) for _ in shapes]
    if kind != "overlaid":
        rows = [list(range(len(shapes)))] if kind == "row" else _rows(shapes, 1.8 if lines else 2.6)
        _place(shifts, rows, boxes, lines)
    lows, highs = (np.stack(corners) + shifts for corners in zip(*boxes, strict=True))
    return shifts, in_place, Box(lows.min(axis=0), highs.max(axis=0))


def placed_points(shape: Shape, frame: float, in_place: bool) -> Floats:
    """Return the points of a shape at a fractional frame, with its travel removed if `in_place`."""
    first = min(int(frame), len(shape) - 1)
    last = min(first + 1, len(shape) - 1)
    share = frame - first
    last = last if share > 0 else first  # a marker lost in the next frame is still visible in this one
    points: Floats = (1.0 - share) * shape.points[first].astype(np.float64) + share * shape.points[last]
    if in_place and not isinstance(shape, Line):
        points[..., [0, 2]] -= (1.0 - share) * shape.ground[first] + share * shape.ground[last]
    return points


def _box(shape: Shape, in_place: bool) -> Box:
    points = shape.points.reshape(len(shape), -1, 3).astype(np.float64)
    if in_place and not isinstance(shape, Line):
        points[..., [0, 2]] -= shape.ground[:, None]
    return Box(np.nanmin(points, axis=(0, 1)), np.nanmax(points, axis=(0, 1)))


def _rows(shapes: Sequence[Shape], wide: float) -> list[list[int]]:
    # The grid is wider than tall, like the picture.
    columns = max(2, int(np.ceil(np.sqrt(len(shapes) * wide))))
    rows: list[list[int]] = []
    for number, shape in enumerate(shapes):
        if not rows or shape.role != shapes[number - 1].role or len(rows[-1]) >= columns:
            rows.append([])
        rows[-1].append(number)
    return rows


def _place(shifts: list[Floats], rows: list[list[int]], boxes: list[Box], lines: bool) -> None:
    width = max(float((box.high - box.low)[0]) for box in boxes) + GAP
    height = max(float((box.high - box.low)[1]) for box in boxes) + GAP
    depth = 0.0
    for level, row in enumerate(rows):
        # Rows are so far apart that no figure walks into the row in front.
        depth -= max(float(boxes[k].high[2]) for k in row) if len(rows) > 1 else 0.0
        for column, k in enumerate(row):
            middle = 0.5 * float(boxes[k].low[0] + boxes[k].high[0])
            across = (column - 0.5 * (len(row) - 1)) * width - middle
            shifts[k] = np.array([across, (len(rows) - 1 - level) * height if lines else 0.0, 0.0 if lines else depth])
        depth += min(float(boxes[k].low[2]) for k in row) - 2.5 * GAP

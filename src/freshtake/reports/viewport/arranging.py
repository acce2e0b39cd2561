"""Arrange shapes in a picture: side by side, on a grid (a new row where the role changes), or overlaid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.reports.viewport.eye import Box
from freshtake.reports.viewport.scene import Line, Scene, Shape

GAP = 0.4


def arranged(scene: Scene) -> tuple[list[Floats], bool, Box]:
    """Return a shift (3,) per shape, whether travel is removed, and the box around all.

    The layout is the scene's, or one that suits the number of shapes.
    """
    shapes = scene.shapes
    lines = all(isinstance(shape, Line) for shape in shapes)
    kind = scene.layout or ("grid" if lines or len(shapes) > 6 else "row")
    # Long travel would make figures small: it is removed.
    in_place = max(float(np.ptp(shape.points[..., [0, 2]], axis=(0, 1)).max()) for shape in shapes if len(shape)) > 5.0
    boxes = [_box(shape, in_place) for shape in shapes]
    shifts = [np.zeros(3) for _ in shapes]
    if kind != "overlaid":
        rows = [list(range(len(shapes)))] if kind == "row" else _rows(shapes, 1.8 if lines else 2.6)
        _place(shifts, rows, boxes, lines)
    low = np.min([box.low + shift for box, shift in zip(boxes, shifts, strict=True)], axis=0)
    high = np.max([box.high + shift for box, shift in zip(boxes, shifts, strict=True)], axis=0)
    return shifts, in_place, Box(low, high)


def placed_points(shape: Shape, frame: float, in_place: bool) -> Floats:
    """Return the points of a shape between two frames, with its travel removed where `in_place`."""
    first = min(int(frame), len(shape) - 1)
    last = min(first + 1, len(shape) - 1)
    share = frame - first
    last = last if share > 0 else first  # a marker that is lost in the next frame is still seen in this one
    points: Floats = (1.0 - share) * shape.points[first].astype(np.float64) + share * shape.points[last]
    if in_place and not isinstance(shape, Line):
        points[..., [0, 2]] -= (1.0 - share) * shape.ground[first] + share * shape.ground[last]
    return points


def _box(shape: Shape, in_place: bool) -> Box:
    points = shape.points.reshape(len(shape), -1, 3).astype(np.float64)
    if in_place and not isinstance(shape, Line):
        points[..., 0] -= shape.ground[:, None, 0]
        points[..., 2] -= shape.ground[:, None, 1]
    return Box(np.nanmin(points, axis=(0, 1)), np.nanmax(points, axis=(0, 1)))


def _rows(shapes: Sequence[Shape], wide: float) -> list[list[int]]:
    # Rows are wider than tall, as pictures are.
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
        # Rows are far enough apart that a figure does not walk into the row in front.
        depth -= max(float(boxes[k].high[2]) for k in row) if len(rows) > 1 else 0.0
        for column, k in enumerate(row):
            middle = 0.5 * float(boxes[k].low[0] + boxes[k].high[0])
            across = (column - 0.5 * (len(row) - 1)) * width - middle
            shifts[k] = np.array([across, (len(rows) - 1 - level) * height if lines else 0.0, 0.0 if lines else depth])
        depth += min(float(boxes[k].low[2]) for k in row) - 2.5 * GAP

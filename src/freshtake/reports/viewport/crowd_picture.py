"""Draw a crowd as a picture: from above and at eye level, a row per moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.reports.viewport.arranging import Box, about_y, eye_on, placed_points
from freshtake.reports.viewport.painting import FINE, PAPER, ROLE_COLORS, Painter, finished, floor_picture
from freshtake.reports.viewport.scene import Line, Placed, Scene, Shape

if TYPE_CHECKING:
    from PIL.Image import Image

VIEWS = ((0.0, 1.15), (0.35, 0.07))  # rotation and elevation in radians: from above, at eye level
SIZE = (800, 520)


def crowd_picture(scene: Scene, seconds: tuple[float, ...], ways: bool) -> Image:
    """Draw both views of a crowd, a row per moment, with `ways` also paths in the view from above."""
    from PIL import Image as Images

    # In large crowds, only the 300 figures nearest to the middle are drawn.
    places = np.array([(placed.x, placed.z) for placed in scene.placements])
    order = np.argsort(np.hypot(*(places - np.median(places, axis=0)).T), kind="stable")
    chosen = [scene.placements[k] for k in order[:300]]
    width, height = SIZE[0] * FINE, SIZE[1] * FINE
    picture = Images.new("RGB", (2 * width, height * len(seconds)), PAPER)
    for row, moment in enumerate(seconds):
        poses = [pose_of(scene, placed, moment) for placed in chosen]
        points = np.concatenate([pose.reshape(-1, 3) for pose in poses])
        bounds = np.stack([np.nanmin(points, axis=0), np.nanmax(points, axis=0)])
        # Paths are drawn only in the view from above.
        for column, view in enumerate(((0.0, 1.45), VIEWS[1]) if ways else VIEWS):
            tracks = [track_of(scene, placed) for placed in chosen] if ways and column == 0 else []
            shown = np.concatenate([bounds, *tracks])
            seen = Box(shown.min(axis=0), shown.max(axis=0))
            eye = eye_on(seen, view, (width, height))
            painter = Painter(floor_picture(eye, seen, False), eye)
            for placed, track in zip(chosen, tracks, strict=bool(tracks)):
                _draw_path(painter, scene, placed, track, moment)
            for placed, pose in zip(chosen, poses, strict=True):
                shape = scene.shapes[placed.shape]
                colors = ROLE_COLORS[shape.role]
                painter.add(shape, colors[placed.shape % len(colors)], pose, _frame(shape, placed, moment), placed.turn)
            painter.finish()
            picture.paste(painter.picture, (column * width, row * height))
    return finished(picture)


def track_of(scene: Scene, placed: Placed) -> Floats:
    """Return the positions (frames, 3) of a figure on the floor."""
    shape = scene.shapes[placed.shape]
    assert not isinstance(shape, Line)
    x, z = shape.ground.astype(np.float64).T
    cos, sin = np.cos(placed.turn), np.sin(placed.turn)
    return np.stack([placed.x + cos * x + sin * z, np.zeros(len(x)), placed.z - sin * x + cos * z], axis=1)


def _draw_path(painter: Painter, scene: Scene, placed: Placed, track: Floats, moment: float) -> None:
    """Draw a path: its past in the figure's color, its future lighter."""
    shape = scene.shapes[placed.shape]
    color = np.array(ROLE_COLORS[shape.role][1])
    now = int(moment / shape.frame_time)
    for part, share in ((track[now:], 0.35), (track[: now + 1], 0.9)):
        pixels, _ = painter.eye.seen(part)
        fill = tuple((share * color + (1.0 - share) * np.array(PAPER)).astype(int).tolist())
        if len(pixels) > 1:
            painter.draw.line([tuple(point) for point in pixels], fill=fill, width=FINE + 1, joint="curve")


def pose_of(scene: Scene, placed: Placed, seconds: float) -> Floats:
    """Return the points of one figure of a crowd at a moment."""
    shape = scene.shapes[placed.shape]
    points = placed_points(shape, _frame(shape, placed, seconds), False)
    return np.asarray(points @ about_y(placed.turn) + np.array([placed.x, 0.0, placed.z]))


def _frame(shape: Shape, placed: Placed, seconds: float) -> float:
    return min((seconds + placed.start) / shape.frame_time, len(shape) - 1.0)

"""A crowd as one picture: from above and at eye level, at moments one below the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.reports.viewport.arranging import placed_points
from freshtake.reports.viewport.eye import Box, eye_on
from freshtake.reports.viewport.painting import FINE, PAPER, ROLE_COLORS, Painter, finished, floor_picture
from freshtake.reports.viewport.scene import Placed, Scene

if TYPE_CHECKING:
    from PIL.Image import Image

VIEWS = ((0.0, 1.15), (0.35, 0.07))  # turn and rise, in radians: from above, at eye level
SIZE = (800, 520)
MOST = 300  # figures that are painted


def crowd_picture(scene: Scene, seconds: tuple[float, ...] = (0.0,)) -> Image:
    """Both views of up to 300 figures in the middle of a crowd, a row for each moment."""
    from PIL import Image as Images

    chosen = _middle(scene)
    width, height = SIZE[0] * FINE, SIZE[1] * FINE
    picture = Images.new("RGB", (2 * width, height * len(seconds)), PAPER)
    for row, moment in enumerate(seconds):
        poses = [pose_of(scene, placed, moment) for placed in chosen]
        whole = np.concatenate([pose.reshape(-1, 3) for pose in poses])
        box = Box(np.nanmin(whole, axis=0), np.nanmax(whole, axis=0))
        for column, view in enumerate(VIEWS):
            eye = eye_on(box, view, (width, height))
            painter = Painter(floor_picture(eye, box, False), eye)
            for placed, pose in zip(chosen, poses, strict=True):
                shape = scene.shapes[placed.shape]
                colors = ROLE_COLORS[shape.role]
                painter.add(shape, colors[placed.shape % len(colors)], pose)
            painter.finish()
            picture.paste(painter.picture, (column * width, row * height))
    return finished(picture)


def _middle(scene: Scene) -> list[Placed]:
    """Those nearest to the middle of the crowd."""
    places = np.array([(placed.x, placed.z) for placed in scene.placements])
    order = np.argsort(np.hypot(*(places - np.median(places, axis=0)).T), kind="stable")
    return [scene.placements[k] for k in order[:MOST]]


def pose_of(scene: Scene, placed: Placed, seconds: float) -> Floats:
    """The points of one figure of a crowd at a moment."""
    shape = scene.shapes[placed.shape]
    frame = min((seconds + placed.start) / shape.frame_time, len(shape) - 1.0)
    points = placed_points(shape, frame, False)
    cos, sin = np.cos(placed.turn), np.sin(placed.turn)
    turned = points @ np.array([[cos, 0.0, -sin], [0.0, 1.0, 0.0], [sin, 0.0, cos]])
    return np.asarray(turned + np.array([placed.x, 0.0, placed.z]))

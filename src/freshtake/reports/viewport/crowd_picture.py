"""Draw a crowd as one picture: from above and at eye level, one row per moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.reports.viewport.arranging import Box, eye_on, placed_points
from freshtake.reports.viewport.painting import FINE, PAPER, ROLE_COLORS, Painter, finished, floor_picture
from freshtake.reports.viewport.scene import Line, Placed, Scene

if TYPE_CHECKING:
    from PIL.Image import Image

VIEWS = ((0.0, 1.15), (0.35, 0.07))  # rotation and elevation in radians: from above, at eye level
SIZE = (800, 520)


def crowd_picture(scene: Scene, seconds: tuple[float, ...] = (0.0,), ways: bool = False) -> Image:
    """Draw both views of up to 300 figures amid a crowd, one row per moment; `ways`: paths in the view from above."""
    from PIL import Image as Images

    # The figures nearest to the middle of the crowd.
    places = np.array([(placed.x, placed.z) for placed in scene.placements])
    order = np.argsort(np.hypot(*(places - np.median(places, axis=0)).T), kind="stable")
    chosen = [scene.placements[k] for k in order[:300]]
    width, height = SIZE[0] * FINE, SIZE[1] * FINE
    picture = Images.new("RGB", (2 * width, height * len(seconds)), PAPER)
    for row, moment in enumerate(seconds):
        poses = [pose_of(scene, placed, moment) for placed in chosen]
        whole = np.concatenate([pose.reshape(-1, 3) for pose in poses])
        box = Box(np.nanmin(whole, axis=0), np.nanmax(whole, axis=0))
        # Paths are drawn only in the view from above.
        for column, view in enumerate(((0.0, 1.45), VIEWS[1]) if ways else VIEWS):
            tracks = [track_of(scene, placed) for placed in chosen] if ways and column == 0 else []
            whole = np.concatenate([box.low[None], box.high[None], *tracks])
            seen = Box(whole.min(axis=0), whole.max(axis=0))
            eye = eye_on(seen, view, (width, height))
            painter = Painter(floor_picture(eye, seen, False), eye)
            for placed, track in zip(chosen, tracks, strict=bool(tracks)):
                _draw_way(painter, scene, placed, track, moment)
            for placed, pose in zip(chosen, poses, strict=True):
                shape = scene.shapes[placed.shape]
                colors = ROLE_COLORS[shape.role]
                frame = min((moment + placed.start) / shape.frame_time, len(shape) - 1.0)
                painter.add(shape, colors[placed.shape % len(colors)], pose, frame, placed.turn)
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


def _draw_way(painter: Painter, scene: Scene, placed: Placed, track: Floats, moment: float) -> None:
    """Draw the past part of a path in the figure's color, the rest in a lighter one."""
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
    frame = min((seconds + placed.start) / shape.frame_time, len(shape) - 1.0)
    points = placed_points(shape, frame, False)
    cos, sin = np.cos(placed.turn), np.sin(placed.turn)
    turned = points @ np.array([[cos, 0.0, -sin], [0.0, 1.0, 0.0], [sin, 0.0, cos]])
    return np.asarray(turned + np.array([placed.x, 0.0, placed.z]))

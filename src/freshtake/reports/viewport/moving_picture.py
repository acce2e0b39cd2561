"""A scene as a moving picture (GIF), painted without a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

from freshtake.reports.viewport.arranging import Arranged, arranged, placed_points
from freshtake.reports.viewport.eye import ABOVE, FRONT, ORBIT, Eye, eye_on
from freshtake.reports.viewport.painting import FINE, Painter, colors_of, finished, floor_picture
from freshtake.reports.viewport.scene import Line, Scene, Shape

if TYPE_CHECKING:
    from PIL.Image import Image

RATE = 20.0  # pictures per second
MOST_PICTURES = 160
SIZE = (880, 440)
COLORS = 144
FEW = 10  # shapes; more are seen over the first row
PAUSE = 0.4  # seconds at the end


def save_gif(
    scene: Scene,
    target: Path | IO[bytes],
    report: Callable[[float], None],
    size: tuple[int, int] = SIZE,
    rate: float = RATE,
) -> None:
    """Write the scene from its first to its last moment, repeating forever; `rate` is pictures per second."""
    from PIL import Image as Images

    pictures = []
    palette = None
    total = _count(scene, rate)
    for number, picture in enumerate(moments(scene, size, rate)):
        report(number / total)
        if palette is None:
            palette = picture.quantize(COLORS, method=Images.Quantize.MEDIANCUT)
        pictures.append(picture.quantize(palette=palette, dither=Images.Dither.NONE))
    times = [round(1000 * scene.duration / max(total - 1, 1) / 10) * 10] * len(pictures)
    times[-1] += round(1000 * PAUSE)
    pictures[0].save(
        target, format="GIF", save_all=True, append_images=pictures[1:], duration=times, loop=0, optimize=True
    )


def _count(scene: Scene, rate: float) -> int:
    return int(min(max(round(scene.duration * rate) + 1, 1), MOST_PICTURES))


def moments(scene: Scene, size: tuple[int, int], rate: float = RATE) -> Iterator[Image]:
    """Pictures at equal steps of time."""
    large = (size[0] * FINE, size[1] * FINE)
    lines = all(isinstance(shape, Line) for shape in scene.shapes)
    layout = arranged(scene)
    view = FRONT if lines else ABOVE if len(scene.shapes) > FEW else ORBIT
    eye = eye_on(layout.box, view, large)
    floor = floor_picture(eye, layout.box, lines)
    for seconds in np.linspace(0.0, scene.duration, _count(scene, rate)):
        yield _moment(scene, layout, eye, floor.copy(), float(seconds))


def _moment(scene: Scene, layout: Arranged, eye: Eye, picture: Image, seconds: float) -> Image:
    painter = Painter(picture, eye)
    for shape, color, shift in zip(scene.shapes, colors_of(scene), layout.shifts, strict=True):
        frame = min(seconds / shape.frame_time, len(shape) - 1.0)
        painter.add(shape, color, _pose(shape, seconds, layout.in_place) + shift, frame)
    painter.finish()
    return finished(picture)


def _pose(shape: Shape, seconds: float, in_place: bool) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """The points now; of a stroke, what is written by now."""
    frame = min(seconds / shape.frame_time, len(shape) - 1.0)
    if isinstance(shape, Line):
        return shape.points[: int(frame) + 1].astype(np.float64)
    return placed_points(shape, frame, in_place)

"""Paint animated pictures of scenes, and thumbnails of single motions, without a browser."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

from freshtake.reports.viewport.arranging import ABOVE, FRONT, ORBIT, arranged, eye_on, placed_points
from freshtake.reports.viewport.painting import FINE, Painter, as_png, colors_of, finished, floor_picture
from freshtake.reports.viewport.scene import Figure, Line, Scene, Shape, Surface

if TYPE_CHECKING:
    from PIL.Image import Image

SMALL, SMALL_RATE = (144, 108), 12.0  # pixels, and pictures per second
LONGEST = 3.0  # seconds: only the beginning of longer motions is shown


def thumbnail(shape: Shape, moving: bool) -> bytes:
    """Draw a GIF of the first seconds, or a PNG of their middle frame, without travel; strokes are drawn in full."""
    first = slice(0, max(2, round(LONGEST / shape.frame_time)))
    shown = shape if isinstance(shape, Line) else _part(shape, first)
    if not moving:
        if not isinstance(shown, Line):
            shown = _part(shown, slice(len(shown) // 2, len(shown) // 2 + 1))
        *_, last = moments(Scene((shown,)), SMALL, SMALL_RATE)
        return as_png(last)
    out = io.BytesIO()
    save_gif(Scene((shown,)), out, lambda share: None, SMALL, SMALL_RATE)
    return out.getvalue()


def _part(shape: Figure | Surface, frames: slice) -> Shape:
    """Return some frames, without travel."""
    ground = shape.ground[frames]
    points = shape.points[frames].copy()
    points[..., [0, 2]] -= ground[:, None]
    if isinstance(shape, Figure):
        turns, matrices = (None if rows is None else rows[frames] for rows in (shape.turns, shape.matrices))
        if matrices is not None:  # the skin moves too
            matrices = matrices.copy()
            matrices[:, :, [0, 2], 3] -= ground[:, None]
        shape = replace(shape, standing=shape.standing[frames], turns=turns, matrices=matrices)
    return replace(shape, points=points, ground=np.zeros_like(ground))


RATE = 20.0  # pictures per second


def save_gif(
    scene: Scene, target: Path | IO[bytes], report: Callable[[float], None], size: tuple[int, int] = (880, 440),
    rate: float = RATE,
) -> None:  # fmt: skip
    """Write the scene as a GIF that repeats forever; `rate` is pictures per second."""
    from PIL import Image as Images

    pictures: list[Image] = []
    total = _count(scene, rate)
    for number, picture in enumerate(moments(scene, size, rate)):
        report(number / total)
        if number == 0:
            palette = picture.quantize(96, method=Images.Quantize.MEDIANCUT)
        pictures.append(picture.quantize(palette=palette, dither=Images.Dither.NONE))
    times = [round(1000 * scene.duration / max(total - 1, 1) / 10) * 10] * len(pictures)
    times[-1] += 400  # milliseconds, so that the restart is visible
    pictures[0].save(
        target, format="GIF", save_all=True, append_images=pictures[1:], duration=times, loop=0, optimize=True
    )


def _count(scene: Scene, rate: float) -> int:
    return int(min(max(round(scene.duration * rate) + 1, 1), 160))


def moments(scene: Scene, size: tuple[int, int], rate: float = RATE) -> Iterator[Image]:
    """Yield pictures at equal steps of time."""
    large = (size[0] * FINE, size[1] * FINE)
    lines = all(isinstance(shape, Line) for shape in scene.shapes)
    shifts, in_place, box = arranged(scene)
    # With more shapes the camera is higher, to look over the first row.
    view = FRONT if lines else ABOVE if len(scene.shapes) > 10 else ORBIT
    eye = eye_on(box, view, large)
    floor = floor_picture(eye, box, lines)
    for seconds in np.linspace(0.0, scene.duration, _count(scene, rate)):
        painter = Painter(floor.copy(), eye)
        for shape, color, shift in zip(scene.shapes, colors_of(scene), shifts, strict=True):
            frame = min(float(seconds) / shape.frame_time, len(shape) - 1.0)
            if isinstance(shape, Line):  # the part written so far
                points = shape.points[: int(frame) + 1].astype(np.float64)
            else:
                points = placed_points(shape, frame, in_place)
            painter.add(shape, color, points + shift, frame)
        painter.finish()
        yield finished(painter.picture)

"""Small pictures of one motion, still or moving, for lists."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np

from freshtake.reports.viewport.moving_picture import moments, save_gif
from freshtake.reports.viewport.scene import Line, Scene, Shape

SIZE = (144, 108)
RATE = 12.0  # pictures per second
LONGEST = 3.0  # seconds; longer motions are shown from their first seconds


def thumbnail(shape: Shape, moving: bool, size: tuple[int, int] = SIZE) -> bytes:
    """A GIF of the first seconds, or a PNG of the middle of them; travel is taken out."""
    shown = _short(shape)
    out = io.BytesIO()
    if moving:
        save_gif(Scene((shown,)), out, lambda share: None, size, RATE)
    else:
        pictures = list(moments(Scene((_still(shown),)), size, RATE))
        pictures[-1].save(out, format="PNG", optimize=True)
    return out.getvalue()


def _short(shape: Shape) -> Shape:
    if isinstance(shape, Line):
        return shape
    count = min(len(shape), max(2, round(LONGEST / shape.frame_time)))
    points = shape.points[:count].copy()
    points[..., [0, 2]] -= shape.ground[:count, None]
    changed = {"points": points, "ground": np.zeros_like(shape.ground[:count])}
    if hasattr(shape, "standing"):
        changed["standing"] = shape.standing[:count]
    return replace(shape, **changed)


def _still(shape: Shape) -> Shape:
    """One frame, from the middle; a stroke whole."""
    if isinstance(shape, Line):
        return replace(shape, frame_time=1e-6)
    middle = slice(len(shape) // 2, len(shape) // 2 + 1)
    changed = {"points": shape.points[middle], "ground": shape.ground[middle]}
    if hasattr(shape, "standing"):
        changed["standing"] = shape.standing[middle]
    return replace(shape, **changed)

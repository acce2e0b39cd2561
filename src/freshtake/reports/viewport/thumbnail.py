"""Small pictures of one motion, still or moving, for lists."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np

from freshtake.reports.viewport.moving_picture import moments, save_gif
from freshtake.reports.viewport.scene import Figure, Line, Scene, Shape, Surface

SIZE = (144, 108)
RATE = 12.0  # pictures per second
LONGEST = 3.0  # seconds; longer motions are shown from their first seconds


def thumbnail(shape: Shape, moving: bool, size: tuple[int, int] = SIZE) -> bytes:
    """A GIF of the first seconds, or a PNG of the middle of them; a stroke is whole; travel is taken out."""
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
    return _part(shape, slice(0, max(2, round(LONGEST / shape.frame_time))))


def _still(shape: Shape) -> Shape:
    """One frame, from the middle; a stroke as it is, since it is whole at its end."""
    if isinstance(shape, Line):
        return shape
    return _part(shape, slice(len(shape) // 2, len(shape) // 2 + 1))


def _part(shape: Figure | Surface, frames: slice) -> Shape:
    """Some frames, in place."""
    ground = shape.ground[frames]
    points = shape.points[frames].copy()
    points[..., [0, 2]] -= ground[:, None]
    if isinstance(shape, Figure):
        standing = shape.standing[frames]
        turns, matrices = (None if rows is None else rows[frames] for rows in (shape.turns, shape.matrices))
        if matrices is not None:  # the skin is carried along
            matrices = matrices.copy()
            matrices[:, :, [0, 2], 3] -= ground[:, None]
        moved = replace(shape, points=points, ground=np.zeros_like(ground), standing=standing)
        return replace(moved, turns=turns, matrices=matrices)
    return replace(shape, points=points, ground=np.zeros_like(ground))

"""A camera for pictures that are made without a browser."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats

# Turn about the vertical, and rise, in radians.
ORBIT, ABOVE, SIDE, FRONT = (0.5, 0.28), (0.3, 0.42), (-0.5 * np.pi, 0.04), (0.0, 0.0)
FIELD = float(np.tan(np.radians(15.0)))  # half the height of the picture at distance 1
FAR_FIELD = 0.04  # the same for a distant camera, which sees all poses of a strip from the same side


class Box(NamedTuple):
    """The lowest and the highest corner."""

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
        """Return pixels (..., 2) and pixels per unit (...) of points (..., 3)."""
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
        # Perspective shifts the middle of a box: the camera looks at the middle of its projection.
        off = 0.5 * (low + high) - 0.5 * np.array(size)
        unit = 2.0 * field * distance / size[1]
        target = target + unit * (off[0] * axes[0] - off[1] * axes[1])
        distance *= (float(((high - low) / np.array(size)).max()) / 0.92) ** 0.6  # a full step would overshoot
    return Eye(target + distance * back, axes, size, field)

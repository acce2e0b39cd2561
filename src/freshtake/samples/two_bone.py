"""Two bones and a hinge between a fixed joint and a target: a leg from hip to ankle, an arm from shoulder to hand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import from_matrix

REACH = 0.9985  # of the straight limb: a hinge is never quite straight (about 6 degrees are left)
SOFT = 0.004  # of the straight limb: the last part of the reach, in which a target out of reach is rounded off
FREE = 0.03  # the same for an end that touches nothing


class Limb(NamedTuple):
    """World rotation of the upper bone (frames, 4), hinge angle (frames,) in radians, and the end as reached."""

    upper: Floats
    hinge: Floats
    end: Floats


def reach_length(hinge: Floats | float, upper: float, lower: float) -> Floats:
    """Distance between the ends of two bones whose hinge is bent by this angle (0: straight)."""
    return np.asarray(np.sqrt(upper**2 + lower**2 + 2.0 * upper * lower * np.cos(hinge)))


def solve(
    start: Floats,
    target: Floats,
    pole: Floats,
    lengths: tuple[float, float],
    bend: int = 1,
    free: Floats | float = 0.0,
) -> Limb:
    """Rotate bones that hang along -y so that the lower one's end meets the target.

    The hinge moves towards `pole`. It turns about the bones' x axis by +angle for `bend` 1 (a knee: the lower bone
    goes back when the pole is in front), by -angle for `bend` -1 (an elbow). Targets out of reach are drawn near,
    the more gently the more `free` (0..1) the end is to move.
    """
    a, b = lengths
    along = target - start
    distance = np.linalg.norm(along, axis=-1, keepdims=True)
    axis = along / distance
    stretch = distance / (a + b)
    stretch = stretch + np.asarray(free)[..., None] * (_soft_limit(stretch, FREE) - stretch)
    reached = np.maximum(_soft_limit(stretch, SOFT) * (a + b), abs(a - b) + 0.02 * (a + b))
    inner = np.clip((a * a + reached**2 - b * b) / (2.0 * a * reached), -1.0, 1.0)
    hinge = np.pi - np.arccos(np.clip((a * a + b * b - reached[..., 0] ** 2) / (2.0 * a * b), -1.0, 1.0))
    side = np.cross(-axis, bend * pole)
    side /= np.linalg.norm(side, axis=-1, keepdims=True)
    out = np.cross(side, -axis) * bend
    bone = axis * inner + out * np.sqrt(1.0 - inner**2)
    frame = np.stack([side, -bone, np.cross(side, -bone)], axis=-1)
    return Limb(from_matrix(frame), hinge, start + axis * reached)


def _soft_limit(distance: Floats, soft: float) -> Floats:
    """Distances (of the straight limb) as they are up to `soft` below full reach, then rounded towards it."""
    over = np.maximum(distance - (REACH - soft), 0.0) / soft
    return np.where(over > 0.0, REACH - soft + soft * np.tanh(over), distance)

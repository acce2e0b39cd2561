"""Ground that is not flat: heights on a grid, and bodies that are lifted onto it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.crowd.route_following import smoothed
from freshtake.motion import Clip
from freshtake.motion.body.limbs import Limb
from freshtake.motion.planting.limb_leading import PINNED, lead_limbs
from freshtake.motion.planting.rig import make_bones
from freshtake.numeric.arrays import Floats

EASED = 0.12  # seconds: standard deviation by which the height of hips is smoothed


class Ground(NamedTuple):
    """Heights (rows, columns) in metres over a rectangle of this size (x, z): rows along z, columns along x."""

    heights: Floats
    center: tuple[float, float]
    size: tuple[float, float]

    def at(self, places: Floats) -> Floats:
        """Heights at places (..., 2), between the four nearest cells; beyond the rectangle as at its border."""
        count = np.array(self.heights.shape[::-1])
        share = (places - np.array(self.center)) / np.array(self.size) + 0.5
        cells = np.clip(share * (count - 1), 0.0, count - 1.0)
        low = np.minimum(cells.astype(np.intp), np.maximum(count - 2, 0))
        high = np.minimum(low + 1, count - 1)
        x, z = np.moveaxis(cells - low, -1, 0)
        grid, (c0, r0), (c1, r1) = self.heights, np.moveaxis(low, -1, 0), np.moveaxis(high, -1, 0)
        near = grid[r0, c0] * (1.0 - x) + grid[r0, c1] * x
        far = grid[r1, c0] * (1.0 - x) + grid[r1, c1] * x
        return np.asarray(near * (1.0 - z) + far * z)


def onto_ground(clip: Clip, legs: tuple[Limb, ...], ground: Ground) -> Clip:
    """A motion over a flat floor (metres, y up) lifted onto the ground.

    Every foot is lifted by the height under it, so that one that stands goes on standing; hips by that under the lower
    foot, smoothed, so that no leg has to stretch. Without legs the body is lifted by the height under its root.
    """
    places = clip.positions()
    root = clip.root.copy()
    if not legs:
        root[:, 1] += _eased(ground.at(root[:, [0, 2]]), clip.frame_time)
        return clip.changed(root=root)
    feet = np.stack([places[:, list(leg.points)].mean(axis=1)[:, [0, 2]] for leg in legs], axis=1)
    under = ground.at(feet)  # (frames, legs)
    root[:, 1] += _eased(under.min(axis=1), clip.frame_time)
    moves = np.zeros((len(clip), len(legs), 3))
    moves[..., 1] = under
    rotations, by_ankle = clip.rotations.copy(), np.zeros(len(legs), dtype=np.intp)
    lead_limbs(
        make_bones(clip.skeleton, legs), clip.root, root, np.ascontiguousarray(clip.skeleton.offsets[None]), moves,
        by_ankle, rotations, PINNED,
    )  # fmt: skip
    return clip.changed(root=root, rotations=rotations)


def _eased(heights: Floats, frame_time: float) -> Floats:
    return np.asarray(smoothed(heights.astype(np.complex128), EASED / frame_time).real)

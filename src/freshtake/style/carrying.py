"""Clean-up of feet that slide: the root is carried by the feet that stand, then they are planted (Hsu 2005, §4.5)."""

from __future__ import annotations

import numpy as np

from freshtake.motion.body import feet
from freshtake.motion.clip import Clip
from freshtake.numeric.arrays import Bools, Floats

SOFTNESS = 0.06  # seconds over which the correction of the root's speed is smoothed


def carried_by_feet(clip: Clip, mask: Bools) -> Clip:
    """The clip with its travel corrected so that feet which stand, by the mask (frames, feet), do not slide on average.

    Legs and root are translated by systems of their own and agree only roughly; the root gives way.
    """
    from scipy.ndimage import gaussian_filter1d

    count = len(clip)
    if count < 3 or not mask.any():
        return clip
    ground = [k for k in range(3) if k != clip.up_index]
    slide = np.zeros((count, 2))
    weight = np.zeros(count)
    positions = clip.positions()
    for column, foot in enumerate(feet(clip.skeleton)):
        velocity = np.gradient(positions[:, list(foot.joints)][..., ground], axis=0)
        slower = np.linalg.norm(velocity, axis=-1).argmin(axis=1)
        stands = mask[:, column].astype(np.float64)
        slide += stands[:, None] * velocity[np.arange(count), slower]
        weight += stands
    known = weight > 0.0
    speed = slide / np.maximum(weight, 1.0)[:, None]
    here = np.flatnonzero(known)
    filled: Floats = np.stack([np.interp(np.arange(count), here, speed[here, k]) for k in range(2)], axis=1)
    filled = gaussian_filter1d(filled, SOFTNESS / clip.frame_time, axis=0, mode="nearest")
    shift = np.zeros((count, 3))
    steps = 0.5 * (filled[1:] + filled[:-1])
    shift[1:, ground] = -np.cumsum(steps, axis=0)
    moved = None if clip.joint_translations is None else clip.joint_translations.copy()
    return clip.changed(root=clip.root + shift, joint_translations=moved)


def planted(clip: Clip, mask: Bools, floor: Floats) -> Clip:
    """The clip with feet that stand where the mask (frames, feet) says so, at the floor's heights (foot joints,)."""
    from freshtake.motion.planting import plant

    if not mask.any():
        return clip
    made = plant(carried_by_feet(clip, mask), mask.astype(np.float64), floor=floor)
    return made.clip.changed(provenance=clip.provenance)

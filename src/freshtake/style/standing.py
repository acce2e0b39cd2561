"""Clean-up of feet that slide: legs are turned so that feet stand, the body keeps its path (Hsu 2005, §4.5)."""

from __future__ import annotations

import numpy as np

from freshtake.motion.clip import Clip
from freshtake.motion.planting import plant as plant_feet
from freshtake.motion.planting import settings_for
from freshtake.numeric.arrays import Bools, Floats

STEPS = 0.8  # leg lengths a second: legs and root are translated apart, so that feet which stand slide a good deal


def planted(clip: Clip, mask: Bools, floor: Floats, plant: bool | str = True) -> Clip:
    """The clip with feet that stand where the mask (frames, feet) says so, at the floor's heights (foot joints,)."""
    if not mask.any():
        return clip
    made = plant_feet(clip, mask.astype(np.float64), floor=floor, settings=settings_for(plant, STEPS), careful=True)
    return made.clip.changed(provenance=clip.provenance)

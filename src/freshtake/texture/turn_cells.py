"""A walk cut into cells by where it turns: forward, left and right."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.edit import heading, take_frames

CELLS = ("forward", "left", "right")
TURNING = np.radians(25.0)  # per second: more is a turn
WINDOW = 0.25  # seconds to either side over which turning is measured
LEAST = 0.4  # seconds of the shortest piece that is kept


def turn_cells(clip: Clip) -> dict[str, list[Clip]]:
    """Pieces of a clip by cell, for motion control (Sattler 2004, §2.5); cells that do not occur are left out."""
    angles = np.unwrap(heading(clip))
    reach = max(1, round(WINDOW / clip.frame_time))
    if len(angles) <= 2 * reach:
        raise UsageError(f"{clip.name or 'the clip'} is too short to be cut by where it turns")
    inner = (angles[2 * reach :] - angles[: -2 * reach]) / (2 * reach * clip.frame_time)
    rate = np.concatenate([np.full(reach, inner[0]), inner, np.full(reach, inner[-1])])
    label = np.where(rate > TURNING, 1, np.where(rate < -TURNING, 2, 0))
    bounds = [0, *(np.flatnonzero(np.diff(label)) + 1).tolist(), len(label)]
    out: dict[str, list[Clip]] = {name: [] for name in CELLS}
    for first, stop in pairwise(bounds):
        if (stop - first) * clip.frame_time >= LEAST:
            out[CELLS[int(label[first])]].append(take_frames(clip, first, stop))
    return {name: clips for name, clips in out.items() if clips}

"""Central velocities of every vertex, joint or point (Sattler 2004, eq. 4)."""

from __future__ import annotations

import numpy as np

from freshtake.motion.features.cloud import placed
from freshtake.motion.features.ground import Path, turned_back
from freshtake.numeric.arrays import Floats


def central_velocities(positions: Floats, still_ends: bool = False) -> Floats:
    """Per frame, (frames, ...): half the way from the frame before to the frame after (Sattler 2004, eq. 4).

    Departs from the paper at the ends, unless `still_ends`: one-sided, where the paper sets zero, which no frame in
    motion resembles.
    """
    if len(positions) < 2:
        return np.zeros_like(positions)
    out = np.asarray(np.gradient(positions, axis=0))
    if still_ends:
        out[[0, -1]] = 0.0
    return out


def body_velocities(local: Floats, path: Path | None, up: str, still_ends: bool = False) -> Floats:
    """Velocities in the world of points (frames, points, 3) that are given about the body, turned into its heading."""
    if path is None:
        return central_velocities(local, still_ends)
    world = placed(local, path, up)
    return turned_back(central_velocities(world, still_ends), path.heading, up)

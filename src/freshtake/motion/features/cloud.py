"""Points without a skeleton as columns: markers and mesh vertices, in the world or relative to where the body is.

A cloud of points has no root rotation, so its heading is the turn about the vertical that lays its ground plan best
(least squares) on a reference plan, and its place is the center of the ground plan.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freshtake.motion.features.ground import Complexes, Path, ground_of, rates, set_ground, turned_back
from freshtake.numeric.arrays import Floats

ROUNDS = 3  # of aligning all frames to the plan and averaging them


def centered_plan(positions: Floats, up: str) -> tuple[Complexes, Complexes]:
    """Ground plan (frames, points) about its center, and the center (frames,)."""
    plan = ground_of(positions, up)
    center = plan.mean(axis=1)
    return plan - center[:, None], center


def reference_plan(examples: Sequence[Floats], up: str) -> Complexes:
    """The mean ground plan (points,) of all frames, each turned to fit; headings count from the first frame's."""
    plans = np.concatenate([centered_plan(positions, up)[0] for positions in examples])
    reference: Complexes = plans[0]
    for _ in range(ROUNDS):
        turns = np.exp(-1j * np.angle(plans @ reference.conj()))
        reference = np.asarray((plans * turns[:, None]).mean(axis=0))
    return reference


def cloud_path(positions: Floats, reference: Complexes, up: str) -> Path:
    """Place and heading of a cloud (frames, points, 3) over time."""
    plan, center = centered_plan(positions, up)
    return Path(center, np.unwrap(np.angle(plan @ reference.conj())))


def relative_columns(positions: Floats, path: Path, frame_time: float, up: str) -> tuple[Floats, Floats]:
    """Rates (frames, 3), and positions about the center with heading removed; heights stay as they are."""
    local = positions.copy()
    set_ground(local, ground_of(positions, up) - path.ground[:, None], up)
    return rates(path, frame_time), turned_back(local, path.heading, up)


def placed(local: Floats, path: Path, up: str) -> Floats:
    """The inverse of `relative_columns`, given the path."""
    out = turned_back(local, -path.heading, up)
    set_ground(out, ground_of(out, up) + path.ground[:, None], up)
    return out

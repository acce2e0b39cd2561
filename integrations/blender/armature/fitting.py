# SPDX-License-Identifier: GPL-3.0-or-later
"""Fit a motion to an armature: match joints to bones, and motion space to armature space."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .motion import Motion
from .rig import OBJECT, Rig, nearest_upright
from .trouble import CannotWrite

UNLIKE = 0.02  # body sizes by which rest positions may differ on average


class Fit(NamedTuple):
    """Per bone the joint moving it (-1: none); whether joint 0 is the object; rotation and scale of the armature."""

    joints: tuple[int, ...]
    with_object: bool
    upright: np.ndarray
    scale: float


def fit(motion: Motion, rig: Rig, name: str) -> Fit:
    """Fit a motion to a rig by bone names and rest positions; the object's own position does not matter."""
    with_object = motion.names[0] == OBJECT
    unknown = [joint for joint in motion.names[with_object:] if joint not in rig.names]
    if unknown:
        raise CannotWrite(
            f"{name!r} has no bone {unknown[0]!r}, which {motion.name!r} moves: use Apply to retarget it to this "
            "armature"
        )
    places = _rest_places(motion)
    joints = {joint: number for number, joint in enumerate(motion.names)}
    bones = [rig.names.index(joint) for joint in motion.names[with_object:]]
    upright, scale, error = _turn_and_scale(rig.rest[bones, :3, 3], places[int(with_object) :])
    size = max(np.ptp(places, axis=0).max(), 1e-9)
    if error > UNLIKE * size:
        raise CannotWrite(
            f"the bones of {name!r} differ in length from those that {motion.name!r} was made for: use Apply to "
            "retarget it to this armature"
        )
    return Fit(tuple(joints.get(bone, -1) for bone in rig.names), with_object, upright, scale)


def _rest_places(motion: Motion) -> np.ndarray:
    places = np.array(motion.offsets, dtype=np.float64)
    for joint, parent in enumerate(motion.parents):
        if parent >= 0:
            places[joint] += places[parent]
    return places


def _turn_and_scale(heads: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Return the upright rotation and the scale that best fit heads to positions, and the mean remaining distance."""
    best: tuple[np.ndarray, float, float] | None = None
    for axis in (2, 1, 0):
        for sign in (1.0, -1.0):
            seen = np.eye(3)
            seen[2] = 0.0
            seen[2, axis] = sign
            turn = nearest_upright(seen)
            turned = heads @ turn.T
            norm = float(np.sum(turned * turned))
            scale = float(np.sum(turned * places)) / norm if norm > 0 else 1.0
            error = float(np.linalg.norm(scale * turned - places, axis=1).mean())
            if scale > 0 and (best is None or error < best[2] - 1e-9):
                best = turn, scale, error
    return best or (np.eye(3), 1.0, np.inf)

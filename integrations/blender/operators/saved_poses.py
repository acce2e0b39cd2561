# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose as plain values, stored with an Action that begins or ends with it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..armature.motion import Motion


def pose_values(pose: Motion) -> dict[str, Any]:
    """Return the plain values of a motion of one frame."""
    moved = None if pose.translations is None else pose.translations.tolist()
    return {
        "names": list(pose.names), "parents": list(pose.parents), "offsets": pose.offsets.tolist(), "fps": pose.fps,
        "root": pose.root.tolist(), "rotations": pose.rotations.tolist(), "translations": moved,
        "tips": [list(tip) for tip in pose.tips],
    }  # fmt: skip


def pose_of_values(kept: dict[str, Any], name: str) -> Motion:
    """Return the motion, exact to the last bit: JSON keeps all digits."""
    moved = kept["translations"]
    return Motion(
        name, kept["fps"], tuple(kept["names"]), tuple(kept["parents"]), np.array(kept["offsets"]),
        np.array(kept["root"]), np.array(kept["rotations"]), None if moved is None else np.array(moved),
        tuple((int(joint), tuple(way), text) for joint, way, text in kept["tips"]),
    )  # fmt: skip

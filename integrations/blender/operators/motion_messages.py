# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert motions to the form they have in messages to the child, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..armature.motion import Motion


def packed_motions(motions: Sequence[Motion], key: str) -> tuple[list[dict[str, Any]], dict[str, np.ndarray]]:
    """Return values and arrays of a request."""
    from freshtake.bridge.messages import ClipArrays, packed

    clips = [
        ClipArrays(
            motion.name, motion.names, motion.parents, motion.offsets, motion.root, motion.rotations, 1 / motion.fps,
            translations=motion.translations, tips=motion.tips,
        )
        for motion in motions
    ]  # fmt: skip
    return packed(clips, key)


def motions_of(listed: Any, arrays: Mapping[str, Any], key: str = "clips") -> list[Motion]:
    """Return the motions of an answer."""
    from freshtake.bridge.messages import unpacked

    return [_upright(clip, _motion(clip)) for clip in unpacked(listed, arrays, key)]


def _motion(clip: Any) -> Motion:
    return Motion(
            clip.name, 1 / clip.frame_time, clip.joints, tuple(int(parent) for parent in clip.parents), clip.offsets,
            clip.root, clip.rotations, clip.translations, clip.tips,
            loop=bool(clip.playback and clip.playback.get("loop")),
        )  # fmt: skip


def _upright(clip: Any, motion: Motion) -> Motion:
    """Convert a motion with y up (from a file, not from Blender) to z up: joints' axes rotate with the world's."""
    if clip.up != "y":
        return motion
    moved = None if motion.translations is None else _turned(motion.translations)
    return replace(
        motion, offsets=_turned(motion.offsets), root=_turned(motion.root), translations=moved,
        rotations=np.concatenate([motion.rotations[..., :1], _turned(motion.rotations[..., 1:])], axis=-1),
        tips=tuple((joint, (x, -z, y), name) for joint, (x, y, z), name in motion.tips),
    )  # fmt: skip


def _turned(vectors: np.ndarray) -> np.ndarray:
    return np.stack([vectors[..., 0], -vectors[..., 2], vectors[..., 1]], axis=-1)

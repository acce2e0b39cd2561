"""Clips to plain arrays, and back; nothing that Blender and its like know of is lost."""

from __future__ import annotations

import numpy as np

from freshtake.bridge.clip_arrays import ClipArrays
from freshtake.motion import Clip, EndSite, Skeleton
from freshtake.motion.body.rooting import as_filed
from freshtake.motion.playback import playback_from


def clip_of(arrays: ClipArrays) -> Clip:
    """A clip; refuses what cannot be one."""
    skeleton = Skeleton(
        arrays.joints,
        np.asarray(arrays.parents, dtype=np.intp),
        arrays.offsets,
        tuple(EndSite(joint, offset, name) for joint, offset, name in arrays.tips),
        tuple(tuple(text.split()) for text in arrays.channels),
        arrays.orders,
    )
    return Clip(
        skeleton,
        arrays.frame_time,
        arrays.root,
        arrays.rotations,
        arrays.translations,
        name=arrays.name,
        up=arrays.up,
        unit_m=arrays.unit_m,
        playback=playback_from(arrays.playback),
    )


def arrays_of(clip: Clip) -> ClipArrays:
    """The arrays of a clip, with the joints that its file has."""
    filed = as_filed(clip)
    return ClipArrays(
        filed.name,
        filed.skeleton.names,
        filed.skeleton.parents,
        filed.skeleton.offsets,
        filed.root,
        filed.rotations,
        filed.frame_time,
        filed.up,
        filed.unit_m,
        filed.joint_translations,
        tuple((site.joint, site.offset, site.name) for site in filed.skeleton.end_sites),
        None if filed.playback is None else filed.playback.summary(),
        tuple(" ".join(channels) for channels in filed.skeleton.channels),
        filed.skeleton.orders,
    )

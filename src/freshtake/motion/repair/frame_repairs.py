"""Repairs of single frames: drop what does not belong, fill what is missing, smooth what jumps."""

from __future__ import annotations

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.check.frame_checks import SPIKE_SPEED, Burst, is_tpose_first, limb_speeds, repeated, spikes
from freshtake.motion.clip import Clip
from freshtake.motion.edit import take_frames
from freshtake.motion.planting.contacts import runs
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.rotations import slerp


def drop_tpose(clip: Clip) -> Clip:
    """Without a first frame that the take does not start from; unchanged where there is none."""
    return take_frames(clip, 1).changed(provenance=clip.provenance) if is_tpose_first(clip) else clip


def drop_frozen(clip: Clip) -> Clip:
    """Without frames that equal the one before; later frames move up in time."""
    return _some_frames(clip, ~repeated(clip))


def _some_frames(clip: Clip, keep: Bools) -> Clip:
    """Some frames of a clip, with their channels."""
    if keep.all():
        return clip
    moving = clip.joint_translations
    return clip.changed(
        root=clip.root[keep],
        rotations=clip.rotations[keep],
        joint_translations=None if moving is None else moving[keep],
        channels=None if clip.channels is None else clip.channels[keep],
    )


def fill_frozen(clip: Clip) -> Clip:
    """Frames that equal the one before are interpolated towards the next that moves; those at the end are dropped."""
    same = repeated(clip)
    stops = [stop for _, stop in runs(same)]
    if stops and stops[-1] == len(clip):
        keep = np.ones(len(clip), dtype=bool)
        keep[runs(same)[-1][0] :] = False
        clip, same = _some_frames(clip, keep), same[keep]
    for start, stop in runs(same):
        clip = _bridged(clip, start - 1, stop, list(range(len(clip.skeleton))), travel=True)
    return clip


def fix_spikes(clip: Clip, longest: float = 0.5) -> Clip:
    """Joints that jump are interpolated over the frames in which they do, root travel likewise.

    Where they do not come back (a swap that lasts) the stretch is widened to both sides, up to `longest` seconds,
    until the speed is plausible. All other joints and frames stay.
    """
    for burst in spikes(clip):
        clip = _without_burst(clip, burst, max(1, round(longest * clip.fps / 2.0)))
    return clip


def _without_burst(clip: Clip, burst: Burst, widest: int) -> Clip:
    """Bridge a burst by the narrowest stretch that brings its speed below the limit."""
    count = len(clip.skeleton)
    joints = [joint for joint in burst.joints if joint < count]
    fixed = clip
    for wider in range(widest + 1):
        first, last = max(burst.start - wider, 0), min(burst.stop + wider, len(clip) - 1)
        if last - first < 2:
            continue
        fixed = _bridged(clip, first, last, joints, travel=count in burst.joints)
        if limb_speeds(fixed)[first:last, list(burst.joints)].max() < 0.9 * SPIKE_SPEED:
            break
    return fixed


def _bridged(clip: Clip, first: int, last: int, joints: list[int], *, travel: bool) -> Clip:
    """Interpolate some joints (and the root's travel) between two frames that stay."""
    inside = np.arange(first + 1, last)
    share = (inside - first) / (last - first)
    rotations = clip.rotations.copy()
    a, b = rotations[first][joints], rotations[last][joints]
    rotations[inside[:, None], joints] = slerp(a[None], b[None], share[:, None])
    root, moving = clip.root, clip.joint_translations
    if travel:
        root = _between(root, first, last, inside, share)
        moving = None if moving is None else _between(moving, first, last, inside, share)
    return clip.changed(root=root, rotations=rotations, joint_translations=moving)


def _between(values: Floats, first: int, last: int, inside: Ints, share: Floats) -> Floats:
    out = values.copy()
    weight = share.reshape(-1, *[1] * (values.ndim - 1))
    out[inside] = values[first] + weight * (values[last] - values[first])
    return out


def relabel_fps(clip: Clip, fps: float) -> Clip:
    """The same frames at another rate: for files whose header is wrong. (To change the rate itself, resample.)"""
    if not (np.isfinite(fps) and fps > 0):
        raise UsageError(f"fps must be above 0, but is {fps}")
    return clip.changed(frame_time=1.0 / fps)

"""Clips joined to one long motion: each next one is laid on where the one before ends, and the step between them fades.

What the last pose of a clip and the first of the next differ by, in pose and in speed, is added to the next clip and
fades along the polynomial of fifth degree that begins with that difference and ends, after `blend` seconds, with none
in value, speed and acceleration. No frame is lost but the one that both clips share.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.clip import Clip
from freshtake.motion.edit import aligned_to, concatenate
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import from_rotvec, inverse, multiply, to_rotvec

BLEND = 0.25  # seconds


def join(clips: Sequence[Clip], *, blend: float = BLEND) -> Clip:
    """One clip after the other; the first frame of each next one is the last of the one before."""
    if not (np.isfinite(blend) and blend >= 0.0):
        raise UsageError(f"a blend lasts 0 seconds or more, not {blend}")
    if not clips:
        raise UsageError("there is nothing to join: give at least one clip")
    if any(clip.joint_translations is not None for clip in clips):
        raise UsageError("clips whose joints move against their parents cannot be joined: remove those translations")
    parts = [clips[0]]
    for clip in clips[1:]:
        concatenate([parts[0], clip], align=False)  # raises where skeletons, rates or axes differ
        parts.append(_faded(parts[-1], aligned_to(clip, parts[-1]), blend))
    joined = concatenate(parts, align=False, skip_repeated=True)
    return joined.changed(channels=None, provenance=f"{len(clips)} clips joined")


def seams(clips: Sequence[Clip]) -> list[int]:
    """The frames of the joined motion at which each clip begins."""
    return [0, *np.cumsum([len(clip) - 1 for clip in clips[:-1]]).tolist()]


def _faded(before: Clip, after: Clip, blend: float) -> Clip:
    """`after` with what it differs by from the end of `before` added, and fading."""
    time = np.arange(len(after), dtype=np.float64) * after.frame_time
    still, moving = fading(time, min(blend, float(time[-1])))
    still[0] = 1.0
    turn_between = to_rotvec(multiply(before.rotations[-1], inverse(after.rotations[0])))
    faster = _speed(before, -2) - _speed(after, 0)
    turn = turn_between * still[:, None, None] + faster[1:] * moving[:, None, None]
    root = (before.root[-1] - after.root[0]) * still[:, None] + faster[0] * moving[:, None]
    return after.changed(root=after.root + root, rotations=multiply(from_rotvec(turn), after.rotations))


def _speed(clip: Clip, frame: int) -> Floats:
    """(1 + joints, 3): of the root and of every joint's rotation from one frame to the next, per second."""
    if len(clip) < 2:
        return np.zeros((1 + len(clip.skeleton), 3))
    a, b = (frame, frame + 1) if frame >= 0 else (len(clip) + frame, len(clip) + frame + 1)
    turn = to_rotvec(multiply(clip.rotations[b], inverse(clip.rotations[a])))
    return np.concatenate([(clip.root[b] - clip.root[a])[None], turn]) / clip.frame_time


def fading(time: Floats, blend: float) -> tuple[Floats, Floats]:
    """Weights of a difference in place and of one in speed (seconds), from 1 and 0 with slope 0 and 1 to nothing.

    With t = time / blend: 1 - 10t^3 + 15t^4 - 6t^5, and (t - 6t^3 + 8t^4 - 3t^5) blend.
    """
    if blend <= 0.0:
        return np.zeros_like(time), np.zeros_like(time)
    t = np.minimum(time / blend, 1.0)
    return 1.0 - t**3 * (10.0 - t * (15.0 - 6.0 * t)), blend * (t - t**3 * (6.0 - t * (8.0 - 3.0 * t)))

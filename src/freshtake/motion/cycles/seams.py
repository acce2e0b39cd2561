"""Seams between clips: how well an end meets a start, poses that several loops share, and joining clips at them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.clip import Clip
from freshtake.motion.cycles.looping import loop_frames, played
from freshtake.motion.edit import aligned_to, concatenate
from freshtake.motion.skeleton import require_compatible
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import continuous, from_rotvec, inverse, multiply, to_rotvec

REACH = 0.4  # seconds to either side of the seam; never more than half the loop
BLEND = 0.25  # seconds over which a clip departs from the pose and speed of the previous one


class Steps(NamedTuple):
    """First and second differences of the joints' world positions, as mean lengths in the clip's unit.

    `step` (frames - 1,) is the movement from frame to frame, `bend` (frames - 2,) its change.
    """

    step: Floats
    bend: Floats


class Seam(NamedTuple):
    """The step from the last frame to the first, accounting for the travel, and the larger bend at either side."""

    step: float
    bend: float


def steps_of(clip: Clip) -> Steps:
    """Return all steps and bends."""
    moved = np.diff(clip.positions()[:, clip.skeleton.body()], axis=0)
    return Steps(*(np.linalg.norm(vectors, axis=2).mean(axis=1) for vectors in (moved, np.diff(moved, axis=0))))


def seam_of(loop: Clip) -> Seam:
    """Return the seam of a loop."""
    steps = steps_of(played(loop, 4, loop_frames(loop) - 2))
    return Seam(float(steps.step[1]), float(steps.bend.max()))


class SeamPose(NamedTuple):
    """Rotations (joints, 4) and positions on the parents (joints, 3) at the seam, and their changes per second."""

    rotations: Floats
    local: Floats
    turning: Floats
    moving: Floats


def seam_pose(loop: Clip) -> SeamPose:
    """Return the pose and speed at the first frame of a loop, with the position on the ground set to 0."""
    around = played(loop, 3, -1)
    rotations, local = around.rotations, around.local_translations()
    before, after = (to_rotvec(multiply(rotations[k + 1], inverse(rotations[k]))) for k in (0, 1))
    turning = 0.5 * (before + after) / loop.frame_time
    moving = 0.5 * (local[2] - local[0]) / loop.frame_time
    place = local[1].copy()
    place[0] *= np.arange(3) == loop.up_index
    return SeamPose(rotations[1], place, turning, moving)


def with_seam(loop: Clip, goal: SeamPose) -> Clip:
    """Return the loop with this pose and speed at its seam, at the same position on the ground."""
    if len(goal.rotations) != len(loop.skeleton):
        raise UsageError(f"{loop.name or 'the loop'} has a different skeleton than the pose for its seam")
    flat, steep = _shapes(loop)
    # Turning joints turns their speeds too, so both are corrected in three rounds.
    for _ in range(3):
        now = seam_pose(loop)
        turn = to_rotvec(multiply(goal.rotations, inverse(now.rotations)))
        correction = from_rotvec(_spread(flat, turn) + _spread(steep, goal.turning - now.turning))
        moved = _spread(flat, goal.local - now.local) + _spread(steep, goal.moving - now.moving)
        local = loop.local_translations() + moved
        posed = loop.posed(local, continuous(multiply(correction, loop.rotations)))
        loop = posed.changed(playback=loop.playback)
    return loop


def _shapes(loop: Clip) -> tuple[Floats, Floats]:
    """Return two shapes (frames,) that fade out from the seam: value 1 and slope 0 there; value 0 and slope 1/s."""
    frames = loop_frames(loop)
    number = np.arange(len(loop), dtype=np.float64)
    from_seam = number - frames * np.round(number / frames)
    reach = max(1.0, min(REACH / loop.frame_time, 0.5 * frames))
    share = np.minimum(np.abs(from_seam) / reach, 1.0)
    return (1.0 - share) ** 2 * (1.0 + 2.0 * share), from_seam * loop.frame_time * (1.0 - share) ** 2


def _spread(shape: Floats, amount: Floats) -> Floats:
    return np.asarray(shape[:, None, None] * amount)


def chained(loops: Sequence[Clip]) -> Clip:
    """Join loops, each starting where the previous one leads, and end with the first frame of the first loop."""
    place, roots, rotations, moving = np.zeros(3), [], [], []
    parts = [(loop, loop_frames(loop)) for loop in loops] + [(loops[0], 1)]
    for loop, frames in parts:
        require_compatible(loops[0].skeleton, loop.skeleton, loops[0].name or "the first loop", loop.name or "a later")
        start = played(loop, 1).root[0] * (np.arange(3) != loop.up_index)
        root = loop.root[:frames] - start + place
        place = place + played(loop, 1, loop_frames(loop)).root[0] * (np.arange(3) != loop.up_index) - start
        roots.append(root)
        rotations.append(loop.rotations[:frames])
        if loop.joint_translations is not None:
            moving.append(np.concatenate([root[:, None], loop.joint_translations[:frames, 1:]], axis=1))
    return loops[0].changed(
        root=np.concatenate(roots),
        rotations=continuous(np.concatenate(rotations)),
        joint_translations=np.concatenate(moving) if len(moving) == len(parts) else None,
    )


def join(clips: Sequence[Clip], *, blend: float = BLEND) -> Clip:
    """Join clips in order; the first frame of each clip is the last frame of the previous clip."""
    if not (np.isfinite(blend) and blend >= 0.0):
        raise UsageError(f"a blend lasts 0 seconds or more, not {blend}")
    if not clips:
        raise UsageError("there is nothing to join: give at least one clip")
    if any(clip.joint_translations is not None for clip in clips):
        raise UsageError("clips with joints that move relative to their parents cannot be joined: remove translations")
    parts = [clips[0]]
    for clip in clips[1:]:
        concatenate([parts[0], clip], align=False)  # raises if skeletons, rates or axes differ
        parts.append(_faded(parts[-1], aligned_to(clip, parts[-1]), blend))
    joined = concatenate(parts, align=False, skip_repeated=True)
    return joined.changed(channels=None, provenance=f"{len(clips)} clips joined")


def _faded(before: Clip, after: Clip, blend: float) -> Clip:
    """Return `after` with its difference from the end of `before` added and faded out."""
    time = np.arange(len(after), dtype=np.float64) * after.frame_time
    still, moving = fading(time, min(blend, float(time[-1])))
    still[0] = 1.0
    turn_between = to_rotvec(multiply(before.rotations[-1], inverse(after.rotations[0])))
    faster = _speed(before, -2) - _speed(after, 0)
    turn = turn_between * still[:, None, None] + faster[1:] * moving[:, None, None]
    root = (before.root[-1] - after.root[0]) * still[:, None] + faster[0] * moving[:, None]
    return after.changed(root=after.root + root, rotations=multiply(from_rotvec(turn), after.rotations))


def _speed(clip: Clip, frame: int) -> Floats:
    """Return (1 + joints, 3): speeds per second of the root and of every joint's rotation, to the next frame."""
    if len(clip) < 2:
        return np.zeros((1 + len(clip.skeleton), 3))
    a, b = (frame, frame + 1) if frame >= 0 else (len(clip) + frame, len(clip) + frame + 1)
    turn = to_rotvec(multiply(clip.rotations[b], inverse(clip.rotations[a])))
    return np.concatenate([(clip.root[b] - clip.root[a])[None], turn]) / clip.frame_time


def fading(time: Floats, blend: float) -> tuple[Floats, Floats]:
    """Return weights of a difference in position and in speed (seconds): from 1 and 0, with slopes 0 and 1, to zero.

    With t = time / blend: 1 - 10t^3 + 15t^4 - 6t^5, and (t - 6t^3 + 8t^4 - 3t^5) blend.
    """
    if blend <= 0.0:
        return np.zeros_like(time), np.zeros_like(time)
    t = np.minimum(time / blend, 1.0)
    return 1.0 - t**3 * (10.0 - t * (15.0 - 6.0 * t)), blend * (t - t**3 * (6.0 - t * (8.0 - 3.0 * t)))

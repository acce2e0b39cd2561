"""Poses as points in which travel, heading, size and frame rate play no part: the base of finding recurrences."""

from __future__ import annotations

import numpy as np

from freshtake.motion.body.roles import leg_length, pelvis
from freshtake.motion.clip import Clip
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import about_axis, inverse, mean, multiply, rotate, twist_angle

HALF_WINDOW = 1.0 / 30.0  # seconds to either side over which velocities are measured
VELOCITY_WEIGHT = 0.1  # seconds: how long a velocity lasts when it is weighed against a position
RATE = 60.0  # frames per second that are enough to find recurrences


def body_poses(clip: Clip, reference: Floats | None = None) -> Floats:
    """(frames, joints, 3): positions relative to the body, heading removed, in leg lengths.

    Position and heading are those of the pelvis. The heading is measured from `reference` (a rotation of the pelvis;
    default: the clip's mean one), so that a body that lies has one too. Clips that are to be compared need the same.
    """
    pose, center = clip.world(), pelvis(clip.skeleton)
    facing = pose.rotations[:, center]
    turn_from_reference = multiply(facing, inverse(mean(facing) if reference is None else reference))
    turn = about_axis(np.eye(3)[clip.up_index], -twist_angle(turn_from_reference, clip.up_index))
    return rotate(turn[:, None], pose.positions - pose.positions[:, [center]]) / leg_length(clip.skeleton)


def usual_facing(clip: Clip) -> Floats:
    """The mean rotation of the pelvis: a reference from which headings can be measured."""
    return mean(clip.world().rotations[:, pelvis(clip.skeleton)])


def pose_points(clip: Clip, reference: Floats | None = None) -> Floats:
    """(frames, dimensions): poses and their velocities, and the vertical velocity of the pelvis.

    Each joint counts by the distance to its parent, so that a hand full of fingers does not outweigh a leg.
    """
    lengths = clip.skeleton.lengths()
    weights = np.sqrt(lengths / max(float(lengths.sum()), 1e-12))
    poses = (body_poses(clip, reference) * weights[:, None]).reshape(len(clip), -1)
    rise = clip.positions()[:, [pelvis(clip.skeleton)], clip.up_index] / leg_length(clip.skeleton)
    velocities = velocity(np.concatenate([poses, rise], axis=1), clip.frame_time)
    return np.concatenate([poses, VELOCITY_WEIGHT * velocities], axis=1)


def velocity(values: Floats, frame_time: float) -> Floats:
    """Rate of change (frames, columns) over a window of fixed duration, shorter at the ends."""
    frames = len(values)
    if frames < 2:
        return np.zeros_like(values)
    reach = max(1, round(HALF_WINDOW / frame_time))
    here = np.arange(frames)
    before, after = np.maximum(here - reach, 0), np.minimum(here + reach, frames - 1)
    return (values[after] - values[before]) / ((after - before) * frame_time)[:, None]


def principal(points: Floats, dimensions: int = 24) -> Floats:
    """The points in their leading principal directions: nearly the same distances with fewer numbers."""
    centered = points - points.mean(axis=0)
    directions = np.linalg.eigh(centered.T @ centered)[1][:, ::-1]
    out: Floats = centered @ directions[:, :dimensions]
    return out


def distances(a: Floats, b: Floats) -> Floats:
    """Euclidean distance of every row of a to every row of b."""
    squared = (a * a).sum(1)[:, None] + (b * b).sum(1)[None] - 2.0 * (a @ b.T)
    out: Floats = np.sqrt(np.maximum(squared, 0.0))
    return out

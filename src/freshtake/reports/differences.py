"""Measure the differences of variants from the mean of their takes, per joint and frame, and name the notable parts.

Every motion is relative to its body (around the pelvis, facing one way, in leg lengths) and aligned to the most central
take by dynamic time warping, so that only the body's movement is compared. A difference of 1 is the usual distance of
the takes from their mean.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.motion import Clip
from freshtake.motion.body.roles import body_parts, leg_length, pelvis
from freshtake.motion.edit import heading, with_up
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.dtw import warp_path

LEAST_SPREAD = 0.015  # leg lengths: lower limit on the takes' spread
STANDS_OUT = 1.25  # a part is named if its difference exceeds this multiple of the mean


class Difference(NamedTuple):
    """A motion's relative differences from the takes: per joint (frames, joints), their mean, and the notable parts."""

    joints: Floats
    mean: float
    parts: tuple[str, ...]


def body_points(clip: Clip) -> Floats:
    """Return joints (frames, joints, 3) in leg lengths, around the pelvis, above the floor, facing one way."""
    upright = with_up(clip, "y")
    places = upright.positions()
    root = pelvis(clip.skeleton)
    # Only the pose counts, not position and heading.
    around = places - places[:, root : root + 1] * [1.0, 0.0, 1.0]
    angle = heading(upright)[:, None]
    cos, sin = np.cos(angle), np.sin(angle)
    x, y, z = around[..., 0], around[..., 1], around[..., 2]
    points = np.stack([x * cos - z * sin, y, z * cos + x * sin], axis=-1) / leg_length(clip.skeleton)
    # The floor is a percentile of the lowest points, so that single frames do not move it.
    points[..., 1] -= np.percentile(points[..., 1].min(axis=1), 5.0)
    return points


def differences(takes: Sequence[Clip], motions: Sequence[Clip]) -> list[Difference]:
    """Return the difference of each motion from the mean of takes on its skeleton.

    A single take has no usual difference, so the motions' differences are used instead.
    """
    clouds = [body_points(take) for take in takes]
    thinned = [_thinned(cloud) for cloud in clouds]
    # The take whose timing is closest to all others.
    middle = min(thinned, key=lambda one: sum(_aligned(one, other)[1] for other in thinned))
    mean = np.mean([_onto(middle, thin) for thin in thinned], axis=0)
    raw = usual = [_from_mean(mean, body_points(motion)) for motion in motions]
    if len(takes) > 1:  # unlike new motions, takes are part of their mean, which the factor corrects
        usual = [np.sqrt(len(takes) / (len(takes) - 1.0)) * _from_mean(mean, cloud) for cloud in clouds]
    # Per joint, because hands always differ more than hips.
    scale = np.maximum(np.sqrt(np.concatenate([row**2 for row in usual]).mean(axis=0)), LEAST_SPREAD)
    usual_mean = float(np.mean([(row / scale).mean() for row in usual]))
    parts = body_parts(takes[0].skeleton)
    return [_difference(row / scale, parts, usual_mean) for row in raw]


def _thinned(points: Floats) -> Floats:
    # The cost of alignment grows with the square of the number of frames: at most 160 are used.
    return np.asarray(points[np.linspace(0, len(points) - 1, min(len(points), 160)).astype(np.intp)])


def _aligned(one: Floats, other: Floats) -> tuple[Ints, float]:
    """Return the cheapest path between two series of poses, and its cost per step."""
    return warp_path(one.reshape(len(one), -1), other.reshape(len(other), -1))


def _onto(middle: Floats, thin: Floats) -> Floats:
    """Return, for each frame of the central take, the mean of another take's matching frames."""
    path, _ = _aligned(middle, thin)
    sums, counts = np.zeros_like(middle), np.zeros(len(middle))
    np.add.at(sums, path[:, 0], thin[path[:, 1]])
    np.add.at(counts, path[:, 0], 1.0)
    return np.asarray(sums / counts[:, None, None])


def _from_mean(mean: Floats, cloud: Floats) -> Floats:
    """Return the distance (frames, joints) of each joint from the mean at the aligned frame."""
    thin = _thinned(cloud)
    path, _ = _aligned(mean, thin)
    # A warp path may match a frame with several frames of the mean: their average is used.
    moments = np.bincount(path[:, 1], path[:, 0]) / np.bincount(path[:, 1])
    at = np.interp(np.linspace(0, len(thin) - 1, len(cloud)), np.arange(len(thin)), moments)
    first = np.minimum(at.astype(int), len(mean) - 1)
    last, share = np.minimum(first + 1, len(mean) - 1), (at - first)[:, None, None]
    return np.asarray(np.linalg.norm(cloud - (1.0 - share) * mean[first] - share * mean[last], axis=-1))


def _difference(joints: Floats, parts: tuple[str, ...], usual: float) -> Difference:
    names = sorted(set(parts))
    sizes = {name: float(joints[:, [part == name for part in parts]].mean()) for name in names}
    mean = float(joints.mean())
    named = sorted((name for name in names if sizes[name] > STANDS_OUT * mean), key=lambda name: -sizes[name])
    return Difference(joints, mean / max(usual, 1e-9), tuple(named[:2]))

"""Measures of a walk: its turn, its strides, and the speed of planted feet."""

from __future__ import annotations

from typing import Any

import numpy as np

from freshtake.motion.body.roles import feet, leg_length
from freshtake.motion.edit import heading, turned
from freshtake.motion.gait import gait_of
from freshtake.motion.planting.contacts import joint_contacts
from freshtake.numeric.arrays import Bools, Floats
from freshtake.style.model import StyleModel


def usual_turn(clip: Any) -> float:
    """Return the degrees by which the heading changes from the first second to the last, swaying averaged out."""
    angle = np.degrees(heading(clip))
    span = min(len(angle) // 2, round(1.25 * clip.fps))
    return float(angle[-span:].mean() - angle[:span].mean())


def strides(clip: Any) -> float:
    """Return the strides of a clip; a lone step counts as half of one."""
    gait = gait_of(clip)
    assert gait is not None
    return gait.strides


def planted_speed(clip: Any, mask: Bools) -> float:
    """Return the mean ground speed in cm/s of the slower joint of each planted foot."""
    places, speeds, column = clip.positions(), [], 0
    for number, foot in enumerate(feet(clip.skeleton)):
        joints = list(foot.joints)
        speed = np.linalg.norm(np.diff(places[:, joints], axis=0), axis=-1) * clip.fps * 100.0 * metres(clip)
        count = len(joints)
        stands = mask[:, column : column + count].any(axis=1) if mask.shape[1] > 2 else mask[:, number]
        column += count
        speeds.append(speed.min(axis=1)[stands[1:] & stands[:-1]])
    return float(np.concatenate(speeds).mean())


def streamed_speed(model: StyleModel, rows: Floats) -> float:
    """Return the planted speed of a stream whose feet are planted live."""
    poses = list(model.stream(rows, decode=True, plant=True))
    root, rotations = (np.concatenate([getattr(pose, part) for pose in poses]) for part in ("root", "rotations"))
    clip = poses[0].changed(root=root, rotations=rotations)
    return planted_speed(clip, joint_contacts(clip))


def metres(clip: Any) -> float:
    """Return centimetres per unit of length; takes without a unit have legs of 0.86 m."""
    return float(clip.unit_m or 0.86 / leg_length(clip.skeleton))


def jerk(clip: Any) -> float:
    """Return the third derivative of world positions at 30 frames per second, averaged over joints and frames."""
    step = max(1, round(clip.fps / 30.0))
    places = clip.positions()[::step]
    return float(np.linalg.norm(np.diff(places, 3, axis=0), axis=-1).mean() * (clip.fps / step) ** 3)


def nearest_pose(clip: Any, real: Any) -> float:
    """Return the mean distance, in leg lengths per joint, of poses from the nearest real poses, without heading."""
    ours, theirs = (_bodies(each) for each in (clip, real))
    return float(np.mean([np.linalg.norm(pose - theirs, axis=-1).mean(axis=1).min() for pose in ours[::2]]))


def _bodies(clip: Any) -> Floats:
    places = turned(clip, -heading(clip)).positions()
    return np.asarray((places - places[:, :1] * [1.0, 0.0, 1.0]) / leg_length(clip.skeleton))


def heading_off(source: Any, made: Any, origins: Floats) -> tuple[float, float]:
    """Return degrees between headings of translation and source, means over 1.2 s: last minus first, and maximum."""
    ours = np.degrees(heading(made))
    off = ours - np.interp(origins, np.arange(len(source)), np.degrees(heading(source)))
    width = min(round(1.2 * source.fps), len(off) // 2)
    means = np.convolve(off, np.full(width, 1.0 / width), mode="valid")
    return float(means[-1] - means[0]), float(np.abs(means).max())


def travel_speed(clip: Any) -> float:
    """Return the ground speed of the root in leg lengths per second."""
    ground = clip.positions()[::6, 0][:, [0, 2]]
    way = float(np.linalg.norm(np.diff(ground, axis=0), axis=1).sum())
    return way / leg_length(clip.skeleton) / (len(clip) * clip.frame_time)

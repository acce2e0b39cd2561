"""Between a file's columns of angles and positions and a clip's arrays; shared by BVH and Acclaim."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from freshtake.errors import InvalidMotion
from freshtake.motion import Clip, Skeleton
from freshtake.motion.skeleton import JOINT_CHANNELS, ROOT_CHANNELS
from freshtake.numeric.arrays import Floats
from freshtake.numeric.euler import continuous_euler, equivalent, from_euler, full_order
from freshtake.numeric.rotations import inverse, multiply

_SLACK = 1_000_000  # joints times frames that need no channels of their own; beyond it, one in four must have one


def clip_from_channels(
    skeleton: Skeleton, values: Floats, frame_time: float, *, degrees: bool = True, **about: Any
) -> Clip:
    """Columns (frames, channels), joint after joint in the skeleton's layout, to a clip that keeps them."""
    frames, joints = len(values), len(skeleton)
    if frames * joints > _SLACK + 4 * values.size:
        raise InvalidMotion(f"{joints} joints over {frames} frames are too many for a file with {values.size} numbers")
    translations = np.broadcast_to(skeleton.offsets, (frames, joints, 3)).copy()
    rotations = np.zeros((frames, joints, 4))
    rotations[..., 0] = 1.0
    moving = False
    layout = _columns(skeleton)
    for joint, translation, _ in layout:
        for axis, column in translation:
            translations[:, joint, axis] = values[:, column]
            moving |= joint > 0
    scale = np.pi / 180.0 if degrees else 1.0
    for order, members in _by_order(skeleton).items():
        columns = np.array([[column for _, column in layout[joint][2]] for joint in members])
        rotations[:, members] = from_euler(values[:, columns] * scale, order)
    if skeleton.axes is not None:
        rotations = multiply(multiply(skeleton.axes, rotations), inverse(skeleton.axes))
    return Clip(
        skeleton,
        frame_time,
        translations[:, 0],
        rotations,
        translations if moving else None,
        channels=values,
        **about,
    )


def channels_from_clip(clip: Clip, *, degrees: bool = True) -> tuple[Skeleton, Floats]:
    """The columns of a clip: its file's own where it still has them, otherwise continuous Euler angles.

    Returns the skeleton with the layout that was used, which differs from the clip's own when that layout
    cannot hold the motion: a root without position channels, a moving joint, a joint without all three angles.
    """
    if clip.channels is not None:
        return clip.skeleton, clip.channels
    skeleton, angles = _fitting_layout(clip)
    values = np.zeros((len(clip), skeleton.channel_count))
    translations = clip.local_translations()
    scale = 180.0 / np.pi if degrees else 1.0
    for joint, translation, rotation in _columns(skeleton):
        for axis, column in translation:
            values[:, column] = translations[:, joint, axis]
        for place, column in rotation:
            values[:, column] = angles[:, joint, place] * scale
    return skeleton, values


def _angles(clip: Clip, skeleton: Skeleton) -> Floats:
    """Continuous angles (frames, joints, 3) in each joint's completed order."""
    local = clip.rotations
    if skeleton.axes is not None:
        local = multiply(multiply(inverse(skeleton.axes), local), skeleton.axes)
    out = np.zeros((len(clip), len(skeleton), 3))
    for order, members in _by_order(skeleton).items():
        angles = continuous_euler(local[:, members], full_order(order))
        out[:, members] = angles if len(order) == 3 else _without_third(angles, full_order(order))
    return out


def _without_third(angles: Floats, order: str) -> Floats:
    """Where a joint has two angles at most, the one of the two triples that leaves the third at zero."""
    other = equivalent(angles, order)
    other -= 2.0 * np.pi * np.round(other[:1] / (2.0 * np.pi))
    better = np.abs(other[..., 2]).max(axis=0) < np.abs(angles[..., 2]).max(axis=0)
    return np.where(better[..., None], other, angles)


def _fitting_layout(clip: Clip, tolerance: float = 1e-9) -> tuple[Skeleton, Floats]:
    """The clip's own layout, or the usual one (six channels at the root, three elsewhere) where it falls short.

    Also its angles (frames, joints, 3).
    """
    skeleton = clip.skeleton
    translations = clip.local_translations()
    angles = _angles(clip, skeleton)
    fits = True
    for joint, translation, _ in _columns(skeleton):
        held = {axis for axis, _ in translation}
        at_offset = np.abs(translations[:, joint] - skeleton.offsets[joint]).max(axis=0) <= tolerance
        fits &= all(axis in held or at_offset[axis] for axis in range(3))
        order = skeleton.orders[joint]
        unheld = angles[:, joint, len(order) :] if order else clip.rotations[:, joint, 1:]
        fits &= bool(np.abs(unheld).max(initial=0.0) <= tolerance)
    if fits:
        return skeleton, angles
    if skeleton.axes is not None:
        raise InvalidMotion("the motion does not fit the degrees of freedom of its Acclaim skeleton")
    moving = clip.joint_translations is not None
    others = ROOT_CHANNELS if moving else JOINT_CHANNELS
    skeleton = skeleton.with_layout((ROOT_CHANNELS, *[others] * (len(skeleton) - 1)))
    return skeleton, _angles(clip, skeleton)


def _columns(skeleton: Skeleton) -> list[tuple[int, list[tuple[int, int]], list[tuple[int, int]]]]:
    """Per joint: (axis, column) of its position channels, (place in the Euler order, column) of its rotations."""
    out = []
    column = 0
    for joint, channels in enumerate(skeleton.channels):
        translation, rotation = [], []
        seen: dict[str, int] = defaultdict(int)
        for channel in channels:
            axis = "xyz".index(channel[1])
            if channel[0] == "t":
                translation.append((axis, column))
            else:
                letter = channel[1].upper()
                places = [k for k, axis_name in enumerate(skeleton.orders[joint]) if axis_name == letter]
                rotation.append((places[seen[letter]], column))
                seen[letter] += 1
            column += 1
        out.append((joint, translation, sorted(rotation)))
    return out


def rotation_columns(skeleton: Skeleton) -> list[list[int]]:
    """Per joint, the columns of its rotation channels in the order of its Euler angles."""
    return [[column for _, column in rotation] for _, _, rotation in _columns(skeleton)]


def _by_order(skeleton: Skeleton) -> dict[str, list[int]]:
    """Joints grouped by Euler order, those without rotation channels left out."""
    groups: dict[str, list[int]] = defaultdict(list)
    for joint, order in enumerate(skeleton.orders):
        if order:
            groups[order].append(joint)
    return dict(groups)

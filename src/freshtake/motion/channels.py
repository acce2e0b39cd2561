"""Convert between a file's columns of angles and positions and a clip's arrays; shared by BVH and Acclaim."""

from collections import defaultdict
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import InvalidMotion
from freshtake.motion import Clip, Skeleton
from freshtake.motion.skeleton import JOINT_CHANNELS, ROOT_CHANNELS
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.rotations import by_order, continuous_euler, equivalent, from_euler, full_order


def clip_from_channels(
    skeleton: Skeleton, values: Floats, frame_time: float, *, degrees: bool = True, **about: Any
) -> Clip:
    """Convert columns (frames, channels), joint by joint in the skeleton's layout, to a clip that keeps them."""
    frames, joints = len(values), len(skeleton)
    # Refuse files that claim far more than they contain: beyond a million joint frames, require one number per four.
    if frames * joints > 1_000_000 + 4 * values.size:
        raise InvalidMotion(f"{joints} joints over {frames} frames are too many for a file with {values.size} numbers")
    translations = np.broadcast_to(skeleton.offsets, (frames, joints, 3)).copy()
    rotations = np.zeros((frames, joints, 4))
    rotations[..., 0] = 1.0
    moves, turning = _channel_places(skeleton)[0], rotation_columns(skeleton)
    translations[:, moves.joints, moves.axes] = values[:, moves.columns]
    scale = np.pi / 180.0 if degrees else 1.0
    for order, members in by_order(skeleton.orders).items():
        rotations[:, members] = from_euler(values[:, [turning[joint] for joint in members]] * scale, order)
    rotations = skeleton.from_axes(rotations)
    moving = translations if (moves.joints > 0).any() else None
    return Clip(skeleton, frame_time, translations[:, 0], rotations, moving, channels=values, **about)


def channels_from_clip(clip: Clip) -> tuple[Skeleton, Floats]:
    """Return the columns of a clip: its file's if it still has them, otherwise continuous Euler angles.

    The returned skeleton has the layout of these columns. It differs from the clip's layout if that cannot represent
    the motion: a root without position channels, a moving joint, a joint without all three angles.
    """
    if clip.channels is not None:
        return clip.skeleton, clip.channels
    skeleton, angles = _fitting_layout(clip)
    values = np.zeros((len(clip), skeleton.channel_count))
    moves, turns = _channel_places(skeleton)
    values[:, moves.columns] = clip.local_translations()[:, moves.joints, moves.axes]
    values[:, turns.columns] = angles[:, turns.joints, turns.axes] * (180.0 / np.pi)
    return skeleton, values


def root_in_file(clip: Clip) -> Floats | None:
    """Return the position of joint 0 in the file's channels, (frames, 3); None if they lack a coordinate."""
    if clip.channels is None:
        return None
    moves = _channel_places(clip.skeleton)[0]
    mine = moves.joints == 0
    out = np.empty((len(clip), 3))
    out[:, moves.axes[mine]] = clip.channels[:, moves.columns[mine]]
    return out if mine.sum() == 3 else None


def channels_with(before: Clip, new: Clip, frames: slice, joints: Bools) -> Floats | None:
    """Return a file's channels (frames, channels), with those of some joints (joints,) replaced by a changed clip's.

    `new` is the clip `before` with other motion, and perhaps additional frames, in its file's form; `frames` are those
    that differ or were added. Elsewhere the file's numbers stay. New angles are the equivalents nearest to the old
    angles, so curves do not jump by half turns. None if the file's layout cannot represent the motion.
    """
    skeleton, angles = _fitting_layout(new)
    if before.channels is None or skeleton.channels != before.skeleton.channels:
        return None
    at = np.arange(*frames.indices(len(new)))
    old = np.minimum(at, len(before) - 1)
    out = np.concatenate([before.channels, np.repeat(before.channels[-1:], len(new) - len(before), axis=0)])
    moves = _channel_places(skeleton)[0]
    chosen = joints[moves.joints]
    columns, which = moves.columns[chosen], (moves.joints[chosen], moves.axes[chosen])
    moved = new.local_translations()[at][:, *which]
    unmoved = moved == before.local_translations()[old][:, *which]
    out[at[:, None], columns] = np.where(unmoved, out[at[:, None], columns], moved)
    columns_of = rotation_columns(skeleton)
    for order, members in by_order(skeleton.orders).items():
        turning = [joint for joint in members if joints[joint]]
        places = np.array([columns_of[joint] for joint in turning], dtype=np.intp)
        for frame in at if turning else ():
            # Added frames continue from the frame before them.
            reference = np.radians(out[frame if frame < len(before) else frame - 1][places])
            out[frame, places] = np.degrees(_nearest(angles[frame, turning, : len(order)], reference, order))
    return out


def _nearest(angles: Floats, reference: Floats, order: str) -> Floats:
    """Return the equivalents of angles (joints, 1 to 3) nearest to a reference."""
    choices = [angles, equivalent(angles, order)] if len(order) == 3 else [angles]
    near = np.stack([triple + 2.0 * np.pi * np.round((reference - triple) / (2.0 * np.pi)) for triple in choices])
    best = np.abs(near - reference).sum(axis=-1).argmin(axis=0)
    return np.asarray(np.take_along_axis(near, best[None, :, None], axis=0)[0])


def _angles(clip: Clip, skeleton: Skeleton) -> Floats:
    """Return continuous angles (frames, joints, 3) in each joint's completed order."""
    local = skeleton.about_axes(clip.rotations)
    out = np.zeros((len(clip), len(skeleton), 3))
    for order, members in by_order(skeleton.orders).items():
        full = full_order(order)
        angles = continuous_euler(local[:, members], full)
        if len(order) < 3:  # use the equivalent triple whose third angle stays nearer to zero
            other = equivalent(angles, full)
            other -= 2.0 * np.pi * np.round(other[:1] / (2.0 * np.pi))
            better = np.abs(other[..., 2]).max(axis=0) < np.abs(angles[..., 2]).max(axis=0)
            angles = np.where(better[..., None], other, angles)
        out[:, members] = angles
    return out


def _fitting_layout(clip: Clip) -> tuple[Skeleton, Floats]:
    """Return the clip's layout, or the usual layout (six channels at the root, three elsewhere) if that is too small.

    Also return its angles (frames, joints, 3).
    """
    skeleton, tolerance = clip.skeleton, 1e-9
    angles = _angles(clip, skeleton)
    moves, count = _channel_places(skeleton)[0], np.array([len(order) for order in skeleton.orders])
    beyond = (np.arange(3) >= count[:, None]) & (count > 0)[:, None]  # angles that a joint lacks, if it has others
    fixed = np.ones((len(skeleton), 3), dtype=np.bool_)
    fixed[moves.joints, moves.axes] = False
    if clip.joint_translations is None:  # all joints but the root are at their offsets
        fixed[1:] = False
    shifts = (clip.local_translations() - skeleton.offsets)[:, fixed]
    unwritten = angles[:, beyond], clip.rotations[:, count == 0, 1:], shifts
    if not any(np.abs(values).max(initial=0.0) > tolerance for values in unwritten):
        return skeleton, angles
    if skeleton.axes is not None:
        raise InvalidMotion("the motion does not fit the degrees of freedom of its Acclaim skeleton")
    moving = clip.joint_translations is not None
    others = ROOT_CHANNELS if moving else JOINT_CHANNELS
    skeleton = skeleton.with_layout((ROOT_CHANNELS, *[others] * (len(skeleton) - 1)))
    return skeleton, _angles(clip, skeleton)


class _Places(NamedTuple):
    """Columns of a file, and for each column its joint and its axis or place in the Euler order."""

    columns: Ints
    joints: Ints
    axes: Ints


@lru_cache(maxsize=64)
def _channel_places(skeleton: Skeleton) -> tuple[_Places, _Places]:
    """Return the columns of translations, and those of angles by joint and place in the Euler order."""
    moves, turns, column = [], [], 0
    for joint, (channels, order) in enumerate(zip(skeleton.channels, skeleton.orders, strict=True)):
        seen: dict[str, int] = defaultdict(int)
        for channel in channels:
            axis = channel[1]
            if channel[0] == "t":
                moves.append((column, joint, "xyz".index(axis)))
            else:
                places = [place for place, letter in enumerate(order) if letter == axis.upper()]
                turns.append((column, joint, places[seen[axis]]))
                seen[axis] += 1
            column += 1
    turns.sort(key=lambda turn: turn[1:])
    return tuple(_Places(*np.array(triples, dtype=np.intp).reshape(-1, 3).T) for triples in (moves, turns))  # type: ignore[return-value]


def rotation_columns(skeleton: Skeleton) -> list[list[int]]:
    """Return the columns of each joint's rotation channels, in the order of its Euler angles."""
    out: list[list[int]] = [[] for _ in skeleton.names]
    turns = _channel_places(skeleton)[1]
    for joint, column in zip(turns.joints.tolist(), turns.columns.tolist(), strict=True):
        out[joint].append(column)
    return out

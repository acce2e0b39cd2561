"""What can be wrong with angles: wraps, flips, gimbal lock and constants, which leave the motion right; and noise."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.motion.channels import rotation_columns
from freshtake.motion.check.finding import NOTE, WARNING, Finding, called, frame_list, joined
from freshtake.motion.clip import Clip
from freshtake.numeric.arrays import Floats
from freshtake.numeric.euler import continuous_euler, equivalent, from_euler, gimbal_closeness
from freshtake.numeric.rotations import angle_between, inverse, multiply, to_rotvec

LOCKED = float(np.sin(np.radians(5.0)))  # closeness below which the outer angles of the root run away
TURN = 2.0 * np.pi
SHAKING = np.radians(0.45)  # from frame to frame: one of 679 recorded takes shakes more
BACK_AND_FORTH = 0.7  # share of third differences that change their sign: white noise .77, smooth motion below .2


class JointAngles(NamedTuple):
    """The rotation columns of one joint, in the order of its Euler angles, and their values in radians."""

    joint: int
    order: str
    columns: list[int]
    angles: Floats  # (frames, len(order))


def radians_per_unit(clip: Clip) -> float | None:
    """How a clip's channels measure angles: pi/180 for degrees, 1 for radians, None where neither fits."""
    if clip.channels is None:
        return None
    rows = np.unique(np.linspace(0, len(clip) - 1, min(len(clip), 8)).astype(np.intp))
    for scale in (np.pi / 180.0, 1.0):
        worst = 0.0
        for joint, columns in enumerate(rotation_columns(clip.skeleton)):
            q = from_euler(clip.channels[rows][:, columns] * scale, clip.skeleton.orders[joint])
            if clip.skeleton.axes is not None:
                axis = clip.skeleton.axes[joint]
                q = multiply(multiply(axis, q), inverse(axis))
            worst = max(worst, float(angle_between(q, clip.rotations[rows, joint]).max()))
        if worst < 1e-5:
            return float(scale)
    return None


def joint_angles(clip: Clip) -> list[JointAngles]:
    """The file's own angles, for all joints that have any; empty where the clip does not keep its channels."""
    scale = radians_per_unit(clip)
    if clip.channels is None or scale is None:
        return []
    return [
        JointAngles(joint, clip.skeleton.orders[joint], columns, clip.channels[:, columns] * scale)
        for joint, columns in enumerate(rotation_columns(clip.skeleton))
        if columns
    ]


def check_jumps(clip: Clip) -> list[Finding]:
    """Wraps by full turns, and flips to the equivalent triple of angles."""
    wraps: dict[str, list[int]] = {}
    flips: dict[str, list[int]] = {}
    for joint, order, _, angles in joint_angles(clip):
        name = clip.skeleton.names[joint]
        change = np.diff(angles, axis=0)
        flipped = flip_frames(angles, order) if len(order) == 3 else np.zeros(len(change), dtype=bool)
        wrapped = (np.abs(change) > np.pi).any(axis=1) & ~flipped
        if flipped.any():
            flips[name] = (np.flatnonzero(flipped) + 1).tolist()
        if wrapped.any():
            wraps[name] = (np.flatnonzero(wrapped) + 1).tolist()
    findings = []
    if wraps:
        what = "angles jump by more than half a turn (they wrap around)"
        findings.append(_jump_finding(clip, "wrap", what, wraps))
    if flips:
        findings.append(_jump_finding(clip, "flip", "angles flip to the equivalent triple", flips))
    return findings


def flip_frames(angles: Floats, order: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """(frames - 1,): where the other triple of the next frame continues this one far better than its own."""
    as_written = angles[1:] - angles[:-1]
    flipped = equivalent(angles[1:], order) - angles[:-1]
    as_written = np.abs(as_written - TURN * np.round(as_written / TURN)).sum(axis=-1)
    flipped = np.abs(flipped - TURN * np.round(flipped / TURN)).sum(axis=-1)
    return np.asarray(as_written > flipped + np.pi / 3.0)


def _jump_finding(clip: Clip, code: str, what: str, where: dict[str, list[int]]) -> Finding:
    frames = sorted({frame for listed in where.values() for frame in listed})
    sentence = f"{called(clip)}: {what} at {joined(list(where))} in {frame_list(frames)}; repair with unwrap"
    return Finding(code, sentence, tuple(frames), tuple(where), repair="unwrap")


def root_angles(clip: Clip) -> tuple[str, Floats] | None:
    """The root's Euler order and angles: the file's, or what would be written; None unless it has three."""
    for joint, order, _, angles in joint_angles(clip):
        if joint == 0 and len(order) == 3:
            return order, angles
    order = clip.skeleton.orders[0]
    if len(order) != 3:
        return None
    return order, continuous_euler(unaxed(clip, 0), order)


def unaxed(clip: Clip, joint: int) -> Floats:
    """A joint's rotations as its file measures them (Acclaim: about the joint's own axes)."""
    q = clip.rotations[:, joint]
    if clip.skeleton.axes is None:
        return q
    axis = clip.skeleton.axes[joint]
    return multiply(multiply(inverse(axis), q), axis)


def check_gimbal(clip: Clip) -> list[Finding]:
    """The root's middle angle near a right angle, where its outer two become one and the same turn."""
    root = root_angles(clip)
    if root is None:
        return []
    order, angles = root
    near = np.flatnonzero(gimbal_closeness(angles, order) < LOCKED)
    if len(near) == 0:
        return []
    name = clip.skeleton.names[0]
    frames = tuple(near.tolist())
    where = "all frames" if len(frames) == len(clip) else frame_list(frames)
    verb, severity = ("is", WARNING) if clip.channels is not None else ("would be written", NOTE)
    sentence = f"{called(clip)}: the root {name} {verb} in gimbal lock in its Euler order {order} in {where}"
    text = f"{sentence}; repair with reorder-root"
    return [Finding("gimbal", text, frames, (name,), severity, "reorder-root")]


def check_constant(clip: Clip) -> list[Finding]:
    """Degrees of freedom that never move: models leave them out, so this is only a note."""
    if len(clip) < 2:
        return []
    names = clip.skeleton.names
    if clip.channels is not None:
        owners = [j for j, channels in enumerate(clip.skeleton.channels) for _ in channels]
        still = np.ptp(clip.channels, axis=0) <= 1e-9
        dead = [names[j] for j in range(len(names)) if all(still[k] for k, o in enumerate(owners) if o == j)]
        count, total, what = int(still.sum()), len(owners), "channels"
    else:
        moving = np.abs(clip.rotations - clip.rotations[:1]).max(axis=(0, 2)) > 1e-9
        dead = [name for name, moves in zip(names, moving, strict=True) if not moves]
        count, total, what = len(dead), len(names), "joints"
    if count == 0:
        return []
    which = f" ({joined(dead)} not at all)" if dead and what == "channels" else f" ({joined(dead)})" if dead else ""
    sentence = f"{called(clip)}: {count} of {total} {what} never move{which}; models leave them out"
    return [Finding("constant", sentence, (), tuple(dead), NOTE)]


def shaking(clip: Clip) -> float:
    """Return the standard deviation, in radians, of white noise in most joints that move; 0 where there is none.

    Third differences of white noise have 20 times its variance and change their sign in three of four frames; those of
    motion are small and smooth. Medians leave single spikes out.
    """
    if len(clip) < 8:
        return 0.0
    steps = to_rotvec(multiply(inverse(clip.rotations[:-1]), clip.rotations[1:]))
    third = np.diff(steps, n=2, axis=0)
    size = (1.4826 * np.median(np.abs(third), axis=0) / np.sqrt(20.0)).max(axis=1)  # 1.4826: of a normal distribution
    signs = (third[1:] * third[:-1] < 0.0).mean(axis=(0, 2))
    moving = size > 1e-8
    return float(np.median(np.where(signs > BACK_AND_FORTH, size, 0.0)[moving])) if moving.any() else 0.0


def check_shaking(clip: Clip) -> list[Finding]:
    """Joints that shake from frame to frame, as noisy trackers make them."""
    size = shaking(clip)
    if size < SHAKING:
        return []
    sentence = (
        f"{called(clip)}: joints shake by {np.degrees(size):.1f}° from frame to frame, and so would what is learned"
    )
    return [Finding("shaking", f"{sentence}; repair with smooth", repair="smooth")]

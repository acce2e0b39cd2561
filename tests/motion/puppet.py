"""A puppet whose walk is known exactly: feet planted by inverse kinematics, phase given frame by frame."""

from __future__ import annotations

import numpy as np

from freshtake.motion import Clip, EndSite, Skeleton
from freshtake.motion.channels import channels_from_clip, clip_from_channels
from freshtake.motion.cycles.cycles import find_cycles
from freshtake.motion.edit import take_frames
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.rotations import about_axis

THIGH, SHANK, ANKLE, WIDTH = 0.45, 0.45, 0.08, 0.1
NAMES = (
    "Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToe", "RightUpLeg", "RightLeg", "RightFoot", "RightToe",
    "Spine", "Head", "LeftArm", "LeftForeArm", "LeftHand", "RightArm", "RightForeArm", "RightHand",
)  # fmt: skip
PARENTS = (-1, 0, 1, 2, 3, 0, 5, 6, 7, 0, 9, 9, 11, 12, 9, 14, 15)
OFFSETS = (
    (0, 0, 0), (WIDTH, 0, 0), (0, -THIGH, 0), (0, -SHANK, 0), (0, -0.06, 0.13),
    (-WIDTH, 0, 0), (0, -THIGH, 0), (0, -SHANK, 0), (0, -0.06, 0.13),
    (0, 0.45, 0), (0, 0.25, 0), (0.2, 0, 0), (0, -0.28, 0), (0, -0.25, 0), (-0.2, 0, 0), (0, -0.28, 0), (0, -0.25, 0),
)  # fmt: skip
SKELETON = Skeleton(
    NAMES,
    np.array(PARENTS),
    np.array(OFFSETS, dtype=float),
    (EndSite(4, (0, 0, 0.06)), EndSite(8, (0, 0, 0.06)), EndSite(13, (0, -0.1, 0)), EndSite(16, (0, -0.1, 0))),
)
X = np.array([1.0, 0.0, 0.0])


def cut_cycles(take: Clip) -> list[Clip]:
    """One clip per cycle of a take, both ends included."""
    return [take_frames(take, start, stop + 1) for start, stop in find_cycles(take).spans]


def walk(phase: Floats, *, fps: float = 60.0, stride: float = 1.3, duty: float = 0.6, name: str = "walk") -> Clip:
    """A walk along z at the given phases (in cycles; the right foot strikes at whole numbers), in metres."""
    frames = len(phase)
    rotations = np.zeros((frames, len(NAMES), 4))
    rotations[..., 0] = 1.0
    root = np.zeros((frames, 3))
    root[:, 1] = ANKLE + 0.86 + 0.015 * np.cos(4 * np.pi * (phase - duty / 2))
    root[:, 2] = stride * phase
    for first, shift in ((5, 0.0), (1, 0.5)):  # right, left
        ahead, lift = _foot(phase + shift, stride, duty)
        hip, knee = _leg(ahead, root[:, 1] - ANKLE - lift)
        for joint, angle in ((first, hip), (first + 1, knee), (first + 2, -(hip + knee))):
            rotations[:, joint] = about_axis(X, angle)
    for joint, sign in ((11, 1.0), (14, -1.0)):
        rotations[:, joint] = about_axis(X, sign * 0.5 * np.cos(2 * np.pi * (phase - 0.05)))
        rotations[:, joint + 1] = about_axis(X, -0.3 - 0.1 * np.sin(2 * np.pi * phase) * sign)
    return with_channels(Clip(SKELETON, 1.0 / fps, root, rotations, name=name, provenance="puppet", unit_m=1.0))


def _foot(phase: Floats, stride: float, duty: float) -> tuple[Floats, Floats]:
    """How far the ankle is ahead of the hip, and how high above its standing height."""
    cycle = np.floor(phase)
    part = phase - cycle
    swing = np.clip((part - duty) / (1 - duty), 0.0, 1.0)
    moved = swing - np.sin(2 * np.pi * swing) / (2 * np.pi)
    return stride * (cycle + duty / 2 + moved - phase), 0.14 * np.sin(np.pi * swing) ** 2


def _leg(ahead: Floats, down: Floats) -> tuple[Floats, Floats]:
    """Hip and knee angles about x that put the ankle there."""
    reach = np.minimum(np.hypot(ahead, down), THIGH + SHANK - 1e-6)
    line = np.arctan2(ahead, down)
    above = np.arccos(np.clip((THIGH**2 + reach**2 - SHANK**2) / (2 * THIGH * reach), -1, 1))
    below = np.arccos(np.clip((SHANK**2 + reach**2 - THIGH**2) / (2 * SHANK * reach), -1, 1))
    return -(line + above), above + below


def standing(phase: Floats, duty: float = 0.6) -> Bools:
    """(frames, 2): which foot stands, left and right, by construction."""
    return np.stack([(phase + 0.5) % 1.0 < duty, phase % 1.0 < duty], axis=1)


def steady(cycles: float, frames: int) -> Floats:
    """Phases of an even walk that starts at phase 0."""
    return np.linspace(0.0, cycles, frames)


def with_channels(clip: Clip) -> Clip:
    """As if read from a file: the same motion with columns of degrees."""
    skeleton, values = channels_from_clip(clip)
    return clip_from_channels(
        skeleton, values, clip.frame_time, name=clip.name, provenance=clip.provenance, unit_m=clip.unit_m, up=clip.up
    )

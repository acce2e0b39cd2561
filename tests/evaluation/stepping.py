"""A small synthetic body that steps in place: its takes are cheap, differ smoothly and stand firmly."""

from __future__ import annotations

import numpy as np

from freshtake.evaluation.comparable import Material, unpacked
from freshtake.evaluation.tracks import Gallery
from freshtake.motion import Clip, Skeleton
from freshtake.numeric.rotations import from_rotvec, multiply

NAMES = (
    "Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase", "RightUpLeg", "RightLeg", "RightFoot", "RightToeBase",
    "Spine", "Head", "LeftArm", "LeftHand", "RightArm", "RightHand",
)  # fmt: skip
PARENTS = np.array([-1, 0, 1, 2, 3, 0, 5, 6, 7, 0, 9, 9, 11, 9, 13])
OFFSETS = np.array(
    [
        [0, 0, 0], [1, 0, 0], [0, -4, 0], [0, -4, 0], [0, 0, 1.5], [-1, 0, 0], [0, -4, 0], [0, -4, 0], [0, 0, 1.5],
        [0, 4, 0], [0, 2, 0], [1.5, 0, 0], [3, 0, 0], [-1.5, 0, 0], [-3, 0, 0],
    ],
    dtype=float,
)  # fmt: skip
SKELETON = Skeleton(NAMES, PARENTS, OFFSETS)


def take(rng: np.random.Generator, *, frames: int = 0, name: str = "take", size: float = 1.0) -> Clip:
    """One step of either leg, with arms, trunk and head swinging; feet that stand do not move at all."""
    frames = frames or int(70 + rng.integers(-3, 4))
    phase = np.linspace(0.0, 1.0, frames) + 0.01 * rng.normal() * np.sin(np.linspace(0, 2 * np.pi, frames))
    turns = np.zeros((frames, len(NAMES), 3))
    for hip, knee, foot, start in ((1, 2, 3, 0.0), (5, 6, 7, 0.5)):
        lift = np.clip(np.sin(2 * np.pi * (phase - start)), 0.0, None) ** 2 * (0.7 + 0.05 * rng.normal())
        turns[:, hip, 0], turns[:, knee, 0], turns[:, foot, 0] = -1.4 * lift, 2 * lift, -0.6 * lift
    for joint in range(9, len(NAMES)):
        for axis in range(3):
            for beat in (1, 2, 3):
                strength = (0.3 if joint > 10 else 0.08) / beat * (1.0 + 0.15 * rng.normal())
                turns[:, joint, axis] += strength * np.sin(2 * np.pi * beat * phase + joint + axis + 0.1 * rng.normal())
    root = np.tile([0.0, 8.0 * size, 0.0], (frames, 1))
    skeleton = SKELETON if size == 1.0 else Skeleton(NAMES, PARENTS, OFFSETS * size)
    return Clip(skeleton, 1 / 60, root, from_rotvec(turns), name=name)


def takes(seed: int, count: int, prefix: str = "take", size: float = 1.0) -> list[Clip]:
    rng = np.random.default_rng(seed)
    return [take(rng, name=f"{prefix}_{k}", size=size) for k in range(count)]


def jittered(clip: Clip, rng: np.random.Generator, angle: float = 0.05) -> Clip:
    """White noise on every joint but the root."""
    noise = angle * rng.normal(size=(len(clip), len(clip.skeleton), 3))
    noise[:, 0] = 0.0
    return clip.changed(rotations=multiply(clip.rotations, from_rotvec(noise)), name=f"{clip.name} jittered")


def slid(clip: Clip, speed: float) -> Clip:
    """Drawn along the floor at a speed (units per second) while it steps."""
    way = np.outer(np.arange(len(clip)) * clip.frame_time * speed, [1.0, 0.0, 0.0])
    return clip.changed(root=clip.root + way, name=f"{clip.name} slid")


def prepared(inputs: list[Clip], others: list[Clip], extra: list[Clip] | None = None) -> tuple[Gallery, Material]:
    material = unpacked(inputs, others, extra or [])
    return Gallery(material.layout, material.inputs), material

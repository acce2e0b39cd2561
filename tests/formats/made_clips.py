"""Small random clips with every kind of channel layout, for tests that pass our files to other programs."""

from __future__ import annotations

import numpy as np

from freshtake.motion import Clip, EndSite, Skeleton
from freshtake.motion.channels import clip_from_channels

TREE = ("Hips", "Spine", "Head", "LeftArm", "LeftHand", "RightLeg", "RightFoot")
PARENTS = (-1, 0, 1, 1, 3, 0, 5)
OFFSETS = ((1, 2, 3), (0, 10, 1), (0, 8, 0), (6, 5, 0), (9, 0, 0.5), (-4, -8, 0), (0.25, -9, 1))
SITES = (EndSite(2, (0, 3, 0)), EndSite(4, (2, 0, 0), "Tip"), EndSite(6, (0, 0, 4)))
MOVE = ("tx", "ty", "tz")
ORDERS = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx")


def usual_layout(order: str = "zyx") -> tuple[tuple[str, ...], ...]:
    turn = tuple(f"r{axis}" for axis in order)
    return (MOVE + turn, *[turn] * 6)


def odd_layout() -> tuple[tuple[str, ...], ...]:
    """Another Euler order for every joint, the root's positions in the order z x y."""
    turns = [tuple(f"r{axis}" for axis in ORDERS[k % 6]) for k in range(7)]
    return (("tz", "tx", "ty", *turns[0]), *turns[1:])


def moving_layout() -> tuple[tuple[str, ...], ...]:
    """Six channels on every joint."""
    return ((*MOVE, "rz", "rx", "ry"),) * 7


def fixed_layout() -> tuple[tuple[str, ...], ...]:
    """Some joints without any channel."""
    layout = usual_layout("yxz")
    return (*layout[:2], (), layout[3], (), *layout[5:])


def made_clip(layout: tuple[tuple[str, ...], ...], frames: int = 12, seed: int = 5) -> Clip:
    """Smooth random motion of up to a third of a turn about every axis."""
    rng = np.random.default_rng(seed)
    skeleton = Skeleton(TREE, np.array(PARENTS), np.array(OFFSETS, dtype=float), SITES, layout)
    width = skeleton.channel_count
    time = np.linspace(0, 2 * np.pi, frames)[:, None]
    values = rng.uniform(10, 60, width) * np.sin(rng.uniform(0.5, 2, width) * time + rng.uniform(0, 6, width))
    kinds = [(joint, channel) for joint, channels in enumerate(layout) for channel in channels]
    for column, (joint, channel) in enumerate(kinds):
        if channel[0] == "t":
            values[:, column] = values[:, column] / 20 + OFFSETS[joint]["xyz".index(channel[1])]
    return clip_from_channels(skeleton, values, 1 / 30, name="made")

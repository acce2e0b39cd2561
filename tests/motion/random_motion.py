"""Random skeletons and clips for property tests: any tree, any Euler order, z up, axes, moving joints."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import strategies as st

from freshtake.motion import Clip, EndSite, Skeleton
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import from_euler, from_rotvec, full_order, multiply, normalize

ORDERS = ["".join(o) for o in product("XYZ", repeat=3) if o[0] != o[1] and o[1] != o[2]]
PARTIAL = ["", "X", "Z", "ZX", "YX"]
MOVES = ("still", "smooth", "wild", "locked")


def random_skeleton(rng: np.random.Generator, joints: int, *, axes: bool = False, partial: bool = False) -> Skeleton:
    """A random tree with random offsets (some of zero length, some in one line) and one order per joint."""
    parents = np.array([-1, *[int(rng.integers(max(0, j - 3), j)) for j in range(1, joints)]])
    offsets = rng.normal(size=(joints, 3)) * rng.choice([0.0, 0.3, 1.0], size=(joints, 1), p=[0.1, 0.3, 0.6])
    offsets[rng.random(joints) < 0.4] *= [0.0, 1.0, 0.0]
    orders = tuple(str(rng.choice(ORDERS + PARTIAL * partial)) for _ in range(joints))
    channels = tuple(
        (*(("tx", "ty", "tz") if j == 0 else ()), *(f"r{axis.lower()}" for axis in order))
        for j, order in enumerate(orders)
    )
    leaves = [j for j in range(joints) if j not in parents and rng.random() < 0.6]
    sites = tuple(EndSite(j, (0.0, float(rng.normal()), 0.1)) for j in leaves)
    turned = normalize(rng.normal(size=(joints, 4))) if axes else None
    return Skeleton(tuple(f"j{j}" for j in range(joints)), parents, offsets, sites, channels, orders, turned)


def random_rotations(rng: np.random.Generator, skeleton: Skeleton, frames: int, move: str) -> Floats:
    """Local rotations (frames, joints, 4): constant, smooth about a random pose, unrelated, or in gimbal lock."""
    joints = len(skeleton)
    if move == "wild":
        return normalize(rng.normal(size=(frames, joints, 4)))
    if move == "locked":
        middle = rng.choice([0.0, np.pi / 2, -np.pi / 2, np.pi], size=(frames, joints))
        middle += rng.choice([0.0, 1e-12, 1e-9, 1e-6, 1e-4], size=(frames, joints))
        angles = np.stack([rng.uniform(-4, 4, (frames, joints)), middle, rng.uniform(-4, 4, (frames, joints))], -1)
        each = [from_euler(angles[:, j], full_order(skeleton.orders[j])) for j in range(joints)]
        return np.stack(each, axis=1)
    base = normalize(rng.normal(size=(joints, 4)))
    step = rng.normal(size=(frames, joints, 3)) * 0.2 * (move == "smooth")
    return multiply(base, from_rotvec(np.cumsum(step, axis=0)))


def random_clip(
    rng: np.random.Generator,
    skeleton: Skeleton,
    frames: int,
    *,
    move: str = "smooth",
    up: str = "y",
    moving: bool = False,
    frame_time: float = 1 / 60,
    name: str = "",
) -> Clip:
    """A clip whose root wanders."""
    root = rng.normal(size=3) + np.cumsum(rng.normal(size=(frames, 3)) * 0.05, axis=0)
    shifted = skeleton.offsets + rng.normal(size=(frames, len(skeleton), 3)) * 0.1 if moving else None
    rotations = random_rotations(rng, skeleton, frames, move)
    return Clip(skeleton, frame_time, root, rotations, shifted, name=name, up=up)


@st.composite
def clip_groups(draw: st.DrawFn, most_joints: int = 9) -> list[Clip]:
    """One to three clips on one random skeleton."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    axes, partial = draw(st.booleans()), draw(st.booleans())
    skeleton = random_skeleton(rng, draw(st.integers(1, most_joints)), axes=axes, partial=partial)
    up, moving = draw(st.sampled_from("yz")), draw(st.booleans())
    lengths = draw(st.lists(st.integers(1, 12), min_size=1, max_size=3))
    move = draw(st.sampled_from(MOVES))
    return [
        random_clip(rng, skeleton, frames, move=move, up=up, moving=moving, name=f"clip{k}")
        for k, frames in enumerate(lengths)
    ]


def humanoid() -> Skeleton:
    """A small symmetric body with left and right limbs, arms along x, facing z."""
    names = ["Hips", "Spine", "Head", "LeftArm", "LeftHand", "RightArm", "RightHand"]
    names += ["LeftUpLeg", "LeftFoot", "RightUpLeg", "RightFoot"]
    parents = np.array([-1, 0, 1, 1, 3, 1, 5, 0, 7, 0, 9])
    offsets = np.array(
        [[0, 0, 0], [0, 2, 0], [0, 2, 0], [1, 1, 0], [2, 0, 0], [-1, 1, 0], [-2, 0, 0],
         [1, 0, 0], [0, -4, 0], [-1, 0, 0], [0, -4, 0]], dtype=np.float64
    )  # fmt: skip
    tips = {2: (0, 1, 0), 4: (1, 0, 0), 6: (-1, 0, 0), 8: (0, 0, 1), 10: (0, 0, 1)}
    sites = tuple(EndSite(joint, (float(x), float(y), float(z))) for joint, (x, y, z) in tips.items())
    return Skeleton(tuple(names), parents, offsets, sites)

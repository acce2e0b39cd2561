"""Feet as nodes of their own: where they are on the ground.

How far both feet swing, or that a foot stands while the hips move on, shows in where feet are, and hardly in any single
joint angle. Their places are therefore nodes of the network beside the DOFs, counted on the ground from a body that
travels and turns steadily. `leg_following` has what legs make of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.motion.body.limbs import limb_joints
from freshtake.motion.features.clip_features import ClipLayout
from freshtake.motion.features.ground import ground_of
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats, Ints
from freshtake.variation.examples import Material

AXES = ("forward", "sideways", "height")
PUSH = 1e-4  # radians or lengths, of numerical derivatives of places


class FootNodes(NamedTuple):
    """The feet of a body and the DOFs that move them."""

    joints: Ints  # (feet,): ankles
    names: tuple[str, ...]
    legs: tuple[Ints, ...]  # DOFs of hip and knee
    moving: tuple[Ints, ...]  # DOFs that move the foot, the leg's own and others
    shares: Floats  # (feet,): RMS movement of all joints where the foot moves by 1

    @property
    def nodes(self) -> tuple[str, ...]:
        """Names of their places, three for each foot."""
        return tuple(f"{name} {axis}" for name in self.names for axis in AXES)


NO_FEET = FootNodes(np.empty(0, np.intp), (), (), (), np.empty(0))


def foot_nodes(material: Material) -> FootNodes:
    """The feet of a body; none where there is no skeleton that travels and turns."""
    skeleton = travelling_body(material)
    if skeleton is None:
        return NO_FEET
    owner = [name.rpartition(".")[0] for name in material.names]
    nodes = []
    for _, joints, is_leg in limb_joints(skeleton):
        hip, knee, ankle = joints[:3]
        leg_dofs = [k for k, name in enumerate(owner) if name in (skeleton.names[hip], skeleton.names[knee])]
        if not is_leg or len(leg_dofs) < 2:
            continue
        above = {skeleton.names[joint] for joint in _up_from(skeleton, ankle)[1:]}
        moving = [k for k, name in enumerate(owner) if name in above]
        below = 0.25 + sum(ankle in _up_from(skeleton, joint) for joint in range(len(skeleton)))  # knees move half
        share = np.sqrt(below / len(skeleton))
        nodes.append((ankle, skeleton.names[ankle], np.array(leg_dofs), np.array(moving), share))
    if not nodes:
        return NO_FEET
    ankles, names, legs, all_moving, shares = zip(*nodes, strict=True)
    return FootNodes(np.array(ankles), names, legs, all_moving, np.array(shares))


def travelling_body(material: Material) -> Skeleton | None:
    """The skeleton of a body whose joints turn and whose root travels and turns; None for all else."""
    layout = None if material.recipe is None else material.recipe.layout
    if not isinstance(layout, ClipLayout) or layout.angles == "positions" or heading_columns(material) is None:
        return None
    return layout.skeleton


def _up_from(skeleton: Skeleton, joint: int) -> list[int]:
    """A joint, its parent, and so on up to the root."""
    chain = []
    while joint >= 0:
        chain.append(joint)
        joint = int(skeleton.parents[joint])
    return chain


def heading_columns(material: Material) -> tuple[int, int, int] | None:
    """The DOFs that are the root's forward, sideways and turning speed."""
    recipe = material.recipe
    if recipe is None or recipe.units.count("speed") != 2 or recipe.units.count("turn") != 1:
        return None
    forward, sideways = (k for k, unit in enumerate(recipe.units) if unit == "speed")
    return forward, sideways, recipe.units.index("turn")


def seen_from_root(joints: Ints, material: Material, rows: Floats) -> Floats:
    """(rows, joints, 3): forward, sideways and height of joints, the root at the origin with heading 0."""
    recipe = material.recipe
    assert recipe is not None
    layout = recipe.layout
    assert isinstance(layout, ClipLayout)
    points = layout.points(recipe.fill(rows))[:, joints]
    ground = ground_of(points, layout.up)
    return np.stack([ground.real, ground.imag, points[..., 1 if layout.up == "y" else 2]], axis=-1)


def on_course(seen: Floats, place: Floats) -> Floats:
    """Places (..., feet, 3) of feet seen from a root whose place (..., 3) is forward, sideways and heading."""
    out = seen.copy()
    ground = (seen[..., 0] + 1j * seen[..., 1]) * np.exp(1j * place[..., 2:])
    out[..., 0], out[..., 1] = ground.real + place[..., 0, None], ground.imag + place[..., 1, None]
    return out

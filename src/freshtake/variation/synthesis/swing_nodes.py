"""How far hands and feet swing to and fro: nodes of their own, which hold for a whole take.

If one arm swings higher, the other one is more likely to (Lau 2009, §8). That shows in where hands and feet go, and
hardly in any single joint angle. Swings are therefore nodes of the network. Their parents are swings and the travel:
four takes cannot tell which of a hundred angles a swing depends on. `swing_following` has what the rest of the body
makes of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.motion.body.limbs import limb_joints
from freshtake.numeric.arrays import Floats, Ints
from freshtake.variation.examples import Material
from freshtake.variation.synthesis.foot_nodes import PUSH, seen_from_root, travelling_body

SWING = "swing"


class SwingNodes(NamedTuple):
    """Hands and feet of a body."""

    joints: Ints  # (ends,)
    names: tuple[str, ...]

    @property
    def nodes(self) -> tuple[str, ...]:
        """Their names as nodes."""
        return tuple(f"{name} {SWING}" for name in self.names)


NO_SWINGS = SwingNodes(np.empty(0, np.intp), ())


def swing_nodes(material: Material) -> SwingNodes:
    """Ankles and hands of a body that travels and turns; none where there is no such body."""
    skeleton = travelling_body(material)
    if skeleton is None:
        return NO_SWINGS
    ends = [joints[2] for _, joints, _ in limb_joints(skeleton)]
    return SwingNodes(np.array(ends, np.intp), tuple(skeleton.names[joint] for joint in ends))


def swings_in(swings: SwingNodes, material: Material, rows: Floats) -> Floats:
    """(ends,): how far each end goes to and fro, seen from the root, in the direction that it faces."""
    if len(swings.joints) == 0:
        return np.empty(0)
    return np.asarray(np.ptp(_forward(swings.joints, material, rows), axis=0))


def _forward(joints: Ints, material: Material, rows: Floats) -> Floats:
    return seen_from_root(joints, material, rows)[..., 0]


def furthest(swings: SwingNodes, material: Material, pose: Floats) -> tuple[Ints, Floats]:
    """At which phases ends are furthest ahead and behind in a course (phases, DOFs), and how these places change.

    Phases are (ends, 2); the changes with the DOFs (ends, 2, DOFs) have the sign with which they add to the swing.
    """
    forward = _forward(swings.joints, material, pose)
    phases = np.stack([forward.argmax(axis=0), forward.argmin(axis=0)], axis=1)
    dofs = pose.shape[1]
    size = np.where(material.rates, PUSH / material.frame_time, PUSH)
    push = np.concatenate([np.diag(size), -np.diag(size)])
    out = np.zeros((len(phases), 2, dofs))
    for e, (joint, pair) in enumerate(zip(swings.joints, phases, strict=True)):
        for side, phase in enumerate(pair):
            moved = _forward(np.array([joint]), material, pose[phase] + push)[:, 0]
            out[e, side] = (1.0 - 2.0 * side) * (moved[:dofs] - moved[dofs:]) / (2.0 * size)
    return phases.astype(np.intp), out


def swing_numbers(swings: SwingNodes, nodes: int) -> Ints:
    """Numbers of the nodes that are swings: those just before the last one, the tempo."""
    return np.arange(nodes - 1 - len(swings.joints), nodes - 1)

"""Twist joints of the forearm: they take their share of the hand's turn about the forearm, so that skin does not wring.

Of upper arms and legs nothing is shared out: how far a shoulder has turned about its own bone is not defined once the
arm is raised, and such joints would flip.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from freshtake.motion.retarget.body_map import SIDES, BodyMap
from freshtake.motion.retarget.rest import Rest
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import from_rotvec, inverse, multiply, rotate

_TWIST = re.compile(r"twist|roll", re.I)


class Twist(NamedTuple):
    """A joint on a forearm, `share` of the way to the hand along `axis` (3,), in the forearm's frame."""

    joint: int
    forearm: int
    hand: int
    axis: Floats
    share: float


def find_twists(rest: Rest, body: BodyMap) -> tuple[Twist, ...]:
    """Joints that are called twist or roll and hang on a forearm, but lead to no other joint than the hand."""
    mapped = {joint for joints in body.joints.values() for joint in joints}
    twists = []
    for side in SIDES:
        if f"{side}_hand" not in body:
            continue
        forearm, hand = body.one(f"{side}_lower_arm"), body.one(f"{side}_hand")
        line = rest.places[hand] - rest.places[forearm]
        length = float(np.linalg.norm(line))
        for joint in rest.skeleton.children(forearm) if length > 0 else ():
            if joint in mapped or not _TWIST.search(rest.skeleton.names[joint]):
                continue
            share = float((rest.places[joint] - rest.places[forearm]) @ line) / length**2
            axis = rotate(inverse(rest.turns[forearm]), line / length)
            twists.append(Twist(joint, forearm, hand, axis, min(max(share, 0.0), 1.0)))
    return tuple(twists)


def twist_turns(rest: Rest, twists: tuple[Twist, ...], world: Floats) -> Floats:
    """World rotations (frames, twists, 4) of twist joints, from those of all joints of the target.

    The hand's turn away from its rest on the forearm, about the forearm alone: 2 arctan(v · axis / w) of (w, v).
    """
    out = np.empty((len(world), len(twists), 4))
    for column, twist in enumerate(twists):
        hand_at_rest = multiply(inverse(rest.turns[twist.forearm]), rest.turns[twist.hand])
        hand_turn = multiply(multiply(inverse(world[:, twist.forearm]), world[:, twist.hand]), inverse(hand_at_rest))
        hand_turn = np.where(hand_turn[:, :1] < 0.0, -hand_turn, hand_turn)
        angle = 2.0 * np.arctan2(hand_turn[:, 1:] @ twist.axis, hand_turn[:, 0])
        joint_at_rest = multiply(inverse(rest.turns[twist.forearm]), rest.turns[twist.joint])
        turn = from_rotvec(twist.share * angle[:, None] * twist.axis)
        out[:, column] = multiply(multiply(world[:, twist.forearm], turn), joint_at_rest)
    return out

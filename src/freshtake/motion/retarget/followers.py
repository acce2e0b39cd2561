"""Joints that go with a joint which they do not hang on: feet on a rig's root, and targets such as ik_foot_l.

Rigs that were posed by inverse kinematics hang feet on the root and let legs reach for them; engines keep copies of
hands and feet below the root. Both are put where the body has them, so that nothing is left behind.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from freshtake.motion.retarget.body_map import SIDES, BodyMap
from freshtake.motion.retarget.rest import Rest
from freshtake.motion.retarget.transfer import leg
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import IDENTITY, inverse, multiply, rotate

NEAR = 0.02  # leg lengths: a target that rests this near to its joint keeps its place on it, others are put onto it
_TARGET = (re.compile(r"^ik[_ ]?(.+)$", re.I), re.compile(r"^(.+?)[_ ]ik$", re.I))
_HELD = {"hand_gun": "hand_r"}  # Unreal: what both hands hold is in the right one


class Follower(NamedTuple):
    """A joint, the one that it goes with, its place in that one's frame, and its turn in it (None: it has its own)."""

    joint: int
    lead: int
    place: Floats
    turn: Floats | None


def find_followers(rest: Rest, body: BodyMap) -> tuple[Follower, ...]:
    """Return feet that do not hang on their shanks, then targets that are named after a joint."""
    skeleton = rest.skeleton
    out = []
    for side in SIDES:
        foot, shank = body.one(f"{side}_foot"), body.one(f"{side}_lower_leg")
        if shank not in skeleton.chain(foot):
            out.append(Follower(foot, shank, _seen_from(rest, shank, foot), None))
    mapped = {joint for joints in body.joints.values() for joint in joints}
    numbers = {name.lower(): joint for joint, name in enumerate(skeleton.names)}
    near = NEAR * leg(rest, body)
    for joint, name in enumerate(skeleton.names):
        words = [match[1].lower() for pattern in _TARGET if (match := pattern.match(name))]
        lead = next((numbers[_HELD.get(word, word)] for word in words if _HELD.get(word, word) in numbers), None)
        if lead is None or joint in mapped or joint in skeleton.chain(lead) or lead in skeleton.chain(joint):
            continue
        beside = float(np.linalg.norm(rest.places[joint] - rest.places[lead])) <= near
        place = _seen_from(rest, lead, joint) if beside else np.zeros(3)
        turn = multiply(inverse(rest.turns[lead]), rest.turns[joint]) if beside else IDENTITY
        out.append(Follower(joint, lead, place, turn))
    return tuple(out)


def _seen_from(rest: Rest, lead: int, joint: int) -> Floats:
    return rotate(inverse(rest.turns[lead]), rest.places[joint] - rest.places[lead])


def follow(followers: tuple[Follower, ...], skeleton: Skeleton, world: Floats, places: Floats) -> None:
    """Put followers, with what hangs on them, where their leads are; rotations and places are changed."""
    for follower in followers:
        goal = places[:, follower.lead] + rotate(world[:, follower.lead], follower.place)
        places[:, skeleton.descendants(follower.joint)] += (goal - places[:, follower.joint])[:, None]
        if follower.turn is not None:
            world[:, follower.joint] = multiply(world[:, follower.lead], follower.turn)

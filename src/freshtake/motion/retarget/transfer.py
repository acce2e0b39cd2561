"""Rotations and travel of one body on another, frame by frame: all frames and joints at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from freshtake.motion.retarget.alignment import alignments, trunk_turn
from freshtake.motion.retarget.body_map import FINGERS, SIDES, BodyMap, above
from freshtake.motion.retarget.rest import Rest
from freshtake.motion.retarget.twists import Twist, find_twists, twist_turns
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.kinematics import levels, local_rotations
from freshtake.numeric.rotations import IDENTITY, inverse, multiply, rotate, slerp

NEAR_HIPS = 0.25  # leg lengths: a joint above the hips that is nearer than this carries the body


class _Driver(NamedTuple):
    """A joint of the target and what turns it: the source's joint, and the turn from the one's frame to the other's.

    Where chains have other numbers of joints, it lies `share` of the way to a second joint.
    """

    joint: int
    source: int
    turn: Floats
    second: int
    second_turn: Floats
    share: float


@dataclass(frozen=True, eq=False)
class Transfer:
    """Everything about two bodies that does not depend on the frame; `leg_ratio` is target over source."""

    source: Rest
    source_body: BodyMap
    target: Rest
    target_body: BodyMap
    drivers: tuple[_Driver, ...]
    mover: int
    leg_ratio: float
    standing: Floats  # (joints, 4): world rotations, y up, of the target's joints while they do not move
    twists: tuple[Twist, ...] = ()

    def rotations(self, world: Floats) -> Floats:
        """World rotations (frames, joints, 4) of the target from those of the source; both y up.

        W' = W S, where S leads from the frame of a target's joint to that of the source's, both at rest and aligned.
        What nothing drives keeps its place on its parent.
        """
        count = len(self.target.skeleton)
        out = np.empty((len(world), count, 4))
        driven = np.array([driver.joint for driver in self.drivers])
        turns = np.array([driver.turn for driver in self.drivers])
        out[:, driven] = multiply(world[:, [driver.source for driver in self.drivers]], turns)
        for driver in self.drivers:
            if driver.share > 0.0:
                second = multiply(world[:, driver.second], driver.second_turn)
                out[:, driver.joint] = slerp(out[:, driver.joint], second, driver.share)
        still = np.ones(count, dtype=bool)
        still[driven] = False
        self._settle_base(out, still)
        if self.twists:
            twisting = [twist.joint for twist in self.twists]
            out[:, twisting] = twist_turns(self.target, self.twists, out)
            still[twisting] = False
        for joints, parents in levels(tuple(self.target.skeleton.parents.tolist())):
            free = still[joints]
            if free.any():
                out[:, joints[free]] = multiply(out[:, parents[free]], self.target.local[joints[free]])
        return out

    def _settle_base(self, out: Floats, still: Bools) -> None:
        """The mover goes with the hips, as they lie on one another at rest; what is above it stands as at rest."""
        hips = self.target_body.one("hips")
        chain = self.target.skeleton.chain(hips)
        turns = self.target.turns
        for place, joint in enumerate(chain[:-1]):
            if place >= chain.index(self.mover):
                out[:, joint] = multiply(out[:, hips], multiply(inverse(turns[hips]), turns[joint]))
            else:
                out[:, joint] = self.standing[joint]
            still[joint] = False

    def local(self, world: Floats) -> Floats:
        """Local rotations of the target from its world rotations."""
        return local_rotations(self.target.skeleton.parents, world)


def plan_transfer(source: Rest, source_body: BodyMap, target: Rest, target_body: BodyMap, standing: Floats) -> Transfer:
    """Match two bodies at rest; `standing` are world rotations of the target where nothing moves it."""
    turns = alignments(source, source_body, target, target_body)

    def turn(role_turn: Floats, from_joint: int, to_joint: int) -> Floats:
        return multiply(multiply(inverse(source.turns[from_joint]), inverse(role_turn)), target.turns[to_joint])

    drivers: list[_Driver] = []
    for role, joints in target_body.joints.items():
        if role in ("spine", "neck") or role not in source_body or not _worth_mapping(role, source_body, target_body):
            continue
        for place, (joint, other) in enumerate(zip(joints, source_body.joints[role], strict=False)):
            joint_turn = turn(turns[role, place], other, joint)
            drivers.append(_Driver(joint, other, joint_turn, other, joint_turn, 0.0))
    trunk, hips = trunk_turn(source, target), source_body.one("hips")
    for role in ("spine", "neck"):
        knots = _knots(source_body, role)
        count = len(target_body.joints.get(role, ()))
        for place, joint in enumerate(target_body.joints.get(role, ())):
            at = (place + 1) / count
            low = max(k for k, (share, _) in enumerate(knots) if share <= at + 1e-12)
            high = min(low + 1, len(knots) - 1)
            gap = knots[high][0] - knots[low][0]
            share = 0.0 if gap <= 0 else (at - knots[low][0]) / gap
            a, b = knots[low][1], knots[high][1]
            turn_a, turn_b = (turn(IDENTITY if other == hips else trunk, other, joint) for other in (a, b))
            drivers.append(_Driver(joint, a, turn_a, b, turn_b, share if share > 1e-9 else 0.0))
    for joint, other, role in _namesakes(source, source_body, target, target_body):
        joint_turn = turn(turns.get((role, 0), IDENTITY), other, joint)
        drivers.append(_Driver(joint, other, joint_turn, other, joint_turn, 0.0))
    ratio = leg(target, target_body) / leg(source, source_body)
    mover = _mover(target, target_body)
    twists = find_twists(target, target_body) if all(f"{side}_hand" in source_body for side in SIDES) else ()
    return Transfer(source, source_body, target, target_body, tuple(drivers), mover, ratio, standing, twists)


def _worth_mapping(role: str, source: BodyMap, target: BodyMap) -> bool:
    """Fingers are carried over where both have as many as hands have."""
    side, _, part = role.partition("_")
    return part not in FINGERS or all(f"{side}_hand" in body for body in (source, target))


def _knots(body: BodyMap, role: str) -> list[tuple[float, int]]:
    """Joints along a chain of the source at shares of its bend: what it hangs on 0, its last joint 1."""
    chain = body.joints.get(role, ())
    lead = above(body.joints, role) or "hips"
    return [(0.0, body.joints[lead][-1]), *[((k + 1) / len(chain), joint) for k, joint in enumerate(chain)]]


def _namesakes(
    source: Rest, source_body: BodyMap, target: Rest, target_body: BodyMap
) -> Iterator[tuple[int, int, str]]:
    """Joints of one name in both that are mapped in neither, and the part of the body that they hang on in both."""
    mapped = [
        {joint: role for role, role_joints in body.joints.items() for joint in role_joints}
        for body in (source_body, target_body)
    ]
    for joint, name in enumerate(target.skeleton.names):
        if joint in mapped[1] or name not in source.skeleton.names:
            continue
        other = source.skeleton.index(name)
        roles = [
            next((parts[j] for j in reversed(rest.skeleton.chain(role_joints)) if j in parts), None)
            for rest, role_joints, parts in ((source, other, mapped[0]), (target, joint, mapped[1]))
        ]
        if other not in mapped[0] and roles[0] == roles[1] and roles[0] is not None:
            yield joint, other, roles[0]


def leg(rest: Rest, body: BodyMap) -> float:
    """Upper and lower leg together, the mean of both sides."""
    total = 0.0
    for side in SIDES:
        joints = [body.one(f"{side}_{part}") for part in ("upper_leg", "lower_leg", "foot")]
        total += float(np.linalg.norm(np.diff(rest.places[joints], axis=0), axis=1).sum())
    return max(total / 2.0, 1e-12)


def hip_joints(body: BodyMap) -> Ints:
    """The two joints at which the legs begin."""
    return np.array([body.one(f"{side}_upper_leg") for side in SIDES])


def _mover(rest: Rest, body: BodyMap) -> int:
    """The joint that travels: the hips, or the highest joint above them that is in about their place."""
    hips, near = body.one("hips"), NEAR_HIPS * leg(rest, body)
    path = rest.skeleton.chain(hips)
    for joint in path:
        if all(float(np.linalg.norm(rest.places[j] - rest.places[hips])) <= near for j in path[path.index(joint) :]):
            return joint
    return hips


def world_places(offsets: Floats, parents: Ints, world: Floats) -> Floats:
    """Places (frames, joints, 3) of joints with the first at the origin, from world rotations."""
    out = np.zeros((*world.shape[:2], 3))
    for joints, lead in levels(tuple(parents.tolist())):
        out[:, joints] = out[:, lead] + rotate(world[:, lead], offsets[joints])
    return out

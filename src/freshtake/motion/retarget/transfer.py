"""Transfer rotations and travel from one body to another, all frames and joints at once.

Forearm twist joints share the hand's rotation, hands reach as high as the source's, and joints such as ik_foot_l follow
the joints to which they belong, although they hang on other joints.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from freshtake.motion.retarget.mapping import FINGERS, SIDES, BodyMap, above
from freshtake.motion.retarget.rest import SEEN, Rest, Rig, alignments, leg
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.rotations import IDENTITY, from_rotvec, inverse, levels, multiply, rotate, shortest_arc, slerp

_TWIST = re.compile(r"twist|roll", re.I)
STRETCH = 1e3  # radians: in effect no limit on the bend of an elbow
_TARGET = (re.compile(r"^ik[_ ]?(.+)$", re.I), re.compile(r"^(.+?)[_ ]ik$", re.I))
_HELD = {"hand_gun": "hand_r"}  # Unreal: an object held by both hands is in the right hand


class Twist(NamedTuple):
    """A joint on a forearm, a fraction `share` of the way to the hand along `axis` (3,), in the forearm's frame."""

    joint: int
    forearm: int
    hand: int
    axis: Floats
    share: float


def find_twists(rest: Rest, body: BodyMap) -> tuple[Twist, ...]:
    """Return joints called twist or roll that hang on a forearm and lead only to the hand."""
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
    """Return world rotations (frames, twists, 4) of twist joints from the world rotations of all joints of the target.

    They share the hand's turn away from rest, about the forearm alone: 2 arctan(v · axis / w) of (w, v).
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


def hand_moves(source: Rig, target: Rig, given: Floats, places: Floats, ankles: Floats) -> Iterator[tuple[str, Floats]]:
    """Yield for each side the move of the hand (frames, 3), y up, to heights like the source's.

    A height between ankles and hips, or hips and shoulders, keeps its fraction of the distance between them; above the
    shoulders it keeps its fraction of an arm. `ankles` are the heights of planted ankles, of target and source.
    """
    for side in SIDES:
        if not all(f"{side}_hand" in rig.body for rig in (source, target)):
            continue
        marks = []
        for rig, points, floor in ((target, places, ankles[0]), (source, given, ankles[1])):
            hip, shoulder = (points[:, rig.body.one(f"{side}_{part}"), 1] for part in ("upper_leg", "upper_arm"))
            marks.append((np.full_like(hip, floor), hip, shoulder, shoulder + _arm(rig, side)))
        height = given[:, source.body.one(f"{side}_hand"), 1]
        goal_height = _between(height, marks[1], marks[0])
        out = np.zeros((len(places), 3))
        out[:, 1] = goal_height - places[:, target.body.one(f"{side}_hand"), 1]
        yield side, out


def _arm(rig: Rig, side: str) -> float:
    joints = [rig.body.one(f"{side}_{part}") for part in ("upper_arm", "lower_arm", "hand")]
    return float(np.linalg.norm(np.diff(rig.rest.places[joints], axis=0), axis=1).sum())


def _between(height: Floats, given: tuple[Floats, ...], goals: tuple[Floats, ...]) -> Floats:
    """Return heights mapped from the given marks to the goals, and extrapolated beyond the ends."""
    out = height
    for k, ((low, high), (goal_low, goal_high)) in enumerate(zip(pairwise(given), pairwise(goals), strict=True)):
        share = (height - low) / np.where(np.abs(high - low) < 1e-9, 1e-9, high - low)
        out = np.where((height >= low) | (k == 0), goal_low + share * (goal_high - goal_low), out)
    return out


class Follower(NamedTuple):
    """A joint, the joint it follows, and its position and rotation (None: unchanged) in that joint's frame."""

    joint: int
    lead: int
    place: Floats
    turn: Floats | None


def find_followers(rest: Rest, body: BodyMap) -> tuple[Follower, ...]:
    """Return feet that do not hang on their shanks, and then targets named after a joint."""
    skeleton = rest.skeleton
    out = []
    for side in SIDES:
        foot, shank = body.one(f"{side}_foot"), body.one(f"{side}_lower_leg")
        if shank not in skeleton.chain(foot):
            out.append(Follower(foot, shank, _seen_from(rest, shank, foot), None))
    mapped = {joint for joints in body.joints.values() for joint in joints}
    numbers = {name.lower(): joint for joint, name in enumerate(skeleton.names)}
    # A target that is at its joint at rest keeps its position on it; others are moved onto it.
    near = 0.02 * leg(rest, body)
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
    """Move followers, and everything that hangs on them, to their leads, changing rotations and places in place."""
    for follower in followers:
        goal = places[:, follower.lead] + rotate(world[:, follower.lead], follower.place)
        places[:, skeleton.descendants(follower.joint)] += (goal - places[:, follower.joint])[:, None]
        if follower.turn is not None:
            world[:, follower.joint] = multiply(world[:, follower.lead], follower.turn)


class _Driver(NamedTuple):
    """A joint of the target, the source's joint that drives it, and the rotation between the frames of the two joints.

    If chains have different numbers of joints, the driver is a fraction `share` of the way to a second joint.
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

    target: Rest
    target_body: BodyMap
    drivers: tuple[_Driver, ...]
    mover: int
    leg_ratio: float
    standing: Floats  # (joints, 4): world rotations, y up, of the target's joints while they do not move
    twists: tuple[Twist, ...] = ()

    def rotations(self, world: Floats) -> Floats:
        """Return world rotations (frames, joints, 4) of the target from the source's; both y up.

        W' = W S, where S leads from the frame of a target's joint to that of the source's, both at rest and aligned.
        Joints that nothing drives stay fixed on their parents.
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
        """Move the mover with the hips, offset as at rest; joints above it stay as at rest."""
        hips = self.target_body.one("hips")
        chain = self.target.skeleton.chain(hips)
        turns = self.target.turns
        for place, joint in enumerate(chain[:-1]):
            if place >= chain.index(self.mover):
                out[:, joint] = multiply(out[:, hips], multiply(inverse(turns[hips]), turns[joint]))
            else:
                out[:, joint] = self.standing[joint]
            still[joint] = False


def plan_transfer(source: Rest, source_body: BodyMap, target: Rest, target_body: BodyMap, standing: Floats) -> Transfer:
    """Match two bodies at rest; `standing` are world rotations of the target while nothing moves it."""
    turns = alignments(source, source_body, target, target_body)
    drivers: list[_Driver] = []

    def turn(role_turn: Floats, from_joint: int, to_joint: int) -> Floats:
        return multiply(multiply(inverse(source.turns[from_joint]), inverse(role_turn)), target.turns[to_joint])

    def drive(joint: int, other: int, role_turn: Floats) -> None:
        joint_turn = turn(role_turn, other, joint)
        drivers.append(_Driver(joint, other, joint_turn, other, joint_turn, 0.0))

    for role, joints in target_body.joints.items():
        side, _, part = role.partition("_")
        # Fingers count only if both bodies have that hand.
        handless = part in FINGERS and not all(f"{side}_hand" in body for body in (source_body, target_body))
        if role in ("spine", "neck") or role not in source_body or handless:
            continue
        for place, (joint, other) in enumerate(zip(joints, source_body.joints[role], strict=False)):
            drive(joint, other, turns[role, place])
    hips = source_body.one("hips")
    # A frame of a take used as rest pose may bend the trunk, so the trunks are aligned.
    trunk = shortest_arc(source.trunk, target.trunk) if SEEN in (source.how, target.how) else IDENTITY
    for role in ("spine", "neck"):
        # The joints of the source's chain at fractions of its bend: 0 for its parent, 1 for its last joint.
        chain, lead = source_body.joints.get(role, ()), above(source_body.joints, role) or "hips"
        bends = [((k + 1) / len(chain), other) for k, other in enumerate(chain)]
        knots = [(0.0, source_body.joints[lead][-1]), *bends]
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
        drive(joint, other, turns.get((role, 0), IDENTITY))
    ratio = leg(target, target_body) / leg(source, source_body)
    twists = find_twists(target, target_body) if all(f"{side}_hand" in source_body for side in SIDES) else ()
    return Transfer(target, target_body, tuple(drivers), _mover(target, target_body), ratio, standing, twists)


def _namesakes(
    source: Rest, source_body: BodyMap, target: Rest, target_body: BodyMap
) -> Iterator[tuple[int, int, str]]:
    """Return joints with the same name in both that are mapped in neither, and the part they hang on in both."""
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


def hip_joints(body: BodyMap) -> Ints:
    """Return the two joints at which the legs begin."""
    return np.array([body.one(f"{side}_upper_leg") for side in SIDES])


def _mover(rest: Rest, body: BodyMap) -> int:
    """Return the joint that travels: the hips, or the highest joint above them at about the same position."""
    # A joint above the hips that is this close to them carries the body.
    hips, near = body.one("hips"), 0.25 * leg(rest, body)
    path = rest.skeleton.chain(hips)
    far = np.flatnonzero(np.linalg.norm(rest.places[path] - rest.places[hips], axis=1) > near)
    return path[far[-1] + 1] if len(far) else path[0]


def world_places(offsets: Floats, parents: Ints, world: Floats) -> Floats:
    """Return positions (frames, joints, 3) of joints, with the first at the origin, from world rotations."""
    out = np.zeros((*world.shape[:2], 3))
    for joints, lead in levels(tuple(parents.tolist())):
        out[:, joints] = out[:, lead] + rotate(world[:, lead], offsets[joints])
    return out

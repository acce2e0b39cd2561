"""A clip as the humanoid of VRM: bones by their standard names, all of them without rotation in a T-pose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from freshtake.motion import Clip, Skeleton
from freshtake.motion.retarget.mapping import FINGERS, SIDES, BodyMap, find_body
from freshtake.motion.retarget.rest import Rest, bone, find_rest
from freshtake.numeric.arrays import Floats
from freshtake.numeric.kinematics import local_rotations
from freshtake.numeric.rotations import IDENTITY, inverse, multiply, rotate, shortest_arc

_SPINE = ("spine", "chest", "upperChest")
_LIMB = {"upper_leg": "UpperLeg", "lower_leg": "LowerLeg", "foot": "Foot", "toes": "Toes"}
_LIMB |= {"shoulder": "Shoulder", "upper_arm": "UpperArm", "lower_arm": "LowerArm", "hand": "Hand"}
_PHALANGES = {"thumb": ("Metacarpal", "Proximal", "Distal")}


class _Bone(NamedTuple):
    """A bone of the humanoid: its name, the joint it is, the bone above it, its part of the body and place in it."""

    name: str
    joint: int
    above: int
    role: str
    place: int


@dataclass(frozen=True, eq=False)
class Humanoid:
    """How clips of one skeleton become a humanoid's: its bones, the joint that each is, and their rotations at rest."""

    skeleton: Skeleton
    joints: list[int]
    at_rest: Floats  # (bones, 4)

    def put(self, clip: Clip) -> Clip:
        """A clip, in metres and y up, on the bones: their rotations in the world are the joints' against the T-pose."""
        pose = clip.world()
        world = multiply(pose.rotations[:, self.joints], inverse(self.at_rest))
        rotations = local_rotations(self.skeleton.parents, world)
        return Clip(
            self.skeleton, clip.frame_time, pose.positions[:, self.joints[0]], rotations,
            name=clip.name, provenance=clip.provenance, unit_m=clip.unit_m, playback=clip.playback,
        )  # fmt: skip


def as_humanoid(clip: Clip) -> Clip:
    """Return the clip, in metres and y up, on a humanoid's bones; joints that are no such bone are left out."""
    return humanoid_of(clip).put(clip)


def humanoid_of(clip: Clip) -> Humanoid:
    """Return the humanoid in the skeleton of a clip, which is in metres and y up."""
    body = find_body(clip.skeleton, [clip.positions()[0]], clip.name or "the clip")
    rest = find_rest(clip, body)
    bones = _bones(body)
    joints = [entry.joint for entry in bones]
    parents = np.array([entry.above for entry in bones])
    turns = _turns_to_t_pose(rest, body, bones)
    offsets = np.zeros((len(bones), 3))
    for k, entry in enumerate(bones[1:], start=1):
        from_parent = rest.places[entry.joint] - rest.places[joints[entry.above]]
        offsets[k] = rotate(turns[entry.above], from_parent)
    offsets[0, 1] = _height(bones, offsets)
    skeleton = Skeleton(tuple(entry.name for entry in bones), parents, offsets)
    return Humanoid(skeleton, joints, multiply(turns, rest.turns[joints]))


def _bones(body: BodyMap) -> list[_Bone]:
    """Return the bones that a body has, each after the one that it hangs on."""
    out = [_Bone("hips", body.one("hips"), -1, "hips", 0)]

    def add(name: str, role: str, place: int, above: int) -> int:
        out.append(_Bone(name, body.joints[role][place], above, role, place))
        return len(out) - 1

    trunk = 0
    for name, place in _spine_places(len(body.joints.get("spine", ()))):
        trunk = add(name, "spine", place, trunk)
    head = add("neck", "neck", 0, trunk) if "neck" in body else trunk
    if "head" in body:
        add("head", "head", 0, head)
    for side in SIDES:
        for parts, start in ((("shoulder", "upper_arm", "lower_arm", "hand"), trunk), (tuple(_LIMB)[:4], 0)):
            above = start
            for part in parts:
                if f"{side}_{part}" in body:
                    above = add(f"{side}{_LIMB[part]}", f"{side}_{part}", 0, above)
            if parts[-1] == "hand" and f"{side}_hand" in body:
                _add_fingers(body, side, above, add)
    return out


def _spine_places(count: int) -> list[tuple[str, int]]:
    """Of a spine of any number of joints at most three: the first, the last, and one in the middle."""
    places = [0, count // 2, count - 1] if count > 3 else list(range(count))
    return list(zip(_SPINE, places, strict=False))


def _add_fingers(body: BodyMap, side: str, hand: int, add: object) -> None:
    assert callable(add)
    for finger in FINGERS:
        above = hand
        words = _PHALANGES.get(finger, ("Proximal", "Intermediate", "Distal"))
        for place, word in enumerate(words[: len(body.joints.get(f"{side}_{finger}", ()))]):
            above = add(f"{side}{finger.capitalize()}{word}", f"{side}_{finger}", place, above)


def _turns_to_t_pose(rest: Rest, body: BodyMap, bones: list[_Bone]) -> Floats:
    """Return how each bone at rest has to turn (4,) to lie as in a T-pose: arms out to the sides, legs down."""
    out = np.tile(IDENTITY, (len(bones), 1))
    for k, entry in enumerate(bones):
        side, _, part = entry.role.partition("_")
        aim = np.array([1.0 if side == "left" else -1.0, 0.0, 0.0])
        if part in ("upper_leg", "lower_leg"):
            aim = np.array([0.0, -1.0, 0.0])
        elif part not in ("upper_arm", "lower_arm", "hand"):
            if part in FINGERS:
                out[k] = out[entry.above]
            continue
        direction = bone(rest, body, entry.role)
        out[k] = out[entry.above]
        if direction is not None:
            out[k] = multiply(shortest_arc(rotate(out[k], direction), aim), out[k])
    return out


def _height(bones: list[_Bone], offsets: Floats) -> float:
    """Of the hips, so that the lowest of ankles and toes of the T-pose is on the ground."""
    places = np.zeros_like(offsets)
    for k, entry in enumerate(bones[1:], start=1):
        places[k] = places[entry.above] + offsets[k]
    return float(max(-places[:, 1].min(), 1e-2))

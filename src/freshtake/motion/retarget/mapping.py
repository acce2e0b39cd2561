"""Which joint is which part of a body: by the names of widespread rigs, else by the shape of the skeleton."""

from __future__ import annotations

import re
from collections.abc import Sequence

from freshtake.errors import UsageError
from freshtake.motion.body.roles import HELPER, NUMBER
from freshtake.motion.retarget.body_map import FINGERS, SIDES, BodyMap
from freshtake.motion.retarget.rig_names import FAMILIES, Family, bare, plain
from freshtake.motion.retarget.structure import Joints, joints_by_shape
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats

SHAPE = "the skeleton's shape"
_FINGER = re.compile(r"thumb|index|middle|ring|pinky|little")
_NUMBERED = re.compile(r"finger(\d)")  # 3ds Max, Rokoko: by number, the thumb first
_NO_PHALANX = re.compile(r"metacarpal|end$|nub|tip|twist|meta\d?")
_NECK = re.compile(r"neck|head", re.I)
LEAST_FINGERS = 3  # a hand with fewer has no fingers worth the name


def find_body(skeleton: Skeleton, poses: Sequence[Floats] = (), who: str = "the skeleton") -> BodyMap:
    """The parts of a body, by name as far as names are known, else by shape.

    `poses` (joints, 3) are places of the joints, y up; the first one that looks like a body is used.
    """
    named = by_names(skeleton)
    if named is not None and not named.lacking():
        return named
    for places in poses:
        shaped = joints_by_shape(skeleton, places)
        body = None if shaped is None else BodyMap(_with_trunk(skeleton, shaped), SHAPE)
        if body is not None and not body.lacking():
            return body
    lacking = [] if named is None else [role.replace("_", " ") for role in named.lacking()]
    what = f"it looks like {named.family}, but lacks {', '.join(lacking)}" if named else "names and shape are unknown"
    raise UsageError(f"{who}: no body with two arms and two legs is recognized ({what}): name its joints with --map")


def by_names(skeleton: Skeleton) -> BodyMap | None:
    """The family that names most parts, with spine, neck and fingers found along the way; None where none fits."""
    best: tuple[int, bool] = (0, False)
    best_family: tuple[Family, Joints] | None = None
    for numbered in (False, True):
        names = [NUMBER.sub("", name) if numbered else name for name in skeleton.names]
        known = {plain(name): joint for joint, name in reversed(list(enumerate(names))) if not HELPER.search(name)}
        for family in FAMILIES:
            joints: Joints = {role: (known[name],) for role, name in family.roles().items() if name in known}
            marked = any(re.search(family.mark, tried) for name in names for tried in (bare(name), plain(name)))
            if (len(joints), marked) > best and len(joints) >= 4:
                best, best_family = (len(joints), marked), (family, joints)
    if best_family is None:
        return None
    family, joints = best_family
    out = BodyMap(_with_trunk(skeleton, joints), family.name)
    return BodyMap({**out.joints, **_fingers(skeleton, out)}, family.name)


def _with_trunk(skeleton: Skeleton, joints: Joints) -> Joints:
    """Spine and neck are what lies between hips, arms and head."""
    hips, head = joints.get("hips", (0,))[0], joints.get("head", (None,))[0]
    arms = [joints[role][0] for role in (f"{side}_{part}" for side in SIDES for part in ("shoulder", "upper_arm"))
            if role in joints]  # fmt: skip
    if not arms:
        return joints
    shared = set(skeleton.chain(arms[0])).intersection(*[skeleton.chain(arm) for arm in arms[1:]])
    below = skeleton.descendants(hips)[1:]
    spine = [joint for joint in sorted(shared) if joint in below and joint not in arms]
    neck: list[int] = []
    if head is not None:
        path = skeleton.chain(head)[:-1]
        spine = [joint for joint in spine if joint in path]
        neck = [joint for joint in path if joint in below and joint not in spine]
    while spine and _NECK.search(skeleton.names[spine[-1]]):  # where arms hang on the neck
        neck.insert(0, spine.pop())
    return {**joints, "spine": tuple(spine), "neck": tuple(neck)}


def _fingers(skeleton: Skeleton, body: BodyMap) -> Joints:
    """Chains of up to three joints below each hand, by their names."""
    out: Joints = {}
    for side in SIDES:
        if f"{side}_hand" not in body:
            continue
        chains: dict[str, list[int]] = {}
        hand = body.one(f"{side}_hand")
        for joint in skeleton.descendants(hand)[1:]:
            name = plain(skeleton.names[joint])
            word, number = _FINGER.search(name), _NUMBERED.search(name)
            if _NO_PHALANX.search(name) or not (word or number):
                continue
            finger = (
                {"pinky": "little"}.get(word[0], word[0]) if word
                else FINGERS[min(int(number[1]), 4)] if number else ""
            )  # fmt: skip
            chain = chains.setdefault(finger, [])
            if len(chain) < 3 and (not chain or chain[-1] in skeleton.chain(joint)):
                chain.append(joint)
        if len(chains) >= LEAST_FINGERS:
            out |= {f"{side}_{finger}": tuple(chain) for finger, chain in chains.items()}
    return out

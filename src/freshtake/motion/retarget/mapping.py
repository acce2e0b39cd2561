"""BodyMap: which joints are hips, spine, arms, legs and fingers, whatever their names; and how to find it.

Joints are mapped by the names in common rigs, else by the shape of the skeleton.

Names are compared without case, namespaces, spaces and punctuation; in patterns, {0} is the side. By shape, the two
lowest tips are toes, the highest one is the head, and the tips farthest to the sides above the hips are hands.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.roles import HELPER, NUMBER
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats

SIDES = ("left", "right")
ARM = ("shoulder", "upper_arm", "lower_arm", "hand")
LEG = ("upper_leg", "lower_leg", "foot", "toes")
FINGERS = ("thumb", "index", "middle", "ring", "little")
TRUNK = ("hips", "spine", "neck", "head")
CHAINS = ("spine", "neck", *map("_".join, product(SIDES, FINGERS)))  # parts with any number of joints
ROLES = (*TRUNK, *map("_".join, product(SIDES, (*ARM, *LEG, *FINGERS))))
NEEDED = ("hips", *map("_".join, product(SIDES, (*LEG[:3], *ARM[1:3]))))
# The part on which each part hangs; if it is not mapped, the next part above it counts.
ABOVE = {"spine": "hips", "neck": "spine", "head": "neck"}
for _side in SIDES:
    ABOVE |= {f"{_side}_shoulder": "spine", f"{_side}_upper_leg": "hips"}
    for _above, _below in (*pairwise(ARM), *pairwise(LEG), *product(("hand",), FINGERS)):
        ABOVE[f"{_side}_{_below}"] = f"{_side}_{_above}"


@dataclass(frozen=True, eq=False)
class BodyMap:
    """Joints by body part (see ROLES): one each, or for spine, neck and fingers any number, from the body outwards.

    `family` is the naming convention that identified them, such as "Mixamo".
    """

    joints: Mapping[str, tuple[int, ...]]
    family: str = "given"

    def __post_init__(self) -> None:
        mapped = {role: tuple(self.joints[role]) for role in ROLES if self.joints.get(role)}
        object.__setattr__(self, "joints", MappingProxyType(mapped))

    def __contains__(self, role: str) -> bool:
        return role in self.joints

    def one(self, role: str) -> int:
        """Return the only or the first joint of a part."""
        return self.joints[role][0]

    @property
    def count(self) -> int:
        """The number of mapped joints."""
        return sum(len(joints) for joints in self.joints.values())

    def names(self, skeleton: Skeleton) -> dict[str, list[str]]:
        """Return joint names by part, as in a map file."""
        return {role: [skeleton.names[joint] for joint in joints] for role, joints in self.joints.items()}

    def lacking(self) -> list[str]:
        """Return the missing parts without which a body cannot be retargeted."""
        return [role for role in NEEDED if role not in self.joints]


def above(joints: Mapping[str, tuple[int, ...]], role: str) -> str | None:
    """Return the nearest mapped part on which a part hangs."""
    role_above = ABOVE.get(role)
    while role_above is not None and role_above not in joints:
        role_above = ABOVE.get(role_above)
    return role_above


def map_by_names(skeleton: Skeleton, names: Mapping[str, list[str]], family: str = "given") -> BodyMap:
    """Return a map by joint names; check that parts and joints exist, joints occur once and limbs are connected."""
    joints: dict[str, tuple[int, ...]] = {}
    used: dict[str, str] = {}
    for role, listed in names.items():
        if role not in ROLES:
            raise UsageError(f"{role!r} is not a part of a body; the parts are {', '.join(ROLES)}")
        if role not in CHAINS and len(listed) != 1:
            raise UsageError(f"{role!r} is one joint, but {len(listed)} are named")
        for name in listed:
            if name not in skeleton.names:
                raise UsageError(f"{role!r} names the joint {name!r}, which the skeleton does not have")
            if name in used:
                raise UsageError(f"the joint {name!r} is named for {used[name]!r} and for {role!r}: leave one out")
            used[name] = role
        joints[role] = tuple(skeleton.index(name) for name in listed)
    _require_order(skeleton, joints)
    return BodyMap(joints, family)


def _require_order(skeleton: Skeleton, joints: Mapping[str, tuple[int, ...]]) -> None:
    """Check that every part hangs on the part above it, except feet, which may hang on the root."""
    for role, role_joints in joints.items():
        lead = above(joints, role)
        path = role_joints if lead is None or role.endswith("upper_leg") else (joints[lead][-1], *role_joints)
        for upper, lower in pairwise(path):
            free = role.endswith("foot") and lower not in skeleton.chain(upper)
            if upper not in skeleton.chain(lower)[:-1] and not free:
                names = skeleton.names[lower], skeleton.names[upper]
                reverse = ", it is the other way round" if lower in skeleton.chain(upper)[:-1] else ""
                raise UsageError(f"{role!r}: the joint {names[0]!r} does not hang on {names[1]!r}{reverse}")


LONG, SHORT = ("left", "right"), ("l", "r")
_HUMAN_IK_ARM = "{0}shoulder {0}arm {0}forearm {0}hand"
_HUMANOID = ("{0}shoulder {0}upperarm {0}lowerarm {0}hand", "{0}upperleg {0}lowerleg {0}foot {0}toes")
_BEHIND = ("shoulder{0} upperarm{0} lowerarm{0} hand{0}", "upperleg{0} lowerleg{0} foot{0} toes{0}")
_JOINTS = ("{0}collar {0}shoulder {0}elbow {0}wrist", "{0}hip {0}knee {0}ankle {0}foot")
_PREFIX = re.compile(r"^(?:mixamorig\d*|bip\d+|character\d+|mavg|favg)(?=.)")
SHAPE = "the skeleton's shape"
_FINGER = re.compile(r"thumb|index|middle|ring|pinky|little")
_NUMBERED = re.compile(r"finger(\d)")  # 3ds Max, Rokoko: by number, the thumb first
_NO_PHALANX = re.compile(r"metacarpal|end$|nub|tip|twist|meta\d?")
_NECK = re.compile(r"neck|head", re.I)


class Family(NamedTuple):
    """A naming convention: `mark` occurs in a name of every such rig, and in no similar rig."""

    name: str
    mark: str
    sides: tuple[str, str]
    hips: str
    head: str
    arm: str  # shoulder, upper arm, lower arm, hand; "-" if there is none
    leg: str  # upper leg, lower leg, foot, toes

    def roles(self) -> dict[str, str]:
        """Return the normalized name of every part."""
        out = {"hips": self.hips, "head": self.head}
        for side, called in zip(SIDES, self.sides, strict=True):
            for parts, words in ((ARM, self.arm), (LEG, self.leg)):
                named = zip(parts, words.split(), strict=True)
                out |= {f"{side}_{part}": word.format(called) for part, word in named if word != "-"}
        return out


FAMILIES = (
    Family("CMU (ASF)", "^lhipjoint$", SHORT, "root", "head", "{0}clavicle {0}humerus {0}radius {0}wrist",
           "{0}femur {0}tibia {0}foot {0}toes"),
    Family("CMU (BVH)", "^lhipjoint$", LONG, "hips", "head", _HUMAN_IK_ARM, "{0}upleg {0}leg {0}foot {0}toebase"),
    Family("Mixamo", "^mixamorig", LONG, "hips", "head", _HUMAN_IK_ARM, "{0}upleg {0}leg {0}foot {0}toebase"),
    Family("HumanIK", "^leftupleg$", LONG, "hips", "head", _HUMAN_IK_ARM, "{0}upleg {0}leg {0}foot {0}toebase"),
    Family("LAFAN1", "^lefttoe$", LONG, "hips", "head", _HUMAN_IK_ARM, "{0}upleg {0}leg {0}foot {0}toe"),
    Family("Rokoko", "^leftthigh$", LONG, "hips", "head", _HUMAN_IK_ARM, "{0}thigh {0}shin {0}foot {0}toe"),
    Family("Xsens (BVH)", "^chest[34]$", LONG, "hips", "head", "{0}collar {0}shoulder {0}elbow {0}wrist",
           "{0}hip {0}knee {0}ankle {0}toe"),
    Family("Xsens (MVN)", "^t12$", LONG, "pelvis", "head", "{0}shoulder {0}upperarm {0}forearm {0}hand",
           "{0}upperleg {0}lowerleg {0}foot {0}toe"),
    Family("Unreal", "^clavicle[lr]$", SHORT, "pelvis", "head", "clavicle{0} upperarm{0} lowerarm{0} hand{0}",
           "thigh{0} calf{0} foot{0} ball{0}"),
    Family("Unity humanoid", "^leftupperleg$", LONG, "hips", "head", *_HUMANOID),
    Family("VRM (VRoid)", "^jbip", SHORT, "jbipchips", "jbipchead",
           "jbip{0}shoulder jbip{0}upperarm jbip{0}lowerarm jbip{0}hand",
           "jbip{0}upperleg jbip{0}lowerleg jbip{0}foot jbip{0}toebase"),
    Family("Bandai Namco", "^upperleg[lr]$", SHORT, "hips", "head", *_BEHIND),
    Family("SMPL", "^leftcollar$", LONG, "pelvis", "head", *_JOINTS),
    Family("SMPL (FBX)", "^lcollar$", SHORT, "pelvis", "head", *_JOINTS),
    Family("3ds Max Biped", "^bip", SHORT, "pelvis", "head", "{0}clavicle {0}upperarm {0}forearm {0}hand",
           "{0}thigh {0}calf {0}foot {0}toe0"),
)  # fmt: skip


def plain(name: str) -> str:
    """Return a joint's name without namespace, case, spaces, punctuation and the prefixes that programs add."""
    return _PREFIX.sub("", bare(name))


def bare(name: str) -> str:
    """Return a joint's name without namespace, case, spaces and punctuation."""
    last = re.split(r"[:|]", name)[-1] if not name.lower().startswith("mixamorig") else name
    return re.sub(r"[^a-z0-9]", "", last.lower())


Joints = dict[str, tuple[int, ...]]


def joints_by_shape(skeleton: Skeleton, rest: Floats) -> Joints | None:
    """Find hips, head, arms and legs of a standing body (joints, 3), y up; None if there is no such body."""
    leaves = [j for j in range(1, len(skeleton)) if not skeleton.children(j) and not HELPER.search(skeleton.names[j])]
    legs = _lowest_pair(skeleton, rest, leaves)
    if legs is None:
        return None
    paths = [skeleton.chain(tip) for tip in legs]
    hips = max(set(paths[0]) & set(paths[1]))
    below = {joint for path in paths for joint in skeleton.descendants(path[path.index(hips) + 1])}
    upper = [tip for tip in leaves if tip not in below and hips in skeleton.chain(tip)]
    if len(upper) < 3:
        return None
    across = (rest[legs[0]] - rest[legs[1]]) * np.array([1.0, 0.0, 1.0])
    across /= max(float(np.linalg.norm(across)), 1e-12)
    sideways = (rest[upper] - rest[hips]) @ across
    arms = [upper[int(sideways.argmax())], upper[int(sideways.argmin())]]
    middle = [tip for tip, off in zip(upper, sideways, strict=True) if abs(off) < 0.3 * np.abs(sideways).max()]
    if not middle or arms[0] in middle or arms[1] in middle:
        return None
    chest = max(set(skeleton.chain(arms[0])) & set(skeleton.chain(arms[1])))
    # The head is the highest joint, or a joint on the way to it that is named head.
    highest = max(middle, key=lambda tip: float(rest[tip, 1]))
    path = [joint for joint in skeleton.chain(highest) if joint > chest]
    head = next((joint for joint in path if "head" in skeleton.names[joint].lower()), highest)
    body: Joints = {"hips": (hips,), "head": (head,)}
    for side, arm, leg in zip(SIDES, arms, legs, strict=True):
        body |= _limb(skeleton, rest, leg, hips, side, "leg") | _limb(skeleton, rest, arm, chest, side, "arm")
    return body


def _lowest_pair(skeleton: Skeleton, rest: Floats, leaves: list[int]) -> list[int] | None:
    """Return the two lowest tips, left first, of limbs that part at or below the body's middle; toes show the sides."""
    low = sorted(leaves, key=lambda tip: float(rest[tip, 1]))
    first = next(iter(low), None)
    if first is None:
        return None
    shares = {tip: set(skeleton.chain(tip)) & set(skeleton.chain(first)) for tip in low[1:]}
    # Toes of one foot share their leg; the other leg shares only the joints above the hips.
    fewest = min((len(shared) for shared in shares.values()), default=0)
    reach = float(np.ptp(rest[:, 1]))
    high = {tip for tip in low[1:] if rest[max(shares[tip]), 1] > rest[tip, 1] + 0.3 * reach}
    candidates = [tip for tip in low[1:] if len(shares[tip]) == fewest or tip in high]
    second = next(iter(candidates), None)
    if second is None or rest[second, 1] - rest[first, 1] > 0.3 * reach:
        return None
    pair = [first, second]
    names = [skeleton.names[tip].lower() for tip in pair]
    differ = next((a + b for a, b in zip(*names, strict=False) if a != b), "")
    if set(differ) == {"l", "r"}:
        return pair if differ == "lr" else pair[::-1]
    # Forward is where feet point along the ground, by their last bones and end sites.
    tips = {site.joint: np.asarray(site.offset) for site in reversed(skeleton.end_sites)}
    forward = sum((rest[tip] - rest[skeleton.parents[tip]] + tips.get(tip, np.zeros(3)) for tip in pair), np.zeros(3))
    left = np.cross(np.array([0.0, 1.0, 0.0]), forward * np.array([1.0, 0.0, 1.0]))
    return sorted(pair, key=lambda tip: -float(rest[tip] @ left))


def _limb(skeleton: Skeleton, rest: Floats, tip: int, start: int, side: str, kind: str) -> Joints:
    """Return the two longest consecutive bones of a limb, and the joints before and after them."""
    path = skeleton.chain(tip)
    path = path[path.index(start) + 1 :]
    bones = [float(np.linalg.norm(rest[b] - rest[a])) for a, b in pairwise(path)]
    if len(bones) < 2:
        return {}
    upper = int(np.argmax([a + b for a, b in pairwise(bones)]))
    parts = path[upper : upper + 3]
    names = [f"upper_{kind}", f"lower_{kind}", "foot" if kind == "leg" else "hand"]
    if kind == "leg" and upper + 3 < len(path):
        parts, names = [*parts, path[upper + 3]], [*names, "toes"]
    if kind == "arm" and upper > 0:
        parts, names = [path[upper - 1], *parts], ["shoulder", *names]
    return {f"{side}_{name}": (joint,) for name, joint in zip(names, parts, strict=True)}


def find_body(skeleton: Skeleton, poses: Sequence[Floats] = (), who: str = "the skeleton") -> BodyMap:
    """Return the parts of a body, by name if the names are known, else by shape.

    `poses` (joints, 3) are positions of the joints, y up; the first pose that looks like a body is used.
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
    """Return the map of the family with the most parts, with spine, neck and fingers; None if no family fits."""
    best: tuple[int, bool] = (0, False)
    best_family: tuple[Family, Joints] | None = None
    for numbered in (False, True):
        names = [NUMBER.sub("", name) if numbered else name for name in skeleton.names]
        joint_by_name = {
            plain(name): joint for joint, name in reversed(list(enumerate(names))) if not HELPER.search(name)
        }
        for family in FAMILIES:
            joints: Joints = {
                role: (joint_by_name[name],) for role, name in family.roles().items() if name in joint_by_name
            }
            marked = any(re.search(family.mark, tried) for name in names for tried in (bare(name), plain(name)))
            if (len(joints), marked) > best and len(joints) >= 4:
                best, best_family = (len(joints), marked), (family, joints)
    if best_family is None:
        return None
    family, joints = best_family
    out = BodyMap(_with_trunk(skeleton, joints), family.name)
    return BodyMap({**out.joints, **_fingers(skeleton, out)}, family.name)


def _with_trunk(skeleton: Skeleton, joints: Joints) -> Joints:
    """Add spine and neck: the joints between hips, arms and head."""
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
    while spine and _NECK.search(skeleton.names[spine[-1]]):  # the arms may hang on the neck
        neck.insert(0, spine.pop())
    return {**joints, "spine": tuple(spine), "neck": tuple(neck)}


def _fingers(skeleton: Skeleton, body: BodyMap) -> Joints:
    """Return chains of up to three joints below each hand, by their names."""
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
        # A hand with fewer than three chains is treated as having no fingers.
        if len(chains) >= 3:
            out |= {f"{side}_{finger}": tuple(chain) for finger, chain in chains.items()}
    return out

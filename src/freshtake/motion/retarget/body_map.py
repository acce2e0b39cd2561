"""BodyMap: which joints of a skeleton are hips, spine, arms, legs and fingers, whatever they are called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from freshtake.errors import UsageError
from freshtake.motion.skeleton import Skeleton

SIDES = ("left", "right")
ARM = ("shoulder", "upper_arm", "lower_arm", "hand")
LEG = ("upper_leg", "lower_leg", "foot", "toes")
FINGERS = ("thumb", "index", "middle", "ring", "little")
TRUNK = ("hips", "spine", "neck", "head")
CHAINS = ("spine", "neck", *(f"{side}_{finger}" for side in SIDES for finger in FINGERS))  # any number of joints
ROLES = (*TRUNK, *(f"{side}_{part}" for side in SIDES for part in (*ARM, *LEG, *FINGERS)))
NEEDED = ("hips", *(f"{side}_{part}" for side in SIDES for part in (*LEG[:3], *ARM[1:3])))
# What each part hangs on, where that is mapped; else on what that hangs on.
ABOVE = {"spine": "hips", "neck": "spine", "head": "neck"}
for _side in SIDES:
    ABOVE |= {f"{_side}_shoulder": "spine", f"{_side}_upper_leg": "hips"}
    for _chain in (ARM, LEG):
        ABOVE |= {f"{_side}_{below}": f"{_side}_{above}" for above, below in pairwise(_chain)}
    ABOVE |= {f"{_side}_{finger}": f"{_side}_hand" for finger in FINGERS}


@dataclass(frozen=True, eq=False)
class BodyMap:
    """Joints by their part of the body (see ROLES): one each, of spine, neck and fingers any number, from the body on.

    `family` says by which convention they were found, such as "Mixamo".
    """

    joints: Mapping[str, tuple[int, ...]]
    family: str = "given"

    def __post_init__(self) -> None:
        mapped = {role: tuple(self.joints[role]) for role in ROLES if self.joints.get(role)}
        object.__setattr__(self, "joints", MappingProxyType(mapped))

    def __contains__(self, role: str) -> bool:
        return role in self.joints

    def one(self, role: str) -> int:
        """The only or the first joint of a part."""
        return self.joints[role][0]

    @property
    def count(self) -> int:
        """How many joints are mapped."""
        return sum(len(joints) for joints in self.joints.values())

    def names(self, skeleton: Skeleton) -> dict[str, list[str]]:
        """By name, as a map file has it."""
        return {role: [skeleton.names[joint] for joint in joints] for role, joints in self.joints.items()}

    def lacking(self) -> list[str]:
        """Parts without which a body cannot be retargeted."""
        return [role for role in NEEDED if role not in self.joints]


def above(joints: Mapping[str, tuple[int, ...]], role: str) -> str | None:
    """The nearest mapped part that a part hangs on."""
    role_above = ABOVE.get(role)
    while role_above is not None and role_above not in joints:
        role_above = ABOVE.get(role_above)
    return role_above


def map_by_names(skeleton: Skeleton, names: Mapping[str, list[str]], family: str = "given") -> BodyMap:
    """A map by the names of joints, checked: parts and joints exist, no joint is used twice, limbs hang together."""
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
    """Every part hangs on the one above it, but for feet, which may hang on the root; no circle does."""
    for role, role_joints in joints.items():
        lead = above(joints, role)
        path = role_joints if lead is None or role.endswith("upper_leg") else (joints[lead][-1], *role_joints)
        for upper, lower in pairwise(path):
            free = role.endswith("foot") and lower not in skeleton.chain(upper)
            if upper not in skeleton.chain(lower)[:-1] and not free:
                names = skeleton.names[lower], skeleton.names[upper]
                circle = ", it is the other way round" if lower in skeleton.chain(upper)[:-1] else ""
                raise UsageError(f"{role!r}: the joint {names[0]!r} does not hang on {names[1]!r}{circle}")

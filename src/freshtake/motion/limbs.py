"""Limbs: which joints make up legs and arms, and what they can do, learned from clips or stated by the file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body import Foot, feet, hands
from freshtake.motion.clip import Clip
from freshtake.motion.limb_chain import Links, learned_links
from freshtake.motion.skeleton import Skeleton, require_compatible
from freshtake.numeric.arrays import Floats
from freshtake.numeric.limb_solver import Chain

Mapping = dict[str, list[str]]  # "left_leg": [hip, knee, ankle(, toe)], "left_arm": [shoulder, elbow, hand]

_TWIST = re.compile(r"twist|roll", re.IGNORECASE)
_LEG = re.compile(r"leg|foot", re.IGNORECASE)
_ARM = re.compile(r"arm|hand", re.IGNORECASE)


class Limb(NamedTuple):
    """One leg or arm: hip, knee, ankle and toe, or shoulder, elbow and hand (toe None).

    `turning` are the joints that the solver turns, from `upper` on downward without gaps; `links` is what they can do.
    """

    name: str
    is_leg: bool
    upper: int
    middle: int
    end: int
    toe: int | None
    turning: tuple[int, ...]
    links: Links

    @property
    def chain(self) -> Chain:
        """The links that the solver turns."""
        return self.links.chain

    @property
    def last(self) -> int | None:
        """The joint whose direction in the world is kept: the toe of a leg, or its ankle where there is no toe."""
        return self.points[-1] if self.is_leg else None

    @property
    def points(self) -> tuple[int, ...]:
        """The joints that can be put to a place: the end and, of a leg, its toe."""
        return (self.end,) if self.toe is None else (self.end, self.toe)

    @property
    def below(self) -> tuple[int, ...]:
        """The joints of the limb from its base to its last point, the base left out."""
        path = (*self.turning[1:], self.end) if self.end not in self.turning else self.turning[1:]
        return path if self.toe is None else (*path, self.toe)


def learn_limbs(clips: Sequence[Clip], mapping: Mapping | None = None) -> tuple[Limb, ...]:
    """Legs, then arms, with references, hinges and ranges learned from the clips; the file's limits go first.

    Joints are guessed from names and geometry; a mapping of legs replaces all guessed legs, one of arms all arms.
    """
    skeleton = clips[0].skeleton
    for clip in clips[1:]:
        require_compatible(skeleton, clip.skeleton)
    rotations = np.concatenate([clip.rotations for clip in clips])
    return tuple(
        _limb(skeleton, rotations, name, joints, is_leg) for name, joints, is_leg in limb_joints(skeleton, mapping)
    )


def limb_joints(skeleton: Skeleton, mapping: Mapping | None = None) -> list[tuple[str, tuple[int, ...], bool]]:
    """Name, joints (hip, knee, ankle(, toe) or shoulder, elbow, hand) and whether it is a leg."""
    mapped = [_mapped(skeleton, name, joints) for name, joints in (mapping or {}).items()]
    legs = [limb for limb in mapped if limb[2]] or _guessed_legs(skeleton)
    arms = [limb for limb in mapped if not limb[2]] or _guessed_arms(skeleton)
    return legs + arms


def limb_feet(limbs: Sequence[Limb], skeleton: Skeleton) -> tuple[Foot, ...]:
    """The feet that the legs among the limbs stand on, in their order."""
    return tuple(Foot(skeleton.names[limb.end], limb.end, limb.toe) for limb in limbs if limb.is_leg)


def _guessed_legs(skeleton: Skeleton) -> list[tuple[str, tuple[int, ...], bool]]:
    found = []
    for foot in feet(skeleton):
        above = _above(skeleton, foot.ankle)
        if len(above) == 2:
            found.append((skeleton.names[foot.ankle], (*above, *foot.joints), True))
    return found


def _guessed_arms(skeleton: Skeleton) -> list[tuple[str, tuple[int, ...], bool]]:
    pairs = [(hand, _above(skeleton, hand)) for hand in hands(skeleton)]
    return [(skeleton.names[hand], (*above, hand), False) for hand, above in pairs if len(above) == 2]


def _above(skeleton: Skeleton, end: int) -> tuple[int, ...]:
    """The two joints above the end that bend, twist joints and joints in one place with the next left out."""
    lengths, path = skeleton.lengths(), skeleton.chain(end)
    reach = lengths[path].max()
    found: list[int] = []
    gap = lengths[end]
    for joint in reversed(path[:-1]):
        if joint == 0:
            break
        if gap > 0.02 * reach and not _TWIST.search(skeleton.names[joint]):
            found.insert(0, joint)
            gap = 0.0
        gap += lengths[joint]
    return tuple(found[-2:])


def _mapped(skeleton: Skeleton, name: str, joints: Sequence[str]) -> tuple[str, tuple[int, ...], bool]:
    """One entry of a mapping, checked against the skeleton."""
    is_leg = _LEG.search(name) is not None and not _ARM.search(name)
    if not is_leg and not _ARM.search(name):
        raise UsageError(f"the mapping's limb {name!r} is neither a leg nor an arm: call it left_leg or right_arm")
    if len(joints) not in ((3, 4) if is_leg else (3,)):
        wanted = "hip, knee, ankle and perhaps toe" if is_leg else "shoulder, elbow and hand"
        raise UsageError(f"the mapping's limb {name!r} has {len(joints)} joints: give {wanted}")
    numbers = tuple(skeleton.index(joint) for joint in joints)
    for above, below in pairwise(numbers):
        if above not in skeleton.chain(below)[:-1]:
            raise UsageError(
                f"the mapping's limb {name!r} lists {skeleton.names[above]!r} before {skeleton.names[below]!r}, "
                "which does not hang on it"
            )
    return name, numbers, is_leg


def _limb(skeleton: Skeleton, rotations: Floats, name: str, joints: tuple[int, ...], is_leg: bool) -> Limb:
    upper, middle, end = joints[:3]
    toe = joints[3] if len(joints) == 4 else None
    path = skeleton.chain(end if toe is None else toe)[:-1]
    turning = tuple(path[path.index(upper) :])
    free = {upper, middle} | (set() if toe is None else {end})
    return Limb(
        name,
        is_leg,
        upper,
        middle,
        end,
        toe,
        turning,
        learned_links(skeleton, rotations, turning, middle, end, free, is_leg, joints[-1] if is_leg else None),
    )

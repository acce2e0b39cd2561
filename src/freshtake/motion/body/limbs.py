"""Limbs: which joints make up legs and arms, and what they can do, learned from clips or stated by the file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.limb_ranges import Chain, free_ways, knee_hinge
from freshtake.motion.body.roles import Foot, feet, hands
from freshtake.motion.clip import Clip
from freshtake.motion.skeleton import Skeleton, require_compatible
from freshtake.numeric.arrays import Floats

Mapping = dict[str, list[str]]  # "left_leg": [hip, knee, ankle(, toe)], "left_arm": [shoulder, elbow, hand]

ARM_REACH = (0.3, 1.0)  # arms can do far more than one motion shows
FOLDED = 0.9  # legs may fold a little more than was seen

_TWIST = re.compile(r"twist|roll", re.IGNORECASE)
_LEG = re.compile(r"leg|foot", re.IGNORECASE)
_ARM = re.compile(r"arm|hand", re.IGNORECASE)


class Limb(NamedTuple):
    """One leg or arm: hip, knee, ankle and toe, or shoulder, elbow and hand (toe None), and what they can do.

    `hinge` (3,) is the axis of knee or elbow in its own frame, 0 where none was seen; `reach` the least and greatest
    distance from hip to ankle, in the length of the straight limb; `base` and `ankle` the directions in which hip and
    ankle turn, None: all.
    """

    name: str
    is_leg: bool
    upper: int
    middle: int
    end: int
    toe: int | None
    hinge: Floats
    reach: tuple[float, float]
    base: Chain | None
    ankle: Chain | None

    @property
    def points(self) -> tuple[int, ...]:
        """The joints that can be put to a place: the end and, of a leg, its toe."""
        return (self.end,) if self.toe is None else (self.end, self.toe)


def learn_limbs(clips: Sequence[Clip], mapping: Mapping | None = None) -> tuple[Limb, ...]:
    """Legs, then arms, with hinges and ranges learned from the clips; the file's axes and limits go first.

    Joints are guessed from names and geometry; a mapping of legs replaces all guessed legs, one of arms all arms.
    """
    skeleton = clips[0].skeleton
    for clip in clips[1:]:
        require_compatible(skeleton, clip.skeleton)
    rotations = np.concatenate([clip.rotations for clip in clips])
    positions = np.concatenate([clip.positions() for clip in clips])
    return tuple(
        _limb(skeleton, rotations, positions, name, joints, is_leg)
        for name, joints, is_leg in limb_joints(skeleton, mapping)
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
    legs = []
    for foot in feet(skeleton):
        above = _above(skeleton, foot.ankle)
        if len(above) == 2:
            legs.append((skeleton.names[foot.ankle], (*above, *foot.joints), True))
    return legs


def _guessed_arms(skeleton: Skeleton) -> list[tuple[str, tuple[int, ...], bool]]:
    pairs = [(hand, _above(skeleton, hand)) for hand in hands(skeleton)]
    return [(skeleton.names[hand], (*above, hand), False) for hand, above in pairs if len(above) == 2]


def _above(skeleton: Skeleton, end: int) -> tuple[int, ...]:
    """The two joints above the end that bend, twist joints and joints in one place with the next left out."""
    lengths, path = skeleton.lengths(), skeleton.chain(end)
    reach = lengths[path].max()
    joints: list[int] = []
    gap = lengths[end]
    for joint in reversed(path[:-1]):
        if joint == 0:
            break
        if gap > 0.02 * reach and not _TWIST.search(skeleton.names[joint]):
            joints.insert(0, joint)
            gap = 0.0
        gap += lengths[joint]
    return tuple(joints[-2:])


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


def _limb(
    skeleton: Skeleton, rotations: Floats, positions: Floats, name: str, joints: tuple[int, ...], is_leg: bool
) -> Limb:
    upper, middle, end = joints[:3]
    return Limb(
        name,
        is_leg,
        upper,
        middle,
        end,
        joints[3] if len(joints) == 4 else None,
        knee_hinge(skeleton, rotations[:, middle], middle, end),
        _reach(skeleton, positions, upper, end) if is_leg else ARM_REACH,
        free_ways(skeleton, rotations[:, upper], upper, ball=True),
        free_ways(skeleton, rotations[:, end], end) if is_leg else None,
    )


def _reach(skeleton: Skeleton, positions: Floats, upper: int, end: int) -> tuple[float, float]:
    """The least and the greatest distance that was seen, in the length of the straight limb."""
    path = skeleton.chain(end)
    full = max(float(skeleton.lengths()[path[path.index(upper) + 1 :]].sum()), 1e-12)
    seen = np.linalg.norm(positions[:, end] - positions[:, upper], axis=1) / full
    return FOLDED * float(seen.min()), float(seen.max())

"""Guess which joints are feet, hands, left and right from names and geometry, for any skeleton with limbs.

Also determine the part of the body to which a joint belongs: trunk, head, or one of the arms and legs.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats, Ints

WORDS = (("left", "right"), ("Left", "Right"), ("LEFT", "RIGHT"))
LETTER = re.compile(r"^[lL]|(?<=[^A-Za-z])[lL](?![a-z])|(?<=[a-z0-9])L(?![a-z])")
SIDE = {
    "left": re.compile(r"left|Left|LEFT|^L(?=[A-Z_.])|(?<=[^A-Za-z])[lL](?![a-z])"),
    "right": re.compile(r"right|Right|RIGHT|^R(?=[A-Z_.])|(?<=[^A-Za-z])[rR](?![a-z])"),
}
HELPER = re.compile(r"(?<![a-z])ik(?![a-z])|target|pole|effector|ctrl|goal", re.I)  # not part of the body
NUMBER = re.compile(r"_\d+$")  # glTF exporters number their joints: b_LeftLeg01_015, b_RightLeg01_019
LOOSE = re.compile(r"skirt|cape|coat|cloth|robe|dress|hair|tail|ribbon|sword|weapon|prop|wing", re.I)  # hangs down
FLOOR, LEG = 0.1, 0.2  # fractions of the height: feet on one floor differ by less than FLOOR; legs are longer than LEG
TRUNK, HEAD = "trunk", "head"
ORDER = (TRUNK, HEAD, "left arm", "right arm", "left leg", "right leg")  # parts with other names come last


class Foot(NamedTuple):
    """The joints of a foot that can touch the floor: the ankle, and the toe joint if it exists."""

    name: str
    ankle: int
    toe: int | None

    @property
    def joints(self) -> tuple[int, ...]:
        """Ankle and toe, or the ankle alone."""
        return (self.ankle,) if self.toe is None else (self.ankle, self.toe)


def mirror_pairs(skeleton: Skeleton) -> Ints:
    """Return the joint on the other side for every joint, or the joint itself if there is none.

    Joints are paired by name if the tree agrees (partners hang on partners), then by what remains below two partners.
    """
    partner = np.arange(len(skeleton))
    for joint, match in _named_partners(skeleton.names):
        if partner[joint] == joint and partner[match] == match:
            partner[joint], partner[match] = match, joint
    parents = skeleton.parents
    for joint in range(1, len(skeleton)):
        other = partner[joint]
        if other != joint and partner[parents[joint]] != parents[other]:
            partner[joint], partner[other] = joint, other
    for joint in range(1, len(skeleton)):
        if partner[joint] == joint:
            _pair_leftover(skeleton, partner, joint)
    return partner


def _named_partners(names: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Pair left and right joints by name; numbers at the end may differ if the rest of the name occurs once."""
    exact = {name: joint for joint, name in enumerate(names)}
    plain = [NUMBER.sub("", name) for name in names]
    often = Counter(plain)
    loose = {name: joint for joint, name in enumerate(plain) if often[name] == 1}
    for joint, name in enumerate(names):
        # Candidate names of a left joint's partner on the right, most specific spelling first.
        other_names = [name.replace(left, right, 1) for left, right in WORDS if left in name]
        for letter in LETTER.finditer(name):
            right = "r" if letter.group() == "l" else "R"
            other_names.append(name[: letter.start()] + right + name[letter.end() :])
        candidates = [exact.get(other) for other in other_names] + [
            loose.get(NUMBER.sub("", other)) for other in other_names
        ]
        match = next((other for other in candidates if other is not None and other != joint), None)
        if match is not None:
            yield joint, match


def _pair_leftover(skeleton: Skeleton, partner: Ints, joint: int) -> None:
    """Pair a joint with the only remaining child of its parent's partner, or left with right below one parent."""
    parent = int(skeleton.parents[joint])
    across = int(partner[parent])
    unpaired, unpaired_across = ([c for c in skeleton.children(p) if partner[c] == c] for p in (parent, across))
    if across == parent:
        unpaired = [child for child in unpaired if SIDE["left"].search(skeleton.names[child])]
        unpaired_across = [child for child in unpaired_across if SIDE["right"].search(skeleton.names[child])]
    if len(unpaired) == len(unpaired_across) == 1 and unpaired != unpaired_across:
        partner[unpaired[0]], partner[unpaired_across[0]] = unpaired_across[0], unpaired[0]


@lru_cache(maxsize=64)
def feet(skeleton: Skeleton) -> tuple[Foot, ...]:
    """Find feet by name, and other limbs on the floor at rest; else the ends of legs; else all ends on the floor.

    Other limbs matter for animals: often only a dog's hind feet are called feet.
    """
    named = [j for j, n in enumerate(skeleton.names) if re.search(r"foot|ankle", n, re.I) and not HELPER.search(n)]
    named = [j for j in named if not _is_tip_name(skeleton.names[j])]
    named_feet = []
    for ankle in [j for j in named if not set(skeleton.chain(j)[:-1]) & set(named)]:
        below = [j for j in skeleton.descendants(ankle)[1:] if not _is_tip_name(skeleton.names[j])]
        toes = [j for j in below if re.search(r"toe|ball", skeleton.names[j], re.I)] or below
        named_feet.append(Foot(skeleton.names[ankle], ankle, toes[0] if toes else None))
    on_floor = _tips_on_floor(skeleton)
    shown = _with_others(skeleton, tuple(named_feet), on_floor) or _leg_tips(skeleton) or on_floor
    paws = [Foot(skeleton.names[joint], joint, None) for joint in skeleton.paws]
    return tuple(sorted((*shown, *paws), key=lambda foot: foot.ankle)) if paws else shown


def _is_tip_name(name: str) -> bool:
    return re.search(r"nub|end$|_end|tip$|site", name, re.I) is not None


def _leg_tips(skeleton: Skeleton) -> tuple[Foot, ...]:
    """Return the last joints of limbs named legs as toes, with the joints before them as ankles."""
    legs = [j for j, name in enumerate(skeleton.names) if re.search("leg", name, re.I)]
    tips = [j for j in legs if not skeleton.children(j) and skeleton.parents[j] in legs]
    ankles = [int(skeleton.parents[j]) for j in tips]
    return tuple(Foot(skeleton.names[ankle], ankle, toe) for ankle, toe in zip(ankles, tips, strict=True))


def _with_others(skeleton: Skeleton, named: tuple[Foot, ...], on_floor: tuple[Foot, ...]) -> tuple[Foot, ...]:
    """Return named feet with the other feet on the floor, if all named feet are on the floor."""
    limbs = {foot.ankle: {*skeleton.chain(foot.ankle), *skeleton.descendants(foot.ankle)} for foot in on_floor}
    if not named or not all(any(foot.ankle in limb for limb in limbs.values()) for foot in named):
        return named
    others = [foot for foot in on_floor if not any(named_foot.ankle in limbs[foot.ankle] for named_foot in named)]
    return tuple(sorted((*named, *others), key=lambda foot: foot.ankle))


def _tips_on_floor(skeleton: Skeleton) -> tuple[Foot, ...]:
    """Return the ends of limbs that are on one floor at rest, in pairs of left and right, along y or z.

    Use the axis with more feet on the floor; if both have equally many, as for people, use the longer axis.
    """
    rest = rest_positions(skeleton)
    longest = float(np.ptp(rest, axis=0).max(initial=0.0))
    # A body is at least a quarter as high as it is long; if it is flatter, the axis cannot be vertical.
    stances = [_stance(skeleton, rest, axis) for axis in (1, 2) if np.ptp(rest[:, axis]) > 0.25 * longest]
    return tuple(max(stances, key=lambda stance: (len(stance[0]), stance[1]), default=([], 0.0))[0])


def _stance(skeleton: Skeleton, rest: Floats, axis: int) -> tuple[list[Foot], float]:
    """Return the feet on the floor along one axis, and the body's height along it."""
    height = rest[:, axis]
    reach = float(np.ptp(height))
    leaves = [
        j for j in range(1, len(skeleton))
        if not skeleton.children(j) and not HELPER.search(skeleton.names[j]) and not LOOSE.search(skeleton.names[j])
    ]  # fmt: skip
    if reach <= 0 or len(leaves) < 2:
        return [], 0.0
    floor = float(height[leaves].min()) + FLOOR * reach
    low = {leaf for leaf in leaves if height[leaf] <= floor}
    feet_by_joint: dict[int, Foot] = {}
    for leaf in sorted(low):
        ankle = leaf
        while height[above := int(skeleton.parents[ankle])] <= floor and _all_low(skeleton, above, low):
            ankle = above
        limb = ankle
        while limb > 0 and _all_low(skeleton, limb, low):
            limb = int(skeleton.parents[limb])
        if height[limb] > height[ankle] + LEG * reach:
            feet_by_joint.setdefault(ankle, Foot(skeleton.names[ankle], ankle, None if ankle == leaf else leaf))
    pairs = [
        _in_pairs(list(feet_by_joint.values()), rest, across, FLOOR * reach) for across in range(3) if across != axis
    ]
    return max(pairs, key=len), reach


def _in_pairs(candidates: list[Foot], rest: Floats, across: int, near: float) -> list[Foot]:
    """Return the feet that have a mirror image on the other side of the middle plane across an axis."""
    places = rest[[foot.ankle for foot in candidates]]
    middle = float(np.median([rest[0, across], *places[:, across]]))
    flip = np.eye(3)[across]
    return [
        foot for foot, place in zip(candidates, places, strict=True)
        if abs(place[across] - middle) > 0.1 * near
        and (np.abs(places - place + 2.0 * (place[across] - middle) * flip).max(axis=1) <= near).any()
    ]  # fmt: skip


def _all_low(skeleton: Skeleton, joint: int, low: set[int]) -> bool:
    """Return whether everything below a joint ends on the floor."""
    return all(skeleton.children(j) or j in low for j in skeleton.descendants(joint)) and joint > 0


def hands(skeleton: Skeleton) -> tuple[int, ...]:
    """Find hand (or wrist) joints by name, on each arm the joint nearest to the body."""
    named = [j for j, n in enumerate(skeleton.names) if re.search(r"hand|wrist", n, re.I) and not HELPER.search(n)]
    named = [j for j in named if not re.search(r"thumb|index|finger|middle|ring|pinky", skeleton.names[j], re.I)]
    named = [j for j in named if j not in skeleton.paws]
    return tuple(j for j in named if not set(skeleton.chain(j)[:-1]) & set(named))


def rest_positions(skeleton: Skeleton) -> Floats:
    """Return joint positions with all rotations zero and the root at the origin."""
    out = np.zeros((len(skeleton), 3))
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            out[joint] = out[parent] + skeleton.offsets[joint]
    return out


@lru_cache(maxsize=64)
def pelvis(skeleton: Skeleton) -> int:
    """Return the joint at which the legs part: the root, or a joint below it in rigs with joints on the floor."""
    chains = [skeleton.chain(foot.ankle) for foot in feet(skeleton)]
    if len(chains) < 2:
        return 0
    return max(set(chains[0]).intersection(*chains[1:]))


@lru_cache(maxsize=64)
def leg_length(skeleton: Skeleton) -> float:
    """Return the summed offsets from the pelvis to the first foot; without feet, half the longest chain's length.

    With four feet, the nearest foot counts: between an animal's hips and its front feet are a trunk and a leg.
    """
    lengths = skeleton.lengths()
    all_feet = feet(skeleton)
    if all_feet:
        chains = [skeleton.chain(foot.ankle) for foot in (all_feet if len(all_feet) > 2 else all_feet[:1])]
        return max(min(float(lengths[chain[chain.index(pelvis(skeleton)) + 1 :]].sum()) for chain in chains), 1e-12)
    reach = [float(lengths[skeleton.chain(j)].sum()) for j in range(len(skeleton))]
    return max(max(reach) / 2.0, 1e-12)


def body_parts(skeleton: Skeleton) -> tuple[str, ...]:
    """Return the part of each joint: `trunk`, `head`, `left arm`, `right leg`, ...

    A limb is the chain to exactly one foot or hand, and everything that hangs on it; the head begins at a joint of the
    trunk named neck or head. If names do not give a side, the limb is named after its foot or hand.
    """
    named = enumerate(skeleton.names)
    arm_ends = [j for j, name in named if re.search("arm", name, re.I) and not skeleton.children(j)]
    tips = {foot.ankle: "leg" for foot in feet(skeleton)} | dict.fromkeys(hands(skeleton) or arm_ends, "arm")
    partner = mirror_pairs(skeleton)
    chains = {tip: set(skeleton.chain(tip)) for tip in tips}
    parts = [TRUNK] * len(skeleton)
    for tip, limb in tips.items():
        shared = set().union(*[chain for other, chain in chains.items() if other != tip]) | {0}
        limb_only = sorted(chains[tip] - shared)
        if limb_only:
            for joint in skeleton.descendants(limb_only[0]):
                parts[joint] = _called(skeleton.names[tip], skeleton.names[partner[tip]], limb)
    for joint, name in enumerate(skeleton.names):
        if parts[joint] == TRUNK and re.search(r"neck|head", name, re.I):
            for below in skeleton.descendants(joint):
                parts[below] = HEAD if parts[below] == TRUNK else parts[below]
    return tuple(parts)


def _called(tip: str, partner: str, limb: str) -> str:
    """Return a limb's name from the side in the tip's name, or from its difference from its partner's: lfoot, rfoot."""
    side = next((side for side, sign in SIDE.items() if sign.search(tip)), None)
    differ = next((letter.lower() for letter, other in zip(tip, partner, strict=False) if letter != other), "")
    side = side or {"l": "left", "r": "right"}.get(differ)
    return f"{side} {limb}" if side else f"{limb} {tip}"


def part_rank(part: str) -> tuple[int, str]:
    """Return a sort key: trunk, head, arms, legs, then the others by name."""
    return (ORDER.index(part), "") if part in ORDER else (len(ORDER), part)

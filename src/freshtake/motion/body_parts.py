"""Which part of the body a joint belongs to: trunk, head, and each arm and leg."""

from __future__ import annotations

import re

from freshtake.motion.body import SIDE, feet, hands, mirror_pairs
from freshtake.motion.skeleton import Skeleton

TRUNK, HEAD = "trunk", "head"
ORDER = (TRUNK, HEAD, "left arm", "right arm", "left leg", "right leg")  # others follow


def body_parts(skeleton: Skeleton) -> tuple[str, ...]:
    """The part of every joint: `trunk`, `head`, `left arm`, `right leg`, ...

    A limb is what leads to one foot or hand only, and all that hangs on it; the head hangs on the trunk by a joint
    that is called neck or head. Where no side is told by names, the limb bears the name of its foot or hand.
    """
    tips = {foot.ankle: "leg" for foot in feet(skeleton)} | dict.fromkeys(hands(skeleton) or _arm_ends(skeleton), "arm")
    partner = mirror_pairs(skeleton)
    chains = {tip: set(skeleton.chain(tip)) for tip in tips}
    parts = [TRUNK] * len(skeleton)
    for tip, limb in tips.items():
        shared = set().union(*[chain for other, chain in chains.items() if other != tip]) | {0}
        own = sorted(chains[tip] - shared)
        if own:
            for joint in skeleton.descendants(own[0]):
                parts[joint] = _called(skeleton.names[tip], skeleton.names[partner[tip]], limb)
    for joint, name in enumerate(skeleton.names):
        if parts[joint] == TRUNK and re.search(r"neck|head", name, re.I):
            for below in skeleton.descendants(joint):
                parts[below] = HEAD if parts[below] == TRUNK else parts[below]
    return tuple(parts)


def _arm_ends(skeleton: Skeleton) -> tuple[int, ...]:
    """The last joints of limbs that are called arms."""
    arms = [j for j, name in enumerate(skeleton.names) if re.search("arm", name, re.I)]
    return tuple(j for j in arms if not skeleton.children(j))


def _called(tip: str, partner: str, limb: str) -> str:
    """By the side in the tip's name, or by where it differs from its partner's: lfoot, rfoot."""
    side = next((side for side, sign in SIDE.items() if sign.search(tip)), None)
    differ = next((mine.lower() for mine, other in zip(tip, partner, strict=False) if mine != other), "")
    side = side or {"l": "left", "r": "right"}.get(differ)
    return f"{side} {limb}" if side else f"{limb} {tip}"


def part_rank(part: str) -> tuple[int, str]:
    """For sorting: trunk, head, arms, legs, then the rest by name."""
    return (ORDER.index(part), "") if part in ORDER else (len(ORDER), part)

"""Joints and what follows what in words: "the left knee follows the right hip"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from freshtake.motion.body.roles import SIDE

if TYPE_CHECKING:
    from freshtake.reports.network_body import Link

# The first that is found in a name; each joint is called by the place where the body bends.
PLACES = (
    (r"toe", "toes"),
    (r"up.?leg|thigh|femur|hip.?joint", "hip"),
    (r"leg|shin|calf|knee|tibia", "knee"),
    (r"foot|ankle", "ankle"),
    (r"fore.?arm|low.*arm|elbow|radius", "elbow"),
    (r"thumb", "thumb"),
    (r"finger|index|pinky", "fingers"),
    (r"hand|wrist", "wrist"),
    (r"shoulder|clavicle|collar", "collarbone"),
    (r"arm|humerus", "shoulder"),
    (r"neck", "neck"),
    (r"head", "head"),
    (r"chest|thorax|upper.?back|spine[1-9]", "chest"),
    (r"lower.?back|spine|back|abdomen", "lower back"),
    (r"hips|pelvis|root", "hips"),
)
PLURAL = {"toes", "fingers", "hips"}
ACCLAIM = re.compile(r"^([lr])(femur|tibia|foot|toes|clavicle|humerus|radius|wrist|hand|fingers|thumb|hipjoint)$")
CLOSELY, LITTLE = 0.5, 0.1  # nats per frame
MOST = 6


def joint_words(name: str) -> str:
    """A joint as one would call it: "the left knee" for LeftLeg or ltibia; its own name where that says nothing."""
    bare = name.rpartition(":")[2]
    short = ACCLAIM.match(bare)
    side = {"l": "left", "r": "right"}[short[1]] if short else next((s for s, r in SIDE.items() if r.search(bare)), "")
    place = next((word for pattern, word in PLACES if re.search(pattern, short[2] if short else bare, re.I)), None)
    if place is None:
        return name
    return f"the {side} {place}" if side else f"the {place}"


def link_sentences(links: Sequence[Link], most: int = MOST) -> list[str]:
    """The strongest links between different places of the body, strongest first."""
    strengths: dict[tuple[str, str], float] = {}
    for link in links:
        pair = joint_words(link.child), joint_words(link.parent)
        if pair[0] != pair[1]:
            strengths[pair] = strengths.get(pair, 0.0) + link.strength
    ranked = sorted(strengths.items(), key=lambda item: -item[1])[:most]
    return [_sentence(child, parent, strength) for (child, parent), strength in ranked if strength > 0.0]


def _sentence(child: str, parent: str, strength: float) -> str:
    verb = "follow" if child.rpartition(" ")[2] in PLURAL else "follows"
    how = " closely" if strength >= CLOSELY else " a little" if strength < LITTLE else ""
    return f"{child[:1].upper()}{child[1:]} {verb} {parent}{how}."

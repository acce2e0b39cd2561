"""Put figures into words for the terminal and the report."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from freshtake.evaluation.results import Figure
from freshtake.motion.body.roles import SIDE

if TYPE_CHECKING:
    from freshtake.reports.network_pictures import Link

# The first pattern that matches a joint's name counts; joints are named after the body part that bends.
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


def joint_words(name: str) -> str:
    """Return a joint in plain words, "the left knee" for LeftLeg or ltibia, or its name if no pattern matches."""
    bare = name.rpartition(":")[2]
    short = ACCLAIM.match(bare)
    side = {"l": "left", "r": "right"}[short[1]] if short else next((s for s, r in SIDE.items() if r.search(bare)), "")
    place = next((word for pattern, word in PLACES if re.search(pattern, short[2] if short else bare, re.I)), None)
    if place is None:
        return name
    return f"the {side} {place}" if side else f"the {place}"


def link_sentences(links: Sequence[Link]) -> list[str]:
    """Describe the six strongest links between different body parts, strongest first."""
    strengths: dict[tuple[str, str], float] = {}
    for link in links:
        pair = joint_words(link.child), joint_words(link.parent)
        if pair[0] != pair[1]:
            strengths[pair] = strengths.get(pair, 0.0) + link.strength
    ranked = sorted(strengths.items(), key=lambda item: -item[1])[:6]
    sentences = []
    for (child, parent), strength in ranked:
        verb = "follow" if child.rpartition(" ")[2] in PLURAL else "follows"
        how = " closely" if strength >= CLOSELY else " a little" if strength < LITTLE else ""
        sentences += [f"{child[:1].upper()}{child[1:]} {verb} {parent}{how}."] if strength > 0.0 else []
    return sentences


SIGNS = {"good": "●", "above": "▲", "below": "▼", "": ""}
# Figures in an animator's words; pages show the technical name below.
PLAIN_TITLES = {
    "diversity": "how far apart variants are (takes: 1)",
    "jerk_limbs": "hands and feet: smooth or shaky (takes: 1)",
    "jerk": "whole body: smooth or shaky (takes: 1)",
    "planted_speed": "how fast standing feet slide",
    "hip_jerk": "hips: smooth or shaky (takes: 1)",
    "static": "posture that never changes",
    "peak": "hardest jolt of any joint (takes: 1)",
    "foot_path": "how far the feet move (takes: 1)",
    "travel": "how far the body travels (takes: 1)",
    "copied": "frames copied from a take",
    "nearest": "how far poses are from the takes'",
    "outside_span": "motion that no mixture of takes yields",
    "auc": "told apart from real takes (0.5: never)",
    "overshoot": "joints bent beyond the takes",
    "duration_ratio": "duration (takes: 1)",
    "action": "the action happens as often as in takes",
    "coordination": "joints that are no longer coordinated",
}


def plain_title(figure: Figure) -> str:
    """Return a figure's name in an animator's words."""
    return PLAIN_TITLES.get(figure.key, figure.kind.title)


def shown(value: float | None, unit: str) -> str:
    """Format a value with its unit, in a few digits."""
    if value is None or not math.isfinite(value):
        return "–"
    if unit == "share":
        return f"{_digits(100.0 * value)} %"
    if unit == "frames":
        return f"{value:.0f}"
    return f"{_digits(value)} {'×' if unit == 'x' else unit}".rstrip()


def _digits(value: float) -> str:
    size = abs(value)
    if size < 1e-9:
        return "0"
    if size >= 99.95:
        return f"{value:.0f}"
    if size >= 9.995:
        return f"{value:.1f}"
    return f"{value:.2f}" if size >= 0.01 else f"{value:.2g}"


def real_range(figure: Figure) -> str:
    """Format the range of real takes."""
    real = figure.real
    if not real:
        return "–"
    low, high = shown(min(real), figure.kind.unit), shown(max(real), figure.kind.unit)
    return low if low == high else f"{low.split(' ')[0]} – {high}"


def verdict(figure: Figure) -> tuple[str, str]:
    """Return a symbol and words for a figure's verdict."""
    sign, wanted = SIGNS[figure.verdict], figure.kind.wanted
    if figure.verdict == "good":
        none = "none" if figure.value == 0 else "no more than real takes"
        good = {
            "zero": none, "alike": "hard to tell apart", "tied": "as the inputs", "low": "not above real takes",
            "most": "not above real takes", "high": "not below real takes",
        }  # fmt: skip
        return sign, good.get(wanted, "like real takes")
    worse = {"zero": "should be none", "alike": "told apart"}
    if wanted == "tied" and figure.verdict:
        return sign, "lost"
    return sign, worse.get(wanted, f"{figure.verdict} real takes" if figure.verdict else "")

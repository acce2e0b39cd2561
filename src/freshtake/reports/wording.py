"""Figures as words: the same in the terminal and in the report."""

from __future__ import annotations

import math

from freshtake.evaluation.results import Figure

VERDICTS = {
    "good": ("●", "like real takes"),
    "above": ("▲", "above real takes"),
    "below": ("▼", "below real takes"),
    "": ("", ""),
}


# What an animator would call a figure; the technical name stands below it.
PLAIN_TITLES = {
    "diversity": "how far apart variants are (takes: 1)",
    "jerk_limbs": "hands and feet: smooth or shaky (takes: 1)",
    "jerk": "whole body: smooth or shaky (takes: 1)",
    "planted_speed": "how fast standing feet slide",
    "hip_jerk": "hips: smooth or shaky (takes: 1)",
    "static": "posture that never changes",
    "peak": "hardest jolt of any joint (takes: 1)",
    "foot_path": "how far the feet move (takes: 1)",
    "travel": "how far the body goes (takes: 1)",
    "copied": "frames copied from a take",
    "nearest": "how far poses are from the takes'",
    "outside_span": "what no mixture of the takes gives",
    "auc": "told apart from real takes (0.5: never)",
    "overshoot": "joints bent beyond the takes",
    "duration_ratio": "duration (takes: 1)",
    "action": "the action happens as often",
    "coordination": "joints that no longer go together",
}


def plain_title(figure: Figure) -> str:
    """A figure's name in an animator's words."""
    return PLAIN_TITLES.get(figure.key, figure.kind.title)


SIGNS = {key: sign for key, (sign, _) in VERDICTS.items()}


def shown(value: float | None, unit: str) -> str:
    """A value with its unit, in as many digits as one can read."""
    if value is None or not math.isfinite(value):
        return "–"
    if unit == "share":
        return f"{_digits(100.0 * value)} %"
    if unit == "frames":
        return f"{value:.0f}"
    return f"{_digits(value)}{'' if not unit else f' {_UNITS.get(unit, unit)}'}"


_UNITS = {"x": "×"}


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
    """From the lowest to the highest value of real takes."""
    real = figure.real
    if not real:
        return "–"
    low, high = shown(min(real), figure.kind.unit), shown(max(real), figure.kind.unit)
    return low if low == high else f"{low.split(' ')[0]} – {high}"


def verdict(figure: Figure) -> tuple[str, str]:
    """A sign and the words for it."""
    sign, words = VERDICTS[figure.verdict]
    if figure.kind.wanted == "zero":
        none = "none" if figure.value == 0 else "no more than real takes"
        return sign, none if figure.verdict == "good" else "should be none"
    if figure.kind.wanted == "alike":
        return sign, "hard to tell apart" if figure.verdict == "good" else "told apart"
    if figure.kind.wanted == "tied" and figure.verdict:
        return sign, "as the inputs" if figure.verdict == "good" else "lost"
    if figure.verdict == "good" and figure.kind.wanted in ("low", "most"):
        words = "not above real takes"
    if figure.verdict == "good" and figure.kind.wanted == "high":
        words = "not below real takes"
    return sign, words

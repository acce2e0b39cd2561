"""Summarize an evaluation in a sentence: whether the variants are usable, and which figures to look at."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from freshtake.evaluation.results import Evaluation, Figure
from freshtake.motion.verdict import GREEN, RED
from freshtake.motion.verdict import Verdict as BodyVerdict
from freshtake.reports.wording import shown

SLIGHT, SERIOUS = 0.05, 0.25  # excess beyond the range of real takes, relative to its nearest value
LEAST = {"depth": 2.0, "planted_speed": 2.0, "overshoot": 0.05, "coordination": 0.05, "static": 0.1}
MOST_POINTS = 5
# Phrases for figures like real takes, above them, and below them.
WORDS = {
    "copied": ("no frame is a copy", "{value} of the frames are copies of a take", ""),
    "diversity": (
        "variants differ from one another as much as real takes do",
        "variants differ from one another more than real takes do",
        "variants differ from one another less than real takes do",
    ),
    "planted_speed": ("feet stand as firmly", "standing feet slide more than in real takes", ""),
    "jerk_limbs": (
        "hands and feet move as smoothly", "hands and feet are shakier than in real takes",
        "hands and feet are smoother than in real takes",
    ),
    "hip_jerk": (
        "the hips move as smoothly", "the hips shake more than in real takes", "the hips glide more than in real takes",
    ),
    "peak": ("nothing pops", "a joint jolts harder than in any take", ""),
    "auc": ("variants are hard to tell from real takes", "variants can be told from real takes", ""),
    "depth": ("feet stay above the floor", "feet sink {value} of a leg below the floor", ""),
    "foot_path": ("", "feet travel farther than in real takes", "feet travel less than in real takes"),
    "travel": ("", "the body travels farther than in real takes", "the body travels less far than in real takes"),
    "static": ("", "variants differ in posture more than in movement", "postures differ less than in real takes"),
    "overshoot": ("", "joints bend beyond the takes in {value} of the frames", ""),
    "swing_hands": ("", "left and right hand swing independently", ""),
    "swing_feet": ("", "left and right foot swing independently", ""),
    "coordination": ("", "joints are less coordinated than in real takes", ""),
    "duration_ratio": ("", "variants are longer than real takes", "variants are shorter than real takes"),
    "action": ("", "", "the action does not happen as often as in the takes"),
    "nearest": ("", "poses are farther from the takes than real ones", "poses are nearer to the takes than real ones"),
}  # fmt: skip


class Verdict(NamedTuple):
    """The verdict: `usable` unless a figure is far beyond real takes, and points for the sentence, worst first."""

    usable: bool
    good: tuple[str, ...]
    look_at: tuple[str, ...]
    compared: bool = True  # whether there were real takes to compare with

    @property
    def sentence(self) -> str:
        """The verdict as one sentence, beginning with "Usable" or "Look at"."""
        praise, points = ", ".join(self.good), ", ".join(self.look_at)
        if not self.compared and self.usable:
            return "Not assessed: there are no real takes to compare with; add takes with --inputs or --extra."
        if not self.usable:
            return f"Look at: {points}." + (f" Otherwise {praise}." if praise else "")
        if not self.look_at:
            return f"Usable: {praise or 'every figure is like that of real takes'}."
        return f"Usable: {praise or 'most figures are like those of real takes'}; worth a look: {points}."


def verdict_of(result: Evaluation) -> Verdict:
    """Compare the figures with the figures of real takes; `compared` is False without real takes."""
    assessed = [figure for figure in result.figures if figure.key in WORDS and figure.verdict]
    beyond = sorted(((excess(f), f) for f in assessed if excess(f) > SLIGHT), key=lambda pair: -pair[0])
    good = {figure.key for figure in assessed if figure.verdict == "good"}
    praise = [words[0] for key, words in WORDS.items() if key in good and words[0]]
    return Verdict(
        all(share <= SERIOUS for share, _ in beyond),
        tuple(praise[:MOST_POINTS]),
        tuple(_point(figure, share) for share, figure in beyond[:MOST_POINTS]),
        len(result.inputs) > 1 or any(figure.real for figure in assessed),
    )


def with_checks(verdict: Verdict, checks: Sequence[BodyVerdict]) -> Verdict:
    """Return the verdict, taking into account the body checks that all commands make."""
    failed = [one for one in checks if one.color != GREEN]
    if not failed:
        return verdict
    worst = failed[0].sentences[0].partition(";")[0]
    point = f"{len(failed)} of {len(checks)} variants fail the body checks (such as {worst})"
    usable = verdict.usable and all(one.color != RED for one in failed)
    return verdict._replace(usable=usable, look_at=(point, *verdict.look_at), compared=True)


def excess(figure: Figure) -> float:
    """Return a figure's distance from the range of real takes, relative to the nearest value; 0 inside."""
    if figure.verdict in ("good", "") or not math.isfinite(figure.value):
        return 0.0
    if figure.kind.wanted in ("zero", "alike", "tied") or not figure.real:
        return math.inf
    nearest = max(*figure.real, figure.inputs or 0.0) if figure.kind.wanted == "most" else max(figure.real)
    nearest = nearest if figure.verdict == "above" else min(figure.real)
    return abs(figure.value - nearest) / max(abs(nearest), LEAST.get(figure.key, 1e-9))


def _point(figure: Figure, share: float) -> str:
    _, above, below = WORDS[figure.key]
    text = above if figure.verdict == "above" or not below else below
    sentence = text.format(value=shown(figure.value, figure.kind.unit))
    by = f" (by {100 * share:.0f} %)" if math.isfinite(share) and share < 10.0 and "{value}" not in text else ""
    return f"{sentence}{by}"

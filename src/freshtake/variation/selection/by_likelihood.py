"""Which clips are similar enough to learn from, by their likelihood under a learned network (Lau 2009, §9).

A network learned on trusted clips gives every clip a likelihood. What the trusted clips themselves have when they are
left out sets the threshold: what a further clip of their kind falls below in one of twenty cases. Departs from the
paper: the threshold allows for how few clips are trusted, and candidates are measured by groups of the trusted clips,
so that a poor set of candidates cannot vouch for its own members.
`groups="candidates"` is the paper's own: groups among the candidates, the least likely one eliminated until all that
are left reach the threshold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from freshtake.errors import FreshtakeError, UsageError
from freshtake.methods.progress import Progress, Report
from freshtake.numeric.arrays import Floats
from freshtake.variation.model import VariationModel
from freshtake.variation.selection.candidates import Candidate, longer_or_shorter
from freshtake.variation.selection.scorer_groups import group_model, on_common_clock, split
from freshtake.variation.selection.unlikely import by_phase, joined, least_likely, missing
from freshtake.variation.selection.verdicts import LEAST_TRUSTED, Judged, Verdict
from freshtake.variation.settings import Settings

MOST_LEARNED = 8  # clips that the structure is learned from
USUAL_SPREAD = 0.25  # of likelihoods of recorded takes of one kind (walks 0.17, swimming 0.2, cheering 0.3)
WORTH = 4.0  # how many clips this is worth beside the trusted ones


class Scored(NamedTuple):
    """Likelihood of a clip, mean over groups; log densities and values (20, DOFs) by parts of its duration."""

    likelihood: float
    parts: Floats
    values: Floats


class _Scale(NamedTuple):
    """What candidates are measured by: scorers from groups of trusted clips, and what these clips have when left out.

    `trusted` are their likelihoods; `parts` and `values` (20, DOFs) their usual log densities and values.
    """

    model: VariationModel
    scorers: list[VariationModel]
    trusted: Floats
    threshold: float
    parts: Floats
    values: Floats


class Grouping(NamedTuple):
    """Whose groups candidates are measured by, and how many percent are rejected."""

    among: str
    percentile: float


def by_likelihood(
    candidates: Sequence[Candidate],
    sure: Sequence[Any],
    settings: Settings,
    *,
    rng: np.random.Generator,
    groups: Grouping,
    say: Report,
) -> tuple[list[Verdict], Judged]:
    """Which candidates are as likely as further motions of the trusted kind would be."""
    model = _learned(sure, settings, rng, say)
    say(Progress(0.5, "likelihoods of the trusted clips"))
    scale = _scale(model, sure, rng, groups.percentile)
    ready = [_encoded(model, candidate) for candidate in candidates]
    say(Progress(0.8, "likelihoods of the candidates"))
    rows = [x for x, _ in ready]
    if groups.among == "trusted":
        scores = [None if x is None else _score(scale.scorers, x) for x in rows]
        gone = {k for k, one in enumerate(scores) if one is not None and one.likelihood < scale.threshold}
    else:
        _enough(sum(x is not None for x in rows))
        scores, gone = _eliminated(rows, scale, rng)
    judged = zip(ready, scores, strict=True)
    verdicts = [_verdict(c, one, k in gone, scale, sure) for k, ((_, c), one) in enumerate(judged)]
    return verdicts, Judged(scale.threshold, scale.trusted, joined(scale.parts, model.dofs)[0])


def _learned(trusted: Sequence[Any], settings: Settings, rng: np.random.Generator, say: Report) -> VariationModel:
    from freshtake.variation.learning import learn

    some = trusted[:MOST_LEARNED]
    return learn(some, settings, rng=rng, report=lambda at: say(Progress(0.5 * at.share, at.what)))


def _scale(model: VariationModel, motions: Sequence[Any], rng: np.random.Generator, percentile: float) -> _Scale:
    """Return what the trusted clips have when they are left out, and the threshold that follows."""
    rows = [_rows(model, motion) for motion in motions]
    splits = list(split(len(rows), rng))
    scorers = [group_model(model, [rows[k] for k in one.known], rng) for one in splits]
    scored = [_score([scorer], rows[k]) for scorer, one in zip(scorers, splits, strict=True) for k in one.left]
    likely = np.array([one.likelihood for one in scored])
    parts = np.mean([one.parts for one in scored], axis=0)
    values = np.mean([one.values for one in scored], axis=0)
    owner = np.array([k for one in splits for k in one.left])
    means = np.array([likely[owner == k].mean() for k in sorted(set(owner.tolist()))])
    return _Scale(model, scorers, likely, threshold(means, percentile / 100.0), parts, values)


def threshold(likely: Floats, share: float) -> float:
    """What this share of further clips falls below, given the likelihoods (clips,) of trusted ones when left out.

    Student's t for one more draw from a normal distribution whose mean and spread are known from these clips; of three
    or four that agree by chance the spread would be too small, so the usual one counts as some clips more.
    """
    freedom = WORTH + len(likely) - 1.0
    variance = (WORTH * USUAL_SPREAD**2 + ((likely - likely.mean()) ** 2).sum()) / freedom
    return float(likely.mean() + stdtrit(freedom, share) * np.sqrt(variance * (1.0 + 1.0 / len(likely))))


def _rows(model: VariationModel, motion: Any) -> Floats:
    return on_common_clock(model, model.encode(motion))


def _score(scorers: Sequence[VariationModel], rows: Floats) -> Scored:
    likelihoods = [scorer.score_rows(rows) for scorer in scorers]
    likelihood = float(np.mean([one.normalized for one in likelihoods]))
    return Scored(likelihood, np.mean([by_phase(one.frames) for one in likelihoods], axis=0), by_phase(rows))


def _encoded(model: VariationModel, candidate: Candidate) -> tuple[Floats | None, Candidate]:
    if candidate.refusal:
        return None, candidate
    try:
        return _rows(model, candidate.motion), candidate
    except FreshtakeError as error:
        return None, candidate._replace(refusal=str(error))


def _enough(count: int) -> None:
    if count < LEAST_TRUSTED:
        raise UsageError(
            f"grouping candidates among themselves needs at least {LEAST_TRUSTED} that can be compared, not {count}: "
            "compare them with the trusted ones instead"
        )


def _eliminated(
    rows: Sequence[Floats | None], scale: _Scale, rng: np.random.Generator
) -> tuple[list[Scored | None], set[int]]:
    """The paper's own: the least likely candidate given groups of the others goes, until all reach the threshold.

    Two cannot be grouped: candidates still left then stay.
    """
    left = {k: x for k, x in enumerate(rows) if x is not None}
    scores: list[Scored | None] = [None] * len(rows)
    gone: set[int] = set()
    while len(left) >= LEAST_TRUSTED:
        numbers = list(left)
        by_candidate: dict[int, list[Scored]] = {k: [] for k in numbers}
        for one in split(len(numbers), rng):
            scorer = group_model(scale.model, [left[numbers[k]] for k in one.known], rng)
            for k in one.left:
                by_candidate[numbers[k]].append(_score([scorer], left[numbers[k]]))
        for k, several in by_candidate.items():
            if several:
                mean = float(np.mean([one.likelihood for one in several]))
                scores[k] = Scored(mean, np.mean([one.parts for one in several], axis=0), several[0].values)
        worst = min(numbers, key=lambda k: _likelihood(scores[k]))
        if _likelihood(scores[worst]) >= scale.threshold:
            break
        gone.add(worst)
        del left[worst]
    return scores, gone


def _likelihood(scored: Scored | None) -> float:
    return np.inf if scored is None else scored.likelihood


def _verdict(candidate: Candidate, scored: Scored | None, gone: bool, scale: _Scale, trusted: Sequence[Any]) -> Verdict:
    if scored is None:
        return Verdict(False, float("nan"), candidate.refusal, candidate.notes)
    material = scale.model.material
    missed = missing(scored.parts, scale.parts)
    table = joined(missed, material.names)[1]
    if not gone:
        return Verdict(True, scored.likelihood, "", candidate.notes, table)
    off = np.abs(scored.values - scale.values) * material.weights
    spot = least_likely(missed * off, material.names)
    words = ["" if spot is None else str(spot), longer_or_shorter(candidate.motion, trusted)]
    figures = f"log-likelihood {scored.likelihood:.2f}, below {scale.threshold:.2f}"
    reason = "; ".join([figures, *[word for word in words if word]])
    return Verdict(False, scored.likelihood, reason, candidate.notes, table, () if spot is None else spot.what)

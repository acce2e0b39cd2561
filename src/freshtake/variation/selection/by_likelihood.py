"""Select clips that are similar enough to learn from, by their likelihood under a learned network (Lau 2009, §9).

A network learned on trusted clips gives each clip a likelihood. The likelihoods of the trusted clips when left out set
the threshold: the value that one in twenty additional clips of their kind falls below. Departs from the paper: the
threshold allows for the small number of trusted clips, and candidates are scored by groups of the trusted clips, so
that poor candidates cannot vouch for each other. `groups="candidates"` is the paper's method: groups are drawn from the
candidates, and the least likely one is eliminated until all that remain reach the threshold.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Stroke
from freshtake.numeric.arrays import Floats, rounded
from freshtake.numeric.distributions import student_quantile
from freshtake.variation.deviations import Settings
from freshtake.variation.examples import Material
from freshtake.variation.learning import model_of
from freshtake.variation.model import VariationModel
from freshtake.variation.phase import ALIGNMENT, common_phase, mean_of, read_at, warp_onto
from freshtake.variation.selection.candidates import (
    LEAST_TRUSTED,
    Candidate,
    Selection,
    Verdict,
    by_phase,
    joined,
    least_likely,
    longer_or_shorter,
    missing,
)
from freshtake.variation.selection.unlike import WORTH

MOST_KNOWN = 12  # maximum number of clips that a likelihood is conditioned on


class Scored(NamedTuple):
    """The likelihood of a clip, averaged over groups; log densities and values (20, DOFs) by parts of its duration."""

    likelihood: float
    parts: Floats
    values: Floats


def by_likelihood(
    candidates: Sequence[Candidate],
    trusted: Sequence[Any],
    material: Material,
    settings: Settings,
    *,
    rng: np.random.Generator,
    among: bool,
    share: float,
) -> Selection:
    """Return which candidates are as likely as unseen motions of the trusted kind would be.

    A fraction `share` of motions like the trusted motions is rejected. With `among`, candidates are compared in groups
    of themselves, as in the paper, instead of groups of trusted clips.
    """
    rows = on_common_clock(material, trusted[0], [*material.values, *[c.rows for c in candidates]])
    known = [x for x in rows[: len(trusted)] if x is not None]
    splits = list(split(len(known), rng))
    scorers = [group_model(material, settings, [known[k] for k in one.known], rng) for one in splits]
    left = [(k, _score([scorer], known[k])) for scorer, one in zip(scorers, splits, strict=True) for k in one.left]
    likely = np.array([one.likelihood for _, one in left])
    means = [np.mean([one.likelihood for k, one in left if k == number]) for number in sorted({k for k, _ in left})]
    usual = Scored(
        threshold(np.array(means), share),
        np.mean([one.parts for _, one in left], axis=0),
        np.mean([one.values for _, one in left], axis=0),
    )
    fresh = rows[len(trusted) :]
    if among:
        scores, gone = _eliminated(fresh, usual.likelihood, material, settings, rng)
    else:
        scores = [None if x is None else _score(scorers, x) for x in fresh]
        gone = {k for k, one in enumerate(scores) if one is not None and one.likelihood < usual.likelihood}
    verdicts = tuple(
        _verdict(candidate, one, k in gone, usual, material, trusted)
        for k, (candidate, one) in enumerate(zip(candidates, scores, strict=True))
    )
    joints, _ = joined(usual.parts, material.names)
    return Selection(verdicts, usual.likelihood, likely, joints, measure="likelihood")


def threshold(likely: Floats, share: float) -> float:
    """Return the value that a fraction of unseen clips falls below, from left-out trusted likelihoods (clips,).

    Student's t for one more draw from a normal distribution whose mean and spread are estimated from these clips. With
    three or four that agree by chance, the spread would be too small, so the usual spread is added like a few more
    clips.
    """
    freedom = WORTH + len(likely) - 1.0
    # recorded takes of one kind spread by about 0.25 (walks 0.17, swimming 0.2, cheering 0.3)
    variance = (WORTH * 0.25**2 + ((likely - likely.mean()) ** 2).sum()) / freedom
    return float(likely.mean() + student_quantile(freedom, share) * np.sqrt(variance * (1.0 + 1.0 / len(likely))))


def _score(scorers: Sequence[VariationModel], rows: Floats) -> Scored:
    likelihoods = [scorer.score_rows(rows) for scorer in scorers]
    likelihood = float(np.mean([one.normalized for one in likelihoods]))
    return Scored(likelihood, np.mean([by_phase(one.frames) for one in likelihoods], axis=0), by_phase(rows))


def _eliminated(
    rows: Sequence[Floats | None], least: float, material: Material, settings: Settings, rng: np.random.Generator
) -> tuple[list[Scored | None], set[int]]:
    """Drop the least likely candidate, given groups of the others, until all reach the threshold, as in the paper.

    Two cannot be grouped, so the last two are kept.
    """
    remaining = {k: x for k, x in enumerate(rows) if x is not None}
    if len(remaining) < LEAST_TRUSTED:
        raise UsageError(
            f"grouping candidates among themselves needs at least {LEAST_TRUSTED} comparable ones, not "
            f"{len(remaining)}: compare them with the trusted ones instead"
        )
    scores: list[Scored | None] = [None] * len(rows)
    likely = np.full(len(rows), np.inf)
    gone: set[int] = set()
    while len(remaining) >= LEAST_TRUSTED:
        numbers = list(remaining)
        by_candidate: dict[int, list[Scored]] = {k: [] for k in numbers}
        for one in split(len(numbers), rng):
            scorer = group_model(material, settings, [remaining[numbers[k]] for k in one.known], rng)
            for k in one.left:
                by_candidate[numbers[k]].append(_score([scorer], remaining[numbers[k]]))
        for k, several in by_candidate.items():
            if several:
                likely[k] = np.mean([one.likelihood for one in several])
                parts = np.mean([one.parts for one in several], axis=0)
                scores[k] = Scored(float(likely[k]), parts, several[0].values)
        worst = min(numbers, key=lambda k: likely[k])
        if likely[worst] >= least:
            break
        gone.add(worst)
        del remaining[worst]
    return scores, gone


def _verdict(
    candidate: Candidate, scored: Scored | None, gone: bool, usual: Scored, material: Material, trusted: Sequence[Any]
) -> Verdict:
    if scored is None:
        return Verdict(False, float("nan"), candidate.refusal, candidate.notes)
    missed = missing(scored.parts, usual.parts)
    table = joined(missed, material.names)[1]
    if not gone:
        return Verdict(True, scored.likelihood, "", candidate.notes, table)
    off = np.abs(scored.values - usual.values) * material.weights
    spot = least_likely(missed * off, material.names)
    words = ["" if spot is None else str(spot), longer_or_shorter(candidate.motion, trusted)]
    figures = f"log-likelihood {scored.likelihood:.2f}, below {usual.likelihood:.2f}"
    reason = "; ".join([figures, *[word for word in words if word]])
    return Verdict(False, scored.likelihood, reason, candidate.notes, table, () if spot is None else spot.what)


class Split(NamedTuple):
    """The known clips and the clips that are left out."""

    known: tuple[int, ...]
    left: tuple[int, ...]


def split(count: int, rng: np.random.Generator, most: int = 15) -> Iterator[Split]:
    """Yield splits that leave out a quarter (two of eight), each clip about equally often; at most fifteen."""
    out = max(1, round(count / 4))
    if comb(count, out) <= most:
        groups = list(combinations(range(count), out))
    else:
        groups = []
        while len(groups) < most:
            order = rng.permutation(count)
            rounds = [tuple(sorted(order[k : k + out].tolist())) for k in range(0, count - out + 1, out)]
            groups += [group for group in rounds if group not in groups][: most - len(groups)]
    for left in groups:
        yield Split(tuple(k for k in range(count) if k not in left), left)


def group_model(
    material: Material, settings: Settings, rows: Sequence[Floats], rng: np.random.Generator
) -> VariationModel:
    """Return the model of a group of clips given as rows; if there are many, of a random subset."""
    some: Sequence[int] = range(len(rows))
    if len(rows) > MOST_KNOWN:
        some = sorted(rng.choice(len(rows), MOST_KNOWN, replace=False).tolist())
    return model_of(replace(material, values=tuple(rows[k] for k in some), starts=()), settings, cyclic=False)


def on_common_clock(material: Material, first: Any, rows: Sequence[Floats | None]) -> list[Floats | None]:
    """Return rows of strokes at the common phase of the trusted strokes: a pen's speed is not part of its shape.

    Other motions keep their timing.
    """
    if not isinstance(first, Stroke):
        return list(rows)
    weights = material.weights
    phase_frames = rounded(common_phase(material.values, weights, material.frame_time))
    mean = mean_of([x * weights for x in material.values], phase_frames)
    smooth = ALIGNMENT / material.frame_time
    return [None if x is None else read_at(x, warp_onto(mean, x * weights, smooth)) for x in rows]

"""Analyze scores: the conditions' means per experiment and motion, and whether they differ (Lau 2009, fig. 8).

Means are compared by a one-way analysis of variance, with confidence intervals by Student's t.
"""

from collections.abc import Mapping, Sequence
from math import exp, lgamma, log, sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.evaluation.study.schedule import CONDITIONS, MEASURES, SEARCH, SIMULATED, Rating, Stimulus, check_rating
from freshtake.numeric.distributions import f_beyond, student_beyond, student_quantile

LEVEL = 0.975  # level of the upper quantile of a 95 % confidence interval


class Anova(NamedTuple):
    """F = (between / df_between) / (within / df_within), the p value of an F at least as large, and eta squared.

    `between` is the sum of n_g (mean_g - mean)^2 over groups, `within` the sum of (x - mean_g)^2 over all scores;
    `explained` = between / (between + within).
    """

    f: float
    p: float
    df_between: int
    df_within: int
    between: float
    within: float

    @property
    def explained(self) -> float:
        """Eta squared: the fraction of the variance explained by the groups."""
        total = self.between + self.within
        return self.between / total if total > 0 else 0.0


def one_way(groups: Sequence[npt.ArrayLike]) -> Anova:
    """Test whether group means differ significantly (Lau 2009, §8, fig. 8)."""
    values = [np.asarray(group, dtype=np.float64) for group in groups]
    if len(values) < 2 or any(v.ndim != 1 or len(v) == 0 for v in values):
        raise UsageError("an analysis of variance needs at least two groups with scores")
    count, df_between = sum(len(v) for v in values), len(values) - 1
    df_within = count - len(values)
    if df_within < 1:
        raise UsageError("an analysis of variance needs more scores than groups")
    mean = float(np.concatenate(values).mean())
    between = float(sum(len(v) * (v.mean() - mean) ** 2 for v in values))
    within = float(sum(((v - v.mean()) ** 2).sum() for v in values))
    if within <= 0.0:
        f = float("inf") if between > 0.0 else float("nan")
        return Anova(f, 0.0 if between > 0.0 else float("nan"), df_between, df_within, between, within)
    f = (between / df_between) / (within / df_within)
    return Anova(f, float(f_beyond(df_between, df_within, f)), df_between, df_within, between, within)


class Interval(NamedTuple):
    """A mean and its confidence interval."""

    mean: float
    low: float
    high: float


def mean_interval(values: npt.ArrayLike) -> Interval:
    """Return the interval of one group, by Student's t; its width is 0 for a single score."""
    x = np.asarray(values, dtype=np.float64)
    mean = float(x.mean())
    if len(x) < 2:
        return Interval(mean, mean, mean)
    half = student_quantile(len(x) - 1, LEVEL) * float(x.std(ddof=1)) / np.sqrt(len(x))
    return Interval(mean, mean - half, mean + half)


def difference_interval(a: npt.ArrayLike, b: npt.ArrayLike) -> Interval:
    """Return the interval of mean(a) - mean(b) with a pooled variance, as in the F test of two groups."""
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    df = len(x) + len(y) - 2
    difference = float(x.mean() - y.mean())
    if df < 1:
        return Interval(difference, difference, difference)
    pooled = (((x - x.mean()) ** 2).sum() + ((y - y.mean()) ** 2).sum()) / df
    half = student_quantile(df, LEVEL) * float(np.sqrt(pooled * (1.0 / len(x) + 1.0 / len(y))))
    return Interval(difference, difference - half, difference + half)


def share_interval(count: int, of: int) -> Interval:
    """Return a proportion with its Wilson interval, which stays within 0 and 1."""
    z = NormalDist().inv_cdf(LEVEL)
    share, weight = count / of, 1.0 + z * z / of
    center = (share + z * z / (2 * of)) / weight
    half = z * sqrt(share * (1.0 - share) / of + z * z / (4 * of * of)) / weight
    return Interval(share, center - half, center + half)


def sign_test(count: int, of: int) -> float:
    """Return the exact probability that chance alone splits two choices at least as unevenly, in either direction."""
    fewer = min(count, of - count)
    tail = sum(exp(lgamma(of + 1) - lgamma(k + 1) - lgamma(of - k + 1) - of * log(2.0)) for k in range(fewer + 1))
    return min(1.0, 2.0 * tail)


class Group(NamedTuple):
    """The scores of one condition: their number, their mean with its confidence interval, their standard deviation."""

    condition: str
    scores: int
    mean: Interval
    deviation: float


class Outcome(NamedTuple):
    """One experiment on one motion.

    `apart` is the first condition's mean minus the second's with its interval: means that do not differ significantly
    are equal only to within this interval. `by_participant` is the p value over participants' mean differences, since
    one person's scores are not independent; NaN with fewer than two participants. For choices between two (experiment
    D), `groups` are the shares of choices for each kind, `p` is from the sign test, and there is no analysis of
    variance. `not_found` counts searches for clones (experiment C) that ended without finding them.
    """

    experiment: str
    motion: str
    groups: tuple[Group, ...]
    p: float
    anova: Anova | None
    apart: Interval
    by_participant: float
    participants: int
    unanswered: int
    simulated: bool
    not_found: int = 0

    @property
    def measure(self) -> str:
        """The quantity that participants rated, measured or chose."""
        return MEASURES[self.experiment]

    def as_dict(self) -> dict[str, Any]:
        """Return the outcome for JSON."""
        out = self._asdict() | {"measure": self.measure, "apart": self.apart._asdict()}
        out["anova"] = None if self.anova is None else self.anova._asdict() | {"explained": self.anova.explained}
        out["groups"] = [group._asdict() | {"mean": group.mean._asdict()} for group in self.groups]
        return out


def analyze(ratings: Sequence[Rating], key: Mapping[str, Stimulus]) -> list[Outcome]:
    """Return one outcome per experiment and motion, in the order in which they first occur."""
    if not ratings:
        raise UsageError("there are no ratings to analyze")
    for rating in ratings:
        check_rating(rating)
        if rating.stimulus not in key:
            raise UsageError(f"{rating.stimulus!r} was rated but is not in the key: the key belongs to another study")
    blocks = dict.fromkeys((key[r.stimulus].experiment, key[r.stimulus].motion) for r in ratings)
    # Order by experiment, otherwise keep the given order.
    return [_outcome(block, ratings, key) for block in sorted(blocks, key=lambda block: block[0])]


def _outcome(block: tuple[str, str], ratings: Sequence[Rating], key: Mapping[str, Stimulus]) -> Outcome:
    experiment, motion = block
    block_ratings = [r for r in ratings if (key[r.stimulus].experiment, key[r.stimulus].motion) == block]
    given = [r for r in block_ratings if r.score is not None]
    scores = {c: _scores(given, key, c) for c in CONDITIONS[experiment]}
    empty = next((c for c, numbers in scores.items() if len(numbers) == 0), None)
    if empty is not None:
        raise UsageError(f"experiment {experiment} on {motion} has no score for {empty}: nothing can be compared")
    people, unanswered = len({r.participant for r in given}), len(block_ratings) - len(given)
    simulated = any(r.participant.startswith(SIMULATED) for r in block_ratings)
    by_participant = _by_participant(given, key, experiment)
    first, second = scores.values()
    if experiment == "D":
        # If the variant is on the left, the recorded take is on the right: score 2.
        captured = first.count(2) + second.count(1)
        shares = [share_interval(k, len(given)) for k in (len(given) - captured, captured)]
        groups = tuple(
            Group(kind, round(share.mean * len(given)), share, float(np.sqrt(share.mean * (1.0 - share.mean))))
            for kind, share in zip(("variants", "captured"), shares, strict=True)
        )
        apart = Interval(*(2.0 * bound - 1.0 for bound in shares[0]))
        p = sign_test(captured, len(given))
        return Outcome(experiment, motion, groups, p, None, apart, by_participant, people, unanswered, simulated)
    groups = tuple(
        Group(condition, len(n), mean_interval(n), float(np.std(n, ddof=1)) if len(n) > 1 else 0.0)
        for condition, n in scores.items()
    )
    anova = one_way([first, second])
    not_found = first.count(SEARCH) + second.count(SEARCH) if experiment == "C" else 0
    return Outcome(
        experiment, motion, groups, anova.p, anova, difference_interval(first, second), by_participant, people,
        unanswered, simulated, not_found,
    )  # fmt: skip


def _scores(ratings: Sequence[Rating], key: Mapping[str, Stimulus], condition: str) -> list[int]:
    return [r.score for r in ratings if r.score is not None and key[r.stimulus].condition == condition]


def _by_participant(ratings: Sequence[Rating], key: Mapping[str, Stimulus], experiment: str) -> float:
    """Return the p value of a t test on the participants' differences of means."""
    differences = []
    for participant in dict.fromkeys(r.participant for r in ratings):
        their_ratings = [r for r in ratings if r.participant == participant]
        means = [_scores(their_ratings, key, condition) for condition in CONDITIONS[experiment]]
        if all(means):
            differences.append(float(np.mean(means[0]) - np.mean(means[1])))
    if len(differences) < 2 or np.std(differences) == 0.0:
        return float("nan")
    t = float(np.mean(differences) / (np.std(differences, ddof=1) / np.sqrt(len(differences))))
    return student_beyond(len(differences) - 1, t)

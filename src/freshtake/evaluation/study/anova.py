"""One-way analysis of variance, and the small statistics beside it."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, lgamma, log, sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.numeric.distributions import f_beyond, noncentral_f_beyond, student_quantile

CONFIDENCE = 0.95


class Anova(NamedTuple):
    """F = (between / df_between) / (within / df_within), the p value of an F at least as large, and eta squared.

    `between` is the sum over groups of n_g (mean_g - mean)^2, `within` that of (x - mean_g)^2 over all scores;
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
        """Eta squared: the share of the variance that the groups explain."""
        total = self.between + self.within
        return self.between / total if total > 0 else 0.0


def one_way(groups: Sequence[npt.ArrayLike]) -> Anova:
    """Whether the means of groups differ by more than chance (Lau 2009, §8, fig. 8)."""
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


def mean_interval(values: npt.ArrayLike, confidence: float = CONFIDENCE) -> Interval:
    """Of one group, by Student's t; without width for a single score."""
    x = np.asarray(values, dtype=np.float64)
    mean = float(x.mean())
    if len(x) < 2:
        return Interval(mean, mean, mean)
    half = _quantile(len(x) - 1, confidence) * float(x.std(ddof=1)) / np.sqrt(len(x))
    return Interval(mean, mean - half, mean + half)


def difference_interval(a: npt.ArrayLike, b: npt.ArrayLike, confidence: float = CONFIDENCE) -> Interval:
    """Of the mean of a minus that of b, with a pooled variance: what belongs to the F test of two groups."""
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    df = len(x) + len(y) - 2
    difference = float(x.mean() - y.mean())
    if df < 1:
        return Interval(difference, difference, difference)
    pooled = (((x - x.mean()) ** 2).sum() + ((y - y.mean()) ** 2).sum()) / df
    half = _quantile(df, confidence) * float(np.sqrt(pooled * (1.0 / len(x) + 1.0 / len(y))))
    return Interval(difference, difference - half, difference + half)


def share_interval(count: int, of: int, confidence: float = CONFIDENCE) -> Interval:
    """Return a share with its Wilson interval, which stays within 0 and 1."""
    z = NormalDist().inv_cdf(0.5 + 0.5 * confidence)
    share, weight = count / of, 1.0 + z * z / of
    center = (share + z * z / (2 * of)) / weight
    half = z * sqrt(share * (1.0 - share) / of + z * z / (4 * of * of)) / weight
    return Interval(share, center - half, center + half)


def sign_test(count: int, of: int) -> float:
    """Return the exact probability that chance alone chooses one of two at least as unevenly, in either direction."""
    fewer = min(count, of - count)
    tail = sum(exp(lgamma(of + 1) - lgamma(k + 1) - lgamma(of - k + 1) - of * log(2.0)) for k in range(fewer + 1))
    return min(1.0, 2.0 * tail)


def _quantile(df: int, confidence: float) -> float:
    return student_quantile(df, 0.5 + 0.5 * confidence)


def power(difference: float, deviation: float, counts: tuple[int, int], significance: float = 0.05) -> float:
    """The probability that two groups whose true means lie so far apart are found different (noncentral F)."""
    df = sum(counts) - 2
    weight = counts[0] * counts[1] / sum(counts)
    limit = student_quantile(df, 1.0 - 0.5 * significance) ** 2
    return noncentral_f_beyond(df, weight * (difference / deviation) ** 2, limit)

"""What the scores say: per experiment and motion the conditions' means and whether they differ (Lau 2009, fig. 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.evaluation.study.anova import (
    Anova,
    Interval,
    difference_interval,
    mean_interval,
    one_way,
    share_interval,
    sign_test,
)
from freshtake.evaluation.study.conditions import (
    CONDITIONS,
    MEASURES,
    SEARCH,
    SIMULATED,
    Rating,
    Stimulus,
    check_rating,
)
from freshtake.numeric.distributions import student_beyond


class Group(NamedTuple):
    """The scores of one condition: how many, their mean with its confidence interval, their standard deviation."""

    condition: str
    scores: int
    mean: Interval
    deviation: float


class Outcome(NamedTuple):
    """One experiment on one motion.

    `apart` is the first condition's mean minus the second's with its interval: means that do not differ significantly
    are equal only as closely as this interval is narrow. `by_participant` is the p value over participants' own mean
    differences, since scores of one person are not independent of one another; NaN with fewer than two. Of choices
    between two (experiment D) `groups` are how often each kind was chosen, `p` is the sign test, and there is no
    analysis of variance. `not_found` counts searches for clones (experiment C) that ended without them.
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
        """What participants rated, measured or chose."""
        return MEASURES[self.experiment]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        out = self._asdict() | {"measure": self.measure, "apart": self.apart._asdict()}
        out["anova"] = None if self.anova is None else self.anova._asdict() | {"explained": self.anova.explained}
        out["groups"] = [group._asdict() | {"mean": group.mean._asdict()} for group in self.groups]
        return out


def analyze(ratings: Sequence[Rating], key: Mapping[str, Stimulus]) -> list[Outcome]:
    """One outcome per experiment and motion, in the order in which they first occur."""
    if not ratings:
        raise UsageError("there are no ratings to analyze")
    for rating in ratings:
        check_rating(rating)
        if rating.stimulus not in key:
            raise UsageError(f"{rating.stimulus!r} was rated but is not in the key: the key belongs to another study")
    blocks = dict.fromkeys((key[r.stimulus].experiment, key[r.stimulus].motion) for r in sorted_by(ratings, key))
    return [_outcome(block, ratings, key) for block in blocks]


def sorted_by(ratings: Sequence[Rating], key: Mapping[str, Stimulus]) -> list[Rating]:
    """By experiment, else in the order given."""
    return sorted(ratings, key=lambda rating: key[rating.stimulus].experiment)


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
        # The recorded take is the right one, score 2, where the variant is on the left.
        captured = first.count(2) + second.count(1)
        shares = [share_interval(k, len(given)) for k in (len(given) - captured, captured)]
        groups = tuple(
            Group(kind, round(share.mean * len(given)), share, float(np.sqrt(share.mean * (1.0 - share.mean))))
            for kind, share in zip(("variants", "captured"), shares, strict=True)
        )
        apart = Interval(*(2.0 * bound - 1.0 for bound in shares[0]))
        p = sign_test(captured, len(given))
        return Outcome(experiment, motion, groups, p, None, apart, by_participant, people, unanswered, simulated)
    groups = tuple(_group(condition, numbers) for condition, numbers in scores.items())
    anova = one_way([first, second])
    not_found = first.count(SEARCH) + second.count(SEARCH) if experiment == "C" else 0
    return Outcome(
        experiment, motion, groups, anova.p, anova, difference_interval(first, second), by_participant, people,
        unanswered, simulated, not_found,
    )  # fmt: skip


def _scores(ratings: Sequence[Rating], key: Mapping[str, Stimulus], condition: str) -> list[int]:
    return [r.score for r in ratings if r.score is not None and key[r.stimulus].condition == condition]


def _group(condition: str, scores: Sequence[int]) -> Group:
    deviation = float(np.std(scores, ddof=1)) if len(scores) > 1 else 0.0
    return Group(condition, len(scores), mean_interval(scores), deviation)


def _by_participant(ratings: Sequence[Rating], key: Mapping[str, Stimulus], experiment: str) -> float:
    """The p value of Student's t on the participants' differences of means."""
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

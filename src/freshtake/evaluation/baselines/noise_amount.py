"""How much a motion is changed, and noise of an amount that changes it as much as variants are (Lau 2009, §8).

"We check that the noise-added motion is changed by a similar amount compared to the variants": pairs of one variant and
one input give normalized sums of squared differences of joints, modeled as a normal distribution; the same sum of
the noise-added motion and its own input has to lie within one standard deviation of the mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.evaluation.baselines.basis import Basis
from freshtake.evaluation.baselines.drafts import Draft
from freshtake.numeric.arrays import Floats
from freshtake.numeric.dtw import warp_path

LARGEST = 1e3  # beyond this many times the inputs' own spread no amount is looked for
STEPS, CLOSE = 60, 1e-4


class Changes(NamedTuple):
    """The normal distribution of changes: mean and standard deviation of the sums over all pairs."""

    mean: float
    spread: float

    def holds(self, change: float) -> bool:
        """Whether a change is within one standard deviation of the mean."""
        return abs(change - self.mean) <= self.spread


class Match(NamedTuple):
    """An amount of noise, the mean change that it makes, and the share of drafts within one standard deviation."""

    amount: float
    change: float
    within: float


def change(basis: Basis, a: Floats, b: Floats) -> float:
    """The normalized sum of squared differences of the chosen joints: per frame of the time warp, in squared sizes."""
    columns = basis.compared
    a, b = (np.ascontiguousarray(x[:, columns] * basis.weights[columns]) for x in (a, b))
    path, _ = warp_path(a, b)
    difference = a[path[:, 0]] - b[path[:, 1]]
    return float((difference**2).sum() / len(path))


def changes(basis: Basis, variants: Sequence[Any]) -> Changes:
    """The changes over all pairs of one variant and one input."""
    if not variants:
        raise UsageError("an amount can be matched only to variants: give at least one")
    coded = [basis.encode(variant) for variant in variants]
    sums = [change(basis, rows, input_rows) for rows in coded for input_rows in basis.rows]
    return Changes(float(np.mean(sums)), float(np.std(sums)))


def draft_change(basis: Basis, draft: Draft, amount: float) -> float:
    """How much a draft with so much noise differs from its own input; a combination: from all inputs on average."""
    rows = draft.with_amount(amount)
    inputs = basis.rows if draft.source is None else (basis.rows[draft.source],)
    return float(np.mean([change(basis, rows, one) for one in inputs]))


def matched_amount(basis: Basis, drafts: Sequence[Draft], target: Changes) -> Match:
    """The amount at which the drafts are changed as much on average as the target's mean, by false position.

    0 where they are changed more without any noise, as combinations may be.
    """
    if not drafts:
        raise UsageError("an amount can be matched only with drafts of noise: give at least one")

    def excess(amount: float) -> float:
        """How much too large differences are; about linear in the amount, where squares are not."""
        mean_change = float(np.mean([draft_change(basis, draft, amount) for draft in drafts]))
        return float(np.sqrt(mean_change) - np.sqrt(target.mean))

    low, below = 0.0, excess(0.0)
    if below >= 0.0:
        return _match(basis, drafts, target, 0.0)
    high, above = 1.0, excess(1.0)
    while above < 0.0:
        low, below, high = high, above, 2.0 * high
        if high > LARGEST:
            raise UsageError("no amount of noise changes the chosen joints as much as the variants are changed")
        above = excess(high)
    for step in range(STEPS):
        # bisect now and then, so that neither end stays fixed
        share = 0.5 if step % 4 == 3 else below / (below - above)
        middle = low + share * (high - low)
        middle_excess = excess(middle)
        if abs(middle_excess) < CLOSE * np.sqrt(target.mean):
            break
        low, below, high, above = (
            (middle, middle_excess, high, above) if middle_excess < 0.0 else (low, below, middle, middle_excess)
        )
    return _match(basis, drafts, target, middle)


def _match(basis: Basis, drafts: Sequence[Draft], target: Changes, amount: float) -> Match:
    draft_changes = [draft_change(basis, draft, amount) for draft in drafts]
    return Match(amount, float(np.mean(draft_changes)), float(np.mean([target.holds(one) for one in draft_changes])))

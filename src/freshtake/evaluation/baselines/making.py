"""Make baselines by name: one motion of a kind, or a set of each kind, changed as much as the variants are.

"We check that the noise-added motion is changed by a similar amount compared to the variants" (Lau 2009, §8): pairs of
one variant and one input give normalized sums of squared differences of joints, modeled as a normal distribution; the
same sum of the noise-added motion and its input must be within one standard deviation of the mean.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.evaluation.baselines.basis import Basis, basis_of
from freshtake.evaluation.baselines.drafts import Draft, convex, pca, perlin, strawman
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion.features import Start
from freshtake.numeric.arrays import Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.numeric.dtw import warp_path


class Changes(NamedTuple):
    """Normal distribution of changes: mean and standard deviation of the sums over all pairs."""

    mean: float
    spread: float

    def holds(self, change: float) -> bool:
        """Return whether a change is within one standard deviation of the mean."""
        return abs(change - self.mean) <= self.spread


class Match(NamedTuple):
    """An amount of noise, the mean change it causes, and the fraction of drafts within one standard deviation."""

    amount: float
    change: float
    within: float


def change(basis: Basis, a: Floats, b: Floats) -> float:
    """Return the sum of squared differences of the chosen joints per frame of the time warp, in squared sizes."""
    columns = basis.compared
    a, b = (np.ascontiguousarray(x[:, columns] * basis.weights[columns]) for x in (a, b))
    path, _ = warp_path(a, b)
    difference = a[path[:, 0]] - b[path[:, 1]]
    return float((difference**2).sum() / len(path))


def changes(basis: Basis, variants: Sequence[Any]) -> Changes:
    """Return the changes over all pairs of one variant and one input."""
    if not variants:
        raise UsageError("an amount can be matched only to variants: give at least one")
    coded = [basis.encode(variant) for variant in variants]
    sums = [change(basis, rows, input_rows) for rows in coded for input_rows in basis.rows]
    return Changes(float(np.mean(sums)), float(np.std(sums)))


def draft_change(basis: Basis, draft: Draft, amount: float) -> float:
    """Return the change from the input to a draft with this amount; for a combination, the mean over all inputs."""
    rows = draft.with_amount(amount)
    inputs = basis.rows if draft.source is None else (basis.rows[draft.source],)
    return float(np.mean([change(basis, rows, one) for one in inputs]))


def matched_amount(basis: Basis, drafts: Sequence[Draft], target: Changes) -> Match:
    """Find the amount at which the drafts' mean change equals the target's, by false position.

    0 if they already differ more without noise, as combinations may.
    """
    if not drafts:
        raise UsageError("an amount can be matched only with drafts of noise: give at least one")

    def excess(amount: float) -> float:
        """Return how far the root mean square change exceeds the target's; it is roughly linear in the amount."""
        mean_change = float(np.mean([draft_change(basis, draft, amount) for draft in drafts]))
        return float(np.sqrt(mean_change) - np.sqrt(target.mean))

    low, below = 0.0, excess(0.0)
    if below >= 0.0:
        return _match(basis, drafts, target, 0.0)
    high, above = 1.0, excess(1.0)
    while above < 0.0:
        low, below, high = high, above, 2.0 * high
        # Amounts beyond a thousand times the inputs' spread are not searched.
        if high > 1e3:
            raise UsageError("no amount of noise changes the chosen joints as much as the variants are changed")
        above = excess(high)
    # An upper bound: false position usually converges sooner.
    for step in range(60):
        # bisect now and then so that neither end stays fixed
        share = 0.5 if step % 4 == 3 else below / (below - above)
        middle = low + share * (high - low)
        middle_excess = excess(middle)
        if abs(middle_excess) < 1e-4 * np.sqrt(target.mean):
            break
        low, below, high, above = (
            (middle, middle_excess, high, above) if middle_excess < 0.0 else (low, below, middle, middle_excess)
        )
    return _match(basis, drafts, target, middle)


def _match(basis: Basis, drafts: Sequence[Draft], target: Changes, amount: float) -> Match:
    draft_changes = [draft_change(basis, draft, amount) for draft in drafts]
    return Match(amount, float(np.mean(draft_changes)), float(np.mean([target.holds(one) for one in draft_changes])))


NOISES: dict[str, Callable[[Basis, np.random.Generator], Draft]] = {
    "strawman": strawman, "perlin": perlin, "pca": pca, "convex": convex,
}  # fmt: skip
KINDS = (*NOISES, "replay")
AMOUNTS = {"strawman": 1.0, "perlin": 1.0, "pca": 1.0, "convex": 0.0}


class BaselineMotion(NamedTuple):
    """A baseline's motion, the input it was made from (None: all), the amount, and its change."""

    motion: Any
    source: int | None
    amount: float
    change: float


@one_blas_thread()
def make(
    basis: Basis,
    kind: str,
    rng: np.random.Generator,
    *,
    amount: float | None = None,
    name: str = "",
) -> BaselineMotion:
    """Return one motion of a kind. `amount` 1 is noise as strong as the inputs' differences (default: 1; convex: 0)."""
    check_kind(kind)
    if kind == "replay":
        if amount is not None:
            raise UsageError("replay plays the inputs as they are: leave the amount out")
        source = int(rng.integers(len(basis.rows)))
        return BaselineMotion(basis.decode(basis.rows[source], start=basis.starts[source], name=name), source, 0.0, 0.0)
    strength = AMOUNTS[kind] if amount is None else amount
    if not (np.isfinite(strength) and 0.0 <= strength <= 1e3):
        raise UsageError(f"the amount must lie between 0 and 1000, but is {strength}")
    draft = NOISES[kind](basis, rng)
    start = Start() if draft.source is None else basis.starts[draft.source]
    motion = basis.decode(draft.with_amount(strength), start=start, name=name)
    return BaselineMotion(motion, draft.source, strength, draft_change(basis, draft, strength))


def check_kind(kind: str) -> None:
    """Refuse an unknown kind with the list of choices."""
    if kind not in KINDS:
        raise UsageError(f"there is no baseline {kind!r}: choose from {', '.join(KINDS)}")


def match(basis: Basis, kind: str, target: Changes, rng: np.random.Generator) -> Match:
    """Find the amount of a kind of noise that changes motions as much as the variants are changed."""
    check_kind(kind)
    if kind == "replay":
        raise UsageError("replay adds nothing to the inputs, so its amount cannot be matched")
    # Drafts differ, so match the amount to the mean of 32.
    drafts = [NOISES[kind](basis, child) for child in rng.spawn(32)]
    return matched_amount(basis, drafts, target)


@one_blas_thread()
def baseline_sets(
    inputs: Sequence[Any],
    variants: Sequence[Any],
    *,
    rng: np.random.Generator,
    kinds: Sequence[str] = KINDS,
    joints: Sequence[str] = (),
    count: int | None = None,
    report: Report = silent,
) -> dict[str, list[Any]]:
    """Return as many motions of each kind as there are variants (at most 15), noise matched to the variants' change.

    Convex combinations get no noise.
    """
    for kind in kinds:
        check_kind(kind)
    basis = basis_of(inputs, joints)
    target = changes(basis, variants)
    # Make at most as many as `vary` makes by default, to bound the cost.
    count = min(len(variants), 15) if count is None else count
    sets: dict[str, list[Any]] = {}
    for number, kind in enumerate(kinds):
        report(Progress(number / len(kinds), kind))
        match_rng, *each = rng.spawn(1 + count)
        fixed = kind in ("convex", "replay")
        amount = None if fixed else match(basis, kind, target, match_rng).amount
        sets[kind] = [
            make(basis, kind, child, amount=amount, name=f"{kind}_{k:03d}").motion
            for k, child in enumerate(each, start=1)
        ]
    return sets

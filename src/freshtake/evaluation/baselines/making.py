"""The baselines by name: one motion of a kind, or a set of every kind that is changed as much as variants are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.evaluation.baselines.basis import Basis, NoiseSettings, basis_of
from freshtake.evaluation.baselines.drafts import Draft, convex, pca, perlin, strawman
from freshtake.evaluation.baselines.noise_amount import Changes, Match, changes, draft_change, matched_amount
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion.features import Start
from freshtake.numeric.blas_threads import one_blas_thread

NOISES: dict[str, Callable[[Basis, np.random.Generator, NoiseSettings], Draft]] = {
    "strawman": strawman, "perlin": perlin, "pca": pca, "convex": convex,
}  # fmt: skip
KINDS = (*NOISES, "replay")
AMOUNTS = {"strawman": 1.0, "perlin": 1.0, "pca": 1.0, "convex": 0.0}
ABOUT = {
    "strawman": "smoothed noise on one input, per DOF as strong as the time-warped inputs differ",
    "perlin": "Perlin noise on one input",
    "pca": "smoothed noise on principal components of the time-warped inputs",
    "convex": "convex combination of the inputs at equal phases, with combined timing",
    "replay": "cycle animation: the inputs themselves, chosen at random",
}
MATCHING = 32  # drafts over which an amount is matched
MOST = 15


class BaselineMotion(NamedTuple):
    """A baseline's motion, the input it was made from (None: all), the amount, and how much it was changed."""

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
    settings: NoiseSettings | None = None,
    name: str = "",
) -> BaselineMotion:
    """One motion of a kind. `amount` 1 is noise as strong as the inputs differ (default: 1; of convex, 0)."""
    check_kind(kind)
    if kind == "replay":
        if amount is not None:
            raise UsageError("replay plays the inputs as they are: leave the amount out")
        source = int(rng.integers(len(basis.rows)))
        return BaselineMotion(basis.decode(basis.rows[source], start=basis.starts[source], name=name), source, 0.0, 0.0)
    wanted = AMOUNTS[kind] if amount is None else amount
    if not (np.isfinite(wanted) and 0.0 <= wanted <= 1e3):
        raise UsageError(f"the amount must lie between 0 and 1000, but is {wanted}")
    draft = NOISES[kind](basis, rng, settings or NoiseSettings())
    start = Start() if draft.source is None else basis.starts[draft.source]
    motion = basis.decode(draft.with_amount(wanted), start=start, name=name)
    return BaselineMotion(motion, draft.source, wanted, draft_change(basis, draft, wanted))


def check_kind(kind: str) -> None:
    """Raise with the choices."""
    if kind not in KINDS:
        raise UsageError(f"there is no baseline {kind!r}: choose from {', '.join(KINDS)}")


def match(
    basis: Basis, kind: str, target: Changes, rng: np.random.Generator, settings: NoiseSettings | None = None
) -> Match:
    """The amount of a kind of noise that changes motions as much as variants are changed."""
    check_kind(kind)
    if kind == "replay":
        raise UsageError("replay adds nothing to the inputs, so its amount cannot be matched")
    drafts = [NOISES[kind](basis, child, settings or NoiseSettings()) for child in rng.spawn(MATCHING)]
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
    settings: NoiseSettings | None = None,
    report: Report = silent,
) -> dict[str, list[Any]]:
    """As many motions of every kind as there are variants (at most 15), noise matched to the variants' change.

    Convex combinations get no noise.
    """
    for kind in kinds:
        check_kind(kind)
    basis = basis_of(inputs, joints)
    target = changes(basis, variants)
    count = min(len(variants), MOST) if count is None else count
    sets: dict[str, list[Any]] = {}
    for number, kind in enumerate(kinds):
        report(Progress(number / len(kinds), kind))
        match_rng, *each = rng.spawn(1 + count)
        fixed = kind in ("convex", "replay")
        amount = None if fixed else match(basis, kind, target, match_rng, settings).amount
        sets[kind] = [
            make(basis, kind, child, amount=amount, settings=settings, name=f"{kind}_{k:03d}").motion
            for k, child in enumerate(each, start=1)
        ]
    return sets

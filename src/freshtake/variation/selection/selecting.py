"""Select clips that are similar enough to learn from (Lau 2009, §9).

Departs from the paper, which uses likelihoods (`measure="likelihood"`, see by_likelihood): predictions lose the phase
of a clip that is slightly slower or faster, so with four trusted clips hardly any other is similar. By default, clips
are compared with the trusted clips at equal phases, as `learn` compares takes (see unlike).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from freshtake.errors import FreshtakeError, UsageError
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion.features import encode
from freshtake.numeric.arrays import Floats, rounded
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.variation.deviations import Settings
from freshtake.variation.examples import Material, material_of
from freshtake.variation.phase import ALIGNMENT, align, mean_of, warp_onto
from freshtake.variation.selection.by_likelihood import by_likelihood
from freshtake.variation.selection.candidates import (
    LEAST_TRUSTED,
    REACH,
    Candidate,
    Selection,
    Verdict,
    by_phase,
    comparable,
    joined,
)
from freshtake.variation.selection.unlike import Compared, chances, compared, differences, unlike_takes, unlikeness_of

MEASURES, GROUPS = ("difference", "likelihood"), ("trusted", "candidates")


def similar(
    candidates: Sequence[Any], trusted: Sequence[Any], *, rng: np.random.Generator, **options: Any
) -> list[Any]:
    """Return the candidates that are similar enough to the trusted motions (Lau 2009, §9).

    Args:
        candidates: Motions to choose from.
        trusted: Motions that are known to show the movement; at least three, preferably eight.
        rng: Source of random numbers.
        options: The other options of `select`.

    Returns:
        The similar candidates, in order and unchanged.
    """
    selection = select(candidates, trusted, rng=rng, **options)
    return [candidates[k] for k in selection.kept]


@one_blas_thread()
def select(
    candidates: Sequence[Any],
    trusted: Sequence[Any],
    settings: Settings | None = None,
    *,
    rng: np.random.Generator,
    measure: str = "difference",
    groups: str = "trusted",
    percentile: float = 5.0,
    report: Report | None = None,
) -> Selection:
    """Find the candidates that differ no more from the trusted motions than unseen motions of their kind would.

    Args:
        candidates: Motions to choose from.
        trusted: Motions that are known to show the movement; at least three, preferably eight.
        settings: Settings of learning, for the measure "likelihood".
        rng: Source of random numbers.
        measure: "difference" compares at equal phases, "likelihood" is the paper's method.
        groups: For the measure "likelihood": compare with the "trusted" motions or among "candidates".
        percentile: The percentage of motions like the trusted ones that is rejected; above 0, at most 50.
        report: Receives `Progress`.

    Returns:
        A verdict for each candidate, the threshold, and the trusted motions that are unlike the others.
    """
    _check(candidates, measure, groups, percentile)
    sure, say = trusted_motions(trusted), report or silent
    material = material_of(sure, None, None)
    encoded = [_encoded(material, comparable(motion, sure)) for motion in candidates]
    takes = _side_by_side(sure, material, encoded)
    odd = tuple(sorted(one.number for one in unlike_takes(takes, range(len(sure)))))
    if measure == "difference":
        selection = _by_difference(takes, len(sure), encoded, percentile / 100.0)
    else:
        say(Progress(0.1, "likelihoods"))
        selection = by_likelihood(
            encoded, sure, material, settings or Settings(),
            rng=rng, among=groups == "candidates", share=percentile / 100.0,
        )  # fmt: skip
    say(Progress(1.0, "done"))
    return replace(selection, doubtful=odd)


def _check(candidates: Sequence[Any], measure: str, groups: str, percentile: float) -> None:
    if not 0.0 < percentile <= 50.0:
        raise UsageError(f"the percentile must be above 0 and at most 50, but is {percentile:g}")
    if measure not in MEASURES:
        raise UsageError(f"measure must be one of {', '.join(MEASURES)}, not {measure!r}")
    if groups not in GROUPS:
        raise UsageError(f"groups must be one of {', '.join(GROUPS)}, not {groups!r}")
    if measure != "likelihood" and groups != "trusted":
        raise UsageError("groups need the likelihood measure: choose it as well")
    if not candidates:
        raise UsageError("there is nothing to select from: give at least one candidate")


def trusted_motions(trusted: Sequence[Any]) -> list[Any]:
    """Return trusted motions at the size and rate of the first; each must be comparable with it."""
    if len(trusted) < LEAST_TRUSTED:
        have = f"{len(trusted)} trusted clip{'' if len(trusted) == 1 else 's'}"
        raise UsageError(f"{have} cannot show how far similar clips differ: give at least {LEAST_TRUSTED}, ideally 8")
    fitted = [comparable(motion, trusted) for motion in trusted]
    for number, one in enumerate(fitted):
        if one.refusal:
            called = getattr(one.motion, "name", "") or f"trusted clip {number + 1}"
            raise UsageError(f"{called} is not comparable with the first trusted clip: {one.refusal}")
    return [one.motion for one in fitted]


def _encoded(material: Material, one: Candidate) -> Candidate:
    """Return a candidate with its rows, or refused if it cannot be expressed in the trusted motions' DOFs."""
    if one.refusal:
        return one
    try:
        recipe = material.recipe
        rows = one.motion if recipe is None else encode(recipe, one.motion, strict=False).values
        if rows.shape[1] != len(material.names):
            raise UsageError(f"it has {rows.shape[1]} DOFs, the trusted ones have {len(material.names)}")
    except FreshtakeError as error:
        return one._replace(refusal=str(error))
    return one._replace(rows=rounded(rows))


def _side_by_side(sure: Sequence[Any], material: Material, encoded: Sequence[Candidate]) -> Compared:
    """Return the trusted motions, then all comparable candidates, aligned to the trusted motions' mean."""
    weights, smooth = material.weights, ALIGNMENT / material.frame_time
    phase_frames = align(material.values, weights, smooth)
    mean = mean_of([x * weights for x in material.values], phase_frames)
    fresh = [(one.motion, one.rows) for one in encoded if one.rows is not None]
    columns = [warp_onto(mean, rows * weights, smooth) for _, rows in fresh]
    together = replace(material, values=(*material.values, *[rows for _, rows in fresh]))
    motions = [*sure, *[motion for motion, _ in fresh]]
    return compared(motions, together, np.column_stack([phase_frames, *columns]), len(sure))


def _by_difference(takes: Compared, known: int, encoded: Sequence[Candidate], limit: float) -> Selection:
    names, _ = joined(np.zeros((1, len(takes.names))), takes.names)
    numbers = iter(range(known, len(takes.rows)))
    verdicts = tuple(
        Verdict(False, float("nan"), one.refusal, one.notes)
        if one.rows is None
        else _verdict(takes, known, next(numbers), one.notes, limit)
        for one in encoded
    )
    table = np.stack(list(chances(takes, range(known)).values()))
    return Selection(verdicts, limit, np.asarray(np.minimum(table.min(axis=0) * len(table), 1.0)), names)


def _verdict(takes: Compared, known: int, number: int, notes: tuple[str, ...], limit: float) -> Verdict:
    one = unlikeness_of(takes, number, range(known), limit)
    table_of_joints = joined(_missed(takes, known, number), takes.names)[1]
    if one.chance >= limit:
        return Verdict(True, one.chance, "", notes, table_of_joints)
    return Verdict(False, one.chance, "; ".join(differences(takes, one)), notes, table_of_joints)


def _missed(takes: Compared, known: int, number: int) -> Floats:
    """Return (20, DOFs): how far log densities are below the trusted motions' at the same phase, at most 8 nats."""
    others = takes.rows[:known]
    spread = others.var(axis=0, ddof=1)
    least = 0.1 * spread.mean(axis=0) + 1e-12  # they may agree by chance
    squared = (takes.rows[number] - others.mean(axis=0)) ** 2 / (1.0 + 1.0 / known)
    return np.minimum(by_phase(0.5 * np.maximum(squared / np.maximum(spread, least) - 1.0, 0.0)), REACH)

"""Compute every figure of the variants next to the same figure of real takes."""

from collections.abc import Callable, Container, Mapping, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np

from freshtake.evaluation import actions, coordination, likeness, movement, novelty
from freshtake.evaluation.actions import Action
from freshtake.evaluation.comparable import Material, Motion, unpacked
from freshtake.evaluation.figure_kinds import ACTIONS, BY_KEY, COVER, FEET, KINDS, MANNER, TOGETHER
from freshtake.evaluation.realness import realness_figures
from freshtake.evaluation.results import Column, Evaluation, Figure
from freshtake.evaluation.tracks import Gallery, Parts, Track, largest_of, mean_of
from freshtake.methods.progress import Progress, Report, silent
from freshtake.numeric.blas_threads import one_blas_thread


def set_figures(gallery: Gallery, material: Material, rng: np.random.Generator) -> dict[str, Figure]:
    """Return figures of entire sets, next to the figures of all extra takes (or, without these, all inputs)."""
    inputs, variants, extra = material.inputs, material.variants, material.extra
    figures = realness_figures(material, rng)
    others = novelty.copied_from_others(gallery, variants)
    if others:
        shared = [part.value for part in novelty.copied_from_others(gallery, [*inputs, *extra])]
        each, extra_shares = tuple(part.value for part in others), tuple(shared[len(inputs) :])
        figures["copied_others"] = Figure(
            "copied_others", mean_of(others), each, tuple(shared[: len(inputs)]), extra_shares
        )
    figures |= _diversity_figures(gallery, material)
    if gallery.layout.has_body and np.isfinite(covered := novelty.set_coverage(gallery, variants)):
        together = (novelty.set_coverage(gallery, extra),) if extra else ()
        figures["set_coverage"] = Figure("set_coverage", covered, extra=together)
    spread, of_inputs = movement.spread(variants), movement.spread(inputs)
    if np.isfinite(spread):
        real = movement.spread([*inputs, *extra])
        input_spread = of_inputs if np.isfinite(of_inputs) else None
        figures["duration_spread"] = Figure("duration_spread", spread, extra=_finite(real), inputs=input_spread)
    return figures | _likeness_figures(gallery, material, rng)


def _diversity_figures(gallery: Gallery, material: Material) -> dict[str, Figure]:
    inputs, variants, extra = material.inputs, material.variants, material.extra
    between, of_inputs = novelty.among(gallery, variants), novelty.among(gallery, inputs)
    if not np.isfinite(between):
        return {}
    without = [[t for t in inputs if t is not one] for one in inputs] if len(inputs) > 2 else []
    subsets = [novelty.among(gallery, subset) for subset in without]
    real = _finite(novelty.among(gallery, extra)) + _finite(
        novelty.among(gallery, [*inputs, *extra]) if extra else np.nan
    )
    figures = {
        "between": Figure("between", between, (), tuple(subsets), real, of_inputs if np.isfinite(of_inputs) else None)
    }
    if of_inputs > 0:
        relative = [tuple(value / of_inputs for value in values) for values in (subsets, real)]
        figures["diversity"] = Figure("diversity", between / of_inputs, (), relative[0], relative[1], 1.0)
    return figures


def _likeness_figures(gallery: Gallery, material: Material, rng: np.random.Generator) -> dict[str, Figure]:
    inputs, variants, extra = material.inputs, material.variants, material.extra
    figures = {}
    among_real = likeness.tell_apart(gallery, inputs, extra, rng)
    usual, usual_p = (_finite(among_real.auc), _finite(among_real.p)) if among_real else ((), ())
    if apart := likeness.tell_apart(gallery, extra, variants, rng):
        figures = {"auc": Figure("auc", apart.auc, extra=usual), "auc_p": Figure("auc_p", apart.p, extra=usual_p)}
    if apart := likeness.tell_apart(gallery, inputs, variants, rng, permutations=0):
        figures["auc_inputs"] = Figure("auc_inputs", apart.auc, extra=usual)
    return figures


def _finite(value: float) -> tuple[float, ...]:
    return (float(value),) if np.isfinite(value) else ()


BODILY = {"planted_speed", "tempo_share", "tempo_off", "jerk_limbs"}
REASONS = {
    "auc": "needs at least two extra takes and two variants to test a classifier on clips it has not seen",
    "auc_p": "it is part of the AUC against extra takes",
    "auc_inputs": "needs at least two inputs and two variants",
    "action": "no quantity both stands out and peaks equally often in all inputs",
    "diversity": "needs two variants and two inputs that differ",
    "between": "needs two variants",
    "copied_others": "needs two variants",
    "duration_spread": "needs two variants",
    "outside_span": "needs two inputs that differ",
    "coordination": "fewer than two DOFs move in the inputs",
    "coordination_sides": "no joints are named left and right, or none of them moves",
    "hip_jerk": "the hips of the inputs never move",
    "static": "a variant equals the inputs' mean",
    "peak": "the inputs never move",
    "foot_path": "no foot was found, or none of the inputs' feet moves",
    "depth": "no foot was found",
    "travel": "the inputs stay where they are",
    "swing_hands": "needs two hands, three inputs and three variants that differ",
    "swing_feet": "needs two feet, three inputs and three variants that differ",
    "energy": "needs extra takes, two inputs and two variants that differ",
    "variogram": "needs extra takes, two inputs and two variants that differ",
}
MEASURES: tuple[Callable[[Gallery, Track], Parts], ...] = (
    novelty.measure_copies, novelty.measure_diversity, novelty.measure_span, movement.measure_smoothness,
    movement.measure_feet, movement.measure_ranges, movement.measure_timing,
    novelty.measure_coverage, coordination.measure,
)  # fmt: skip


def missing_figures(material: Material, figures: Container[str]) -> dict[str, str]:
    """Return the reason for each figure that does not apply."""
    out = {}
    for kind in KINDS:
        if kind.key in figures:
            continue
        if not material.layout.has_body and (
            kind.group in (FEET, ACTIONS, COVER, TOGETHER, MANNER) or kind.key in BODILY
        ):
            out[kind.key] = "a stroke has no feet, hands or joints"
        elif kind.group == FEET or kind.key == "planted_speed":
            out[kind.key] = "no foot was found, or none of the inputs ever stands"
        else:
            out[kind.key] = REASONS.get(kind.key, "the clips are too short for windows of one second")
    return out


def notes(material: Material, action: Action | None) -> list[str]:
    """Return notes: how the clips were made comparable, what is missing, and which action was counted."""
    sentences = list(material.notes)
    if len(material.inputs) < 2 and not material.extra:
        sentences.append("with one input and no extra takes there is no real take to compare with")
    elif not material.extra:
        sentences.append("without extra takes, real takes are the inputs, each scored against the others")
    if not material.layout.has_body:
        sentences.append("lengths are in % of a stroke's diagonal; figures of feet, joints and actions do not apply")
    if action:
        sentences.append(f"the action is a peak of the {action.quantity.replace('-', ' ')} above {action.begin:.4g}")
    return sentences


class Scored(NamedTuple):
    """Parts per clip: of the variants, of each input against the other inputs, of each extra take."""

    variants: list[Parts]
    left_out: list[Parts]
    extra: list[Parts]


@one_blas_thread()
def evaluate(
    inputs: Sequence[Motion],
    variants: Sequence[Motion],
    extra: Sequence[Motion] = (),
    *,
    rng: np.random.Generator,
    action: str = "auto",
    baselines: Mapping[str, Sequence[Motion]] | None = None,
    report: Report = silent,
) -> Evaluation:
    """Score variants against the inputs they were made from, and against the scores of additional real takes.

    Args:
        inputs: the takes that were learned from, one or more.
        variants: the motions to score, one or more, of the same kind.
        extra: real takes that were not among the inputs.
        rng: the source of random numbers.
        action: the quantity whose peaks are counted, or "auto" to choose one from the inputs.
        baselines: other sets of motions by name, scored by the same figures and shown as columns next to the variants.
        report: receives `Progress`.

    Returns:
        Every figure that applies, with its values for real takes, and a reason for each one that does not.
    """
    sets = dict(baselines or {})
    material = unpacked(inputs, [*variants, *(one for motions in sets.values() for one in motions)], extra)
    baseline_tracks = material.variants[len(variants) :]
    material = material._replace(variants=material.variants[: len(variants)])
    gallery = Gallery(material.layout, material.inputs)
    counted = actions.find_action(gallery, action)
    scored = _score(gallery, material, report)
    report(Progress(0.9, "comparing sets"))
    counts = _counts(gallery, material, counted)
    figures = _figures(gallery, material, scored, counted, counts, rng)
    inner = novelty.interpolation(gallery, rng) if len(material.inputs) > 1 else {}
    return Evaluation(
        kind=material.layout.kind,
        inputs=tuple(track.name for track in material.inputs),
        variants=tuple(track.name for track in material.variants),
        extra=tuple(track.name for track in material.extra),
        fps=1.0 / material.inputs[0].frame_time,
        size=material.layout.size,
        frames={name: tuple(len(t) for t in getattr(material, name)) for name in ("inputs", "variants", "extra")},
        figures=_ordered(figures),
        interpolation={key: part.value for key, part in inner.items()},
        dofs=tuple(movement.dof_table(gallery, material.variants)),
        action=counted,
        action_counts=counts,
        missing=missing_figures(material, figures),
        notes=tuple(notes(material, counted)),
        baselines=_columns(gallery, material, scored, counted, sets, baseline_tracks, rng),
    )


def _figures(
    gallery: Gallery, material: Material, scored: Scored, action: Action | None, counts: dict[str, tuple[int, ...]],
    rng: np.random.Generator,
) -> dict[str, Figure]:  # fmt: skip
    """Return all figures of the variants, by key."""
    figures = {key: _figure(key, scored, gallery) for key in BY_KEY if any(key in parts for parts in scored.variants)}
    figures |= set_figures(gallery, material, rng)
    if action:
        right = {name: [float(n == action.times) for n in numbers] for name, numbers in counts.items()}
        figures["action"] = Figure(
            "action", float(np.mean(right["variants"])), tuple(right["variants"]),
            extra=(float(np.mean(right["extra"])),) if right["extra"] else (), inputs=float(np.mean(right["inputs"])),
        )  # fmt: skip
    return figures


def _ordered(figures: dict[str, Figure]) -> tuple[Figure, ...]:
    return tuple(figures[kind.key] for kind in KINDS if kind.key in figures)


def _columns(
    gallery: Gallery, material: Material, scored: Scored, action: actions.Action | None,
    sets: Mapping[str, Sequence[Motion]], tracks: Sequence[Track], rng: np.random.Generator,
) -> tuple[Column, ...]:  # fmt: skip
    """Return the same figures for other sets, each in place of the variants."""
    columns, first = [], 0
    for name, motions in sets.items():
        set_tracks = list(tracks[first : first + len(motions)])
        first += len(motions)
        parts = [score_track(gallery, track) for track in set_tracks]
        as_variants = material._replace(variants=set_tracks)
        counts = _counts(gallery, as_variants, action)
        figures = _figures(gallery, as_variants, scored._replace(variants=parts), action, counts, rng)
        columns.append(Column(name, _ordered(figures)))
    return tuple(columns)


def score_track(gallery: Gallery, track: Track) -> Parts:
    """Return all figures of one clip."""
    parts: Parts = {}
    for measure in MEASURES:
        parts |= measure(gallery, track)
    return parts


def _score(gallery: Gallery, material: Material, report: Report) -> Scored:
    total, numbers = len(material.variants) + len(material.extra) + len(material.inputs), count()

    def one(against: Gallery, track: Track) -> Parts:
        report(Progress(0.05 + 0.85 * next(numbers) / total, f"scoring {track.name}"))
        return score_track(against, track)

    left_out = []
    for number, track in enumerate(material.inputs if len(material.inputs) > 1 else ()):
        others = [other for k, other in enumerate(material.inputs) if k != number]
        left_out.append(one(Gallery(material.layout, others), track))
    variants = [one(gallery, track) for track in material.variants]
    return Scored(variants, left_out, [one(gallery, track) for track in material.extra])


def _figure(key: str, scored: Scored, gallery: Gallery) -> Figure:
    parts = [clip[key] for clip in scored.variants if key in clip]
    pool = largest_of if BY_KEY[key].pooled == "max" else mean_of
    of_inputs = gallery.once(movement.input_values) | {"duration": float(np.mean([t.duration for t in gallery.inputs]))}

    def values(clips: list[Parts]) -> tuple[float, ...]:
        return tuple(one[key].value for one in clips if key in one and one[key].weight > 0)

    each = tuple(clip[key].value if key in clip else float("nan") for clip in scored.variants)
    return Figure(key, pool(parts), each, values(scored.left_out), values(scored.extra), of_inputs.get(key))


def _counts(gallery: Gallery, material: Material, action: actions.Action | None) -> dict[str, tuple[int, ...]]:
    if action is None:
        return {}
    sets = {"inputs": material.inputs, "variants": material.variants, "extra": material.extra}
    return {name: tuple(actions.performed(gallery, t, action) for t in tracks) for name, tracks in sets.items()}

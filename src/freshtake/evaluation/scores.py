"""The composer: every figure of the variants beside the same figure of real takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from freshtake.evaluation import actions, copies, coverage, diversity, feet, likeness, ranges, smoothness, span, timing
from freshtake.evaluation.absent import missing_figures, notes
from freshtake.evaluation.gallery import Gallery, Parts, largest_of, mean_of
from freshtake.evaluation.kinds import BY_KEY, KINDS
from freshtake.evaluation.material import Material, Motion, unpacked
from freshtake.evaluation.results import Evaluation, Figure
from freshtake.evaluation.tracks import Track
from freshtake.motion.progress import Progress, Report, silent

MEASURES: tuple[Callable[[Gallery, Track], Parts], ...] = (
    copies.measure, diversity.measure, span.measure, smoothness.measure, feet.measure, ranges.measure, timing.measure,
    coverage.measure,
)  # fmt: skip


class Scored(NamedTuple):
    """Parts per clip: of the variants, of each input against the other inputs, of each extra take."""

    variants: list[Parts]
    left_out: list[Parts]
    extra: list[Parts]


def evaluate(
    inputs: Sequence[Motion],
    variants: Sequence[Motion],
    extra: Sequence[Motion] = (),
    *,
    rng: np.random.Generator,
    action: str = "auto",
    report: Report = silent,
) -> Evaluation:
    """Score variants against the inputs they were made from, and against what further real takes score.

    `extra` are real takes that were not among the inputs. `action` names the quantity whose peaks are counted.
    """
    material = unpacked(inputs, variants, extra)
    gallery = Gallery(material.layout, material.inputs)
    counted = actions.find_action(gallery, action)
    scored = _score(gallery, material, report)
    report(Progress(0.9, "comparing sets"))
    figures = {key: _figure(key, scored, gallery) for key in BY_KEY if any(key in parts for parts in scored.variants)}
    figures |= _set_figures(gallery, material, rng)
    counts = _counts(gallery, material, counted)
    if counted:
        figures["action"] = _action_figure(counted, counts)
    inner = span.interpolation(gallery, rng) if len(material.inputs) > 1 else {}
    return Evaluation(
        kind=material.layout.kind,
        inputs=tuple(track.name for track in material.inputs),
        variants=tuple(track.name for track in material.variants),
        extra=tuple(track.name for track in material.extra),
        fps=1.0 / material.inputs[0].frame_time,
        size=material.layout.size,
        frames={name: tuple(len(t) for t in getattr(material, name)) for name in ("inputs", "variants", "extra")},
        figures=tuple(figures[kind.key] for kind in KINDS if kind.key in figures),
        interpolation={key: part.value for key, part in inner.items()},
        dofs=tuple(ranges.dof_table(gallery, material.variants)),
        action=counted,
        action_counts=counts,
        missing=missing_figures(material, figures),
        notes=tuple(notes(material, counted)),
    )


def score_track(gallery: Gallery, track: Track) -> Parts:
    """All figures of one clip."""
    parts: Parts = {}
    for measure in MEASURES:
        parts |= measure(gallery, track)
    return parts


def _score(gallery: Gallery, material: Material, report: Report) -> Scored:
    total = len(material.variants) + len(material.extra) + len(material.inputs)
    done = 0

    def one(against: Gallery, track: Track) -> Parts:
        nonlocal done
        report(Progress(0.05 + 0.85 * done / total, f"scoring {track.name}"))
        done += 1
        return score_track(against, track)

    left_out = []
    if len(material.inputs) > 1:
        for number, track in enumerate(material.inputs):
            others = [other for k, other in enumerate(material.inputs) if k != number]
            left_out.append(one(Gallery(material.layout, others), track))
    variants = [one(gallery, track) for track in material.variants]
    return Scored(variants, left_out, [one(gallery, track) for track in material.extra])


def _figure(key: str, scored: Scored, gallery: Gallery) -> Figure:
    parts = [found[key] for found in scored.variants if key in found]
    pool = largest_of if BY_KEY[key].pooled == "max" else mean_of
    own = feet.input_values(gallery) | {"duration": float(np.mean([t.duration for t in gallery.inputs]))}

    def values(found: list[Parts]) -> tuple[float, ...]:
        return tuple(one[key].value for one in found if key in one and one[key].weight > 0)

    each = tuple(found[key].value if key in found else float("nan") for found in scored.variants)
    return Figure(key, pool(parts), each, values(scored.left_out), values(scored.extra), own.get(key))


def _set_figures(gallery: Gallery, material: Material, rng: np.random.Generator) -> dict[str, Figure]:
    """Figures of whole sets, beside those of the extra takes (and of the inputs without one) as a set."""
    inputs, variants, extra = material.inputs, material.variants, material.extra
    found = {}
    others = copies.copied_from_others(gallery, variants)
    if others:
        shared = [part.value for part in copies.copied_from_others(gallery, [*inputs, *extra])]
        each, beside = tuple(part.value for part in others), tuple(shared[len(inputs) :])
        found["copied_others"] = Figure("copied_others", mean_of(others), each, tuple(shared[: len(inputs)]), beside)
    found |= _diversity_figures(gallery, material)
    if gallery.layout.has_body and np.isfinite(covered := coverage.set_coverage(gallery, variants)):
        together = (coverage.set_coverage(gallery, extra),) if extra else ()
        found["set_coverage"] = Figure("set_coverage", covered, extra=together)
    spread, of_inputs = timing.spread(variants), timing.spread(inputs)
    if np.isfinite(spread):
        real = timing.spread([*inputs, *extra])
        own = of_inputs if np.isfinite(of_inputs) else None
        found["duration_spread"] = Figure("duration_spread", spread, extra=_finite(real), inputs=own)
    return found | _likeness_figures(gallery, material, rng)


def _diversity_figures(gallery: Gallery, material: Material) -> dict[str, Figure]:
    inputs, variants, extra = material.inputs, material.variants, material.extra
    between, own = diversity.among(gallery, variants), diversity.among(gallery, inputs)
    if not np.isfinite(between):
        return {}
    without = [[t for t in inputs if t is not one] for one in inputs] if len(inputs) > 2 else []
    subsets = [diversity.among(gallery, kept) for kept in without]
    real = _finite(diversity.among(gallery, extra)) + _finite(
        diversity.among(gallery, [*inputs, *extra]) if extra else np.nan
    )
    found = {"between": Figure("between", between, (), tuple(subsets), real, own if np.isfinite(own) else None)}
    if own > 0:
        relative = [tuple(value / own for value in values) for values in (subsets, real)]
        found["diversity"] = Figure("diversity", between / own, (), relative[0], relative[1], 1.0)
    return found


def _likeness_figures(gallery: Gallery, material: Material, rng: np.random.Generator) -> dict[str, Figure]:
    inputs, variants, extra = material.inputs, material.variants, material.extra
    found = {}
    beside = likeness.tell_apart(gallery, inputs, extra, rng)
    reference = _finite(beside.auc) if beside else ()
    for key, real in (("auc", extra), ("auc_inputs", inputs)):
        count = likeness.PERMUTATIONS if key == "auc" else 0
        told = likeness.tell_apart(gallery, real, variants, rng, permutations=count)
        if told:
            found[key] = Figure(key, told.auc, extra=reference)
            if key == "auc":
                found["auc_p"] = Figure("auc_p", told.p, extra=_finite(beside.p) if beside else ())
    return found


def _counts(gallery: Gallery, material: Material, action: actions.Action | None) -> dict[str, tuple[int, ...]]:
    if action is None:
        return {}
    sets = {"inputs": material.inputs, "variants": material.variants, "extra": material.extra}
    return {name: tuple(actions.performed(gallery, t, action) for t in tracks) for name, tracks in sets.items()}


def _action_figure(action: actions.Action, counts: dict[str, tuple[int, ...]]) -> Figure:
    right = {name: [float(n == action.times) for n in found] for name, found in counts.items()}
    extra = (float(np.mean(right["extra"])),) if right["extra"] else ()
    own = float(np.mean(right["inputs"]))
    return Figure("action", float(np.mean(right["variants"])), tuple(right["variants"]), extra=extra, inputs=own)


def _finite(value: float) -> tuple[float, ...]:
    return (float(value),) if np.isfinite(value) else ()

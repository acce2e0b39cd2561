"""Figures of whole sets: how clips differ, whether a classifier can tell them apart, how DOFs vary together."""

from __future__ import annotations

import numpy as np

from freshtake.evaluation import coordination, copies, coverage, diversity, likeness, timing
from freshtake.evaluation.comparable import Material
from freshtake.evaluation.gallery import Gallery, mean_of
from freshtake.evaluation.realness_figures import realness_figures
from freshtake.evaluation.results import Figure


def set_figures(gallery: Gallery, material: Material, rng: np.random.Generator) -> dict[str, Figure]:
    """Figures of whole sets, beside those of the extra takes (and of the inputs without one) as a set."""
    inputs, variants, extra = material.inputs, material.variants, material.extra
    figures = realness_figures(material, rng)
    others = copies.copied_from_others(gallery, variants)
    if others:
        shared = [part.value for part in copies.copied_from_others(gallery, [*inputs, *extra])]
        each, beside = tuple(part.value for part in others), tuple(shared[len(inputs) :])
        figures["copied_others"] = Figure("copied_others", mean_of(others), each, tuple(shared[: len(inputs)]), beside)
    figures |= _diversity_figures(gallery, material)
    if gallery.layout.has_body and np.isfinite(covered := coverage.set_coverage(gallery, variants)):
        together = (coverage.set_coverage(gallery, extra),) if extra else ()
        figures["set_coverage"] = Figure("set_coverage", covered, extra=together)
    spread, of_inputs = timing.spread(variants), timing.spread(inputs)
    if np.isfinite(spread):
        real = timing.spread([*inputs, *extra])
        input_spread = of_inputs if np.isfinite(of_inputs) else None
        figures["duration_spread"] = Figure("duration_spread", spread, extra=_finite(real), inputs=input_spread)
    return figures | _covariation_figures(gallery, material) | _likeness_figures(gallery, material, rng)


def _covariation_figures(gallery: Gallery, material: Material) -> dict[str, Figure]:
    """How strongly deviations go together, against the inputs'."""
    if not gallery.layout.has_body or len(material.inputs) < 2:
        return {}
    of_inputs = coordination.covariation(gallery, material.inputs)
    value = coordination.covariation(gallery, material.variants)
    if not (np.isfinite(value) and of_inputs > 0):
        return {}
    real = _finite(coordination.covariation(gallery, material.extra) / of_inputs)
    return {"covariation": Figure("covariation", value / of_inputs, extra=real, inputs=1.0)}


def _diversity_figures(gallery: Gallery, material: Material) -> dict[str, Figure]:
    inputs, variants, extra = material.inputs, material.variants, material.extra
    between, of_inputs = diversity.among(gallery, variants), diversity.among(gallery, inputs)
    if not np.isfinite(between):
        return {}
    without = [[t for t in inputs if t is not one] for one in inputs] if len(inputs) > 2 else []
    subsets = [diversity.among(gallery, subset) for subset in without]
    real = _finite(diversity.among(gallery, extra)) + _finite(
        diversity.among(gallery, [*inputs, *extra]) if extra else np.nan
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
    beside = likeness.tell_apart(gallery, inputs, extra, rng)
    reference = _finite(beside.auc) if beside else ()
    for key, real in (("auc", extra), ("auc_inputs", inputs)):
        count = likeness.PERMUTATIONS if key == "auc" else 0
        likeness_to_real = likeness.tell_apart(gallery, real, variants, rng, permutations=count)
        if likeness_to_real:
            figures[key] = Figure(key, likeness_to_real.auc, extra=reference)
            if key == "auc":
                figures["auc_p"] = Figure("auc_p", likeness_to_real.p, extra=_finite(beside.p) if beside else ())
    return figures


def _finite(value: float) -> tuple[float, ...]:
    return (float(value),) if np.isfinite(value) else ()

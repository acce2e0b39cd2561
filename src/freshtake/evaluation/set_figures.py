"""Figures of whole sets: how clips differ from one another, how they are told apart, how they move together."""

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
    found = realness_figures(material, rng)
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
    return found | _covariation_figures(gallery, material) | _likeness_figures(gallery, material, rng)


def _covariation_figures(gallery: Gallery, material: Material) -> dict[str, Figure]:
    """How strongly deviations go together, against the inputs'."""
    if not gallery.layout.has_body or len(material.inputs) < 2:
        return {}
    own = coordination.covariation(gallery, material.inputs)
    value = coordination.covariation(gallery, material.variants)
    if not (np.isfinite(value) and own > 0):
        return {}
    real = _finite(coordination.covariation(gallery, material.extra) / own)
    return {"covariation": Figure("covariation", value / own, extra=real, inputs=1.0)}


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


def _finite(value: float) -> tuple[float, ...]:
    return (float(value),) if np.isfinite(value) else ()

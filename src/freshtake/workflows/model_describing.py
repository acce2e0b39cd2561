"""What is in a learned model, as facts to print."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from freshtake.errors import UsageError
from freshtake.formats.ftm.methods import method_of
from freshtake.motion.validation import fps_of
from freshtake.variation.model import VariationModel


def model_facts(model: Any) -> dict[str, Any]:
    """The facts of a model of any method."""
    method = method_of(model)
    if method is None:
        raise UsageError(f"a {type(model).__name__} is not a freshtake model")
    facts: dict[str, Any] = getattr(import_module("freshtake.workflows"), method.facts)(model)
    return facts


def variation_facts(model: VariationModel) -> dict[str, Any]:
    """Examples, DOFs, what was chosen, and how many parents nodes have (least, mean, most)."""
    material = model.material
    skeleton = None if material.recipe is None else material.recipe.skeleton
    return {
        "method": f"variation, {model.settings.method}",
        "motion": "cyclic" if model.cyclic else "acyclic",
        "examples": len(material.values),
        "example_frames": [len(rows) for rows in material.values],
        "fps": round(fps_of(model.frame_time), 3),
        "frame_time": model.frame_time,
        "joints": None if skeleton is None else len(skeleton),
        "dofs": len(model.dofs),
        **_network_facts(model),
        "dof_names": list(model.dofs),
    }


def _network_facts(model: VariationModel) -> dict[str, Any]:
    parents = _spread([len(parents) for parents in model.transition.edges])
    if model.dynamics is not None:
        seconds = (len(model.phase_frames) - 1) * model.frame_time / model.dynamics.slices
        return {"network_step_s": round(seconds, 4), "parents": parents}
    return {
        "order": model.transition.order,
        "neighbors": model.rule.neighbors,
        "kernel_width": model.rule.width,
        "velocity_weight": model.rule.velocity_weight,
        "parents": parents,
        "prior_parents": _spread([len(parents) for parents in model.prior.edges]),
    }


def _spread(counts: list[int]) -> dict[str, float]:
    return {"least": min(counts), "mean": round(sum(counts) / len(counts), 2), "most": max(counts)}

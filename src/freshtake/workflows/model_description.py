"""What is in a learned model, as facts to print."""

from __future__ import annotations

from typing import Any

from freshtake.motion.validation import nominal_fps
from freshtake.variation.model import VariationModel


def model_facts(model: VariationModel) -> dict[str, Any]:
    """Examples, DOFs, the chosen numbers of the regression, and how many parents nodes have (least, mean, most)."""
    material = model.material
    skeleton = None if material.recipe is None else material.recipe.skeleton
    return {
        "method": f"variation, {model.settings.method}",
        "motion": "cyclic" if model.cyclic else "acyclic",
        "examples": len(material.values),
        "example_frames": [len(rows) for rows in material.values],
        "fps": round(nominal_fps(model.frame_time), 3),
        "frame_time": model.frame_time,
        "joints": None if skeleton is None else len(skeleton),
        "dofs": len(model.dofs),
        "order": model.transition.order,
        "neighbors": model.rule.neighbors,
        "kernel_width": model.rule.width,
        "velocity_weight": model.rule.velocity_weight,
        "parents": _spread([len(parents) for parents in model.transition.edges]),
        "prior_parents": _spread([len(parents) for parents in model.prior.edges]),
        "dof_names": list(model.dofs),
    }


def _spread(counts: list[int]) -> dict[str, float]:
    return {"least": min(counts), "mean": round(sum(counts) / len(counts), 2), "most": max(counts)}

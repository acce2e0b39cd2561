"""What is in a learned model, as facts to print."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

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
        "method": "variation",
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
    """Return how much of how takes differ comes from whole takes, and how far a further take usually deviates."""
    deviations = model.deviations
    size = np.sqrt((deviations.total_sizes**2).mean(axis=0)) * model.material.weights
    return {
        "whole_takes_share": round(float(deviations.share.min()), 3),
        "deviation": round(float(np.sqrt((size**2).mean())), 6),
    }

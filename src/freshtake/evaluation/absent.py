"""Why a figure is not there, and what else a reader has to know: one sentence each."""

from __future__ import annotations

from collections.abc import Container

from freshtake.evaluation.actions import Action
from freshtake.evaluation.kinds import ACTIONS, COVER, FEET, KINDS, MANNER, TOGETHER
from freshtake.evaluation.material import Material

BODILY = {"planted_speed", "tempo_share", "tempo_off", "root_step", "jerk_limbs_full", "jerk_limbs", "jerk_limbs_p99"}
BODILY_GROUPS = (FEET, ACTIONS, COVER, TOGETHER, MANNER)
REASONS = {
    "auc": "it takes at least two extra takes and two variants to try a classifier on clips it has not seen",
    "auc_p": "it belongs to the AUC against extra takes",
    "auc_inputs": "it takes at least two inputs and two variants",
    "action": "no quantity stands out that peaks equally often in all inputs",
    "diversity": "it takes two variants and two inputs that differ",
    "between": "it takes two variants",
    "copied_others": "it takes two variants",
    "duration_spread": "it takes two variants",
    "outside_span": "it takes two inputs that differ",
    "outside_frames": "it takes two inputs that differ, and fewer inputs than DOFs",
    "jerk_limbs_full": "the variants have another rate than the inputs",
    "coordination": "fewer than two DOFs move in the inputs",
    "coordination_sides": "no joints are called left and right, or none of them moves",
    "hip_jerk": "the hips of the inputs never move",
    "static": "a variant equals the inputs' mean",
    "peak": "the inputs never move",
    "foot_path": "no foot was found, or none of the inputs' feet moves",
    "depth": "no foot was found",
    "travel": "the inputs stay where they are",
    "swing_hands": "it takes two hands, three inputs and three variants that differ",
    "swing_feet": "it takes two feet, three inputs and three variants that differ",
    "energy": "it takes extra takes, two inputs and two variants that differ",
    "variogram": "it takes extra takes, two inputs and two variants that differ",
    "ties": "it takes two inputs that differ and at least as many variants",
}


def missing_figures(material: Material, figures: Container[str]) -> dict[str, str]:
    """Per figure that does not apply, the reason."""
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
    """What was done to make the clips comparable, what is missing, and which action was counted."""
    found = list(material.notes)
    if len(material.inputs) < 2 and not material.extra:
        found.append("with one input and no extra takes there is no real take to compare with")
    elif not material.extra:
        found.append("without extra takes, real takes are the inputs, each scored against the others")
    if not material.layout.has_body:
        found.append("lengths are in % of a stroke's diagonal; figures of feet, joints and actions do not apply")
    if action:
        found.append(f"the action is a peak of the {action.quantity.replace('-', ' ')} above {action.begin:.4g}")
    return found

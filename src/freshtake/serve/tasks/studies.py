"""The task that makes a study: stimuli under names that say nothing, an order for every participant, the key."""

from __future__ import annotations

import re

from freshtake.serve.tasks.context import Context


def study_design(
    context: Context,
    *,
    items: list[str],
    inputs: list[str],
    captured: list[str],
    experiments: list[str],
    name: str = "study",
    participants: int = 15,
    trials: int = 15,
    clips: int = 15,
    sequences: int = 15,
    seed: int = 0,
) -> None:
    """Experiment A shows variants (`items`) among captured takes, B long sequences of them among cycle animations."""
    from freshtake.workflows.motion_studying import StudyPlan, StudySets
    from freshtake.workflows.motion_studying import study_design as design

    motion = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")[:40] or "motion"
    folder = context.folder / "study"
    files = [[context.path(id) for id in ids] for ids in (captured, inputs)]
    sets = StudySets(files[0], files[1], experiments, "bvh", seed)
    plan = StudyPlan(participants, trials, clips, sequences)
    variants = [context.path(id) for id in items]
    made = design(folder, motion, variants, sets=sets, plan=plan, report=context.progress)
    facts = {
        "what": "study",
        "experiments": experiments,
        "stimuli": len(made.stimuli),
        "participants": participants,
        "trials": made.trials // participants,
    }
    settings = {"variants": items, "inputs": inputs, "captured": captured, "seed": seed}
    context.add("report", name, folder, facts, settings=settings)

"""Tasks of the compare tab: noise and replays to look at beside variants, and the evaluation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.serve.tasks.context import Context, motion_sets

MOST = 60
MOST_CLIPS = 60


@one_blas_thread()
def noise(
    context: Context,
    *,
    items: list[str],
    kind: str = "strawman",
    number: int = 4,
    matched: Sequence[str] = (),
    clips: int = 1,
    seed: int = 0,
) -> None:
    """Make baselines of takes: noise that changes them as much as the variants in `matched`, mixtures, or replays."""
    from freshtake.evaluation.baselines import basis_of, changes, make
    from freshtake.evaluation.baselines.making import check_kind, match
    from freshtake.motion.cycles.seams import join

    check_kind(kind)
    if not items:
        raise UsageError("baselines are made from takes: choose some")
    if not (1 <= number <= MOST and 1 <= clips <= MOST_CLIPS):
        raise UsageError(f"1 to {MOST} baselines of 1 to {MOST_CLIPS} clips can be made at a time")
    takes, variants = motion_sets(context, items, matched)
    basis = basis_of(takes)
    amount = None
    if variants and kind not in ("convex", "replay"):
        context.report("matching the amount", 0.0, 1.0)
        amount = match(basis, kind, changes(basis, variants), np.random.default_rng([seed, 0])).amount
    for k in range(1, number + 1):
        context.report(kind, k - 1, number)
        rng, name = np.random.default_rng([seed, k]), f"{kind}_{k:03d}"
        parts = [make(basis, kind, rng, amount=amount, name=name).motion for _ in range(clips)]
        if clips > 1 and not isinstance(parts[0], Clip):
            raise UsageError("only takes with a skeleton can be joined: ask for one clip each")
        motion = join(parts).changed(name=name) if clips > 1 else parts[0]
        context.add_motion(
            "variant", name, motion, seed=seed, settings={"kind": kind, "amount": amount, "clips": clips},
            facts={"method": kind, "baseline": True}, group=f"{kind} baseline",
        )  # fmt: skip


@one_blas_thread()
def evaluate(
    context: Context,
    *,
    items: list[str],
    inputs: list[str],
    extra: Sequence[str] = (),
    baselines: Sequence[str] = (),
    name: str = "evaluation",
) -> None:
    """Measure variants (`items`) next to real takes, and make the report as a page."""
    from freshtake.reports.verdict import verdict_of
    from freshtake.workflows.evaluating import EvaluationOptions, evaluate_motions

    if not items or len(inputs) < 2:
        raise UsageError("an evaluation needs variants and at least two takes to compare them with: choose both")
    context.report("reading", 0.0, 1.0)
    takes, variants, more = motion_sets(context, inputs, items, extra)
    page = context.folder / "report.html"
    result = evaluate_motions(
        takes, variants, more, target=page, options=EvaluationOptions(baselines=list(baselines), title=name),
        report=context.progress,
    ).result  # fmt: skip
    verdict, result_dict = verdict_of(result), result.as_dict()
    baseline_figures = result_dict["baselines"]
    rows = [
        {"key": key, **{word: figure[word] for word in ("title", "group", "unit", "value", "verdict")},
         "real": [figure["real_low"], figure["real_high"]],
         "baselines": {name: values[key]["value"] for name, values in baseline_figures.items() if key in values}}
        for key, figure in result_dict["figures"].items()
    ]  # fmt: skip
    facts = {
        "usable": verdict.usable,
        "verdict": verdict.sentence,
        "figures": rows,
        "baselines": list(result_dict["baselines"]),
        "variants": len(variants),
        "inputs": len(takes),
        "notes": result_dict["notes"],
    }
    context.add("report", name, page, {"what": "evaluation", **facts}, settings={"variants": items, "inputs": inputs})


def study_design(
    context: Context,
    *,
    items: list[str],
    inputs: list[str],
    captured: list[str],
    experiment: str,
    name: str = "study",
    **plan: Any,
) -> None:
    """Show variants (`items`) by the experiments A to D of `workflows.evaluating.study_design`."""
    from freshtake.requests.evaluation import StudyDesign
    from freshtake.workflows import study_design as design

    files = [[context.path(id) for id in ids] for ids in (items, inputs, captured)]
    request = StudyDesign(
        variants=files[0], inputs=files[1], captured=files[2], experiment=experiment, out=context.folder / "study",
        **{**plan, "motion": re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")[:40] or "motion"},
    )  # fmt: skip
    made = design(request, context.progress)
    facts = {
        "what": "study",
        "experiments": list(experiment),
        "stimuli": len(made.stimuli),
        "participants": request.participants,
        "trials": made.trials // request.participants,
    }
    settings = {"variants": items, "inputs": inputs, "captured": captured, "seed": request.seed}
    context.add("report", name, request.out, facts, settings=settings)

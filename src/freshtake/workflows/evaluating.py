"""Variants judged beside takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.evaluation import Evaluation
from freshtake.evaluation import evaluate as score
from freshtake.formats.read_options import Motion
from freshtake.formats.report_files import can_plot, check_report_target, write_report
from freshtake.formats.take_files import take_files
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip
from freshtake.motion.verdict import Verdict, judge, standard_of
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.reports.evaluation_page import page
from freshtake.reports.plots import Picture, pictures
from freshtake.reports.viewport.staging import scene_of
from freshtake.requests.evaluation import Evaluate
from freshtake.workflows.inputs import model_of, read_sets

MOST_SHOWN = 40  # motions of each kind in the page's viewport

# The baselines that `--baselines` scores beside the variants.
KINDS = ("strawman", "perlin", "pca", "convex", "replay")


class Evaluated(NamedTuple):
    """The figures, the files that were written, and the body checks that every command makes of its motions."""

    result: Evaluation
    written: list[Path]
    checks: Sequence[Verdict] = ()


class EvaluationOptions(NamedTuple):
    """Which peaks are counted, which baselines are scored beside the variants, and what the report is called.

    `baselines` names kinds of noise, combination and replay that are made of the inputs.
    """

    action: str = "auto"
    seed: int = 7
    title: str = ""
    baselines: Sequence[str] = ()


EVALUATION_OPTIONS = EvaluationOptions()


@one_blas_thread()
def evaluate(request: Evaluate, report: Report = silent, warn: Callable[[str], None] | None = None) -> Evaluated:
    """Score variants against their inputs and further real takes; write a report if a target is given.

    Args:
        request: The files; with `model`, the report shows which joints vary together.
        report: Called with the progress.
        warn: Called with sentences for the user.

    Returns:
        All figures, and the files that were written.
    """
    for option, paths in (("--inputs", request.inputs), ("--outputs", request.outputs)):
        if not paths:
            raise UsageError(f"evaluate needs {option}: name at least one file")
    if request.model is not None and request.out is None:
        raise UsageError("--model draws what varies together into the report: name one with -o")
    if request.out is not None:
        check_report_target(request.out)
    more = () if request.model is None else _networks(request.model)
    report(Progress(0.0, "reading"))
    files = [take_files(paths or []) for paths in (request.inputs, request.outputs, request.extra)]
    sets = read_sets(files, request.reading(warn))
    kinds = KINDS if request.baselines else ()
    options = EvaluationOptions(request.action, request.seed, request.title, kinds)
    return evaluate_motions(*sets, options=options, target=request.out, more=more, report=report)


def _checks(inputs: Sequence[Motion], variants: Sequence[Motion]) -> list[Verdict]:
    """Judge variants on the skeleton of their takes as `vary` does, so that both commands say the same."""
    clips = [motion for motion in inputs if isinstance(motion, Clip)]
    if not clips or any(not isinstance(one, Clip) or one.skeleton.names != clips[0].skeleton.names for one in variants):
        return []
    standard = standard_of(clips)
    return [judge(one, standard) for one in variants if isinstance(one, Clip)]


def _networks(model: Path) -> Sequence[Picture]:
    from freshtake.reports.network_pictures import network_pictures

    loaded = model_of(model, "variation")
    return network_pictures(loaded) if can_plot() else ()


@one_blas_thread()
def evaluate_motions(
    inputs: Sequence[Motion],
    variants: Sequence[Motion],
    extra: Sequence[Motion] = (),
    *,
    target: Path | None = None,
    options: EvaluationOptions = EVALUATION_OPTIONS,
    more: Sequence[Picture] = (),
    report: Report = silent,
) -> Evaluated:
    """Score variants in memory beside inputs and extra takes.

    `more` are further pictures for the report, such as a model's networks.
    """

    def scoring(step: Progress) -> None:
        report(Progress(0.75 * step.share, step.what))

    other_sets = _baselines(inputs, variants, options.baselines, options.seed, report) if options.baselines else {}
    result = score(
        inputs,
        variants,
        extra,
        rng=np.random.default_rng(options.seed),
        action=options.action,
        baselines=other_sets,
        report=scoring,
    )
    checks = _checks(inputs, variants)
    if target is None:
        return Evaluated(result, [], checks)
    report(Progress(0.78, "drawing"))
    drawn = [*pictures(inputs, variants, extra), *more] if can_plot() else []
    sets = (("input", inputs), ("variant", list(variants)[:MOST_SHOWN]), ("extra", list(extra)[:MOST_SHOWN]))
    title = options.title or f"{len(result.variants)} variants of {len(result.inputs)} takes"
    html = page(result, drawn, title, scene_of(sets), checks)
    written = write_report(target, html, result.as_dict(), {picture.name: picture.png for picture in drawn})
    return Evaluated(result, written, checks)


def _baselines(
    inputs: Sequence[Motion], variants: Sequence[Motion], kinds: Sequence[str], seed: int, report: Report
) -> dict[str, list[Any]]:
    from freshtake.evaluation.baselines import baseline_sets

    report(Progress(0.02, "making baselines"))
    return baseline_sets(inputs, variants, kinds=kinds, rng=np.random.default_rng([seed, len(variants)]))

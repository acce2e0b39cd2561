"""How good are variants: read them, score them beside real takes, write the report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.evaluation import Evaluation
from freshtake.evaluation import evaluate as score
from freshtake.formats.read_options import Motion
from freshtake.formats.report_files import check_report_target, write_report
from freshtake.methods.progress import Progress, Report, silent
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.reports.evaluation_page import page
from freshtake.reports.plots import Picture, pictures
from freshtake.reports.viewport.staging import scene_of
from freshtake.workflows.takes_reading import read_sets

MOST_SHOWN = 40  # motions of each kind in the page's viewport


class Evaluated(NamedTuple):
    """The figures, and the files that were written."""

    result: Evaluation
    written: list[Path]


class EvaluationFiles(NamedTuple):
    """The takes that were learned from, the variants, and further real takes."""

    inputs: Sequence[Path]
    variants: Sequence[Path]
    extra: Sequence[Path] = ()


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
def motion_evaluate(
    files: EvaluationFiles,
    *,
    target: Path | None = None,
    options: EvaluationOptions = EVALUATION_OPTIONS,
    model: Path | None = None,
    reading: dict[str, Any] | None = None,
    report: Report = silent,
) -> Evaluated:
    """Score the variants in files against their inputs and further real takes; write a report if a target is given.

    With `model`, the report shows its networks.
    """
    if target is not None:
        check_report_target(target)
    more = () if model is None or target is None else _networks(model)
    report(Progress(0.0, "reading"))
    sets = read_sets(files, reading)
    return evaluate_motions(*sets, options=options, target=target, more=more, report=report)


def _networks(model: Path) -> Sequence[Picture]:
    from freshtake.reports.network_pictures import network_pictures
    from freshtake.workflows.variation_explaining import variation_model

    return network_pictures(variation_model(model))


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
    if target is None:
        return Evaluated(result, [])
    report(Progress(0.78, "drawing"))
    drawn = [*pictures(inputs, variants, extra), *more]
    sets = (("input", inputs), ("variant", list(variants)[:MOST_SHOWN]), ("extra", list(extra)[:MOST_SHOWN]))
    html = page(
        result, drawn, options.title or f"{len(result.variants)} variants of {len(result.inputs)} takes", scene_of(sets)
    )
    written = write_report(target, html, result.as_dict(), {picture.name: picture.png for picture in drawn})
    return Evaluated(result, written)


def _baselines(
    inputs: Sequence[Motion], variants: Sequence[Motion], kinds: Sequence[str], seed: int, report: Report
) -> dict[str, list[Any]]:
    from freshtake.evaluation.baselines import baseline_sets

    report(Progress(0.02, "making baselines"))
    return baseline_sets(inputs, variants, kinds=kinds, rng=np.random.default_rng([seed, len(variants)]))

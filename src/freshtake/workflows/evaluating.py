"""How good are variants: read them, score them beside real takes, write the report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.evaluation import Evaluation, Picture, page, pictures
from freshtake.evaluation import evaluate as score
from freshtake.formats.options import Motion
from freshtake.formats.registry import read
from freshtake.formats.report import check_report_target, write_report
from freshtake.motion.progress import Progress, Report, silent


class Evaluated(NamedTuple):
    """The figures, and the files that were written."""

    result: Evaluation
    written: list[Path]


def evaluate(
    inputs: Sequence[Path],
    outputs: Sequence[Path],
    extra: Sequence[Path] = (),
    *,
    target: Path | None = None,
    reading: dict[str, Any] | None = None,
    action: str = "auto",
    seed: int = 7,
    title: str = "",
    report: Report = silent,
) -> Evaluated:
    """Score the variants in files against their inputs and further real takes; write a report if a target is given."""
    if target is not None:
        check_report_target(target)
    report(Progress(0.0, "reading"))
    sets = [[read(path, **(reading or {})) for path in paths] for paths in (inputs, outputs, extra)]
    return evaluate_motions(*sets, target=target, action=action, seed=seed, title=title, report=report)


def evaluate_motions(
    inputs: Sequence[Motion],
    variants: Sequence[Motion],
    extra: Sequence[Motion] = (),
    *,
    target: Path | None = None,
    action: str = "auto",
    seed: int = 7,
    title: str = "",
    more: Sequence[Picture] = (),
    report: Report = silent,
) -> Evaluated:
    """The same for motions in memory; `more` are further pictures for the report, such as a model's networks."""

    def scoring(step: Progress) -> None:
        report(Progress(0.75 * step.share, step.what))

    result = score(inputs, variants, extra, rng=np.random.default_rng(seed), action=action, report=scoring)
    if target is None:
        return Evaluated(result, [])
    report(Progress(0.78, "drawing"))
    drawn = [*pictures(inputs, variants, extra), *more]
    html = page(result, drawn, title or f"{len(result.variants)} variants of {len(result.inputs)} inputs")
    written = write_report(target, html, result.as_dict(), {picture.name: picture.png for picture in drawn})
    return Evaluated(result, written)

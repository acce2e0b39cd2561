"""What a model has learned: what predicts what, how strongly, and how likely a clip is under it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from freshtake.formats.registry import read
from freshtake.formats.report_files import check_report_target, write_report
from freshtake.methods.gathering import fitted
from freshtake.methods.progress import Progress, Report, silent
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.reports.explain_page import explain_page
from freshtake.reports.explanation import Explanation, explanation
from freshtake.reports.likelihood_map import ClipLikelihood, clip_likelihood, likelihood_figure
from freshtake.reports.network_pictures import joint_pictures, network_pictures
from freshtake.reports.plots import Picture, png
from freshtake.variation.model import VariationModel
from freshtake.workflows.model_describing import model_facts
from freshtake.workflows.model_kinds import model_of


class Explained(NamedTuple):
    """The edges with their strengths, facts of the model, sentences about the clip, and the files that were written."""

    explanation: Explanation
    facts: dict[str, Any]
    notes: list[str]
    written: list[Path]


@one_blas_thread()
def variation_explain(
    source: Path,
    *,
    joint: str = "",
    clip: Path | None = None,
    target: Path | None = None,
    reading: dict[str, Any] | None = None,
    report: Report = silent,
) -> Explained:
    """Parents of a joint's DOFs with their strengths, or the whole network; write a page if a target is given.

    With `clip`, how likely this clip is under the model, frame by frame and joint by joint.
    """
    if target is not None:
        check_report_target(target)
    model = variation_model(source)
    scored = None
    if clip is not None:
        report(Progress(0.05, f"scoring {clip.name}"))
        scored = clip_likelihood(model, fitted(read(clip, **(reading or {})), model.material.recipe), clip.name)
    report(Progress(0.3, "dropping edges one at a time"))
    edges = explanation(model, joint)
    facts = {"model": model_facts(model), **edges.as_dict(), "clip": None if scored is None else scored.as_dict()}
    notes = [] if scored is None else scored.sentences()
    if target is None:
        return Explained(edges, facts, notes, [])
    report(Progress(0.6, "drawing"))
    pictures = [*_scored_pictures(scored, edges), *(joint_pictures(model, edges) if joint else network_pictures(model))]
    title = f"{source.name}: {joint}" if joint else f"{source.name}: what predicts what"
    page = explain_page(edges, facts["model"], pictures, title, notes)
    written = write_report(target, page, facts, {picture.name: picture.png for picture in pictures})
    return Explained(edges, facts, notes, written)


def _scored_pictures(scored: ClipLikelihood | None, edges: Explanation) -> list[Picture]:
    if scored is None:
        return []
    figure = likelihood_figure(scored, (edges.joint, *[dof.rsplit(".", 1)[0] for dof in edges.dofs if edges.joint]))
    caption = "red: less likely than the examples usually are at this joint; blue: more likely"
    return [Picture("likelihood", f"How likely {scored.name} is", caption, png(figure), True)]


def variation_model(source: Path) -> VariationModel:
    """The model in a file; models of other methods are refused."""
    model: VariationModel = model_of(source, "variation")
    return model

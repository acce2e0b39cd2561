"""What a model has learned: which joints vary together, and where a clip is unlike the takes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from freshtake.errors import UsageError
from freshtake.formats.ftm import read_stored
from freshtake.formats.registry import read
from freshtake.formats.report_files import can_plot, check_report_target, write_report
from freshtake.methods.gathering import fitted
from freshtake.methods.progress import Progress, Report, silent
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.reports.explanation import Explanation, explain_page, explanation
from freshtake.reports.likelihood_map import ClipLikelihood, clip_likelihood, likelihood_figure
from freshtake.reports.network_pictures import joint_pictures, network_pictures
from freshtake.reports.plots import Picture, png
from freshtake.requests.variation import Explain
from freshtake.variation.model import VariationModel
from freshtake.variation.paper.model import PaperModel
from freshtake.workflows.describing import model_facts, paper_facts
from freshtake.workflows.inputs import checked


def paper_explain(model: PaperModel, joint: str = "") -> dict[str, Any]:
    """Return what predicts the DOFs of a joint, or of all: parents in both networks, and those that all nodes share."""
    chosen = [name for name in model.dofs if joint in ("", name, name.rpartition(".")[0])]
    if not chosen:
        joints = sorted({name.rpartition(".")[0] or name for name in model.dofs})
        raise UsageError(f"there is no {joint!r} in this model; there are {', '.join(joints)}")
    shared = set.intersection(*map(set, model.transition.edges))
    return {
        "model": paper_facts(model),
        "shared_parents": [model.transition.name(p) for p in sorted(shared)],
        "transition": {name: list(model.transition.parents(name)) for name in chosen},
        "prior": {f"{name}[{k}]": list(model.prior.parents(f"{name}[{k}]")) for name in chosen for k in (0, 1)},
    }


class PaperExplained(NamedTuple):
    """What predicts what in the paper's networks."""

    facts: dict[str, Any]


class Explained(NamedTuple):
    """The edges with their strengths, facts of the model, sentences about the clip, and the files that were written."""

    explanation: Explanation
    facts: dict[str, Any]
    notes: list[str]
    written: list[Path]


@one_blas_thread()
def explain(
    request: Explain, report: Report = silent, warn: Callable[[str], None] | None = None
) -> Explained | PaperExplained:
    """Find which DOFs vary together, of one joint or of all, and how strongly; write a page if a target is given.

    Args:
        request: The model; with `clip`, how likely that clip is, frame by frame and joint by joint, is shown too.
        report: Called with the progress.
        warn: Called with sentences for the user.

    Returns:
        The links with their strengths; of a model of the paper's own method, the parents in its networks.
    """
    target, joint = request.out, request.joint
    stored = read_stored(request.model)
    if stored.method == "paper":
        if request.clip is not None or target is not None:
            raise UsageError("of a model of --method paper only the networks are shown: leave --clip and --out out")
        return PaperExplained(paper_explain(stored.model, joint))
    if target is not None:
        check_report_target(target)
    model: VariationModel = checked(stored, request.model, "variation").model
    scored = None
    if request.clip is not None:
        report(Progress(0.05, f"scoring {request.clip.name}"))
        motion = fitted(read(request.clip, **request.reading(warn)), model.material.recipe)
        scored = clip_likelihood(model, motion, request.clip.name)
    report(Progress(0.3, "dropping edges one at a time"))
    edges = explanation(model, joint)
    facts = {"model": model_facts(model), **edges.as_dict(), "clip": None if scored is None else scored.as_dict()}
    notes = [] if scored is None else scored.sentences()
    if target is None:
        return Explained(edges, facts, notes, [])
    report(Progress(0.6, "drawing"))
    pictures: list[Picture] = []
    if can_plot():
        pictures = _scored_pictures(scored, edges)
        pictures += joint_pictures(model, edges) if joint else network_pictures(model)
    title = f"{request.model.name}: {joint}" if joint else f"{request.model.name}: what predicts what"
    page = explain_page(edges, facts["model"], pictures, title, notes)
    written = write_report(target, page, facts, {picture.name: picture.png for picture in pictures})
    return Explained(edges, facts, notes, written)


def _scored_pictures(scored: ClipLikelihood | None, edges: Explanation) -> list[Picture]:
    if scored is None:
        return []
    figure = likelihood_figure(scored, (edges.joint, *[dof.rsplit(".", 1)[0] for dof in edges.dofs if edges.joint]))
    caption = "red: less likely than the examples usually are at this joint; blue: more likely"
    return [Picture("likelihood", f"How likely {scored.name} is", caption, png(figure), True)]

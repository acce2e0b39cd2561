"""Learn a model by the default or the paper's method, describe it, and select similar takes (Lau 2009, §9)."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.ftm import check_model_target, is_model, read_stored, save
from freshtake.formats.ftm.io import method_of
from freshtake.formats.ftm.variation import MOST_DOFS
from freshtake.formats.read_options import Motion
from freshtake.formats.registry import take_files
from freshtake.formats.report_files import check_figure_target, require_plots, write_figure
from freshtake.methods.gathering import fitted, heading_note
from freshtake.methods.progress import Report, Warn, silent, unheard
from freshtake.motion import Clip, MeshSequence
from freshtake.motion.check import NOTE, check_set
from freshtake.motion.check.checks import check_shaking
from freshtake.motion.validation import fps_of
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.requests.variation import Learn, Select
from freshtake.variation.deviations import Settings
from freshtake.variation.model import VariationModel
from freshtake.variation.selection.candidates import Selection
from freshtake.workflows.inputs import generator, model_of, read_sets

if TYPE_CHECKING:
    from freshtake.variation.paper import PaperModel

# Fields of the request for the paper's own method only.
PAPER_FIELDS = ("order", "neighbors", "kernel_width", "velocity_weight", "max_parents", "prior_starts")


@one_blas_thread()
def learn(
    request: Learn, report: Report = silent, warn: Warn = unheard, settings: Settings | None = None
) -> VariationModel | PaperModel:
    """Read takes, learn a model and write it.

    With `request.structure` nothing is learned: another model's structure gets these takes as its examples; one take
    is enough. `settings` of the default method are for experiments.
    """
    given = request.given(PAPER_FIELDS)
    others = given or request.method or request.cyclic is not None or request.keep or request.pieces == "cycles"
    old = request.structure
    if old is not None and others:
        raise UsageError("--structure brings its own settings and uses clips as they are: leave the others out")
    check_model_target(request.out)
    if request.method == "paper" or (
        old is not None and old.is_file() and is_model(old) and read_stored(old).method == "paper"
    ):
        return _learn_paper(request, given, report, warn)
    if request.method not in (None, "default"):
        raise UsageError(f"method must be one of default, paper, but is {request.method!r}")
    for name in given:
        raise UsageError(f"--{name.replace('_', '-')} is for --method paper: add it, or leave this option out")
    sources, motions = _takes(request, warn)
    for motion in motions:
        for finding in check_shaking(motion) if isinstance(motion, Clip) else ():
            warn(finding.sentence)
    if old is not None:
        similar: VariationModel = model_of(old, "variation")
        model = similar.with_examples([fitted(motion, similar.material.recipe) for motion in motions])
    else:
        # Imported here because a model with another's structure does not need the learner.
        from freshtake.variation.learning import ingest, learn_examples

        taken = ingest(motions, pieces=request.pieces, keep=request.keep, cyclic=request.cyclic)
        for sentence in taken.sentences:
            warn(sentence)
        model = learn_examples(taken.examples, settings, cyclic=taken.cyclic, report=report)
        sources = [sources[number] for number in taken.takes]
    save(request.out, model, sources=[path.name for path in sources])
    return model


def _learn_paper(request: Learn, given: dict[str, Any], report: Report, warn: Warn) -> PaperModel:
    """Learn both networks of the paper; with `request.structure`, reuse the networks of another model (§8)."""
    from freshtake.variation.paper.learning import learn as learn_from
    from freshtake.variation.paper.model import Settings as PaperSettings

    sources, motions = _takes(request, warn)
    model: PaperModel
    if request.structure is None:
        settings = {"restarts" if name == "prior_starts" else name: value for name, value in given.items()}
        rng, chosen = generator(request.seed), PaperSettings(**settings)
        model = learn_from(motions, chosen, rng=rng, cyclic=request.cyclic, report=report)
    else:
        old: PaperModel = model_of(request.structure, "paper")
        model = old.with_examples([fitted(motion, old.material.recipe) for motion in motions])
    save(request.out, model, sources=[path.name for path in sources])
    return model


def _takes(request: Learn, warn: Warn) -> tuple[list[Path], list[Motion]]:
    """Read the takes, refuse takes that cannot be learned together, and warn about oddities."""
    sources = take_files(request.takes)
    (motions,) = read_sets([sources], request.reading(warn))
    for path, motion in zip(sources, motions, strict=True):
        if isinstance(motion, MeshSequence) and motion.vertices[0].size > MOST_DOFS:
            raise UsageError(
                f"{path} is a mesh of {motion.vertices.shape[1]} vertices, too many to vary: freshtake texture learn "
                "makes endless, looped and steered motion from it"
            )
    if (note := heading_note(motions)) is not None:
        warn(note)
    for finding in check_set(motions):
        if finding.severity != NOTE:
            raise UsageError(finding.sentence)
        warn(finding.sentence)
    return sources, motions


class Selected(NamedTuple):
    """Files of the candidates in order, and the selection."""

    sources: tuple[Path, ...]
    selection: Selection

    def as_dict(self) -> dict[str, Any]:
        """Return the similar clips, and the others with reasons, for JSON."""
        pairs = list(zip(self.sources, self.selection.verdicts, strict=True))
        rejected = [{"clip": path, "reason": verdict.reason} for path, verdict in pairs if not verdict.kept]
        return {"kept": [path for path, verdict in pairs if verdict.kept], "rejected": rejected}


@one_blas_thread()
def select(request: Select, report: Report = silent, warn: Warn = unheard) -> Selected:
    """Find the clips that are similar to the trusted ones; `request.picture` shows why others are rejected."""
    from freshtake.reports.selection_figure import selection_figure
    from freshtake.variation.selection.selecting import select as select_from

    sources, trusted = take_files(request.clips), take_files(request.trusted or [])
    if not sources:
        raise UsageError("there is nothing to select from: name the clips first, then --trusted and the clips to trust")
    if not trusted:
        raise UsageError("name clips that are known to be good: --trusted CLIP...")
    if request.picture is not None:
        require_plots()
        check_figure_target(request.picture)
    trusted_motions, motions = read_sets([trusted, sources], request.reading(warn))
    selection = select_from(
        motions, trusted_motions, rng=generator(request.seed), percentile=request.percentile, report=report,
        measure="likelihood" if request.likelihood or request.among else "difference",
        groups="candidates" if request.among else "trusted",
    )  # fmt: skip
    for path, verdict in zip(sources, selection.verdicts, strict=True):
        for note in verdict.notes:
            warn(f"{path.name} was {note}")
    for number in selection.doubtful:
        warn(f"{trusted[number].name} is unlike the other trusted clips, so too many clips seem similar: leave it out")
    if request.picture is not None:
        write_figure(request.picture, selection_figure(selection, [path.stem for path in sources]))
    return Selected(tuple(sources), selection)


def model_facts(model: Any) -> dict[str, Any]:
    """Return the facts of a model of any method."""
    method = method_of(model)
    if method is None:
        raise UsageError(f"a {type(model).__name__} is not a freshtake model")
    facts: dict[str, Any] = getattr(import_module("freshtake.workflows"), method.facts)(model)
    return facts


def variation_facts(model: VariationModel) -> dict[str, Any]:
    """Return the facts of a variation model: its examples, and the deviation of a further take."""
    deviations = model.deviations
    size = np.sqrt((deviations.total_sizes**2).mean(axis=0)) * model.material.weights
    return {
        "method": "variation",
        **_example_facts(model),
        "whole_takes_share": round(float(deviations.share.min()), 3),
        "deviation": round(float(np.sqrt((size**2).mean())), 6),
        "dof_names": list(model.dofs),
    }


def _example_facts(model: VariationModel | PaperModel) -> dict[str, Any]:
    """Return the facts that both kinds of variation model have: examples, rate, joints and DOFs."""
    material = model.material
    skeleton = None if material.recipe is None else material.recipe.skeleton
    return {
        "motion": "cyclic" if model.cyclic else "acyclic",
        "examples": len(material.values),
        "example_frames": [len(rows) for rows in material.values],
        "fps": round(fps_of(model.frame_time), 3),
        "frame_time": model.frame_time,
        "joints": None if skeleton is None else len(skeleton),
        "dofs": len(model.dofs),
    }


def paper_facts(model: PaperModel) -> dict[str, Any]:
    """Return the facts of a model of the paper's method: its examples, chosen numbers and counts of parents."""
    return {
        "method": "paper (Lau 2009)",
        **_example_facts(model),
        "order": model.settings.order,
        "neighbors": model.rule.neighbors,
        "kernel_width": round(model.rule.width, 6),
        "velocity_weight": model.rule.velocity_weight,
        "parents": _counts(model.transition.edges),
        "prior_neighbors": model.prior_rule.neighbors,
        "prior_kernel_width": round(model.prior_rule.width, 6),
        "prior_parents": _counts(model.prior.edges),
        "dof_names": list(model.dofs),
    }


def _counts(edges: Sequence[Sequence[int]]) -> dict[str, float]:
    sizes = [len(parents) for parents in edges]
    return {"least": min(sizes), "mean": round(sum(sizes) / len(sizes), 2), "most": max(sizes)}

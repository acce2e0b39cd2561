"""Describe clips, models and sets of them, and explain what a model has learned."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.ftm import is_model, read_stored
from freshtake.formats.read_options import Motion, ReadOptions
from freshtake.formats.registry import detect, read, take_files, take_in_all
from freshtake.formats.report_files import can_plot, check_report_target, write_report
from freshtake.methods.gathering import fitted
from freshtake.methods.progress import Progress, Report, Warn, silent, unheard
from freshtake.motion import Clip, MeshSequence, PointClip, Stroke
from freshtake.motion.body.orientation import guess_unit, unit_name
from freshtake.motion.body.roles import feet
from freshtake.motion.body.rooting import as_filed
from freshtake.motion.check import check, check_set
from freshtake.motion.kinds import kind_word
from freshtake.motion.validation import fps_of
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.reports.explanation import Explanation, explain_page, explanation
from freshtake.reports.likelihood_map import ClipLikelihood, clip_likelihood, likelihood_figure
from freshtake.reports.network_pictures import joint_pictures, network_pictures
from freshtake.reports.plots import Picture, png
from freshtake.requests.clips import Info
from freshtake.requests.variation import Explain
from freshtake.variation.model import VariationModel
from freshtake.variation.paper.model import PaperModel
from freshtake.workflows.inputs import checked, named_apart
from freshtake.workflows.learning import model_facts, paper_facts
from freshtake.workflows.outputs import seconds_of


class Described(NamedTuple):
    """The facts of a file as plain values, and its motion (None for a model)."""

    facts: dict[str, Any]
    motion: Motion | None


def info(request: Info, report: Report = silent, warn: Warn = unheard) -> list[Described]:
    """Describe motions and models; files of one skeleton are read together and share one vertical axis."""
    # Without a rate, files are described as they are, not resampled.
    return motion_infos(take_files(request.paths, models=True), **{**request.reading(warn), "rate": None})


def motion_info(path: Path, **options: Any) -> Described:
    """Describe one file."""
    return motion_infos([path], **options)[0]


def motion_infos(paths: Sequence[Path], **options: Any) -> list[Described]:
    """Describe files that belong together."""
    files = [path for path in paths if not is_model(path)]
    read = take_in_all(files, ReadOptions(**options))
    named = zip(named_apart(files, [one.motion for one in read]), [one.up for one in read], strict=True)
    return [_describe_motion(path, *next(named)) if path in files else _describe_model(path) for path in paths]


def _describe_motion(path: Path, motion: Motion, how: str) -> Described:
    with np.errstate(over="ignore", invalid="ignore"):  # damaged files may contain numbers whose squares overflow
        findings = [{"code": f.code, "sentence": f.sentence, "repair": f.repair} for f in check(motion)]
        facts = {"file": str(path), "kind": kind_word(motion), "format": detect(path).title, **_facts(motion, how)}
    return Described({**facts, "findings": findings}, motion)


def _describe_model(path: Path) -> Described:
    stored = read_stored(path)
    facts = {"file": str(path), "kind": "model", "format": "freshtake model", **model_facts(stored.model)}
    origin = {"sources": list(stored.sources), "written_by": f"freshtake {stored.written_by}"}
    return Described({**facts, **origin, "findings": []}, None)


def motion_set_info(described: Sequence[Described]) -> list[str]:
    """Report problems between files: skeletons that do not match, unequal rates, duplicates."""
    return [finding.sentence for finding in check_set([d.motion for d in described if d.motion is not None])]


def _facts(motion: Motion, up_from: str) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "frames": len(motion),
        "fps": round(fps_of(motion.frame_time), 3),
        "frame_time": motion.frame_time,
        "duration_s": round(seconds_of(motion), 4),
    }
    if isinstance(motion, Stroke):
        return facts | {"dimensions": list(motion.dimensions), "evenly_timed": motion.uniform}
    facts |= {"up": motion.up, "up_from": up_from, "unit_m": motion.unit_m, "unit": _unit(motion)}
    if isinstance(motion, Clip):
        return facts | _clip_facts(motion)
    if isinstance(motion, PointClip):
        gaps = round(float(motion.gaps().mean()), 4)
        return facts | {"points": len(motion.names), "gap_share": gaps, "point_names": list(motion.names)}
    attributes = [*(["normals"] if motion.normals is not None else []), *motion.attributes]
    return facts | {"vertices": motion.vertices.shape[1], "faces": len(motion.faces), "attributes": attributes}


def _unit(motion: Clip | PointClip | MeshSequence) -> str:
    """Return the unit of length in words, marked if it is a guess."""
    if motion.unit_m is not None:
        return unit_name(motion.unit_m)
    guess = guess_unit(motion.skeleton) if isinstance(motion, Clip) else None
    return "unknown" if guess is None else f"{guess.name} (guessed from the body's size)"


def _clip_facts(clip: Clip) -> dict[str, Any]:
    from freshtake.motion.channels import channels_from_clip

    skeleton, channels = clip.skeleton, channels_from_clip(as_filed(clip))[1]
    return {
        "joints": len(skeleton),
        "end_sites": len(skeleton.end_sites),
        "channels": skeleton.channel_count,
        # Only channels that change are degrees of freedom that a model sees.
        "dofs": int(np.count_nonzero(np.ptp(channels, axis=0) > 1e-9)),
        "euler_orders": sorted({order for order in skeleton.orders if order}),
        "travel": round(float(np.linalg.norm(np.delete(clip.root[-1] - clip.root[0], clip.up_index))), 4),
        "root": skeleton.names[0 if skeleton.base is None else skeleton.base.joint],
        "feet": [foot.name for foot in feet(skeleton)] or "none found",
        "joint_names": list(skeleton.names),
    }


def paper_explain(model: PaperModel, joint: str = "") -> dict[str, Any]:
    """Return the parents of a joint's DOFs (default: of all) in both networks, and the parents shared by all nodes."""
    chosen = [name for name in model.dofs if joint in ("", name, name.rpartition(".")[0])]
    if not chosen:
        joints = sorted({name.rpartition(".")[0] or name for name in model.dofs})
        raise UsageError(f"there is no {joint!r} in this model; its joints are {', '.join(joints)}")
    shared = set.intersection(*map(set, model.transition.edges))
    return {
        "model": paper_facts(model),
        "shared_parents": [model.transition.name(p) for p in sorted(shared)],
        "transition": {name: list(model.transition.parents(name)) for name in chosen},
        "prior": {f"{name}[{k}]": list(model.prior.parents(f"{name}[{k}]")) for name in chosen for k in (0, 1)},
    }


class Explained(NamedTuple):
    """The edges with their strengths (None for the paper's networks), facts, sentences about the clip, and files."""

    explanation: Explanation | None
    facts: dict[str, Any]
    notes: list[str]
    written: list[Path]


@one_blas_thread()
def explain(request: Explain, report: Report = silent, warn: Warn = unheard) -> Explained:
    """Measure how strongly DOFs vary together, or look up the networks of the paper's method; optionally write a page.

    With `request.clip`, also show how likely that clip is, frame by frame and joint by joint.
    """
    target, joint = request.out, request.joint
    stored = read_stored(request.model)
    if stored.method == "paper":
        if request.clip is not None or target is not None:
            raise UsageError("a model of --method paper can only show its networks: leave --clip and --out out")
        return Explained(None, paper_explain(stored.model, joint), [], [])
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
        pictures = [] if scored is None else [_likelihood_picture(scored, edges)]
        pictures += joint_pictures(model, edges) if joint else network_pictures(model)
    title = f"{request.model.name}: {joint}" if joint else f"{request.model.name}: what predicts what"
    page = explain_page(edges, facts["model"], pictures, title, notes)
    written = write_report(target, page, facts, {picture.name: picture.png for picture in pictures})
    return Explained(edges, facts, notes, written)


def _likelihood_picture(scored: ClipLikelihood, edges: Explanation) -> Picture:
    figure = likelihood_figure(scored, (edges.joint, *[dof.rsplit(".", 1)[0] for dof in edges.dofs if edges.joint]))
    caption = "red: less likely than usual for the examples at this joint; blue: more likely"
    return Picture("likelihood", f"How likely {scored.name} is", caption, png(figure), True)

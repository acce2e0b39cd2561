"""The paper's own method (Lau 2009) from files to files: learning, variants, and what a model has learned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, cast

from freshtake.errors import UsageError
from freshtake.formats.files import replacing_folder
from freshtake.formats.ftm import check_model_target, is_model, read_stored, save
from freshtake.formats.read_options import Motion
from freshtake.methods.gathering import fitted, heading_note
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip
from freshtake.motion.body.roles import feet
from freshtake.motion.check import NOTE, check_set
from freshtake.motion.validation import fps_of
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.variation.paper.model import PaperModel, Settings, check_amount
from freshtake.workflows.model_kinds import model_of
from freshtake.workflows.motion_finishing import Finish
from freshtake.workflows.seeds import generator
from freshtake.workflows.takes_reading import read_takes

OPTIONS = {
    "order": "order",
    "neighbors": "neighbors",
    "kernel_width": "kernel_width",
    "velocity_weight": "velocity_weight",
    "max_parents": "max_parents",
    "prior_starts": "restarts",
}  # options of `freshtake learn` -> settings


def paper_settings(given: dict[str, Any]) -> Settings:
    """Return the settings for options of `freshtake learn`; refuse those that the paper does not have."""
    unknown = [name for name in given if name not in OPTIONS and name != "method"]
    if unknown:
        option = unknown[0].replace("_", "-")
        raise UsageError(f"--method paper has no --{option}: leave it out")
    return Settings(**{OPTIONS[name]: value for name, value in given.items() if name in OPTIONS})


@one_blas_thread()
def paper_learn(
    sources: Sequence[Path],
    target: Path,
    settings: Settings,
    *,
    cyclic: bool | None = None,
    seed: int = 0,
    structure: Path | None = None,
    reading: dict[str, Any] | None = None,
    report: Report = silent,
    warn: Callable[[str], None] | None = None,
) -> PaperModel:
    """Read takes, learn both networks of the paper and write the model.

    With `structure`, nothing is learned: another model's structure gets these takes, of which one is enough (§8).
    """
    from freshtake.variation.paper.learning import learn

    check_model_target(target)
    motions = read_takes(sources, reading)
    notes = [note for note in [heading_note(motions)] if note is not None]
    for finding in check_set(motions):
        if finding.severity != NOTE:
            raise UsageError(finding.sentence)
        notes.append(finding.sentence)
    for note in notes if warn is not None else []:
        cast(Callable[[str], None], warn)(note)
    if structure is None:
        model = learn(motions, settings, rng=generator(seed), cyclic=cyclic, report=report)
    else:
        old: PaperModel = model_of(structure, "paper")
        model = old.with_examples([fitted(motion, old.material.recipe) for motion in motions])
    save(target, model, sources=[path.name for path in sources])
    return model


def is_paper_model(path: Path | None) -> bool:
    """Return whether a file holds a model of the paper's own method."""
    return path is not None and path.is_file() and is_model(path) and read_stored(path).method == "paper"


def paper_vary(
    model: PaperModel,
    folder: Path,
    count: int,
    *,
    single: bool,
    suffix: str,
    amount: Any = 1.0,
    seed: int = 0,
    first: int = 1,
    finish: Finish,
    report: Report = silent,
) -> tuple[list[Path], list[float]]:
    """Write variants into a folder that appears atomically, or into one file; return the files and the durations.

    Each variant has its own generator, so that it does not depend on how many there are.
    """
    much = float(getattr(amount, "space", amount))
    if getattr(amount, "parts", None) or getattr(amount, "time", None) not in (None, much):
        raise UsageError("a model of --method paper has one amount for all: leave --amount-time and --part out")
    check_amount(much)
    recipe = model.material.recipe
    plant = bool(finish.plant) and recipe is not None and recipe.skeleton is not None and bool(feet(recipe.skeleton))
    paths: list[Path] = []
    together: list[Motion] = []
    seconds: list[float] = []
    with nullcontext(folder.parent) if single else replacing_folder(folder) as place:
        for number in range(first, first + count):
            name = f"variant_{number:03d}"
            report(Progress((number - first) / count, name))
            made = model.sample(generator(seed, number), amount=much, plant=plant, name=name)
            ready = finish.ready(_motion(model, made, name))
            seconds.append((len(ready) - 1) * model.frame_time)
            if single:
                together.append(ready)
            else:
                finish.write(place / f"{name}{suffix}", ready)
                paths.append(folder / f"{name}{suffix}")
    if single:
        finish.write(folder, together[0] if count == 1 else cast(list[Clip], together))
        paths.append(folder)
    return paths, seconds


def _motion(model: PaperModel, made: Any, name: str) -> Motion:
    """Return what a model made; plain rows become a stroke, whose dimensions are the DOFs."""
    import numpy as np

    from freshtake.motion import Stroke

    if isinstance(made, np.ndarray):
        return Stroke(made, np.arange(len(made), dtype=np.float64) * model.frame_time, model.dofs, name)
    motion: Motion = made
    return motion


def paper_facts(model: PaperModel) -> dict[str, Any]:
    """Return the examples, the DOFs, the numbers that were chosen, and how many parents nodes have."""
    material = model.material
    skeleton = None if material.recipe is None else material.recipe.skeleton
    return {
        "method": "paper (Lau 2009)",
        "motion": "cyclic" if model.cyclic else "acyclic",
        "examples": len(material.values),
        "example_frames": [len(rows) for rows in material.values],
        "fps": round(fps_of(model.frame_time), 3),
        "frame_time": model.frame_time,
        "joints": None if skeleton is None else len(skeleton),
        "dofs": len(model.dofs),
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

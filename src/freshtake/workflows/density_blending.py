"""Learn the densities of classes of takes, and make new motion that changes between the classes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from freshtake.density.class_weights import schedule
from freshtake.density.control import Control, requested_weights, turned
from freshtake.density.decoding import recorded
from freshtake.density.model import DensityModel
from freshtake.density.settings import Settings
from freshtake.errors import UsageError
from freshtake.formats.ftm import check_model_target, save
from freshtake.formats.registry import for_writing, take_files
from freshtake.formats.report_files import check_report_target, require_plots, write_report
from freshtake.methods.progress import Progress, Report, Warn, silent, unheard
from freshtake.motion import Clip
from freshtake.motion.cycles.cycles import torn_takes
from freshtake.motion.validation import fps_of
from freshtake.motion.verdict import check_result
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.requests.blending import BlendLearn, BlendReport, BlendSample, Classes
from freshtake.workflows.inputs import generator, model_of, read_path, read_sets, requested_frames
from freshtake.workflows.outputs import WrittenMotion, as_motion, finish_of, followed_by, placed, seen_from_its_start

PIECE = 4096  # frames between progress reports


def named_takes(arguments: Sequence[str]) -> dict[str, list[Path]]:
    """Return the files of each class of `walk=a.bvh b.bvh run=c.bvh`; a bare path belongs to the previous class."""
    out: dict[str, list[Path]] = {}
    last = ""
    for argument in arguments:
        name, equals, path = argument.partition("=")
        if not equals and last:
            name, path = last, argument
        elif not equals or not name.strip() or not path:
            raise UsageError(f"{argument!r} names no class: write NAME=CLIP, as in walk=walk_1.bvh")
        last = name.strip()
        out.setdefault(last, []).extend(take_files([Path(path)]))
    return out


def blend_learn(request: BlendLearn, report: Report = silent, warn: Warn = unheard) -> DensityModel:
    """Read takes by class, learn the densities and write the model."""
    return learn_classes(named_takes(request.classes), request.out, request, request.reading(warn), report, warn)


@one_blas_thread()
def learn_classes(
    takes: Mapping[str, Sequence[Path]], target: Path, classes: Classes, reading: dict[str, Any] | None = None,
    report: Report = silent, warn: Warn = unheard,
) -> DensityModel:  # fmt: skip
    """Learn classes from files, by name, and write the model; `reading` contains arguments of `freshtake.read`."""
    from freshtake.density.cleaning import common_points
    from freshtake.density.learning import learn

    check_model_target(target)
    if len(takes) < 2 and not classes.alone:
        raise UsageError("blending needs two classes, as in walk=walk.bvh run=run.bvh; --alone learns a single one")
    chosen = classes.given(("method", "poses", "energy", "modes", "alpha", "search", "residuals"))
    report(Progress(0.0, "reading"))
    motions = dict(zip(takes, read_sets([list(paths) for paths in takes.values()], reading), strict=True))
    model = learn(
        common_points(motions) if classes.common else motions, Settings(**chosen),
        cyclic=dict.fromkeys(classes.acyclic, False), report=report,
    )  # fmt: skip
    for name, group in motions.items():
        for clip, share in torn_takes([motion for motion in group if isinstance(motion, Clip)]):
            warn(f"{clip.name} contains {share:.1f} of a cycle of {name}: leave it out, or give the complete cycle")
    for note in (*model.notes, model.warning):
        if note:
            warn(note)
    save(target, model, sources=[path.name for paths in takes.values() for path in paths])
    return model


@one_blas_thread()
def blend_sample(request: BlendSample, report: Report = silent, warn: Warn = unheard) -> WrittenMotion:
    """Write motion of the requested length, with weights that may change over time and planted feet."""
    target, control, finish = request.out, _control(request), finish_of(request, warn)
    for_writing(target)
    model: DensityModel = model_of(request.model, "density")
    frames = requested_frames(request, model.frame_time)
    if request.method is not None:
        model = replace(model, settings=model.settings.changed(method=request.method))
    rng = generator(request.seed)
    plan = schedule(model.classes, requested_weights(model, request.weights, control), frames)
    used = np.asarray((plan > 0.0).any(axis=0))
    if model.warning and used.sum() > 1 and not model.mixes_among(used):
        warn(model.warning)
    first_weights = {name: float(w) for name, w in zip(model.classes, plan[0], strict=True)}
    state, parts = model.start(rng, first_weights, used=used), []
    for first in range(0, frames, PIECE):
        report(Progress(first / frames, f"frame {first} of {frames}"))
        state, rows = model.advance(state, plan[first : first + PIECE], rng)
        parts.append(rows)
    rows = np.concatenate(parts)
    path = None if control is None or control.path is None else np.asarray(control.path)
    start = None
    if path is not None and control is not None and model.recipe is not None and model.recipe.motion_type is Clip:
        path_from_start, start = seen_from_its_start(path, model.recipe.layout.up)  # type: ignore[union-attr]
        control = replace(control, path=path_from_start)
    steered = rows if control is None else np.stack(list(turned(model, rows, control)))
    decoded = model.decode(steered, request.residuals, name=target.stem)
    if finish.plant:
        report(Progress(1.0, "planting feet"))
        decoded = model.planted(decoded, finish.plant, rows)
    motion = as_motion(decoded, model.frame_time, model.names, target.stem)
    motion = placed(motion, start)
    followed = followed_by(path, motion)
    verdicts = check_result(
        motion, recorded(model) if isinstance(motion, Clip) else [], name=target.name, keep_going=finish.keep_going,
        warn=warn, most_off=None if followed is None else followed.most_off,
    )  # fmt: skip
    motion = finish.ready(motion)
    finish.write(target, motion)
    return WrittenMotion(target, motion, followed, verdicts)


def _control(request: BlendSample) -> Control | None:
    if request.speed is None and request.turn is None and request.heading is None and request.path is None:
        return None
    turn, heading = (None if one is None else float(np.radians(one)) for one in (request.turn, request.heading))
    return Control(
        speed=request.speed, turn=turn, heading=heading, path=None if request.path is None else read_path(request.path)
    )


@one_blas_thread()
def blend_report(request: BlendReport, report: Report = silent, warn: Warn = unheard) -> list[Path]:
    """Write the page (.html) or a folder with page, figures and pictures."""
    check_report_target(request.out)
    require_plots()
    from freshtake.reports.density_page import density_page

    model: DensityModel = model_of(request.model, "density")
    page = density_page(model, density_facts(model), request.model.stem, request.seed, report)
    return write_report(request.out, *page)


def density_facts(model: DensityModel) -> dict[str, Any]:
    """Return the facts of a blend model: its classes, their density kernels, modes, and the error of the eigenspace."""
    unit = "cm" if model.recipe is not None else "units"

    def by_class(values: Iterable[Any]) -> dict[str, Any]:
        return dict(zip(model.classes, values, strict=True))

    return {
        "method": f"density, {model.settings.method}",
        "classes": list(model.classes),
        "kernels": by_class(map(sum, model.lengths)),
        "goes_round": by_class(model.cyclic),
        "blends": model.mixes,
        "repeat_in_cycles": by_class(model.cycles.periodic.tolist()),
        "period_s": by_class(round(float(limit) * model.frame_time, 3) for limit in model.limits[:, 2]),
        "modes": model.modes,
        "energy": round(model.pca.energy, 4),
        f"error_{unit}": by_class(round(error, 2) for error in model.errors),
        "residuals": model.residuals.shape[1] > 0,
        "fps": round(fps_of(model.frame_time), 3),
        "frame_time": model.frame_time,
        "dofs": len(model.names),
        "left_out": list(model.notes),
    }

"""Learn textures from files, and write the motion they play; `texture_playing` plays them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.ftm import check_model_target, save
from freshtake.formats.registry import for_writing, take_files
from freshtake.formats.report_files import can_plot, require_plots, write_figure
from freshtake.methods.progress import Progress, Report, Warn, part_of, silent, unheard
from freshtake.motion import Clip, MeshSequence, Stroke
from freshtake.motion.features.mesh_features import MeshLayout
from freshtake.motion.validation import fps_of
from freshtake.motion.verdict import check_result
from freshtake.numeric.arrays import Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.requests.fields import fields_of
from freshtake.requests.texturing import TextureLearn, TextureLearning, TextureSample
from freshtake.texture.model import TextureModel
from freshtake.texture.settings import Settings
from freshtake.texture.shape import Single
from freshtake.variation.steering import Followed
from freshtake.workflows.inputs import model_of, read_path, read_sets, requested_frames
from freshtake.workflows.outputs import Finish, as_motion, finish_of, followed_by, playback_summary, turn_note
from freshtake.workflows.texture_playing import make_play

MOST_BYTES = 2 << 30  # bytes of a mesh sequence built in memory
MORPHING = (".glb", ".gltf")
MESH_FORMATS = ("npz", "abc", "obj")


class LearnedTexture(NamedTuple):
    """A model, and the size of its file compared with the takes."""

    model: TextureModel
    facts: dict[str, Any]


@one_blas_thread()
def texture_learn(request: TextureLearn, report: Report = silent, warn: Warn = unheard) -> LearnedTexture:
    """Read takes, learn a texture model and write it.

    The matrices are drawn if requested, or next to the model if no frame is close to another.
    """
    from freshtake.texture.learning import recurring

    check_model_target(request.out)
    if request.picture is not None:
        require_plots()
    sources = cells_of(request.takes)
    sets = read_sets(list(sources.values()), request.reading(warn))
    takes: Any = sets[0] if list(sources) == [""] else dict(zip(sources, sets, strict=True))
    model = learn_takes(takes, request, report)
    drawn = request.picture
    if not recurring(model):
        drawn = drawn or (request.out.with_suffix(".png") if can_plot() else None)
        where = "" if drawn is None else f"; {drawn} shows where frames are similar"
        warn(
            f"no frame is close to an earlier one (jumps of {max(model.reach.limits):g} mean frame steps are "
            f"needed), so jumps will be visible{where}"
        )
    if drawn is not None:  # first, so a failure to write the picture leaves no model either
        from freshtake.reports.texture_figures import matrices

        write_figure(drawn, matrices(model))
    save(request.out, model, sources=[path.name for paths in sources.values() for path in paths])
    return LearnedTexture(model, texture_facts(model) | sizes(takes, request.out))


def learn_takes(takes: Any, learning: TextureLearning, report: Report = silent) -> TextureModel:
    """Learn a model from loaded takes, in a list or by the name of their cell."""
    from freshtake.texture.cells import turn_cells
    from freshtake.texture.learning import learn

    if learning.turns:
        if isinstance(takes, Mapping):
            raise UsageError("--turns cuts one walk into cells: leave the cells' names out")
        cells: dict[str, list[Any]] = {}
        for take in takes:
            if not isinstance(take, Clip):
                raise UsageError(f"{take.name} has no skeleton: only walks with a skeleton can be cut where they turn")
            for cell, pieces in turn_cells(take).items():
                cells.setdefault(cell, []).extend(pieces)
        takes = cells
    settings = Settings(**learning.given(one.name for one in fields_of(TextureLearning) if one.name != "turns"))
    return learn(takes, settings, rng=np.random.default_rng(0), report=report)


def cells_of(takes: Sequence[str]) -> dict[str, list[Path]]:
    """Return the files of each cell in NAME=FILE...; files without names form one cell with an empty name."""
    named = [take.partition("=") for take in takes]
    if not any(sign for _, sign, _ in named) or any(Path(take).exists() for take in takes):
        return {"": take_files(Path(take) for take in takes)}
    if not all(name and path for name, _, path in named):
        raise UsageError("either all takes must be NAME=FILE, or none")
    cells: dict[str, list[Path]] = {}
    for name, _, path in named:
        cells.setdefault(name, []).extend(take_files([Path(path)]))
    return cells


def sizes(takes: Any, target: Path) -> dict[str, Any]:
    """Compare the model's bytes with a mesh's vertices as float32, plain and zipped; empty for other motions."""
    from freshtake.texture.examples import takes_of

    motions = takes_of(takes).motions
    arrays = [take.vertices for take in motions if isinstance(take, MeshSequence)]
    size = target.stat().st_size
    if len(arrays) < len(motions):
        return {"bytes": size}
    raw, packed = sum(array.nbytes for array in arrays), sum(zipped_size(array) for array in arrays)
    return {
        "bytes": size, "raw_bytes": raw, "zipped_raw_bytes": packed, "ratio": round(raw / size, 2),
        "ratio_to_zipped": round(packed / size, 2),
    }  # fmt: skip


def zipped_size(vertices: Single) -> int:
    """Return the zipped size of vertices (frames, vertices, 3) in bytes, estimated from a part of long sequences."""
    import zlib

    # All frames zip about equally well, so 64 MB are enough; zipping a gigabyte takes a minute.
    some = vertices[:: max(1, vertices.nbytes // (64 << 20))]
    packer = zlib.compressobj(6)
    packed = sum(len(packer.compress(frame.tobytes())) for frame in some) + len(packer.flush())
    return packed * len(vertices) // len(some)


def texture_facts(model: TextureModel) -> dict[str, Any]:
    """Return the facts of a texture model."""
    layout = None if model.recipe is None else model.recipe.layout
    facts: dict[str, Any] = {
        "method": f"texture, {model.settings.method}",
        "motion": "rows" if layout is None else layout.kind,
        "frames": len(model.rows),
        "takes": len(model.segments.bounds) - 1,
        "cells": list(model.cells),
        "fps": round(fps_of(model.frame_time), 3),
        "frame_time": model.frame_time,
        "largest_jump": max(model.reach.limits) if model.settings.method == "default" else None,
        "frames_played": round(float(model.reach.alive.mean()), 4),
        "sigma": model.sigmas.sigma,
        "blend": model.settings.blend,
    }
    if model.shape is not None and isinstance(layout, MeshLayout):
        facts |= {
            "vertices": layout.vertex_count,
            "components": [group.components for group in model.shape.groups],
            "bits": model.settings.bits or 32,
        }
    return facts


class SampledTexture(NamedTuple):
    """A written motion; N frames last N frame times."""

    path: Path
    frames: int
    duration: float
    jumps: int
    playback: dict[str, Any] | None = None
    followed: Followed | None = None
    motion: Any = None
    loops: tuple[dict[str, Any], ...] = ()


@one_blas_thread()
def texture_sample(request: TextureSample, report: Report = silent, warn: Warn = unheard) -> SampledTexture:
    """Write motion of the requested length: a stretch of endless playback, or a repeated loop."""
    target, finish = request.out, finish_of(request, warn)
    if request.candidates is not None:
        require_plots()
    path = None if request.path is None else read_path(request.path)
    model: TextureModel = model_of(request.model, "texture")
    frames = requested_frames(request, model.frame_time, times=request.times)
    _check(model, target, frames * request.times)
    report(Progress(0.0, f"making {frames} frames"))
    play = make_play(
        model, request, frames, plant=finish.plant, path=path, picture=request.candidates,
        report=part_of(report, 0.0, 0.7), say=warn,
    )  # fmt: skip
    motion, rows = play.motion, play.rows
    followed = followed_by(path, motion)
    report(Progress(0.7, f"writing {target.name}"))
    if motion is None:
        if finish.onto is not None or finish.moves_travel:
            raise UsageError("only clips with a skeleton can be put onto a character or have a root to move")
        _write_mesh(model, rows, target, finish.unit_m)
    else:
        takes = [model.decode(rows) for rows in np.split(model.rows, model.segments.bounds[1:-1])]
        check_result(
            motion, takes, name=target.name, keep_going=finish.keep_going, warn=warn,
            most_off=None if followed is None else followed.most_off,
        )  # fmt: skip
        motion = finish.ready(motion)
        write_motion(model, motion, target, finish)
    shown = len(rows) if motion is None else len(motion)
    playback = None if motion is None else playback_summary(motion)
    if request.course is None and (note := turn_note([playback])) is not None:
        warn(note)
    seconds = len(rows) * model.frame_time
    return SampledTexture(target, shown, seconds, play.jumps, playback, followed, motion, play.loops)


def _check(model: TextureModel, target: Path, frames: int) -> None:
    """Refuse a target that cannot contain the motion, before any work is done."""
    kind = for_writing(target).name
    if model.shape is None or target.suffix.lower() in MORPHING:
        return
    if kind not in MESH_FORMATS:
        what = f"the model is of a mesh, which {target.suffix} cannot hold"
        raise UsageError(f"{target}: {what}: choose .glb, .npz, .abc or a folder of OBJ files")
    size = 4 * model.shape.columns * frames
    if size > MOST_BYTES:
        what = f"{frames} frames of this mesh take {size / 2**30:.1f} GB"
        raise UsageError(f"{target}: {what}: write .glb, whose size hardly grows with the frames, or fewer frames")


def write_motion(model: TextureModel, sampled: Any, target: Path, finish: Finish) -> None:
    """Write a motion, named after its file; plain rows become a stroke."""
    names = [f"x{k}" for k in range(sampled.shape[1])] if isinstance(sampled, np.ndarray) else []
    motion = as_motion(sampled, model.frame_time, names)
    motion = motion.changed(name=target.stem) if isinstance(motion, Clip) else replace(motion, name=target.stem)
    unit = finish.unit_m if isinstance(motion, Stroke) or finish.unit_m is not None else motion.unit_m
    finish._replace(unit_m=unit).write(target, motion)


def _write_mesh(model: TextureModel, rows: Floats, target: Path, unit_m: float | None) -> None:
    """Write a mesh, to glTF by its modes, to other formats frame by frame."""
    from freshtake.formats.gltf.writing import Morphs, Playing, write_morphs
    from freshtake.motion.features import Start

    if target.suffix.lower() not in MORPHING:
        write_motion(model, model.decode(rows), target, Finish(unit_m=unit_m))
        return
    assert model.recipe is not None and model.shape is not None
    layout = model.recipe.layout
    assert isinstance(layout, MeshLayout)
    heading = layout.root == "heading"
    at = 3 if heading else 0
    width = model.shape.width
    columns = model.shape.restore(np.concatenate([np.zeros((1, width)), np.eye(width)])).astype(np.float64)
    columns[1:] -= columns[0]
    count = 3 * layout.vertex_count
    points = columns[:, :count].reshape(len(columns), -1, 3)
    normals = columns[:, count : 2 * count].reshape(len(columns), -1, 3) if layout.normals else None
    uv = layout.constant.get("uv")
    morphs = Morphs(
        points[0], points[1:], layout.faces, None if normals is None else normals[0],
        None if normals is None else normals[1:], None if uv is None or uv.shape[-1] != 2 else uv, layout.up,
    )  # fmt: skip
    path = layout.path(rows, Start()) if heading else None
    unit = unit_m if unit_m is not None else layout.unit_m
    write_morphs(target, morphs, Playing(rows[:, at:], model.frame_time, path, target.stem), unit)

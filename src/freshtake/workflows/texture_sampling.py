"""One animation to a texture model, a model to endless, looped and steered motions: files in, files out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.ftm import check_model_target, save
from freshtake.formats.read_options import Motion
from freshtake.formats.registry import for_writing
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip, MeshSequence, Stroke
from freshtake.motion.features.mesh_features import MeshLayout
from freshtake.motion.validation import fps_of
from freshtake.motion.verdict import check_result
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.texture.guiding import Guide
from freshtake.texture.loop_courses import rate_of
from freshtake.texture.loop_making import Loop
from freshtake.texture.loops import NoLoop
from freshtake.texture.model import STRETCH, TextureModel
from freshtake.texture.settings import Settings
from freshtake.variation.goals.steering import Followed
from freshtake.workflows.lengths import Length, frame_at, frame_count
from freshtake.workflows.model_kinds import model_of
from freshtake.workflows.motion_delivering import Delivery, playback_summary
from freshtake.workflows.motion_finishing import FINISH, Finish
from freshtake.workflows.motion_retargeting import Onto, write_onto
from freshtake.workflows.path_following import followed_by
from freshtake.workflows.takes_reading import read_sets, read_takes

MOST_FRAMES = 10_000_000
MOST_BYTES = 2 << 30  # of a mesh sequence that is made whole
MORPHING = (".glb", ".gltf")


class LearnedTexture(NamedTuple):
    """A model, and what its file weighs against the takes."""

    model: TextureModel
    facts: dict[str, Any]


@one_blas_thread()
def texture_learn(
    sources: Sequence[Path] | Mapping[str, Sequence[Path]],
    target: Path,
    settings: Settings | None = None,
    *,
    turns: bool = False,
    picture: Path | None = None,
    reading: dict[str, Any] | None = None,
    report: Report = silent,
    warn: Callable[[str], None] | None = None,
) -> LearnedTexture:
    """Read takes (by the name of their cell, or one cell), learn a texture model and write it.

    `turns`: one walk is cut into the cells forward, left and right. `picture`: where the matrices are drawn; without
    one they are drawn beside the model when no frame comes near to another.
    """
    from freshtake.texture.learning import learn, recurring

    check_model_target(target)
    takes = _takes(sources, turns, reading or {})
    model = learn(takes, settings, rng=np.random.default_rng(0), report=report)
    drawn = picture
    if not recurring(model):
        drawn = picture or target.with_suffix(".png")
        if warn is not None:
            warn(
                f"no frame comes back near to another (jumps of {max(model.reach.limits):g} mean frame steps are "
                f"needed), so that jumps will show; {drawn} shows where frames are alike"
            )
    names = [path.name for path in _listed(sources)]
    if drawn is not None:  # first, so that a picture that cannot be written leaves no model either
        draw_matrices(model, drawn)
    save(target, model, sources=names)
    return LearnedTexture(model, texture_facts(model) | sizes(takes, target))


def _listed(sources: Sequence[Path] | Mapping[str, Sequence[Path]]) -> list[Path]:
    if isinstance(sources, Mapping):
        return [path for paths in sources.values() for path in paths]
    return list(sources)


def _takes(sources: Sequence[Path] | Mapping[str, Sequence[Path]], turns: bool, reading: dict[str, Any]) -> Any:
    from freshtake.texture.cells import turn_cells

    if isinstance(sources, Mapping):
        if turns:
            raise UsageError("--turns cuts one walk into cells: leave the cells' names out")
        return dict(zip(sources, read_sets(list(sources.values()), reading), strict=True))
    takes = read_takes(sources, reading)
    if not turns:
        return takes
    cells: dict[str, list[Any]] = {}
    for path, take in zip(sources, takes, strict=True):
        if not isinstance(take, Clip):
            raise UsageError(f"{path}: only clips with a skeleton are cut by where they turn")
        for cell, pieces in turn_cells(take).items():
            cells.setdefault(cell, []).extend(pieces)
    return cells


def sizes(takes: Any, target: Path) -> dict[str, Any]:
    """Bytes of the model against those of a mesh's vertices as float32, plain and zipped; nothing for other motions."""
    import zlib

    from freshtake.texture.examples import takes_of

    motions = takes_of(takes).motions
    arrays = [take.vertices for take in motions if isinstance(take, MeshSequence)]
    if len(arrays) < len(motions):
        return {"bytes": target.stat().st_size}
    raw = sum(array.nbytes for array in arrays)
    packed = sum(len(zlib.compress(array.tobytes(), 6)) for array in arrays)
    size = target.stat().st_size
    return {
        "bytes": size, "raw_bytes": raw, "zipped_raw_bytes": packed, "ratio": round(raw / size, 2),
        "ratio_to_zipped": round(packed / size, 2),
    }  # fmt: skip


def texture_facts(model: TextureModel) -> dict[str, Any]:
    """What is in a texture model, ready to be printed."""
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
    """What was written; N frames last N frame times."""

    path: Path
    frames: int
    duration: float
    jumps: int
    playback: dict[str, Any] | None = None
    followed: Followed | None = None
    motion: Any = None
    loops: tuple[dict[str, Any], ...] = ()


class PlayRoute(NamedTuple):
    """Where playback goes: its first cell, the plan, the guide from the start on; for a loop, its course."""

    cell: str | None = None
    plan: Sequence[tuple[float, str]] = ()
    guide: Guide | None = None
    course: str | float | None = None


class PlayOptions(NamedTuple):
    """Whether the motion is a loop and of which kind, and where it goes.

    A loop is made of the action between two moments of the take, if they are given, and is the `candidate`-th best.
    """

    loop: bool = False
    variety: float = 1.0
    stretch: float | None = None
    times: int = 1
    going: PlayRoute | None = None
    seed: int = 0
    between: tuple[Length | None, Length | None] = (None, None)
    candidate: int = 1
    picture: Path | None = None  # where the candidates are drawn


PLAY_OPTIONS = PlayOptions()


@one_blas_thread()
def texture_sample(
    source: Path,
    target: Path,
    length: Length,
    *,
    options: PlayOptions = PLAY_OPTIONS,
    finish: Finish = FINISH,
    report: Report = silent,
    warn: Callable[[str], None] | None = None,
) -> SampledTexture:
    """Write exactly this much: endless play cut there, or with `loop` a loop, `times` over.

    `onto` is a character that the clip is put onto. `warn` is called for a loop that needs large jumps and
    for a speed out of reach.
    """
    model, way = load_texture(source), options.going or PlayRoute()
    frames = frame_count(length, model.frame_time)
    _check(model, target, frames, options.times)
    if options.seed < 0:
        raise UsageError(f"the seed must be 0 or more, but is {options.seed}")
    rng, say = np.random.default_rng(options.seed), warn or (lambda message: None)
    report(Progress(0.0, f"making {frames} frames"))
    loops: tuple[dict[str, Any], ...] = ()
    if options.loop:
        motion, rows, jumps, loops = made_loop(model, rng, frames, options, finish.plant, say)
    elif options.between != (None, None) or options.candidate != 1 or options.picture is not None:
        raise UsageError("a part of the take and candidates are those of a loop: add --loop")
    else:
        motion, rows, jumps = _played(model, rng, frames, way, finish.plant, say)
    way_taken = None
    if way.guide is not None and way.guide.path is not None and motion is not None:
        way_taken = followed_by(np.asarray(way.guide.path), motion)
    report(Progress(0.7, f"writing {target.name}"))
    if motion is None:
        if finish.onto is not None or finish.delivery not in (None, Delivery()):
            raise UsageError("only clips with a skeleton are put onto a character or have a root to move")
        _write_morphs(model, rows, target, finish.unit_m)
    else:
        takes = [model.decode(rows) for rows in np.split(model.rows, model.segments.bounds[1:-1])]
        check_result(
            motion, takes, name=target.name, keep_going=finish.keep_going, warn=warn,
            most_off=None if way_taken is None else way_taken.most_off,
        )  # fmt: skip
        motion = finish.ready(motion)
        write_motion(model, motion, target, finish.unit_m, finish.onto)
    shown = len(rows) if motion is None else len(motion)
    playback = None if motion is None else playback_summary(motion)
    return SampledTexture(target, shown, len(rows) * model.frame_time, jumps, playback, way_taken, motion, loops)


def made_loop(
    model: TextureModel,
    rng: np.random.Generator,
    frames: int,
    options: PlayOptions,
    plant: bool | str,
    say: Callable[[str], None],
) -> tuple[Any, Floats, int, tuple[dict[str, Any], ...]]:
    """Make a loop of the moving part of the takes; `say` is called with what a user should know of it.

    Returns the motion (None for a mesh, whose rows are on their course), its rows, its jumps, and the candidates.
    """
    way, times = options.going or PlayRoute(), options.times
    if way.plan or way.guide is not None:
        raise UsageError("a loop is not steered: leave --steer, heading, path and speed out, or give --course")
    course = way.course if model.rates else "free" if way.course is None else way.course
    how: dict[str, Any] = {
        "variety": options.variety, "stretch": STRETCH if options.stretch is None else options.stretch,
        "course": course, "among": _among(model, way.cell, options.between),
    }  # fmt: skip
    drawn = rng.bit_generator.state  # the nearest length is looked for among the same draws
    try:
        found = model.find_loops(rng, frames, **how)
    except NoLoop as error:
        if not error.near:
            raise
        nearest = min(error.near, key=lambda length: abs(length - frames))
        say(f"there is no loop of exactly {frames} frames; this one has {nearest}, the nearest length that closes")
        frames, rng.bit_generator.state = nearest, drawn
        found = model.find_loops(rng, frames, **how)
    if not 1 <= options.candidate <= len(found):
        raise UsageError(f"there are {len(found)} different loops to choose from, but no loop {options.candidate}")
    chosen = found[options.candidate - 1]
    _warn_of_jumps(model, chosen, frames, say)
    _warn_of_turning(model, frames, course, say)
    _warn_of_likeness(chosen, frames, say)
    rows, played = model.show_loop(chosen, rng, frames)
    moved = model.on_course(rows, course)
    jumps = len(chosen.costs) * times
    facts = tuple(_loop_facts(model, loop, frames) for loop in found)
    if options.picture is not None:
        _draw_candidates(model, found, frames, course, options.picture)
    if model.shape is not None:
        return None, np.tile(rows if moved is None else moved.rows, (times, 1)), jumps, facts
    motion = model.loop_motion(rows, played, times=times, course=course, plant=plant)
    return motion, np.tile(rows, (times, 1)), jumps, facts


def _draw_candidates(
    model: TextureModel, found: Sequence[Loop], frames: int, course: str | float | None, target: Path
) -> None:
    """Draw a strip of each candidate, the best first, with its jumps and how alike it is."""
    from freshtake.formats.report_files import write_figure
    from freshtake.reports.style_figures import strips

    clips, titles = [], []
    for number, loop in enumerate(found, start=1):
        clip = model.loop_motion(*model.show_loop(loop, np.random.default_rng(0), frames), course=course)
        if not isinstance(clip, Clip):
            raise UsageError("only loops of clips with a skeleton are drawn: --json lists those of others")
        speed = "" if loop.likeness.travel is None else f"speed {loop.likeness.travel:.2f}, "
        jumps = f"{len(loop.costs)} jump{'s' * (len(loop.costs) != 1)} to {loop.costs.max(initial=0.0):.1f}"
        titles.append(f"{number}: {speed}energy {loop.likeness.energy:.2f}, range {loop.likeness.range:.2f}; {jumps}")
        clips.append(clip)
    write_figure(target, strips(clips, titles=titles))


def _among(model: TextureModel, cell: str | None, between: tuple[Length | None, Length | None]) -> Bools | None:
    """Frames (frames,) of a cell and between two moments of the take; None for all."""
    if cell is None and between == (None, None):
        return None
    among = np.ones(len(model.rows), dtype=np.bool_)
    if cell is not None:
        among &= model.segments.cells() == model.cell(cell)
    if between != (None, None):
        if len(model.segments.bounds) > 2:
            raise UsageError(
                f"--from and --to are moments of one take, but the model was learned from "
                f"{len(model.segments.bounds) - 1}: choose one of them with --cell, or learn from one take"
            )
        first, stop = (None if moment is None else frame_at(moment, model.frame_time) for moment in between)
        first, stop = 0 if first is None else first, len(among) if stop is None else stop
        if not 0 <= first < stop <= len(among):
            length = len(among) * model.frame_time
            raise UsageError(
                f"the part from frame {first} to {stop} does not lie in the take, which has frames 0 to {len(among)} "
                f"({length:.2f} s)"
            )
        among[:first] = among[stop:] = False
    return among


def _loop_facts(model: TextureModel, loop: Loop, frames: int) -> dict[str, Any]:
    """A candidate, ready to be printed."""
    alike = {k: None if v is None else round(v, 3) for k, v in loop.likeness._asdict().items()}
    return {
        "pieces": [[a, b] for a, b in loop.pieces()],
        "jumps": len(loop.costs),
        "largest_jump": round(float(loop.costs.max(initial=0.0)), 2),
        "tempo": round(loop.length / frames, 3),
        **alike,
        "price": round(loop.price, 2),
    }


def _played(
    model: TextureModel,
    rng: np.random.Generator,
    frames: int,
    way: PlayRoute,
    plant: bool | str,
    say: Callable[[str], None],
) -> tuple[Any, Floats, int]:
    from freshtake.workflows.texture_playing import speed_note, steered_play

    if way.course is not None:
        raise UsageError("a course is that of a loop: add --loop, or give --heading or --path")
    if way.guide is not None and (note := speed_note(model, way.guide)) is not None:
        say(note)
    play = steered_play(model, rng, frames, way.plan, way.cell, way.guide)
    jumps = int((play.played.jumped >= 0).sum())
    if model.shape is not None:
        return None, play.rows, jumps
    return model.planted(model.decode(play.rows, start=play.start), play.played, plant), play.rows, jumps


def _warn_of_jumps(model: TextureModel, loop: Loop, frames: int, warn: Callable[[str], None]) -> None:
    """Say so where a loop of that length needs larger jumps than play does, and which lengths do not."""
    largest = float(loop.costs.max(initial=0.0))
    if largest <= loop.limit or model.settings.method == "paper":
        return
    near = model.loop_lengths(np.random.default_rng(0), frames)
    better = f"; loops of {', '.join(map(str, near))} frames need none above {loop.limit:g}" if near else ""
    warn(f"a loop of {frames} frames needs a jump of {largest:.0f} mean frame steps, which may show{better}")


def _warn_of_likeness(loop: Loop, frames: int, warn: Callable[[str], None]) -> None:
    """Say so where a loop travels, moves or reaches by more or less than the moving part of the takes."""
    words = {"travel": "travels {:.2f} times as fast", "energy": "moves {:.2f} times as much"}
    words["range"] = "has poses {:.2f} times as far apart"
    off = [words[name].format(value) for name, value in loop.likeness.unlike.items()]
    if off:
        warn(
            f"the loop of {frames} frames {' and '.join(off)} as the takes where they move: ask for another length, or "
            "choose a part with --from and --to"
        )


def _warn_of_turning(model: TextureModel, frames: int, course: str | float | None, warn: Callable[[str], None]) -> None:
    """Say so where a loop has to turn faster than the takes do anywhere, and how long it would have to be."""
    rate = rate_of(course, frames * model.frame_time)
    if model.rates == 0 or model.recipe is None or rate is None or abs(rate) <= (most := model.bearings.most):
        return
    enough = int(np.ceil(frames * abs(rate) / most))
    fast, usual = (np.degrees(x) for x in (abs(rate), most))
    warn(
        f"a loop of {frames} frames on this course turns by {fast:.0f} degrees a second, faster than the takes "
        f"(at most {usual:.0f}), which may show; {enough} frames and more need not"
    )


def load_texture(source: Path) -> TextureModel:
    """A texture model; another one is refused."""
    model: TextureModel = model_of(source, "texture")
    return model


def _check(model: TextureModel, target: Path, frames: int, times: int) -> None:
    """Refuse what cannot be written, before the work is done."""
    for_writing(target)
    if times < 1:
        raise UsageError(f"the number of repetitions must be 1 or more, not {times}")
    if not 1 <= frames * times <= MOST_FRAMES:
        raise UsageError(f"the number of frames must lie between 1 and {MOST_FRAMES}, but is {frames * times}")
    if model.shape is not None and target.suffix.lower() not in MORPHING:
        size = 4 * model.shape.columns * frames * times
        if size > MOST_BYTES:
            raise UsageError(
                f"{frames * times} frames of this mesh have {size / 2**30:.1f} GB: write .glb, whose size hardly grows "
                "with the frames, or fewer frames"
            )


def write_motion(model: TextureModel, sampled: Any, target: Path, unit_m: float | None, onto: Onto | None) -> None:
    """A motion, named after its file; plain rows as a stroke."""
    if isinstance(sampled, np.ndarray):
        times = np.arange(len(sampled), dtype=np.float64) * model.frame_time
        sampled = Stroke(sampled, times, tuple(f"x{k}" for k in range(sampled.shape[1])))
    motion: Motion = (
        sampled.changed(name=target.stem) if isinstance(sampled, Clip) else replace(sampled, name=target.stem)
    )
    unit = unit_m if isinstance(motion, Stroke) or unit_m is not None else motion.unit_m
    write_onto(target, motion, unit, onto)


def _write_morphs(model: TextureModel, rows: Floats, target: Path, unit_m: float | None) -> None:
    """A mesh to glTF by its modes, elsewhere frame by frame."""
    from freshtake.formats.gltf.morphs import Morphs, Playing, write_morphs
    from freshtake.motion.features import Start

    if target.suffix.lower() not in MORPHING:
        write_motion(model, model.decode(rows), target, unit_m, None)
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


def draw_matrices(model: TextureModel, target: Path) -> None:
    """Distances, chances and the jump map as a picture (fig. 3)."""
    from freshtake.formats.report_files import write_figure
    from freshtake.reports.texture_figures import matrices

    write_figure(target, matrices(model))

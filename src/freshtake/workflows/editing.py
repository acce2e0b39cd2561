"""Change one clip: loop it, plant its feet, cut it, or convert it to another format."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError, FreshtakeError, UsageError
from freshtake.formats.acclaim import skeleton_file
from freshtake.formats.files import read_bytes, replacing_folder, write_bytes
from freshtake.formats.joint_files import read_contacts, read_mapping, read_pins
from freshtake.formats.read_options import Motion, ReadOptions
from freshtake.formats.registry import for_writing, has_skin, holding_several, read, take_files, take_in_all, write
from freshtake.methods.progress import Progress, Report, Warn, each, silent, unheard
from freshtake.motion import Clip, PointClip, Stroke
from freshtake.motion.body.orientation import unit_name, unit_of
from freshtake.motion.body.roles import leg_length
from freshtake.motion.cycles.cycles import require_cycles
from freshtake.motion.cycles.looping import Span, best_loop, closed, facing_forward, planted_loop
from freshtake.motion.cycles.occurrences import find_occurrences
from freshtake.motion.cycles.seams import Seam, seam_of, steps_of
from freshtake.motion.edit import at_rate, take_frames, with_up
from freshtake.motion.kinds import kind_word
from freshtake.motion.pins import Pin
from freshtake.motion.planting import settings_for
from freshtake.motion.planting.planting_model import own_planting_model
from freshtake.motion.repair import repair
from freshtake.motion.verdict import Verdict, check_result
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.requests.clips import Convert, Cut, Loop, Plant
from freshtake.workflows.inputs import frame_at, named_apart, read_clips
from freshtake.workflows.outputs import (
    Finish,
    check_ending,
    chosen_character,
    chosen_travel,
    finish_of,
    is_file_name,
    playback_summary,
    suffix_of,
    targets_of,
    turn_note,
)


class Looped(NamedTuple):
    """A written loop, its frames in the take, and its seam compared with the take's steps."""

    path: Path
    motion: Clip
    span: Span
    seam: Seam
    usual: Seam  # the take's 99th percentile of steps and bends
    verdicts: list[Verdict]

    def as_dict(self) -> dict[str, Any]:
        """Return the loop as values for JSON."""
        return {
            "written": self.path,
            "frames": len(self.motion),
            "from": {"start": self.span.start, "stop": self.span.stop},
            "seam": {**self.seam._asdict(), "step_of_take_99": self.usual.step, "bend_of_take_99": self.usual.bend},
            "playback": playback_summary(self.motion),
            "verdicts": self.verdicts,
        }


@one_blas_thread()
def loop(request: Loop, report: Report = silent, warn: Warn = unheard) -> list[Looped]:
    """Make the best loop of each clip and write it."""
    finish, cycles = finish_of(request, warn), None if request.whole else request.cycles or 1
    loops = [
        _loop(take, target, cycles, finish, request.reading(warn), warn)
        for take, target in _with_targets(request, report)
    ]
    if (note := turn_note([playback_summary(one.motion) for one in loops])) is not None:
        warn(note)
    return loops


def _loop(
    source: Path, target: Path, cycles: int | None, finish: Finish, reading: dict[str, Any], warn: Warn
) -> Looped:
    for_writing(target)
    ((take,),) = read_clips([[source]], reading, "only clips with a skeleton can become loops")
    loop, span = loop_of(take, cycles, plant=finish.plant)
    loop = loop.changed(name=target.stem)
    steps = steps_of(take)
    usual = Seam(float(np.percentile(steps.step, 99)), float(np.percentile(steps.bend, 99)))
    verdicts = check_result(
        loop, [take], name=target.name, keep_going=finish.keep_going, warn=warn,
        remedy="the clip does not end as it begins: leave --whole out" if cycles is None else "try other --cycles",
    )  # fmt: skip
    ready = finish.ready(loop)
    assert isinstance(ready, Clip)
    finish.write(target, ready)
    return Looped(target, ready, span, seam_of(loop), usual, verdicts)


def _with_targets(request: Loop | Plant, report: Report) -> Iterator[tuple[Path, Path]]:
    """Yield each take with its target, and report the progress."""
    takes = take_files(request.clips)
    pairs = list(zip(takes, targets_of(takes, request.out, request.format), strict=True))
    return each(pairs, report, lambda pair: pair[0].name)


def loop_of(take: Clip, cycles: int | None = 1, *, plant: bool | str = True) -> tuple[Clip, Span]:
    """Return the best loop of `cycles` cycles (None: the complete take is one), and its frames in the take."""
    span = Span(0, len(take) - 1, 1) if cycles is None else best_loop(take, cycles)
    loop = facing_forward(closed(take, span.start, span.stop, cycles=span.cycles))
    base = own_planting_model(take)
    if plant and base.feet:
        contacts = base.example_contacts(take)[span.start :]  # contacts of the unmodified take
        loop = planted_loop(loop, base, lambda _, frames: contacts[frames], settings=settings_for(plant), careful=False)
    return loop, span


class Planted(NamedTuple):
    """A written file, and the report of `motion.planting` on it."""

    path: Path
    report: Any


@one_blas_thread()
def plant(request: Plant, report: Report = silent, warn: Warn = unheard) -> list[Planted]:
    """Plant the feet of clips, meet their pins, and write them.

    Contacts come from a file, from the nearest poses of the clips in `request.like`, or from the clip itself.
    """
    finish = Finish(onto=chosen_character(request, warn), unit_m=request.unit)
    pairs = _with_targets(request, report)
    return [Planted(target, _plant(source, target, request, finish, warn)) for source, target in pairs]


def _plant(source: Path, target: Path, request: Plant, finish: Finish, warn: Warn) -> Any:
    from freshtake.motion.planting import PlantSettings
    from freshtake.motion.planting import plant as plant_clip
    from freshtake.motion.planting.planting_model import learn_planting

    for_writing(target)
    need = "only clips with a skeleton have feet to plant"
    (clip,), likes = read_clips([[source], take_files(request.like or [])], request.reading(warn), need)
    limbs = read_mapping(request.mapping) if request.mapping is not None else None
    pins = [] if request.pins is None else _pins(request.pins, clip)
    if likes:
        base = learn_planting(likes, floor=request.floor, mapping=limbs)
        base.check(clip)
    else:
        base = own_planting_model(clip, floor=request.floor, mapping=limbs)
    if not base.feet and (request.contacts is not None or not pins):
        raise UsageError(f"{source}: no legs can be recognized in the skeleton: name their joints with --mapping")
    labels: npt.ArrayLike | None = None if request.contacts is None else _labels(request.contacts, clip, base.feet)
    planted = plant_clip(clip, labels, pins=pins, examples=base, settings=PlantSettings(lock=request.lock))
    hints = pins or likes or request.contacts is not None or request.floor is not None
    # Without any contact the floor is unknown, so a clean result would be luck.
    if not hints and not planted.report.contacts:
        raise UsageError(
            f"{source}: no foot is ever planted, so the floor cannot be found: give its height with --floor, or "
            "--contacts, or clips with planted feet with --like"
        )
    legs = planted.report.root_shift / leg_length(clip.skeleton)
    if pins and legs > 0.5:  # up to half a leg, bending the knees and leaning are enough
        unit = unit_of(clip)
        warn(
            f"a pin is out of reach: the body is moved by up to {legs:.1f} leg lengths to meet it, with its feet; "
            f"positions of pins are in the clip's unit{'' if unit is None else f', {unit_name(unit)}'}"
        )
    finish.write(target, finish.ready(planted.clip))
    return planted.report


def _pins(path: Path, clip: Clip) -> list[Pin]:
    pins = read_pins(path)
    try:
        for pin in pins:
            pin.check(clip)
    except FreshtakeError as error:
        raise FormatError(path, str(error)) from None
    return pins


def _labels(path: Path, clip: Clip, feet: Any) -> npt.ArrayLike:
    from freshtake.motion.planting.planting_model import named_labels

    try:
        return named_labels(read_contacts(path), len(clip), feet, clip.skeleton.names)
    except UsageError as error:
        raise FormatError(path, str(error)) from None


class Piece(NamedTuple):
    """A written clip, and its frames (stop not included) in the take."""

    path: Path
    start: int
    stop: int


@one_blas_thread()
def cut(request: Cut, report: Report = silent, warn: Warn = unheard) -> list[Piece]:
    """Cut takes, by default into cycles that all begin with the same foot, and write the pieces.

    They go into a folder, which appears atomically, or a single piece into one file.
    """
    if sum([request.cycles, request.between is not None, request.like is not None]) > 1:
        raise UsageError("choose one of --cycles, --range and --like")
    sources, out, ending, reading = take_files(request.takes), request.out, request.format, request.reading(warn)
    suffix = ending if ending or not is_file_name(out) else out.suffix
    cuts = [_cut(source, request, suffix, reading) for source in each(sources, report, lambda path: path.name)]
    if request.between is None and request.like is None:
        cycles_of_takes = require_cycles([one.take for one in cuts])
        cuts = [
            one._replace(ranges=[(int(first), int(last) + 1) for first, last in cycles.spans])
            for one, cycles in zip(cuts, cycles_of_takes, strict=True)
        ]
    if is_file_name(out):
        return _write_one(cuts, out, ending, request.unit)
    takes = named_apart(sources, [one.take for one in cuts])
    cuts = [one._replace(take=take) for one, take in zip(cuts, takes, strict=True)]
    names = [take.name for take in takes]
    if len(set(names)) < len(names):
        raise UsageError(f"several takes are called {max(names, key=names.count)}: rename all but one, or cut it alone")
    with replacing_folder(out) as temporary:
        return [piece for one in cuts for piece in _write_pieces(one, temporary, out, request.unit)]


class _Cut(NamedTuple):
    """A take, its requested frames, and the suffix and skeleton file (of AMC) of its pieces."""

    take: Clip
    ranges: list[tuple[int, int]]
    suffix: str
    skeleton: Path | None


def _cut(source: Path, at: Cut, ending: str | None, reading: dict[str, Any]) -> _Cut:
    """Read a take, and find the ranges in it that do not depend on other takes."""
    take, ranges = _read_clip(source, reading), []
    suffix = suffix_of(ending or source.suffix.lower())
    if at.between is not None:
        ranges = [_range(at.between, take)]
    elif at.like is not None:
        ranges = [(o.start, o.stop) for o in find_occurrences(take, _read_clip(at.like, reading))]
        if not ranges:
            raise UsageError(f"nothing in {source} is similar to {at.like}: give a clip of an action in the take")
    skeleton = skeleton_file(source, ReadOptions(**reading)) if suffix == source.suffix.lower() == ".amc" else None
    return _Cut(take, ranges, suffix, skeleton)


def _write_pieces(cut: _Cut, temporary: Path, folder: Path, unit_m: float | None) -> list[Piece]:
    pieces = []
    if cut.skeleton is not None and not (temporary / cut.skeleton.name).exists():
        write_bytes(temporary / cut.skeleton.name, read_bytes(cut.skeleton))
    for number, (start, stop) in enumerate(cut.ranges, start=1):
        name = f"{cut.take.name}_{number:03d}"
        clip = take_frames(cut.take, start, stop).changed(name=name)
        write(temporary / f"{name}{cut.suffix}", clip, unit_m=unit_m)
        pieces.append(Piece(folder / f"{name}{cut.suffix}", start, stop))
    return pieces


def _write_one(cuts: Sequence[_Cut], target: Path, ending: str | None, unit_m: float | None) -> list[Piece]:
    check_ending(target, ending)
    ranges = [(cut.take, *span) for cut in cuts for span in cut.ranges]
    if len(ranges) != 1:
        raise UsageError(f"{target} is one file for {len(ranges)} clips: name a folder, and the format with --format")
    ((take, start, stop),) = ranges
    write(target, take_frames(take, start, stop).changed(name=target.stem), unit_m=unit_m)
    return [Piece(target, start, stop)]


def _read_clip(path: Path, reading: dict[str, Any]) -> Clip:
    motion = read(path, **reading)
    if not isinstance(motion, Clip):
        raise UsageError(f"{path} is a {kind_word(motion)}: only clips with a skeleton can be cut")
    return motion


def _range(text: str, take: Clip) -> tuple[int, int]:
    first, colon, last = text.partition(":")
    if not colon:
        raise UsageError(f"a range is given as A:B, such as 120:360 or 1.5s:4s, not {text!r}")
    start, stop = frame_at(first or None, take.frame_time, 0), frame_at(last or None, take.frame_time, len(take))
    if start >= stop:
        raise UsageError(f"the range {text} ends before it begins: write the earlier frame or time first")
    if stop > len(take):
        seconds = len(take) * take.frame_time
        raise UsageError(
            f"the range {text} goes beyond {take.name or 'the take'}, which ends at frame {len(take)} ({seconds:.4g}s)"
        )
    return start, stop


class Converted(NamedTuple):
    """The files read, the files written (a single one if it contains all clips), and the motions."""

    sources: Sequence[Path]
    paths: list[Path]
    motions: list[Motion]


def convert(request: Convert, report: Report = silent, warn: Warn = unheard) -> Converted:
    """Read, change and write motions: to one file, or one by one, given a format or an existing folder."""
    named, target = request.sources_and_target()
    sources, ending = take_files(named), request.format
    finish = Finish(
        root_motion=chosen_travel(request.root_motion, request.in_place),
        onto=chosen_character(request, warn),
        unit_m=request.unit,
    )
    # For files without a rate: --source-fps, or else --fps, which also resamples.
    stated = request.fps if request.source_fps is None else request.source_fps
    options = ReadOptions(**{**request.reading(warn), "fps": stated, "rate": None})
    into_folder = (ending is not None and not is_file_name(target)) or (target.is_dir() and len(sources) > 1)
    if not into_folder:
        check_ending(target, ending)
        target_format = for_writing(target)
        if len(sources) > 1 and not target_format.several:
            raise FormatError(
                target, f"only {holding_several()} can hold several clips: for single files, name a folder and --format"
            )
    paths = targets_of(sources, target, ending) if into_folder else [target]
    motions: list[Motion] = []
    # Without retargeting or a change of travel, the file's hierarchy is kept; otherwise the body must be the root.
    plain = finish.onto is None and not finish.moves_travel
    read = take_in_all(sources, options, filed=plain)
    for number, (source, taken) in enumerate(zip(sources, read, strict=True)):
        report(Progress(number / len(sources), source.name))
        motions.append(finish.ready(_changed(taken.motion, request)))
    # Write only now, so that an unreadable file leaves nothing behind.
    if into_folder or len(motions) == 1:
        for source, path, motion in zip(sources, paths, motions, strict=True):
            _write_with_skin(path, motion, source, finish, options.warn)
    else:
        motions = named_apart(sources, motions)
        clips = [_sharing_clip(source, motion) for source, motion in zip(sources, motions, strict=True)]
        _write_with_skin(target, clips, sources[0], finish, options.warn)
    for path, motion in zip(paths, motions, strict=False):
        if path.suffix.lower() == ".bvh" and isinstance(motion, Clip) and motion.unit_m == 1.0:
            options.warn(
                f"{path.name}: BVH files state no unit; this one is in metres, like its source: read it with --unit m"
            )
    return Converted(sources, paths, motions)


def _write_with_skin(target: Path, motion: Motion | list[Clip], source: Path, finish: Finish, say: Warn) -> None:
    """Write a motion with the skin of its source file, or report why the skin is lost."""
    first = motion[0] if isinstance(motion, list) else motion
    if finish.onto is not None or not isinstance(first, Clip) or not has_skin(source):
        return finish.write(target, motion)
    form = for_writing(target)
    if not form.several:
        say(f"{source.name}: {form.title} cannot hold a skin, so it is left out: .glb, .fbx and .usd keep it")
        return finish.write(target, motion)
    try:
        return write(target, motion, unit_m=finish.unit_m, character=source)
    except FreshtakeError as error:
        say(f"{source.name}: its skin is left out ({error})")
        return finish.write(target, motion)


def _sharing_clip(source: Path, motion: Motion) -> Clip:
    if not isinstance(motion, Clip):
        raise FormatError(source, f"this is a {kind_word(motion)}, and only clips can share one file: leave it out")
    return motion


def _changed(motion: Motion, request: Convert) -> Motion:
    if request.repair:
        motion = repair(motion, request.repair)
    if request.start is not None or request.end is not None:
        motion = frames_between(motion, request.start, request.end)
    if request.to_up is not None:
        if not isinstance(motion, Clip):
            raise UsageError(f"up can be changed for clips with a skeleton, not for a {kind_word(motion)}")
        if request.to_up not in ("y", "z"):
            raise UsageError(f"up must be y or z, not {request.to_up!r}")
        motion = with_up(motion, request.to_up)
    return motion if request.fps is None else at_rate(motion, request.fps)


def frames_between(motion: Motion, start: str | None, end: str | None) -> Motion:
    """Return a piece of any motion, by frame numbers (from 0) or times such as 1.5s."""
    low, high = frame_at(start, motion.frame_time, 0), frame_at(end, motion.frame_time, len(motion))
    if not 0 <= low < high <= len(motion):
        name = motion.name or "the motion"
        raise UsageError(f"frames {low}:{high} are not all in {name}, which has {len(motion)} frames")
    if isinstance(motion, Clip):
        return take_frames(motion, low, high)
    rows = slice(low, high)
    if isinstance(motion, Stroke):
        return replace(motion, points=motion.points[rows], times=motion.times[rows])
    if isinstance(motion, PointClip):
        return replace(motion, positions=motion.positions[rows])
    attributes = {k: v[rows] if v.ndim == 3 else v for k, v in motion.attributes.items()}
    normals = None if motion.normals is None else motion.normals[rows]
    return replace(motion, vertices=motion.vertices[rows], normals=normals, attributes=attributes)

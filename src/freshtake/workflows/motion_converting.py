"""Any readable format to any writable one, with the requested changes and no others."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from freshtake.errors import FormatError, FreshtakeError, UsageError
from freshtake.formats.read_options import Motion, ReadOptions
from freshtake.formats.registry import for_writing, has_skin, holding_several, take_in_all, write
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip, PointClip, Stroke
from freshtake.motion.edit import take_frames, with_up
from freshtake.motion.kind_words import kind_word
from freshtake.motion.rates import at_rate
from freshtake.motion.repair import repair
from freshtake.workflows.motion_delivering import Delivery
from freshtake.workflows.motion_finishing import FINISH, Finish
from freshtake.workflows.output_naming import check_ending, is_file_name, targets_of
from freshtake.workflows.takes_reading import named_apart


class Converted(NamedTuple):
    """What was read, what was written, and where: one path for all in a glTF file of several animations."""

    sources: Sequence[Path]
    paths: list[Path]
    motions: list[Motion]


class ConvertOptions(NamedTuple):
    """What is changed on the way; nothing by default."""

    fps: float | None = None
    start: str | None = None
    end: str | None = None
    up: str | None = None
    repairs: Sequence[str] = ()


CONVERT_OPTIONS = ConvertOptions()


def motion_convert(
    sources: Sequence[Path],
    target: Path,
    *,
    reading: dict[str, Any],
    options: ConvertOptions = CONVERT_OPTIONS,
    finish: Finish = FINISH,
    ending: str | None = None,
    report: Report = silent,
) -> Converted:
    """Read, change, write: to one file, or with an `ending` or into an existing folder, one by one."""
    into_folder = (ending is not None and not is_file_name(target)) or (target.is_dir() and len(sources) > 1)
    if not into_folder:
        check_ending(target, ending)
        target_format = for_writing(target)
        if len(sources) > 1 and not target_format.several:
            raise FormatError(
                target, f"only {holding_several()} hold several clips: for files one by one, name a folder and --format"
            )
    paths = targets_of(sources, target, ending) if into_folder else [target]
    motions: list[Motion] = []
    plain = finish.onto is None and finish.delivery in (None, Delivery())  # else the body has to be the root
    read = take_in_all(sources, ReadOptions(**reading), filed=plain)
    for number, (source, taken) in enumerate(zip(sources, read, strict=True)):
        report(Progress(number / len(sources), source.name))
        motions.append(finish.ready(_changed(taken.motion, options)))
    say = ReadOptions(**reading).warn
    if into_folder or len(motions) == 1:  # only now, so that a file that cannot be read leaves nothing behind
        for source, path, motion in zip(sources, paths, motions, strict=True):
            _write(path, motion, source, finish, say)
    else:
        motions = named_apart(sources, motions)
        clips = [_clip(source, motion) for source, motion in zip(sources, motions, strict=True)]
        _write(target, clips, sources[0], finish, say)
    return Converted(sources, paths, motions)


def _write(target: Path, motion: Motion | list[Clip], source: Path, finish: Finish, say: Callable[[str], None]) -> None:
    """Write with the skin of the file that the motion is from, or say why that is not there any more."""
    first = motion[0] if isinstance(motion, list) else motion
    if finish.onto is not None or not isinstance(first, Clip) or not has_skin(source):
        return finish.write(target, motion)
    form = for_writing(target)
    if not form.several:
        say(f"{source.name}: {form.title} holds no skin, so it is left out: .glb, .fbx and .usd keep it")
        return finish.write(target, motion)
    try:
        return write(target, motion, unit_m=finish.unit_m, character=source)
    except FreshtakeError as error:
        say(f"{source.name}: its skin is left out ({error})")
        return finish.write(target, motion)


def _clip(source: Path, motion: Motion) -> Clip:
    if not isinstance(motion, Clip):
        raise FormatError(source, f"this is a {kind_word(motion)}, and only clips can share one file: leave it out")
    return motion


def _changed(motion: Motion, options: ConvertOptions) -> Motion:
    if options.repairs:
        motion = repair(motion, options.repairs)
    if options.start is not None or options.end is not None:
        motion = frames_between(motion, options.start, options.end)
    if options.up is not None:
        if not isinstance(motion, Clip):
            raise UsageError(f"up can be changed for clips with a skeleton, not for a {kind_word(motion)}")
        if options.up not in ("y", "z"):
            raise UsageError(f"up must be y or z, not {options.up!r}")
        motion = with_up(motion, options.up)
    return motion if options.fps is None else at_rate(motion, options.fps)


def frames_between(motion: Motion, start: str | None, end: str | None) -> Motion:
    """A piece of any motion, by frame numbers from 0 or by times such as 1.5s."""
    low = 0 if start is None else frame_number(start, motion.frame_time)
    high = len(motion) if end is None else frame_number(end, motion.frame_time)
    if not 0 <= low < high <= len(motion):
        name = motion.name or "the motion"
        raise UsageError(f"frames {low}:{high} do not lie within {name}, which has {len(motion)} frames")
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


def frame_number(text: str, frame_time: float) -> int:
    """A frame number, or a time with an s behind it."""
    if re.fullmatch(r"\d{1,12}", text):
        return int(text)
    if re.fullmatch(r"\d{0,9}(\.\d{0,9})?s", text) and text != "s" and text != ".s":
        return round(float(text[:-1]) / frame_time)
    raise UsageError(f"{text!r} is not a frame: give a number, 0 or larger, or a time such as 1.5s")

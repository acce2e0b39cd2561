"""Motion from one format to another, changed on the way where that is asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from freshtake.errors import FormatError, FreshtakeError, UsageError
from freshtake.formats.read_options import Motion, ReadOptions
from freshtake.formats.registry import for_writing, has_skin, holding_several, take_in_all, write
from freshtake.formats.take_files import take_files
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip, PointClip, Stroke
from freshtake.motion.edit import at_rate, take_frames, with_up
from freshtake.motion.kinds import kind_word
from freshtake.motion.repair import repair
from freshtake.requests.clips import Convert
from freshtake.workflows.characters import chosen_character
from freshtake.workflows.inputs import named_apart
from freshtake.workflows.outputs import Delivery, Finish, check_ending, chosen_delivery, is_file_name, targets_of


class Converted(NamedTuple):
    """What was read, what was written, and where: one path for all in a glTF file of several animations."""

    sources: Sequence[Path]
    paths: list[Path]
    motions: list[Motion]


def convert(request: Convert, report: Report = silent, warn: Callable[[str], None] | None = None) -> Converted:
    """Read, change and write motions: to one file, or with an ending or into an existing folder, one by one.

    Args:
        request: The files, and what is changed on the way; nothing by default.
        report: Called with the progress.
        warn: Called with sentences for the user.

    Returns:
        What was read and written.
    """
    named, target = request.sources_and_target()
    sources, ending = take_files(named), request.format
    finish = Finish(
        delivery=chosen_delivery(request.root_motion, request.in_place),
        onto=chosen_character(request.character, request.body_map, warn or (lambda sentence: None)),
        unit_m=request.unit,
    )
    # The rate of files that state none; --fps is that too, unless it only resamples.
    stated = request.fps if request.source_fps is None else request.source_fps
    options = ReadOptions(**{**request.reading(warn), "fps": stated, "rate": None})
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
    # Without another body or travel a file stays as it is filed; else the body has to be the root.
    plain = finish.onto is None and finish.delivery in (None, Delivery())
    read = take_in_all(sources, options, filed=plain)
    for number, (source, taken) in enumerate(zip(sources, read, strict=True)):
        report(Progress(number / len(sources), source.name))
        motions.append(finish.ready(_changed(taken.motion, request)))
    # Written only now, so that a file that cannot be read leaves nothing behind.
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
                f"{path.name}: BVH files state no unit; this one is in metres, as its source: read it with --unit m"
            )
    return Converted(sources, paths, motions)


def _write_with_skin(
    target: Path, motion: Motion | list[Clip], source: Path, finish: Finish, say: Callable[[str], None]
) -> None:
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

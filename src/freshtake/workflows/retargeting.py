"""Clips of one skeleton onto another, from files to files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from freshtake.errors import FormatError, UsageError
from freshtake.formats.files import replacing_folder
from freshtake.formats.joint_files import write_body_maps
from freshtake.formats.read_options import ReadOptions
from freshtake.formats.registry import for_writing, holding_several, holds_character, take_in
from freshtake.formats.report_files import require_plots, write_figure
from freshtake.formats.take_files import take_files
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip
from freshtake.motion.kinds import kind_word
from freshtake.motion.retarget import Retargeter
from freshtake.motion.verdict import check_result
from freshtake.requests.clips import Retarget
from freshtake.workflows.characters import NEED, Onto, maps_of, onto_character, read_rig, write_onto
from freshtake.workflows.outputs import chosen_delivery, delivered, playback_summary


class Retargeted(NamedTuple):
    """Files that were written, and the clips in them."""

    paths: list[Path]
    clips: list[Clip]
    way: Retargeter | None

    def summary(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        out: dict[str, Any] = {"written": [str(path) for path in self.paths], "frames": [len(c) for c in self.clips]}
        if self.way is not None:
            out |= {
                "matched": self.way.matched,
                "lengths_times": self.way.transfer.leg_ratio,
                "maps": maps_of(self.way),
            }
        played = [playback_summary(clip) for clip in self.clips]
        return {**out, "playback": played} if any(played) else out


def retarget(request: Retarget, report: Report = silent, warn: Callable[[str], None] | None = None) -> Retargeted:
    """Put clips onto a character and write them: into one file, or into a folder under their names.

    One glTF, FBX or USD file holds several clips. `request.save_map` gets the map that was found, to be edited;
    `request.picture` shows the first clip before and after.

    Args:
        request: The clips, the character, and how motion is transferred.
        report: Called with the progress.
        warn: Called with sentences for the user.

    Returns:
        The files, the clips in them and the retargeter, which is None where the joints are the character's.
    """
    if request.picture is not None:
        require_plots()
    sources, target, reading = take_files(request.clips), request.out, request.reading(warn)
    onto = onto_character(request.onto, request.body_map, plant=request.plant, hands=request.hands, warn=warn)
    one = request.format is None and target.suffix != "" and not target.is_dir()
    if one and len(sources) > 1 and not for_writing(target).several:
        raise FormatError(target, f"only {holding_several()} hold several clips: name such a file, or a folder")
    suffix = f".{(request.format or onto.ending).lstrip('.')}"
    for_writing(target if one else Path(f"clip{suffix}"))
    clips = []
    for number, path in enumerate(sources):
        report(Progress(number / len(sources), path.name))
        source, clip = _retargeted(path, onto, reading)
        check_result(clip, [source], name=path.stem, keep_going=request.keep_going, warn=warn, same_body=False)
        clips.append(clip.changed(name=path.stem))
    delivery = chosen_delivery(request.root_motion, request.in_place)
    ready = [delivered(clip, delivery) for clip in clips]
    written_clips = [clip for clip in ready if isinstance(clip, Clip)]
    way = onto.ways[0][1] if onto.ways else None
    if request.save_map is not None:
        if way is None:
            raise UsageError(
                "the clips have the character's own joints, so there is no map to save: leave --save-map out"
            )
        write_body_maps(request.save_map, maps_of(way))
    if request.picture is not None:
        _draw(request.picture, sources[0], way, clips[0])
    if one:
        write_onto(target, written_clips[0] if len(written_clips) == 1 else written_clips, None, onto)
        return Retargeted([target], written_clips, way)
    names = _distinct([f"{clip.name}{suffix}" for clip in written_clips])
    with replacing_folder(target) as place:
        for name, clip in zip(names, written_clips, strict=True):
            write_onto(place / name, clip, None, onto)
    return Retargeted([target / name for name in names], written_clips, way)


def _retargeted(path: Path, onto: Onto, reading: dict[str, Any]) -> tuple[Clip, Clip]:
    """A clip before and after."""
    options = ReadOptions(**reading)
    motion = take_in(path, options).motion
    if not isinstance(motion, Clip):
        raise UsageError(f"{path} is a {kind_word(motion)}: {NEED}")
    stated = None
    if not onto.owns(motion) and holds_character(path):
        stated = read_rig(path, options).stated
    return motion, onto.put(motion if motion.name else motion.changed(name=path.stem), stated)


def _draw(target: Path, source: Path, way: Retargeter | None, retargeted: Clip) -> None:
    from freshtake.reports.overlay import retarget_strip

    rows = [] if way is None else [(f"{source.name} ({way.source.body.family})", way.source.clip)]
    family = "the character's own joints" if way is None else way.target.body.family
    write_figure(target, retarget_strip([*rows, (f"retargeted ({family})", retargeted)]))


def _distinct(names: list[str]) -> list[str]:
    repeated = [name for number, name in enumerate(names) if name in names[:number]]
    if repeated:
        raise UsageError(f"two clips would be written as {repeated[0]}: rename one, or retarget them one by one")
    return names

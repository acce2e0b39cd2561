"""Put clips onto another body, from files to files: the skeleton of a character, or a robot."""

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
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.requests.clips import Retarget, Robot
from freshtake.workflows.characters import NEED, Onto, maps_of, onto_character, read_rig, write_onto
from freshtake.workflows.inputs import read_clips
from freshtake.workflows.outputs import check_ending, chosen_delivery, delivered, playback_summary


class Retargeted(NamedTuple):
    """Files that were written, and the clips in them."""

    paths: list[Path]
    clips: list[Clip]
    way: Retargeter | None

    def summary(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
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
    """Read a clip and return it before and after retargeting."""
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


ENDINGS = (".csv", ".npz", ".pkl")
FAR = 0.15  # leg lengths that a joint is off its target on average: beyond, the robot cannot do what the clip does
SLIDES = 1.2  # times the sliding of the clip's feet; feet that slide less than STILL legs/s never count
STILL = 0.02


class RobotWritten(NamedTuple):
    """A file, and how well the robot does what the clip does."""

    path: Path
    frames: int
    off: float
    sliding: float
    source_sliding: float


@one_blas_thread()
def robot(request: Robot, report: Report = silent, warn: Callable[[str], None] | None = None) -> list[RobotWritten]:
    """Put clips onto a robot and write what its joints do.

    Args:
        request: Clips, robot and where the files go.
        report: Called with the progress.
        warn: Called with remarks about the clips.

    Returns:
        What was written; a motion that is far from its clip or whose feet slide is refused, unless `keep_going`.
    """
    from freshtake.robots.robot_files import write_robot_motion
    from freshtake.robots.robot_model import read_robot
    from freshtake.robots.robot_motion import onto_robot

    paths, single = take_files(request.clips), bool(request.out.suffix) and not request.out.is_dir()
    if single and request.out.suffix.lower() not in ENDINGS:
        raise FormatError(request.out, f"the name must end in {', '.join(ENDINGS)}, or be that of a folder")
    if single and len(paths) > 1:
        raise UsageError(f"{request.out} is one file, but there are {len(paths)} clips: name a folder")
    if single:
        check_ending(request.out, request.format)
    stems = [path.stem for path in paths]
    twice = next((stem for stem in stems if stems.count(stem) > 1), None)
    if twice is not None:
        raise UsageError(f"two clips would both be written as {request.out / twice}: rename one of them")
    model = read_robot(request.onto)
    (clips,) = read_clips([paths], request.reading(warn), "only clips with a skeleton are put onto a robot")
    ending = request.out.suffix if single else f".{request.format or 'csv'}"
    motions = []
    for number, clip in enumerate(clips):

        def frames_done(progress: Progress, number: int = number, name: str = clip.name) -> None:
            report(Progress((number + (progress.share)) / len(clips), name))

        motion = onto_robot(clip, model, report=frames_done)
        problem = ""
        if motion.worst > FAR * motion.leg:
            problem = f"a joint stays {100 * motion.worst:.0f} cm from where it should be"
        elif motion.sliding > max(SLIDES * motion.source_sliding, STILL):
            problem = f"feet that stand slide {100 * motion.sliding:.0f} % of a leg per second"
        if problem and not request.keep_going:
            raise UsageError(
                f"{clip.name}: {problem}: its limits are too narrow for this motion, or write it with --keep-going"
            )
        if problem and warn is not None:
            warn(f"{clip.name}: {problem}")
        motions.append(motion)
    targets = [request.out] if single else [request.out / f"{path.stem}{ending}" for path in paths]
    if single:
        write_robot_motion(request.out, motions[0], model)
    else:
        with replacing_folder(request.out) as place:
            for target, motion in zip(targets, motions, strict=True):
                write_robot_motion(place / target.name, motion, model)
    return [
        RobotWritten(target, len(motion.root), motion.off, motion.sliding, motion.source_sliding)
        for target, motion in zip(targets, motions, strict=True)
    ]

"""Clips in, files of robot motion out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from freshtake.errors import FormatError, UsageError
from freshtake.formats.files import replacing_folder
from freshtake.formats.take_files import take_files
from freshtake.methods.progress import Progress, Report, silent
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.requests.robot import Robot
from freshtake.workflows.inputs import read_clips
from freshtake.workflows.outputs import check_ending

ENDINGS = (".csv", ".npz", ".pkl")
FAR = 0.15  # legs from its target, of any joint in the mean over frames: the robot cannot do what the clip does
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

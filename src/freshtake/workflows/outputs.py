"""Outputs of workflows: file names, followed paths, and the last steps of a motion before it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError, UsageError
from freshtake.formats.files import check_free
from freshtake.formats.read_options import Motion
from freshtake.formats.registry import for_writing, write
from freshtake.methods.progress import Warn, unheard
from freshtake.motion import Clip, Stroke
from freshtake.motion.body.orientation import unit_name, unit_of
from freshtake.motion.edit import turned
from freshtake.motion.features import Start
from freshtake.motion.kinds import kind_word
from freshtake.numeric.arrays import Floats
from freshtake.requests.fields import Finishing, OnCharacter

if TYPE_CHECKING:
    from freshtake.motion.verdict import Verdict
    from freshtake.variation.steering import Followed
    from freshtake.workflows.retargeting import Onto

OTHER_FILES = frozenset(  # extensions that nobody gives to a folder
    (".abc", ".anim", ".bip", ".blend", ".dae", ".fbx", ".ftm", ".html", ".json", ".ma", ".mb", ".png", ".txt", ".trc",
     ".usd", ".usda", ".usdc", ".usdz", ".vrm", ".vrma", ".x3d", ".zip")
)  # fmt: skip


def is_file_name(target: Path) -> bool:
    """Return whether a target's suffix belongs to a file; an existing folder is not a file."""
    if target.suffix == "" or target.is_dir():
        return False
    if target.suffix.lower() in OTHER_FILES:
        for_writing(target)  # raises an error that lists the extensions that can be written
    try:
        for_writing(target)
    except FormatError:
        return False
    return True


def check_folder_name(target: Path) -> None:
    """Refuse a file name for a folder."""
    if is_file_name(target):
        raise UsageError(f"{target} looks like one file, but several will be written: name a folder")


def check_targets(*targets: tuple[Path | None, tuple[str, ...]]) -> None:
    """Refuse existing files, and names with other extensions than those given with them."""
    for path, endings in targets:
        if path is not None:
            if path.suffix.lower() not in endings:
                raise FormatError(path, f"the name must end in {' or '.join(endings)}")
            check_free(path)


def is_one_file(target: Path, count: int, ending: str | None, what: str, *, together: bool = False) -> bool:
    """Return whether a target is a file name; a file holds one result, or all `together` if its format can."""
    if not is_file_name(target):
        return False
    if count != 1 and not (together and for_writing(target).several):
        raise UsageError(
            f"{target} is one file for {count} {what}: add -n 1, or name a folder and --format {target.suffix[1:]}"
        )
    check_ending(target, ending)
    return True


def targets_of(takes: Sequence[Path], out: Path, ending: str | None = None) -> list[Path]:
    """Return a target for every take: `out` if it is a file name, else a file in the folder `out`."""
    if out.suffix and not out.is_dir():
        if len(takes) > 1:
            raise UsageError(f"{out} is one file for {len(takes)} takes: name a folder, and the kind with --format")
        check_ending(out, ending)
        return [out]
    return distinct([out / f"{t.stem}{suffix_like(t) if ending is None else suffix_of(ending)}" for t in takes])


def distinct(targets: list[Path]) -> list[Path]:
    """Return targets that all differ; a target for two takes is an error."""
    twice = next((target for target in targets if targets.count(target) > 1), None)
    if twice is not None:
        raise UsageError(f"two clips would both be written as {twice}: rename one of them")
    return targets


def check_ending(target: Path, ending: str | None) -> None:
    """Refuse a --format that contradicts the target's name."""
    if ending is not None and f".{ending.lstrip('.')}".lower() != target.suffix.lower():
        raise UsageError(f"{target} ends in {target.suffix}, but --format says {ending}: leave --format out")


def suffix_of(ending: str, what: str = "clip") -> str:
    """Return a file extension, such as glb, as a suffix; refuse extensions that cannot be written."""
    suffix = f".{ending.lstrip('.')}"
    for_writing(Path(f"{what}{suffix}"))
    return suffix


def suffix_like(take: Path, usual: str = ".bvh") -> str:
    """Return the suffix of a take if new motions can be written with it, else the usual one."""
    suffix = take.suffix.lower()
    if suffix in ("", ".amc"):  # AMC lacks degrees of freedom that rotations of new motions need
        return usual
    try:
        for_writing(Path(f"clip{suffix}"))
    except FormatError:
        return usual
    return suffix


def chosen_travel(root_motion: str | None, in_place: bool) -> str:
    """Return the joint that carries the travel (default: hips), or none with `in_place`."""
    if in_place and root_motion not in (None, "none"):
        raise UsageError(f"--in-place removes the travel, but --root-motion {root_motion} keeps it: choose one")
    return "none" if in_place else root_motion or "hips"


def turn_note(playbacks: Sequence[dict[str, Any] | None]) -> str | None:
    """Return a sentence if the median rotation that was removed from loops is large."""
    turns = [abs(playback["turn_removed_deg"]) for playback in playbacks if playback is not None and playback["loop"]]
    # Takes that turn by less than 15 degrees per cycle are meant to go straight and need no note.
    if not turns or float(np.median(turns)) < 15.0:
        return None
    return f"a rotation of about {float(np.median(turns)):.0f}° was removed from each loop, so loops go straight"


def seconds_of(motion: Motion) -> float:
    """Return how long a motion plays, including its last frame; a stroke ends at its last point."""
    return motion.duration if isinstance(motion, Stroke) else len(motion) * motion.frame_time


def as_motion(result: Any, frame_time: float, dimensions: Sequence[str] = (), name: str = "") -> Motion:
    """Return a model's result as a motion; plain rows become a stroke with these dimensions."""
    if isinstance(result, np.ndarray):
        return Stroke(result, np.arange(len(result), dtype=np.float64) * frame_time, tuple(dimensions), name)
    motion: Motion = result
    return motion


def playback_summary(motion: Motion) -> dict[str, Any] | None:
    """Return the playback of a motion for JSON; None if it has none."""
    return motion.playback.summary() if isinstance(motion, Clip) and motion.playback is not None else None


class Finish(NamedTuple):
    """Settings of the last steps before a motion is written.

    `plant` is how firmly feet are planted, `root_motion` the carrier of the travel (hips, joint, or none). With
    `closing`, loops repeat their first frame at the end. With `keep_going`, failed checks do not prevent writing.
    """

    plant: bool | str = True
    root_motion: str = "hips"
    closing: bool = False
    onto: Onto | None = None
    unit_m: float | None = None
    keep_going: bool = False

    @property
    def moves_travel(self) -> bool:
        """Whether the motion's travel or length changes."""
        return self.closing or self.root_motion != "hips"

    def ready(self, motion: Motion) -> Motion:
        """Retarget a motion to the character, and put its travel where it belongs."""
        motion = motion if self.onto is None else self.onto.put(motion)
        if not self.moves_travel:
            return motion
        from freshtake.motion.cycles.looping import with_closing_frame, with_root_motion

        if not isinstance(motion, Clip):
            raise UsageError(f"only the root of a skeleton has travel: this is a {kind_word(motion)}")
        return with_root_motion(with_closing_frame(motion) if self.closing else motion, self.root_motion)

    def write(self, target: Path, motion: Motion | Sequence[Clip]) -> None:
        """Write a motion that `ready` returned."""
        if self.onto is None:
            write(target, motion, unit_m=self.unit_m)
        else:
            self.onto.write(target, motion, self.unit_m)


class WrittenMotion(NamedTuple):
    """A written motion, how it followed a path, and the verdicts of its checks."""

    path: Path
    motion: Motion
    followed: Followed | None = None
    verdicts: Sequence[Verdict] = ()


def finish_of(request: Finishing, warn: Warn = unheard) -> Finish:
    """Return the requested last steps; the character is read from its file."""
    # Not every request has travel or loops; without these fields, the defaults change nothing.
    travel = chosen_travel(getattr(request, "root_motion", None), getattr(request, "in_place", False))
    closing = getattr(request, "closing_frame", False)
    onto = chosen_character(request, warn)
    return Finish(request.planting, travel, closing, onto, request.unit, request.keep_going)


def chosen_character(request: OnCharacter, warn: Warn = unheard) -> Onto | None:
    """Read the character that a request names, if any."""
    if request.character is None:
        if request.body_map is not None:
            raise UsageError("--map names the joints of a character: add --character, or leave --map out")
        return None
    from freshtake.workflows.retargeting import onto_character  # retargeting is slow to import

    return onto_character(request.character, request.body_map, warn=warn)


PLACES = {"y": [0, 2], "z": [0, 1]}  # ground columns, by the axis that points up


def seen_from_its_start(path: Floats, up: str) -> tuple[Floats, Start]:
    """Return a path relative to a body at its first point, facing along it, and that body's position."""
    sign = 1.0 if up == "y" else -1.0  # heading 0 is +z where y is up, and -y where z is
    world = sign * path[:, 1] + 1j * path[:, 0]
    heading = float(np.angle(world[1] - world[0]))
    turned = (world - world[0]) * np.exp(-1j * heading)
    return np.stack([turned.imag, sign * turned.real], axis=1), Start((float(path[0, 0]), float(path[0, 1])), heading)


def placed(motion: Motion, start: Start | None) -> Motion:
    """Move a clip that begins at the origin, facing forward, to its start, if it has one."""
    if start is None or not isinstance(motion, Clip):
        return motion
    moved = turned(motion, start.heading)
    root = moved.root.copy()
    root[:, PLACES[motion.up]] += start.ground
    return moved.changed(root=root)


def followed_by(path: npt.ArrayLike | None, motion: Motion | None) -> Followed | None:
    """Measure how far a body followed a path, and its distance from the path; None without a path or a skeleton."""
    from freshtake.variation.steering import Steering, Travel, followed

    if path is None or not isinstance(motion, Clip) or len(motion) < 2:
        return None
    places = motion.root[:, PLACES[motion.up]]
    speed = float(np.linalg.norm(np.diff(places, axis=0), axis=1).mean() / motion.frame_time)
    return followed(Steering(path=np.asarray(path)), Travel(speed, 0.0), places, motion.frame_time)


def path_sentence(followed: Sequence[Followed], motion: Motion) -> str:
    """Describe how motions followed their path, in the unit of the clip."""
    metres = unit_of(motion) if isinstance(motion, Clip) else None
    unit = "of the clip's units" if metres is None else unit_name(metres)
    least, most = min(one.along for one in followed), max(one.along for one in followed)
    length = f"{most:.4g}" if f"{least:.4g}" == f"{most:.4g}" else f"{least:.4g} to {most:.4g}"
    mean = float(np.mean([one.mean_off for one in followed]))
    return (
        f"followed {length} of the path's {followed[0].length:.4g} {unit}, "
        f"off by {_plain(mean)} on average and {_plain(max(one.most_off for one in followed))} at most"
    )


def _plain(length: float) -> str:
    """Format a length with two digits; larger numbers get no exponent."""
    return f"{length:.0f}" if length >= 10.0 else f"{length:.2g}"


class Limiter:
    """Clamps values to the limits of their joint, and counts the clamped values."""

    def __init__(self, limits: Mapping[str, tuple[float, float]]) -> None:
        self.limits = limits
        self.beyond = dict.fromkeys(limits, 0)
        self.total = 0

    def __call__(self, motion: Motion) -> Motion:
        """Return a motion within its limits; only tables of joint values can have any."""
        if not isinstance(motion, Stroke):
            raise UsageError(f"--limits is for tables of joint values, not for a {kind_word(motion)}")
        unknown = [joint for joint in self.limits if joint not in motion.dimensions]
        if unknown:
            columns = ", ".join(motion.dimensions[:40])
            raise UsageError(f"--limits names {unknown[0]!r}, which is not a column; the columns are {columns}")
        points = motion.points.copy()
        for joint, (low, high) in self.limits.items():
            column = motion.dimensions.index(joint)
            limited = np.clip(points[:, column], low, high)
            self.beyond[joint] += int(np.count_nonzero(limited != points[:, column]))
            points[:, column] = limited
        self.total += len(points)
        return replace(motion, points=points)

    def report(self, warn: Warn) -> None:
        """Warn how many joints were clamped, and which joint most often."""
        joint = max(self.beyond, key=self.beyond.__getitem__)
        if self.beyond[joint]:
            touched = sum(count > 0 for count in self.beyond.values())
            share = 100.0 * self.beyond[joint] / max(self.total, 1)
            most = f"{joint!r} in {share:.1f} % of frames" + (", the most" if touched > 1 else "")
            warn(f"{touched} joint{'s' * (touched > 1)} went beyond the limits and were clamped: {most}")

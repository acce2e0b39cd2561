"""Put clips onto another body: a character with or without a skin, or a robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from freshtake.errors import FormatError, FreshtakeError, UsageError
from freshtake.formats.files import replacing_folder
from freshtake.formats.joint_files import BodyMapFile, Parts, read_body_maps, write_body_maps
from freshtake.formats.read_options import Motion, ReadOptions
from freshtake.formats.registry import for_writing, holding_several, holds_character, take_files, take_in, write
from freshtake.methods.progress import Progress, Report, Warn, each, silent, unheard
from freshtake.motion import Clip
from freshtake.motion.body.orientation import unit_name, unit_of
from freshtake.motion.body.rooting import as_filed
from freshtake.motion.kinds import kind_word
from freshtake.motion.retarget import BodyMap, Retargeter, Rig, Stated, make_rig, map_by_names
from freshtake.motion.retarget.mapping import NEEDED
from freshtake.motion.retarget.rest import SEEN
from freshtake.motion.skeleton import Skeleton
from freshtake.motion.verdict import check_result
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.requests.clips import Retarget, Robot
from freshtake.workflows.inputs import read_clips
from freshtake.workflows.outputs import Finish, check_ending, chosen_travel, distinct, playback_summary

if TYPE_CHECKING:
    from freshtake.robots.robot_motion import RobotMotion

NEED = "only clips with a skeleton can be put onto a character"
SAME = 0.02  # bone lengths that differ by less than this, in median bone lengths, are equal
POOR = 0.5  # score below which no pose looks like a standing body


@dataclass
class Onto:
    """A character to retarget clips to; clips with the character's joints are left unchanged."""

    path: Path
    clip: Clip
    stated: Stated | None
    gltf: bool  # whether the file format can contain characters with skins
    maps: BodyMapFile
    parts: Parts | None = None  # parts of the body, as the file states them
    maps_path: Path | None = None
    plant: bool = True
    hands: bool = False
    warn: Warn = unheard
    ways: list[tuple[Skeleton, Retargeter]] = field(default_factory=list)

    @property
    def ending(self) -> str:
        """The suffix of the character's files; with a skin, .glb unless the character is FBX."""
        return ".glb" if self.gltf and self.path.suffix.lower() != ".fbx" else self.path.suffix

    @cached_property
    def target(self) -> Rig:
        """The character's body."""
        if self.gltf and self.stated is None:
            what = "no mesh has a skin here, so clips of other skeletons cannot be put onto it: export it with its skin"
            raise FormatError(self.path, what)
        return self._rig(self.clip, self.stated, "target", str(self.path))

    def owns(self, clip: Clip) -> bool:
        """Return whether a clip has the character's joints, in the same proportions."""
        character, other = self.clip.skeleton, as_filed(clip).skeleton
        if set(other.names) != set(character.names):
            return False
        lengths = character.lengths(), other.lengths()[[other.index(name) for name in character.names]]
        usual = [np.median(offsets[offsets > 0]) if (offsets > 0).any() else 1.0 for offsets in lengths]
        return bool(np.abs(lengths[0] / usual[0] - lengths[1] / usual[1]).max() < SAME)

    def put(self, motion: Motion, stated: Stated | None = None) -> Clip:
        """Retarget a motion to the character's skeleton; `stated` is the rest pose in the motion's file."""
        if not isinstance(motion, Clip):
            raise UsageError(f"{NEED}, not a {kind_word(motion)}")
        if self.owns(motion):
            return motion
        try:
            return self.way(motion, stated).retarget(motion, plant=self.plant, hands=self.hands)
        except FreshtakeError:
            if set(motion.skeleton.names) == set(self.clip.skeleton.names):
                return motion  # not a humanoid, but the same joints: a fox on another fox
            raise

    def way(self, clip: Clip, stated: Stated | None = None) -> Retargeter:
        """Return the retargeter from the clip's skeleton to the character's; each new retargeter is announced."""
        for skeleton, retargeter in self.ways:
            if skeleton == clip.skeleton:
                return retargeter
        retargeter = Retargeter(self._rig(clip, stated, "source", clip.name or "the clip"), self.target)
        self.ways.append((clip.skeleton, retargeter))
        self.warn(retargeting_sentence(retargeter, self.path.name))
        return retargeter

    def write(self, target: Path, motion: Motion | Sequence[Clip], unit_m: float | None) -> None:
        """Write clips made by `put`, with the character's skin if it has one."""
        write(target, motion, unit_m=None if self.ways else unit_m, character=self.path if self.gltf else None)

    def _rig(self, clip: Clip, stated: Stated | None, table: str, who: str) -> Rig:
        given: Parts | None = getattr(self.maps, table)
        if given is None and table == "target" and self.parts is not None:
            return make_rig(clip, stated, stated_body(clip, self.parts), who)
        try:
            return _rig(clip, stated, given, who)
        except UsageError as error:
            if self.maps_path is None or given is None:
                raise
            raise FormatError(self.maps_path, str(error), table) from None


def onto_character(
    path: Path, maps: Path | None = None, *, plant: bool = True, hands: bool = False, warn: Warn = unheard
) -> Onto:
    """Read a character: glTF or FBX with a skin, or any file with a skeleton; `maps` names joints of it or of clips."""
    given = BodyMapFile() if maps is None else read_body_maps(maps)
    rig = read_rig(path, ReadOptions(warn=warn))
    clip = as_filed(rig.clip)
    return Onto(path, clip, rig.stated, holds_character(path), given, rig.parts, maps, plant, hands, warn)


class ReadRig(NamedTuple):
    """A clip of a file's skeleton, and the rest pose and body parts that the file states."""

    clip: Clip
    stated: Stated | None = None
    parts: Parts | None = None


def read_rig(path: Path, options: ReadOptions) -> ReadRig:
    """Read the skeleton of any file that has one."""
    if holds_character(path):
        from freshtake.formats.gltf import read_character

        character = read_character(path, options)
        stated = Stated(character.places, character.turns) if character.skinned else None
        return ReadRig(character.clip, stated, character.parts)
    motion = take_in(path, options).motion
    if not isinstance(motion, Clip):
        raise FormatError(path, f"this is a {kind_word(motion)}, which has no skeleton to put a clip onto")
    return ReadRig(motion)


def stated_body(clip: Clip, parts: Parts) -> BodyMap | None:
    """Return the body parts that a file states, if complete."""
    try:
        body = map_by_names(clip.skeleton, parts, "VRM")
    except UsageError:  # if the statement is wrong, names and shape decide
        return None
    return None if body.lacking() else body


def _rig(clip: Clip, stated: Stated | None, given: Parts | None, who: str) -> Rig:
    body: BodyMap | None = None
    if given is not None:
        body = map_by_names(clip.skeleton, given)
        if body.lacking():
            raise UsageError(f"{body.lacking()[0]!r} is missing: a body needs {', '.join(NEEDED)}")
    rig = make_rig(clip, stated, body, who)
    if rig.rest.score < POOR and given is None:
        raise UsageError(
            f"{who}: its joints never look like the legs and arms of a standing person, so it cannot be retargeted: "
            "if it is a person, name its joints with --map"
        )
    return rig


def retargeting_sentence(way: Retargeter, character: str) -> str:
    """Describe a retargeting in one sentence: joints matched, scale, units, up axis and rest pose."""
    source, target = way.source, way.target
    both = [unit_of(rig.clip) for rig in (source, target)]
    units = [unit_name(unit) if unit else "its unit" for unit in both]
    turned = "" if source.clip.up == target.clip.up else f", {source.clip.up} up becomes {target.clip.up} up"
    names = [rig.body.family for rig in (source, target)]
    joints = f"{way.matched} of {len(target.rest.skeleton)} joints matched ({names[0]} to {names[1]})"
    lengths = f"lengths times {way.transfer.leg_ratio:.4g} by the legs ({units[0]} to {units[1]})"
    seen = [name for rig, name in ((source, "the clip"), (target, character)) if rig.rest.how == SEEN]
    rest = f"; {seen[0]} has no rest pose, so its straightest frame is used instead" if seen else ""
    return f"{source.clip.name or 'the clip'} is retargeted to {character}: {joints}, {lengths}{turned}{rest}"


def maps_of(way: Retargeter) -> dict[str, Parts]:
    """Return the joint names of both bodies, in the form of a map file."""
    return {name: rig.body.names(rig.clip.skeleton) for name, rig in (("source", way.source), ("target", way.target))}


class Retargeted(NamedTuple):
    """Written files, and the clips in them."""

    paths: list[Path]
    clips: list[Clip]
    way: Retargeter | None

    def as_dict(self) -> dict[str, Any]:
        """Return the result as values for JSON."""
        out: dict[str, Any] = {"written": self.paths, "frames": [len(clip) for clip in self.clips]}
        if (way := self.way) is not None:
            out |= {"matched": way.matched, "lengths_times": way.transfer.leg_ratio, "maps": maps_of(way)}
        playbacks = [playback_summary(clip) for clip in self.clips]
        return {**out, "playback": playbacks} if any(playbacks) else out


def retarget(request: Retarget, report: Report = silent, warn: Warn = unheard) -> Retargeted:
    """Put clips onto a character and write them into one file, or into a folder under their names.

    The result has no retargeter if the clips already have the character's joints.
    """
    sources, target, reading = take_files(request.clips), request.out, request.reading(warn)
    onto = onto_character(request.onto, request.body_map, plant=request.plant, hands=request.hands, warn=warn)
    single = request.format is None and target.suffix != "" and not target.is_dir()
    if single and len(sources) > 1 and not for_writing(target).several:
        raise FormatError(target, f"only {holding_several()} can hold several clips: name such a file, or a folder")
    suffix = f".{(request.format or onto.ending).lstrip('.')}"
    for_writing(target if single else Path(f"clip{suffix}"))
    clips = []
    for path in each(sources, report, lambda path: path.name):
        source, clip = _retargeted(path, onto, reading)
        check_result(clip, [source], name=path.stem, keep_going=request.keep_going, warn=warn, same_body=False)
        clips.append(clip.changed(name=path.stem))
    finish = Finish(root_motion=chosen_travel(request.root_motion, request.in_place))
    ready = [clip for clip in map(finish.ready, clips) if isinstance(clip, Clip)]
    way = onto.ways[0][1] if onto.ways else None
    if request.save_map is not None:
        if way is None:
            raise UsageError("the clips have the character's joints, so there is no map to save: leave --save-map out")
        write_body_maps(request.save_map, maps_of(way))
    if single:
        onto.write(target, ready[0] if len(ready) == 1 else ready, None)
        return Retargeted([target], ready, way)
    targets = distinct([target / f"{clip.name}{suffix}" for clip in ready])
    with replacing_folder(target) as place:
        for path, clip in zip(targets, ready, strict=True):
            onto.write(place / path.name, clip, None)
    return Retargeted(targets, ready, way)


def _retargeted(path: Path, onto: Onto, reading: dict[str, Any]) -> tuple[Clip, Clip]:
    options = ReadOptions(**reading)
    motion = take_in(path, options).motion
    if not isinstance(motion, Clip):
        raise UsageError(f"{path} is a {kind_word(motion)}: {NEED}")
    stated = read_rig(path, options).stated if not onto.owns(motion) and holds_character(path) else None
    return motion, onto.put(motion if motion.name else motion.changed(name=path.stem), stated)


ROBOT_FILES = (".csv", ".npz", ".pkl")
FAR = 0.15  # leg lengths from its target, on average, beyond which a joint is too far
SLIDES = 1.2  # times the sliding of the clip's feet, beyond which feet slide too much
STILL = 0.02  # legs per second up to which feet never slide too much


class RobotWritten(NamedTuple):
    """A written file, the robot's mean distance from the clip in metres, and the sliding of planted feet."""

    path: Path
    frames: int
    off: float
    sliding: float
    source_sliding: float


@one_blas_thread()
def robot(request: Robot, report: Report = silent, warn: Warn = unheard) -> list[RobotWritten]:
    """Put clips onto a robot and write its joint values."""
    from freshtake.robots.robot_model import read_robot
    from freshtake.robots.robot_motion import onto_robot, write_robot_motion

    paths, single = take_files(request.clips), bool(request.out.suffix) and not request.out.is_dir()
    if single and request.out.suffix.lower() not in ROBOT_FILES:
        raise FormatError(request.out, f"the name must end in {', '.join(ROBOT_FILES)}, or name a folder")
    if single and len(paths) > 1:
        raise UsageError(f"{request.out} is one file, but there are {len(paths)} clips: name a folder")
    if single:
        check_ending(request.out, request.format)
    ending = request.format or "csv"
    targets = [request.out] if single else distinct([request.out / f"{path.stem}.{ending}" for path in paths])
    model = read_robot(request.onto)
    (clips,) = read_clips([paths], request.reading(warn), "only clips with a skeleton can be put onto a robot")
    motions = []
    for number, clip in enumerate(clips):

        def frames_done(progress: Progress, number: int = number, name: str = clip.name) -> None:
            report(Progress((number + progress.share) / len(clips), name))

        motions.append(onto_robot(clip, model, report=frames_done))
        if (problem := _problem(motions[-1])) is not None:
            problem = f"{clip.name}: {problem}"
            if not request.keep_going:
                raise UsageError(f"{problem}: its limits are too narrow for this motion; --keep-going writes it anyway")
            warn(problem)
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


def _problem(motion: RobotMotion) -> str | None:
    """Return the reason why a robot's motion is unlike its clip, if there is one."""
    if motion.worst > FAR * motion.leg:
        return f"a joint stays {100 * motion.worst:.0f} cm from where it should be"
    if motion.sliding > max(SLIDES * motion.source_sliding, STILL):
        return f"planted feet slide {100 * motion.sliding:.0f} % of a leg per second"
    return None

"""Characters that clips are put onto: with a skin, or any file with a skeleton."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from freshtake.errors import FormatError, FreshtakeError, UsageError
from freshtake.formats.joint_files import BodyMapFile, Parts, read_body_maps
from freshtake.formats.read_options import Motion, ReadOptions
from freshtake.formats.registry import holds_character, take_in, write
from freshtake.motion import Clip
from freshtake.motion.body.orientation import unit_name, unit_of
from freshtake.motion.body.rooting import as_filed
from freshtake.motion.kinds import kind_word
from freshtake.motion.retarget import BodyMap, Retargeter, Rig, Stated, make_rig, map_by_names
from freshtake.motion.retarget.mapping import NEEDED
from freshtake.motion.retarget.rest import SEEN
from freshtake.motion.skeleton import Skeleton

NEED = "only clips with a skeleton are put onto a character"
SAME = 0.02  # bone lengths that differ by less, in median bone lengths, are the same
POOR = 0.5  # poses that score less are hardly those of a standing body


def _silent(message: str) -> None:
    pass


@dataclass
class Onto:
    """A character to put clips onto. Clips with its joints are left as they are, others are retargeted."""

    path: Path
    clip: Clip
    stated: Stated | None
    gltf: bool  # whether the file is of the kind that holds characters with skins
    maps: BodyMapFile
    parts: Parts | None = None  # as the file itself states them
    maps_path: Path | None = None
    plant: bool = True
    hands: bool = False
    warn: Callable[[str], None] = _silent
    ways: list[tuple[Skeleton, Retargeter]] = field(default_factory=list)

    @property
    def ending(self) -> str:
        """The suffix of the character's files: with a skin, glTF unless the character is FBX."""
        return ".glb" if self.gltf and self.path.suffix.lower() != ".fbx" else self.path.suffix

    @cached_property
    def target(self) -> Rig:
        """The character's body."""
        if self.gltf and self.stated is None:
            what = "no mesh has a skin here, so no other skeleton's clips can be put onto it: export it with its skin"
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
        """Return the retargeter from the clip's skeleton to the character's; each one is announced once."""
        for skeleton, retargeter in self.ways:
            if skeleton == clip.skeleton:
                return retargeter
        retargeter = Retargeter(self._rig(clip, stated, "source", clip.name or "the clip"), self.target)
        self.ways.append((clip.skeleton, retargeter))
        self.warn(retargeting_sentence(retargeter, self.path.name))
        return retargeter

    def write(self, target: Path, motion: Motion | Sequence[Clip], unit_m: float | None) -> None:
        """Write clips that `put` made, with the character's skin where it has one."""
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
    path: Path,
    maps: Path | None = None,
    *,
    plant: bool = True,
    hands: bool = False,
    warn: Callable[[str], None] | None = None,
) -> Onto:
    """Read a character: glTF or FBX with a skin, or any file of a skeleton; `maps` names joints of it or of clips."""
    given = BodyMapFile() if maps is None else read_body_maps(maps)
    rig = read_rig(path, ReadOptions(warn=warn or _silent))
    gltf = holds_character(path)
    clip = as_filed(rig.clip)
    return Onto(path, clip, rig.stated, gltf, given, rig.parts, maps, plant, hands, warn or _silent)


def chosen_character(character: Path | None, maps: Path | None, warn: Callable[[str], None]) -> Onto | None:
    """Read the character that the options name, if any."""
    if character is None and maps is not None:
        raise UsageError("--map names the joints of a character: add --character, or leave --map out")
    return None if character is None else onto_character(character, maps, warn=warn)


def put_onto(onto: Onto | None, motion: Motion) -> Motion:
    """Put a motion onto a character, where there is one."""
    return motion if onto is None else onto.put(motion)


class ReadRig(NamedTuple):
    """A clip of a file's skeleton, and what the file states of its rest pose and of the parts of its body."""

    clip: Clip
    stated: Stated | None = None
    parts: Parts | None = None


def read_rig(path: Path, options: ReadOptions) -> ReadRig:
    """Read the skeleton of any file that has one."""
    if holds_character(path):
        from freshtake.formats.gltf import read_character

        character = read_character(path, options)
        return ReadRig(
            character.clip, Stated(character.places, character.turns) if character.skinned else None, character.parts
        )
    motion = take_in(path, options).motion
    if not isinstance(motion, Clip):
        raise FormatError(path, f"this is a {kind_word(motion)}, which has no skeleton to put a clip onto")
    return ReadRig(motion)


def stated_body(clip: Clip, parts: Parts) -> BodyMap | None:
    """Return the body parts that a file states, where they are complete."""
    try:
        body = map_by_names(clip.skeleton, parts, "VRM")
    except UsageError:  # files can be wrong about themselves; then names and shape decide
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
            f"{who}: in no pose do its joints look like a standing person's legs and arms, so it cannot be retargeted: "
            "name its joints with --map if it is one"
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
    return f"{source.clip.name or 'the clip'} is retargeted onto {character}: {joints}, {lengths}{turned}{rest}"


def write_onto(target: Path, motion: Motion | Sequence[Clip], unit_m: float | None, onto: Onto | None) -> None:
    """Write clips that `Onto.put` made, with the character's skin where it has one."""
    if onto is None:
        write(target, motion, unit_m=unit_m)
    else:
        onto.write(target, motion, unit_m)


def maps_of(way: Retargeter) -> dict[str, Parts]:
    """Return the joint names of both bodies, as a map file has them."""
    return {name: rig.body.names(rig.clip.skeleton) for name, rig in (("source", way.source), ("target", way.target))}

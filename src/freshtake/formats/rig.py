"""Prepare clips and characters for scene formats (glTF, FBX, USD), which fix unit and axis and hold many clips.

A character is described independently of the format: joints without scale, their bind pose, meshes, and clips on them.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError, InvalidMotion, SkeletonMismatch
from freshtake.formats.files import LARGEST_SINGLE, SINGLE
from freshtake.formats.read_options import Motion, ReadOptions, WriteOptions, choose_for
from freshtake.motion import Clip, EndSite
from freshtake.motion.body.orientation import guess_unit, unlikely_unit
from freshtake.motion.clip import Playback, playback_from
from freshtake.motion.edit import scaled, with_up
from freshtake.motion.kinds import kind_word
from freshtake.motion.skeleton import require_compatible
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.rotations import IDENTITY, WorldPose, forward, from_matrix, inverse, local_rotations, rotate


def clips_of(path: Path, motion: Motion | Sequence[Clip], title: str) -> Sequence[Clip]:
    """Return one clip or several; anything else is refused, naming a format that holds it."""
    clips = [motion] if isinstance(motion, Clip) else motion
    if not isinstance(clips, Sequence) or not clips or not all(isinstance(clip, Clip) for clip in clips):
        others = [entry for entry in clips if not isinstance(entry, Clip)] if isinstance(clips, Sequence) else [motion]
        kind = f"a {kind_word(others[0])}" if others else "nothing"
        remedy = choose_for(others[0] if others else motion)
        raise FormatError(path, f"{title} is written for clips with a skeleton, not for {kind}: {remedy}")
    return clips


def same_skeleton(path: Path, clips: Sequence[Clip], options: WriteOptions, title: str) -> list[Clip]:
    """Return the clips in metres and y up, checked to share one skeleton; an unknown unit is guessed, with a note."""
    return unify_clips(path, clips, options, f"{title} has a fixed unit", 1.0, "y")[0]


def in_metres(path: Path, clip: Clip, options: WriteOptions, title: str) -> Clip:
    """Return a clip in metres and y up; an unknown unit is guessed, with a note."""
    return same_skeleton(path, [clip], options, title)[0]


def unit_in_metres(path: Path, clip: Clip, options: WriteOptions, need: str) -> float:
    """Return the metres per unit of a clip: as given or stated, or guessed with a note that begins with `need`."""
    unit = options.unit_m if options.unit_m is not None else clip.unit_m
    guess = guess_unit(clip.skeleton) if unit is None else None
    if guess is not None:
        unit = guess.metres
        reason = f"{need}, and {guess.name} are guessed from the body's size"
        options.warn(f"{reason}: confirm with --unit {guess.short}, or give another unit")
    if unit is None:
        what = f"{need}, but {clip.name or 'the clip'} does not state its unit"
        raise FormatError(path, f"{what}: give --unit (0.01 for centimetres, 0.0564 for CMU's BVH files, 1 for metres)")
    if not (np.isfinite(unit) and unit > 0):
        raise FormatError(path, f"the unit must be a number of metres above 0, not {unit}")
    if options.unit_m not in (None, clip.unit_m) and (doubt := unlikely_unit(clip.skeleton, unit)):
        options.warn(doubt)
    return unit


def unify_clips(
    path: Path, clips: Sequence[Clip], options: WriteOptions, need: str, unit: float = 0.0, up: str = ""
) -> tuple[list[Clip], float]:
    """Return clips of one skeleton in one unit and with one vertical axis (default: the first clip's), and the unit."""
    out: list[Clip] = []
    for clip in clips:
        clip_unit = unit_in_metres(path, clip, options, need)
        unit = unit or clip_unit
        upright = with_up(clip, up or clips[0].up)
        out.append(upright if clip_unit == unit else scaled(upright, clip_unit / unit))
        if len(out) > 1:
            _require_same(out[0], out[-1])
    return out, unit


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Turn errors about invalid motions into errors that name the file, and silence NumPy's overflow warnings."""
    try:
        with np.errstate(all="ignore"):
            yield
    except InvalidMotion as error:
        raise FormatError(path, str(error)) from None


def _require_same(first: Clip, other: Clip) -> None:
    """Require the same joints, and the same offsets except for the root's."""
    name = other.name or "a later clip"
    require_compatible(first.skeleton, other.skeleton, first.name or "the first clip", name)
    differences = np.abs(first.skeleton.offsets - other.skeleton.offsets).max(axis=1)
    differences[0] = 0.0
    if differences.max() > 1e-6 * np.abs(first.skeleton.offsets).max():
        joint = first.skeleton.names[int(differences.argmax())]
        raise SkeletonMismatch(
            f"{first.name or 'the first clip'} and {name} place the joint {joint!r} at different offsets: "
            "one file has one skeleton, so write them to separate files"
        )


def choose_number(path: Path, names: Sequence[str], options: ReadOptions, moving: Sequence[int] | None = None) -> int:
    """Return the number of the requested animation, by default the first that moves, with a note if others do too.

    `moving` are the numbers of animations that move a joint, if the format can tell; default: all.
    """
    there = ", ".join(f"{k} {name[:40]!r}" if name else str(k) for k, name in enumerate(names[:20]))
    there += f" and {len(names) - 20} more" if len(names) > 20 else ""
    requested = options.animation
    if requested is None:
        candidates = list(moving or range(len(names)))
        if len(candidates) > 1:
            which = "first animation" if candidates[0] == 0 else f"animation {names[candidates[0]][:40]!r}"
            options.warn(f"{path.name}: only the {which} is read; choose with --animation from {there}")
        return candidates[0]
    if requested in names:
        return list(names).index(str(requested))
    if str(requested).isdecimal() and int(str(requested)[:12]) < len(names):
        return int(requested)
    raise FormatError(path, f"there is no animation {requested!r}; the animations are {there}")


def distinct(names: list[str]) -> list[str]:
    """Return the names in order, with a number appended to repeated ones."""
    taken, out = set(names), []
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        fresh = name
        while seen[name] > 1 and fresh in taken:
            fresh = f"{name}_{seen[name]}"
            seen[name] += fresh in taken
        taken.add(fresh)
        out.append(fresh)
    return out


def stored_playback(note: object, frames: int, frame_time: float) -> Playback | None:
    """Return the playback that our writer stored in a file, if it fits the clip that was read."""
    playback = playback_from(note)
    return playback if playback is not None and playback.fits(frames, frame_time) else None


def moving_translations(translations: Floats, offsets: Floats) -> Floats | None:
    """Return the translations (frames, joints, 3) if joints other than the root leave their offsets, else None."""
    size = float(np.abs(offsets[1:]).max(initial=0.0))
    shift = np.abs(translations[:, 1:] - offsets[1:]).max(initial=0.0)
    return translations if shift > SINGLE * size else None


def compose(local: Floats, parents: list[int], above: Floats | None = None) -> Floats:
    """Return world matrices (frames, joints, 4, 4) from local matrices; `above` (frames, 4, 4): the root's parent."""
    world = local.copy()
    for joint, parent in enumerate(parents):
        if parent >= 0:
            world[:, joint] = world[:, parent] @ world[:, joint]
        elif above is not None:
            world[:, joint] = above @ world[:, joint]
    return world


def scale_free(world: Floats, parents: list[int]) -> tuple[Floats, Floats]:
    """Return translations (frames, joints, 3; the root's in the world) and local rotations (frames, joints, 4)."""
    turned = nearest_rotations(world[..., :3, :3])
    translations = world[..., :3, 3].copy()
    for joint, parent in enumerate(parents):
        if parent >= 0:
            from_parent = world[:, joint, :3, 3] - world[:, parent, :3, 3]
            translations[:, joint] = rotate(inverse(turned[:, parent]), from_parent)
    return translations, local_rotations(np.array(parents), turned)


def affine(linear: Floats, positions: Floats) -> Floats:
    """Return the matrices (..., 4, 4) of linear maps (..., 3, 3) followed by translations (..., 3)."""
    out = np.zeros((*positions.shape[:-1], 4, 4))
    out[..., :3, :3], out[..., :3, 3], out[..., 3, 3] = linear, positions, 1.0
    return out


def nearest_rotations(linear: Floats) -> Floats:
    """Return the rotations (..., 4) nearest to linear maps (..., 3, 3), without reflection."""
    u, _, vt = np.linalg.svd(np.nan_to_num(linear))
    u[..., 2] *= np.where(np.linalg.det(u @ vt) < 0, -1.0, 1.0)[..., None]
    return from_matrix(u @ vt)


GRAY = (0.8, 0.8, 0.8)  # the color of meshes without a material


class Material(NamedTuple):
    """A mesh's material: a name, a colour (linear red, green, blue), and the bytes of its picture, if any."""

    name: str
    color: tuple[float, float, float]
    image: bytes | None = None


class RigMesh(NamedTuple):
    """Triangles of the bind pose in world space; `joints` with `weights` (vertices, k) carry each vertex."""

    name: str
    vertices: Floats
    faces: npt.NDArray[np.int64]
    normals: Floats | None
    coordinates: Floats | None  # (vertices, 2), v upwards
    joints: npt.NDArray[np.int64]
    weights: Floats
    materials: tuple[Material, ...]
    face_materials: npt.NDArray[np.int64]  # (faces,): index of the material


@dataclass(frozen=True, eq=False)
class Rig:
    """Joints, parents first, with local translations (joints, 3) and rotations (joints, 4) of the bind pose."""

    names: tuple[str, ...]
    parents: Ints
    translations: Floats
    rotations: Floats
    tips: tuple[EndSite, ...] = ()
    meshes: tuple[RigMesh, ...] = ()

    def bind(self) -> WorldPose:
        """Return positions (joints, 3) and rotations (joints, 4) of the bind pose in the world."""
        pose = forward(self.parents, self.translations[None], self.rotations[None])
        return WorldPose(pose.positions[0], pose.rotations[0])

    def tip_names(self) -> list[str]:
        """Return a name for every tip, unique among joints and tips."""
        named = [site.name or f"{self.names[site.joint]}_end" for site in self.tips]
        return distinct([*self.names, *named])[len(self.names) :]


class RigMotion(NamedTuple):
    """One clip on a rig: local rotations (frames, joints, 4) and translations (frames, joints, 3)."""

    name: str
    frame_time: float
    rotations: Floats
    translations: Floats
    playback: Playback | None

    def moving(self, rig: Rig) -> list[int]:
        """Return the joints that leave their bind translation; the root is always included."""
        size = float(np.abs(rig.translations).max()) or 1.0
        shifts = np.abs(self.translations - rig.translations).max(axis=(0, 2))
        return [joint for joint in range(len(rig.names)) if joint == 0 or shifts[joint] > SINGLE * size]


def require_single(path: Path, motions: Sequence[RigMotion], title: str) -> None:
    """Refuse lengths that overflow in the single precision of a format."""
    for entry in motions:
        if not np.abs(entry.translations).max() < LARGEST_SINGLE:
            raise FormatError(path, f"{entry.name!r} has lengths beyond {title}'s single precision: scale the clip")


def on_rig(clips: list[Clip], options: WriteOptions) -> tuple[Rig, list[RigMotion]]:
    """Return the rig, and every clip on it with a unique name; joints of a character are matched by name."""
    names = distinct([clip.name or "clip" for clip in clips])
    if options.character is None:  # the bare joints: no rotation in the bind pose, no mesh
        skeleton = clips[0].skeleton
        rotations = np.tile(IDENTITY, (len(skeleton), 1))
        rig = Rig(skeleton.names, skeleton.parents, skeleton.offsets, rotations, skeleton.end_sites)
        orders = [list(range(len(skeleton)))] * len(clips)
    else:
        from freshtake.formats.gltf.character import character_rig, match_joints

        source = Path(options.character)
        loaded, rig = character_rig(source, clips[0])
        orders = [match_joints(source, loaded.character, clip) for clip in clips]
    return rig, [
        RigMotion(name, clip.frame_time, clip.rotations[:, order], clip.local_translations()[:, order], clip.playback)
        for clip, name, order in zip(clips, names, orders, strict=True)
    ]

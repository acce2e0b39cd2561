"""Read and write glTF 2.0 and GLB: characters as clips or baked meshes; clips as a bone figure or on a character."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from freshtake.formats.gltf.animation import (
    Animation,
    choose_animation,
    joint_pose,
    read_animation,
    rest_pose,
    rest_skeleton,
    sampled_pose,
    timing,
)
from freshtake.formats.gltf.character import onto_character
from freshtake.formats.gltf.container import Container, load, parse_container
from freshtake.formats.gltf.nodes import (
    Loaded,
    Parts,
    clean_name,
    find_character,
    humanoid_parts,
    load_joints,
    read_nodes,
)
from freshtake.formats.gltf.skin import bake, bind_pose
from freshtake.formats.gltf.writing import FIGURE, write_clips, write_vrma
from freshtake.formats.read_options import Motion, ReadOptions, WriteOptions
from freshtake.formats.rig import clips_of, distinct, moving_translations, naming, stored_playback
from freshtake.motion import Clip, MeshSequence
from freshtake.numeric.arrays import Floats

__all__ = ["read", "read_animations", "read_character", "write"]


def read(path: Path, options: ReadOptions) -> Clip | MeshSequence:
    """Read one animation of the character, as a clip or, with `options.mesh`, baked; the rest pose if there is none.

    An animation of morph targets alone is always baked.

    Frames run from the earliest key to the latest, at `options.fps`, else at the keys' rate, else at 60.
    Joints are those of the first skin; without a skin, the animated nodes. World positions are those of the file, but
    differences within single precision in scale, or in a joint's position, are ignored. glTF fixes metres and y up, so
    `options.unit_m` and `options.up` are ignored.
    """
    with naming(path):
        container = load(path)
        nodes = read_nodes(container)
        number = choose_animation(container, options)
        animation = None if number is None else read_animation(container, number, options)
        label = (animation.name if animation else "") or path.stem
        if options.mesh or _only_morphs(container, animation):
            return bake(container, nodes, animation, label, options)
        if animation and not container.top.items("skins") and any(t.path == "weights" for t in animation.tracks):
            options.warn(f"{path.name}: its mesh changes by morph targets, which clips ignore: read it with --mesh")
        character = find_character(container, nodes, options.warn)
        return _clip(Loaded(container, nodes, character), animation, label, options)


def has_skin(path: Path) -> bool:
    """Return whether a file holds a skinned mesh; the bone figure that our writer adds does not count."""
    top = load(path).top
    return bool(top.items("skins")) and [clean_name(mesh) for mesh in top.items("meshes")] != [FIGURE]


def bake_onto(source: Path, clip: Clip, options: ReadOptions) -> MeshSequence:
    """Return the skin of a character, baked over a clip of that character, in metres and y up."""
    with naming(source):
        builder = onto_character(source.with_suffix(".glb"), source, [clip], [clip.name])
        container = parse_container(source, builder.packed(builder.path))
        return bake(container, read_nodes(container), read_animation(container, 0, options), clip.name, options)


def _only_morphs(container: Container, animation: Animation | None) -> bool:
    """Return whether an animation only changes morph targets and moves no joints."""
    if animation is None or container.top.items("skins"):
        return False
    moved = {track.node for track in animation.tracks if track.path != "weights"}
    return len(moved) < 2 and any(track.path == "weights" for track in animation.tracks)


def read_animations(path: Path, options: ReadOptions | None = None) -> list[Clip]:
    """Return all animations of the character, one clip each, with unique names and one skeleton."""
    options = options or ReadOptions()
    with naming(path):
        container = load(path)
        loaded = load_joints(container, options.warn)
        count = len(container.top.items("animations"))
        animations = [read_animation(container, number, options) for number in range(count)]
        labels = distinct([animation.name or path.stem for animation in animations])
        return [_clip(loaded, animation, label, options) for animation, label in zip(animations, labels, strict=True)]


class StillCharacter(NamedTuple):
    """A character as in its file, one frame, and its bind pose: positions (joints, 3), rotations (joints, 4).

    `parts` are joints by part of the body, if the file states them (VRM).
    """

    clip: Clip
    places: Floats
    turns: Floats
    skinned: bool
    parts: Parts | None


def read_character(path: Path, options: ReadOptions | None = None) -> StillCharacter:
    """Read the joints of a character without animation; its rest pose is its skin's bind pose, else its nodes'."""
    options = options or ReadOptions()
    with naming(path):
        loaded = container, nodes, character = load_joints(load(path), options.warn)
        clip = _clip(loaded, None, path.stem, options)
        bound = bind_pose(container, nodes, character, clip)
        skinned = bool(container.top.items("skins"))
        return StillCharacter(clip, *bound, skinned, humanoid_parts(container, character))


def write(path: Path, motion: Motion | Sequence[Clip], options: WriteOptions) -> None:
    """Write one clip, or several as named animations, in metres and y up; .vrma files move any humanoid avatar.

    With `options.character`, its nodes are animated; without, a figure of bones.
    """
    clips = clips_of(path, motion, "glTF")
    (write_vrma if path.suffix.lower() == ".vrma" else write_clips)(path, clips, options)


def _clip(loaded: Loaded, animation: Animation | None, label: str, options: ReadOptions) -> Clip:
    container, nodes, character = loaded
    joint_nodes = [node for node in character.nodes if node >= 0]
    rest = joint_pose(rest_pose(nodes, joint_nodes), character)
    skeleton = rest_skeleton(nodes, character, rest)
    if animation is None:
        pose, frame_time = rest, 1.0 / (options.fps or 60.0)
    else:
        when = timing(container, animation, options, len(nodes.with_ancestors(joint_nodes)))
        pose = joint_pose(sampled_pose(nodes, joint_nodes, animation.tracks, when.times), character)
        frame_time = when.frame_time
    if not pose.exact:
        what = "has scale that is animated, differs by axis or reflects"
        options.warn(f"{container.path.name}: {label} {what}; positions are kept, rotations ignore it")
    about = f"{container.path.name}: {animation.name or 'animation'}" if animation else container.path.name
    note = animation.noted.get("freshtake_playback") if animation else None
    return Clip(
        skeleton,
        frame_time,
        pose.translations[:, 0],
        pose.rotations,
        moving_translations(pose.translations, skeleton.offsets),
        name=label,
        provenance=about,
        unit_m=1.0,
        playback=stored_playback(note, len(pose.rotations), frame_time),
    )

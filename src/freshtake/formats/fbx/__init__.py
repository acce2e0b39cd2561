"""Read and write FBX: a skeleton or a skinned character, with a take for every clip."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.fbx.reading import clips_in
from freshtake.formats.fbx.records import put_together
from freshtake.formats.fbx.writing import Objects, add_joints, add_meshes, add_take, document
from freshtake.formats.files import LARGEST_SINGLE, write_bytes
from freshtake.formats.read_options import Motion, ReadOptions, WriteOptions
from freshtake.formats.rig import clips_of, on_rig, same_skeleton
from freshtake.motion import Clip, MeshSequence

__all__ = ["read", "read_animations", "write"]


def read(path: Path, options: ReadOptions) -> Clip | MeshSequence:
    """Return one take of the largest skeleton, or with `options.mesh` its skin, baked.

    With several takes, `options.animation` chooses; by default the first that moves, with a note.
    """
    clip = clips_in(path, options, every=False)[0]
    return _baked(path, clip, options) if options.mesh else clip


def _baked(path: Path, clip: Clip, options: ReadOptions) -> MeshSequence:
    """Return a character's skin, baked over a clip of it, in metres and y up."""
    from freshtake.formats.gltf import bake_onto

    (ready,) = same_skeleton(path, [clip], WriteOptions(warn=options.warn), "FBX")
    return bake_onto(path, ready, options)


def read_animations(path: Path, options: ReadOptions | None = None) -> list[Clip]:
    """Return all takes, one clip each."""
    return clips_in(path, options or ReadOptions(), every=True)


def write(path: Path, motion: Motion | Sequence[Clip], options: WriteOptions) -> None:
    """Write one clip, or several as takes of one file, in centimetres and y up; with `options.character`, its skin."""
    clips = same_skeleton(path, clips_of(path, motion, "FBX"), options, "FBX")
    rig, motions = on_rig(clips, options)
    for entry in motions:
        if not np.abs(entry.translations).max() < LARGEST_SINGLE:
            raise FormatError(path, f"{entry.name!r} has lengths beyond FBX's single precision: scale the clip")
    objects = Objects()
    played = {entry.name: entry.playback.summary() for entry in motions if entry.playback is not None}
    joints = add_joints(objects, rig, json.dumps(played) if played else "")
    add_meshes(objects, rig, joints)
    takes = [add_take(objects, joints, rig, entry) for entry in motions]
    stop = max(end for _, end in takes)
    content = document(objects, 1.0 / motions[0].frame_time, stop, [take for take, _ in takes])
    write_bytes(path, put_together(path, content))

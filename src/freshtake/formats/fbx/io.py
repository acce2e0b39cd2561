"""Clips from FBX, and as FBX: a skeleton or a skinned character, with a take for every clip."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.clip_sets import clips_of, same_skeleton
from freshtake.formats.fbx.binary import put_together
from freshtake.formats.fbx.reading import clips_in
from freshtake.formats.fbx.scene import Objects, document
from freshtake.formats.fbx.skeleton import add_joints, add_meshes
from freshtake.formats.fbx.takes import add_take
from freshtake.formats.files import write_bytes
from freshtake.formats.read_options import Motion, ReadOptions, WriteOptions
from freshtake.formats.rig_clips import on_rig
from freshtake.motion import Clip, MeshSequence

LARGEST = 1e30  # centimetres: far inside of what single precision holds


def read(path: Path, options: ReadOptions) -> Clip | MeshSequence:
    """One take of the largest skeleton, or with `options.mesh` its skin, baked.

    Of several takes that move the first, with a note, unless `options.animation` chooses.
    """
    clip = clips_in(path, options, every=False)[0]
    return _baked(path, clip, options) if options.mesh else clip


def _baked(path: Path, clip: Clip, options: ReadOptions) -> MeshSequence:
    """The vertices of a character's skin over a clip of it, in metres and y up."""
    from freshtake.formats.gltf.io import bake_onto

    (ready,) = same_skeleton(path, [clip], WriteOptions(warn=options.warn), "FBX")
    return bake_onto(path, ready, options)


def read_animations(path: Path, options: ReadOptions | None = None) -> list[Clip]:
    """All takes, one clip each."""
    return clips_in(path, options or ReadOptions(), every=True)


def write(path: Path, motion: Motion | Sequence[Clip], options: WriteOptions) -> None:
    """Write one clip, or several as takes of one file, in centimetres and y up; with `options.character`, its skin."""
    clips = same_skeleton(path, clips_of(path, motion, "FBX"), options, "FBX")
    rig, motions = on_rig(clips, options)
    for entry in motions:
        if not np.abs(entry.translations).max() < LARGEST:
            raise FormatError(path, f"{entry.name!r} has lengths beyond FBX's single precision: scale the clip")
    objects = Objects()
    joints = add_joints(objects, rig)
    add_meshes(objects, rig, joints)
    takes = [add_take(objects, joints, rig, entry) for entry in motions]
    stop = max(end for _, end in takes)
    content = document(objects, 1.0 / motions[0].frame_time, stop, [take for take, _ in takes])
    write_bytes(path, put_together(path, content))

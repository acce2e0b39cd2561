"""Readers that say what comes back, so that editors and type checkers know it too."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TypeVar, Unpack

from freshtake.errors import FormatError
from freshtake.formats.read_options import Motion, ReadKeywords
from freshtake.formats.registry import read
from freshtake.motion import Clip, MeshSequence, PointClip, Stroke
from freshtake.motion.kind_words import kind_word

Kind = TypeVar("Kind", Clip, Stroke, PointClip, MeshSequence)


def read_clip(path: str | PathLike[str], **options: Unpack[ReadKeywords]) -> Clip:
    """Read a clip: a body with a skeleton, from BVH, AMC, glTF or npz."""
    return _kind(path, read(path, **options), Clip, "a clip with a skeleton")


def read_stroke(path: str | PathLike[str], **options: Unpack[ReadKeywords]) -> Stroke:
    """Read a stroke: handwriting or any other short table of points over time."""
    return _kind(path, read(path, **options), Stroke, "a stroke")


def read_points(path: str | PathLike[str], **options: Unpack[ReadKeywords]) -> PointClip:
    """Read a point clip: markers without a skeleton, from C3D, CSV or npz."""
    return _kind(path, read(path, **options), PointClip, "a clip of markers")


def read_mesh(path: str | PathLike[str], **options: Unpack[ReadKeywords]) -> MeshSequence:
    """Read a mesh sequence, from npz, a folder of OBJ files, or baked from a glTF character."""
    options["mesh"] = True
    return _kind(path, read(path, **options), MeshSequence, "a mesh sequence")


def _kind(path: str | PathLike[str], motion: Motion, kind: type[Kind], name: str) -> Kind:
    if not isinstance(motion, kind):
        raise FormatError(Path(path), f"the file holds a {kind_word(motion)}, and {name} was expected: use ft.read")
    return motion

"""Scenes as bytes, and models that routes use again and again."""

from __future__ import annotations

import json
import struct
from functools import lru_cache
from pathlib import Path
from typing import Any

from fastapi import Response

from freshtake.errors import UsageError
from freshtake.reports.viewport.packing import packed
from freshtake.reports.viewport.scene import Scene
from freshtake.serve.project import Project

MODELS_KEPT = 6


def scene_bytes(scene: Scene) -> bytes:
    """Length of a JSON manifest (uint32, little-endian), the manifest, zeros up to a multiple of four, and the data."""
    made = packed(scene)
    return with_manifest(made.manifest, made.data)


def array_bytes(manifest: dict[str, Any], arrays: dict[str, Any]) -> bytes:
    """The same of arrays, whose places in the data the manifest says: name, offset in bytes, numbers."""
    places, parts, size = {}, [], 0
    for name, array in arrays.items():
        data = array.tobytes()
        places[name] = [size, array.size]
        parts.append(data)
        size += len(data)
    return with_manifest({**manifest, "arrays": places}, b"".join(parts))


def with_manifest(manifest: dict[str, Any], data: bytes) -> bytes:
    """The manifest and the data as one."""
    text = json.dumps(manifest, allow_nan=False).encode()
    head = struct.pack("<I", len(text)) + text
    return head + b"\0" * (-len(head) % 4) + data


def binary_response(data: bytes) -> Response:
    """Bytes as an answer."""
    return Response(data, media_type="application/octet-stream")


def model_path(project: Project, id: str, method: str) -> Path:
    """The file of an item that is a model; one of another method is refused."""
    item = project.item(id)
    if item.kind != "model" or item.facts.get("method") != method:
        raise UsageError(f"{item.name} is no model of {method}: choose another")
    return project.path(id)


@lru_cache(maxsize=MODELS_KEPT)
def model_from(path: Path) -> Any:
    """The model in a file; the last few are kept."""
    from freshtake.formats.ftm import read_stored

    return read_stored(path).model

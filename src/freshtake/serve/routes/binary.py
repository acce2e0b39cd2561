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


def scene_response(scene: Scene, ids: list[str] | None = None) -> Response:
    """Length of a JSON manifest (uint32, little-endian), the manifest, zeros up to a multiple of four, and the data."""
    made = packed(scene)
    for shape, id in zip(made.manifest["shapes"], ids or (), strict=False):
        shape["id"] = id
    return _with_manifest(made.manifest, made.data)


def packed_arrays(manifest: dict[str, Any], arrays: dict[str, Any]) -> Response:
    """The same of arrays, whose places in the data the manifest says: name, offset in bytes, numbers."""
    places, parts, size = {}, [], 0
    for name, array in arrays.items():
        data = array.tobytes()
        places[name] = [size, array.size]
        parts.append(data)
        size += len(data)
    return _with_manifest({**manifest, "arrays": places}, b"".join(parts))


def _with_manifest(manifest: dict[str, Any], data: bytes) -> Response:
    text = json.dumps(manifest, allow_nan=False).encode()
    head = struct.pack("<I", len(text)) + text
    return Response(head + b"\0" * (-len(head) % 4) + data, media_type="application/octet-stream")


def model_of(project: Project, id: str, method: str) -> Any:
    """The model of an item; one of another method is refused."""
    item = project.item(id)
    if item.kind != "model" or item.facts.get("method") != method:
        raise UsageError(f"{item.name} is no model of {method}: choose another")
    return model_from(project.path(id))


@lru_cache(maxsize=MODELS_KEPT)
def model_from(path: Path) -> Any:
    """The model in a file; the last few are kept."""
    from freshtake.formats.ftm import read_stored

    return read_stored(path).model

"""Dependencies of routes, and binary responses."""

from __future__ import annotations

import json
import struct
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, Query, Response
from fastapi.requests import HTTPConnection

from freshtake.errors import UsageError
from freshtake.reports.viewport.packing import packed
from freshtake.reports.viewport.scene import Scene
from freshtake.serve.items import Item
from freshtake.serve.project import Project

if TYPE_CHECKING:
    from freshtake.serve.app import State
    from freshtake.serve.processes import HelperProcess
    from freshtake.serve.workers import Workers

MOST_ITEMS = 1000


def studio(connection: HTTPConnection) -> State:
    """Return the state of the server."""
    state: State = connection.app.state.studio
    return state


def _project(connection: HTTPConnection) -> Project:
    return studio(connection).project


def _workers(connection: HTTPConnection) -> Workers:
    return studio(connection).workers


def _chosen(
    connection: HTTPConnection,
    items: Annotated[str, Query(max_length=2 * 17 * MOST_ITEMS, description="Names of items, with commas between.")],
) -> list[Item]:
    ids = [id for id in items.split(",") if id]
    if not ids:
        raise UsageError("nothing is chosen: name at least one item")
    if len(ids) > MOST_ITEMS:
        raise UsageError(f"at most {MOST_ITEMS} items can be shown at once: choose fewer")
    return [_project(connection).item(id) for id in ids]


def _helper(connection: HTTPConnection) -> HelperProcess:
    return studio(connection).helper


def _models(connection: HTTPConnection) -> HelperProcess:
    return studio(connection).models


TheProject = Annotated[Project, Depends(_project)]
TheWorkers = Annotated["Workers", Depends(_workers)]
TheHelper = Annotated["HelperProcess", Depends(_helper)]
TheModels = Annotated["HelperProcess", Depends(_models)]
Chosen = Annotated[list[Item], Depends(_chosen)]


def scene_bytes(scene: Scene) -> bytes:
    """Pack a scene: length of the JSON manifest (uint32, little-endian), manifest, zeros to a multiple of 4, data."""
    parts = packed(scene)
    return with_manifest(parts.manifest, parts.data)


def array_bytes(manifest: dict[str, Any], arrays: dict[str, Any]) -> bytes:
    """Pack arrays in the same form; the manifest lists name, offset in bytes and length of each."""
    places, parts, size = {}, [], 0
    for name, array in arrays.items():
        data = array.tobytes()
        places[name] = [size, array.size]
        parts.append(data)
        size += len(data)
    return with_manifest({**manifest, "arrays": places}, b"".join(parts))


def with_manifest(manifest: dict[str, Any], data: bytes) -> bytes:
    """Join the manifest and the data."""
    text = json.dumps(manifest, allow_nan=False).encode()
    head = struct.pack("<I", len(text)) + text
    return head + b"\0" * (-len(head) % 4) + data


def binary_response(data: bytes) -> Response:
    """Return bytes as a response."""
    return Response(data, media_type="application/octet-stream")


def model_path(project: Project, id: str, method: str) -> Path:
    """Return the file of a model; one of another method is refused."""
    item = project.item(id)
    if item.kind != "model" or item.facts.get("method") != method:
        raise UsageError(f"{item.name} is no model of {method}: choose another")
    return project.path(id)


@lru_cache(maxsize=6)
def model_from(path: Path) -> Any:
    """Read the model in a file; the last few are cached."""
    from freshtake.formats.ftm import read_stored

    return read_stored(path).model

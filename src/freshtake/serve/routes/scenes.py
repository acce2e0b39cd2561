"""Motions as the viewport takes them, and small moving pictures of them."""

from __future__ import annotations

import json
import struct
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from freshtake.errors import UsageError
from freshtake.serve.items import Item
from freshtake.serve.project import Project
from freshtake.serve.routes.access import Chosen, TheProject

router = APIRouter(tags=["scenes"])
BINARY: dict[int | str, dict[str, Any]] = {200: {"content": {"application/octet-stream": {}}}}
MOVING = ("take", "variant", "strokes")
KEPT = 400  # motions


@router.get("/scene", response_class=Response, responses=BINARY)
def scene(
    chosen: Chosen, project: TheProject, fps: Annotated[float | None, Query(gt=0.0, le=240.0)] = None
) -> Response:
    """Length of a JSON manifest (uint32, little-endian), the manifest, zeros up to a multiple of four, and the data."""
    from freshtake.reports.viewport.packing import packed
    from freshtake.reports.viewport.staging import scene_of

    sets = [("variant" if item.kind == "variant" else "input", [motion_of(project, item, fps)]) for item in chosen]
    made = packed(scene_of(sets))
    for shape, item in zip(made.manifest["shapes"], chosen, strict=True):
        shape["id"] = item.id
    manifest = json.dumps(made.manifest, allow_nan=False).encode()
    head = struct.pack("<I", len(manifest)) + manifest
    return Response(head + b"\0" * (-len(head) % 4) + made.data, media_type="application/octet-stream")


def motion_of(project: Project, item: Item, fps: float | None = None) -> Any:
    """The motion of an item as the user means it."""
    if item.kind not in MOVING:
        raise UsageError(f"{item.name} is no motion: choose takes or variants")
    return _motion(project.path(item.id), item.name, item.trim, fps)


@lru_cache(maxsize=KEPT)
def _motion(path: Path, name: str, trim: tuple[int, int] | None, fps: float | None) -> Any:
    from freshtake.formats.registry import read
    from freshtake.motion.rates import at_rate
    from freshtake.serve.tasks.describing import named, trimmed

    motion = named(read(path), name)
    motion = motion if trim is None else trimmed(motion, trim)
    return motion if fps is None else at_rate(motion, fps)

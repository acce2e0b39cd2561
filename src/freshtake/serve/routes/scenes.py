"""Motions as the viewport takes them, and small moving pictures of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response

from freshtake.errors import UsageError
from freshtake.formats.files import write_bytes
from freshtake.formats.read_options import Motion
from freshtake.reports.viewport.packing import packed
from freshtake.serve.items import Id, Item
from freshtake.serve.project import Project
from freshtake.serve.queries import Source, motion_from, scene_from, thumbnail_of
from freshtake.serve.routes.access import Chosen, TheHelper, TheProject
from freshtake.serve.routes.binary import binary_response, with_manifest

router = APIRouter(tags=["scenes"])
BINARY: dict[int | str, dict[str, Any]] = {200: {"content": {"application/octet-stream": {}}}}
MOVING = ("take", "variant", "strokes", "character")
MOST_SKINNED = 60
PICTURE: dict[int | str, dict[str, Any]] = {200: {"content": {"image/gif": {}, "image/png": {}}}}


@router.get("/scene", response_class=Response, responses=BINARY)
def scene(
    chosen: Chosen,
    project: TheProject,
    fps: Annotated[float | None, Query(gt=0.0, le=240.0)] = None,
    character: Id | None = None,
) -> Response:
    """Length of a JSON manifest (uint32, little-endian), the manifest, zeros up to a multiple of four, and the data.

    With `character`, clips are put onto that character and wear its skin.
    """
    if character is not None and len(chosen) > MOST_SKINNED:
        raise UsageError(f"at most {MOST_SKINNED} motions at once wear a skin: choose fewer")
    skin = None if character is None else character_file(project, project.item(character))
    sources = [source_of(project, item, fps, skin) for item in chosen]
    made = packed(scene_from(sources))
    for shape, item in zip(made.manifest["shapes"], chosen, strict=True):
        shape["id"] = item.id
    return binary_response(with_manifest(made.manifest, made.data))


@router.get("/thumbnail/{id}.{kind}", response_class=Response, responses=PICTURE)
def thumbnail(id: Id, kind: Literal["gif", "png"], project: TheProject, helper: TheHelper) -> Response:
    """A small picture: moving (gif) or still (png)."""
    source = source_of(project, project.item(id))
    trim = "" if source.trim is None else "-".join(map(str, source.trim))
    kept = source.path.with_name(f"{source.path.name.partition('.')[0]}.thumbnail{trim}.{kind}")
    if not kept.exists():
        write_bytes(kept, helper.call(thumbnail_of, source, kind == "gif"))
    return Response(kept.read_bytes(), media_type=f"image/{kind}", headers={"cache-control": "max-age=3600"})


def source_of(project: Project, item: Item, fps: float | None = None, character: Path | None = None) -> Source:
    """Where the motion of an item is; it wears its own skin, if it has one, or that of `character`."""
    if item.kind not in MOVING:
        raise UsageError(f"{item.name} is no motion: choose takes or variants")
    skin = character or (character_file(project, item) if item.facts.get("character") else None)
    role = "variant" if item.kind == "variant" else "input"
    return Source(project.path(item.id), item.name, role, item.trim, fps, skin)


def character_file(project: Project, item: Item) -> Path:
    """The file of a character: as it was sent, beside the take that was read from it, or alone."""
    if not item.facts.get("character"):
        raise UsageError(f"{item.name} is no character: choose a glTF file with a skin")
    return next(project.files.glob(f"{item.id}.source.*"), None) or project.path(item.id)


def motion_of(project: Project, item: Item, fps: float | None = None) -> Motion:
    """The motion of an item as the user means it."""
    return motion_from(source_of(project, item, fps))

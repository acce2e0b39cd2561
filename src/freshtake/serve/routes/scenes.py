"""Motions as the viewport takes them, and small moving pictures of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response

from freshtake.errors import UsageError
from freshtake.formats.files import write_bytes
from freshtake.formats.read_options import Motion
from freshtake.reports.viewport.packing import packed
from freshtake.reports.viewport.scene import Figure, Scene
from freshtake.serve.items import Id, Item, Shape
from freshtake.serve.project import Project
from freshtake.serve.queries import Source, difference_words, differences_of, motion_from, scene_from, thumbnail_of
from freshtake.serve.routes.access import Chosen, TheHelper, TheModels, TheProject, binary_response, with_manifest

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
    differences: bool = False,
    whole: bool = False,
) -> Response:
    """Length of a JSON manifest (uint32, little-endian), the manifest, zeros up to a multiple of four, and the data.

    With `character`, clips are put onto that character and wear its skin. With `differences`, variants on the neutral
    body say how far each joint is from where the takes of their movement have it. With `whole`, frames
    that a trim leaves out are shown too.
    """
    if character is not None and len(chosen) > MOST_SKINNED:
        raise UsageError(f"at most {MOST_SKINNED} motions at once wear a skin: choose fewer")
    skin = None if character is None else character_file(project, project.item(character))
    sources = [source_of(project, item, fps, skin) for item in chosen]
    if whole:
        sources = [source._replace(trim=None) for source in sources]
    shown = scene_from(sources)
    if differences and character is None:
        shown = _with_differences(project, chosen, sources, shown)
    made = packed(shown)
    for shape, item in zip(made.manifest["shapes"], chosen, strict=True):
        shape["id"] = item.id
    return binary_response(with_manifest(made.manifest, made.data))


def _with_differences(project: Project, items: list[Item], sources: list[Source], scene: Scene) -> Scene:
    """Add to variants how unusual each joint is, compared with the takes of their movement."""
    shapes = list(scene.shapes)
    worn = [isinstance(shape, Figure) and shape.wear is not None for shape in shapes]
    chosen = [k for k, item in enumerate(items) if item.kind == "variant" and worn[k]]
    takes = takes_of(project, items[chosen[0]]) if chosen else []
    found = differences_of(tuple(takes), tuple(sources[k] for k in chosen))
    for k, one in zip(chosen, found, strict=False):
        shape = shapes[k]
        assert isinstance(shape, Figure)
        shapes[k] = replace(shape, differences=one.joints.astype("float32"))
    return replace(scene, shapes=tuple(shapes))


def takes_of(project: Project, item: Item) -> list[Source]:
    """Return the takes that an item's movement is learned from."""
    own = [one for one in project.items() if one.movement == item.movement and one.kind == "take" and one.star >= 0]
    return [source_of(project, one) for one in own]


class VariantDifference(Shape):
    """How different a variant is: 1 as the takes are from their mean; and the parts of the body that stand out."""

    id: Id
    mean: float
    parts: list[str]


@router.get("/differences")
def how_different(chosen: Chosen, project: TheProject, models: TheModels) -> list[VariantDifference]:
    """Return how far variants of one movement are from the mean of its takes."""
    sources = [source_of(project, item) for item in chosen]
    found = models.call(difference_words, takes_of(project, chosen[0]), sources)
    return [
        VariantDifference(id=item.id, mean=mean, parts=parts) for item, (mean, parts) in zip(chosen, found, strict=True)
    ]


@router.get("/crowd/{id}/scene", response_class=Response, responses=BINARY)
def crowd(id: Id, project: TheProject) -> Response:
    """Return the scene of a crowd, in the form of /scene."""
    item = project.item(id)
    if not item.facts.get("scene"):
        raise UsageError(f"{item.name} cannot be shown here: it is made elsewhere")
    return binary_response((project.files / f"{id}.source.scene").read_bytes())


@router.get("/thumbnail/{id}.{kind}", response_class=Response, responses=PICTURE)
def thumbnail(id: Id, kind: Literal["gif", "png"], project: TheProject, helper: TheHelper) -> Response:
    """Return a small picture: moving (gif) or still (png)."""
    source = source_of(project, project.item(id))
    trim = "" if source.trim is None else "-".join(map(str, source.trim))
    kept = source.path.with_name(f"{source.path.name.partition('.')[0]}.thumbnail{trim}.{kind}")
    if not kept.exists():
        write_bytes(kept, helper.call(thumbnail_of, source, kind == "gif"))
    return Response(kept.read_bytes(), media_type=f"image/{kind}", headers={"cache-control": "max-age=3600"})


def source_of(project: Project, item: Item, fps: float | None = None, character: Path | None = None) -> Source:
    """Return where the motion of an item is; it wears its skin, if it has one, or that of `character`."""
    if item.kind not in MOVING:
        raise UsageError(f"{item.name} is no motion: choose takes or variants")
    owner = item if _has_skin(item) else _dressed_take(project, item)
    skin = character or (None if owner is None else character_file(project, owner))
    role = "variant" if item.kind == "variant" else "input"
    return Source(project.path(item.id), item.name, role, item.trim, fps, skin)


def _dressed_take(project: Project, item: Item) -> Item | None:
    """Return the take of a variant's movement that has a skin, if any: its variants wear it too."""
    if item.kind != "variant" or item.movement is None:
        return None
    takes = (one for one in project.items() if one.movement == item.movement and one.kind == "take")
    return next((one for one in takes if _has_skin(one)), None)


def _has_skin(item: Item) -> bool:
    return bool(item.facts.get("skinned", item.facts.get("character")))  # projects of 0.1 say `character` only


def character_file(project: Project, item: Item) -> Path:
    """Return the file of a character: as it was sent, next to the take that was read from it, or alone."""
    if not (_has_skin(item) or item.facts.get("character")):
        raise UsageError(f"{item.name} is no character: choose a glTF file with a skin")
    return next(project.files.glob(f"{item.id}.source.*"), None) or project.path(item.id)


def motion_of(project: Project, item: Item, fps: float | None = None) -> Motion:
    """Return the motion of an item, trimmed and on its character."""
    return motion_from(source_of(project, item, fps))

"""Routes of views: scenes, thumbnails and crowds; curves, components and networks of items."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response

from freshtake.errors import UsageError
from freshtake.formats.files import write_bytes
from freshtake.reports.viewport.packing import packed
from freshtake.reports.viewport.scene import Figure, Scene
from freshtake.serve.items import Id, Item, Shape
from freshtake.serve.project import Project
from freshtake.serve.queries import (
    Source,
    component_courses,
    curve_values,
    difference_words,
    differences_of,
    dof_list,
    network_summary,
    scene_from,
    strip_of,
    thumbnail_of,
)
from freshtake.serve.routes.access import Chosen, TheHelper, TheModels, TheProject, binary_response, with_manifest

curves_router = APIRouter(tags=["curves"])
DofName = Annotated[str, Query(max_length=200)]


class Dof(Shape):
    """A number that changes over time, in words and with its unit."""

    name: str
    words: str
    unit: str


class Curve(Shape):
    """The values of one item per frame; `against` where a second DOF was requested."""

    id: Id
    name: str
    role: str
    frame_time: float
    values: list[float]
    against: list[float] | None = None


class CurveSet(Shape):
    """Curves of several items."""

    dof: str
    against: str | None
    curves: list[Curve]


class Course(Shape):
    """One item's trajectory in the leading principal components: a list for each."""

    id: Id
    name: str
    role: str
    frame_time: float
    components: list[list[float]]


class ComponentSet(Shape):
    """Shares of the energy, and trajectories of all items."""

    shares: list[float]
    courses: list[Course]


@curves_router.get("/dofs/{id}")
def dofs(id: Id, project: TheProject, helper: TheHelper) -> list[Dof]:
    """List the DOFs that can be shown as curves, starting with those that move the body most."""
    dofs = helper.call(dof_list, [source_of(project, project.item(id))])
    return [Dof.model_validate(dof) for dof in dofs]


@curves_router.get("/curves")
def curves(
    chosen: Chosen, project: TheProject, helper: TheHelper, dof: DofName, against: DofName | None = None
) -> CurveSet:
    """Return a DOF of several items over time; with `against`, a second one for the other axis."""
    sources = [source_of(project, item) for item in chosen]
    values_of = helper.call(curve_values, sources, [dof] if against is None else [dof, against])
    drawn = [
        Curve(
            id=item.id, name=item.name, role=source.role, frame_time=frame_time(item.facts), values=values[0],
            against=None if against is None else values[1],
        )
        for item, source, values in zip(chosen, sources, values_of, strict=True)
    ]  # fmt: skip
    return CurveSet(dof=dof, against=against, curves=drawn)


@curves_router.get("/pca")
def components(chosen: Chosen, project: TheProject, helper: TheHelper) -> ComponentSet:
    """Return the leading principal components of all items together."""
    sources = [source_of(project, item) for item in chosen]
    shares, courses = helper.call(component_courses, sources)
    tracks = [
        Course(id=item.id, name=item.name, role=source.role, frame_time=frame_time(item.facts), components=course)
        for item, source, course in zip(chosen, sources, courses, strict=True)
    ]
    return ComponentSet(shares=shares, courses=tracks)


def frame_time(facts: dict[str, object]) -> float:
    """Return the seconds per frame."""
    fps = facts.get("fps")
    return 1.0 / fps if isinstance(fps, int | float) and fps > 0 else 1.0 / 60.0


class Node(Shape):
    """A joint, marker or dimension, with its name in plain words."""

    name: str
    words: str


class Edge(Shape):
    """An edge from a DOF to one that it helps to predict, at `slices` in time; null: strength not measured."""

    child: str
    parent: str
    slices: list[str]
    strength: float | None
    own: bool


class Link(Shape):
    """All edges from one joint to another, their strengths summed."""

    parent: str
    child: str
    strength: float


class BodyFigure(Shape):
    """Joints seen from the front: names, parents (-1: none) and places to the right and up."""

    names: list[str]
    parents: list[int]
    places: list[tuple[float, float]]


class Network(Shape):
    """Transition network (`edges`), prior network (`prior`), links between joints (`links`), and sentences."""

    dofs: list[str]
    nodes: list[Node]
    edges: list[Edge]
    prior: list[Edge]
    links: list[Link]
    sentences: list[str]
    body: BodyFigure | None


@curves_router.get("/network/{id}")
def network(id: Id, project: TheProject, models: TheModels) -> Network:
    """Return the networks of a variation model; strengths are measured once and stored."""
    item = project.item(id)
    if item.facts.get("method") != "variation":
        raise UsageError(f"{item.name} is no model with networks: choose one that was learned for variants")
    cached = project.files / f"{id}.network.json"
    if not cached.exists():
        summary: dict[str, Any] = models.call(network_summary, project.path(id))
        write_bytes(cached, json.dumps(summary).encode())
    return Network.model_validate_json(cached.read_text(encoding="utf-8"))


scenes_router = APIRouter(tags=["scenes"])
BINARY: dict[int | str, dict[str, Any]] = {200: {"content": {"application/octet-stream": {}}}}
MOVING = ("take", "variant", "strokes", "character")
MOST_SKINNED = 60
PICTURE: dict[int | str, dict[str, Any]] = {200: {"content": {"image/gif": {}, "image/png": {}}}}


@scenes_router.get("/scene", response_class=Response, responses=BINARY)
def scene(
    chosen: Chosen,
    project: TheProject,
    fps: Annotated[float | None, Query(gt=0.0, le=240.0)] = None,
    character: Id | None = None,
    differences: bool = False,
    whole: bool = False,
) -> Response:
    """Return length of the JSON manifest (uint32, little-endian), manifest, zeros to a multiple of four, and data.

    With `character`, clips are retargeted to that character and get its skin. With `differences`, variants on the
    neutral body have the distance of each joint from the mean of their movement's takes. With `whole`, frames that a
    trim leaves out are shown too.
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
    parts = packed(shown)
    for shape, item in zip(parts.manifest["shapes"], chosen, strict=True):
        shape["id"] = item.id
    return binary_response(with_manifest(parts.manifest, parts.data))


def _with_differences(project: Project, items: list[Item], sources: list[Source], scene: Scene) -> Scene:
    """Add to variants how unusual each joint is, compared with the takes of their movement."""
    shapes = list(scene.shapes)
    worn = [isinstance(shape, Figure) and shape.wear is not None for shape in shapes]
    chosen = [k for k, item in enumerate(items) if item.kind == "variant" and worn[k]]
    takes = takes_of(project, items[chosen[0]]) if chosen else []
    measured = differences_of(tuple(takes), tuple(sources[k] for k in chosen))
    for k, one in zip(chosen, measured, strict=False):
        shape = shapes[k]
        assert isinstance(shape, Figure)
        shapes[k] = replace(shape, differences=one.joints.astype("float32"))
    return replace(scene, shapes=tuple(shapes))


def takes_of(project: Project, item: Item) -> list[Source]:
    """Return the takes that an item's movement is learned from."""
    takes = [one for one in project.items() if one.movement == item.movement and one.kind == "take" and one.star >= 0]
    return [source_of(project, one) for one in takes]


class VariantDifference(Shape):
    """A variant's difference (1: as the takes differ from their mean), and the parts of the body that stand out."""

    id: Id
    mean: float
    parts: list[str]


@scenes_router.get("/differences")
def how_different(chosen: Chosen, project: TheProject, models: TheModels) -> list[VariantDifference]:
    """Return how far variants of one movement are from the mean of its takes."""
    sources = [source_of(project, item) for item in chosen]
    measured = models.call(difference_words, takes_of(project, chosen[0]), sources)
    return [
        VariantDifference(id=item.id, mean=mean, parts=parts)
        for item, (mean, parts) in zip(chosen, measured, strict=True)
    ]


@scenes_router.get("/crowd/{id}/scene", response_class=Response, responses=BINARY)
def crowd(id: Id, project: TheProject) -> Response:
    """Return the scene of a crowd, in the form of /scene."""
    item = project.item(id)
    if not item.facts.get("scene"):
        raise UsageError(f"{item.name} cannot be shown here: it is made elsewhere")
    return binary_response((project.files / f"{id}.source.scene").read_bytes())


@scenes_router.get("/strip/{id}.png", response_class=Response, responses=PICTURE)
def poses(id: Id, project: TheProject, helper: TheHelper) -> Response:
    """Return seven poses of a motion in a row, as a picture."""
    source = source_of(project, project.item(id))
    return _picture(source, "strip", "png", lambda: helper.call(strip_of, source))


@scenes_router.get("/thumbnail/{id}.{kind}", response_class=Response, responses=PICTURE)
def thumbnail(id: Id, kind: Literal["gif", "png"], project: TheProject, helper: TheHelper) -> Response:
    """Return a small picture: moving (gif) or still (png)."""
    source = source_of(project, project.item(id))
    return _picture(source, "thumbnail", kind, lambda: helper.call(thumbnail_of, source, kind == "gif"))


def _picture(source: Source, what: str, kind: str, paint: Callable[[], bytes]) -> Response:
    """Return a picture of a motion, which is painted once per trim and stored next to the motion."""
    trim = "" if source.trim is None else "-".join(map(str, source.trim))
    cached = source.path.with_name(f"{source.path.name.partition('.')[0]}.{what}{trim}.{kind}")
    if not cached.exists():
        write_bytes(cached, paint())
    return Response(cached.read_bytes(), media_type=f"image/{kind}", headers={"cache-control": "max-age=3600"})


def source_of(project: Project, item: Item, fps: float | None = None, character: Path | None = None) -> Source:
    """Return the source of an item's motion, shown with its skin, if it has one, or that of `character`."""
    if item.kind not in MOVING:
        raise UsageError(f"{item.name} is no motion: choose takes or variants")
    owner = item if _has_skin(item) else _dressed_take(project, item)
    skin = character or (None if owner is None else character_file(project, owner))
    role = "variant" if item.kind == "variant" else "input"
    return Source(project.path(item.id), item.name, role, item.trim, fps, skin)


def _dressed_take(project: Project, item: Item) -> Item | None:
    """Return the take of a variant's movement that has a skin, if any: its variants are shown with it."""
    if item.kind != "variant" or item.movement is None:
        return None
    takes = (one for one in project.items() if one.movement == item.movement and one.kind == "take")
    return next((one for one in takes if _has_skin(one)), None)


def _has_skin(item: Item) -> bool:
    return bool(item.facts.get("skinned", item.facts.get("character")))  # projects of version 0.1 have only `character`


def character_file(project: Project, item: Item) -> Path:
    """Return the file of a character: the upload next to the take that was read from it, or the item's file."""
    if not (_has_skin(item) or item.facts.get("character")):
        raise UsageError(f"{item.name} is no character: choose a glTF file with a skin")
    return next(project.files.glob(f"{item.id}.source.*"), None) or project.path(item.id)

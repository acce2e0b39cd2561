"""What motions and models look like in numbers: curves, principal components, networks (Lau 2009, fig. 5-7)."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Query

from freshtake.errors import UsageError
from freshtake.formats.files import write_bytes
from freshtake.serve.items import Id, Shape
from freshtake.serve.queries import component_courses, curve_values, dof_list, network_summary
from freshtake.serve.routes.access import Chosen, TheHelper, TheModels, TheProject
from freshtake.serve.routes.scenes import source_of

router = APIRouter(tags=["curves"])
DofName = Annotated[str, Query(max_length=200)]


class Dof(Shape):
    """A number that changes over time, in words and with its unit."""

    name: str
    words: str
    unit: str


class Curve(Shape):
    """The values of one item, frame by frame; `against` where another DOF was asked for as well."""

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
    """One item's way through the leading principal components: a list for each."""

    id: Id
    name: str
    role: str
    frame_time: float
    components: list[list[float]]


class ComponentSet(Shape):
    """Shares of the energy, and courses of all items."""

    shares: list[float]
    courses: list[Course]


@router.get("/dofs/{id}")
def dofs(id: Id, project: TheProject, helper: TheHelper) -> list[Dof]:
    """List what can be shown as a curve, starting with what moves the body most."""
    dofs = helper.call(dof_list, [source_of(project, project.item(id))])
    return [Dof.model_validate(dof) for dof in dofs]


@router.get("/curves")
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


@router.get("/pca")
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
    """A joint, marker or dimension, and what one would call it."""

    name: str
    words: str


class Edge(Shape):
    """From a DOF to one that it helps to predict; `slices` say when it is seen; null: strength not measured."""

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
    """Transition network (`edges`), prior network (`prior`), both between joints (`links`), and in words."""

    dofs: list[str]
    nodes: list[Node]
    edges: list[Edge]
    prior: list[Edge]
    links: list[Link]
    sentences: list[str]
    body: BodyFigure | None


@router.get("/network/{id}")
def network(id: Id, project: TheProject, models: TheModels) -> Network:
    """Return the networks of a variation model; strengths are measured once and stored."""
    item = project.item(id)
    if item.facts.get("method") != "variation":
        raise UsageError(f"{item.name} is no model with networks: choose one that was learned for variants")
    kept = project.files / f"{id}.network.json"
    if not kept.exists():
        summary: dict[str, Any] = models.call(network_summary, project.path(id))
        write_bytes(kept, json.dumps(summary).encode())
    return Network.model_validate_json(kept.read_text(encoding="utf-8"))

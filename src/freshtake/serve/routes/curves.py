"""Motions as curves: DOFs over time or against one another, and principal components (Lau 2009, fig. 5, 6)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from freshtake.serve.items import Id, Shape
from freshtake.serve.queries import component_courses, curve_values, dof_list
from freshtake.serve.routes.access import Chosen, TheHelper, TheProject
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
    """What can be shown as a curve, what moves the body most first."""
    dofs = helper.call(dof_list, [source_of(project, project.item(id))])
    return [Dof.model_validate(dof) for dof in dofs]


@router.get("/curves")
def curves(
    chosen: Chosen, project: TheProject, helper: TheHelper, dof: DofName, against: DofName | None = None
) -> CurveSet:
    """A DOF of several items over time; with `against`, another one beside it."""
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
    """The leading principal components of all items together."""
    sources = [source_of(project, item) for item in chosen]
    shares, courses = helper.call(component_courses, sources)
    tracks = [
        Course(id=item.id, name=item.name, role=source.role, frame_time=frame_time(item.facts), components=course)
        for item, source, course in zip(chosen, sources, courses, strict=True)
    ]
    return ComponentSet(shares=shares, courses=tracks)


def frame_time(facts: dict[str, object]) -> float:
    """Seconds per frame."""
    fps = facts.get("fps")
    return 1.0 / fps if isinstance(fps, int | float) and fps > 0 else 1.0 / 60.0

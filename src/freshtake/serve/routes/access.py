"""Dependencies of routes: the parts of the server, and the items of a request."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, Query, Response
from fastapi.requests import HTTPConnection

from freshtake.errors import UsageError
from freshtake.serve.items import Id, Item
from freshtake.serve.project import Project
from freshtake.serve.queries import Source

if TYPE_CHECKING:
    from freshtake.serve.app import State
    from freshtake.serve.processes import HelperProcess
    from freshtake.serve.workers import Workers

MOST_ITEMS = 1000
MOVING = ("take", "variant", "strokes", "character")


def studio(connection: HTTPConnection) -> State:
    """Return the state of the server."""
    state: State = connection.app.state.studio
    return state


def _part(name: str) -> Any:
    # A coroutine, because the framework runs functions in threads; those below read the project, which may be slow.
    async def part(connection: HTTPConnection) -> Any:
        return getattr(studio(connection), name)

    return Depends(part)


TheProject = Annotated[Project, _part("project")]
TheWorkers = Annotated["Workers", _part("workers")]
TheHelper = Annotated["HelperProcess", _part("helper")]
ThePainter = Annotated["HelperProcess", _part("painter")]
TheModels = Annotated["HelperProcess", _part("models")]


def _chosen(
    project: TheProject,
    items: Annotated[str, Query(max_length=2 * 17 * MOST_ITEMS, description="IDs of items, separated by commas.")],
) -> list[Source]:
    ids = [id for id in items.split(",") if id]
    if not ids:
        raise UsageError("nothing is chosen: name at least one item")
    if len(ids) > MOST_ITEMS:
        raise UsageError(f"at most {MOST_ITEMS} items can be shown at once: choose fewer")
    return sources_of(project, [project.item(id) for id in ids])


def _one(id: Id, project: TheProject) -> Source:
    return source_of(project, id)


Chosen = Annotated[list[Source], Depends(_chosen)]
TheSource = Annotated[Source, Depends(_one)]


def source_of(project: Project, id: str) -> Source:
    """Return the source of one item's motion."""
    return sources_of(project, [project.item(id)])[0]


def sources_of(project: Project, items: list[Item]) -> list[Source]:
    """Return the sources of items' motions; those with a skin are shown with it, as are variants of such takes."""
    skins: dict[str | None, Path] = {}
    if any(item.kind == "variant" for item in items):
        for take in project.items():
            if take.kind == "take" and take.movement is not None and _has_skin(take) and take.movement not in skins:
                skins[take.movement] = character_file(project, take)
    sources = []
    for item in items:
        if item.kind not in MOVING:
            raise UsageError(f"{item.name} is not a motion: choose takes or variants")
        role = "variant" if item.kind == "variant" else "input"
        skin = skins.get(item.movement) if role == "variant" else None
        skin = character_file(project, item) if _has_skin(item) else skin
        sources.append(Source(project.path(item.id), item.id, item.name, role, item.trim, character=skin))
    return sources


def takes_of(project: Project, id: str) -> list[Source]:
    """Return the takes from which an item's movement is learned."""
    movement = project.item(id).movement
    takes = [one for one in project.items() if one.movement == movement and one.kind == "take" and one.star >= 0]
    return sources_of(project, takes)


def _has_skin(item: Item) -> bool:
    return bool(item.facts.get("skinned"))


def character_file(project: Project, item: Item) -> Path:
    """Return the file of a character: the upload stored next to the take read from it, or the item's file."""
    if not (_has_skin(item) or item.facts.get("character")):
        raise UsageError(f"{item.name} is not a character: choose a glTF file with a skin")
    return project.source(item.id) or project.path(item.id)


def model_path(project: Project, id: str, method: str) -> Path:
    """Return the file of a model; models of other methods are refused."""
    item = project.item(id)
    if item.kind != "model" or item.facts.get("method") != method:
        raise UsageError(f"{item.name} is not a {method} model: choose another")
    return project.path(id)


def binary_response(data: bytes) -> Response:
    """Return bytes as a response."""
    return Response(data, media_type="application/octet-stream")


def json_response(data: bytes) -> Response:
    """Return JSON written by another process as a response."""
    return Response(data, media_type="application/json")

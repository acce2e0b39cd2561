"""How routes come to what they work with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Query
from fastapi.requests import HTTPConnection

from freshtake.errors import UsageError
from freshtake.serve.items import Item
from freshtake.serve.project import Project

if TYPE_CHECKING:
    from freshtake.serve.app import State
    from freshtake.serve.helper_process import HelperProcess
    from freshtake.serve.workers import Workers

MOST_ITEMS = 1000


def studio(connection: HTTPConnection) -> State:
    """The state of the server."""
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

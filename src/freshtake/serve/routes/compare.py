"""Votes on motions that were seen without their names, and the page of an evaluation."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import APIRouter, Response
from fastapi.responses import FileResponse
from pydantic import Field

from freshtake.errors import UsageError
from freshtake.serve.items import Id, Item, Shape
from freshtake.serve.project import Project, now
from freshtake.serve.routes.access import TheProject

router = APIRouter(tags=["compare"])
TABLE = "CREATE TABLE IF NOT EXISTS votes (created REAL NOT NULL, shown TEXT NOT NULL, chosen TEXT)"
PAGE_POLICY = (  # the page carries all it needs; in a sandbox it has no origin, so that it reaches nothing of ours
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; "
    "img-src data: blob:; connect-src data: blob:"
)


class Vote(Shape):
    """What was shown, and which of it looked best; null: none of them did."""

    shown: Annotated[list[Id], Field(min_length=2, max_length=40)]
    chosen: Id | None = None


class Tally(Shape):
    """How often a kind of motion was shown in a vote, and how often it was chosen."""

    kind: str
    shown: int
    chosen: int


def kind_of(item: Item) -> str:
    """What a vote counts: takes, variants, or a kind of baseline."""
    return str(item.facts["method"]) if item.facts.get("baseline") else item.kind


@router.post("/votes")
def vote(vote: Vote, project: TheProject) -> list[Tally]:
    """Count a vote."""
    if vote.chosen is not None and vote.chosen not in vote.shown:
        raise UsageError("only what was shown can be chosen")
    kinds = {id: kind_of(project.item(id)) for id in vote.shown}
    project.create_tables(TABLE)
    chosen = None if vote.chosen is None else kinds[vote.chosen]
    project.execute("INSERT INTO votes VALUES (?, ?, ?)", (now(), json.dumps(list(kinds.values())), chosen))
    return tallies(project)


@router.get("/votes")
def votes(project: TheProject) -> list[Tally]:
    """All votes by kind."""
    return tallies(project)


@router.delete("/votes")
def forget(project: TheProject) -> list[Tally]:
    """Begin to count anew."""
    project.create_tables(TABLE)
    project.execute("DELETE FROM votes")
    return tallies(project)


def tallies(project: Project) -> list[Tally]:
    """The kind that was chosen most often first."""
    project.create_tables(TABLE)
    shown: dict[str, int] = {}
    chosen: dict[str, int] = {}
    for kinds, best in project.execute("SELECT shown, chosen FROM votes"):
        for kind in set(json.loads(kinds)):
            shown[kind] = shown.get(kind, 0) + 1
        if best is not None:
            chosen[best] = chosen.get(best, 0) + 1
    tallies = [Tally(kind=kind, shown=count, chosen=chosen.get(kind, 0)) for kind, count in shown.items()]
    return sorted(tallies, key=lambda one: -one.chosen / one.shown)


@router.get("/reports/{id}", response_class=Response, responses={200: {"content": {"text/html": {}}}})
def report(id: Id, project: TheProject) -> Response:
    """The page of an evaluation, which stands for itself."""
    item = project.item(id)
    if item.kind != "report" or item.facts.get("what") != "evaluation":
        raise UsageError(f"{item.name} is no report: choose an evaluation")
    return FileResponse(project.path(id), media_type="text/html", headers={"content-security-policy": PAGE_POLICY})

"""What a model has learned: which joint follows which, and how strongly (Lau 2009, fig. 7)."""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter

from freshtake.errors import UsageError
from freshtake.formats.files import write_bytes
from freshtake.serve.items import Id, Shape
from freshtake.serve.queries import network_summary
from freshtake.serve.routes.access import TheModels, TheProject

router = APIRouter(tags=["networks"])


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
    """The networks of a variation model; strengths are measured once and kept."""
    item = project.item(id)
    if item.facts.get("method") != "variation":
        raise UsageError(f"{item.name} is no model with networks: choose one that was learned for variants")
    kept = project.files / f"{id}.network.json"
    if not kept.exists():
        summary: dict[str, Any] = models.call(network_summary, project.path(id))
        write_bytes(kept, json.dumps(summary).encode())
    return Network.model_validate_json(kept.read_text(encoding="utf-8"))

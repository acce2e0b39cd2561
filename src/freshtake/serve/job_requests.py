"""Requests for jobs: one shape per task, distinguished by `task`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from freshtake.serve.items import Id, Shape
from freshtake.serve.method_requests import MethodRequest

Ids = Annotated[list[Id], Field(min_length=1, max_length=1000)]
Seed = Annotated[int, Field(ge=0, le=2**53)]
Amount = Annotated[float, Field(ge=0.0, le=4.0)]
Parts = Annotated[dict[Annotated[str, Field(max_length=80)], Amount], Field(max_length=100)]


class Learn(Shape):
    """Learn a model from takes (or strokes) of one movement."""

    task: Literal["learn"]
    items: Ids
    name: Annotated[str, Field(max_length=120)] | None = None
    seed: Seed = 0
    cyclic: bool | None = None
    pieces: Literal["auto", "whole", "cycles"] = "auto"
    keep: bool = False


class PoseAt(Shape):
    """The pose of an item at a frame, to be met at a second of the variant."""

    item: Id
    frame: Annotated[int, Field(ge=0)]
    second: Annotated[float, Field(ge=0.0, le=3600.0)]


class Vary(Shape):
    """Make variants of a model, one item each; the k-th has the seed `seed + k`."""

    task: Literal["vary"]
    items: Annotated[list[Id], Field(min_length=1, max_length=1)]
    number: Annotated[int, Field(ge=1, le=1000)] = 15
    amount: Amount = 1.0
    parts: Parts = Field(default_factory=dict)
    seed: Seed = 0
    pins: Annotated[list[PoseAt], Field(max_length=50)] = Field(default_factory=list)
    loop: bool = False
    seconds: Annotated[float, Field(gt=0.0, le=600.0)] | None = None
    plant: bool = True
    in_place: bool = False


class Again(Shape):
    """Make variants again from their seeds, with other settings where they are given (`seconds` of null: as long as
    comes naturally); `replace` puts them in place of the old ones, and requests with the same `step` are undone
    together."""

    task: Literal["again"]
    items: Ids
    replace: bool = False
    step: Annotated[str, Field(max_length=40)] | None = None
    amount: Amount | None = None
    parts: Parts | None = None
    pins: Annotated[list[PoseAt], Field(max_length=50)] | None = None
    loop: bool | None = None
    seconds: Annotated[float, Field(gt=0.0, le=600.0)] | None = None
    plant: bool | None = None
    in_place: bool | None = None


class Repair(Shape):
    """Repair takes, by names that findings give as remedies; without names all that the findings name."""

    task: Literal["repair"]
    items: Ids
    repairs: Annotated[list[Annotated[str, Field(max_length=60)]], Field(max_length=20)] | None = None


class Cut(Shape):
    """Cut takes into their cycles, a range of frames, or what repeats that range or another take."""

    task: Literal["cut"]
    items: Ids
    how: Literal["cycles", "repeats", "frames"]
    first: Annotated[int, Field(ge=0)] | None = None
    last: Annotated[int, Field(ge=0)] | None = None
    like: Id | None = None


class Export(Shape):
    """Write items into a file to download; `pack` makes loops of models (or of the models of variants)."""

    task: Literal["export"]
    items: Ids
    format: Literal["bvh", "glb", "fbx", "usd", "npz", "csv", "pack"]
    character: Id | None = None
    in_place: bool = False
    number: Annotated[int, Field(ge=1, le=200)] = 12
    name: Annotated[str, Field(max_length=80)] | None = None


JobRequest = Annotated[Learn | Vary | Again | Repair | Cut | Export | MethodRequest, Field(discriminator="task")]

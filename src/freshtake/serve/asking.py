"""What can be asked of a project: one shape per task, told apart by its `task`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from freshtake.serve.items import Id, Shape

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
    thorough: bool = False
    method: Literal["default", "kernel", "paper"] | None = None


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


Asked = Annotated[Learn | Vary, Field(discriminator="task")]

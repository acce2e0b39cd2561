"""A take in a style at once, beside the take as it is."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field

from freshtake.errors import UsageError
from freshtake.serve.items import Id, Shape
from freshtake.serve.routes.access import TheProject
from freshtake.serve.routes.binary import model_of, scene_response
from freshtake.serve.routes.scenes import BINARY, motion_of

router = APIRouter(prefix="/style", tags=["style"])
Strength = Annotated[float, Field(ge=-4.0, le=4.0)]
LONGEST = 60.0  # seconds of a take that is translated while one waits
LEGEND = {"input": "as it is", "variant": "translated"}


class Restyled(Shape):
    """A take, the styles that it is put into with their weights, and a factor on all of them."""

    take: Id
    styles: Annotated[list[tuple[Id, Strength]], Field(min_length=1, max_length=8)]
    strength: Strength = 1.0
    plant: bool = True


@router.post("/preview", response_class=Response, responses=BINARY)
def preview(asked: Restyled, project: TheProject) -> Response:
    """A scene with the take and its translation, as /scene gives them."""
    from freshtake.motion import Clip
    from freshtake.reports.viewport.staging import scene_of
    from freshtake.serve.tasks.styles import translated

    item = project.item(asked.take)
    clip = motion_of(project, item)
    if not isinstance(clip, Clip):
        raise UsageError(f"{item.name} has no skeleton: choose a take of a body")
    if clip.duration > LONGEST:
        raise UsageError(f"{item.name} lasts {clip.duration:.0f} s: trim it to {LONGEST:g} s in the library first")
    models = [(model_of(project, id, "style"), weight) for id, weight in asked.styles]
    made = translated(models, clip, asked.strength, asked.plant).changed(name="translated")
    return scene_response(scene_of([("input", [clip]), ("variant", [made])], layout="row", legend=LEGEND))

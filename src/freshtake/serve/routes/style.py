"""A take in a style at once, beside the take as it is."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field

from freshtake.errors import UsageError
from freshtake.reports.viewport.scene import Shape as Shape3D
from freshtake.serve.items import Id, Shape
from freshtake.serve.queries import Source, motion_from
from freshtake.serve.routes.access import TheProject
from freshtake.serve.routes.binary import model_of, scene_response
from freshtake.serve.routes.scenes import BINARY, source_of

router = APIRouter(prefix="/style", tags=["style"])
Strength = Annotated[float, Field(ge=-4.0, le=4.0)]
LONGEST = 60.0  # seconds of a take that is translated while one waits
KEPT = 8  # takes as shapes
LEGEND = {"input": "normal", "variant": "in the style"}


class Restyled(Shape):
    """A take, the styles that it is put into with their weights, and a factor on all of them."""

    take: Id
    styles: Annotated[list[tuple[Id, Strength]], Field(min_length=1, max_length=8)]
    strength: Strength = 1.0
    plant: bool = True


@router.post("/preview", response_class=Response, responses=BINARY)
def preview(body: Restyled, project: TheProject) -> Response:
    """A scene with the take and its translation, as /scene gives them."""
    from freshtake.motion import Clip
    from freshtake.reports.viewport.scene import Scene
    from freshtake.reports.viewport.staging import shape_of
    from freshtake.serve.tasks.styles import translated

    item = project.item(body.take)
    source = source_of(project, item)
    clip = motion_from(source)
    if not isinstance(clip, Clip):
        raise UsageError(f"{item.name} has no skeleton: choose a take of a body")
    if clip.duration > LONGEST:
        raise UsageError(f"{item.name} lasts {clip.duration:.0f} s: trim it to {LONGEST:g} s in the library first")
    models = [(model_of(project, id, "style"), weight) for id, weight in body.styles]
    made = translated(models, clip, body.strength, body.plant).changed(name="in the style")
    shapes = (_shape(source._replace(role="input")), shape_of(made, "variant"))
    return scene_response(Scene(shapes, layout="row", legend=LEGEND))


@lru_cache(maxsize=KEPT)
def _shape(source: Source) -> Shape3D:
    """The take itself, which stays the same while the slider moves."""
    from freshtake.reports.viewport.staging import shape_of

    return shape_of(motion_from(source), source.role)

"""A take in a style at once, beside the take as it is."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field

from freshtake.errors import UsageError
from freshtake.reports.viewport.scene import Shape as Shape3D
from freshtake.serve.items import Id, Shape
from freshtake.serve.queries import Source, motion_from
from freshtake.serve.routes.access import TheModels, TheProject
from freshtake.serve.routes.binary import binary_response, model_from, model_path, scene_bytes
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
def preview(body: Restyled, project: TheProject, models: TheModels) -> Response:
    """A scene with the take and its translation, as /scene gives them."""
    source = source_of(project, project.item(body.take))
    styles = [(model_path(project, id, "style"), weight) for id, weight in body.styles]
    return binary_response(models.call(translation_of, source, styles, body.strength, body.plant))


def translation_of(source: Source, styles: list[tuple[Path, float]], strength: float, plant: bool) -> bytes:
    """The scene of a take and its translation."""
    from freshtake.motion import Clip
    from freshtake.reports.viewport.scene import Scene
    from freshtake.reports.viewport.staging import shape_of
    from freshtake.serve.tasks.styles import translated

    clip = motion_from(source)
    if not isinstance(clip, Clip):
        raise UsageError(f"{source.name} has no skeleton: choose a take of a body")
    if clip.duration > LONGEST:
        raise UsageError(f"{source.name} lasts {clip.duration:.0f} s: trim it to {LONGEST:g} s in the library first")
    models = [(model_from(path), weight) for path, weight in styles]
    made = translated(models, clip, strength, plant).changed(name="in the style")
    shapes = (_shape(source._replace(role="input")), shape_of(made, "variant"))
    return scene_bytes(Scene(shapes, layout="row", legend=LEGEND))


@lru_cache(maxsize=KEPT)
def _shape(source: Source) -> Shape3D:
    """The take itself, which stays the same while the slider moves."""
    from freshtake.reports.viewport.staging import shape_of

    return shape_of(motion_from(source), source.role)

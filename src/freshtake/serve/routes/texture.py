"""The jump map of a texture as a picture, and where its takes and cells lie on it."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from fastapi import APIRouter, Response

from freshtake.serve.items import Id, Shape
from freshtake.serve.routes.access import TheProject
from freshtake.serve.routes.binary import model_from, model_of

router = APIRouter(prefix="/texture", tags=["texture"])
PIXELS = 640  # per side, at most
JUMP, GOING = (63, 134, 221), (53, 162, 100)


class JumpMap(Shape):
    """What the picture shows: frames from which (down) and to which (across) one jumps; bounds of takes, cells."""

    frames: int
    fps: float
    bounds: list[int]
    cells: list[str]
    cell_of_take: list[int]
    jump_time: float
    largest_jump: float
    jumps: int
    travels: bool


@router.get("/{id}")
def about(id: Id, project: TheProject) -> JumpMap:
    """The map in numbers."""
    model = model_of(project, id, "texture")
    segments, chances = model.segments, model.chances
    starts = np.array(segments.bounds[:-1])
    return JumpMap(
        frames=len(model.rows),
        fps=round(1.0 / model.frame_time, 3),
        bounds=list(segments.bounds),
        cells=list(model.cells),
        cell_of_take=segments.cells()[starts].tolist(),
        jump_time=model.settings.jump_time,
        largest_jump=max(model.reach.limits),
        jumps=int((chances.targets >= 0).sum()),
        travels=model.rates > 0,
    )


@router.get("/{id}/map.png", response_class=Response, responses={200: {"content": {"image/png": {}}}})
def picture(id: Id, project: TheProject) -> Response:
    """The jump map: blue where one may jump, green where a take goes on, clear elsewhere."""
    model_of(project, id, "texture")
    return Response(map_picture(project.path(id)), media_type="image/png", headers={"cache-control": "max-age=3600"})


def map_picture(path: Path) -> bytes:
    """The jump map of a model as PNG."""
    from PIL import Image

    from freshtake.reports.texture_figures import dense

    model = model_from(path)
    every = -(-len(model.rows) // PIXELS)
    chances = np.sqrt(np.sqrt(np.clip(dense(model, every), 0.0, 1.0)))  # roots, so that rare jumps can be seen
    size = len(chances)
    pixels = np.zeros((size, size, 4), dtype=np.uint8)
    pixels[..., :3] = JUMP
    pixels[..., 3] = np.where(chances > 0.0, 60.0 + 195.0 * chances, 0.0)
    places = np.arange(size)
    for ahead in (0, 1):
        on = places[: size - ahead]
        lit = chances[on, on + ahead] > 0.0
        pixels[on[lit], on[lit] + ahead, :3] = GOING
    out = io.BytesIO()
    Image.fromarray(pixels, "RGBA").save(out, format="PNG", optimize=True)
    return out.getvalue()

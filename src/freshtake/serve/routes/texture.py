"""The jump map of a texture as a picture, and where its takes and cells lie on it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from fastapi import APIRouter, Response

from freshtake.errors import UsageError
from freshtake.serve.items import Id, Shape
from freshtake.serve.routes.access import TheModels, TheProject
from freshtake.serve.routes.binary import array_bytes, binary_response, model_from, model_path
from freshtake.serve.routes.scenes import BINARY

router = APIRouter(prefix="/texture", tags=["texture"])
MOST_NUMBERS = 40_000_000  # of all modes together
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
def about(id: Id, project: TheProject, models: TheModels) -> JumpMap:
    """The map in numbers."""
    return models.call(jump_map_of, model_path(project, id, "texture"))


def jump_map_of(path: Path) -> JumpMap:
    """The jump map of a model in numbers."""
    model = model_from(path)
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
def picture(id: Id, project: TheProject, models: TheModels) -> Response:
    """The jump map: blue where one may jump, green where a take goes on, clear elsewhere."""
    drawn = models.call(map_picture, model_path(project, id, "texture"))
    return Response(drawn, media_type="image/png", headers={"cache-control": "max-age=3600"})


@router.get("/{id}/modes", response_class=Response, responses=BINARY)
def modes(id: Id, project: TheProject, models: TheModels) -> Response:
    """A mesh by its modes, the weights of all frames, and where to jump: all that a page needs to play it for ever."""
    return binary_response(models.call(modes_of, model_path(project, id, "texture"), project.item(id).name))


def modes_of(path: Path, name: str) -> bytes:
    """The modes of a mesh, for the page."""
    model = model_from(path)
    if model.shape is None:
        raise UsageError(f"{name} is no mesh: it is played live")
    numbers = model.shape.width * model.shape.columns
    if numbers > MOST_NUMBERS:
        raise UsageError("this mesh is too large to be played on the page: keep a motion of it instead")
    return array_bytes(*mesh_modes(model))


def mesh_modes(model: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The manifest of a mesh and its arrays: positions in display units, upright, standing on the floor."""
    from freshtake.motion.edit import tilt
    from freshtake.numeric.rotations import rotate
    from freshtake.reports.viewport.staging import TALL

    layout, width, count = model.recipe.layout, model.shape.width, model.recipe.layout.vertex_count
    columns = model.shape.restore(np.concatenate([np.zeros((1, width)), np.eye(width)])).astype(np.float64)
    points = columns[:, : 3 * count].reshape(-1, count, 3)
    points[1:] -= points[0]
    if layout.up != "y":
        points = np.asarray(rotate(tilt(layout.up, "y"), points))
    weights = model.rows[:, model.rates :]
    some = points[0] + np.tensordot(weights[:: max(1, len(weights) // 20)], points[1:], axes=1)
    points *= (scale := TALL / max(float(np.ptp(some[0], axis=0).max()), 1e-12))
    low, middle = scale * some[..., 1].min(), scale * some[0].mean(axis=0)
    points[0] -= np.array([middle[0], low, middle[2]])
    chances = model.chances
    manifest = {
        "frames": len(weights), "modes": width, "count": count, "fps": 1.0 / model.frame_time,
        "hold": model.rules.hold, "fade": max(model.fade, 1), "slots": chances.targets.shape[1],
    }  # fmt: skip
    arrays = {
        "base": points[0].astype("<f4"), "shapes": points[1:].astype("<f4"), "faces": layout.faces.astype("<u4"),
        "weights": weights.astype("<f4"), "successor": chances.successor.astype("<i4"),
        "onward": chances.onward.astype("<f4"), "targets": chances.targets.astype("<i4"),
        "chances": chances.chances.astype("<f4"),
    }  # fmt: skip
    return manifest, arrays


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
    pixels[..., 3] = np.where(chances > 0.0, 110.0 + 145.0 * chances, 0.0)
    places = np.arange(size)
    for ahead in (0, 1):
        on = places[: size - ahead]
        lit = chances[on, on + ahead] > 0.0
        pixels[on[lit], on[lit] + ahead, :3] = GOING
    out = io.BytesIO()
    Image.fromarray(pixels, "RGBA").save(out, format="PNG", optimize=True)
    return out.getvalue()

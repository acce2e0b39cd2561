"""Immediate results, without a job: variants of drawn characters, a take in a style, the jump map of a texture."""

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Depends, Request, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from freshtake.errors import UsageError
from freshtake.serve.drawing import drawn_strokes, example_drawings, pens_of, stroke_variants
from freshtake.serve.items import Id, Shape
from freshtake.serve.job_requests import Drawing, Drawn, VariantsOf, Weight
from freshtake.serve.queries import SHAPES, Source, as_json, clip_from, scene_bytes, with_manifest
from freshtake.serve.routes.access import TheModels, TheProject, binary_response, json_response, model_path, source_of
from freshtake.serve.routes.scenes import BINARY, PICTURE

router = APIRouter(tags=["previews"])
LONGEST = 60.0  # seconds: the longest take translated without a job
LEGEND = {"input": "normal", "variant": "in the style"}
MOST_NUMBERS = 40_000_000  # total size of all modes
JUMP, GOING = (63, 134, 221), (53, 162, 100)


class Written(Shape):
    """Variants in the form of `Drawn`."""

    variants: list[Drawing]


@router.post("/strokes/variants", response_model=Written)
async def variants(body: VariantsOf, request: Request, models: TheModels) -> Response:
    """Return variants of a drawn character, each with its timing."""
    return json_response(await models.answer(request, as_json, drawn_variants, body))


def drawn_variants(body: VariantsOf) -> Written:
    """Make variants of drawings, in the same form."""
    strokes = drawn_strokes(body.drawings)
    return Written(variants=[pens_of(one) for one in stroke_variants(strokes, body.number, body.amount, body.seed)])


@router.get("/strokes/example")
def example() -> Drawn:
    """Return four handwritten letters, slow enough to be watched."""
    return Drawn(drawings=example_drawings())


class Restyled(Shape):
    """A take, the styles to translate it into, their weights, and a factor for all of them."""

    take: Id
    styles: Annotated[list[tuple[Id, Weight]], Field(min_length=1, max_length=8)]
    strength: Weight = 1.0
    plant: bool = True


@router.post("/style/preview", response_class=Response, responses=BINARY)
async def preview(body: Restyled, request: Request, project: TheProject, models: TheModels) -> Response:
    """Return a scene with the take and its translation, in the form of /scene."""

    def prepared() -> tuple[Source, list[tuple[Path, float]]]:
        styles = [(model_path(project, id, "style"), weight) for id, weight in body.styles]
        return source_of(project, body.take), styles

    asked = *await run_in_threadpool(prepared), body.strength, body.plant
    return binary_response(await models.answer(request, translation_of, *asked))


def translation_of(source: Source, styles: list[tuple[Path, float]], strength: float, plant: bool) -> bytes:
    """Make the scene of a take and its translation."""
    from freshtake.reports.viewport.scene import Scene
    from freshtake.reports.viewport.staging import shape_of
    from freshtake.requests.style import Styling
    from freshtake.serve.tasks.methods import translated

    clip = clip_from(source)
    if clip.duration > LONGEST:
        raise UsageError(f"{source.name} lasts {clip.duration:.0f} s: trim it to {LONGEST:g} s in the library first")
    models = [(model_from(path), weight) for path, weight in styles]
    done = translated(models, clip, Styling(strength=strength, plant=plant))
    restyled = (clip if done is None else done.clip).changed(name="in the style")
    # The take's shape does not change while the slider moves.
    before = SHAPES.get((source, "preview"), lambda: shape_of(clip, "input"))
    shapes = (before, shape_of(restyled, "variant"))
    return scene_bytes(Scene(shapes, layout="row", legend=LEGEND))


class JumpMap(Shape):
    """The content of the picture: frames to jump from (down) and to (across); bounds of takes, cells."""

    frames: int
    fps: float
    bounds: list[int]
    cells: list[str]
    cell_of_take: list[int]
    jump_time: float
    largest_jump: float
    jumps: int
    travels: bool


def _texture(id: Id, project: TheProject) -> Path:
    return model_path(project, id, "texture")


Texture = Annotated[Path, Depends(_texture)]


@lru_cache(maxsize=6)
def model_from(path: Path) -> Any:
    """Read a model file; the last few models are cached."""
    from freshtake.formats.ftm import read_stored

    return read_stored(path).model


@router.get("/texture/{id}", response_model=JumpMap)
async def about(texture: Texture, request: Request, models: TheModels) -> Response:
    """Return the jump map in numbers."""
    return json_response(await models.answer(request, as_json, jump_map_of, texture))


def jump_map_of(path: Path) -> JumpMap:
    """Describe the jump map of a model in numbers."""
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


@router.get("/texture/{id}/map.png", response_class=Response, responses=PICTURE)
async def picture(texture: Texture, request: Request, models: TheModels) -> Response:
    """Return the jump map as a picture: blue for jumps, green where a take continues."""
    drawn = await models.answer(request, map_picture, texture)
    return Response(drawn, media_type="image/png", headers={"cache-control": "max-age=3600"})


@router.get("/texture/{id}/modes", response_class=Response, responses=BINARY)
async def modes(texture: Texture, request: Request, models: TheModels) -> Response:
    """Return the modes of a mesh, the weights of all frames, and the jumps, for endless playback on the page."""
    return binary_response(await models.answer(request, modes_of, texture))


def modes_of(path: Path) -> bytes:
    """Pack the modes of a mesh for the page: a manifest with the byte offset and length of each array."""
    model = model_from(path)
    if model.shape is None:
        raise UsageError("this model is not a mesh: it is played live")
    if model.shape.width * model.shape.columns > MOST_NUMBERS:
        raise UsageError("this mesh is too large to be played on the page: make a motion with it instead")
    manifest, arrays = mesh_modes(model)
    places, data = {}, b""
    for name, array in arrays.items():
        places[name] = [len(data), array.size]
        data += array.tobytes()
    return with_manifest({**manifest, "arrays": places}, data)


def mesh_modes(model: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the manifest of a mesh and its arrays: positions in display units, upright, on the floor."""
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
    """Paint the jump map of a model as PNG."""
    from PIL import Image

    from freshtake.reports.texture_figures import dense
    from freshtake.reports.viewport.painting import as_png

    model = model_from(path)
    every = -(-len(model.rows) // 640)
    chances = np.sqrt(np.sqrt(np.clip(dense(model, every), 0.0, 1.0)))  # roots, to make rare jumps visible
    size = len(chances)
    pixels = np.zeros((size, size, 4), dtype=np.uint8)
    pixels[..., :3] = JUMP
    pixels[..., 3] = np.where(chances > 0.0, 110.0 + 145.0 * chances, 0.0)
    for ahead in (0, 1):
        on = np.arange(size - ahead)
        lit = chances[on, on + ahead] > 0.0
        pixels[on[lit], on[lit] + ahead, :3] = GOING
    return as_png(Image.fromarray(pixels, "RGBA"))

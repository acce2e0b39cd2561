"""Routes of views: scenes, pictures and crowds; curves, components and networks of items."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from freshtake.errors import UsageError
from freshtake.serve.items import Id
from freshtake.serve.queries import (
    ComponentSet,
    CurveSet,
    Dof,
    Network,
    Source,
    VariantDifference,
    as_json,
    component_set,
    curve_set,
    difference_list,
    dof_list,
    network_of,
    pack_scene,
    paint_picture,
)
from freshtake.serve.routes.access import (
    Chosen,
    TheHelper,
    TheModels,
    ThePainter,
    TheProject,
    TheSource,
    binary_response,
    character_file,
    json_response,
    takes_of,
)

DofName = Annotated[str, Query(max_length=200)]
MOST_SKINNED = 60
BINARY: dict[int | str, dict[str, Any]] = {200: {"content": {"application/octet-stream": {}}}}
PICTURE: dict[int | str, dict[str, Any]] = {200: {"content": {"image/gif": {}, "image/png": {}}}}

curves_router = APIRouter(tags=["curves"])
scenes_router = APIRouter(tags=["scenes"])


@curves_router.get("/dofs/{id}", response_model=list[Dof])
async def dofs(source: TheSource, request: Request, helper: TheHelper) -> Response:
    """List the DOFs that can be shown as curves, starting with those that move the body most."""
    return json_response(await helper.answer(request, as_json, dof_list, source))


@curves_router.get("/curves", response_model=CurveSet)
async def curves(
    chosen: Chosen, request: Request, helper: TheHelper, dof: DofName, against: DofName | None = None
) -> Response:
    """Return a DOF of several items over time; with `against`, also a second one for the other axis."""
    return json_response(await helper.answer(request, as_json, curve_set, chosen, dof, against))


@curves_router.get("/pca", response_model=ComponentSet)
async def components(chosen: Chosen, request: Request, helper: TheHelper) -> Response:
    """Return the leading principal components of all items together."""
    return json_response(await helper.answer(request, as_json, component_set, chosen))


@curves_router.get("/network/{id}", response_model=Network)
async def network(id: Id, request: Request, project: TheProject, models: TheModels) -> Response:
    """Return the networks of a variation model; strengths are measured once and stored."""
    item = await run_in_threadpool(project.item, id)
    if item.facts.get("method") != "variation":
        raise UsageError(f"{item.name} is not a model with networks: choose one that was learned for variants")
    cached = project.files / f"{id}.network.json"
    if cached.exists():
        return json_response(cached.read_bytes())
    return json_response(await models.answer(request, network_of, project.path(id), cached))


@scenes_router.get("/scene", response_class=Response, responses=BINARY)
async def scene(
    chosen: Chosen, request: Request, project: TheProject, helper: TheHelper, models: TheModels,
    character: Id | None = None, differences: bool = False, whole: bool = False,
) -> Response:  # fmt: skip
    """Return the length of the JSON manifest (uint32, little-endian), the manifest, zeros to a multiple of 4, and data.

    With `character`, clips are retargeted to that character and get its skin. With `differences`, variants on the
    neutral body have the distance of each joint from the mean of their movement's takes. With `whole`, frames
    outside a trim are shown too.
    """
    if character is not None and len(chosen) > MOST_SKINNED:
        raise UsageError(f"at most {MOST_SKINNED} motions can be shown with a skin at once: choose fewer")

    def prepared() -> tuple[list[Source], list[Source]]:
        skin = None if character is None else character_file(project, project.item(character))
        sources = [one._replace(character=skin or one.character, trim=None if whole else one.trim) for one in chosen]
        variant = next((one.id for one in chosen if one.role == "variant"), None)
        takes = takes_of(project, variant) if variant is not None and differences and skin is None else []
        return sources, takes

    sources, takes = await run_in_threadpool(prepared)
    # Aligning to the takes may take a while; other questions must not wait for it.
    return binary_response(await (models if takes else helper).answer(request, pack_scene, sources, takes))


@scenes_router.get("/differences", response_model=list[VariantDifference])
async def how_different(chosen: Chosen, request: Request, project: TheProject, models: TheModels) -> Response:
    """Return how far variants of one movement are from the mean of its takes."""
    takes = await run_in_threadpool(takes_of, project, chosen[0].id)
    return json_response(await models.answer(request, as_json, difference_list, takes, chosen))


@scenes_router.get("/crowd/{id}/scene", response_class=Response, responses=BINARY)
def crowd(id: Id, project: TheProject) -> Response:
    """Return the scene of a crowd, in the form of /scene."""
    item = project.item(id)
    if not item.facts.get("scene"):
        raise UsageError(f"{item.name} cannot be shown here: it was made elsewhere")
    return binary_response((project.files / f"{id}.source.scene").read_bytes())


@scenes_router.get("/strip/{id}.png", response_class=Response, responses=PICTURE)
async def poses(source: TheSource, request: Request, painter: ThePainter) -> Response:
    """Return a picture of seven poses of a motion in a row."""
    return await _picture(source, "strip.png", request, painter)


@scenes_router.get("/thumbnail/{id}.{kind}", response_class=Response, responses=PICTURE)
async def thumbnail(kind: Literal["gif", "png"], source: TheSource, request: Request, painter: ThePainter) -> Response:
    """Return a thumbnail: animated (gif) or still (png)."""
    return await _picture(source, f"thumbnail.{kind}", request, painter)


async def _picture(source: Source, what: str, request: Request, painter: Any) -> Response:
    """Return a picture of a motion, painted once per trim and stored next to the motion."""
    name, _, kind = what.partition(".")
    trim = "" if source.trim is None else "-".join(map(str, source.trim))
    cached = source.path.with_name(f"{source.path.name.partition('.')[0]}.{name}{trim}.{kind}")
    data = (
        cached.read_bytes() if cached.exists() else await painter.answer(request, paint_picture, source, what, cached)
    )
    return Response(data, media_type=f"image/{kind}", headers={"cache-control": "max-age=3600"})

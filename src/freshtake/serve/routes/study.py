"""Routes of studies with people, and the page of an evaluation."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import FileResponse
from pydantic import Field
from pydantic_core import to_json
from starlette.concurrency import run_in_threadpool

from freshtake.errors import UsageError
from freshtake.serve.items import Id, Shape
from freshtake.serve.queries import scene_bytes
from freshtake.serve.routes.access import TheHelper, ThePainter, TheProject, binary_response, json_response, studio
from freshtake.serve.routes.scenes import BINARY

if TYPE_CHECKING:  # importing evaluation is slow and would delay the start of the server
    from freshtake.evaluation.study.analysis import Outcome
    from freshtake.serve.tasks.comparing import StudyStore

router = APIRouter(tags=["studies"])
Code = Annotated[str, Field(min_length=1, max_length=24)]
CSV: dict[int | str, dict[str, Any]] = {200: {"content": {"text/csv": {}}}}
PAGE_POLICY = (  # the page is self-contained; in a sandbox it has no origin, so it cannot access the server
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; "
    "img-src data: blob:; connect-src data: blob:"
)


class Joining(Shape):
    """A participant's code and consent."""

    code: Code
    consent: bool


class Scored(Shape):
    """The score of a trial and the time taken; for a search for clones, the two that were picked."""

    code: Code
    position: Annotated[int, Field(ge=1)]
    score: Annotated[int, Field(ge=1, le=9, strict=True)] | None = None
    seconds: Annotated[float, Field(ge=0.0)] = 0.0
    picked: Annotated[list[int], Field(max_length=2)] = Field(default_factory=list)


def store_of(request: Request) -> StudyStore:
    """Return the studies of the project."""
    return studio(request).studies


@router.get("/studies")
def studies(request: Request) -> list[dict[str, Any]]:
    """Return all studies, with the progress of all participants."""
    return store_of(request).studies()


@router.post("/studies/{id}/participants")
def join(id: Id, body: Joining, request: Request) -> dict[str, Any]:
    """Join a study, or resume it."""
    return store_of(request).join(id, body.code, body.consent)


@router.get("/studies/{id}/scene", response_class=Response, responses=BINARY)
async def stimulus(
    id: Id, request: Request, helper: TheHelper, code: Annotated[str, Query(max_length=24)], position: int
) -> Response:
    """Return the unnamed motion of a trial, or several, numbered from left to right."""
    files = await run_in_threadpool(lambda: store_of(request).stimulus(id, code, position))
    return binary_response(await helper.answer(request, stimulus_scene, files, position))


def stimulus_scene(files: list[Path], position: int) -> bytes:
    """Pack the scene of a trial, whose motions are identified only by numbers."""
    from freshtake.formats import read_clip
    from freshtake.reports.viewport.staging import scene_of

    names = [""] if len(files) == 1 else [str(k) for k in range(1, len(files) + 1)]
    clips = [read_clip(path).changed(name=name) for path, name in zip(files, names, strict=True)]
    return scene_bytes(scene_of([("input", clips)], legend={"input": f"motion {position}"}))


@router.post("/studies/{id}/scores")
def score(id: Id, body: Scored, request: Request) -> dict[str, Any]:
    """Store a score and return the next trial."""
    return store_of(request).answer(id, body.code, body.position, body.score, body.seconds, body.picked)


class Outcomes(Shape):
    """Means with intervals and the analysis of variance per experiment, or the reason why there is none yet."""

    outcomes: list[dict[str, Any]]
    words: str = ""


@router.get("/studies/{id}/outcome", response_model=Outcomes)
def outcome(id: Id, request: Request) -> Response:
    """Analyze the scores so far."""
    store = store_of(request)
    store.folder(id)
    try:
        result = Outcomes(outcomes=[one.as_dict() for one in store.outcomes(id)])
    except UsageError as error:
        result = Outcomes(outcomes=[], words=str(error))
    return json_response(to_json(result, inf_nan_mode="null"))  # JSON has no NaN


@router.get("/studies/{id}/figure.svg", response_class=Response, responses={200: {"content": {"image/svg+xml": {}}}})
def figure(id: Id, request: Request, painter: ThePainter) -> Response:
    """Return figure 8 of Lau 2009 for these scores."""
    drawn = painter.call(figure_of, store_of(request).outcomes(id))
    return Response(drawn, media_type="image/svg+xml", headers={"cache-control": "no-store"})


def figure_of(outcomes: list[Outcome]) -> bytes:
    """Draw figure 8 as SVG."""
    from freshtake.reports.study_figure import figure as drawn

    out = io.BytesIO()
    drawn(outcomes).savefig(out, format="svg")
    return out.getvalue()


@router.get("/studies/{id}/ratings.csv", response_class=Response, responses=CSV)
def ratings(id: Id, request: Request) -> Response:
    """Return the scores in the form read by `freshtake study analyze`."""
    from freshtake.formats.study_csv import ratings_text

    return _table(ratings_text(store_of(request).ratings(id)), "ratings.csv")


@router.get("/studies/{id}/key.csv", response_class=Response, responses=CSV)
def key(id: Id, request: Request) -> Response:
    """Return the key, which participants must not see."""
    return _table((store_of(request).folder(id) / "key.csv").read_bytes(), "key.csv")


def _table(data: bytes, name: str) -> Response:
    return Response(data, media_type="text/csv", headers={"content-disposition": f'attachment; filename="{name}"'})


@router.get("/reports/{id}", response_class=Response, responses={200: {"content": {"text/html": {}}}})
def report(id: Id, project: TheProject) -> Response:
    """Return the self-contained page of an evaluation."""
    item = project.item(id)
    if item.kind != "report" or item.facts.get("what") != "evaluation":
        raise UsageError(f"{item.name} is not a report: choose an evaluation")
    return FileResponse(project.path(id), media_type="text/html", headers={"content-security-policy": PAGE_POLICY})

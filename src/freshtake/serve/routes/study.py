"""A study with people: taking part, scores, and what they say."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from freshtake.errors import UsageError
from freshtake.serve.items import Id, Shape
from freshtake.serve.routes.access import TheHelper, studio
from freshtake.serve.routes.binary import binary_response, scene_bytes
from freshtake.serve.routes.scenes import BINARY

if TYPE_CHECKING:  # evaluation takes a second to load, which the start of the server does not wait for
    from freshtake.evaluation.study.analysis import Outcome
    from freshtake.serve.study_store import StudyStore

router = APIRouter(prefix="/studies", tags=["studies"])
Code = Annotated[str, Field(min_length=1, max_length=24)]
CSV: dict[int | str, dict[str, Any]] = {200: {"content": {"text/csv": {}}}}


class Joining(Shape):
    """A participant's code, and that they agree to take part."""

    code: Code
    consent: bool


class Scored(Shape):
    """The score of a trial, and how many seconds it took."""

    code: Code
    position: Annotated[int, Field(ge=1)]
    score: Annotated[int, Field(ge=1, le=9, strict=True)]
    seconds: Annotated[float, Field(ge=0.0)] = 0.0


def store_of(request: Request) -> StudyStore:
    """The studies of the project; kept with the server."""
    from freshtake.serve.study_store import StudyStore

    state = studio(request)
    if not hasattr(request.app.state, "studies"):
        request.app.state.studies = StudyStore(state.project)
    store: StudyStore = request.app.state.studies
    return store


@router.get("")
def studies(request: Request) -> list[dict[str, Any]]:
    """All studies, and how far everybody has come."""
    return store_of(request).studies()


@router.post("/{id}/participants")
def join(id: Id, body: Joining, request: Request) -> dict[str, Any]:
    """Take part, or go on where one left off."""
    return store_of(request).join(id, body.code, body.consent)


@router.get("/{id}/scene", response_class=Response, responses=BINARY)
def stimulus(id: Id, request: Request, code: Annotated[str, Query(max_length=24)], position: int) -> Response:
    """What a participant watches in a trial, without a name."""
    from freshtake.formats import read_clip
    from freshtake.reports.viewport.staging import scene_of

    clip = read_clip(store_of(request).stimulus(id, code, position)).changed(name="")
    scene = scene_of([("input", [clip])], legend={"input": f"motion {position}"})
    return binary_response(scene_bytes(scene))


@router.post("/{id}/scores")
def score(id: Id, body: Scored, request: Request) -> dict[str, Any]:
    """Give a score; what comes next."""
    return store_of(request).answer(id, body.code, body.position, body.score, body.seconds)


class Outcomes(Shape):
    """Per experiment the means with their intervals and the analysis of variance; or in words why there is none yet."""

    outcomes: list[dict[str, Any]]
    words: str = ""


@router.get("/{id}/outcome")
def outcome(id: Id, request: Request) -> Outcomes:
    """What the scores say so far."""
    store = store_of(request)
    store.folder(id)
    try:
        return Outcomes(outcomes=[_plain(one.as_dict()) for one in store.outcomes(id)])
    except UsageError as error:
        return Outcomes(outcomes=[], words=str(error))


@router.get("/{id}/figure.svg", response_class=Response, responses={200: {"content": {"image/svg+xml": {}}}})
def figure(id: Id, request: Request, helper: TheHelper) -> Response:
    """Figure 8 of Lau 2009 for these scores."""
    drawn = helper.call(figure_of, store_of(request).outcomes(id))
    return Response(drawn, media_type="image/svg+xml", headers={"cache-control": "no-store"})


def figure_of(outcomes: list[Outcome]) -> bytes:
    """Figure 8 as SVG."""
    from freshtake.reports.study_figure import figure as drawn

    out = io.BytesIO()
    drawn(outcomes).savefig(out, format="svg")
    return out.getvalue()


@router.get("/{id}/ratings.csv", response_class=Response, responses=CSV)
def ratings(id: Id, request: Request) -> Response:
    """The scores as `freshtake study analyze` reads them."""
    from freshtake.formats.study_csv import ratings_text

    return _table(ratings_text(store_of(request).ratings(id)), "ratings.csv")


@router.get("/{id}/key.csv", response_class=Response, responses=CSV)
def key(id: Id, request: Request) -> Response:
    """What every stimulus is; not for participants."""
    return _table((store_of(request).folder(id) / "key.csv").read_bytes(), "key.csv")


def _table(data: bytes, name: str) -> Response:
    return Response(data, media_type="text/csv", headers={"content-disposition": f'attachment; filename="{name}"'})


def _plain(value: Any) -> Any:
    """Without numbers that JSON does not have."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value

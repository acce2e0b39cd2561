"""The application: guard, routes, and one-sentence error responses."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from threading import Thread
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from freshtake import __version__
from freshtake.errors import FreshtakeError
from freshtake.serve.guard import LOCAL, Guard
from freshtake.serve.items import Problem
from freshtake.serve.live import Streams
from freshtake.serve.live import router as live_router
from freshtake.serve.processes import HelperProcess, Warming, report_crash
from freshtake.serve.project import MissingItem, Project
from freshtake.serve.queries import load_viewport
from freshtake.serve.routes import previews, project, scenes, study
from freshtake.serve.routes.project import Events
from freshtake.serve.workers import Workers

if TYPE_CHECKING:  # importing evaluation is slow and would delay the start of the server
    from freshtake.serve.tasks.comparing import StudyStore

ROUTERS = (
    project.items_router, project.jobs_router, scenes.scenes_router, scenes.curves_router, live_router,
    project.events_router, previews.router, study.router,
)  # fmt: skip
ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": words}
    for status, words in {400: "cannot be done", 404: "not there", 413: "too large", 422: "not understood"}.items()
}


@dataclass
class State:
    """The server's state, used by routes."""

    project: Project
    workers: Workers
    events: Events = field(default_factory=Events)
    # Three processes, so that quick answers wait neither for pictures nor for models.
    helper: HelperProcess = field(default_factory=HelperProcess)  # scenes and curves
    painter: HelperProcess = field(default_factory=HelperProcess)
    models: HelperProcess = field(default_factory=HelperProcess)  # calls about models, and alignments
    streams: Streams = field(default_factory=Streams)
    warming: Warming | None = None

    @cached_property
    def studies(self) -> StudyStore:
        """The studies of the project."""
        from freshtake.serve.tasks.comparing import StudyStore

        return StudyStore(self.project)


def make_app(
    project: Project, *, token: str | None = None, hosts: Iterable[str] = LOCAL, open_to_network: bool = False,
    workers: int | None = None,
) -> FastAPI:  # fmt: skip
    """Return a project's application; its processes start and end with it."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        state = State(project, Workers(project, workers))
        project.subscribe(state.events.publish)
        project.subscribe(lambda event: _warm_streams(state, [event.get("item")]))
        app.state.studio = state
        Thread(target=_warm, args=(state,), daemon=True).start()
        state.warming = Warming(state.events.publish)
        try:
            yield
        finally:
            state.warming.close()
            state.workers.close()
            for process in (state.helper, state.painter, state.models):
                process.close()
            state.streams.close()

    app = FastAPI(
        title="freshtake", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None,
        summary="A few takes become an unlimited supply of new ones.",
    )  # fmt: skip
    app.add_middleware(Guard, hosts=tuple(hosts), token=token, open_to_network=open_to_network)
    for router in ROUTERS:
        app.include_router(router, prefix="/api", responses=ERROR_RESPONSES)
    for kind in (FreshtakeError, HTTPException, RequestValidationError, Exception):
        app.add_exception_handler(kind, _on_error)
    return app


def _warm(state: State) -> None:
    """Start processes before they are needed."""
    with suppress(FreshtakeError):
        state.helper.call(load_viewport)
    _warm_streams(state, [item.model_dump() for item in state.project.items()])


def _warm_streams(state: State, items: Iterable[dict[str, Any] | None]) -> None:
    """Keep a spare stream process if there is a model, so that live motion starts immediately."""
    if any(item is not None and item["kind"] == "model" for item in items):
        Thread(target=state.streams.warm, daemon=True).start()


async def _on_error(request: Request, error: Exception) -> JSONResponse:
    """Return an error as one sentence of JSON."""
    status, sentence = 400, str(error)
    if isinstance(error, MissingItem):
        status = 404
    elif isinstance(error, HTTPException):
        status, phrase = error.status_code, HTTPStatus(error.status_code).phrase
        sentence = error.detail if error.detail != phrase else phrase.lower()
        if status == 404 and error.detail == phrase:
            sentence = "there is nothing at this address"
    elif isinstance(error, RequestValidationError):
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:]) or "the request"
        status, sentence = 422, f"{place}: {first['msg']}"
    elif not isinstance(error, FreshtakeError):
        status, sentence = 500, report_crash(error, f"{request.method} {request.scope['path']}")
    return JSONResponse({"error": " ".join(sentence.split())}, status)

"""The application: guard, routes, and every failure as one sentence."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from threading import Thread
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from freshtake import __version__
from freshtake.errors import FreshtakeError
from freshtake.serve.aside import Aside
from freshtake.serve.events import Events
from freshtake.serve.guard import LOCAL, Guard
from freshtake.serve.items import Problem
from freshtake.serve.live import Streams
from freshtake.serve.project import NotThere, Project
from freshtake.serve.routes import ROUTERS
from freshtake.serve.workers import Workers

REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": words}
    for status, words in {400: "cannot be done", 404: "not there", 413: "too large", 422: "not understood"}.items()
}


@dataclass
class State:
    """What routes work with."""

    project: Project
    workers: Workers
    events: Events = field(default_factory=Events)
    aside: Aside = field(default_factory=Aside)
    streams: Streams = field(default_factory=Streams)


def make_app(
    project: Project,
    *,
    token: str | None = None,
    hosts: Iterable[str] = LOCAL,
    wide: bool = False,
    workers: int | None = None,
) -> FastAPI:
    """The server of a project; its processes start with it and end with it."""

    @asynccontextmanager
    async def living(app: FastAPI) -> AsyncIterator[None]:
        state = State(project, Workers(project, workers))
        project.listen(state.events.tell)
        app.state.studio = state
        Thread(target=_warm, args=(state.aside,), daemon=True).start()
        try:
            yield
        finally:
            state.workers.close()
            state.aside.close()
            state.streams.close()

    app = FastAPI(
        title="freshtake", version=__version__, lifespan=living, docs_url=None, redoc_url=None,
        summary="A few takes become an unlimited supply of new ones.",
    )  # fmt: skip
    app.add_middleware(Guard, hosts=tuple(hosts), token=token, wide=wide)
    for router in ROUTERS:
        app.include_router(router, prefix="/api", responses=REFUSALS)
    app.add_exception_handler(FreshtakeError, _refused)
    app.add_exception_handler(HTTPException, _failed)
    app.add_exception_handler(Exception, _unforeseen)
    app.add_exception_handler(RequestValidationError, _misunderstood)
    return app


def _warm(aside: Aside) -> None:
    """Have the process ready when it is needed."""
    with suppress(FreshtakeError):
        aside.call(sum, ())


def problem(status: int, sentence: str) -> JSONResponse:
    """A refusal as JSON."""
    return JSONResponse({"error": " ".join(sentence.split())}, status)


async def _refused(request: Request, error: Exception) -> JSONResponse:
    return problem(404 if isinstance(error, NotThere) else 400, str(error))


async def _failed(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    said = error.detail if error.detail != HTTPStatus(error.status_code).phrase else ""
    if error.status_code == 404:
        said = said or "there is nothing at this address"
    return problem(error.status_code, said or HTTPStatus(error.status_code).phrase.lower())


async def _unforeseen(request: Request, error: Exception) -> JSONResponse:
    return problem(500, f"something went wrong that should not ({type(error).__name__}): please report it")


async def _misunderstood(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:]) or "the request"
    return problem(422, f"{place}: {first['msg']}")

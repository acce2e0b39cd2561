"""Routes of the project's items, jobs and events: uploads, samples, tasks, undo, presets."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import FileResponse
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from freshtake.errors import UsageError
from freshtake.formats.registry import FORMATS
from freshtake.serve.items import (
    Changed,
    Id,
    Item,
    ItemChange,
    Job,
    Name,
    ProjectView,
    Regrouping,
    Removal,
    Sample,
    display_name,
    ending_of,
    new_id,
)
from freshtake.serve.job_requests import JobRequest
from freshtake.serve.routes.access import TheProject, TheWorkers, studio

items_router = APIRouter(tags=["items"])
Number = Annotated[float, Field(allow_inf_nan=False)]  # JSON has no NaN or infinity


@items_router.get("/project", response_model=ProjectView)
def project(project: TheProject) -> Response:
    """Return all items, jobs and presets."""
    return Response(project.view_json(), media_type="application/json")


@items_router.get("/items/{id}")
def item(id: Id, project: TheProject) -> Item:
    """Return one item."""
    return project.item(id)


@items_router.patch("/items/{id}")
def change(id: Id, changes: ItemChange, project: TheProject) -> Item:
    """Rename, star or trim an item; omitted fields are unchanged, and a trim of null removes it."""
    old, new = project.item(id), changes.model_dump(exclude_unset=True, exclude={"step"})
    if "name" in new and new["name"] is None:
        raise UsageError("a name is needed")
    if "star" in new and new["star"] is None:
        raise UsageError("a star is 1, 0 or -1")
    trim = new.get("trim")
    if trim is not None and not trim[0] < trim[1] < old.facts.get("frames", 0):
        raise UsageError(f"{old.name} has {old.facts.get('frames', 0)} frames: a trim is two of them, in order")
    verb = {"name": "rename", "star": "star" if new.get("star") else "unstar", "trim": "trim"}
    words = " and ".join(verb[key] for key in new) + (f" {old.name}" if changes.step is None else " several items")
    return project.update(id, words, within=changes.step, **new) if new else old


@items_router.post("/regroup")
def regroup(change: Regrouping, project: TheProject) -> Item:
    """Move takes to another movement, or to a new one; return the movement."""
    return project.regroup(change.items, change.movement, change.name)


@items_router.post("/remove")
def remove(removal: Removal, project: TheProject) -> Changed:
    """Remove items from the project in one step; undo restores them."""
    count = len(removal.items)
    project.remove(removal.items, f"remove {project.item(removal.items[0]).name if count == 1 else f'{count} items'}")
    return Changed(change=project.change)


@items_router.post("/undo")
def undo(project: TheProject) -> Changed:
    """Undo the newest change."""
    return Changed(change=project.undo())


@items_router.post("/redo")
def redo(project: TheProject) -> Changed:
    """Redo the step undone last."""
    return Changed(change=project.redo())


@items_router.put("/presets/{name}")
def put_preset(name: Name, value: dict[str, str | Number | bool | None] | None, project: TheProject) -> Changed:
    """Store settings under a name; null removes them."""
    project.put_preset(name, value)
    return Changed(change=project.change)


events_router = APIRouter(tags=["events"])


@events_router.websocket("/events")
async def events(socket: WebSocket) -> None:
    """Send one JSON message per change: {change, item}, {change, gone}, {job} or {warming}."""
    await socket.accept()
    state = studio(socket)
    hub, warming = state.events, state.warming
    window = hub.subscribe()
    if warming is not None and warming.now is not None:
        window.put_nowait(json.dumps({"warming": warming.now}))
    sending = asyncio.create_task(_send_events(socket, window))
    try:
        # Client messages are ignored; this waits until the client disconnects.
        with suppress(WebSocketDisconnect, RuntimeError):
            while (await socket.receive())["type"] != "websocket.disconnect":
                pass
    finally:
        hub.unsubscribe(window)
        sending.cancel()


async def _send_events(socket: WebSocket, window: Window) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):
        while (event := await window.get()) is not None:
            await socket.send_text(event)
        # This code makes the page reload the project.
        await socket.close(4000, "some changes were missed: reload the project")


Window = asyncio.Queue[str | None]
MOST_BEHIND = 2000  # events: a page that is farther behind has to reload the project


class Events:
    """Accepts events from any thread and delivers them to the subscribers in the server's event loop."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._windows: set[Window] = set()

    def publish(self, event: dict[str, Any]) -> None:
        """Publish an event from any thread."""
        if self._loop is not None and not self._loop.is_closed() and self._windows:
            # Serialized once, however many windows there are.
            self._loop.call_soon_threadsafe(self._deliver, json.dumps(event, allow_nan=False))

    def _deliver(self, event: str) -> None:
        for window in self._windows:
            if window.qsize() >= MOST_BEHIND:
                while not window.empty():
                    window.get_nowait()
                window.put_nowait(None)
            else:
                window.put_nowait(event)

    def subscribe(self) -> Window:
        """Return a queue of future events; None in it means that some were lost."""
        self._loop = asyncio.get_running_loop()
        window: Window = asyncio.Queue()
        self._windows.add(window)
        return window

    def unsubscribe(self, window: Window) -> None:
        """Stop receiving events."""
        self._windows.discard(window)


jobs_router = APIRouter(tags=["jobs"])
MOST_BYTES = 512 * 2**20
ENDINGS = frozenset(suffix for known in FORMATS for suffix in known.suffixes) | {".ftm", ".vrm"}
OCTETS = "application/octet-stream"
FILE: dict[int | str, dict[str, Any]] = {200: {"content": {OCTETS: {}}}}


@jobs_router.post(
    "/takes", status_code=202,
    openapi_extra={"requestBody": {"required": True, "content": {OCTETS: {"schema": {"type": "string"}}}}},
)  # fmt: skip
async def send_take(
    request: Request, name: Annotated[str, Query(min_length=1, max_length=300)], project: TheProject,
    workers: TheWorkers, step: Annotated[str | None, Query(max_length=40)] = None,
) -> Job:  # fmt: skip
    """Upload a motion, a model or a character; the body is the file. A worker process reads it.

    Files with the same `step` are undone together.
    """
    shown = display_name(name)
    upload = f"{new_id()}{ending_of(shown, ENDINGS)}"
    target = project.work / upload
    try:
        await _receive(request, target, shown)
        return workers.submit("read", upload=upload, name=shown, step=step)
    except BaseException:
        target.unlink(missing_ok=True)
        raise


async def _receive(request: Request, target: Path, shown: str) -> None:
    """Write the body to a file, up to the size limit."""
    size = 0
    try:
        with target.open("wb") as file:
            async for part in request.stream():
                size += len(part)
                if size > MOST_BYTES:
                    raise HTTPException(413, f"{shown} has more than {MOST_BYTES // 2**20} MB: send shorter takes")
                await run_in_threadpool(file.write, part)
    except ClientDisconnect:
        raise HTTPException(400, f"{shown} arrived incomplete: send it again") from None
    except OSError as error:
        raise HTTPException(507, f"{shown} cannot be stored ({error.strerror}): free some disk space") from None
    if size == 0:
        raise UsageError(f"{shown} is empty: send it again")


@jobs_router.get("/samples")
def samples() -> list[Sample]:
    """List the motions that come with freshtake."""
    from freshtake.workflows import SAMPLE_SETS

    return [Sample(name=sample.name, about=sample.about) for sample in SAMPLE_SETS]


@jobs_router.post("/samples/{name}", status_code=202)
def make_samples(name: str, workers: TheWorkers, takes: Annotated[int, Query(ge=1, le=20)] = 4) -> Job:
    """Add takes of a sample to the project."""
    if name not in {sample.name for sample in samples()}:
        raise UsageError(f"there is no sample {name!r}: GET /api/samples lists them")
    return workers.submit("samples", sample=name, takes=takes)


@jobs_router.post("/jobs", status_code=202)
def ask(body: JobRequest, workers: TheWorkers) -> Job:
    """Request a job; it waits for a free process, and its results become items."""
    settings = body.model_dump(exclude={"task", "items"}, exclude_unset=body.task == "again")
    return workers.submit(body.task, body.items, **settings)


@jobs_router.get("/jobs/{id}")
def job(id: Id, project: TheProject) -> Job:
    """Return the progress of a job."""
    return project.job(id)


@jobs_router.delete("/jobs/{id}")
def cancel(id: Id, workers: TheWorkers) -> Job:
    """Cancel a job; its results so far are kept."""
    return workers.cancel(id)


@jobs_router.get("/formats")
def formats() -> list[str]:
    """List the export formats of this installation: USD needs a separate package."""
    return ["fbx", "bvh", "glb", *_with_package("pxr", "usd"), "npz", "csv", "pack"]


@jobs_router.get("/crowd/engines")
def engines() -> list[str]:
    """List the engines of this installation that can make crowds."""
    return ["local", *_with_package("distributed", "dask"), "openjd", "flamenco"]


@jobs_router.get("/crowd/formats")
def crowd_formats() -> list[str]:
    """List the crowd formats of this installation."""
    return [*_with_package("pxr", "usd"), "npz", "bvh", *_with_package("zarr", "zarr")]


def _with_package(package: str, name: str) -> list[str]:
    """Return an option that needs a package, if that is installed."""
    return [name] if find_spec(package) is not None else []


@jobs_router.get("/exports/{id}", response_class=FileResponse, responses=FILE)
def download(id: Id, project: TheProject) -> FileResponse:
    """Download an export or a model."""
    item = project.item(id)
    if item.kind not in ("export", "model") and not item.facts.get("file"):
        raise UsageError(f"{item.name} is not a file to download: export it first")
    path = project.path(id)
    name = item.facts.get("file") or f"{''.join(c if c.isalnum() else '_' for c in item.name) or 'model'}{path.suffix}"
    return FileResponse(path, media_type=OCTETS, filename=str(name))

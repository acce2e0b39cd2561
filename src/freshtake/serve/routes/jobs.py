"""Work: files that are sent to be read, samples, tasks, and cancelling them."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import FileResponse
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from freshtake.errors import UsageError
from freshtake.formats.registry import FORMATS
from freshtake.serve.items import Id, Job, Sample, display_name, ending_of, new_id
from freshtake.serve.job_requests import JobRequest
from freshtake.serve.routes.access import TheProject, TheWorkers

router = APIRouter(tags=["jobs"])
MOST_BYTES = 512 * 2**20
ENDINGS = frozenset(suffix for known in FORMATS for suffix in known.suffixes) | {".ftm", ".vrm"}
FILE: dict[int | str, dict[str, Any]] = {200: {"content": {"application/octet-stream": {}}}}


@router.post(
    "/takes",
    status_code=202,
    openapi_extra={
        "requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {"type": "string"}}}}
    },
)
async def send_take(
    request: Request,
    name: Annotated[str, Query(min_length=1, max_length=300)],
    project: TheProject,
    workers: TheWorkers,
    step: Annotated[str | None, Query(max_length=40)] = None,
) -> Job:
    """Send a file (its bytes are the body): a motion, a model or a character. A worker process reads it.

    Files that are sent with the same `step` are undone together.
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
    """Write the body into a file, up to the size limit."""
    size = 0
    try:
        with target.open("wb") as file:
            async for part in request.stream():
                size += len(part)
                if size > MOST_BYTES:
                    raise HTTPException(413, f"{shown} has more than {MOST_BYTES // 2**20} MB: send shorter takes")
                await run_in_threadpool(file.write, part)
    except ClientDisconnect:
        raise HTTPException(400, f"{shown} came only in part: send it again") from None
    except OSError as error:
        raise HTTPException(507, f"{shown} cannot be kept ({error.strerror}): make room on the disk") from None
    if size == 0:
        raise UsageError(f"{shown} is empty: send it again")


@router.get("/samples")
def samples() -> list[Sample]:
    """List the motions that come with freshtake."""
    from freshtake.workflows import SAMPLE_SETS

    return [Sample(name=sample.name, about=sample.about) for sample in SAMPLE_SETS]


@router.post("/samples/{name}", status_code=202)
def make_samples(name: str, workers: TheWorkers, takes: Annotated[int, Query(ge=1, le=20)] = 4) -> Job:
    """Add takes of a sample to the project."""
    if name not in {sample.name for sample in samples()}:
        raise UsageError(f"there is no sample {name!r}: GET /api/samples lists them")
    return workers.submit("samples", sample=name, takes=takes)


@router.post("/jobs", status_code=202)
def ask(body: JobRequest, workers: TheWorkers) -> Job:
    """Request a job; it waits for a free process, and its results become items."""
    settings = body.model_dump(exclude={"task", "items"}, exclude_unset=body.task == "again")
    return workers.submit(body.task, body.items, **settings)


@router.get("/jobs/{id}")
def job(id: Id, project: TheProject) -> Job:
    """Return the progress of a job."""
    return project.job(id)


@router.delete("/jobs/{id}")
def cancel(id: Id, workers: TheWorkers) -> Job:
    """Cancel a job; its results so far stay."""
    return workers.cancel(id)


@router.get("/formats")
def formats() -> list[str]:
    """The formats that exports can have with what is installed: USD needs a package of its own."""
    usd = ["usd"] if find_spec("pxr") is not None else []
    return ["fbx", "bvh", "glb", *usd, "npz", "csv", "pack"]


@router.get("/crowd/engines")
def engines() -> list[str]:
    """List where crowds can be made with what is installed."""
    dask = ["dask"] if find_spec("distributed") is not None else []
    return ["local", *dask, "openjd", "flamenco"]


@router.get("/crowd/formats")
def crowd_formats() -> list[str]:
    """List the formats that crowds can have with what is installed."""
    usd = ["usd"] if find_spec("pxr") is not None else []
    return [*usd, "npz", "bvh", *(["zarr"] if find_spec("zarr") is not None else [])]


@router.get("/exports/{id}", response_class=FileResponse, responses=FILE)
def download(id: Id, project: TheProject) -> FileResponse:
    """Download an export or a model."""
    item = project.item(id)
    if item.kind not in ("export", "model") and not item.facts.get("file"):
        raise UsageError(f"{item.name} is no file to download: export it first")
    path = project.path(id)
    name = item.facts.get("file") or f"{''.join(c if c.isalnum() else '_' for c in item.name) or 'model'}{path.suffix}"
    return FileResponse(path, media_type="application/octet-stream", filename=str(name))

"""Work: files that are sent to be read, samples, tasks, and cancelling them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request
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
    """Send a file (its bytes are the body): a motion, a model or a character. It is read in a process of its own.

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
    """Write what comes into a file, as far as it is not too much."""
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
    """Motions that come with freshtake."""
    from freshtake.workflows import SAMPLE_SETS

    return [Sample(name=sample.name, about=sample.about) for sample in SAMPLE_SETS]


@router.post("/samples/{name}", status_code=202)
def make_samples(name: str, workers: TheWorkers, takes: Annotated[int, Query(ge=1, le=20)] = 4) -> Job:
    """Put takes of a sample into the project."""
    if name not in {sample.name for sample in samples()}:
        raise UsageError(f"there is no sample {name!r}: GET /api/samples lists them")
    return workers.submit("samples", sample=name, takes=takes)


@router.post("/jobs", status_code=202)
def ask(body: JobRequest, workers: TheWorkers) -> Job:
    """Ask for work; it waits for a free process, and what it makes becomes items."""
    settings = body.model_dump(exclude={"task", "items"}, exclude_unset=body.task == "again")
    return workers.submit(body.task, body.items, **settings)


@router.get("/jobs/{id}")
def job(id: Id, project: TheProject) -> Job:
    """How far a job is."""
    return project.job(id)


@router.delete("/jobs/{id}")
def cancel(id: Id, workers: TheWorkers) -> Job:
    """Cancel a job; what it made so far stays."""
    return workers.cancel(id)

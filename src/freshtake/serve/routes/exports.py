"""Files to download."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from fastapi.responses import FileResponse

from freshtake.errors import UsageError
from freshtake.serve.items import Id
from freshtake.serve.routes.access import TheProject

router = APIRouter(tags=["exports"])
FILE: dict[int | str, dict[str, Any]] = {200: {"content": {"application/octet-stream": {}}}}


@router.get("/exports/{id}", response_class=FileResponse, responses=FILE)
def download(id: Id, project: TheProject) -> FileResponse:
    """The file of an export, a model or a report."""
    item = project.item(id)
    if item.kind not in ("export", "model"):
        raise UsageError(f"{item.name} is no file to download: export it first")
    path = project.path(id)
    name = item.facts.get("file") or f"{''.join(c if c.isalnum() else '_' for c in item.name) or 'model'}{path.suffix}"
    return FileResponse(path, media_type="application/octet-stream", filename=str(name))

"""The files of the page, and those of the viewport below /viewport/. Only what is in the package is served."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

from fastapi import FastAPI, Request, Response

TYPES = {
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml", "png": "image/png", "json": "application/json", "txt": "text/plain; charset=utf-8",
    "woff2": "font/woff2",
}  # fmt: skip


class PageFile(NamedTuple):
    """A file of the page, and a tag that changes with it."""

    file: Traversable
    media_type: str

    def answer(self, known: str) -> Response:
        """Its bytes, or that the browser has them already."""
        data = self.file.read_bytes()
        tag = f'"{hashlib.sha256(data).hexdigest()[:24]}"'
        headers = {"etag": tag, "cache-control": "no-cache"}
        if tag == known:
            return Response(status_code=304, headers=headers)
        return Response(data, media_type=self.media_type, headers=headers)


def page_files() -> dict[str, PageFile]:
    """All files of the page by their address: nothing else can be asked for."""
    page = dict(_listed(files("freshtake.studio").joinpath("web"), "/"))
    viewport = dict(_listed(files("freshtake.reports.viewport").joinpath("web"), "/viewport/"))
    return {"/": page["/index.html"], **page, **viewport}


def _listed(folder: Traversable, address: str) -> Iterator[tuple[str, PageFile]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _listed(entry, f"{address}{entry.name}/")
        elif (media_type := TYPES.get(entry.name.rpartition(".")[2])) is not None:
            yield f"{address}{entry.name}", PageFile(entry, media_type)


def add_pages(app: FastAPI) -> None:
    """Serve the page at the root of an application."""
    known = page_files()

    def page(request: Request) -> Response:
        return known[request.url.path].answer(request.headers.get("if-none-match", ""))

    for address in known:
        app.add_api_route(address, page, methods=["GET"], include_in_schema=False)

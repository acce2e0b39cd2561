"""Serve the files of the page, and the viewport's files below /viewport/. Only files of the package are served.

The files that a browser loads are below /v/HASH/, which changes with the content: they are cached forever and sent
compressed. The modules are bundled into one file.
"""

import gzip
import hashlib
import re
from collections.abc import Iterator
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable

from fastapi import FastAPI, Request, Response

from freshtake.studio.bundling import bundled

TYPES = {
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml", "png": "image/png", "json": "application/json", "txt": "text/plain; charset=utf-8",
    "woff2": "font/woff2",
}  # fmt: skip
STYLES = ("/viewport/viewport.css", "/style.css", "/methods.css")
THREE = ("/viewport/three/three.core.min.js", "/viewport/three/three.module.min.js")
FOR_GOOD, ASK = "public, max-age=31536000, immutable", "no-cache"


class PageFile:
    """A file of the page, with a tag that changes with its content; `keep` is the browser's cache policy."""

    def __init__(self, data: bytes, media_type: str, keep: str = ASK) -> None:
        self.data, self.media_type, self.keep = data, media_type, keep

    @cached_property
    def tag(self) -> str:
        """The entity tag, a hash of the content."""
        return hashlib.sha256(self.data).hexdigest()[:24]

    @cached_property
    def zipped(self) -> bytes:
        """The compressed bytes."""
        return gzip.compress(self.data, 9, mtime=0)

    def answer(self, known: str, accepted: str) -> Response:
        """Return the file as a response, or "not modified" if the browser has it."""
        headers = {"etag": f'"{self.tag}"', "cache-control": self.keep, "vary": "accept-encoding"}
        if f'"{self.tag}"' == known:
            return Response(status_code=304, headers=headers)
        if "gzip" not in accepted:
            return Response(self.data, media_type=self.media_type, headers=headers)
        return Response(self.zipped, media_type=self.media_type, headers={**headers, "content-encoding": "gzip"})


def page_files() -> dict[str, PageFile]:
    """Return all files of the page by address; nothing else is served."""
    page = dict(_listed(files("freshtake.studio").joinpath("web"), "/"))
    single = {**page, **dict(_listed(files("freshtake.reports.viewport").joinpath("web"), "/viewport/"))}
    combined = {
        "/bundle.js": bundled("/app.js", lambda address: single[address].data.decode()).encode(),
        "/all.css": b"\n".join(single[name].data for name in STYLES),
        **{name: single[name].data for name in THREE},
    }
    # Addresses contain a hash of the contents, so browsers may cache the files forever.
    stamp = hashlib.sha256(b"".join(combined.values())).hexdigest()[:12]
    whole = {
        f"/v/{stamp}{name}": PageFile(data, TYPES[name.rpartition(".")[2]], FOR_GOOD) for name, data in combined.items()
    }
    return {"/": _start_page(single["/index.html"], stamp), **single, **whole}


def _start_page(template: PageFile, stamp: str) -> PageFile:
    """Return the start page, which loads the bundle instead of the modules."""
    # Preloading single modules would load everything twice.
    text = re.sub(r'<link rel="(?:stylesheet|modulepreload)"[^>]*>\n', "", template.data.decode())
    start = '<script type="module" src="'
    text = text.replace(f'{start}app.js">', f'{start}v/{stamp}/bundle.js">')
    text = text.replace("</head>", f'<link rel="stylesheet" href="v/{stamp}/all.css">\n</head>')
    return PageFile(text.encode(), template.media_type)


def _listed(folder: Traversable, address: str) -> Iterator[tuple[str, PageFile]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _listed(entry, f"{address}{entry.name}/")
        elif (media_type := TYPES.get(entry.name.rpartition(".")[2])) is not None:
            yield f"{address}{entry.name}", PageFile(entry.read_bytes(), media_type)


def add_pages(app: FastAPI) -> None:
    """Serve the page at the root of an application."""
    served = page_files()

    def page(request: Request) -> Response:
        headers = request.headers
        return served[request.url.path].answer(headers.get("if-none-match", ""), headers.get("accept-encoding", ""))

    for address in served:
        app.add_api_route(address, page, methods=["GET"], include_in_schema=False)

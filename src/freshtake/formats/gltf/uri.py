"""Bytes that a glTF file refers to: data URIs inside it, and files beside it or below (never anywhere else)."""

from __future__ import annotations

import base64
import binascii
import re
from pathlib import Path
from urllib.parse import unquote

from freshtake.errors import FormatError
from freshtake.formats.files import read_bytes
from freshtake.formats.gltf.fields import Item

_DATA = re.compile(r"data:[^,]{0,200};base64,", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")


def resource(item: Item) -> bytes:
    """What the `uri` of a buffer or image points to."""
    uri = item.text("uri")
    inside = _DATA.match(uri)
    if inside:
        try:
            return base64.b64decode(uri[inside.end() :], validate=True)
        except (binascii.Error, ValueError):
            item.fail("the data after 'base64,' is not base64", "uri")
    if uri[:5].lower() == "data:":
        item.fail("only data URIs in base64 are read", "uri")
    source = _beside(item, uri)
    try:
        return read_bytes(source)
    except FormatError as error:
        item.fail(f"{error.problem} ({uri[:80]!r} beside the glTF file)", "uri")


def _beside(item: Item, uri: str) -> Path:
    """A file in the glTF file's folder or below it, after following symbolic links."""
    name = unquote(uri)
    if _SCHEME.match(name):
        item.fail(f"{uri[:80]!r} is not beside the glTF file: nothing is fetched from an address", "uri")
    parts = name.split("/")
    if not name or name.startswith("/") or ".." in parts or "\\" in name or "\x00" in name:
        item.fail(f"{uri[:80]!r} must name a file in the same folder or below it", "uri")
    folder = item.path.parent.resolve()
    try:
        found = (folder / name).resolve()
    except (OSError, RuntimeError, ValueError):
        item.fail(f"{uri[:80]!r} cannot be followed to a file", "uri")
    if not found.is_relative_to(folder):
        item.fail(f"{uri[:80]!r} leads out of the glTF file's folder", "uri")
    return found

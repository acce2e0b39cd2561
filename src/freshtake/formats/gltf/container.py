"""Read and pack glTF 2.0 containers: checked JSON with its location, and binary buffers, as .glb or .gltf.

References may be data URIs, or files in the folder of the glTF file or below it.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
import struct
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import unquote

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.files import read_bytes
from freshtake.numeric.arrays import Floats


@dataclass(frozen=True)
class Item:
    """One JSON object of the file with its location, such as `accessors[3]`; getters return checked values."""

    path: Path
    place: str
    value: dict[str, Any]

    def fail(self, problem: str, key: str = "") -> NoReturn:
        """Raise an error that names this location."""
        raise FormatError(self.path, problem, self.at(key))

    def at(self, key: str) -> str:
        """Return the location of one of this object's values."""
        return f"{self.place}.{key}" if self.place and key else self.place or key

    def __contains__(self, key: str) -> bool:
        return key in self.value

    def integer(self, key: str, default: int | None = None, low: int = 0, high: int = 1 << 40) -> int:
        """Return a whole number from low to high."""
        number = self.value.get(key, default)
        if isinstance(number, float) and number.is_integer():
            number = int(number)
        if not isinstance(number, int) or isinstance(number, bool) or not low <= number <= high:
            self.fail(f"a whole number from {low} to {high} was expected, not {_shorten(number)}", key)
        return number

    def index(self, key: str, count: int, what: str) -> int | None:
        """Return the number of one of `count` other objects, None if the key is absent."""
        if key not in self.value:
            return None
        number = self.integer(key)
        if number >= count:
            self.fail(f"{what} {number} does not exist: there are {count}", key)
        return number

    def needed_index(self, key: str, count: int, what: str) -> int:
        """Return the required number of one of `count` other objects."""
        number = self.index(key, count, what)
        if number is None:
            self.fail(f"{key!r} is missing")
        return number

    def indices(self, key: str, count: int, what: str) -> list[int]:
        """Return a list of numbers of other objects, each at most once; empty if absent."""
        numbers = self.value.get(key, [])
        good = isinstance(numbers, list) and all(isinstance(k, int) and not isinstance(k, bool) for k in numbers)
        if not good:
            self.fail(f"a list of whole numbers was expected, not {_shorten(numbers)}", key)
        for number in numbers:
            if not 0 <= number < count:
                self.fail(f"{what} {_shorten(number)} does not exist: there are {count}", key)
        if len(set(numbers)) < len(numbers):
            self.fail(f"a {what} is listed twice", key)
        return list(numbers)

    def text(self, key: str, default: str | None = None) -> str:
        """Return a string."""
        text = self.value.get(key, default)
        if not isinstance(text, str):
            self.fail(f"a text was expected, not {_shorten(text)}", key)
        return text

    def flag(self, key: str) -> bool:
        """Return a boolean; false if absent."""
        flag = self.value.get(key, False)
        if not isinstance(flag, bool):
            self.fail(f"true or false was expected, not {_shorten(flag)}", key)
        return flag

    def numbers(self, key: str, count: int | None = None, default: Floats | None = None) -> Floats:
        """Return a list of finite numbers, `count` of them if that is given."""
        if key not in self.value and default is not None:
            return default
        values = self.value.get(key)
        if not isinstance(values, list) or (count is not None and len(values) != count):
            self.fail(f"a list of {count or 'some'} numbers was expected, not {_shorten(values)}", key)
        if any(isinstance(n, bool) or not isinstance(n, int | float) for n in values):
            self.fail(f"numbers were expected, not {_shorten(values)}", key)
        try:
            out = np.array(values, dtype=np.float64)
        except OverflowError:
            out = np.array([np.inf])
        if not (np.abs(out) < 1e150).all():  # so that squares and products stay finite
            self.fail(f"finite numbers were expected, not {_shorten(values)}", key)
        return out

    def child(self, key: str) -> Item | None:
        """Return an object inside this one, None if absent."""
        value = self.value.get(key)
        if value is None and key not in self.value:
            return None
        if not isinstance(value, dict):
            self.fail(f"an object was expected, not {_shorten(value)}", key)
        return Item(self.path, self.at(key), value)

    def needed(self, key: str) -> Item:
        """Return a required object inside this one."""
        child = self.child(key)
        if child is None:
            self.fail(f"{key!r} is missing")
        return child

    def items(self, key: str) -> list[Item]:
        """Return a list of objects inside this one; empty if absent."""
        entries = self.value.get(key, [])
        if not isinstance(entries, list):
            self.fail(f"a list was expected, not {_shorten(entries)}", key)
        place = self.at(key)
        for number, entry in enumerate(entries):
            if not isinstance(entry, dict):
                raise FormatError(self.path, f"an object was expected, not {_shorten(entry)}", f"{place}[{number}]")
        return [Item(self.path, f"{place}[{number}]", entry) for number, entry in enumerate(entries)]


def _shorten(value: Any) -> str:
    text = "nothing" if value is None else repr(value)
    return text if len(text) < 60 else f"{text[:56]} ..."


_DATA = re.compile(r"data:[^,]{0,200};base64,", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_JSON, _BIN = 0x4E4F534A, 0x004E4942
# Extensions that do not affect the geometry and motion that we read, or that we support.
_UNDERSTOOD = (
    "KHR_mesh_quantization",
    "KHR_texture_",
    "KHR_materials_",
    "KHR_lights_",
    "KHR_xmp",
    "KHR_draco_mesh_compression",  # refused when a mesh is baked; it does not compress skeletons
    "EXT_texture_",
    "EXT_lights_",
    "MSFT_texture_",
)


def resource(item: Item) -> bytes:
    """Return the bytes that the `uri` of a buffer or image refers to."""
    uri = item.text("uri")
    inside = _DATA.match(uri)
    if inside:
        try:
            return base64.b64decode(uri[inside.end() :], validate=True)
        except (binascii.Error, ValueError):
            item.fail("the data after 'base64,' is not base64", "uri")
    if uri[:5].lower() == "data:":
        item.fail("only base64 data URIs can be read", "uri")
    source = _beside(item, uri)
    try:
        return read_bytes(source)
    except FormatError as error:
        item.fail(f"{error.problem} ({uri[:80]!r} next to the glTF file)", "uri")


def _beside(item: Item, uri: str) -> Path:
    """Return a file in the glTF file's folder or below it, after following symbolic links."""
    name = unquote(uri)
    if _SCHEME.match(name):
        item.fail(f"{uri[:80]!r} is not next to the glTF file: files are never fetched from the network", "uri")
    parts = name.split("/")
    if not name or name.startswith("/") or ".." in parts or "\\" in name or "\x00" in name:
        item.fail(f"{uri[:80]!r} must name a file in the same folder or below it", "uri")
    folder = item.path.parent.resolve()
    try:
        target = (folder / name).resolve()
    except (OSError, RuntimeError, ValueError):
        item.fail(f"{uri[:80]!r} cannot be followed to a file", "uri")
    if not target.is_relative_to(folder):
        item.fail(f"{uri[:80]!r} leads out of the glTF file's folder", "uri")
    return target


@dataclass(frozen=True, eq=False)
class Container:
    """A glTF document with its buffers."""

    path: Path
    top: Item
    buffers: tuple[bytes | None, ...]

    @cached_property
    def size(self) -> int:
        """Total bytes of all buffers, which bounds what may be allocated."""
        return sum(len(buffer) for buffer in self.buffers if buffer is not None)

    @cached_property
    def nodes(self) -> list[Item]:
        """Return the document's node objects."""
        return self.top.items("nodes")

    @cached_property
    def accessors(self) -> list[Item]:
        """Return the document's accessor objects."""
        return self.top.items("accessors")

    @cached_property
    def views(self) -> list[Item]:
        """Return the document's buffer view objects."""
        return self.top.items("bufferViews")


def load(path: Path) -> Container:
    """Read a container and check its structure; nodes and accessors are checked when they are used.

    An FBX character is converted to glTF.
    """
    data = read_bytes(path)
    if data[:18] == b"Kaydara FBX Binary":
        from freshtake.formats.fbx.character import as_glb  # imports this module

        data = as_glb(path, data)
    return parse_container(path, data)


def parse_container(path: Path, data: bytes) -> Container:
    """Return the container in these bytes; `path` is for messages and for referenced files next to it."""
    text, binary = _chunks(path, data) if data[:4] == b"glTF" else (data, None)
    top = Item(path, "", _document(path, text))
    asset = top.needed("asset")
    version, least = asset.text("version"), asset.text("minVersion", "2.0")
    if not version.startswith("2.") or least != "2.0":
        actual = least if version.startswith("2.") else version
        asset.fail(f"glTF 2.0 was expected, not {actual[:20]!r}: convert the file first", "version")
    required = top.value.get("extensionsRequired", [])
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        top.fail("a list of names was expected", "extensionsRequired")
    for name in required:
        if not name.startswith(_UNDERSTOOD):
            top.fail(f"the file needs the extension {name[:80]!r}, which is not supported: export without it")
    return Container(path, top, _buffers(top, binary))


def _chunks(path: Path, data: bytes) -> tuple[bytes, bytes | None]:
    """Return the JSON chunk and the first binary chunk of a .glb file."""
    if len(data) < 20:
        raise FormatError(path, f"a GLB header of 20 bytes was expected, but the file has {len(data)}", "byte 0")
    _, version, length = struct.unpack_from("<4sII", data)
    if version != 2:
        raise FormatError(path, f"GLB version 2 was expected, not {version}: convert the file first", "byte 4")
    if length != len(data):
        raise FormatError(path, f"{length} bytes are declared, but the file has {len(data)}", "byte 8")
    chunks: dict[int, bytes] = {}
    place = 12
    while place + 8 <= length:
        size, kind = struct.unpack_from("<II", data, place)
        if size > length - place - 8:
            problem = f"a chunk of {size} bytes is declared, but {length - place - 8} follow"
            raise FormatError(path, problem, f"byte {place}")
        if place == 12 and kind != _JSON:
            raise FormatError(path, "the first chunk must be JSON", "byte 16")
        chunks.setdefault(kind, data[place + 8 : place + 8 + size])
        place += 8 + size
    return chunks[_JSON], chunks.get(_BIN)


def _document(path: Path, text: bytes) -> dict[str, Any]:
    def refuse(constant: str) -> NoReturn:
        raise FormatError(path, f"the JSON contains {constant[:40]}, which is not a finite number")

    def finite(text: str) -> float:
        number = float(text)
        return number if math.isfinite(number) else refuse(text)

    try:
        document = json.loads(text.decode("utf-8-sig"), parse_constant=refuse, parse_float=finite)
    except UnicodeDecodeError as error:
        raise FormatError(path, "the JSON is not UTF-8", f"byte {error.start} of the JSON") from None
    except json.JSONDecodeError as error:
        raise FormatError(path, f"the JSON is broken: {error.msg}", f"line {error.lineno} of the JSON") from None
    except RecursionError:
        raise FormatError(path, "the JSON is nested too deeply") from None
    except ValueError:
        raise FormatError(path, "the JSON contains a number that is too long") from None
    if not isinstance(document, dict):
        raise FormatError(path, "the JSON must be an object with 'asset', 'nodes' and so on")
    return document


def _buffers(top: Item, binary: bytes | None) -> tuple[bytes | None, ...]:
    out: list[bytes | None] = []
    by_uri: dict[str, bytes] = {}
    for number, item in enumerate(top.items("buffers")):
        length = item.integer("byteLength", low=1)
        if "uri" in item:
            uri = item.text("uri")
            if uri not in by_uri:
                by_uri[uri] = resource(item)
            data: bytes | None = by_uri[uri]
        else:
            data = binary if number == 0 else None
        if data is not None and length > len(data):
            item.fail(f"{length} bytes are declared, but there are {len(data)}", "byteLength")
        out.append(data if data is None or len(data) == length else data[:length])
    return tuple(out)


def packed(path: Path, document: dict[str, Any], binary: bytes) -> bytes:
    """Return the bytes of a file with one buffer: .glb chunks, or .gltf text with the buffer as a data URI."""
    document = dict(document)
    document["buffers"] = [{"byteLength": len(binary)}]
    if path.suffix.lower() == ".gltf":
        coded = base64.b64encode(binary).decode("ascii")
        document["buffers"][0]["uri"] = f"data:application/octet-stream;base64,{coded}"
        return json.dumps(document, indent=1, allow_nan=False).encode()
    text = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    binary += bytes(-len(binary) % 4)
    size = 12 + 8 + len(text) + 8 + len(binary)
    if size >= 1 << 32:
        raise FormatError(path, f"a GLB file holds less than 4 GiB, but this would be {size} bytes: write fewer clips")
    header = struct.pack("<4sIIII", b"glTF", 2, size, len(text), _JSON)
    return header + text + struct.pack("<II", len(binary), _BIN) + binary

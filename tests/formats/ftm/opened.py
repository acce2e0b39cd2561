"""Take model files apart, change them and rewrite them with correct checksums."""

from __future__ import annotations

import copy
import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from freshtake.formats.archive import npy_bytes, open_archive, write_archive

# What a field of a header, or a number of an array, could be by mistake or by intent.
VALUES: tuple[Any, ...] = (
    *(0, 1, -1, 3, 1e-12, 1e-3, 0.5, 1000, 1e5, 999_999, 1e9, 1e12, 2**31 - 1, 2**62),
    *(None, True, "", [], {}),
)
FACTORS = (0.0, 1e3, 1e6, 1e12, 1e15, -1.0, 1e-6)


class Opened:
    """A model file's header and arrays."""

    def __init__(self, path: Path) -> None:
        archive = open_archive(path)
        self.header: dict[str, Any] = json.loads(archive.text("header.json"))
        self.arrays = {key: archive.array(key) for key in archive.keys}

    def write(self, path: Path) -> Path:
        sums = {key: hashlib.sha256(npy_bytes(array)).hexdigest() for key, array in self.arrays.items()}
        if isinstance(self.header.get("sha256"), dict):
            self.header["sha256"] = sums
        write_archive(path, self.arrays, {"header.json": json.dumps(self.header)})
        return path


def places(header: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the keys that lead to every field of a header, and to the first entry of every list."""
    items: list[tuple[Any, Any]] = []
    if isinstance(header, dict):
        items = [(key, value) for key, value in header.items() if key != "sha256"]
    elif isinstance(header, list):
        items = list(enumerate(header))[:1]
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def put(header: Any, path: tuple[Any, ...], value: Any) -> Any:
    """Return a copy of a header with another value at one position; `put` itself deletes the field."""
    changed = copy.deepcopy(header)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    if value is put:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return changed


def changed(opened: Opened, random: random.Random) -> Opened:
    """Return a copy in which one field or one array is something else."""
    out = copy.copy(opened)
    if random.random() < 0.5:
        where = random.choice(list(places(opened.header)))
        out.header = put(opened.header, where, random.choice(VALUES))
        return out
    name = random.choice(sorted(key for key, array in opened.arrays.items() if array.size))
    array = np.array(opened.arrays[name])
    with np.errstate(all="ignore"):
        if random.random() < 0.5:
            array = (array * random.choice(FACTORS)).astype(array.dtype)
        else:
            array.flat[random.randrange(array.size)] = np.asarray(random.choice(FACTORS)).astype(array.dtype)
    out.arrays = {**opened.arrays, name: array}
    return out

"""Shards as Zarr groups: the same arrays as in npz, in chunks of whole motions, for readers that take parts of them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from freshtake.errors import MissingExtra
from freshtake.formats.files import replacing_folder

CHUNK = 1 << 20  # bytes, about


def zarr() -> Any:
    """The library, which is loaded when it is needed."""
    try:
        return import_module("zarr")
    except ImportError:
        raise MissingExtra("the format zarr", "crowd") from None


def write_group(path: Path, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """Arrays as a group in a folder (Zarr 3), whole or not there; words and single numbers become attributes."""
    library = zarr()
    with replacing_folder(path) as place:
        group = library.open_group(str(place), mode="w", zarr_format=3)
        for name, values in arrays.items():
            if values.dtype.kind == "U" or values.ndim == 0:
                group.attrs[name] = values.tolist()
                continue
            row = max(1, values[:1].nbytes)
            chunks = (min(len(values), max(1, CHUNK // row)), *values.shape[1:])
            made = group.create_array(name, shape=values.shape, dtype=values.dtype, chunks=chunks)
            made[...] = values

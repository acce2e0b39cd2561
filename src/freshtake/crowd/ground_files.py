"""Height maps from files: pictures, arrays and tables; and the one that is kept beside the shards of a crowd."""

from __future__ import annotations

import csv
import hashlib
import io
from functools import lru_cache
from pathlib import Path

import numpy as np

from freshtake.crowd.folder import GROUND, replacing_ours
from freshtake.crowd.plan import GroundMap
from freshtake.crowd.terrain import Ground
from freshtake.errors import FormatError
from freshtake.formats.files import read_bytes, read_text
from freshtake.formats.npz.archive import decode_array, open_archive, write_archive
from freshtake.numeric.arrays import Floats

MOST = 8192  # rows and columns
ENDINGS = (".png", ".npy", ".csv")


def read_ground(asked: GroundMap) -> Ground:
    """The heights that a plan names."""
    path = asked.file
    kind = path.suffix.lower()
    if kind not in ENDINGS:
        raise FormatError(path, f"a height map ends in {', '.join(ENDINGS)}")
    heights = _picture(path) if kind == ".png" else _array(path) if kind == ".npy" else _table(path)
    if heights.ndim != 2 or min(heights.shape) < 2 or max(heights.shape) > MOST:
        shape = " x ".join(map(str, heights.shape))
        raise FormatError(path, f"a grid of 2 x 2 to {MOST} x {MOST} heights was expected, not {shape}")
    if not np.isfinite(heights).all():
        row, column = np.argwhere(~np.isfinite(heights))[0]
        raise FormatError(path, "finite heights were expected", f"row {row + 1}, column {column + 1}")
    return Ground(np.ascontiguousarray(asked.height * heights, dtype=np.float64), asked.center, asked.size)


def _picture(path: Path) -> Floats:
    """Black 0, white 1; 8 or 16 bits."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(read_bytes(path)), formats=["PNG"]) as picture:
            if max(picture.size) > MOST:
                raise FormatError(path, f"at most {MOST} x {MOST} pixels are read")
            deep = picture.mode.startswith("I")
            values = np.asarray(picture if deep else picture.convert("L"), dtype=np.float64)
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        raise FormatError(path, "this is no PNG picture, or it is damaged") from None
    return np.asarray(values / (65535.0 if deep else 255.0))


def _array(path: Path) -> Floats:
    heights = decode_array(path, read_bytes(path), "")
    if heights.dtype.kind not in "biuf":
        raise FormatError(path, f"an array of heights was expected, not of {heights.dtype}")
    return np.asarray(heights, dtype=np.float64)


def _table(path: Path) -> Floats:
    rows: list[list[float]] = []
    for line, row in enumerate(csv.reader(io.StringIO(read_text(path))), start=1):
        if not any(cell.strip() for cell in row):
            continue
        try:
            rows.append([float(cell) for cell in row])
        except ValueError:
            raise FormatError(path, "heights were expected, as numbers between commas", f"line {line}") from None
        if len(rows[-1]) != len(rows[0]):
            raise FormatError(path, f"{len(rows[0])} heights were expected, as in the first line", f"line {line}")
    return np.array(rows).reshape(len(rows), len(rows[0]) if rows else 0)


def keep_ground(folder: Path, ground: Ground) -> str:
    """Write the heights beside the shards, where all workers see them; their checksum."""
    arrays = {"heights": ground.heights, "center": np.array(ground.center), "size": np.array(ground.size)}
    digest = ground_checksum(ground)
    path = folder / GROUND
    if not path.is_file() or _kept_checksum(path) != digest:
        replacing_ours(write_archive, path, arrays)
    return digest


def ground_checksum(ground: Ground) -> str:
    """Of heights, center and size."""
    return hashlib.sha256(ground.heights.tobytes() + repr((ground.center, ground.size)).encode()).hexdigest()


def _kept_checksum(path: Path) -> str:
    try:
        return ground_checksum(_read(path))
    except FormatError:
        return ""


@lru_cache(maxsize=4)
def kept_ground(folder: Path, checksum: str) -> Ground:
    """What `keep_ground` wrote, read once in a process."""
    ground = _read(folder / GROUND)
    if ground_checksum(ground) != checksum:
        raise FormatError(folder / GROUND, "this is not the ground that the crowd was begun with: run it anew")
    return ground


def _read(path: Path) -> Ground:
    archive = open_archive(path)
    (x, z), (wide, deep) = archive.array("center").tolist(), archive.array("size").tolist()
    return Ground(archive.array("heights"), (x, z), (wide, deep))

"""The file in which dropped takes are kept as numbers beside the model of the takes that they are rebuilt from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.ftm.header_fields import parsed
from freshtake.formats.npz.archive import open_archive, write_archive
from freshtake.motion.features import Start
from freshtake.variation.compression.rebuilding import LEVELS, WARP_KNOTS, Rebuild

FORMAT, VERSION, HEADER = "freshtake rebuilds", 1, "header.json"
MOST_FRAMES = 10_000_000


class Dropped(NamedTuple):
    """A dropped take: the numbers to rebuild it by, and where it starts."""

    numbers: Rebuild
    start: Start


def write_rebuilds(path: Path, dropped: Mapping[str, Dropped]) -> None:
    """Write dropped takes by name, whole or not at all."""
    listed = [
        {
            "name": name, "frames": one.numbers.frames, "level": one.numbers.level, "ground": list(one.start.ground),
            "heading": one.start.heading, "time": one.start.time, "moved": list(one.start.moved),
        }
        for name, one in dropped.items()
    ]  # fmt: skip
    arrays = {}
    for number, one in enumerate(dropped.values()):
        arrays[f"warp_{number}"] = one.numbers.warp.astype(np.float32)
        arrays[f"shares_{number}"] = one.numbers.shares.astype(np.float32)
    text = json.dumps({"format": FORMAT, "version": VERSION, "takes": listed}, separators=(",", ":"))
    write_archive(path, arrays, {HEADER: text})


def read_rebuilds(path: Path, kept_takes: int, dofs: int) -> dict[str, Dropped]:
    """Dropped takes that fit a model of so many kept takes and DOFs."""
    archive = open_archive(path)
    if HEADER not in archive.members:
        raise FormatError(path, "this is not a file of dropped takes, as freshtake compress writes it")
    header = parsed(path, archive.text(HEADER), f"member {HEADER!r}")
    if header.get("format", "str") != FORMAT or header.get("version", "int") != VERSION:
        raise FormatError(path, f"{FORMAT} of version {VERSION} were expected")
    out = {}
    for number, listed in enumerate(header.get("takes", "list")):
        if not isinstance(listed, dict):
            raise FormatError(path, f"take {number + 1} is not a JSON object")
        fields = type(header)(path, listed, f"takes.{number}")
        frames, level = fields.get("frames", "int"), fields.get("level", "int")
        warp, shares = (archive.array(f"{what}_{number}").astype(np.float64) for what in ("warp", "shares"))
        shape = (1, kept_takes) if level == 0 else (level, kept_takes, dofs)
        sound = level in LEVELS and 2 <= frames <= MOST_FRAMES and warp.shape == (WARP_KNOTS,)
        if not sound or shares.shape != shape or not (np.isfinite(warp).all() and np.isfinite(shares).all()):
            raise FormatError(path, "its numbers do not fit the model beside it", f"take {number + 1}")
        out[fields.get("name", "str")] = Dropped(Rebuild(frames, level, warp, shares), _start(path, fields, number))
    return out


def _start(path: Path, fields: object, number: int) -> Start:
    values = getattr(fields, "values", {})
    try:
        x, y = (float(value) for value in values["ground"])
        heading, time = float(values["heading"]), float(values["time"])
        moved = tuple(float(value) for value in values["moved"])
    except (KeyError, TypeError, ValueError):
        raise FormatError(path, "where it starts cannot be read", f"take {number + 1}") from None
    if not np.isfinite([x, y, heading, time, *moved]).all():
        raise FormatError(path, "it starts at no finite place", f"take {number + 1}")
    return Start((x, y), heading, time, moved)

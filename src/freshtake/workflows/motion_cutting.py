"""A take into clips: its cycles, the repetitions of an action, or a range of frames."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from freshtake.errors import UsageError
from freshtake.formats.acclaim import skeleton_file
from freshtake.formats.files import read_bytes, replacing_folder, write_bytes
from freshtake.formats.read_options import ReadOptions
from freshtake.formats.registry import for_writing, read, write
from freshtake.motion import Clip
from freshtake.motion.cycles.cycles import find_cycles
from freshtake.motion.cycles.occurrences import find_occurrences
from freshtake.motion.edit import take_frames
from freshtake.numeric.blas_threads import one_blas_thread


class Piece(NamedTuple):
    """One clip that was written, and which frames (stop not included) of the take it is."""

    path: Path
    start: int
    stop: int


@one_blas_thread()
def motion_cut(
    source: Path,
    folder: Path,
    *,
    cycles: bool = False,
    frames: str | None = None,
    like: Path | None = None,
    ending: str | None = None,
    reading: dict[str, Any],
) -> list[Piece]:
    """Cut and write; the folder appears whole. Without a choice the take is cut into its cycles."""
    if sum([cycles, frames is not None, like is not None]) > 1:
        raise UsageError("choose one of --cycles, --frames and --like")
    take = _clip(source, reading)
    suffix = f".{ending.lstrip('.')}" if ending else source.suffix.lower()
    for_writing(Path(f"clip{suffix}"))
    if frames is not None:
        ranges = [_range(frames, len(take))]
    elif like is not None:
        ranges = [(o.start, o.stop) for o in find_occurrences(take, _clip(like, reading))]
        if not ranges:
            raise UsageError(f"nothing in {source} is like {like}: give a clip of the action that is in the take")
    else:
        ranges = [(int(first), int(last) + 1) for first, last in find_cycles(take).spans]
    beside = skeleton_file(source, ReadOptions(**reading)) if suffix == source.suffix.lower() == ".amc" else None
    return _write(take, ranges, folder, suffix, beside)


def _write(take: Clip, ranges: list[tuple[int, int]], folder: Path, suffix: str, beside: Path | None) -> list[Piece]:
    """All pieces in a new folder; an AMC gets its skeleton beside it, without which nobody can read it."""
    pieces = []
    with replacing_folder(folder) as temporary:
        if beside is not None:
            write_bytes(temporary / beside.name, read_bytes(beside))
        for number, (start, stop) in enumerate(ranges, start=1):
            name = f"{take.name}_{number:03d}"
            write(temporary / f"{name}{suffix}", take_frames(take, start, stop).changed(name=name))
            pieces.append(Piece(folder / f"{name}{suffix}", start, stop))
    return pieces


def _clip(path: Path, reading: dict[str, Any]) -> Clip:
    motion = read(path, **reading)
    if not isinstance(motion, Clip):
        raise UsageError(f"{path} is a {type(motion).__name__}: only clips with a skeleton can be cut")
    return motion


def _range(text: str, count: int) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{0,12}):(\d{0,12})", text)
    if found is None:
        raise UsageError(f"frames are given as A:B, not {text!r}")
    start, stop = int(found[1] or 0), int(found[2] or count)
    if not 0 <= start < stop <= count:
        raise UsageError(f"frames {text} do not lie within the take's {count} frames")
    return start, stop

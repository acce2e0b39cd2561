"""A take into clips: its cycles, the repetitions of an action, or a range of frames."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from freshtake.errors import UsageError
from freshtake.formats.acclaim import skeleton_file
from freshtake.formats.files import read_bytes, replacing_folder, write_bytes
from freshtake.formats.read_options import ReadOptions
from freshtake.formats.registry import for_writing, read, write
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip
from freshtake.motion.cycles.common_cycles import require_cycles
from freshtake.motion.cycles.occurrences import find_occurrences
from freshtake.motion.edit import take_frames
from freshtake.motion.kind_words import kind_word
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.workflows.motion_converting import frame_number
from freshtake.workflows.output_naming import check_ending, is_file_name


class Piece(NamedTuple):
    """One clip that was written, and which frames (stop not included) of the take it is."""

    path: Path
    start: int
    stop: int


class CutAt(NamedTuple):
    """Where a take is cut: at its cycles, in a range, or around what is like a clip."""

    cycles: bool = False
    between: str | None = None
    like: Path | None = None


CUT_AT = CutAt()


@one_blas_thread()
def motion_cut(
    sources: Sequence[Path],
    out: Path,
    *,
    at: CutAt = CUT_AT,
    ending: str | None = None,
    reading: dict[str, Any],
    report: Report = silent,
) -> list[Piece]:
    """Cut takes and write the pieces; the folder appears whole. Without a choice a take is cut into its cycles.

    Cycles of several takes all begin at one phase, with the same foot. A target with the ending of a format is a file
    for one piece.
    """
    if sum([at.cycles, at.between is not None, at.like is not None]) > 1:
        raise UsageError("choose one of --cycles, --range and --like")
    cuts = []
    for number, source in enumerate(sources):
        report(Progress(number / len(sources), source.name))
        cuts.append(_cut(source, at, ending if ending or not is_file_name(out) else out.suffix, reading))
    if at.between is None and at.like is None:
        found = require_cycles([cut.take for cut in cuts])
        cuts = [
            cut._replace(ranges=[(int(first), int(last) + 1) for first, last in cycles.spans])
            for cut, cycles in zip(cuts, found, strict=True)
        ]
    if is_file_name(out):
        return _write_one(cuts, out, ending, reading.get("unit_m"))
    twice = [cut.take.name for cut in cuts]
    if len(set(twice)) < len(twice):
        raise UsageError(f"several takes are called {max(twice, key=twice.count)}: rename all but one, or cut it alone")
    with replacing_folder(out) as temporary:
        return [piece for cut in cuts for piece in _write(cut, temporary, out, reading.get("unit_m"))]


class _Cut(NamedTuple):
    """A take, which frames of it are wanted, and what goes beside them: an AMC is read with its skeleton only."""

    take: Clip
    ranges: list[tuple[int, int]]
    suffix: str
    beside: Path | None


def _cut(source: Path, at: CutAt, ending: str | None, reading: dict[str, Any]) -> _Cut:
    """Read a take, and find the ranges in it that do not depend on other takes."""
    take, ranges = _clip(source, reading), []
    suffix = f".{ending.lstrip('.')}" if ending else source.suffix.lower()
    for_writing(Path(f"clip{suffix}"))
    if at.between is not None:
        ranges = [_range(at.between, take)]
    elif at.like is not None:
        ranges = [(o.start, o.stop) for o in find_occurrences(take, _clip(at.like, reading))]
        if not ranges:
            raise UsageError(f"nothing in {source} is like {at.like}: give a clip of the action that is in the take")
    beside = skeleton_file(source, ReadOptions(**reading)) if suffix == source.suffix.lower() == ".amc" else None
    return _Cut(take, ranges, suffix, beside)


def _write(cut: _Cut, temporary: Path, folder: Path, unit_m: float | None) -> list[Piece]:
    """All pieces of a take."""
    pieces = []
    if cut.beside is not None and not (temporary / cut.beside.name).exists():
        write_bytes(temporary / cut.beside.name, read_bytes(cut.beside))
    for number, (start, stop) in enumerate(cut.ranges, start=1):
        name = f"{cut.take.name}_{number:03d}"
        clip = take_frames(cut.take, start, stop).changed(name=name)
        write(temporary / f"{name}{cut.suffix}", clip, unit_m=unit_m)
        pieces.append(Piece(folder / f"{name}{cut.suffix}", start, stop))
    return pieces


def _write_one(cuts: Sequence[_Cut], target: Path, ending: str | None, unit_m: float | None) -> list[Piece]:
    check_ending(target, ending)
    ranges = [(cut.take, *span) for cut in cuts for span in cut.ranges]
    if len(ranges) != 1:
        raise UsageError(f"{target} is one file for {len(ranges)} clips: name a folder, and the kind with --format")
    ((take, start, stop),) = ranges
    write(target, take_frames(take, start, stop).changed(name=target.stem), unit_m=unit_m)
    return [Piece(target, start, stop)]


def _clip(path: Path, reading: dict[str, Any]) -> Clip:
    motion = read(path, **reading)
    if not isinstance(motion, Clip):
        raise UsageError(f"{path} is a {kind_word(motion)}: only clips with a skeleton can be cut")
    return motion


def _range(text: str, take: Clip) -> tuple[int, int]:
    first, colon, last = text.partition(":")
    if not colon:
        raise UsageError(f"a range is given as A:B, such as 120:360 or 1.5s:4s, not {text!r}")
    start = frame_number(first, take.frame_time) if first else 0
    stop = frame_number(last, take.frame_time) if last else len(take)
    if not 0 <= start < stop <= len(take):
        raise UsageError(f"frames {start}:{stop} do not lie within the take's {len(take)} frames")
    return start, stop

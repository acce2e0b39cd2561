"""One clip to one clip or a few: looped, planted or cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError, UsageError
from freshtake.formats.acclaim import skeleton_file
from freshtake.formats.files import read_bytes, replacing_folder, write_bytes
from freshtake.formats.joint_files import read_contacts, read_mapping, read_pins
from freshtake.formats.read_options import ReadOptions
from freshtake.formats.registry import for_writing, read, write
from freshtake.formats.take_files import take_files
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip
from freshtake.motion.cycles.common_cycles import require_cycles
from freshtake.motion.cycles.looping import Span, best_loop, closed, facing_forward, planted_loop
from freshtake.motion.cycles.recurrence import find_occurrences
from freshtake.motion.cycles.seams import Seam, seam_of, steps_of
from freshtake.motion.edit import take_frames
from freshtake.motion.kinds import kind_word
from freshtake.motion.planting import settings_for
from freshtake.motion.planting.planting_model import own_planting_model
from freshtake.motion.verdict import Verdict, check_result
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.requests.clips import Cut, Loop, Plant
from freshtake.workflows.characters import Onto, chosen_character, put_onto, write_onto
from freshtake.workflows.converting import frame_number
from freshtake.workflows.inputs import named_apart, read_clips
from freshtake.workflows.outputs import Finish, check_ending, finish_of, is_file_name, targets_of, turn_note

Warn = Callable[[str], None]


class Looped(NamedTuple):
    """What was written, where in the take it came from, and its seam beside the steps that the take makes."""

    path: Path
    motion: Clip
    span: Span
    seam: Seam
    usual: Seam  # 99 of 100 steps and bends of the take are smaller
    verdicts: list[Verdict]

    def summary(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        playback = None if self.motion.playback is None else self.motion.playback.summary()
        return {
            "written": str(self.path),
            "frames": len(self.motion),
            "from": {"start": self.span.start, "stop": self.span.stop},
            "seam": {**self.seam._asdict(), "step_of_take_99": self.usual.step, "bend_of_take_99": self.usual.bend},
            "playback": playback,
            "verdicts": [{"color": one.color, "remarks": one.sentences} for one in self.verdicts],
        }


@one_blas_thread()
def loop(request: Loop, report: Report = silent, warn: Warn | None = None) -> list[Looped]:
    """Make the best loop of each clip and write it.

    A loop that no body makes is refused, unless `request.keep_going` (see `motion.verdict`).

    Args:
        request: The clips, and how they become loops.
        report: Called with the progress.
        warn: Called with sentences for the user.

    Returns:
        One result per clip, in the order of the files.
    """
    finish, cycles = finish_of(request, warn), None if request.whole else request.cycles or 1
    loops = [
        _loop(take, target, cycles, finish, request.reading(warn), warn)
        for take, target in _with_targets(request, report)
    ]
    note = turn_note([one.summary()["playback"] for one in loops])
    if note is not None and warn is not None:
        warn(note)
    return loops


def _loop(
    source: Path, target: Path, cycles: int | None, finish: Finish, reading: dict[str, Any], warn: Warn | None
) -> Looped:
    for_writing(target)
    ((take,),) = read_clips([[source]], reading, "only clips with a skeleton become loops")
    loop, span = loop_of(take, cycles, plant=finish.plant)
    loop = loop.changed(name=target.stem)
    steps = steps_of(take)
    usual = Seam(float(np.percentile(steps.step, 99)), float(np.percentile(steps.bend, 99)))
    verdicts = check_result(
        loop, [take], name=target.name, keep_going=finish.keep_going, warn=warn,
        remedy="the clip does not end as it begins: leave --whole out" if cycles is None else "try other --cycles",
    )  # fmt: skip
    ready = finish.ready(loop)
    assert isinstance(ready, Clip)
    finish.write(target, ready)
    return Looped(target, ready, span, seam_of(loop), usual, verdicts)


def _with_targets(request: Loop | Plant, report: Report) -> Iterator[tuple[Path, Path]]:
    """Yield each take with the file that it becomes, and report the progress between them."""
    takes = take_files(request.clips)
    for number, pair in enumerate(zip(takes, targets_of(takes, request.out, request.format), strict=True)):
        report(Progress(number / len(takes), pair[0].name))
        yield pair


def loop_of(take: Clip, cycles: int | None = 1, *, plant: bool | str = True) -> tuple[Clip, Span]:
    """The best loop of `cycles` cycles (None: the whole take is one), and where in the take it lies."""
    span = Span(0, len(take) - 1, 1) if cycles is None else best_loop(take, cycles)
    loop = facing_forward(closed(take, span.start, span.stop, cycles=span.cycles))
    base = own_planting_model(take)
    if plant and base.feet:
        stood = base.example_contacts(take)[span.start :]  # in the take itself, which nothing has bent yet
        loop = planted_loop(loop, base, lambda _, frames: stood[frames], settings=settings_for(plant), careful=False)
    return loop, span


class Planted(NamedTuple):
    """A file that was written, and what `motion.planting` reports of it."""

    path: Path
    report: Any


@one_blas_thread()
def plant(request: Plant, report: Report = silent, warn: Warn | None = None) -> list[Planted]:
    """Hold feet of clips where they stand, meet their pins, and write them.

    Without a file of contacts they are found: in the poses of the examples that are nearest, else in the clip itself.

    Args:
        request: The clips, and what is known about their feet.
        report: Called with the progress.
        warn: Called with sentences for the user.

    Returns:
        One result per clip, in the order of the files.
    """
    onto = chosen_character(request.character, request.body_map, warn or (lambda sentence: None))
    return [
        Planted(target, _plant(source, target, request, onto, request.reading(warn)))
        for source, target in _with_targets(request, report)
    ]


def _plant(source: Path, target: Path, request: Plant, onto: Onto | None, reading: dict[str, Any]) -> Any:
    from freshtake.motion.planting import PlantSettings
    from freshtake.motion.planting import plant as plant_clip
    from freshtake.motion.planting.planting_model import learn_planting

    for_writing(target)
    likes_needed = take_files(request.like or [])
    (clip,), likes = read_clips([[source], likes_needed], reading, "only clips with a skeleton have feet to plant")
    limbs = read_mapping(request.mapping) if request.mapping is not None else None
    given = read_pins(request.pins) if request.pins is not None else []
    if likes:
        base = learn_planting(likes, floor=request.floor, mapping=limbs)
        base.check(clip)
    else:
        base = own_planting_model(clip, floor=request.floor, mapping=limbs)
    if not base.feet and (request.contacts is not None or not given):
        raise UsageError(f"{source}: no legs can be recognized in the skeleton: name their joints with --mapping")
    labels: npt.ArrayLike | None = None if request.contacts is None else _labels(request.contacts, clip, base.feet)
    planted = plant_clip(clip, labels, pins=given, examples=base, settings=PlantSettings(lock=request.lock))
    hints = given or likes or request.contacts is not None or request.floor is not None
    # A clip in which nothing stands says nothing about the floor, so a clean result would be chance.
    if not hints and not planted.report.contacts:
        raise UsageError(
            f"{source}: no foot stands anywhere, so the floor cannot be found: give its height with --floor, or "
            "--contacts, or clips whose feet stand with --like"
        )
    write_onto(target, put_onto(onto, planted.clip), request.unit, onto)
    return planted.report


def _labels(path: Path, clip: Clip, feet: Any) -> npt.ArrayLike:
    from freshtake.motion.planting.planting_model import named_labels

    try:
        return named_labels(read_contacts(path), len(clip), feet, clip.skeleton.names)
    except UsageError as error:
        raise FormatError(path, str(error)) from None


class Piece(NamedTuple):
    """One clip that was written, and which frames (stop not included) of the take it is."""

    path: Path
    start: int
    stop: int


@one_blas_thread()
def cut(request: Cut, report: Report = silent, warn: Warn | None = None) -> list[Piece]:
    """Cut takes and write the pieces into a folder that appears atomically; by default a take is cut into its cycles.

    Cycles of several takes all begin at one phase, with the same foot. A target with the ending of a format is a file
    for one piece.

    Args:
        request: The takes, and where they are cut.
        report: Called with the progress.
        warn: Called with sentences for the user.

    Returns:
        The pieces, in the order of takes and frames.
    """
    if sum([request.cycles, request.between is not None, request.like is not None]) > 1:
        raise UsageError("choose one of --cycles, --range and --like")
    sources, out, ending, reading = take_files(request.takes), request.out, request.format, request.reading(warn)
    cuts = []
    for number, source in enumerate(sources):
        report(Progress(number / len(sources), source.name))
        cuts.append(_cut(source, request, ending if ending or not is_file_name(out) else out.suffix, reading))
    if request.between is None and request.like is None:
        found = require_cycles([one.take for one in cuts])
        cuts = [
            one._replace(ranges=[(int(first), int(last) + 1) for first, last in cycles.spans])
            for one, cycles in zip(cuts, found, strict=True)
        ]
    if is_file_name(out):
        return _write_one(cuts, out, ending, request.unit)
    takes = named_apart(sources, [one.take for one in cuts])
    cuts = [one._replace(take=take) for one, take in zip(cuts, takes, strict=True)]
    names = [take.name for take in takes]
    if len(set(names)) < len(names):
        raise UsageError(f"several takes are called {max(names, key=names.count)}: rename all but one, or cut it alone")
    with replacing_folder(out) as temporary:
        return [piece for one in cuts for piece in _write_pieces(one, temporary, out, request.unit)]


class _Cut(NamedTuple):
    """A take, which frames of it are wanted, and what goes beside them: an AMC is read with its skeleton only."""

    take: Clip
    ranges: list[tuple[int, int]]
    suffix: str
    beside: Path | None


def _cut(source: Path, at: Cut, ending: str | None, reading: dict[str, Any]) -> _Cut:
    """Read a take, and find the ranges in it that do not depend on other takes."""
    take, ranges = _read_clip(source, reading), []
    suffix = f".{ending.lstrip('.')}" if ending else source.suffix.lower()
    for_writing(Path(f"clip{suffix}"))
    if at.between is not None:
        ranges = [_range(at.between, take)]
    elif at.like is not None:
        ranges = [(o.start, o.stop) for o in find_occurrences(take, _read_clip(at.like, reading))]
        if not ranges:
            raise UsageError(f"nothing in {source} is like {at.like}: give a clip of the action that is in the take")
    beside = skeleton_file(source, ReadOptions(**reading)) if suffix == source.suffix.lower() == ".amc" else None
    return _Cut(take, ranges, suffix, beside)


def _write_pieces(cut: _Cut, temporary: Path, folder: Path, unit_m: float | None) -> list[Piece]:
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


def _read_clip(path: Path, reading: dict[str, Any]) -> Clip:
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
    if start >= stop:
        raise UsageError(f"the range {text} ends before it begins: write the earlier frame or time first")
    if stop > len(take):
        seconds = len(take) * take.frame_time
        raise UsageError(f"the range {text} goes beyond the take, which ends at frame {len(take)} ({seconds:.4g}s)")
    return start, stop

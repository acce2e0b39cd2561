"""Variants of every action in a folder of takes, as training data."""

import csv
import hashlib
import io
import json
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from freshtake.errors import FormatError, FreshtakeError, UsageError
from freshtake.formats.dataset import Sample, is_dataset, write_dataset
from freshtake.formats.files import replacing_folder, scratch_folder, write_bytes
from freshtake.formats.read_options import Motion, ReadOptions
from freshtake.formats.registry import FORMATS, in_order, take_in_all, write
from freshtake.methods.gathering import gathered
from freshtake.methods.progress import Progress, Report, Warn, silent, unheard
from freshtake.motion import Clip, Stroke
from freshtake.motion.edit import mirror, resample
from freshtake.motion.kinds import kind_word
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.requests.variation import Augment, Variants
from freshtake.workflows.inputs import generator
from freshtake.workflows.outputs import suffix_like
from freshtake.workflows.varying import ENDINGS, guided_variants

REAL, VARIANT = "real", "variant"
_NUMBER = re.compile(r"[\s_.-]*\d+$")
_SIDES = {"left": "right", "right": "left"}


@dataclass(frozen=True)
class Label:
    """The origin of one motion, with all that is needed to make it again."""

    file: str  # its name in the folder or data set
    group: str  # the action
    kind: str  # real or variant
    sources: tuple[str, ...]  # the takes it comes from
    change: str = ""  # mirrored, or speed 0.9
    seed: int | None = None  # the seed of the model and of its variants
    number: int | None = None  # the number of a variant with that seed
    amount: float | None = None
    model: str = ""  # for variants, the SHA-256 of the model's file
    licence: str = ""  # the licence of the takes


@dataclass(frozen=True)
class Augmented:
    """The written folder or file, a label for each motion, and why some groups were only copied."""

    path: Path
    labels: tuple[Label, ...]
    copied: dict[str, str]

    def as_dict(self) -> dict[str, Any]:
        """Return the result as plain values, for JSON."""
        return {"files": [asdict(label) for label in self.labels], "only_copied": self.copied}


class Entry(NamedTuple):
    """A motion with its label, and its file if it is an unchanged take."""

    label: Label
    motion: Motion
    source: Path | None = None


@one_blas_thread()
def augment(request: Augment, report: Report = silent, warn: Warn = unheard) -> Augmented:
    """Write the takes of a folder and variants of each group, labelled, as a folder or as one file for learners.

    Groups from which nothing can be learned, such as single takes, are copied, with a note that says why.
    """
    source, target = request.folder, request.out
    takes = _takes(source, target)
    read = take_in_all(takes, ReadOptions(**request.reading(warn)))
    motions = {path: one.motion for path, one in zip(takes, read, strict=True)}
    groups = grouped(takes, source)
    if request.by_likeness:
        groups = _joined(groups, motions, request.seed, warn)
    labels: list[Label] = []
    copied: dict[str, str] = {}

    def entries(models: Path | None) -> Iterator[Entry]:
        licence = request.licence or next((path.name for path in _licences(source)), "")
        for number, (name, paths) in enumerate(groups.items()):
            report(Progress(number / len(groups), name))
            for entry in _group_entries(request, name, paths, motions, models, copied, warn):
                labels.append(replace(entry.label, licence=licence))
                yield entry._replace(label=labels[-1])
        if len(copied) == len(groups):
            raise UsageError(f"{source}: no group has takes to learn from: {next(iter(copied.values()))}")

    if is_dataset(target):
        write_dataset(target, (Sample(asdict(entry.label), entry.motion) for entry in entries(None)))
        return Augmented(target, tuple(labels), copied)
    with replacing_folder(target) as place:
        for entry in entries(place / "models"):
            file = place / entry.label.file
            file.parent.mkdir(parents=True, exist_ok=True)
            if entry.source is not None:
                _copy(entry.source, file)
            else:
                write(file, entry.motion)
        for path in _licences(source):
            shutil.copyfile(path, place / path.name)
        done = Augmented(target, tuple(labels), copied)
        _write_labels(place, done)
    return done


def _group_entries(
    request: Augment, name: str, paths: list[Path], motions: dict[Path, Motion], models: Path | None,
    copied: dict[str, str], warn: Warn,
) -> Iterator[Entry]:  # fmt: skip
    """Yield the takes and variants of a group, then each change of them."""
    source, seed = request.folder, request.seed
    files = tuple(path.relative_to(source).as_posix() for path in paths)
    entries = [
        Entry(Label(file, name, REAL, (file,)), motions[path], path) for file, path in zip(files, paths, strict=True)
    ]
    try:
        digest, variants = _variants(request, name, [motions[path] for path in paths], models)
        suffix = suffix_like(paths[0], ENDINGS[type(variants[0])])
        for k, motion in enumerate(variants, start=1):
            file = f"{name}_variant_{k:03d}{suffix}"
            if source / file in motions:
                raise FormatError(source / file, "a variant would have this name: rename the take")
            entries.append(Entry(Label(file, name, VARIANT, files, "", seed, k, request.amount, digest), motion))
    except FormatError:
        raise
    except FreshtakeError as error:
        copied[name] = str(error)
        warn(f"{name}: {error}; its takes are copied as they are")
    yield from entries
    changes: list[tuple[str, Callable[[Motion], Motion]]] = [("mirrored", _mirrored)] if request.mirror else []
    changes += [(f"speed {speed:g}", partial(_at_speed, speed=speed)) for speed in request.speeds or ()]
    for word, change in changes:
        try:
            for entry in entries:
                yield _changed(entry, word, change(entry.motion))
        except UsageError as error:
            warn(f"{name}: {error}; it is not {word.split()[0]}")


def _changed(entry: Entry, word: str, motion: Motion) -> Entry:
    """Label a changed motion; mirroring turns a kick of the left leg into a kick of the right leg."""
    label = entry.label
    group = swapped_sides(label.group) if word == "mirrored" else label.group
    path = Path(label.file)
    suffix = path.suffix if entry.source is None else suffix_like(path, ENDINGS[type(motion)])
    file = path.with_name(f"{path.stem}_{word.replace(' ', '_').replace('.', '_')}{suffix}").as_posix()
    return Entry(replace(label, file=file, group=group, change=word), motion)


def swapped_sides(name: str) -> str:
    """Exchange left and right in a name, however they are capitalized: "kick_left" becomes "kick_right"."""

    def other(match: re.Match[str]) -> str:
        word = _SIDES[match[0].lower()]
        return word.upper() if match[0].isupper() else word.capitalize() if match[0][0].isupper() else word

    return re.sub("left|right", other, name, flags=re.IGNORECASE)


def _mirrored(motion: Motion) -> Motion:
    if not isinstance(motion, Clip):
        raise UsageError(f"a {kind_word(motion)} has no left and right joints to exchange")
    problems = []
    for axis in ("x", "y", "z"):
        try:
            # A wrong axis is refused: its mirror image does not match the limbs of the other side.
            return mirror(motion, axis)
        except UsageError as error:
            problems.append(error)
    raise problems[0]


def _at_speed(motion: Motion, speed: float) -> Motion:
    match motion:
        case Clip():
            return resample(motion.changed(frame_time=motion.frame_time / speed), motion.fps)
        case Stroke():
            return replace(motion, times=motion.times / speed)
    raise UsageError(f"a {kind_word(motion)} has no speed to change")


def grouped(paths: Sequence[Path], source: Path) -> dict[str, list[Path]]:
    """Group takes by their folder below `source` and their name without the number at its end."""
    out: dict[str, list[Path]] = {}
    for path in paths:
        place = path.relative_to(source)
        stem = _NUMBER.sub("", path.stem) or path.stem
        out.setdefault((place.parent / stem).as_posix(), []).append(path)
    return out


def _takes(source: Path, target: Path) -> list[Path]:
    """List all files with a motion's suffix in a folder and its subfolders, in natural order."""
    if not source.is_dir():
        raise FormatError(source, "this is not a folder: name one that contains takes")
    inside = target.resolve()
    if inside == source.resolve() or source.resolve() in inside.parents:
        raise FormatError(target, "variants must go into another folder, outside that of the takes")
    endings = {suffix for form in FORMATS if form.name not in ("asf", "obj") for suffix in form.suffixes}
    takes = [path for path in source.rglob("*") if path.is_file() and path.suffix.lower() in endings]
    takes = [path for path in takes if not path.name.startswith(".") and path.stem != "labels"]
    if not takes:
        raise FormatError(source, "there are no takes in this folder")
    return sorted(takes, key=in_order)


def _variants(request: Augment, name: str, motions: list[Motion], models: Path | None) -> tuple[str, list[Motion]]:
    """Learn from a group, and return its model's SHA-256 with the variants; the model is saved in `models`."""
    from freshtake.formats.ftm import save
    from freshtake.variation.learning import learn_examples

    if len(motions) < 2:
        raise UsageError("a single take does not show how takes differ")
    model = learn_examples(gathered(motions, unheard))
    plan = Variants(count=request.count, amount=request.amount, seed=request.seed)
    variants = [variant.motion for variant in guided_variants(model, plan)]
    with scratch_folder() as folder:
        file = (models or folder) / f"{name}.ftm"
        save(file, model)
        return hashlib.sha256(file.read_bytes()).hexdigest(), variants


def _joined(groups: dict[str, list[Path]], motions: dict[Path, Motion], seed: int, warn: Warn) -> dict[str, list[Path]]:
    """Move takes that are alone in their group to the most similar group of at least three takes."""
    from freshtake.variation.selection.selecting import select

    out = {name: list(paths) for name, paths in groups.items()}
    # At least three takes are needed to measure how far takes of an action differ.
    large = [name for name, paths in groups.items() if len(paths) >= 3]
    for name, paths in groups.items():
        best: tuple[float, str] | None = None
        for other in large if len(paths) == 1 else ():
            try:
                trusted = [motions[path] for path in groups[other]]
                verdict = select([motions[paths[0]]], trusted, rng=generator(seed)).verdicts[0]
            except FreshtakeError:  # another kind of motion, or another body
                continue
            if verdict.kept and (best is None or verdict.figure > best[0]):
                best = verdict.figure, other
        if best is not None:
            warn(f"{paths[0].name} is like the takes of {best[1]} and joins them")
            out[best[1]].append(paths[0])
            del out[name]
    return out


def _copy(path: Path, target: Path) -> None:
    shutil.copyfile(path, target)
    skeletons = path.parent.glob("*.asf") if path.suffix.lower() == ".amc" else ()
    for skeleton in skeletons:  # the copy could not be read without it
        shutil.copyfile(skeleton, target.parent / skeleton.name)


def _licences(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_file() and re.match("licen[sc]e", path.name, re.I))


def _write_labels(place: Path, done: Augmented) -> None:
    facts, text = done.as_dict(), io.StringIO()
    table = csv.DictWriter(text, fieldnames=[one.name for one in fields(Label)], lineterminator="\n")
    table.writeheader()
    table.writerows([{**row, "sources": ";".join(row["sources"])} for row in facts["files"]])
    write_bytes(place / "labels.csv", text.getvalue().encode())
    write_bytes(place / "labels.json", (json.dumps(facts, indent=1, ensure_ascii=False) + "\n").encode())

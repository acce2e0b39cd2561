"""A folder of takes becomes a larger one: takes in groups by their names, a model of each group, variants beside."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from freshtake.errors import FormatError, FreshtakeError, UsageError
from freshtake.formats.files import replacing_folder, write_bytes
from freshtake.formats.read_options import Motion, ReadOptions
from freshtake.formats.registry import FORMATS, for_writing, take_in_all, write
from freshtake.methods.gathering import gathered
from freshtake.methods.progress import Progress, Report, silent
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.workflows.seeds import generator
from freshtake.workflows.variation_varying import ENDINGS, MOST_VARIANTS, guided_variants

REAL, VARIANT = "real", "variant"
FEWEST = 3  # trusted takes that others are compared with
COLUMNS = ("file", "group", "kind", "sources", "seed", "number")
_NUMBER = re.compile(r"[\s_.-]*\d+$")


@dataclass(frozen=True)
class Label:
    """One file of the larger folder: its group, real or variant, the takes it is from, and how to make it again."""

    file: str
    group: str
    kind: str
    sources: tuple[str, ...]
    seed: int | None = None
    number: int | None = None


@dataclass(frozen=True)
class Augmented:
    """What was written: labels of all files, and why takes of groups were only copied."""

    folder: Path
    labels: tuple[Label, ...]
    copied: dict[str, str]

    @property
    def variants(self) -> int:
        """How many files are new."""
        return sum(label.kind == VARIANT for label in self.labels)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"files": [asdict(label) for label in self.labels], "only_copied": self.copied}


@one_blas_thread()
def variation_augment(
    source: Path,
    folder: Path,
    count: int = 10,
    *,
    by_likeness: bool = False,
    amount: float = 1.0,
    seed: int = 0,
    reading: dict[str, Any] | None = None,
    report: Report = silent,
    warn: Callable[[str], None] | None = None,
) -> Augmented:
    """Copy the takes of a folder and write `count` variants of each group beside them, with labels.csv and .json.

    With `by_likeness`, takes that are alone in their group join one of at least three takes that they are like. Groups
    of fewer than two takes, and those from which nothing can be learned, are copied, with a note that says why.
    """
    say = warn or (lambda sentence: None)
    if not 1 <= count <= MOST_VARIANTS:
        raise UsageError(f"the number of variants must lie between 1 and {MOST_VARIANTS}, but is {count}")
    generator(seed)
    takes = _takes(source, folder)
    read = take_in_all(takes, ReadOptions(**(reading or {})))
    motions = {path: one.motion for path, one in zip(takes, read, strict=True)}
    groups = grouped(takes, source)
    if by_likeness:
        groups = _joined(groups, motions, seed, say)
    labels: list[Label] = []
    copied: dict[str, str] = {}
    with replacing_folder(folder) as place:
        for number, (name, paths) in enumerate(groups.items()):
            report(Progress(number / len(groups), name))
            take_files = [path.relative_to(source).as_posix() for path in paths]
            for path, file in zip(paths, take_files, strict=True):
                _copy(path, place / file)
                labels.append(Label(file, name, REAL, (file,)))
            try:
                variants = list(_variants(name, [motions[path] for path in paths], count, amount, seed))
            except FreshtakeError as error:
                copied[name] = str(error)
                say(f"{name}: {error}; its takes are copied as they are")
                continue
            suffix = _ending(paths[0], variants[0])
            for k, motion in enumerate(variants, start=1):
                file = f"{name}_variant_{k:03d}{suffix}"
                if source / file in motions:
                    raise FormatError(source / file, "a variant would have this name: rename the take")
                (place / file).parent.mkdir(parents=True, exist_ok=True)
                write(place / file, motion)
                labels.append(Label(file, name, VARIANT, tuple(take_files), seed, k))
        if len(copied) == len(groups):
            raise UsageError(f"{source}: no group has takes to learn from: {next(iter(copied.values()))}")
        done = Augmented(folder, tuple(labels), copied)
        _write_labels(place, done)
    return done


def grouped(paths: Sequence[Path], source: Path) -> dict[str, list[Path]]:
    """Takes by the folder below `source` and their name without the number at its end."""
    out: dict[str, list[Path]] = {}
    for path in paths:
        place = path.relative_to(source)
        stem = _NUMBER.sub("", path.stem) or path.stem
        out.setdefault((place.parent / stem).as_posix(), []).append(path)
    return out


def _takes(source: Path, target: Path) -> list[Path]:
    """All files with the ending of a motion in a folder and the folders below it."""
    if not source.is_dir():
        raise FormatError(source, "this is not a folder: name one with takes in it")
    inside = target.resolve()
    if inside == source.resolve() or source.resolve() in inside.parents:
        raise FormatError(target, "variants go into a folder of their own, outside that of the takes")
    endings = {suffix for form in FORMATS if form.name not in ("asf", "obj") for suffix in form.suffixes}
    takes = [path for path in source.rglob("*") if path.is_file() and path.suffix.lower() in endings]
    takes = [path for path in takes if not path.name.startswith(".") and path.stem != "labels"]
    if not takes:
        raise FormatError(source, "there are no takes in this folder")
    return sorted(takes, key=_natural)


def _natural(path: Path) -> list[tuple[bool, int, str]]:
    """walk_2 before walk_10."""
    parts = re.split(r"(\d+)", str(path))
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]


def _variants(name: str, motions: list[Motion], count: int, amount: float, seed: int) -> Iterator[Motion]:
    from freshtake.variation.learning import learn

    if len(motions) < 2:
        raise UsageError("one take alone does not show how takes of it differ")
    model = learn(gathered(motions, lambda sentence: None), rng=generator(seed))
    for variant in guided_variants(model, count, amount=amount, plant=True, seed=seed):
        yield variant.motion


def _joined(
    groups: dict[str, list[Path]], motions: dict[Path, Motion], seed: int, say: Callable[[str], None]
) -> dict[str, list[Path]]:
    """Takes that are alone go to the group of at least three takes among which they are the least unlike."""
    from freshtake.variation.selection.selecting import select

    out = {name: list(paths) for name, paths in groups.items()}
    large = [name for name, paths in groups.items() if len(paths) >= FEWEST]
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
            say(f"{paths[0].name} is like the takes of {best[1]} and joins them")
            out[best[1]].append(paths[0])
            del out[name]
    return out


def _copy(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)
    skeletons = path.parent.glob("*.asf") if path.suffix.lower() == ".amc" else ()
    for skeleton in skeletons:  # without which the copy could not be read
        shutil.copyfile(skeleton, target.parent / skeleton.name)


def _ending(path: Path, motion: Motion) -> str:
    """Of the takes, where that can be written and holds what variants have; else the usual one."""
    suffix = path.suffix.lower()
    try:
        for_writing(Path(f"x{suffix}"))
    except FormatError:
        return ENDINGS[type(motion)]
    return ENDINGS[type(motion)] if suffix == ".amc" else suffix


def _write_labels(place: Path, done: Augmented) -> None:
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for label in done.labels:
        origin = label.seed, label.number
        cells = ["" if value is None else value for value in origin]
        table.writerow([label.file, label.group, label.kind, ";".join(label.sources), *cells])
    write_bytes(place / "labels.csv", text.getvalue().encode("utf-8"))
    write_bytes(
        place / "labels.json", (json.dumps(done.as_dict(), indent=1, ensure_ascii=False) + "\n").encode("utf-8")
    )

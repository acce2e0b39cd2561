"""What a task sees of the project, and how it says what it does."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from freshtake.formats.ftm import Stored, read_stored
from freshtake.formats.read_options import Motion
from freshtake.formats.registry import read, write
from freshtake.methods.progress import Progress
from freshtake.serve.items import Finding, Item, Kind, new_id
from freshtake.serve.project import Project, now
from freshtake.serve.tasks.describing import facts_of, named, trimmed
from freshtake.workflows.plain_sentences import plainly

Send = Callable[..., None]
MODELS_KEPT = 3
NAMED: tuple[Kind, ...] = ("take", "strokes", "character", "model")  # kinds in which no two have one name


class Context:
    """One job's view. Files that it writes in `folder` vanish with the job, unless they are added."""

    def __init__(self, project: Project, job: str, send: Send) -> None:
        self.project, self.job, self._send = project, job, send
        self.folder = project.work / job
        self.folder.mkdir(parents=True, exist_ok=True)
        self.notes: list[str] = []  # what was said beside the result
        self._names: dict[str, str] = {}

    def item(self, id: str) -> Item:
        """An item of the project."""
        return self.project.item(id)

    def file(self, id: str) -> Path:
        """Its file as it is stored."""
        path = self.project.path(id)
        self._names[path.name] = self.item(id).name
        return path

    def path(self, id: str) -> Path:
        """Its file as the user means it: a take that was trimmed is written anew without what was cut off."""
        path, item = self.file(id), self.item(id)
        if item.trim is None:
            return path
        short = self.folder / f"{id}_trimmed.npz"
        if not short.exists():
            write(short, trimmed(read(path), item.trim))
        self._names[short.name] = item.name
        return short

    def motion(self, id: str) -> Motion:
        """The motion of an item, trimmed and with the item's name."""
        item = self.item(id)
        motion = named(read(self.file(id)), item.name)
        return motion if item.trim is None else trimmed(motion, item.trim)

    def stored(self, id: str) -> Stored:
        """The model of an item; the last few are kept in memory."""
        return _stored(self.file(id))

    def report(self, phase: str, done: float = 0.0, of: float = 1.0) -> None:
        """Say how far it is."""
        self._send("report", phase, float(done), float(of))

    def progress(self, step: Progress) -> None:
        """The same, as workflows say it."""
        self.report(self.with_names(step.what), step.share)

    def warn(self, sentence: str) -> None:
        """Something that the user should know, beside the result."""
        self.notes.append(self.in_words(sentence))
        self._send("note", self.notes[-1])

    def in_words(self, sentence: str) -> str:
        """A sentence as people at the page read it."""
        return plainly(self.with_names(" ".join(sentence.split())))

    def with_names(self, sentence: str) -> str:
        """A sentence with the names that users know, in place of those of files."""
        for place in (self.folder, self.project.work, self.project.files, self.project.folder):
            sentence = sentence.replace(f"{place}{os.sep}", "")
        for file, name in self._names.items():
            short = name[: len(name) - len(Path(file).suffix)] if name.lower().endswith(Path(file).suffix) else name
            sentence = sentence.replace(file, name).replace(Path(file).stem, short)
        return sentence

    def name_file(self, file: Path, name: str) -> None:
        """From now on sentences use this name for a file."""
        self._names[file.name] = name

    def add(
        self,
        kind: Kind,
        name: str,
        file: Path | None,
        facts: dict[str, Any],
        *,
        group: str | None = None,
        parent: str | None = None,
        seed: int | None = None,
        findings: list[Finding] | None = None,
        settings: dict[str, Any] | None = None,
        beside: Path | None = None,
    ) -> Item:
        """Put something new into the project: `file` is moved there; `beside`, a source as it came, goes with it."""
        id = new_id()
        item = Item(
            id=id, kind=kind, name=self._free_name(kind, name), created=now(), group=group, parent=parent, seed=seed,
            facts=facts, findings=findings or [], settings=settings or {},
        )  # fmt: skip
        if beside is not None:
            shutil.move(beside, self.project.files / f"{id}.source{beside.suffix}")
        stored = None if file is None else f"{id}{file.suffix}"
        if file is not None and stored is not None:
            shutil.move(file, self.project.files / stored)
        self._send("item", item.model_dump_json(), stored)
        return item

    def replace(self, id: str, words: str, motion: Motion, **changes: Any) -> None:
        """Another motion in place of an item's; `words` say what would be undone."""
        file = self.project.files / f"{new_id()}.npz"
        write(file, motion)
        facts = {**self.item(id).facts, **facts_of(motion)}
        self._send("replace", id, words, file.name, {"facts": facts, "trim": None, **changes})

    def add_motion(self, kind: Kind, name: str, motion: Motion, **more: Any) -> Item:
        """A motion as an item; what the facts do not say is read from the motion."""
        name = self._free_name(kind, name)
        file = self.folder / f"{new_id()}.npz"
        write(file, named(motion, name))  # sentences about it are to use the name that users know
        facts = {**facts_of(motion), **more.pop("facts", {})}
        return self.add(kind, name, file, facts, **more)

    def _free_name(self, kind: Kind, name: str) -> str:
        """The name, or with a number where a list has another of this name; variants are told apart by their seeds."""
        return self.project.free_name(kind, name) if kind in NAMED else name


@lru_cache(maxsize=MODELS_KEPT)
def _stored(path: Path) -> Stored:
    return read_stored(path)

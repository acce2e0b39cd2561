"""A task's access to the project: reading and adding items, and reporting progress."""

import os
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.ftm import read_stored
from freshtake.formats.ftm.io import method_of
from freshtake.formats.read_options import Motion
from freshtake.formats.registry import read, write
from freshtake.methods.gathering import gathered
from freshtake.methods.progress import Progress
from freshtake.motion import Clip, MeshSequence, PointClip, Stroke
from freshtake.motion.edit import take_frames
from freshtake.motion.kinds import kind_word
from freshtake.motion.validation import fps_of
from freshtake.numeric.arrays import Floats
from freshtake.serve.items import Item, Kind, new_id
from freshtake.serve.movements import Known, best_movement, known_takes, movement_name, new_movement, print_of
from freshtake.serve.project import Project, now
from freshtake.workflows.sentences import plainly

Send = Callable[..., None]
BETWEEN_REPORTS = 0.1  # seconds
EVERYWHERE: tuple[Kind, ...] = ("movement", "character", "crowd")  # kinds that belong to no movement
NAMED: tuple[Kind, ...] = ("take", "strokes", "character", "model")  # kinds whose names are unique
SHOWN = ("motion", "examples", "fps", "joints", "dofs", "classes", "frames", "cyclic", "styles", "cells")


read_cached = lru_cache(maxsize=3)(read_stored)


class Context:
    """One job's view of the project. Files in `folder` are deleted with the job, unless they are added."""

    def __init__(self, project: Project, job: str, send: Send, items: Sequence[str] = ()) -> None:
        self.project, self.job, self._send = project, job, send
        self.folder = project.work / job
        self.folder.mkdir(parents=True, exist_ok=True)
        self.notes: list[str] = []  # for the user, shown next to the result
        # New items belong to the movement of the job's items, unless stated otherwise.
        self.movement = project.item(items[0]).movement if items else None
        # Takes of one file are grouped before the server has stored the first of them.
        self._takes: list[Known] = []  # takes that this job added
        self._names: dict[str, str] = {}
        self._reported, self._phase = 0.0, ""

    def item(self, id: str) -> Item:
        """Return an item of the project."""
        return self.project.item(id)

    def file(self, id: str) -> Path:
        """Return the stored file of an item."""
        path = self.project.path(id)
        self._names[path.name] = self.item(id).name
        return path

    def path(self, id: str) -> Path:
        """Return the file of an item; for a trimmed take, a new file with only the remaining frames."""
        path, item = self.file(id), self.item(id)
        if item.trim is None:
            return path
        short = self.folder / f"{id}_trimmed.npz"
        if not short.exists():
            write(short, trimmed(read(path), item.trim))
        self._names[short.name] = item.name
        return short

    def motion(self, id: str) -> Motion:
        """Return the motion of an item, trimmed and with the item's name."""
        item = self.item(id)
        motion = named(read(self.file(id)), item.name)
        return motion if item.trim is None else trimmed(motion, item.trim)

    def model(self, id: str, method: str) -> Any:
        """Return the model of an item, refusing other methods; the last few are cached."""
        stored = read_cached(self.file(id))
        if stored.method != method:
            raise UsageError(f"{self.item(id).name} is a model of {stored.method}, not of {method}: choose another")
        return stored.model

    def report(self, phase: str, done: float = 0.0, of: float = 1.0) -> None:
        """Report the progress; frequent reports are dropped, except at the start of a phase."""
        at = time.monotonic()
        if at - self._reported >= (BETWEEN_REPORTS if phase == self._phase else BETWEEN_REPORTS / 5):
            self._reported, self._phase = at, phase
            self._send("report", phase, float(done), float(of))

    def progress(self, step: Progress) -> None:
        """Report the progress of a workflow."""
        self.report(self.with_names(step.what), step.share)

    def warn(self, sentence: str) -> None:
        """Add a note for the user to the job."""
        self.notes.append(self.in_words(sentence))
        self._send("note", self.notes[-1])

    def in_words(self, sentence: str) -> str:
        """Return a sentence worded for the page."""
        return plainly(self.with_names(" ".join(sentence.split())))

    def with_names(self, sentence: str) -> str:
        """Replace file names in a sentence by the names of their items."""
        for place in (self.folder, self.project.work, self.project.files, self.project.folder):
            sentence = sentence.replace(f"{place}{os.sep}", "")
        for file, name in self._names.items():
            short = name[: len(name) - len(Path(file).suffix)] if name.lower().endswith(Path(file).suffix) else name
            sentence = sentence.replace(file, name).replace(Path(file).stem, short)
        return sentence

    def name_file(self, file: Path, name: str) -> None:
        """Use this name for a file in all further sentences."""
        self._names[file.name] = name

    def add(
        self, kind: Kind, name: str, file: Path | None, facts: dict[str, Any], *, source: Path | None = None,
        movement: str | None = None, cloud: Floats | None = None, **fields: Any,
    ) -> Item:  # fmt: skip
        """Add an item to the project: `file` is moved there; `source`, the uploaded file, is stored next to it.

        `fields` are other fields of `Item`.
        """
        id = new_id()
        item = Item(
            id=id, kind=kind, name=self._free_name(kind, name), created=now(), facts=facts,
            movement=None if kind in EVERYWHERE else movement or self.movement, **fields,
        )  # fmt: skip
        if source is not None:
            beside = self.project.files / f"{id}.source{source.suffix}"
            try:
                os.link(source, beside)  # several items share it on disk
            except OSError:
                shutil.copyfile(source, beside)
        if cloud is not None:
            np.save(self.project.files / f"{id}.cloud.npy", cloud)
        stored = None if file is None else f"{id}{file.suffix}"
        if file is not None and stored is not None:
            shutil.move(file, self.project.files / stored)
        self._send("item", item.model_dump_json(), stored)
        return item

    def replace(self, id: str, words: str, motion: Motion, **changes: Any) -> None:
        """Replace the motion of an item; `words` describe the change."""
        file = self.project.files / f"{new_id()}.npz"
        write(file, motion)
        # The revision shows that a take has changed since a model was learned from it.
        before = self.item(id).facts
        facts = {**before, **facts_of(motion), "revision": before.get("revision", 0) + 1}
        self._send("replace", id, words, file.name, {"facts": facts, "trim": None, **changes})

    def add_motion(self, kind: Kind, name: str, motion: Motion, **more: Any) -> Item:
        """Add a motion as an item; missing facts are read from the motion."""
        name = self._free_name(kind, name)
        file = self.folder / f"{new_id()}.npz"
        write(file, named(motion, name))  # so that messages use the item's name
        facts = {**facts_of(motion), **more.pop("facts", {})}
        return self.add(kind, name, file, facts, **more)

    def add_take(self, kind: Kind, name: str, motion: Motion, home: str | None = None, **more: Any) -> Item:
        """Add a take to a movement: `home`, else the movement that matches its name and motion, else a new movement."""
        described = print_of(motion)
        sample = bool(more.get("facts", {}).get("sample"))
        if home is None and not sample:
            home = best_movement([*known_takes(self.project), *self._takes], name, described)
        if home is None:
            home = self.new_movement(movement_name(name), described.kind, described.signature).id
        facts = {**more.pop("facts", {}), "signature": described.signature}
        item = self.add_motion(kind, name, motion, movement=home, facts=facts, cloud=described.cloud, **more)
        # The server has not stored it yet, and the next take of this file may belong to it.
        self._takes.append(Known(home, item.name, described.signature, lambda: described.cloud))
        return item

    def new_movement(self, name: str, kind: str, signature: str = "") -> Item:
        """Add an empty movement for later items of the job."""
        movement = new_movement(self.project.free_name("movement", name), kind, signature, now())
        self._send("item", movement.model_dump_json(), None)
        self.movement = movement.id
        return movement

    def _free_name(self, kind: Kind, name: str) -> str:
        # Variants may share names, since their seeds differ.
        return self.project.free_name(kind, name) if kind in NAMED else name


def revision(item: Item) -> str:
    """Return a text that changes when a take is trimmed or repaired, which makes its models out of date."""
    first, last = item.trim or ("", "")
    return f"{item.facts.get('revision', 0)}:{first}:{last}"


def facts_of(motion: Motion) -> dict[str, Any]:
    """Return the facts of a motion shown in lists."""
    facts: dict[str, Any] = {
        "what": kind_word(motion),
        "frames": len(motion),
        "fps": round(fps_of(motion.frame_time), 3),
        "seconds": round(motion.duration, 3),
    }
    if isinstance(motion, Clip):
        facts["joints"] = len(motion.skeleton)
    elif isinstance(motion, PointClip):
        facts["points"] = len(motion.names)
    elif isinstance(motion, MeshSequence):
        facts["vertices"] = int(motion.vertices.shape[1])
    return facts


def named(motion: Motion, name: str) -> Motion:
    """Return the motion, renamed."""
    return motion.changed(name=name) if isinstance(motion, Clip) else replace(motion, name=name)


def trimmed(motion: Motion, trim: tuple[int, int]) -> Motion:
    """Return the frames from the first to the last of a trim, both included."""
    first, last = trim[0], min(trim[1], len(motion) - 1)
    if isinstance(motion, Clip):
        return take_frames(motion, first, last + 1)
    part = slice(first, last + 1)
    if isinstance(motion, Stroke):
        return replace(motion, points=motion.points[part], times=motion.times[part])
    if isinstance(motion, PointClip):
        return replace(motion, positions=motion.positions[part])
    raise UsageError(f"{motion.name or 'a mesh'} is a mesh sequence: only clips, strokes and markers are trimmed")


def model_item_facts(file: Path) -> dict[str, Any]:
    """Return the facts of a model shown in lists."""
    from freshtake.workflows import model_facts

    model = read_stored(file).model
    method = method_of(model)
    every_fact = model_facts(model)
    facts = {key: every_fact[key] for key in SHOWN if key in every_fact}
    return {"what": "model", **facts, "method": "" if method is None else method.name}


def motion_sets(context: Context, *sets: Sequence[str]) -> list[list[Motion]]:
    """Return sets of takes with the same axis, unit and root, each trimmed and named like its item."""
    motions = [context.motion(id) for ids in sets for id in ids]
    fitted = iter(gathered(motions, context.warn))
    return [[named(next(fitted), context.item(id).name) for id in ids] for ids in sets]


def clip_sets(context: Context, need: str, *sets: Sequence[str]) -> list[list[Clip]]:
    """Return sets of takes with a skeleton; others are refused with the reason `need`."""
    out: list[list[Clip]] = []
    for motions in motion_sets(context, *sets):
        out.append([])
        for motion in motions:
            if not isinstance(motion, Clip):
                raise UsageError(f"{motion.name} has no skeleton: {need}")
            out[-1].append(motion)
    return out

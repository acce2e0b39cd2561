"""A project folder: files named after their items, and one SQLite file that describes them.

Only the server writes. Everything is in the file as soon as it is reported, so a killed server loses no finished work.
"""

import json
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterable
from itertools import count
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import FormatError, UsageError
from freshtake.formats.files import make_durable
from freshtake.numeric.arrays import Floats
from freshtake.serve.items import ENDED, Item, Job
from freshtake.serve.movements import LEARNED, check_regroup, movement_name, new_movement

MOST_UNDONE = 200
JOBS_SHOWN = 100
MOST_JOBS = 500  # jobs that stay in memory; all are in the file
Listener = Callable[[dict[str, Any]], None]
VERSION = 2  # 1: also projects of freshtake 0.1, whose takes belong to no movement
TABLES = """
CREATE TABLE IF NOT EXISTS items (id TEXT PRIMARY KEY, file TEXT, gone INTEGER NOT NULL, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS jobs (id TEXT PRIMARY KEY, created REAL NOT NULL, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS steps (number INTEGER PRIMARY KEY AUTOINCREMENT, words TEXT NOT NULL,
  undone INTEGER NOT NULL, old TEXT NOT NULL, new TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS presets (name TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS numbers (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS study_participants (study TEXT NOT NULL, code TEXT NOT NULL, slot INTEGER NOT NULL,
  consented REAL NOT NULL, consent TEXT NOT NULL, PRIMARY KEY (study, code));
CREATE TABLE IF NOT EXISTS study_answers (study TEXT NOT NULL, code TEXT NOT NULL, position INTEGER NOT NULL,
  stimulus TEXT NOT NULL, score INTEGER NOT NULL, seconds REAL NOT NULL, given REAL NOT NULL,
  PRIMARY KEY (study, code, position));
"""


class MissingItem(UsageError):
    """Raised for an item or job that is not in the project."""


class Row(NamedTuple):
    """A stored item: its file, whether it was removed (which can be undone), and its description."""

    file: str | None
    gone: bool
    body: str


class Project:
    """The content of a project folder. With `read_only`, as for workers, nothing is written or deleted."""

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        self.folder = folder
        self.files, self.work = folder / "files", folder / "work"
        self._lock = RLock()
        self._listeners: list[Listener] = []
        # The job whose changes are merged into one step, and the number of that step.
        self._joining: tuple[str | None, int | None] = None, None
        if read_only:
            address = (folder / "project.sqlite").resolve().as_uri() + "?mode=ro"
            self._rows = sqlite3.connect(address, uri=True, check_same_thread=False)
            return
        refuse_foreign_folder(folder)
        try:
            self.files.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FormatError(folder, f"this cannot be a project folder ({error.strerror}): name another") from None
        self._lock_file = lock_folder(folder)
        self._rows = open_database(folder / "project.sqlite")
        stored = self._rows.execute("SELECT body FROM jobs ORDER BY created DESC LIMIT ?", (JOBS_SHOWN,)).fetchall()
        jobs = [Job.model_validate_json(body) for (body,) in reversed(stored)]
        self._jobs = {job.id: job for job in jobs}
        self._clean_up()

    def close(self) -> None:
        """Release the folder."""
        self._rows.close()
        if hasattr(self, "_lock_file"):
            self._lock_file.close()

    def subscribe(self, listener: Listener) -> None:
        """Call `listener` with every further change."""
        self._listeners.append(listener)

    def _notify(self, event: dict[str, Any]) -> None:
        for listener in self._listeners:
            listener(event)

    # Reading

    def view_json(self) -> str:
        """Return the project as JSON without parsing its items, since there may be thousands."""
        with self._lock:
            # The page shows only recent jobs; older ones stay in the file.
            jobs = sorted(self._jobs.values(), key=lambda job: job.created)[-JOBS_SHOWN:]
            items = self._rows.execute("SELECT body FROM items WHERE gone = 0 ORDER BY rowid").fetchall()
            rest = {
                "name": self.folder.resolve().name,
                "change": self.change,
                "presets": self.presets(),
                "undo": self._words("undone = 0 ORDER BY number DESC"),
                "redo": self._words("undone = 1 ORDER BY number ASC"),
            }
        bodies = ",".join(body for (body,) in items)
        job_bodies = ",".join(job.model_dump_json() for job in jobs)
        return f'{json.dumps(rest)[:-1]}, "items": [{bodies}], "jobs": [{job_bodies}]}}'

    @property
    def change(self) -> int:
        """The number of the newest change."""
        row = self._rows.execute("SELECT value FROM numbers WHERE name = 'change'").fetchone()
        return int(row[0]) if row else 0

    def items(self) -> list[Item]:
        """Return all items, the oldest first."""
        with self._lock:
            rows = self._rows.execute("SELECT body FROM items WHERE gone = 0 ORDER BY rowid").fetchall()
        return [Item.model_validate_json(body) for (body,) in rows]

    def item(self, id: str) -> Item:
        """Return one item."""
        return Item.model_validate_json(self._row(id).body)

    def free_name(self, kind: str, name: str) -> str:
        """Return the name, with a number added if another item of this kind has it."""
        question = "SELECT json_extract(body, '$.name') FROM items WHERE gone = 0 AND json_extract(body, '$.kind') = ?"
        with self._lock:
            taken = {row[0] for row in self._rows.execute(question, (kind,))}
        numbered = (f"{name} ({number})" for number in count(2))
        return name if name not in taken else next(tried for tried in numbered if tried not in taken)

    def path(self, id: str) -> Path:
        """Return the file of an item."""
        file = self._row(id).file
        if file is None:
            raise UsageError(f"{self.item(id).name} has no file")
        return self.files / file

    def source(self, id: str) -> Path | None:
        """Return the uploaded file stored next to an item's file, if there is one."""
        return next(self.files.glob(f"{id}.source.*"), None)

    def cloud(self, id: str) -> Floats:
        """Return the pose cloud of a take, by which takes are grouped."""
        return np.asarray(np.load(self.files / f"{id}.cloud.npy"))

    def _row(self, id: str) -> Row:
        with self._lock:
            row = self._rows.execute("SELECT file, gone, body FROM items WHERE id = ?", (id,)).fetchone()
        if row is None or row[1]:
            raise MissingItem("this is no longer in the project: reload the page, or undo its removal")
        return Row(row[0], bool(row[1]), row[2])

    # Changes

    def add(self, item: Item, file: str | None, words: str | None = None, within: str | None = None) -> Item:
        """Add an item; this can be undone if `words`, the label for undo, are given."""
        self._make_durable(file)
        with self._lock, self._rows:
            row = Row(file, False, item.model_dump_json())
            if words is None:
                self._put(item.id, row)
            else:
                self._step(words, {item.id: row._replace(gone=True)}, {item.id: row}, within)
        return item

    def update(self, id: str, words: str, file: str | None = None, within: str | None = None, **changes: Any) -> Item:
        """Change an item, as an undoable step; `words` describe the change. `file` replaces its file.

        Consecutive changes `within` the same job, or the same drag of a slider, are undone together.
        """
        self._make_durable(file)
        with self._lock, self._rows:
            old = self._row(id)
            item = Item.model_validate({**json.loads(old.body), **changes})
            new = Row(file or old.file, False, item.model_dump_json())
            if new != old:
                self._step(words, {id: old}, {id: new}, within)
        return item

    def _make_durable(self, file: str | None) -> None:
        """Flush a file to disk before the row that refers to it."""
        if file is not None:
            make_durable(self.files / file)
            make_durable(self.files)

    def remove(self, ids: Iterable[str], words: str) -> None:
        """Remove items; undo restores them."""
        with self._lock, self._rows:
            old = {id: self._row(id) for id in ids}
            self._step(words, old, {id: row._replace(gone=True) for id, row in old.items()})

    def put(self, item: Item) -> None:
        """Store a changed item without an undo step."""
        with self._lock, self._rows:
            self._put(item.id, self._row(item.id)._replace(body=item.model_dump_json()))

    def regroup(self, ids: Iterable[str], movement: str | None, name: str | None) -> Item:
        """Move takes to a movement, or to a new one, and remove movements that become empty, in one step."""
        with self._lock, self._rows:
            moved = [self.item(id) for id in ids]
            target = None if movement is None else self.item(movement)
            check_regroup(moved, target)
            old: dict[str, Row] = {}
            new: dict[str, Row] = {}
            if target is None:
                first = self.item(moved[0].movement).facts if moved[0].movement else {}
                called = name or movement_name(moved[0].name)
                target = new_movement(called, first.get("what", "body"), moved[0].facts.get("signature", ""), now())
                row = Row(None, False, target.model_dump_json())
                old[target.id], new[target.id] = row._replace(gone=True), row
            for item in moved:
                old[item.id] = self._row(item.id)
                changed = item.model_copy(update={"movement": target.id})
                new[item.id] = old[item.id]._replace(body=changed.model_dump_json())
            # A movement without items would be unreachable on the page.
            for left in {item.movement for item in moved} - {None, target.id}:
                inside = [one.id for one in self.items() if one.movement == left]
                if left is not None and not set(inside) - set(new):
                    old[left], new[left] = self._row(left), self._row(left)._replace(gone=True)
            self._step(f"move {moved[0].name if len(moved) == 1 else f'{len(moved)} takes'}", old, new)
        return target

    def undo(self) -> int:
        """Undo the newest step."""
        return self._replay("undone = 0 ORDER BY number DESC", "old", 1)

    def redo(self) -> int:
        """Redo the step undone last."""
        return self._replay("undone = 1 ORDER BY number ASC", "new", 0)

    def _replay(self, which: str, side: str, undone: int) -> int:
        with self._lock, self._rows:
            step = self._rows.execute(f"SELECT number, {side} FROM steps WHERE {which} LIMIT 1").fetchone()
            if step is None:
                raise UsageError("there is nothing to undo" if undone else "there is nothing to redo")
            self._rows.execute("UPDATE steps SET undone = ? WHERE number = ?", (undone, step[0]))
            # Complete rows are restored, so a step is undone exactly, whatever it changed.
            for id, row in json.loads(step[1]).items():
                self._put(id, Row(*row))
            return self.change

    def _step(self, words: str, old: dict[str, Row], new: dict[str, Row], within: str | None = None) -> None:
        # Undone steps cannot be redone after a new change.
        self._rows.execute("DELETE FROM steps WHERE undone = 1")
        newest = self._rows.execute("SELECT number, old, new FROM steps ORDER BY number DESC LIMIT 1").fetchone()
        if within is not None and newest is not None and self._joining == (within, newest[0]):
            # Undo restores the state before the first of the merged changes, redo the state after the last.
            sides = json.dumps({**old, **json.loads(newest[1])}), json.dumps({**json.loads(newest[2]), **new})
            self._rows.execute("UPDATE steps SET old = ?, new = ? WHERE number = ?", (*sides, newest[0]))
        else:
            made = self._rows.execute(
                "INSERT INTO steps (words, undone, old, new) VALUES (?, 0, ?, ?)",
                (words, json.dumps(old), json.dumps(new)),
            )
            self._joining = within, made.lastrowid
        for id, row in new.items():
            self._put(id, row)

    def _put(self, id: str, row: Row) -> None:
        self._rows.execute(
            "INSERT INTO items (id, file, gone, body) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (id) DO UPDATE SET file = excluded.file, gone = excluded.gone, body = excluded.body",
            (id, row.file, int(row.gone), row.body),
        )
        self._rows.execute(
            "INSERT INTO numbers VALUES ('change', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1"
        )
        change: dict[str, Any] = {"gone": id} if row.gone else {"item": json.loads(row.body)}
        self._notify({"change": self.change, **change})

    def _words(self, which: str) -> str | None:
        row = self._rows.execute(f"SELECT words FROM steps WHERE {which} LIMIT 1").fetchone()
        return row[0] if row else None

    # Jobs and presets

    def jobs(self) -> dict[str, Job]:
        """Return all jobs by ID."""
        return self._jobs

    def job(self, id: str) -> Job:
        """Return one job."""
        if id not in self._jobs:
            raise MissingItem("there is no such job: reload the page")
        return self._jobs[id]

    def put_job(self, job: Job) -> Job:
        """Store the state of a job; it is written to the file when the job begins and ends."""
        with self._lock, self._rows:
            before = self._jobs.get(job.id)
            self._jobs[job.id] = job
            # Progress is not written: it is frequent, and an interrupted job starts from the beginning anyway.
            if before is None or before.state != job.state:
                self._rows.execute(
                    "INSERT INTO jobs VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body",
                    (job.id, job.created, job.model_dump_json()),
                )
            if len(self._jobs) > 2 * MOST_JOBS:
                ended = [id for id, one in self._jobs.items() if one.state in ENDED]
                for id in ended[: len(self._jobs) - MOST_JOBS]:
                    del self._jobs[id]
        self._notify({"job": job.model_dump()})
        return job

    def presets(self) -> dict[str, Any]:
        """Return the settings stored by the page, by name."""
        with self._lock:
            return {name: json.loads(body) for name, body in self._rows.execute("SELECT name, body FROM presets")}

    def put_preset(self, name: str, value: Any) -> None:
        """Store settings under a name; None removes them."""
        with self._lock, self._rows:
            self._rows.execute("DELETE FROM presets WHERE name = ?", (name,))
            if value is not None:
                self._rows.execute("INSERT INTO presets VALUES (?, ?)", (name, json.dumps(value)))

    def execute(self, sql: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Execute a statement on the tables of studies, and return its rows."""
        with self._lock, self._rows:
            return self._rows.execute(sql, values).fetchall()

    # Recovery after a killed server

    def _clean_up(self) -> None:
        """Mark jobs that were running as interrupted, and delete files that belong to no item."""
        for job in list(self._jobs.values()):
            if job.state not in ENDED:
                error = "the server ended while this was running: start it again"
                self.put_job(job.model_copy(update={"state": "interrupted", "error": error, "seconds_left": None}))
        with self._rows:
            self._rows.execute("DELETE FROM steps WHERE number <= (SELECT MAX(number) FROM steps) - ?", (MOST_UNDONE,))
        steps = self._rows.execute("SELECT old, new FROM steps").fetchall()
        kept = {row[0] for step in steps for side in step for row in json.loads(side).values()}
        kept |= {file for (file,) in self._rows.execute("SELECT file FROM items WHERE gone = 0")}
        names = {Path(file).name.partition(".")[0] for file in kept if file}
        names |= {id for (id,) in self._rows.execute("SELECT id FROM items WHERE gone = 0")}
        for path in self.files.iterdir():
            if path.name.partition(".")[0] not in names:
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(exist_ok=True)


def now() -> float:
    """Return the current time in seconds since 1970, as in `created`."""
    return round(time.time(), 3)


def refuse_foreign_folder(folder: Path) -> None:
    """Refuse a folder that is not a project but contains `files` or `work`, whose content would be deleted."""
    if (folder / "project.sqlite").exists():
        return
    for inner in (folder / "files", folder / "work"):
        if inner.is_dir() and any(inner.iterdir()):
            problem = f"this is not a project, but its folder {inner.name} contains files: name another with --project"
            raise FormatError(folder, problem)


def lock_folder(folder: Path) -> sqlite3.Connection:
    """Lock a folder against a second server; a killed process leaves no lock behind."""
    lock_file = sqlite3.connect(folder / "in-use.sqlite", timeout=0.0, check_same_thread=False, isolation_level=None)
    try:
        lock_file.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError:
        lock_file.close()
        raise UsageError(f"{folder} is open in another studio: use its page, or another folder as --project") from None
    except sqlite3.DatabaseError:
        lock_file.close()
        raise FormatError(folder / "in-use.sqlite", "this is not a project's file: remove it") from None
    return lock_file


def _lacks_movements(rows: sqlite3.Connection) -> bool:
    items = (json.loads(body) for (body,) in rows.execute("SELECT body FROM items WHERE gone = 0"))
    return any(item["kind"] in LEARNED and item.get("movement") is None for item in items)


def open_database(path: Path) -> sqlite3.Connection:
    """Open a project's database, creating its tables."""
    rows = sqlite3.connect(path, check_same_thread=False)
    try:
        rows.execute("PRAGMA journal_mode = WAL")
        rows.execute("PRAGMA synchronous = FULL")
        version = rows.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            raise FormatError(path, "a newer freshtake wrote this project: update freshtake")
        if version == 1 and _lacks_movements(rows):
            problem = "freshtake 0.1 wrote this project: name another with --project, and drop the takes in files there"
            raise FormatError(path, problem)
        rows.executescript(TABLES)
        rows.execute(f"PRAGMA user_version = {VERSION}")
    except sqlite3.DatabaseError as error:
        rows.close()
        raise FormatError(path, f"this project cannot be opened ({error}): name another folder as --project") from None
    return rows

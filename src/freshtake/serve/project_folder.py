"""A folder as a project: that it is one, that no other server has it, and the tables of its SQLite file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from freshtake.errors import FormatError, UsageError

VERSION = 1
TABLES = """
CREATE TABLE IF NOT EXISTS items (id TEXT PRIMARY KEY, file TEXT, gone INTEGER NOT NULL, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS jobs (id TEXT PRIMARY KEY, created REAL NOT NULL, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS steps (number INTEGER PRIMARY KEY AUTOINCREMENT, words TEXT NOT NULL,
  undone INTEGER NOT NULL, old TEXT NOT NULL, new TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS presets (name TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS numbers (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
"""


def refuse_foreign_folder(folder: Path) -> None:
    """A folder of something else that happens to have `files` or `work` in it: what is there would be cleared away."""
    if (folder / "project.sqlite").exists():
        return
    for inner in (folder / "files", folder / "work"):
        if inner.is_dir() and any(inner.iterdir()):
            problem = f"this is no project, and {inner.name} in it holds files of yours: name another with --project"
            raise FormatError(folder, problem)


def locked_folder(folder: Path) -> sqlite3.Connection:
    """A lock that a killed process does not leave behind: two servers in one folder would not know of one another."""
    lock_file = sqlite3.connect(folder / "in-use.sqlite", timeout=0.0, check_same_thread=False, isolation_level=None)
    try:
        lock_file.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError:
        lock_file.close()
        raise UsageError(f"{folder} is open in another studio: use its page, or name another --project") from None
    except sqlite3.DatabaseError:
        lock_file.close()
        raise FormatError(folder / "in-use.sqlite", "this is no file of a project: remove it") from None
    return lock_file


def opened(path: Path) -> sqlite3.Connection:
    """The database of a project, with its tables."""
    rows = sqlite3.connect(path, check_same_thread=False)
    try:
        rows.execute("PRAGMA journal_mode = WAL")
        rows.execute("PRAGMA synchronous = FULL")
        version = rows.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            raise FormatError(path, "a newer freshtake wrote this project: update freshtake")
        rows.executescript(TABLES)
        rows.execute(f"PRAGMA user_version = {VERSION}")
    except sqlite3.DatabaseError as error:
        rows.close()
        raise FormatError(path, f"this project cannot be opened ({error}): name another --project") from None
    return rows

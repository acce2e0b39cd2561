"""Read and write complete files (written next to the target, then renamed). The only module that opens files."""

import errno
import json
import os
import platform
import re
import secrets
import shutil
import stat
import subprocess
import sys
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from enum import Enum
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from freshtake.errors import FormatError

fcntl: Any = import_module("fcntl") if os.name == "posix" else None  # file locks
# Limits shared by all readers: a damaged file is refused before it costs memory or time.
LARGEST = 4 << 30  # bytes; a file beyond this is refused before a byte of it is read
DEEPEST = 500  # joints from the root to a tip
MOST_NUMBERS = 20_000_000  # numbers per clip that a small file may declare
# Effects of single precision in files.
SINGLE = 1e-6  # relative to the body's size: a joint that moves by less counts as still
LARGEST_SINGLE = 1e30  # lengths beyond this overflow in products
SLOWEST_KEYS = 10.0  # keys per second below which keys are poses set by hand, not frames


def read_bytes(path: Path, largest: int = LARGEST) -> bytes:
    """Return the content of a regular file that is not too large."""
    with _explained(path, "the file cannot be read"):
        size = _regular(path)
        if size > largest:
            raise FormatError(path, f"the file has {size} bytes, more than the limit of {largest}")
        with path.open("rb") as stream:
            return stream.read(size)


def read_head(path: Path, size: int = 4096) -> bytes:
    """Return the first bytes, to distinguish formats."""
    with _explained(path, "the file cannot be read"):
        _regular(path)
        with path.open("rb") as stream:
            return stream.read(size)


def is_folder(path: Path) -> bool:
    """Return whether the path is a folder."""
    with _explained(path, "the file cannot be read"):
        return path.is_dir()


_confined: ContextVar[tuple[Path, ...]] = ContextVar("_confined", default=())


def confine_to(folders: Iterable[Path]) -> None:
    """Refuse, in this context, to read or write files outside these folders; links are followed first."""
    _confined.set(tuple(folder.resolve() for folder in folders))


def check_confined(path: Path) -> None:
    """Refuse a path outside the folders given to `confine_to`, if any."""
    folders = _confined.get()
    if folders and not any(path.resolve().is_relative_to(folder) for folder in folders):
        raise FormatError(path, f"this is outside of the allowed folders ({', '.join(map(str, folders))})")


def _regular(path: Path) -> int:
    """Return the size of a regular file; pipes and devices are refused before they are opened, since that may block."""
    check_confined(path)
    status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        raise FormatError(path, "this is a folder: give a file")
    if not stat.S_ISREG(status.st_mode):
        raise FormatError(path, "this is not a regular file: give the path of a motion file")
    return status.st_size


@contextmanager
def _explained(path: Path, problem: str) -> Iterator[None]:
    """Turn the system's errors about a file into our messages."""
    if "\0" in str(path):
        raise FormatError(repr(str(path)), "a file name cannot contain a null character")
    try:
        yield
    except FileNotFoundError:
        raise FormatError(path, "there is no such file: check the path") from None
    except OSError as error:
        raise FormatError(path, f"{problem} ({error.strerror})") from None


APART = "FRESHTAKE_READ_APART"  # variable set in the process that tries to read a file
_LONGEST = 300.0  # seconds that a trial may take
_TRIAL = """
import sys
from importlib import import_module
from pathlib import Path
from freshtake.errors import FreshtakeError
from freshtake.formats.read_options import ReadOptions
try:
    getattr(import_module(sys.argv[1]), sys.argv[2])(Path(sys.argv[3]), ReadOptions(warn=lambda note: None))
except FreshtakeError:
    pass
"""


def try_apart(path: Path, module: str, function: str) -> None:
    """Try to read a file in another process, since C++ libraries may crash on a damaged file.

    The function of the module takes a path and `ReadOptions`.
    """
    # This process is the trial itself, or an embedded Python that cannot start another process.
    if not sys.executable or os.environ.get(APART):
        return
    command = [sys.executable, "-c", _TRIAL, module, function, str(path)]
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=_LONGEST, check=False, env={**os.environ, APART: "1"}
        )
    except subprocess.TimeoutExpired:
        problem = f"the file cannot be read within {_LONGEST:g} s: it is damaged or needs to be flattened"
        raise FormatError(path, problem) from None
    # A signal or the library has ended the trial. A Python exception (exit code 1) is raised again in this process.
    if done.returncode < 0 or done.returncode > 2:
        raise FormatError(path, "the file is damaged: get it again")


def read_text(path: Path) -> str:
    """Return the content as text with plain line feeds: UTF-8, else Latin-1 as written by old tools; not binary."""
    data = read_bytes(path)
    # Zero bytes of UTF-16 would otherwise be reported as binary, although an editor shows text.
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FormatError(path, "the text is in UTF-16: save it as UTF-8", "byte 0")
    if b"\x00" in data:
        raise FormatError(path, "text was expected, but this is binary", f"byte {data.index(0)}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def read_json(path: Path, problem: str = "this is not JSON: check commas, quotes and brackets") -> Any:
    """Return the content of a JSON file; `problem` describes a file that is not JSON, and the remedy."""
    try:
        return json.loads(read_text(path))
    except RecursionError:
        raise FormatError(path, "the file is nested too deeply to be read") from None
    except ValueError as error:
        where = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise FormatError(path, problem, where) from None


def stored_note(text: Any) -> dict[str, Any]:
    """Return the JSON object that our writer stored in a text field of a format; empty if there is none."""
    try:
        note = json.loads(str(text or "{}"))
    except (ValueError, RecursionError):
        return {}
    return note if isinstance(note, dict) else {}


class Existing(Enum):
    """Policies for existing files."""

    REPLACE_FILES = "files are replaced, folders that are not empty are refused: the default in Python code"
    REFUSE = "files, and folders that are not empty, are refused: the default of commands"
    REPLACE = "files are replaced, also those inside a folder: commands with --force"


_existing: ContextVar[Existing] = ContextVar("existing", default=Existing.REPLACE_FILES)


def choose_existing(choice: Existing) -> None:
    """Set the policy for everything that this context writes after the call."""
    _existing.set(choice)


def replaces_existing() -> bool:
    """Return whether files in a folder that is not empty are replaced, as with --force."""
    return _existing.get() is Existing.REPLACE


def check_free(path: Path) -> None:
    """Refuse an existing target unless it may be replaced; also called before long work."""
    check_confined(path)
    choice = _existing.get()
    with _explained(path, "the target cannot be written"):
        if choice is Existing.REPLACE or not path.exists():
            return
        if not path.is_dir():
            if choice is Existing.REFUSE:
                raise FormatError(path, "there is a file of this name: name another file, or replace it with --force")
        elif _is_filled(path):
            more = ", or replace the existing files with --force" if choice is Existing.REFUSE else ""
            raise FormatError(path, f"the folder exists and is not empty: name another folder{more}")


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yield a temporary folder for files that are not kept; a context that is confined to folders may use it too."""
    with TemporaryDirectory() as name:
        folder, folders = Path(name).resolve(), _confined.get()
        # An empty list confines nothing; adding this folder to it would.
        confined, existing = _confined.set((*folders, folder) if folders else ()), _existing.set(Existing.REPLACE_FILES)
        try:
            yield folder
        finally:
            _confined.reset(confined)
            _existing.reset(existing)


@contextmanager
def replacing(path: Path, *, ending: str = "", durable: bool = False) -> Iterator[Path]:
    """Yield a temporary path next to the target, renamed to it when the block succeeds, else removed.

    With `durable`, the content is flushed before the renaming: a power cut leaves the old or the new file.
    `ending` is for libraries that write only to paths with a certain extension.
    """
    with _explained(path, "the file cannot be written"):
        if path.is_dir():
            raise FormatError(path, "there is a folder of this name: name a file")
        check_free(path)
        with _temporary(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY) as temporary:
            written = temporary.with_name(f"{temporary.name}{ending}")
            try:
                yield written
                if ending:
                    written.replace(temporary)
                check_free(path)  # another process may have created it
                if durable:
                    make_durable(temporary)
                temporary.replace(path)
                if durable:
                    make_durable(path.parent)
            finally:
                temporary.unlink(missing_ok=True)
                written.unlink(missing_ok=True)


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder that becomes the target atomically, or whose files are moved into an existing target."""
    with _explained(path, "the folder cannot be written"):
        if path.exists() and not path.is_dir():
            raise FormatError(path, "there is a file of this name: name a folder")
        check_free(path)
        was_empty = not _is_filled(path)
        with _temporary(path) as temporary:
            try:
                yield temporary
                if was_empty:
                    _rename_folder(temporary, path)
                else:
                    _move_into(temporary, path)
            except FormatError as error:
                # Messages name the target, not the temporary folder.
                place = error.path.replace(str(temporary), str(path), 1)
                raise FormatError(place, error.problem, error.place) from None
            finally:
                shutil.rmtree(temporary, ignore_errors=True)


def _rename_folder(source: Path, target: Path) -> None:
    """Rename a folder; the target must not exist, or be an empty folder."""
    try:
        with suppress(FileNotFoundError):
            # Windows does not rename to an existing folder, even an empty one.
            target.rmdir()
        source.replace(target)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        raise FormatError(target, "another command filled this folder in the meantime: name another folder") from None


def _is_filled(folder: Path) -> bool:
    """Return whether a folder contains anything but leftovers of killed processes, which are removed."""
    if not folder.is_dir():
        return False
    if all(_LEFT.fullmatch(path.name) for path in folder.iterdir()):
        _clear_leftovers(folder)
    return any(folder.iterdir())


def make_durable(path: Path) -> None:
    """Flush a file, or the names in a folder, to the disk, if the system supports it."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _move_into(source: Path, target: Path) -> None:
    """Move every file to the same path in another folder, all or none; other files there stay."""
    files = [file for file in sorted(source.rglob("*")) if file.is_file()]
    replaced = source / ".replaced"  # removed with the source when all files are moved
    moved: list[tuple[Path, Path]] = []  # each new file, and where the file that it replaces is moved
    try:
        for file in files:
            place, old = target / file.relative_to(source), replaced / file.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            if place.is_dir():
                raise FormatError(place, "there is a folder of this name: remove it, or name another folder")
            if place.exists():
                old.parent.mkdir(parents=True, exist_ok=True)
                place.replace(old)
            moved.append((place, old))
            file.replace(place)
    except BaseException:
        for place, old in reversed(moved):
            place.unlink(missing_ok=True)
            if old.exists():
                old.replace(place)
        raise


@contextmanager
def _temporary(path: Path, flags: int | None = None) -> Iterator[Path]:
    """Make a hidden file (or, without flags to open one, a folder) next to the target, locked while the block runs.

    The lock shows that its owner is alive, even to processes in another container and after its
    process id was reused; the system releases it however the owner ends.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = path.parent.resolve()
    if folder not in _cleared:
        _cleared.add(folder)
        _clear_leftovers(folder)
    while True:
        temporary = path.with_name(f".{path.name[:180]}.{_machine()}-{secrets.token_hex(8)}.tmp")
        if flags is None:
            temporary.mkdir()
        else:
            os.close(os.open(temporary, flags, 0o666))
        lock = _locked(temporary)
        with suppress(FileNotFoundError):
            if lock is None or os.path.samestat(os.fstat(lock), temporary.stat()):
                break
        if lock is not None:
            os.close(lock)  # another process removed it before it was locked
    try:
        yield temporary
    finally:
        if lock is not None:
            os.close(lock)


_cleared: set[Path] = set()  # each folder is searched once per process, since it may hold many files
# USD's library first writes to the target's name plus six characters.
_LEFT = re.compile(r"(\..+\.([0-9a-f]{8})-[0-9a-f]{16}\.tmp)(\.(c3d|usd[ac]?|abc|[A-Za-z0-9]{6}))?", re.DOTALL)


def _machine() -> str:
    """Return an id of this machine: locks in a shared folder may not be visible to other machines."""
    return f"{zlib.crc32(platform.node().encode()):08x}"


def _clear_leftovers(folder: Path) -> None:
    """Remove temporary files that killed processes left."""
    for path in list(folder.iterdir()):
        match = _LEFT.fullmatch(path.name)
        if match is None:
            continue
        with suppress(OSError):  # already gone, or no permission
            if match[2] == _machine() and fcntl is not None:
                owned = folder / match[1]  # some formats are written to a longer name, next to the locked file
                lock = _locked(owned) if owned.exists() else None
                abandoned = lock is not None or not owned.exists()
            else:
                # Files whose lock cannot be tested count as abandoned after a day.
                lock, abandoned = None, time.time() - path.stat().st_mtime > 86400.0
            if abandoned:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            if lock is not None:
                os.close(lock)


def _locked(path: Path) -> int | None:
    """Open a file or folder and lock it; None if another process holds the lock, or if locks are not supported."""
    if fcntl is None:
        return None
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def write_bytes(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Write a file atomically."""
    with replacing(path, durable=durable) as temporary:
        temporary.write_bytes(data)

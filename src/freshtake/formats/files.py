"""The only door to the file system: whole files in, whole files out (written beside the target, then renamed)."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from freshtake.errors import FormatError

LARGEST = 4 << 30  # bytes; a file beyond this is refused before a byte of it is read


def read_bytes(path: Path, largest: int = LARGEST) -> bytes:
    """The content of a regular file that is not too large."""
    try:
        with path.open("rb") as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise FormatError(path, "this is not a regular file: give the path of a motion file")
            if status.st_size > largest:
                raise FormatError(path, f"the file has {status.st_size} bytes, more than the {largest} that are read")
            return stream.read(largest)
    except FileNotFoundError:
        raise FormatError(path, "there is no such file: check the path") from None
    except IsADirectoryError:
        raise FormatError(path, "this is a folder: give a file") from None
    except OSError as error:
        raise FormatError(path, f"the file cannot be read ({error.strerror})") from None


def read_head(path: Path, size: int = 4096) -> bytes:
    """The first bytes, to tell formats apart; pipes and devices are refused before they are opened."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise FormatError(path, "this is not a regular file: give the path of a motion file")
        with path.open("rb") as stream:
            return stream.read(size)
    except FileNotFoundError:
        raise FormatError(path, "there is no such file: check the path") from None
    except OSError as error:
        raise FormatError(path, f"the file cannot be read ({error.strerror})") from None


def read_text(path: Path) -> str:
    """The content as text: UTF-8 (with or without mark), else Latin-1 as old tools wrote; no binary."""
    data = read_bytes(path)
    if b"\x00" in data:
        raise FormatError(path, "text was expected, but this is binary", f"byte {data.index(0)}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside the target; renamed to it when the block ends well, removed when it does not."""
    temporary = _beside(path)
    try:
        yield temporary
        temporary.replace(path)
    except OSError as error:
        raise FormatError(path, f"the file cannot be written ({error.strerror})") from None
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """The same for a folder: it appears whole. An existing folder must be empty."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise FormatError(path, "the folder exists and is not empty: remove it or name another")
    temporary = _beside(path)
    try:
        temporary.mkdir()
        yield temporary
        if path.exists():
            path.rmdir()
        temporary.replace(path)
    except OSError as error:
        raise FormatError(path, f"the folder cannot be written ({error.strerror})") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _beside(path: Path) -> Path:
    if not path.parent.is_dir():
        raise FormatError(path, f"the folder {path.parent} does not exist: create it first")
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")


def write_bytes(path: Path, data: bytes) -> None:
    """Write a whole file or none."""
    with replacing(path) as temporary:
        temporary.write_bytes(data)

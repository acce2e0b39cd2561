"""The only module that opens files: whole files in, whole files out (written beside the target, then renamed)."""

from __future__ import annotations

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
    with _explained(path, "the file cannot be read"):
        size = _regular(path)
        if size > largest:
            raise FormatError(path, f"the file has {size} bytes, more than the {largest} that are read")
        with path.open("rb") as stream:
            return stream.read(size)


def read_head(path: Path, size: int = 4096) -> bytes:
    """The first bytes, to tell formats apart."""
    with _explained(path, "the file cannot be read"):
        _regular(path)
        with path.open("rb") as stream:
            return stream.read(size)


def is_folder(path: Path) -> bool:
    """Whether there is a folder of that name."""
    with _explained(path, "the file cannot be read"):
        return path.is_dir()


def _regular(path: Path) -> int:
    """The size of a regular file; pipes and devices are refused before they are opened, since that may block."""
    status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        raise FormatError(path, "this is a folder: give a file")
    if not stat.S_ISREG(status.st_mode):
        raise FormatError(path, "this is not a regular file: give the path of a motion file")
    return status.st_size


@contextmanager
def _explained(path: Path, problem: str) -> Iterator[None]:
    """What the system says about a file, in our words."""
    if "\0" in str(path):
        raise FormatError(repr(str(path)), "no file can have a name with a null character")
    try:
        yield
    except FileNotFoundError:
        raise FormatError(path, "there is no such file: check the path") from None
    except OSError as error:
        raise FormatError(path, f"{problem} ({error.strerror})") from None


def read_text(path: Path) -> str:
    """The content as text: UTF-8 (with or without mark), else Latin-1 as old tools wrote; no binary."""
    data = read_bytes(path)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FormatError(path, "the text is in UTF-16: save it as UTF-8", "byte 0")
    if b"\x00" in data:
        raise FormatError(path, "text was expected, but this is binary", f"byte {data.index(0)}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside the target; renamed to it when the block ends well, removed when it does not."""
    with _explained(path, "the file cannot be written"):
        temporary = _beside(path)
        try:
            yield temporary
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """A temporary folder beside the target, which appears whole when the block ends well; it must be new or empty."""
    with _explained(path, "the folder cannot be written"):
        if path.exists() and not path.is_dir():
            raise FormatError(path, "there is a file of this name: name a folder")
        if path.exists() and any(path.iterdir()):
            raise FormatError(path, "the folder exists and is not empty: remove it or name another")
        temporary = _beside(path)
        try:
            temporary.mkdir()
            yield temporary
            if path.exists():
                path.rmdir()
            temporary.replace(path)
        except FormatError as error:
            raise FormatError(error.path.replace(str(temporary), str(path), 1), error.problem, error.place) from None
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def _beside(path: Path) -> Path:
    if not path.parent.is_dir():
        raise FormatError(path, f"the folder {path.parent} does not exist: create it first")
    return path.with_name(f".{path.name[:200]}.{secrets.token_hex(4)}.tmp")


def write_bytes(path: Path, data: bytes) -> None:
    """Write a whole file or none."""
    with replacing(path) as temporary:
        temporary.write_bytes(data)

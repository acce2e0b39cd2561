"""Sentences for users: advice without command-line options, and unexpected errors."""

import os
import platform
import re
import secrets
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

OPTION = re.compile(r"(?<![\w-])--[a-z]")
IN_BRACKETS = re.compile(r" ?\([^()]*--[a-z][^()]*\)")
BREAK = re.compile(r"[:;] ")
FILE_NAME = re.compile(r"[^:;]*\.\w{1,5}")


def plainly(sentence: str) -> str:
    """Return a sentence without the advice that names a command-line option."""
    plain = IN_BRACKETS.sub("", sentence)
    option = OPTION.search(plain)
    if option is None:
        return plain
    breaks = [match.start() for match in BREAK.finditer(plain, 0, option.start())]
    said = plain[: breaks[-1]] if breaks else ""
    return plain if not said or FILE_NAME.fullmatch(said) else said


FOLDER = "FRESHTAKE_CRASH_FOLDER"  # for crash files; default: the system's folder for temporary files
INTERNAL_ERROR = 70  # exit code; EX_SOFTWARE of sysexits.h
PACKAGES = ("freshtake", "numpy", "numba", "llvmlite", "matplotlib", "cyclopts", "rich", "fastapi")


def crash_sentence(error: BaseException, command: str) -> str:
    """Write a crash file and return a sentence that names it; `command` is the command that failed."""
    what = f"something went wrong inside freshtake ({type(error).__name__})"
    try:
        path = _write("\n".join(_report(error, command)))
    except OSError as problem:
        return f"{what}: please report it (no crash file can be written: {problem.strerror})"
    return f"{what}: please report it with the file {path} (the command, versions and the location in the program)"


def _write(text: str) -> Path:
    folder = Path(os.environ.get(FOLDER) or tempfile.gettempdir())
    path = folder / f"freshtake-crash-{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(4)}.txt"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text + "\n")
    return path


def _report(error: BaseException, command: str) -> Iterator[str]:
    """Return the lines of a crash file, without exception messages, which may quote the user's files."""
    yield f"command: {command}"
    yield f"python {platform.python_version()} on {platform.platform()}"
    for package in PACKAGES:
        try:
            yield f"{package} {version(package)}"
        except PackageNotFoundError:
            yield f"{package} is not installed"
    seen: BaseException | None = error
    while seen is not None:
        yield ""
        yield f"{type(seen).__module__}.{type(seen).__qualname__}"
        for frame in traceback.extract_tb(seen.__traceback__):
            yield f"  {_without_folders(frame.filename)}:{frame.lineno} {frame.name}"
        seen = seen.__cause__ or seen.__context__


def _without_folders(file: str) -> str:
    """Return a module's path below the folder it was imported from, which may contain the user's name."""
    roots = (root for root in sys.path if root and file.startswith(root.rstrip(os.sep) + os.sep))
    longest = max(roots, key=len, default="")
    return file[len(longest.rstrip(os.sep)) + 1 :] if longest else Path(file).name

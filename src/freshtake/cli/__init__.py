"""The command line: each file parses its commands, calls a workflow and prints."""

import atexit
import gc
import io
import os
import sys
from contextlib import suppress
from typing import NoReturn

__all__ = ["main", "program"]


def program() -> NoReturn:
    """Run `main` as the only task of this process and exit without the interpreter's shutdown, which takes 0.2 s.

    A program that calls `main` itself keeps the usual shutdown.
    """
    _collect_after_loading()
    exit_code: list[int] = []
    # Handlers run in reverse order and after all threads: this one, registered first, runs after all other cleaning up.
    # Without a code, an exception is propagating and Python chooses the code.
    atexit.register(lambda: leave(exit_code[0]) if exit_code else None)
    try:
        main()
    except SystemExit as leaving:
        exit_code.append(leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None))
        raise


def _collect_after_loading() -> None:
    """Postpone the cyclic garbage collector until loading is done; afterwards it runs as usual.

    Objects made by imports stay alive; scanning them repeatedly takes a tenth of a short command's time.
    """
    usual = gc.get_threshold()

    def collected(phase: str, _: dict[str, int]) -> None:
        if phase == "stop":
            gc.callbacks.remove(collected)
            gc.set_threshold(*usual)

    gc.callbacks.append(collected)
    gc.set_threshold(200_000, *usual[1:])


def leave(code: int) -> NoReturn:
    """Exit without Python's shutdown, which a thread still drawing a progress bar could abort."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def main() -> NoReturn:
    """Run one command and exit with its code; Ctrl-C while the command is still loading also exits with 130."""
    _open_closed_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):  # Windows redirects output in old encodings, which lack many letters
        sys.stdout.reconfigure(errors="backslashreplace")
    if sys.argv[1:] == ["--version"]:
        from freshtake import __version__

        print(f"freshtake {__version__}")
        sys.exit()
    try:
        from freshtake.cli.entry import main as run
    except KeyboardInterrupt:
        print("freshtake: stopped before it began", file=sys.stderr)
        sys.exit(130)
    except Exception as error:  # a broken installation
        from freshtake.workflows.sentences import INTERNAL_ERROR, crash_sentence

        print(f"freshtake: {crash_sentence(error, 'loading')}", file=sys.stderr)
        sys.exit(INTERNAL_ERROR)
    run()


def _open_closed_streams() -> None:
    """Open standard streams that the caller closed (`>&-`) as null, or the next file would get their number."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            with suppress(OSError):
                setattr(sys, name, os.fdopen(_null_at(number), mode, encoding="utf-8"))


def _null_at(number: int) -> int:
    opened = os.open(os.devnull, os.O_RDWR)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)
    return number

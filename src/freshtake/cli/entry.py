"""The command `freshtake`: finds the verb, and turns every failure into one sentence and an exit code."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from contextvars import copy_context
from types import FrameType
from typing import Any, NoReturn

from cyclopts import App, CycloptsError, Group

from freshtake import __version__
from freshtake.cli.console import warn
from freshtake.cli.crowd_make import app as crowd
from freshtake.cli.density_blend import app as blend
from freshtake.cli.every_command import complete_command
from freshtake.cli.motion_convert import convert
from freshtake.cli.motion_cut import cut
from freshtake.cli.motion_evaluate import evaluate
from freshtake.cli.motion_info import info
from freshtake.cli.motion_loop import loop
from freshtake.cli.motion_noise import noise
from freshtake.cli.motion_plant import plant
from freshtake.cli.motion_retarget import retarget
from freshtake.cli.motion_samples import app as samples
from freshtake.cli.motion_study import app as study
from freshtake.cli.motion_view import view
from freshtake.cli.motion_warm_up import warm_up
from freshtake.cli.paper_draw import app as paper
from freshtake.cli.studio_open import serve, studio
from freshtake.cli.style_align import align
from freshtake.cli.style_translate import app as style
from freshtake.cli.texture_play import app as texture
from freshtake.cli.variation_augment import augment
from freshtake.cli.variation_compress import compress
from freshtake.cli.variation_demo import demo
from freshtake.cli.variation_explain import explain
from freshtake.cli.variation_learn import learn
from freshtake.cli.variation_pack import pack
from freshtake.cli.variation_select import select
from freshtake.cli.variation_stream import stream
from freshtake.cli.variation_vary import vary
from freshtake.errors import FreshtakeError

BAD_INPUT = 2
INTERRUPTED = 130

app = App(
    name="freshtake",
    help="Turn a few takes of a movement into an unlimited supply of new ones: `learn` a model, then `vary` it.",
    version=f"freshtake {__version__}",
    help_format="markdown",
    suppress_keyboard_interrupt=False,
    group_commands=Group("General options", sort_key=99),
    help_epilogue="Every command has `--help` with examples. Bad input ends with one sentence and exit code 2.",
)
GROUPS = {
    "To begin with": (studio, demo, samples, info, view, warm_up, serve),
    "New takes from a few": (learn, vary, pack, stream, crowd, evaluate, explain, select, compress),
    "Other ways to new motion": (style, blend, texture),
    "One clip": (loop, plant, retarget, cut, convert, align),
    "For research": (augment, noise, study, paper),
}
for number, (title, members) in enumerate(GROUPS.items()):
    group = Group(title, sort_key=number)
    for command in members:
        if isinstance(command, App):
            command.group = (group,)
            command.group_commands = Group("Commands")
            app.command(command)
        else:
            app.command(command, group=group)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run one command and exit with its code."""
    signal.signal(signal.SIGTERM, _terminated)
    code = run(sys.argv[1:] if arguments is None else arguments)
    if code == INTERRUPTED:
        _leave_at_once(code)
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run one command: 0 when it went well, 2 on bad input, 130 when the user pressed Ctrl-C."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default", UserWarning)
            warnings.simplefilter("ignore", RuntimeWarning)  # of numpy: results are checked, and reported in words
            warnings.showwarning = _note
            result = copy_context().run(_command, arguments)  # what it chooses about files ends with it
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except CycloptsError as error:
        return _failed(f"{str(error).rstrip('.')}; see freshtake {_verb(arguments)}--help")
    except FreshtakeError as error:
        return _failed(str(error))
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one finds us on the way out
        return _failed("stopped; nothing half-written is left behind", INTERRUPTED)
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        _give_up_output()
        return 0
    except OSError as error:  # a folder that cannot be made, a full disk below our output
        _give_up_output()
        return _failed(f"{error.filename or 'the output'}: {error.strerror or error}")
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 0


def _command(arguments: Sequence[str]) -> Any:
    complete_command(app, arguments)
    return app(list(arguments), exit_on_error=False, print_error=False, result_action="return_value")


def _note(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, file: Any = None, line: Any = None
) -> None:
    """A warning from below, as one sentence; each one is printed once."""
    warn(str(message))


def _verb(arguments: Sequence[str]) -> str:
    """The leading arguments that name a command, as `style apply`, with a blank after each."""
    verb, level = "", app
    for word in arguments:
        if word.startswith("-") or word not in level:
            break
        verb, level = f"{verb}{word} ", level[word]
    return verb


def _leave_at_once(code: int) -> NoReturn:
    """All is cleaned up; a thread that still draws a progress bar could make Python itself abort on its way out."""
    for pipe in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            pipe.flush()
    os._exit(code)


def _give_up_output() -> None:
    """What is still to be printed goes nowhere, so that nothing fails again on the way out."""
    with suppress(OSError):  # where stdout is no file at all
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _failed(sentence: str, code: int = BAD_INPUT) -> int:
    print("freshtake: " + " ".join(sentence.split()), file=sys.stderr)
    return code


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    """Unwind, so that temporary files are removed, and exit as a terminated program does."""
    raise SystemExit(128 + number)

"""The command `freshtake`: find the verb, and turn every failure into one sentence and an exit code."""

import os
import re
import shlex
import signal
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from types import FrameType
from typing import Any, NoReturn

from cyclopts import App, CycloptsError, Group, MissingArgumentError

from freshtake import __version__
from freshtake.cli import leave
from freshtake.cli.console import warn
from freshtake.cli.every_command import command_in, complete_command
from freshtake.errors import FreshtakeError

BAD_INPUT = 2
INTERRUPTED = 130
STOPPED = "stopped; nothing half-written is left behind"
_received: list[int] = []  # stop signals that this process received

# The location of each command and the first line of its help, which its docstring continues. A command is imported
# when it runs; the list of commands imports none.
GROUPS = {
    "Getting started": {
        "servers:studio": "Open the studio: drop takes, look at them, learn, make variants, export; all on one page in your browser.",
        "samples:demo": "Run the main job on sample takes: learn from four walks, make fifteen new ones, compare and draw them.",
        "samples:app samples": "Example motions: made by freshtake itself, or public takes to download.",
        "looking:info": "Describe clips, strokes, point clips, mesh sequences and models, and what is wrong with them.",
        "looking:view": "Look at motions, side by side on one timeline: takes, variants, strokes, meshes, and new variants of models.",
        "samples:warm_up warm-up": "Compile everything now, so that the first real command does not have to; run it once after installation.",
        "servers:mcp": "Offer freshtake to agents as tools, over standard input and output (Model Context Protocol).",
        "servers:serve": "Serve a project to tools through the studio's routes, without its page; /openapi.json describes them.",
    },
    "New takes from a few": {
        "variation:learn": "Learn a model from one take or a few (best four) of one movement; `vary` and `stream` make new motion with it.",
        "variation:vary": "Write new variants of the movement that a model has learned: variant_001, variant_002, ...",
        "variation:redraw": "Redraw a stretch of a clip, or a part of the body, and leave everything else unchanged; or continue the clip.",
        "variation:pack": "Write a pack of variants: loops that share their first and last pose, so that any can follow any other.",
        "variation:stream": "Write one motion that continues without repeating itself, from a model of a cyclic movement; or send it live.",
        "crowd_make:app crowd": "Make a crowd: hundreds to a hundred thousand characters, each moving differently.",
        "evaluation:evaluate": "Compare variants with real takes: how they move, how new and how natural they are, and whether feet slide.",
        "models:explain": "Show what a model has learned: which joints vary together, and where a clip is unlike the takes.",
        "models:select": "Find which clips are similar enough to trusted ones to learn from, and why the others are not.",
    },
    "Other methods": {
        "style_translate:app style": "Learn a style from pairs of clips, and apply it to other clips.",
        "density_blend:app blend": "Learn classes of motion (walk, run, skip) and synthesize motion that changes between them by weights.",
        "texture_play:app texture": "Endless, looped and steered motion from one animation of a mesh or skeleton.",
    },
    "One clip": {
        "clips:loop": "Make a loop from a clip: find its cycle, cut it where its ends match best, and close the gap.",
        "clips:plant": "Hold feet still while they stand, keep them on the floor, and move pinned joints to their positions.",
        "clips:retarget": "Put clips onto a character with another skeleton: joints are matched by name or shape, rest poses aligned.",
        "clips:robot": "Put clips onto a robot (URDF or MuJoCo model): joints within their limits, feet held where they stand.",
        "clips:cut": "Cut a take into clips: its cycles, the repetitions of an action, or a range of frames.",
        "clips:convert": "Convert IN to OUT; the extension of OUT gives the format. Nothing is repaired without --repair.",
        "style_translate:align": "Find which frames of two motions correspond, although their styles differ.",
    },
    "For research": {
        "variation:augment": "Copy a folder of takes and write variants of every action next to them, labelled, as training data.",
        "evaluation:study": "A user study: plan who watches what, and analyze the scores.",
        "evaluation:paper": "The paper's method (Lau 2009): its figures, next to those of the default method.",
    },
}  # fmt: skip

# Shared by the lists with and without imported commands: cyclopts refuses two groups with the same name.
_PANELS = {title: Group(title, sort_key=number) for number, title in enumerate(GROUPS)}


def command_names() -> dict[str, tuple[str, str]]:
    """Return the top-level commands: the definition of each, and the first line of its help."""
    out = {}
    for members in GROUPS.values():
        for place, words in members.items():
            where, _, name = place.partition(" ")
            out[name or where.rpartition(":")[2]] = f"freshtake.cli.{where}", words
    return out


def make_app(listing: bool = False) -> App:
    """Make the app with all its commands.

    With `listing`, commands are not imported, and help is read as rich markup, since Markdown takes 50 ms to load.
    """
    shown = partial(re.sub, r"`([^`]+)`", r"[bold cyan]\1[/]") if listing else str
    root = App(
        name="freshtake",
        help=shown(
            "Turn a few takes of a movement into an unlimited supply of new ones: `learn` a model, then `vary` it."
        ),
        version=f"freshtake {__version__}",
        help_format="rich" if listing else "markdown",
        suppress_keyboard_interrupt=False,
        group_commands=Group("General options", sort_key=99),
        help_epilogue=shown(
            "Every command has `--help` with examples. Bad input ends with one sentence and exit code 2."
        ),
    )
    names = iter(command_names().items())
    for title, members in GROUPS.items():
        for _ in members:
            name, (where, words) = next(names)
            root.command(where, name=name, group=_PANELS[title], help=shown(words))
    root.register_install_completion_command(
        help=shown("Make the Tab key complete commands and options in this shell.")
    )
    return root


app = make_app()


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run one command and exit with its code."""
    signal.signal(signal.SIGTERM, _stop)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a shell's background jobs ignore Ctrl-C
        signal.signal(signal.SIGINT, _stop)
    code = run(sys.argv[1:] if arguments is None else arguments)
    if code == INTERRUPTED:
        leave(code)
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run one command: 0 on success, 2 on bad input, 130 if the user pressed Ctrl-C, 70 for errors in freshtake."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default", UserWarning)
            warnings.simplefilter(
                "ignore", RuntimeWarning
            )  # from NumPy: results are checked, and problems reported in words
            warnings.showwarning = _note
            result = copy_context().run(_command, arguments)  # context variables set by the command end with it
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except CycloptsError as error:
        words = [*command_in(app, arguments)[1], "--help"]
        return _failed(f"{_usage_words(error)}; see freshtake {' '.join(words)}")
    except FreshtakeError as error:
        return _failed(str(error))
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # ignore a second Ctrl-C while exiting
        return _failed(STOPPED, INTERRUPTED)
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        _give_up_output()
        return 0
    except OSError as error:  # a folder that cannot be made, or a full disk
        _give_up_output()
        return _failed(f"{error.filename or 'the output'}: {error.strerror or error}")
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 0
    except MemoryError:
        return _failed("there is not enough memory for this: use fewer, shorter or smaller files")
    except Exception as error:  # anything unexpected
        if _received:  # LLVM was compiling: it drops a signal's exception and then fails
            return _failed(STOPPED, 128 + _received[0])
        from freshtake.workflows.sentences import INTERNAL_ERROR, crash_sentence

        return _failed(crash_sentence(error, shlex.join(["freshtake", *arguments])), INTERNAL_ERROR)


def _command(arguments: Sequence[str]) -> Any:
    complete_command(app, arguments)
    chosen = make_app(listing=True) if not arguments or arguments[0].startswith("-") else app
    return chosen(list(arguments), exit_on_error=False, print_error=False, result_action="return_value")


def _note(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, file: Any = None, line: Any = None
) -> None:
    warn(str(message))


def _usage_words(error: CycloptsError) -> str:
    """Describe the error in the options of a command line, without the period."""
    keyword = getattr(error, "keyword", None)
    if isinstance(error, MissingArgumentError) and keyword:  # the option is there, but nothing follows it
        choices = error.argument.get_choices() if error.argument is not None else None
        return f"{keyword} needs a value" + (f": {', '.join(choices[:-1])} or {choices[-1]}" if choices else "")
    # Cyclopts only lists the first few commands of the first group: --help has them all.
    words = str(error).partition(" Available commands:")[0]
    words = re.sub(r'^(Command "[^"]*" )?parameter (\S+) requires an argument', r"\2 is missing", words, flags=re.I)
    words = re.sub(r"^Parameter (\S+) specified multiple times", r"\1 is given twice, or with its opposite", words)
    words = re.sub(r"^Unused Tokens: \[(.+)\]", r"too many arguments: \1", words)
    return words.rstrip(".?")


def _give_up_output() -> None:
    """Redirect stdout to the null device, so that flushing it at exit does not fail again."""
    with suppress(OSError):  # if stdout is not a file at all
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _failed(sentence: str, code: int = BAD_INPUT) -> int:
    print("freshtake: " + " ".join(sentence.split()), file=sys.stderr)
    return code


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    """Unwind, so that temporary files are removed, and exit like a stopped program."""
    _received.append(number)
    raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)

"""`freshtake studio` and `freshtake serve`: the web page, and its server for tools."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from freshtake.cli.console import print_json, say
from freshtake.cli.options import Files, Json, option_group
from freshtake.errors import UsageError

if TYPE_CHECKING:
    from freshtake.serve.running import Serving

ProjectFolder = Annotated[
    Path | None, Parameter(help="The folder in which all work is kept; default: freshtake-studio in your home.")
]


@option_group
class Listening:
    """Where the server is reached."""

    project: ProjectFolder = None
    port: Annotated[int | None, Parameter(help="The port; default: 8790, or the next that is free.")] = None
    host: Annotated[
        str, Parameter(help="The address to listen at; others than this machine can reach it only if you name one.")
    ] = "127.0.0.1"
    token: Annotated[
        str | None, Parameter(help="What clients have to know, in the address that is printed; default: made up.")
    ] = None
    no_token: Annotated[
        bool, Parameter(negative="", help="Let in every user and program of this machine without a token.")
    ] = False


LISTENING = Listening()


def studio(files: Files = None, /, *, listening: Listening = LISTENING, open: bool = True, json: Json = False) -> int:
    """Open the studio: drop takes, look at them, learn, make variants, export; everything on one page in your browser.

    **Examples**

    ```
    freshtake studio
    freshtake studio walk_1.bvh walk_2.bvh walk_3.bvh walk_4.bvh
    freshtake studio --project walks --no-open
    ```

    Parameters
    ----------
    files
        Motion files, models or folders with them, which are put into the project.
    open
        Open the page in your browser.
    """
    from freshtake.formats.take_files import MODELS, TAKES, take_files
    from freshtake.studio.opening import open_studio

    def started(serving: Serving) -> None:
        import webbrowser

        opened = False
        with suppress(webbrowser.Error):
            opened = open and webbrowser.open(serving.url)
        _tell(serving, json, "the studio is open at" if opened else "open the studio at")

    open_studio(
        _folder(listening), take_files(files or [], TAKES | MODELS), host=listening.host, port=listening.port,
        token=_token(listening), started=started,
    )  # fmt: skip
    return 0


def serve(*, listening: Listening = LISTENING, json: Json = False) -> int:
    """Serve a project to tools, by the same routes as the studio's page but without it; /openapi.json describes them.

    **Examples**

    ```
    freshtake serve --project walks --port 9000
    freshtake serve --host 0.0.0.0 --token 6f1c2d3e4b5a69788796a5b4
    ```
    """
    from freshtake.serve.running import serve as run

    run(
        _folder(listening), host=listening.host, port=listening.port, token=_token(listening),
        started=lambda serving: _tell(serving, json, "serving at"),
    )  # fmt: skip
    return 0


def _folder(listening: Listening) -> Path:
    return listening.project or Path.home() / "freshtake-studio"


def _token(listening: Listening) -> str | None:
    if listening.no_token and listening.token:
        raise UsageError("--token and --no-token exclude each other: leave one out")
    return "" if listening.no_token else listening.token


def _tell(serving: Serving, json: bool, words: str) -> None:
    if json:
        print_json({"url": serving.url, "project": str(serving.project), "token": serving.token})
    else:
        say(f"{words} {serving.url} (Ctrl-C ends it; work is kept in {serving.project})")
    sys.stdout.flush()

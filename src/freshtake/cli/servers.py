"""`freshtake studio`, `serve` and `mcp`: the web page, its server for tools, and tools for agents."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from freshtake.cli.console import Json, print_json, show
from freshtake.errors import UsageError
from freshtake.requests.servers import Mcp, Serve, Studio

if TYPE_CHECKING:
    from freshtake.serve.running import Serving


def studio(request: Studio, *, json: Json = False) -> None:
    """**Examples**

    ```
    freshtake studio
    freshtake studio walk_1.bvh walk_2.bvh walk_3.bvh walk_4.bvh
    freshtake studio --project walks --no-open
    ```
    """
    from freshtake.formats.registry import take_files
    from freshtake.studio.opening import open_studio

    def started(serving: Serving) -> None:
        import webbrowser

        opened = False
        with suppress(webbrowser.Error):
            opened = request.open and webbrowser.open(serving.url)
        _tell(serving, json, "the studio is open at" if opened else "open the studio at")

    open_studio(
        _folder(request), take_files(request.files or [], models=True), host=request.host, port=request.port,
        token=_token(request), started=started,
    )  # fmt: skip


def serve(request: Serve, *, json: Json = False) -> None:
    """**Examples**

    ```
    freshtake serve --project walks --port 9000
    freshtake serve --host 0.0.0.0 --token 6f1c2d3e4b5a69788796a5b4
    ```
    """
    from freshtake.serve.running import serve as run

    run(
        _folder(request), host=request.host, port=request.port, token=_token(request),
        started=lambda serving: _tell(serving, json, "serving at"),
    )  # fmt: skip


def _folder(request: Serve) -> Path:
    return request.project or Path.home() / "freshtake-studio"


def _token(request: Serve) -> str | None:
    if request.no_token and request.token:
        raise UsageError("--token and --no-token cannot be combined: use only one of them")
    return "" if request.no_token else request.token


def _tell(serving: Serving, json: bool, words: str) -> None:
    facts = {"url": serving.url, "project": serving.project, "token": serving.token}
    show(json, facts, f"{words} {serving.url} (Ctrl-C stops it; work is stored in {serving.project})")
    sys.stdout.flush()


def mcp(request: Mcp, *, json: Json = False) -> None:
    """The agent's program starts it: add this command to its list of servers.

    **Examples**

    ```
    freshtake mcp
    freshtake mcp --allow takes/ results/
    freshtake mcp --json
    ```

    With --json, it prints the tools and their arguments instead, and exits.
    """
    from freshtake.bridge.agent_server import allowed_folders, input_schema, serve, tools

    folders = allowed_folders(request.allow or [Path.cwd()])
    if json:
        print_json({name: input_schema(one) for name, one in tools().items()})
    else:
        serve(folders)

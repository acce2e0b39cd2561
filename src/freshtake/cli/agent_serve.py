"""`freshtake mcp`: tools for agents."""

from __future__ import annotations

from pathlib import Path

from freshtake.cli.console import print_json
from freshtake.cli.outputs import Json
from freshtake.requests.servers import Mcp


def mcp(request: Mcp, *, json: Json = False) -> int:
    """Offer freshtake to agents as tools, over standard input and output (Model Context Protocol).

    An agent's program starts it: name this command in its list of servers.

    **Examples**

    ```
    freshtake mcp
    freshtake mcp --allow takes/ results/
    freshtake mcp --json
    ```

    With --json it prints the tools and their arguments instead, and ends.
    """
    from freshtake.bridge.agent_server import allowed_folders, input_schema, serve, tools

    folders = allowed_folders(request.allow or [Path.cwd()])
    if json:
        print_json({name: input_schema(one) for name, one in tools().items()})
    else:
        serve(folders)
    return 0

"""Run the server: its address, its token, and its shutdown."""

from __future__ import annotations

import asyncio
import ipaddress
import secrets
import socket
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from freshtake.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from fastapi import FastAPI

PORT = 8790
SHORTEST_TOKEN = 16


class Serving(NamedTuple):
    """The address of a running server; `url` contains the token if one is needed."""

    url: str
    project: Path
    token: str | None


def serve(
    folder: Path, *, host: str = "127.0.0.1", port: int | None = None, token: str | None = None,
    add: Callable[[FastAPI], None] | None = None, started: Callable[[Serving], None] = lambda serving: None,
) -> None:  # fmt: skip
    """Serve a project until Ctrl-C. `add` adds pages; `started` is called when the page can be opened.

    Without a `token` one is generated; an empty one admits every user of this machine.
    """
    try:
        import uvicorn

        from freshtake.serve.app import make_app
        from freshtake.serve.guard import LimitedProtocol, LimitedServer, limit_logs
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("freshtake"):
            raise
        raise MissingExtra("the studio", "studio") from None
    from freshtake.serve.guard import LOCAL
    from freshtake.serve.project import Project

    try:
        open_to_network = not (host == "localhost" or ipaddress.ip_address(host).is_loopback)
    except ValueError:
        open_to_network = True
    if token == "" and open_to_network:
        raise UsageError(f"other machines can reach {host}, so a token is needed: leave --no-token or --host out")
    if token and (len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isalnum()):
        raise UsageError(f"a token has at least {SHORTEST_TOKEN} letters and digits; without --token one is generated")
    token = (token or None) if token is not None else secrets.token_hex(16)
    listening = _listen(host, port)
    try:
        project = Project(folder)
        hosts = {*LOCAL, host, socket.gethostname()}
        app = make_app(project, token=token, hosts=hosts, open_to_network=open_to_network)
        if add is not None:
            add(app)
        serving = Serving(_address(host, listening.getsockname()[1], token), folder, token)
        # Clients send only small control messages.
        config = uvicorn.Config(
            app, log_level="warning", ws_max_size=2**16, server_header=False, timeout_graceful_shutdown=2,
            http=LimitedProtocol, backlog=LimitedProtocol.most // 2,  # connections waiting to be accepted
        )  # fmt: skip
        limit_logs()
        with suppress(KeyboardInterrupt), closing(project):  # Ctrl-C ends the server
            asyncio.run(_run_server(LimitedServer(config), listening, lambda: started(serving)))
    finally:
        listening.close()


async def _run_server(server: Any, listening: socket.socket, started: Callable[[], None]) -> None:
    running = asyncio.create_task(server.serve(sockets=[listening]))
    while not server.started and not running.done():
        await asyncio.sleep(0.01)
    try:
        if server.started:
            started()
    except BaseException:
        server.should_exit = True
        raise
    finally:
        await running


def _address(host: str, port: int, token: str | None) -> str:
    name = host
    if host in ("0.0.0.0", "::"):
        # This finds the machine's network address without sending anything.
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            try:
                one.connect(("192.0.2.1", 9))  # reserved for documentation
                name = str(one.getsockname()[0])
            except OSError:
                name = "127.0.0.1"
    return f"http://{f'[{name}]' if ':' in name else name}:{port}/" + (f"?token={token}" if token else "")


def _listen(host: str, port: int | None) -> socket.socket:
    """Return a listening socket at the requested port, else at the default port or one of the following."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise UsageError(f"there is no address {host!r} on this machine: leave --host out") from None
    for number in range(PORT, PORT + 20) if port is None else [port]:
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((address[0], number))
        except (OSError, OverflowError) as error:
            listening.close()
            problem = error
            continue
        return listening
    taken = "one is taken" if port is None else f"port {port} cannot be used"
    raise UsageError(f"{taken} at {host} ({problem}): choose another with --port")

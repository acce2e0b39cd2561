"""Guard the server: only its pages and tools may send requests, not other sites; limit the size of requests."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import logging
import socket
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, ClassVar
from urllib.parse import urlsplit

import uvicorn
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

COOKIE = "freshtake_token"
MOST_JSON = 4 * 2**20
BODY_SECONDS = 30.0  # seconds that a body may lag behind the slowest accepted rate
SLOWEST = 2**14  # bytes per second
LOCAL = ("localhost", "127.0.0.1", "::1")
UPLOADS = "/api/takes"  # this route counts its bytes itself, against a larger limit
POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
PAGE = '<!doctype html><html lang="en"><meta charset="utf-8"><title>freshtake studio</title><p>{}</p></html>'
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
MOST_CONNECTIONS = 512  # a page has about six; beyond this, an idle connection is closed
HEADER_SECONDS = 10.0  # from the first byte of a request (or from connecting) to the end of its headers
CROWDED_SECONDS = 0.002  # between accepting two connections while strangers have as many as allowed
LINES, LINES_SECONDS = 20, 60.0  # maximum number of log lines, and the period in which they are counted


class Guard:
    """Filters requests. `hosts` are the server's names; with `open_to_network`, any IP address is accepted."""

    def __init__(
        self, app: ASGIApp, *, hosts: Iterable[str] = LOCAL, token: str | None = None, open_to_network: bool = False
    ) -> None:
        self._app, self._hosts, self._token, self._open_to_network = app, set(hosts), token, open_to_network

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it with a one-sentence message."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        refusal = self._refusal(connection)
        if refusal is not None:
            await _refuse(connection, receive, send, *refusal)
            return
        scope.setdefault("state", {})["admitted"] = True  # its connection no longer counts as a stranger
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
        elif self._token is not None and _token_in_address(connection):
            # Redirect to the start page without the token in its address. SameSite is Lax: a link followed from a mail
            # or chat works; requests from other sites are refused.
            cookie = f"{_cookie_name(connection)}={self._token}; Path=/; HttpOnly; SameSite=Lax"
            redirect = Response(status_code=303, headers={**HEADERS, "location": "/", "set-cookie": cookie})
            await redirect(scope, receive, send)
        else:
            most = None if scope["path"] == UPLOADS else MOST_JSON
            await self._app(scope, _limited(receive, most), _with_headers(send))

    def _refusal(self, connection: HTTPConnection) -> tuple[int, str] | None:
        headers, uploads = connection.headers, connection.scope["path"] == UPLOADS
        host = headers.get("host", "")
        # Another site's name can be pointed at this machine (DNS rebinding); its pages would then count as ours.
        if not self._is_our_name(host):
            return 421, "this server does not answer to that name: open it by the address that it printed"
        origin = headers.get("origin")
        # Another site's page can send requests here with our cookie; the Origin header reveals it.
        foreign = origin is not None and _host_of(origin) != host.lower()
        # Browsers send no Origin with plain GET requests, but Sec-Fetch-Site reveals the origin of a request.
        if foreign or headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return 403, "pages of other sites may not use this server"
        if self._token is not None and not self._has_token(connection):
            return 401, "a token is needed: open the address that the server printed, or send Authorization: Bearer"
        size = headers.get("content-length", "0")
        if not size.isdecimal() or not size.isascii():
            return 400, "the Content-Length is not a number"
        # Twenty digits exceed any limit; converting longer ones to a number would take time.
        if int(size[:20]) > MOST_JSON and not uploads:
            return 413, "the request is too large"
        return None

    def _is_our_name(self, host: str) -> bool:
        with suppress(ValueError):
            name = urlsplit(f"//{host}").hostname or ""
            if name not in self._hosts and self._open_to_network:
                ipaddress.ip_address(name)  # an IP address cannot be rebound as a name can
                return True
            return name in self._hosts
        return False

    def _has_token(self, connection: HTTPConnection) -> bool:
        sent = [
            connection.headers.get("authorization", "").removeprefix("Bearer "),
            connection.cookies.get(_cookie_name(connection), ""),
            _token_in_address(connection),
        ]
        token = (self._token or "").encode()
        # All candidates are compared in constant time, so that timing reveals nothing about the token.
        return sum(hmac.compare_digest(text.encode(), token) for text in sent) > 0


def _token_in_address(connection: HTTPConnection) -> str:
    """Return the token in the start page's address, which is then stored as a cookie."""
    return connection.query_params.get("token", "") if connection.scope["path"] == "/" else ""


def _host_of(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


async def _refuse(connection: HTTPConnection, receive: Receive, send: Send, status: int, sentence: str) -> None:
    if connection.scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": sentence[:120]})
        return
    headers = {**HEADERS, "connection": "close"}
    refusal: Response = JSONResponse({"error": sentence}, status, headers)
    if "text/html" in connection.headers.get("accept", ""):
        refusal = HTMLResponse(PAGE.format(f"{sentence[0].upper()}{sentence[1:]}."), status, headers)
    await refusal(connection.scope, receive, send)


def _cookie_name(connection: HTTPConnection) -> str:
    """Return the name of the server's cookie, which includes the port: browsers send cookies to all ports of a host."""
    address = urlsplit(f"//{connection.headers['host']}")
    return f"{COOKIE}_{address.port or 80}"


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending


def _limited(receive: Receive, most: int | None) -> Receive:
    """Return a `receive` that aborts bodies that are too long or too slow."""
    seen, seconds, more = 0, BODY_SECONDS, True

    async def receiving() -> Message:
        nonlocal seen, seconds, more
        if not more:  # the body is complete: this waits for the client to disconnect
            return await receive()
        began = time.monotonic()
        try:
            message = await asyncio.wait_for(receive(), seconds)
        except TimeoutError:
            more = False
            return {"type": "http.disconnect"}
        size = len(message.get("body", b""))
        seen, more = seen + size, bool(message.get("more_body", False))
        # Every byte extends the deadline: slow clients may send large files, but a trickle cannot keep a connection
        # open.
        seconds = min(BODY_SECONDS, seconds - (time.monotonic() - began) + size / SLOWEST)
        return {"type": "http.disconnect"} if most is not None and seen > most else message

    return receiving


def most_connections() -> int:
    """Return the connection limit, at most half the number of files that the process may open."""
    try:
        import resource
    except ImportError:  # Windows
        return MOST_CONNECTIONS
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if allowed == resource.RLIM_INFINITY else max(16, min(MOST_CONNECTIONS, allowed // 2))


class LimitedProtocol(H11Protocol):
    """Connections whose requests must arrive in time; if there are too many, strangers are closed first.

    Strangers are connections on which no request has been admitted yet: anybody can open them, so they may take up at
    most half of the connections. All steps take constant time, independent of the number of connections.
    """

    most = most_connections()
    # In the order in which they became idle; dicts, since any of them may be removed.
    strangers: ClassVar[dict[LimitedProtocol, None]] = {}
    idle: ClassVar[dict[LimitedProtocol, None]] = {}
    _clock: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a connection; if there are too many, close the connection that has been idle for longest."""
        super().connection_made(transport)
        self._wait(self.strangers, HEADER_SECONDS)
        if len(self.strangers) > self.most // 2 or len(self.connections) > self.most:
            next(iter(self.strangers if len(self.strangers) > 1 else self.idle or self.strangers)).abort()

    def abort(self) -> None:
        """Close this connection immediately."""
        self._stop_waiting()
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Read more bytes; the deadline of incomplete headers does not change."""
        if self in self.idle and self.timeout_keep_alive_task is not None:  # the next request begins now
            self._wait(self.idle, HEADER_SECONDS)
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()

    def send_400_response(self, msg: str) -> None:
        """Refuse data that is not a request, in one write; a response in progress is only closed."""
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            self.transport.write(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
        self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the deadline."""
        self._stop_waiting()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: Any) -> None:
        """Hand over to the websocket protocol."""
        self._stop_waiting()
        super().handle_websocket_upgrade(event)

    def on_response_complete(self) -> None:
        """Wait for the next request, limited by uvicorn's keep-alive timeout."""
        among = self.idle if self.scope["state"].get("admitted") else self.strangers
        super().on_response_complete()  # begins the next request, if one has already arrived
        if self.cycle.response_complete and not self.transport.is_closing():
            self._wait(among)

    def _wait(self, among: dict[LimitedProtocol, None], seconds: float | None = None) -> None:
        """Mark as idle, and close if no request is complete after the given number of seconds."""
        self._stop_waiting()
        among[self] = None
        if seconds is not None:
            self._clock = self.loop.call_later(seconds, self.abort)

    def _stop_waiting(self) -> None:
        self.strangers.pop(self, None)
        self.idle.pop(self, None)
        if self._clock is not None:
            self._clock.cancel()


class LimitedServer(uvicorn.Server):
    """Accepts connections itself, one at a time, and slowly while strangers have as many as allowed."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the application, then accept connections."""
        for listening in sockets or []:
            listening.setblocking(False)
            listening.listen(self.config.backlog)
        await super().startup([])
        self._accepting = [asyncio.create_task(self._accept(one)) for one in sockets or []]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop accepting, then shut down the application."""
        for task in self._accepting:
            task.cancel()
        await super().shutdown(sockets)

    async def _accept(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            # A flood of connections then waits in the system's queue and costs this process almost nothing.
            if len(LimitedProtocol.strangers) >= LimitedProtocol.most // 2:
                await asyncio.sleep(CROWDED_SECONDS)
            try:
                connection, _ = await loop.sock_accept(listening)
                await loop.connect_accepted_socket(
                    lambda: LimitedProtocol(self.config, self.server_state, self.lifespan.state), connection
                )
            except Exception:  # already gone, or too many open files: in any case, accept others
                await asyncio.sleep(CROWDED_SECONDS)


class FewLines(logging.Filter):
    """Limits log lines per minute, so that no client can fill the disk."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock, self._began, self._count = clock, clock(), 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to print a line; the first after a gap reports how many were dropped."""
        now = self._clock()
        if now - self._began > LINES_SECONDS:
            left_out = self._count - LINES
            self._began, self._count = now, 0
            if left_out > 0:
                record.msg = f"{record.getMessage()} ({left_out} more lines were left out)"
                record.args = ()
        self._count += 1
        return self._count <= LINES


def limit_logs() -> None:
    """Limit the log output of the server and its event loop."""
    for name in ("uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        if not any(isinstance(one, FewLines) for one in logger.filters):
            logger.addFilter(FewLines())

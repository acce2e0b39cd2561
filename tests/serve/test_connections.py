"""Who says nothing is sent away, and who knocks too often fills neither the table of connections nor the disk."""

from __future__ import annotations

import asyncio
import http.client
import json
import logging
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import uvicorn

from freshtake.serve import guard
from freshtake.serve.guard import HEADER_SECONDS, LINES, FewLines
from tests.serve.in_a_loop import run_apart
from tests.serve.studio import PATIENCE

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits of open files are set by ulimit")
FILES, IDLE = 128, 200


class Served:
    """A server as users start it, which may open few files."""

    def __init__(self, folder: Path, *more: str) -> None:
        self.log = folder / "log"
        command = [sys.executable, "-m", "freshtake", "serve", "--project", str(folder / "p"), "--port", "0", "--json"]
        limited = ["sh", "-c", f'ulimit -n {FILES}; exec "$@"', "sh", *command, *more]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(limited, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self.process.stdout is not None
        said = json.loads("".join(iter(self.process.stdout.readline, "}\n")) + "}")
        self.url, self.token = said["url"], said["token"]
        self.address = (urlsplit(self.url).hostname or "", urlsplit(self.url).port or 0)

    def status(self, path: str, **headers: str) -> int:
        base = self.url.partition("?")[0]
        return httpx.get(f"{base.rstrip('/')}{path}", headers=headers, timeout=PATIENCE).status_code

    def close(self) -> None:
        assert self.process.stdout is not None
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    found = Served(tmp_path_factory.mktemp("served"))
    yield found
    found.close()


def test_other_users_of_this_machine_need_the_token(served: Served) -> None:
    assert served.token and served.url.endswith(f"/?token={served.token}")
    assert served.status("/api/project") == 401
    assert served.status("/api/project", authorization=f"Bearer {served.token}") == 200


def test_whoever_wants_no_token_needs_none(tmp_path: Path) -> None:
    found = Served(tmp_path, "--no-token")
    try:
        assert found.token is None and "token" not in found.url and found.status("/api/project") == 200
    finally:
        found.close()


def test_idle_connections_lock_nobody_out_and_fill_no_log(served: Served) -> None:
    with ExitStack() as opened:
        knocking = [opened.enter_context(socket.create_connection(served.address)) for _ in range(IDLE)]
        assert served.status("/api/project", authorization=f"Bearer {served.token}") == 200
        for one in knocking:  # garbage instead of a request, repeatedly
            try:
                one.sendall(b"\0\0\r\n\r\n")
            except OSError:  # it has been closed already
                continue
        assert served.status("/api/project", authorization=f"Bearer {served.token}") == 200
    assert len(served.log.read_text().splitlines()) < 4 * LINES


def test_strangers_close_no_connection_of_who_was_let_in(served: Served) -> None:
    let_in = http.client.HTTPConnection(*served.address, timeout=PATIENCE)
    with ExitStack() as opened, closing(let_in):

        def status() -> int:
            let_in.request("GET", "/api/samples", headers={"authorization": f"Bearer {served.token}"})
            answer = let_in.getresponse()
            answer.read()
            return answer.status

        assert status() == 200
        socket_then = let_in.sock
        for _ in range(5):  # it is the longest idle one each time
            for _ in range(IDLE // 5):
                opened.enter_context(socket.create_connection(served.address))
            assert status() == 200
        assert let_in.sock is socket_then


def test_headers_have_to_arrive_in_time(served: Served) -> None:
    with ExitStack() as opened:
        slow = [
            opened.enter_context(socket.create_connection(served.address, timeout=10 * HEADER_SECONDS))
            for _ in range(2)
        ]
        slow[1].sendall(b"GET /api/project HTTP/1.1\r\nHost: 127.0.0.1\r\n")  # the other says nothing at all
        for one in slow:
            with suppress(ConnectionResetError):
                assert one.recv(1) == b""


def test_a_body_that_drips_ends_and_a_slow_one_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.2)
    monkeypatch.setattr(guard, "SLOWEST", 100.0)

    async def read(pieces: int, size: int, pause: float) -> Any:
        left = pieces

        async def receive() -> Any:
            nonlocal left
            await asyncio.sleep(pause)
            left -= 1
            return {"type": "http.request", "body": b"x" * size, "more_body": left > 0}

        limited = guard._limited(receive, None)
        while True:
            message = await limited()
            if message["type"] == "http.disconnect" or not message["more_body"]:
                return message["type"]

    assert run_apart(read(30, 100, 0.02)) == "http.request"
    assert run_apart(read(30, 0, 0.02)) == "http.disconnect"
    assert run_apart(read(2, 1000, 0.5)) == "http.disconnect"


def test_waiting_for_a_client_to_leave_has_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.01)

    async def read() -> list[str]:
        waiting = [0.0, 0.1]

        async def receive() -> Any:
            await asyncio.sleep(waiting.pop(0))
            return {"type": "http.request" if waiting else "http.disconnect", "body": b"", "more_body": False}

        limited = guard._limited(receive, None)
        began = time.monotonic()
        kinds = [(await limited())["type"], (await limited())["type"]]
        assert time.monotonic() - began >= 0.1
        return kinds

    assert run_apart(read()) == ["http.request", "http.disconnect"]


def test_log_lines_are_few_and_those_left_out_are_counted() -> None:
    now = [0.0]
    few = FewLines(lambda: now[0])

    def line() -> logging.LogRecord:
        return logging.LogRecord("uvicorn.error", logging.WARNING, "", 0, "Invalid %s", ("request",), None)

    assert sum(few.filter(line()) for _ in range(1000)) == LINES
    now[0] = 61.0
    after = line()
    assert few.filter(after) and after.getMessage() == f"Invalid request ({1000 - LINES} more lines were left out)"


@pytest.fixture
def limited() -> Iterator[tuple[str, int]]:
    """A server of this process, which answers every request with 200, and POST by half of a body before it reads."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        size = b"100" if scope["method"] == "POST" else b"0"
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", size)]})
        if scope["method"] == "POST":
            await send({"type": "http.response.body", "body": b"." * 50, "more_body": True})
            while (await receive())["type"] != "http.disconnect":
                pass
            return
        await send({"type": "http.response.body", "body": b""})

    config = uvicorn.Config(app, http=guard.LimitedProtocol, lifespan="off", log_level="error")
    server, listening = guard.LimitedServer(config), socket.create_server(("127.0.0.1", 0))
    serving = threading.Thread(target=server.run, args=([listening],))
    serving.start()
    while not server.started and serving.is_alive():
        time.sleep(0.01)
    yield listening.getsockname()
    server.should_exit = True
    serving.join()


def _status(client: socket.socket) -> bytes:
    client.sendall(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
    return client.recv(12)


def test_a_connection_that_fails_is_not_the_last_one(limited: tuple[str, int]) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    with socket.socket() as client, socket.socket() as later:
        client.settimeout(PATIENCE)
        later.settimeout(PATIENCE)
        os.close(lowest := os.dup(0))
        resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, before[1]))  # no file can be opened, so none is accepted
        try:
            client.connect(limited)
            time.sleep(0.2)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)
        assert _status(client) == b"HTTP/1.1 200"
        later.connect(limited)
        assert _status(later) == b"HTTP/1.1 200"


def test_what_is_no_request_is_refused_and_its_connection_closed(
    limited: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "HEADER_SECONDS", 3600.0)
    with socket.create_connection(limited, timeout=PATIENCE) as client:
        client.sendall(b"\0\0\r\n\r\n")
        answer = b"".join(iter(lambda: client.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 400 ") and b"content-length: 0" in answer


def test_a_response_that_has_begun_is_not_mixed_with_a_refusal(limited: tuple[str, int]) -> None:
    with socket.create_connection(limited, timeout=PATIENCE) as client:
        client.sendall(b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n")
        answer = b""
        while not answer.endswith(b"." * 50):
            answer += client.recv(4096)
        client.sendall(b"no length of a chunk\r\n")
        assert b"".join(iter(lambda: client.recv(4096), b"")) == b""

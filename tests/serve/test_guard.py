"""Who may ask: checked on the application itself, without a server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from freshtake.serve.app import make_app
from freshtake.serve.guard import HEADERS, LOCAL, MOST_JSON, Guard
from freshtake.serve.project import Project
from tests.serve.in_a_loop import run_apart

TOKEN = "5f2d8c1e9b7a46d3"


async def inner(scope: Any, receive: Any, send: Any) -> None:
    """Answers 200 to all that comes through, with the number of bytes that it got."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"size", str(size).encode())]})
    await send({"type": "http.response.body", "body": b""})


def asked(guard: Guard, path: str = "/api/project", kind: str = "http", body: bytes = b"", **headers: str) -> Any:
    """What is sent back: the first message."""
    sent: list[Any] = []
    path, _, query = path.partition("?")
    scope = {
        "type": kind, "path": path, "query_string": query.encode(), "method": "GET",
        "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()],
    }  # fmt: skip
    parts = [body[k : k + 2**20] for k in range(0, len(body), 2**20)] or [b""]
    waiting = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
    waiting[-1]["more_body"] = False
    if kind == "websocket":
        waiting = [{"type": "websocket.connect"}]  # type: ignore[dict-item]

    async def receive() -> Any:
        return waiting.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    run_apart(guard(scope, receive, send))
    return sent[0] if sent else None


def status(guard: Guard, *arguments: Any, **headers: Any) -> int:
    found: int = asked(guard, *arguments, **headers)["status"]
    return found


PLAIN, SECRET = Guard(inner), Guard(inner, token=TOKEN, open_to_network=True)


@pytest.mark.parametrize("host", ["127.0.0.1:8790", "localhost:1", "localhost", "[::1]:8790"])
def test_this_machine_is_answered(host: str) -> None:
    assert status(PLAIN, host=host) == 200
    assert status(PLAIN, host=host, origin=f"http://{host}", sec_fetch_site="same-origin") == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "10.0.0.5:8790", "", "[", "localhost."])
def test_names_that_somebody_pointed_here_are_not(host: str) -> None:
    assert status(PLAIN, host=host) == 421
    assert asked(PLAIN, "/api/events", "websocket", host=host)["type"] == "websocket.close"


@pytest.mark.parametrize(
    "more",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://["},
        {"origin": "http://localhost:9999"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ],
)
def test_pages_of_other_sites_are_refused(more: dict[str, str]) -> None:
    assert status(PLAIN, host="localhost:8790", **more) == 403
    assert asked(PLAIN, "/api/live/x", "websocket", host="localhost:8790", **more)["code"] == 1008
    assert asked(PLAIN, "/api/live/x", "websocket", host="localhost:8790")["type"] == "websocket.accept"


def test_a_token_is_needed() -> None:
    there = {"host": "192.168.1.7:8790"}
    assert status(SECRET, **there) == 401 and asked(SECRET, "/api/events", "websocket", **there)["code"] == 1008
    assert status(SECRET, **there, authorization=f"Bearer {TOKEN}") == 200
    assert status(SECRET, **there, authorization=f"Bearer {TOKEN[:-1]}") == 401
    assert status(SECRET, **there, cookie=f"freshtake_token_8790={TOKEN}") == 200
    assert status(SECRET, **there, cookie=f"freshtake_token_8791={TOKEN}") == 401, "of another server here"
    assert status(SECRET, **there, cookie="freshtake_token_8790=ä; =;,") == 401
    assert status(SECRET, f"/api/project?token={TOKEN}", **there) == 401, "only the start page takes it from there"
    assert status(SECRET, host="evil.example", authorization=f"Bearer {TOKEN}") == 421


def test_the_start_page_turns_the_token_into_a_cookie_that_no_script_sees() -> None:
    answer = asked(SECRET, f"/?token={TOKEN}", host="192.168.1.7:8790")
    headers = dict(answer["headers"])
    assert answer["status"] == 303 and headers[b"location"] == b"/"
    # Strict would reject anyone who follows the link in a mail or a chat: their browser comes from another site
    assert headers[b"set-cookie"] == f"freshtake_token_8790={TOKEN}; Path=/; HttpOnly; SameSite=Lax".encode()


def test_a_browser_gets_the_refusal_as_a_page_and_a_tool_as_json() -> None:
    for accept, kind in {"text/html,*/*": b"text/html", "*/*": b"application/json"}.items():
        answer = asked(SECRET, "/", host="192.168.1.7:8790", accept=accept)
        assert answer["status"] == 401 and dict(answer["headers"])[b"content-type"].startswith(kind)


def test_bodies_are_limited_whether_they_say_their_size_or_not() -> None:
    local = {"host": "localhost"}
    assert status(PLAIN, "/api/jobs", content_length=str(MOST_JSON + 1), **local) == 413
    assert status(PLAIN, "/api/jobs", content_length="many", **local) == 400
    assert asked(PLAIN, "/api/jobs", body=b"x" * (MOST_JSON + 1), **local) is None
    assert status(PLAIN, "/api/takes", body=b"x" * (MOST_JSON + 1), **local) == 200


def test_every_answer_says_what_a_page_may_do() -> None:
    policy = HEADERS["content-security-policy"]
    assert policy.startswith("default-src 'self';") and "unsafe" not in policy and "http" not in policy
    assert "frame-ancestors 'none'" in policy
    for host in ("localhost", "evil.example"):
        headers = {name.decode(): value.decode() for name, value in asked(PLAIN, host=host)["headers"]}
        assert HEADERS.items() <= headers.items()


@pytest.fixture
def application(tmp_path: Path) -> Iterator[Any]:
    project = Project(tmp_path)
    yield make_app(project, hosts=LOCAL)
    project.close()


def test_the_application_stands_behind_its_guard(application: Any) -> None:
    assert status(application, host="evil.example") == 421
    assert status(application, "/openapi.json", host="localhost") == 200
    for path in ("/docs", "/redoc", "/api/nothing", "/../pyproject.toml"):
        assert status(application, path, host="localhost") == 404

"""A server to test with, and a client with the usual requests."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from freshtake.serve.app import make_app
from freshtake.serve.project import Project
from freshtake.serve.running import _listen
from freshtake.studio.pages import add_pages

PATIENCE = 120.0  # seconds: the machine may be busy


class Studio:
    """A client of a server."""

    def __init__(self, url: str, project: Project | None = None, server: Any = None) -> None:
        self.url, self.project, self.server = url, project, server
        # A connection that is kept may be closed by the server just when the next test asks.
        self.http = httpx.Client(base_url=url, timeout=PATIENCE, limits=httpx.Limits(max_keepalive_connections=0))

    def get(self, path: str, **query: Any) -> Any:
        answer = self.http.get(f"/api{path}", params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def refused(self, method: str, path: str, status: int, **more: Any) -> str:
        answer = self.http.request(method, f"/api{path}", **more)
        assert answer.status_code == status, answer.text
        assert set(answer.json()) == {"error"}
        sentence: str = answer.json()["error"]
        assert sentence and "\n" not in sentence and "Traceback" not in sentence
        return sentence

    def done(self, job: dict[str, Any], state: str = "done") -> dict[str, Any]:
        """The job after it has ended as expected."""
        until = time.monotonic() + PATIENCE
        while job["state"] in ("waiting", "running"):
            assert time.monotonic() < until, job
            time.sleep(0.02)
            job = self.get(f"/jobs/{job['id']}")
        assert job["state"] == state, job
        return job

    def begin(self, task: str, items: list[str], **asked: Any) -> dict[str, Any]:
        answer = self.http.post("/api/jobs", json={"task": task, "items": items, **asked})
        assert answer.status_code == 202, answer.text
        job: dict[str, Any] = answer.json()
        return job

    def ask(self, task: str, items: list[str], state: str = "done", **asked: Any) -> dict[str, Any]:
        return self.done(self.begin(task, items, **asked), state)

    def made(self, task: str, items: list[str], **asked: Any) -> list[str]:
        found: list[str] = self.ask(task, items, **asked)["made"]
        return found

    def samples(self, name: str, takes: int = 4) -> list[str]:
        found: list[str] = self.done(self.http.post(f"/api/samples/{name}?takes={takes}").json())["made"]
        return found

    def send(self, name: str, data: bytes, state: str = "done") -> dict[str, Any]:
        answer = self.http.post("/api/takes", params={"name": name}, content=data)
        assert answer.status_code == 202, answer.text
        return self.done(answer.json(), state)

    def item(self, id: str) -> Any:
        return self.get(f"/items/{id}")


@contextmanager
def running(folder: Path) -> Iterator[Studio]:
    """A real server at a free port of this machine, in a thread."""
    listening = _listen("127.0.0.1", 0)
    project = Project(folder)
    app = make_app(project, workers=1)
    add_pages(app)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server has ended"
        time.sleep(0.01)
    studio = Studio(f"http://127.0.0.1:{listening.getsockname()[1]}", project, app)
    try:
        yield studio
    finally:
        studio.http.close()
        server.should_exit = True
        thread.join(10.0)
        listening.close()
        project.close()

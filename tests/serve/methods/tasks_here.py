"""A project whose tasks run in this process, in order: their results, without waiting for workers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from freshtake import samples
from freshtake.serve.items import Item, new_id
from freshtake.serve.job_requests import JobRequest
from freshtake.serve.project import Project
from freshtake.serve.tasks import TASKS
from freshtake.serve.tasks.context import Context
from tests.serve.in_a_loop import run_apart

BODIES: TypeAdapter[Any] = TypeAdapter(JobRequest)


class Here:
    """A project and its tasks."""

    def __init__(self, folder: Path) -> None:
        self.project = Project(folder)
        self.reports: list[tuple[str, float, float]] = []
        self.notes: list[str] = []
        self._made: list[Item] = []

    def run(self, task: str, items: list[str] | None = None, **asked: Any) -> list[Item]:
        """The result of a task, requested as by the page: the body checks it first."""
        body = BODIES.validate_python({"task": task, "items": items or [], **asked})
        settings = body.model_dump(exclude={"task"}, exclude_unset=task == "again")
        self._made = []
        context = Context(self.project, new_id(), self._say, items or [])
        TASKS[task].load()(context, **settings)
        assert all(0.0 <= done <= of for _, done, of in self.reports)
        return [item for item in self._made if item.kind != "movement"]

    def _say(self, kind: str, *words: Any) -> None:
        if kind == "item":
            self._made.append(self.project.add(Item.model_validate_json(words[0]), words[1]))
        elif kind == "report":
            self.reports.append(words)
        elif kind == "note":
            self.notes.append(words[0])

    def take(self, name: str, motion: Any) -> str:
        """A motion as a take; its name ends in a number, and the group is the part before it."""
        context = Context(self.project, new_id(), self._say)
        group = re.sub(r"_\d+$", "", name)
        return context.add_take("take", name, motion, group=group).id


def fill(here: Here) -> dict[str, list[str]]:
    """Short takes of a few movements, as ids by group."""
    made: dict[str, list[Any]] = {
        "walk": [samples.walk(np.random.default_rng(k), cycles=1, fps=30.0) for k in range(4)],
        "long": [samples.walk(np.random.default_rng(10 + k), cycles=3, fps=30.0) for k in range(2)],
        "limp": [samples.walk(np.random.default_rng(20 + k), cycles=3, style="limp", fps=30.0) for k in range(2)],
        "run": [samples.run(np.random.default_rng(30), cycles=3, fps=30.0)],
        "flag": [samples.flag(np.random.default_rng(40), frames=60, columns=17, rows=11)],
    }
    return {name: [here.take(f"{name}_{k}", one) for k, one in enumerate(some, 1)] for name, some in made.items()}


class Client:
    """Asks an application in this process."""

    def __init__(self, app: Any) -> None:
        self.app = app

    def ask(self, method: str, address: str, **more: Any) -> Any:
        """The answer."""
        import httpx

        async def asked() -> httpx.Response:
            transport = httpx.ASGITransport(app=self.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
                return await client.request(method, address, **more)

        return run_apart(asked())

    def get(self, address: str, **more: Any) -> Any:
        """Read."""
        return self.ask("GET", address, **more)

    def post(self, address: str, json: Any) -> Any:
        """Send."""
        return self.ask("POST", address, json=json)


class Directly:
    """In place of the process next to the server."""

    def call(self, function: Any, *arguments: Any) -> Any:
        """Here and now."""
        return function(*arguments)

    async def answer(self, request: Any, function: Any, *arguments: Any) -> Any:
        """Here and now."""
        return function(*arguments)

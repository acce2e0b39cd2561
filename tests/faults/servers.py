"""Killed servers: the agents' server, which writes the results of a tool call, and the studio."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import sys
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import numpy as np

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.serve.items import ENDED
from freshtake.serve.project import Project
from tests.faults.forks import Counts, ended, forked
from tests.serve.studio import Studio

PATIENCE = 300.0  # seconds, since the machine may be busy


def call_agent_server(tool: str, arguments: dict[str, Any]) -> int:
    """Run the server for agents in a fork, which dies with this process's group, and call one of its tools.

    Returns:
        0 if the tool did its job, 2 if it answered with a sentence.
    """
    (stdin, requests), (answers, stdout) = os.pipe(), os.pipe()
    process = os.fork()
    if process == 0:
        os.close(requests)
        os.dup2(stdin, 0)
        os.dup2(stdout, 1)
        os._exit(run(["mcp", "--allow", "."]))
    os.close(stdin)
    os.close(stdout)
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "faults", "version": "1"}}
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": about},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}},
    ]
    with os.fdopen(requests, "w", encoding="utf-8") as sent, os.fdopen(answers, encoding="utf-8") as received:
        for message in messages:
            print(json.dumps({"jsonrpc": "2.0", **message}), file=sent, flush=True)
            # Each request is answered before the next is sent; notifications have no answer.
            while "id" in message and (answer := json.loads(received.readline() or '{"id": null}')):
                if answer.get("id") in (message["id"], None):
                    break
    code = ended(process)
    refused = "error" in answer or answer.get("result", {}).get("isError", True)
    return code if code != 0 else 2 * int(refused)


def kill_studio(home: Path, kills: int, rng: np.random.Generator) -> Counts:
    """Kill a studio at random moments while takes are sent to it, a model is learned and variants are made."""
    folder, counts = home / "studio", Counts()
    began = time.monotonic()
    _use_studio(home, folder, None)
    seconds = time.monotonic() - began
    for _ in range(kills):
        shutil.rmtree(folder, ignore_errors=True)
        told, in_work = _use_studio(home, folder, float(rng.random()) * seconds)
        one = Counts(faults=1, in_work=int(in_work))
        project = Project(folder)
        items = {item.id: item for item in project.items()}
        lost = [id for id in told if id not in items]
        one.corrupt = len(lost) + sum(not _readable(project, id, item.kind) for id, item in items.items())
        one.corrupt += _integrity(folder)
        one.other = sum(job.state not in ENDED for job in project.jobs().values())
        names = {project.path(id).name.partition(".")[0] for id in items if items[id].kind != "movement"}
        stray = [path.name for path in project.files.iterdir() if path.name.partition(".")[0] not in names]
        one.left_over = len(stray) + len(list(project.work.iterdir()))
        project.close()
        again, _ = _use_studio(home, folder, None)
        one.not_completed = int(len(again) != len(_EXPECTED))
        if one.wrong:
            one.problems = [f"studio: lost {lost}, stray {stray}, {len(again)} items when asked again"]
        counts += one
    return counts


_EXPECTED = ("take", "take", "take", "model", "variant", "variant")


def _use_studio(home: Path, folder: Path, kill_after: float | None) -> tuple[list[str], bool]:
    """Start a studio and request a model and variants of three takes.

    Returns:
        The items that it reported to have made, and whether it was killed before it had done everything.
    """
    answers, stdout = os.pipe()

    def work() -> int:
        os.dup2(stdout, 1)
        return run(["serve", "--project", str(folder), "--port", "0", "--no-token", "--json"])

    process = forked(work)
    os.close(stdout)
    timer = threading.Timer(kill_after or PATIENCE, _kill, [process])
    timer.start()
    made: list[str] = []
    complete = False
    try:
        with os.fdopen(answers, encoding="utf-8") as received:
            reported = ""
            while not reported.endswith("}\n") and (line := received.readline()):
                reported += line
            if reported.endswith("}\n"):
                studio = Studio(json.loads(reported)["url"])
                with studio.http:
                    for path in sorted((home / "walk").glob("*.bvh")):
                        made += studio.send(path.name, path.read_bytes())["made"]
                    model = studio.made("learn", made[:3])
                    made += model
                    made += studio.made("vary", model, count=2)
                complete = True
    except (httpx.HTTPError, OSError):
        pass
    finally:
        timer.cancel()
        _kill(process)
        ended(process)
    return made, not complete


def _kill(process: int) -> None:
    """Kill a server with its workers, which are in its group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)


def _readable(project: Project, id: str, kind: str) -> bool:
    """Return whether the file of an item is there, and complete."""
    if kind == "movement":
        return True
    try:
        path = project.path(id)
        ft.load(path) if path.suffix == ".ftm" else ft.read(path, warn=lambda note: None)
    except (ft.FreshtakeError, OSError) as error:
        print(f"  studio: {kind} {id}: {error}", file=sys.stderr)
        return False
    return True


def _integrity(folder: Path) -> int:
    rows = sqlite3.connect(folder / "project.sqlite")
    try:
        return int(rows.execute("PRAGMA integrity_check").fetchone()[0] != "ok")
    finally:
        rows.close()

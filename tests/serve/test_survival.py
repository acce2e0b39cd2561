"""A server killed at work: finished items are there, running jobs are marked, no process is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import Pipe
from pathlib import Path

import pytest

import freshtake as ft
from freshtake.serve.project import Project
from freshtake.serve.workers import _run
from tests.serve.studio import PATIENCE, Studio


@contextmanager
def served(folder: Path) -> Iterator[tuple[Studio, subprocess.Popen[str]]]:
    command = [sys.executable, "-m", "freshtake", "serve", "--project", str(folder), "--port", "0", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    told = ""
    while not told.endswith("}\n"):
        line = process.stdout.readline()
        assert line, "the server has ended"
        told += line
    studio = Studio(json.loads(told)["url"].partition("?")[0])
    studio.http.headers["authorization"] = f"Bearer {json.loads(told)['token']}"
    try:
        yield studio, process
    finally:
        studio.http.close()
        process.kill()
        process.wait()
        process.stdout.close()


def test_killed_in_the_middle(tmp_path: Path, studio: Studio, model: str) -> None:
    data = studio.http.get(f"/api/exports/{model}").content
    with served(tmp_path / "project") as (studio, server):
        (letter,) = studio.samples("letter_a", 1)
        (model,) = studio.send("walk.ftm", data)["made"]
        job = studio.begin("vary", [model], count=1000)
        until = time.monotonic() + PATIENCE
        while not (made := studio.get(f"/jobs/{job['id']}")["made"]):
            assert time.monotonic() < until
        numbers = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]
        workers = [number for number in numbers if _parent(number) == server.pid]
        assert workers
        os.kill(server.pid, signal.SIGKILL)
    while any(_runs(worker) for worker in workers):
        assert time.monotonic() < until, "workers end with their server"
        time.sleep(0.02)
    project = Project(tmp_path / "project")
    items = {item.id: item for item in project.items()}
    assert {letter, model, made[0]} <= items.keys() and items[letter].kind == "strokes"
    assert project.job(job["id"]).state == "interrupted" and "again" in (project.job(job["id"]).error or "")
    for id in items:
        if items[id].kind == "variant":
            assert len(ft.read_clip(project.path(id))) == items[id].facts["frames"]
    project.close()


def _parent(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, IndexError):
        return -1


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_job_whose_server_is_gone_ends_without_a_crash_file(tmp_path: Path) -> None:
    server, worker = Pipe()
    server.close()
    with pytest.raises(BrokenPipeError):  # that no crash file is left is checked after every test
        _run(Project(tmp_path / "project"), worker, "1", "samples", {"items": [], "sample": "walk", "takes": 1})

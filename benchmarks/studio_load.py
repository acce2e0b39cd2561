"""Many windows while models are learned: python -m benchmarks.studio_load [--seconds 180] [--hostile]; wall time.

Each session is a window with a websocket that does something every half second: reads the project, loads a scene,
stars, asks for curves, a picture or the samples. Meanwhile so many learning jobs are kept in the line. A hostile one
holds hundreds of connections, says nothing on most of them, and on others what is no request.
"""

from __future__ import annotations

import argparse
import json
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

THINKING = 0.5  # seconds between two things that a session does


class Load(NamedTuple):
    """Seconds that each kind of request took, how many events windows heard, models learned, and megabytes at times."""

    times: dict[str, list[float]]
    failed: list[str]
    events: list[int]
    learned: int
    memory: list[tuple[float, float]]


def load(
    url: str, seconds: float, sessions: int = 20, learners: int = 5, *, least: int = 1, server: int | None = None
) -> Load:
    """Use a server with takes and variants in it for so long, and until each session has made `least` requests."""
    began = time.monotonic()
    until, over = began + seconds, threading.Event()
    result = Load({}, [], [0] * sessions, 0, [])
    users = [threading.Thread(target=_session, args=(url, k, until, least, result)) for k in range(sessions)]
    windows = [threading.Thread(target=_window, args=(url, k, over, result)) for k in range(sessions)]
    for thread in [*windows, *users]:
        thread.start()
    with httpx.Client(base_url=url, timeout=120.0) as client:
        takes = _ids(client, "take")[:4]
        jobs: list[str] = []
        while any(user.is_alive() for user in users):
            jobs = [id for id in jobs if client.get(f"/api/jobs/{id}").json()["state"] in ("waiting", "running")]
            while len(jobs) < learners:
                jobs.append(client.post("/api/jobs", json={"task": "learn", "items": takes}).json()["id"])
            if server is not None:
                result.memory.append((time.monotonic() - began, resident(server)))
            time.sleep(0.5)
        over.set()
        for thread in [*users, *windows]:
            thread.join()
        done = [job for job in client.get("/api/project").json()["jobs"] if job["task"] == "learn"]
        for id in jobs:
            client.delete(f"/api/jobs/{id}")
    return result._replace(learned=sum(job["state"] == "done" for job in done))


def _session(url: str, number: int, until: float, least: int, result: Load) -> None:
    chance, count = random.Random(number), 0
    with httpx.Client(base_url=url, timeout=120.0) as client:
        takes, variants = _ids(client, "take"), _ids(client, "variant")
        time.sleep(chance.random() * THINKING)
        while time.monotonic() < until or count < least:
            count += 1
            some = ",".join([*takes[:4], *variants[:8]])
            kind, method, path, body = chance.choice(
                [
                    ("project", "GET", "/api/project", None),
                    ("scene", "GET", f"/api/scene?items={some}", None),
                    ("star", "PATCH", f"/api/items/{chance.choice(variants)}", {"star": chance.choice([-1, 0, 1])}),
                    ("curves", "GET", f"/api/curves?items={some}&dof=LeftLeg.x", None),
                    ("thumbnail", "GET", f"/api/thumbnail/{chance.choice(takes)}.gif", None),
                    ("samples", "GET", "/api/samples", None),
                ]
            )
            began = time.monotonic()
            try:
                answer = client.request(method, path, json=body)
                if answer.status_code != 200:
                    result.failed.append(f"{kind}: {answer.status_code} {answer.text[:80]}")
            except httpx.HTTPError as error:
                result.failed.append(f"{kind}: {error!r}")
            result.times.setdefault(kind, []).append(time.monotonic() - began)
            time.sleep(THINKING)


def _window(url: str, number: int, over: threading.Event, result: Load) -> None:
    with connect(url.replace("http", "ws", 1).rstrip("/") + "/api/events", open_timeout=60.0) as socket:
        while not over.is_set():
            try:
                json.loads(socket.recv(timeout=0.2))
                result.events[number] += 1
            except TimeoutError:
                continue
            except ConnectionClosed as error:
                result.failed.append(f"window: {error}")
                return


def attack(url: str, over: threading.Event, connections: int = 500) -> None:
    """Keep so many connections open; those that are closed are opened again."""
    address = (urlsplit(url).hostname or "", urlsplit(url).port or 0)
    held: list[socket.socket] = []
    while not over.is_set():
        try:
            held.append(socket.create_connection(address, timeout=1.0))
            if len(held) % 3 == 0:
                held[-1].sendall(b"GET /api/project HTTP/1.1\r\nHost: x\r\n" if len(held) % 2 else b"\0\0\r\n\r\n")
        except OSError:  # refused, or closed at once: as it should be
            time.sleep(0.01)
        if len(held) > connections:
            held.pop(0).close()
    for one in held:
        one.close()


def _ids(client: httpx.Client, kind: str) -> list[str]:
    return [item["id"] for item in client.get("/api/project").json()["items"] if item["kind"] == kind]


def resident(process: int) -> float:
    """Megabytes that a process holds."""
    text = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return float(text.partition("VmRSS:")[2].split()[0]) / 1024


def share(times: list[float], part: float) -> float:
    """A quantile."""
    return sorted(times)[min(int(part * len(times)), len(times) - 1)]


def prepared(client: httpx.Client, variants: int = 8) -> None:
    """Takes, a model and variants in a project."""
    _done(client, client.post("/api/samples/walk").json())
    takes = _ids(client, "take")
    model = _done(client, client.post("/api/jobs", json={"task": "learn", "items": takes}).json())["made"][0]
    _done(client, client.post("/api/jobs", json={"task": "vary", "items": [model], "count": variants}).json())
    client.get(f"/api/thumbnail/{takes[0]}.gif")  # the processes are warm before anything is measured
    client.get(f"/api/curves?items={takes[0]}&dof=LeftLeg.x")
    client.get(f"/api/scene?items={takes[0]}")


def _done(client: httpx.Client, job: dict[str, Any]) -> dict[str, Any]:
    while job["state"] in ("waiting", "running"):
        time.sleep(0.1)
        job = client.get(f"/api/jobs/{job['id']}").json()
    if job["state"] != "done":
        raise SystemExit(str(job))
    return job


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=180.0)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--hostile", action="store_true", help="one more client, which only disturbs")
    seconds, sessions, hostile = vars(parser.parse_args()).values()
    over = threading.Event()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "freshtake", "serve", "--project", f"{folder}/p", "--port", "0"]
        server = subprocess.Popen([*command, "--json", "--no-token"], stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        url = json.loads("".join(iter(server.stdout.readline, "}\n")) + "}")["url"]
        try:
            with httpx.Client(base_url=url, timeout=120.0) as client:
                prepared(client)
            if hostile:
                threading.Thread(target=attack, args=(url, over)).start()
            found = load(url, seconds, sessions, server=server.pid)
        finally:
            over.set()
            server.terminate()
            server.wait()
    print("| request | how many | median ms | p99 ms | worst ms |\n|---|---|---|---|---|")
    for kind, times in sorted(found.times.items()):
        row = [1000 * value for value in (share(times, 0.5), share(times, 0.99), max(times))]
        print(f"| {kind} | {len(times)} | " + " | ".join(f"{value:.0f}" for value in row) + " |")
    every = [value for times in found.times.values() for value in times]
    print(f"\nall: p99 {1000 * share(every, 0.99):.0f} ms; failed {found.failed[:3]} ({len(found.failed)}); ", end="")
    early = [value for at, value in found.memory if seconds / 6 < at < seconds / 3]
    late = [value for at, value in found.memory if at > 5 * seconds / 6]
    print(
        f"models learned {found.learned}; events heard {min(found.events)} to {max(found.events)}; server's memory ",
        end="",
    )
    print(f"{sum(early) / len(early):.0f} MB in the second sixth, {sum(late) / len(late):.0f} MB in the last")


if __name__ == "__main__":
    main()

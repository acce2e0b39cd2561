"""Open many windows while models are learned: python -m benchmarks.studio_load [--seconds 180] [--hostile]; wall time.

Each session is a window with a websocket that does something every half second: reads the project, loads a scene,
stars, requests curves, a picture or the samples. Meanwhile, learning jobs are kept in the queue. A hostile
client, a separate process, holds hundreds of connections, sends nothing on most of them, and garbage on others.
It is absent and present in alternate quarters of the time, so both cases run under the same conditions.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
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

HEAD = b"GET /api/project HTTP/1.1\r\nHost: 127.0.0.1\r\n"
# Nothing, half a request, garbage, a request without the token, and a body that never comes.
DISTURBANCES = (
    b"",
    b"",
    HEAD,
    b"\0\0\r\n\r\n",
    HEAD + b"\r\n",
    HEAD.replace(b"GET", b"POST") + b"Content-Length: 9\r\n\r\n",
)
TOKEN = "benchmark0of0the0studio"
LET_IN = {"authorization": f"Bearer {TOKEN}"}
THINKING = 0.5  # seconds between two actions of a session


class Load(NamedTuple):
    """Seconds taken by each kind of request, events received by windows, models learned, and megabytes over time."""

    times: dict[str, list[float]]
    failed: list[str]
    events: list[int]
    learned: int
    memory: list[tuple[float, float]]


def load(
    url: str, seconds: float, sessions: int = 20, learners: int = 5, *, least: int = 1, server: int | None = None
) -> Load:
    """Use a server with takes and variants for some seconds, and until each session has made `least` requests."""
    began = time.monotonic()
    until, over = began + seconds, threading.Event()
    result = Load({}, [], [0] * sessions, 0, [])
    users = [threading.Thread(target=_session, args=(url, k, until, least, result)) for k in range(sessions)]
    windows = [threading.Thread(target=_window, args=(url, k, over, result)) for k in range(sessions)]
    for thread in [*windows, *users]:
        thread.start()
    with httpx.Client(base_url=url, timeout=120.0, headers=LET_IN) as client:
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
    with httpx.Client(base_url=url, timeout=120.0, headers=LET_IN) as client:
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
    with connect(
        url.replace("http", "ws", 1).rstrip("/") + "/api/events", open_timeout=60.0, additional_headers=LET_IN
    ) as socket:
        while not over.is_set():
            try:
                json.loads(socket.recv(timeout=0.2))
                result.events[number] += 1
            except TimeoutError:
                continue
            except ConnectionClosed as error:
                result.failed.append(f"window: {error}")
                return


def attack(url: str, connections: int = 500, threads: int = 4) -> None:
    """Keep connections open until the process is killed, constantly replacing the oldest."""
    for _ in range(threads):
        threading.Thread(target=_attack, args=(url, connections // threads)).start()


def _attack(url: str, connections: int) -> None:
    address = (urlsplit(url).hostname or "", urlsplit(url).port or 0)
    held: list[socket.socket] = []
    sent = 0
    while True:
        try:
            held.append(socket.create_connection(address, timeout=1.0))
            sent += 1
            held[-1].sendall(DISTURBANCES[sent % len(DISTURBANCES)])
        except OSError:  # refused or closed at once, as expected
            time.sleep(0.01)
        if len(held) > connections:
            held.pop(0).close()


def _ids(client: httpx.Client, kind: str) -> list[str]:
    return [item["id"] for item in client.get("/api/project").json()["items"] if item["kind"] == kind]


def resident(process: int) -> float:
    """Return the memory of a process in megabytes."""
    text = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return float(text.partition("VmRSS:")[2].split()[0]) / 1024


def share(times: list[float], part: float) -> float:
    """Return a quantile."""
    return sorted(times)[min(int(part * len(times)), len(times) - 1)]


def prepared(client: httpx.Client, variants: int = 8) -> None:
    """Make takes, a model and variants in a project."""
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


def processor_seconds(process: int) -> tuple[float, float]:
    """Return the processor seconds of a process and its descendants."""
    own, children = 0.0, 0.0
    tick = os.sysconf("SC_CLK_TCK")
    parents, used, ended = {}, {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        parents[int(folder.name)] = int(fields[1])
        used[int(folder.name)] = (int(fields[11]) + int(fields[12])) / tick
        ended[int(folder.name)] = (int(fields[13]) + int(fields[14])) / tick  # of children that it has waited for
    for one, seconds in used.items():
        above = one
        while above not in (process, 0, 1):
            above = parents.get(above, 0)
        if one == process:
            own, children = seconds, children + ended[one]
        elif above == process:
            children += seconds + ended[one]
    return own, children


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=180.0)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--learners", type=int, default=5)
    parser.add_argument("--hostile", action="store_true", help="one more client, which only disturbs")
    seconds, sessions, learners, hostile = vars(parser.parse_args()).values()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "freshtake", "serve", "--project", f"{folder}/p", "--port", "0"]
        server = subprocess.Popen([*command, "--json", "--token", TOKEN], stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        url = json.loads("".join(iter(server.stdout.readline, "}\n")) + "}")["url"].partition("?")[0]
        try:
            with httpx.Client(base_url=url, timeout=120.0, headers=LET_IN) as client:
                prepared(client)
            phases = [False, True] * 2 if hostile else [False]
            ran = [(one, measured(url, seconds / len(phases), sessions, learners, server.pid, one)) for one in phases]
        finally:
            server.terminate()
            server.wait()
    for attacked in sorted(set(phases)):
        print("\nwith a hostile client" if attacked else "\nby themselves")
        table([(found, used) for one, (found, used) in ran if one == attacked])


def measured(
    url: str, seconds: float, sessions: int, learners: int, server: int, hostile: bool
) -> tuple[Load, dict[str, float]]:
    """Load a server for a while, with the cores that its process, its workers and the hostile client used."""
    attacker = multiprocessing.get_context("spawn").Process(target=attack, args=(url,), daemon=True)
    if hostile:
        attacker.start()
    before, began = processor_seconds(server), time.monotonic()
    try:
        found = load(url, seconds, sessions, learners, server=server)
        took, after = time.monotonic() - began, processor_seconds(server)
        used = {"server": after[0] - before[0], "its processes": after[1] - before[1]}
        if hostile:
            used["hostile client"] = processor_seconds(attacker.pid or 0)[0]
    finally:
        if hostile:
            attacker.kill()
            attacker.join()
    return found, {**{name: value / took for name, value in used.items()}, "load": os.getloadavg()[0]}


def table(ran: list[tuple[Load, dict[str, float]]]) -> None:
    """Print the time of each kind of request, and the load of the server."""
    times: dict[str, list[float]] = {}
    for found, _ in ran:
        for kind, some in found.times.items():
            times.setdefault(kind, []).extend(some)
    times["all"] = [value for some in times.values() for value in some]
    print("| request | how many | median ms | p99 ms | worst ms |\n|---|---|---|---|---|")
    for kind, some in sorted(times.items()):
        row = [1000 * value for value in (share(some, 0.5), share(some, 0.99), max(some))]
        print(f"| {kind} | {len(some)} | " + " | ".join(f"{value:.0f}" for value in row) + " |")
    failed = [one for found, _ in ran for one in found.failed]
    events = [count for found, _ in ran for count in found.events]
    memory = [value for found, _ in ran for _, value in found.memory]
    print(
        f"failed {failed[:3]} ({len(failed)}); models learned {ran[-1][0].learned} so far; events heard "
        f"{min(events)} to {max(events)}; server's memory {memory[0]:.0f} MB at first, {memory[-1]:.0f} MB at the end"
    )
    for name in ran[0][1]:
        print(f"{name} {', '.join(f'{used[name]:.2f}' for _, used in ran)}", end="; ")
    print()


if __name__ == "__main__":
    main()

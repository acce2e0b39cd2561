"""Endless motion on a websocket: in time, steered at once, and never stopped by a wrong word."""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from freshtake.formats.vrm import PoseReader
from freshtake.serve import live
from freshtake.serve.live import RATE
from freshtake.workflows.live import Steers
from tests.serve.studio import PATIENCE, Studio


@contextmanager
def opened(studio: Studio, model: str, query: str = "") -> Iterator[tuple[ClientConnection, Any]]:
    with connect(f"{studio.url.replace('http', 'ws')}/api/live/{model}{query}", open_timeout=PATIENCE) as socket:
        yield socket, json.loads(socket.recv(timeout=PATIENCE))


def frame(message: bytes, count: int) -> tuple[int, np.ndarray]:
    number, x, z = struct.unpack_from("<Iff", message)
    return number, np.frombuffer(message, "<f4", 3 * count, offset=12).reshape(count, 3) + np.array([x, 0.0, z])


def frames(socket: ClientConnection, count: int, number: int, controls: dict[int, Any] | None = None) -> Any:
    """So many frames; at those numbered, a control is sent. Messages in words come with them."""
    out, said = {}, []
    while len(out) < number:
        message = socket.recv(timeout=PATIENCE)
        if isinstance(message, str):
            said.append(json.loads(message))
            continue
        at, points = frame(message, count)
        out[at] = points
        if controls and at in controls:
            socket.send(json.dumps(controls[at]))
    return out, said


def test_a_stream_keeps_time_and_follows_its_controls(studio: Studio, model: str) -> None:
    with opened(studio, model, "?seed=3") as (socket, told):
        count = told["manifest"]["shapes"][0]["count"]
        began = time.monotonic()
        plain, said = frames(socket, count, 90)
        took = time.monotonic() - began
    assert told["fps"] == 60.0 and told["method"] == "variation" and not said
    assert took > 1.0, "90 frames are a second and a half, less what is made ahead"
    path = np.array([points.mean(axis=0) for points in plain.values()])
    assert np.all(np.diff(path[:, 2]) > 0.0), "it walks on"
    bones = np.array(told["manifest"]["bodies"][0]["bones"]).reshape(-1, 2)
    lengths = [np.linalg.norm(p[bones[:, 0]] - p[bones[:, 1]], axis=1) for p in plain.values()]
    assert np.ptp(lengths, axis=0).max() < 1e-3, "bones keep their lengths"
    with opened(studio, model, "?seed=3") as (other, _):
        changed, said = frames(other, count, 90, {40: {"amount": 3.0}, 60: {"amount": "much"}})
    assert said and "amount" in said[0]["error"]
    same = [at for at in plain.keys() & changed.keys() if np.abs(plain[at] - changed[at]).max() < 1e-5]
    differ = [at for at in plain.keys() & changed.keys() if at not in same]
    assert differ and min(differ) > 40 and max(same) < min(differ)


class ClockedPipe:
    """A pipe and a clock in one: waiting moves the clock on, and a control arrives when frame 40 is due."""

    def __init__(self) -> None:
        self.now, self.sent = 0.0, 0
        self.amounts: list[float] = []
        self.controls = [{"amount": 3.0}]

    def monotonic(self) -> float:
        return self.now

    def poll(self, seconds: float) -> bool:
        due = bool(self.controls) and self.now + seconds >= 40 / RATE
        self.now = max(self.now, 40 / RATE) if due else self.now + seconds
        return due

    def recv(self) -> dict[str, float]:
        return self.controls.pop()

    def send(self, message: bytes) -> None:
        self.sent += 1
        if self.sent == 90:
            raise EOFError


class Still:
    """Motion that stands still, and notes by which amount each frame is made."""

    def __init__(self, steers: Steers, pipe: ClockedPipe) -> None:
        self.steers, self.pipe = steers, pipe

    def now(self) -> SimpleNamespace:
        self.pipe.amounts.append(self.steers.amount)
        return SimpleNamespace(
            points=np.zeros((1, 3)), ground=(0.0, 0.0), frame=None, turns=np.zeros((0, 4)), clip=None
        )

    def advance(self, seconds: float) -> None:
        assert seconds == self.steers.speed / RATE


def test_controls_act_within_a_tenth_of_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe, steers = ClockedPipe(), Steers()
    monkeypatch.setattr(live, "time", pipe)
    with pytest.raises(EOFError):
        live._send_frames(pipe, Still(steers, pipe), steers, Path("m.ftm"))  # type: ignore[arg-type]
    first = pipe.amounts.index(3.0)
    assert 40 < first <= 40 + 0.1 * RATE
    assert pipe.now == pytest.approx(89 / RATE - live.AHEAD), "frames are made a little before they are due"


def test_what_has_no_endless_motion_is_refused_in_a_sentence(studio: Studio, model: str, takes: list[str]) -> None:
    with opened(studio, takes[0]) as (socket, told), pytest.raises(ConnectionClosed):
        assert "not a model" in told["error"]
        socket.recv(timeout=PATIENCE)
    with opened(studio, model, f"?source={'0' * 16}") as (_, told):
        assert "no longer in the project" in told["error"]
    with opened(studio, model, f"?style={model}") as (_, told):
        assert "not a style model" in told["error"]
    streams = studio.server.state.studio.streams
    until = time.monotonic() + PATIENCE
    while streams._running and time.monotonic() < until:
        time.sleep(0.02)
    assert streams._running == 0, "streams end with their windows"


def test_windows_that_send_bytes_are_answered_in_words(studio: Studio, model: str, takes: list[str]) -> None:
    with opened(studio, model) as (socket, told):
        socket.send(b"\xff\0")
        _, said = frames(socket, told["manifest"]["shapes"][0]["count"], 30)
    assert "the control" in said[0]["error"]
    with connect(studio.url.replace("http", "ws") + "/api/events", open_timeout=PATIENCE) as socket:
        socket.send(b"\xff\0")
        studio.http.patch(f"/api/items/{takes[0]}", json={"star": 1})
        assert json.loads(socket.recv(timeout=PATIENCE))["item"]["star"] == 1
    studio.http.post("/api/undo")


def test_a_waiting_process_that_was_killed_is_replaced(studio: Studio, model: str) -> None:
    streams = studio.server.state.studio.streams
    streams.warm()
    spare = streams._spare.process
    spare.kill()
    spare.join()
    with opened(studio, model) as (socket, told):
        assert len(frames(socket, told["manifest"]["shapes"][0]["count"], 2)[0]) == 2


def test_what_is_shown_is_sent_to_avatars_too(studio: Studio, model: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as avatar, opened(studio, model, "?seed=3") as (line, told):
        avatar.bind(("127.0.0.1", 0))
        avatar.settimeout(PATIENCE)
        address = f"vmc://127.0.0.1:{avatar.getsockname()[1]}"
        line.send(json.dumps({"send": address}))
        _, said = frames(line, told["manifest"]["shapes"][0]["count"], 30)
        assert said == [{"sending": address}]
        reader = PoseReader()
        while not reader.complete:
            reader.take(avatar.recv(65536))
        clip = reader.clip(1 / 60)
        assert 0.5 < clip.root[0, 1] < 1.5, "hips are as high as those of a person, in metres"
        line.send(json.dumps({"send": "http://somewhere"}))
        _, said = frames(line, told["manifest"]["shapes"][0]["count"], 30)
        assert "vmc://" in said[0]["error"]


def test_a_person_wears_the_neutral_body_live(studio: Studio, model: str) -> None:
    with opened(studio, model) as (line, told):
        shape = told["manifest"]["shapes"][0]
        message = next(one for one in iter(lambda: line.recv(timeout=PATIENCE), None) if isinstance(one, bytes))
    numbers = np.frombuffer(message, "<f4", offset=12)
    turns = numbers[3 * shape["count"] :].reshape(-1, 4)
    assert "wear" in shape and len(turns) == len(told["manifest"]["wears"][0]["joints"])
    assert np.allclose(np.linalg.norm(turns, axis=1), 1.0, atol=1e-4)

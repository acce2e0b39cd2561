"""Jobs: same results as on the command line, progress reported, cancelled, and survived."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from websockets.sync.client import connect

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.requests import Variants
from freshtake.serve.processes import memory_limit
from freshtake.serve.tasks import TASKS
from freshtake.workflows.varying import guided_variants
from tests.serve.studio import PATIENCE, Studio


def test_a_model_is_the_one_of_the_command_line(studio: Studio, takes: list[str], model: str, tmp_path: Path) -> None:
    assert studio.project is not None
    for number, id in enumerate(takes):
        ft.write(tmp_path / f"walk_{number}.npz", ft.read_clip(studio.project.path(id)))
    assert run(["learn", str(tmp_path), "-o", str(tmp_path / "m.ftm"), "-q"]) == 0
    ours, theirs = ft.load_variation(studio.project.path(model)), ft.load_variation(tmp_path / "m.ftm")
    drawn = [one.sample(np.random.default_rng(1), cycles=1) for one in (ours, theirs)]
    np.testing.assert_array_equal(drawn[0].rotations, drawn[1].rotations)


def test_variants_are_those_of_their_seeds_and_can_be_made_again(
    studio: Studio, model: str, variants: list[str]
) -> None:
    assert studio.project is not None
    learned = ft.load_variation(studio.project.path(model))
    for k, id in enumerate(variants):
        item = studio.item(id)
        assert (item["seed"], item["number"], item["parent"], item["kind"]) == (7, 1 + k, model, "variant")
        wanted = next(guided_variants(learned, Variants(count=1, seed=7, first=1 + k))).motion
        made = ft.read_clip(studio.project.path(id))
        np.testing.assert_allclose(made.rotations, wanted.rotations, atol=1e-12)
    (again,) = studio.made("again", variants[:1])
    first, second = (ft.read_clip(studio.project.path(id)) for id in (variants[0], again))
    np.testing.assert_array_equal(first.rotations, second.rotations)
    (calm,) = studio.made("again", [again], amount=0.0, replace=True)
    assert calm == again and studio.item(again)["settings"]["amount"] == 0.0
    assert not np.array_equal(ft.read_clip(studio.project.path(again)).rotations[:9], second.rotations[:9])
    studio.http.post("/api/undo")
    np.testing.assert_array_equal(ft.read_clip(studio.project.path(again)).rotations, second.rotations)


def test_a_pinned_pose_is_met_and_a_loop_closes(studio: Studio, model: str, takes: list[str]) -> None:
    assert studio.project is not None
    pin = {"item": takes[0], "frame": 20, "second": 0.5}
    (id,) = studio.made("vary", [model], count=1, pins=[pin], plant=False)
    made, take = ft.read_clip(studio.project.path(id)), ft.read_clip(studio.project.path(takes[0]))
    error = np.abs(np.sum(made.rotations[30, 1:] * take.rotations[20, 1:], axis=-1))
    assert np.degrees(2 * np.arccos(np.clip(error, 0, 1))).max() < 1.0
    (id,) = studio.made("vary", [model], count=1, loop=True, in_place=True, parts={"arms": 0.2})
    loop = ft.read_clip(studio.project.path(id))
    assert loop.playback is not None and loop.playback.loop
    assert "wings" in studio.ask("vary", [model], "failed", parts={"wings": 1.0})["error"]


def test_takes_are_cut_and_repaired_and_it_can_be_undone(studio: Studio, tmp_path: Path) -> None:
    (long,) = studio.samples("walk_long", 1)
    pieces = studio.made("cut", [long], how="cycles")
    assert 10 <= len(pieces) <= 13
    frames = studio.item(pieces[2])["facts"]["frames"]
    assert 50 < frames < 80 and studio.item(pieces[2])["parent"] == long
    assert len(studio.made("cut", [long], how="repeats", first=10, last=70)) >= 10
    assert "has" in studio.ask("cut", [long], "failed", how="repeats", first=5, last=99999)["error"]
    walk = ft.samples.walk(np.random.default_rng(1), cycles=2)
    frozen = walk.rotations.copy()
    frozen[30:50] = frozen[30]
    root = walk.root.copy()
    root[30:50] = root[30]
    ft.write(tmp_path / "a.npz", walk.changed(rotations=frozen, root=root, channels=None))
    (id,) = studio.send("frozen.npz", (tmp_path / "a.npz").read_bytes())["made"]
    remedies = [found["remedy"] for found in studio.item(id)["findings"] if found["remedy"]]
    assert remedies
    studio.ask("repair", [id])
    assert not [f for f in studio.item(id)["findings"] if f["remedy"] in remedies]
    assert studio.get("/project")["undo"] == "repair frozen"
    studio.http.post("/api/undo")
    assert [f["remedy"] for f in studio.item(id)["findings"] if f["remedy"]] == remedies


def test_two_windows_hear_the_same_while_variants_are_made(studio: Studio, model: str) -> None:
    address = studio.url.replace("http", "ws") + "/api/events"
    with connect(address) as one, connect(address) as two:
        job = studio.begin("vary", [model], count=3, seed=100)
        heard: list[list[Any]] = [[], []]
        for window, events in ((one, heard[0]), (two, heard[1])):
            while not events or events[-1].get("job", {}).get("state") != "done":
                events.append(json.loads(window.recv(timeout=PATIENCE)))
    assert heard[0] == heard[1]
    items = [event["item"]["id"] for event in heard[0] if "item" in event]
    states = [event["job"]["state"] for event in heard[0] if "job" in event]
    assert items == studio.get(f"/jobs/{job['id']}")["made"] and len(items) == 3
    assert states[0] == "waiting" and "running" in states and states[-1] == "done"
    places = [k for k, event in enumerate(heard[0]) if "item" in event]
    assert places[0] < places[-1] - 1, "one after the other, not all at the end"
    changes = [event["change"] for event in heard[0] if "change" in event]
    assert changes == sorted(set(changes))


def test_cancelling_ends_the_process_and_a_process_that_is_killed_costs_one_sentence(
    studio: Studio, model: str
) -> None:
    job = studio.begin("vary", [model], count=1000, seed=1)
    waiting = [studio.begin("vary", [model], count=n, seed=1) for n in (1000, 1000)]
    number = _at_work(studio, job)
    answer = studio.http.delete(f"/api/jobs/{waiting[0]['id']}")
    assert answer.json()["state"] == "cancelled", "before it begins"
    assert studio.http.delete(f"/api/jobs/{job['id']}").json()["state"] == "cancelled"
    second = _at_work(studio, waiting[1])
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)
    ended = studio.get(f"/jobs/{job['id']}")
    assert ended["state"] == "cancelled" and 0 < len(ended["made"]) < 1000, "what was made stays"
    assert studio.http.delete(f"/api/jobs/{job['id']}").json()["state"] == "cancelled"
    os.kill(second, signal.SIGKILL)
    error = studio.done(waiting[1], "failed")["error"]
    assert "killed from outside" in error and "\n" not in error
    assert len(studio.made("vary", [model], count=1, seed=3)) == 1, "the next process is there"


def _at_work(studio: Studio, job: dict[str, Any]) -> int:
    """The process that runs a job, once it has made something."""
    until = time.monotonic() + PATIENCE
    while not studio.get(f"/jobs/{job['id']}")["made"]:
        assert time.monotonic() < until
        time.sleep(0.02)
    slots = studio.server.state.studio.workers._slots
    (found,) = [slot._process.process.pid for slot in slots if slot._job == job["id"]]
    number: int = found
    return number


def test_what_cannot_be_asked_is_refused_before_it_waits(studio: Studio, takes: list[str], model: str) -> None:
    def refused(status: int, **body: Any) -> str:
        return studio.refused("POST", "/jobs", status, json=body)

    assert "no longer in the project" in refused(404, task="learn", items=["0" * 16])
    refused(422, task="learn", items=["../../etc/passwd"])
    refused(422, task="learn", items=[])
    refused(422, task="rm", items=takes)
    refused(422, task="vary", items=[model], count=10**9)
    refused(422, task="vary", items=[model], amount=float("1e9"))
    refused(422, task="export", items=takes, format="exe")
    refused(422, task="learn", items=takes, target="/tmp/x")
    assert studio.ask("vary", takes[:1], "failed")["error"].count("\n") == 0
    assert studio.ask("learn", [model], "failed")["error"]


def test_time_is_limited_even_for_work_that_reports(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TASKS, "samples", TASKS["samples"]._replace(seconds=0.1))
    job = studio.http.post("/api/samples/walk_long?takes=20").json()
    assert "longer than 0.1 s" in studio.done(job, "failed")["error"]


def test_memory_is_limited_while_a_file_is_read() -> None:
    with pytest.raises(MemoryError), memory_limit(64 * 2**20):
        bytearray(512 * 2**20)
    assert len(bytearray(512 * 2**20))


def test_what_a_job_made_is_one_step_to_undo_and_so_is_one_movement_of_a_slider(studio: Studio, model: str) -> None:
    made = studio.made("vary", [model], count=2, seed=90)
    assert studio.get("/project")["undo"] == "make variants"
    studio.http.post("/api/undo")
    assert not {item["id"] for item in studio.get("/project")["items"]} & set(made)
    studio.http.post("/api/redo")
    for amount in (0.5, 0.2):
        studio.ask("again", made, replace=True, amount=amount, step="one drag")
    assert [studio.item(id)["settings"]["amount"] for id in made] == [0.2, 0.2]
    assert studio.get("/project")["undo"] == "change 2 variants"
    studio.http.post("/api/undo")
    assert [studio.item(id)["settings"]["amount"] for id in made] == [1.0, 1.0]
    studio.http.post("/api/undo")
    assert not {item["id"] for item in studio.get("/project")["items"]} & set(made)


def test_a_length_can_be_given_and_taken_back(studio: Studio, model: str) -> None:
    (id,) = studio.made("vary", [model], count=1, seed=40)
    natural = studio.item(id)["facts"]["frames"]
    studio.ask("again", [id], replace=True, seconds=3.0)
    given = studio.item(id)["facts"]["frames"]
    studio.ask("again", [id], replace=True, amount=1.0)  # says nothing of the length
    assert studio.item(id)["facts"]["frames"] == given > natural
    studio.ask("again", [id], replace=True, seconds=None)
    assert studio.item(id)["facts"]["frames"] == natural


def test_what_was_said_of_the_takes_stays_with_the_model(studio: Studio, takes: list[str]) -> None:
    other = studio.samples("kick", 1)
    job = studio.ask("learn", [*takes[:3], *other])
    (learned,) = (studio.item(id) for id in job["made"])
    assert learned["facts"]["notes"] == job["notes"]
    assert any("left out kick_1: " in note for note in job["notes"])
    studio.http.post("/api/remove", json={"items": [*job["made"], *other]})

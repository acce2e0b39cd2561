"""Uploaded files: read in a separate process, refused with one sentence, stored under our own names."""

from __future__ import annotations

import io
import json
import socket
import time
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest

import freshtake as ft
from freshtake.motion.check import check
from freshtake.serve.routes import project as jobs
from freshtake.serve.tasks import TASKS
from tests.broken import CORPUS
from tests.formats.characters import skinned
from tests.fuzz.seeds import AMC, ASF
from tests.serve.studio import PATIENCE, Studio

SENT = CORPUS[::8]


def files_in(studio: Studio) -> set[str]:
    assert studio.project is not None
    return {path.name for path in studio.project.folder.rglob("*") if path.is_file()}


def test_a_take_comes_back_as_it_was_sent(studio: Studio, tmp_path: Path) -> None:
    walk = ft.samples.walk(np.random.default_rng(1), cycles=1)
    ft.write(tmp_path / "walk.bvh", walk)
    (id,) = studio.send("../../walk.bvh", (tmp_path / "walk.bvh").read_bytes())["made"]
    item = studio.item(id)
    assert item["name"] == "walk" and item["facts"]["frames"] == len(walk) and item["facts"]["format"] == "BVH"
    assert studio.project is not None
    kept, sent = ft.read_clip(studio.project.path(id)), ft.read_clip(tmp_path / "walk.bvh")
    np.testing.assert_array_equal(kept.root, sent.root)
    np.testing.assert_array_equal(kept.rotations, sent.rotations)
    assert kept.skeleton == sent.skeleton and len(check(kept)) == len(check(sent))
    assert not [name for name in files_in(studio) if "walk" in name]


def test_broken_files_get_a_sentence_and_leave_nothing(studio: Studio, tmp_path: Path) -> None:
    assert studio.project is not None
    before, own = files_in(studio), studio.project.folder  # no sentence is to name a folder of the server
    seen = 0
    for number, case in enumerate(SENT):
        place = tmp_path / str(number)
        place.mkdir()
        path = case.write(place)
        if not path.is_file() or not path.read_bytes():
            continue
        job = studio.http.post("/api/takes", params={"name": path.name}, content=path.read_bytes()).json()
        error = studio.done(job, "failed")["error"]
        seen += 1
        assert "\n" not in error and "Traceback" not in error and "unexpected error" not in error, (case.title, error)
        assert not any(str(folder) in error for folder in (tmp_path.parent, own)), (case.title, error)
        assert path.name in error, (case.title, error)
    assert seen > 10
    left = {name for name in files_in(studio) - before if not name.endswith((".sqlite-wal", ".sqlite-shm"))}
    assert left == set()


def test_a_small_file_that_grows_is_refused(studio: Studio) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("root.npy", "w") as file:
        file.write(b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (100000000, 3), }")
        for _ in range(100):
            file.write(b"\0" * 2**20)
    assert len(packed.getvalue()) < 2**20
    assert "bomb.npz" in studio.send("bomb.npz", packed.getvalue(), "failed")["error"]


def test_empty_and_huge_files_are_refused_at_once(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "empty" in studio.refused("POST", "/takes?name=a.bvh", 400, content=b"")
    monkeypatch.setattr(jobs, "MOST_BYTES", 1000)
    assert "more than" in studio.refused("POST", "/takes?name=a.bvh", 413, content=b"x" * 2000)
    studio.refused("POST", "/takes", 422, content=b"x")
    assert studio.project is not None and not list(studio.project.work.iterdir())


def test_several_animations_are_several_takes(studio: Studio, tmp_path: Path) -> None:
    walks = [ft.samples.walk(np.random.default_rng(k), cycles=1).changed(name=f"walk {k}") for k in range(3)]
    ft.write(tmp_path / "walks.glb", walks, unit_m=0.01)
    job = studio.send("walks.glb", (tmp_path / "walks.glb").read_bytes())
    items = [studio.item(id) for id in job["made"]]
    assert [item["name"] for item in items] == ["walks walk 0", "walks walk 1", "walks walk 2"]
    assert [item["facts"]["frames"] for item in items] == [len(walk) for walk in walks]
    assert {item["group"] for item in items} == {"walks"} and job["notes"] == []
    assert not [f for item in items for f in item["findings"] if item["id"] in f["words"]]
    scene = studio.http.get("/api/scene", params={"items": ",".join(job["made"])}).content
    shapes = json.loads(scene[4 : 4 + int.from_bytes(scene[:4], "little")])["shapes"]
    assert [shape.get("skin") for shape in shapes] == [None] * 3, "bones that we drew ourselves are no skin"
    assert [item["facts"]["character"] for item in items] == [True, False, False], "one character to choose from"
    assert all(item["facts"]["human"] for item in items)


def test_every_animation_wears_the_skin_of_its_file(studio: Studio, tmp_path: Path) -> None:
    hero = skinned().save(tmp_path / "hero.glb")
    clip = ft.read_clip(hero)
    takes = [clip.changed(name="one"), clip.changed(name="two")]
    ft.write(tmp_path / "two.glb", takes, character=hero)
    job = studio.send("two.glb", (tmp_path / "two.glb").read_bytes())
    scene = studio.http.get("/api/scene", params={"items": ",".join(job["made"])}).content
    shapes = json.loads(scene[4 : 4 + int.from_bytes(scene[:4], "little")])["shapes"]
    assert [shape["skin"] for shape in shapes] == [0, 0]
    assert studio.http.get(f"/api/thumbnail/{job['made'][1]}.png").status_code == 200


def test_a_file_that_comes_in_part_leaves_nothing(studio: Studio) -> None:
    address = urlsplit(studio.url)
    with socket.create_connection((address.hostname, address.port)) as line:
        line.sendall(b"POST /api/takes?name=a.bvh HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9999\r\n\r\nHIERARCHY")
        time.sleep(0.3)
    assert studio.project is not None
    until = time.monotonic() + PATIENCE
    while list(studio.project.work.iterdir()):
        assert time.monotonic() < until
        time.sleep(0.02)


def test_reading_has_limits() -> None:
    assert TASKS["read"].seconds is not None and TASKS["read"].memory is not None


def test_amc_files_wait_for_their_skeleton_and_characters_are_known(studio: Studio, tmp_path: Path) -> None:
    error = studio.send("walk.amc", b":FULLY-SPECIFIED\n:DEGREES\n1\nroot 0 0 0 0 0 0\n", "failed")["error"]
    assert ".asf" in error
    scene = skinned()
    scene.json.pop("animations")
    (id,) = studio.send("hero.glb", scene.save(tmp_path / "hero.glb").read_bytes())["made"]
    assert studio.item(id)["kind"] == "character" and studio.item(id)["facts"]["character"]
    assert studio.http.get(f"/api/scene?items={id}").status_code == 200
    studio.http.post("/api/undo")


def test_a_take_that_is_sent_twice_is_called_by_its_names(studio: Studio, tmp_path: Path) -> None:
    file = tmp_path / "walk.bvh"
    ft.write(file, ft.samples.walk(np.random.default_rng(1), cycles=1))
    sent = [studio.send(f"{name}.bvh", file.read_bytes())["made"][0] for name in ("step", "copy")]
    error = studio.ask("learn", sent, "failed")["error"]
    assert error.startswith("step and copy are the same recording"), error
    studio.http.post("/api/remove", json={"items": sent})


def test_no_two_takes_have_one_name(studio: Studio, tmp_path: Path) -> None:
    file = tmp_path / "alike.bvh"
    ft.write(file, ft.samples.walk(np.random.default_rng(2), cycles=1))
    sent = [studio.send("alike.bvh", file.read_bytes())["made"][0] for _ in range(3)]
    assert [studio.item(id)["name"] for id in sent] == ["alike", "alike (2)", "alike (3)"]
    assert studio.project is not None
    assert ft.read_clip(studio.project.path(sent[1])).name == "alike (2)"  # as sentences about it name it
    studio.http.post("/api/remove", json={"items": sent})


def test_an_amc_file_is_put_onto_the_skeleton_of_its_name_else_the_newest_which_is_said(studio: Studio) -> None:
    long = ASF.replace("length 7.2", "length 14.4")
    skeletons = [studio.send(f"{name}.asf", text.encode())["made"][0] for name, text in (("02", long), ("35", ASF))]
    reaches = {}
    made = []
    for name in ("02_01", "023_01", "walk"):
        job = studio.send(f"{name}.amc", AMC.encode())
        made += job["made"]
        assert studio.project is not None
        reaches[name] = np.ptp(ft.read_clip(studio.project.path(job["made"][0])).positions()[0], axis=0).max()
        assert ("newest of 2 skeletons, 35" in " ".join(job["notes"])) == (name != "02_01"), job["notes"]
        assert not any("--" in note or note.endswith(".amc") for note in job["notes"])
    assert reaches["02_01"] > 1.2 * reaches["walk"] and reaches["023_01"] == reaches["walk"]
    studio.http.post("/api/remove", json={"items": skeletons + made})


def test_files_that_are_dropped_together_are_undone_together(studio: Studio, tmp_path: Path) -> None:
    file = tmp_path / "walk.bvh"
    ft.write(file, ft.samples.walk(np.random.default_rng(3), cycles=1))
    before = len(studio.get("/project")["items"])
    for name in ("one", "two", "three"):
        query = {"name": f"{name}.bvh", "step": "drop"}
        studio.done(studio.http.post("/api/takes", params=query, content=file.read_bytes()).json())
    assert studio.get("/project")["undo"] == "add files"
    studio.http.post("/api/undo")
    assert len(studio.get("/project")["items"]) == before

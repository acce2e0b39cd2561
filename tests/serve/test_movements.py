"""Movements: which takes are grouped or separated, and what belongs to them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from freshtake.motion import Clip
from freshtake.serve.movements import ALIKE, best_movement, distance, print_of, stem
from tests.serve.studio import Studio, running


def walk(seed: int) -> Clip:
    return ft.samples.walk(np.random.default_rng(seed))


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    folder = tmp_path_factory.mktemp("mixed")
    with running(folder / "project") as found:
        for name in ("walk", "kick", "letter_a", "flag"):
            found.samples(name, 2)
        yield found


def in_movements(studio: Studio) -> dict[str, list[str]]:
    items = studio.get("/project")["items"]
    names = {item["id"]: item["name"] for item in items if item["kind"] == "movement"}
    out: dict[str, list[str]] = {name: [] for name in names.values()}
    for item in items:
        if item["kind"] in ("take", "strokes"):
            out[names[item["movement"]]].append(item["name"])
    return out


def send(studio: Studio, name: str, motion: Any, folder: Path) -> dict[str, Any]:
    ft.write(folder / name, motion)
    return studio.send(name, (folder / name).read_bytes())


def test_names_without_their_numbers() -> None:
    names = {"walk_1": "walk", "Walk 03": "Walk", "07_01": "", "golf swing (2)": "golf swing", "a-b-12": "a-b"}
    assert {name: stem(name) for name in names} == names


def test_a_pose_cloud_does_not_depend_on_place_direction_or_length() -> None:
    from freshtake.motion.edit import take_frames, turned

    clip = walk(1)
    seen = print_of(clip)
    assert distance(seen.cloud, print_of(turned(clip, 1.3)).cloud) < 1e-6
    twice = np.tile(np.arange(len(clip)), 2)
    looped = clip.changed(rotations=clip.rotations[twice], root=clip.root[twice], channels=None)
    cloud = print_of(looped).cloud
    assert distance(seen.cloud, cloud) < 1e-6
    assert distance(seen.cloud, print_of(take_frames(clip, 0, 5)).cloud) > 0.01
    assert distance(seen.cloud, print_of(walk(2)).cloud) < ALIKE
    kick = print_of(ft.samples.kick(np.random.default_rng(1)))
    assert distance(seen.cloud, kick.cloud) > ALIKE


def test_takes_of_five_jobs_fall_into_their_movements(mixed: Studio, tmp_path: Path) -> None:
    assert {name: len(takes) for name, takes in in_movements(mixed).items()} == {
        "walk": 2, "kick": 2, "letter_a": 2, "flag": 2
    }  # fmt: skip
    send(mixed, "walk_7.bvh", walk(7), tmp_path)  # the same name: joins
    send(mixed, "07_01.bvh", ft.samples.kick(np.random.default_rng(5)), tmp_path)  # no name: by its motion
    send(mixed, "stroll_1.bvh", walk(8), tmp_path)  # another name: for itself
    found = in_movements(mixed)
    assert len(found["walk"]) == 3 and "07_01" in found["kick"] and found["stroll"] == ["stroll_1"]


def test_what_is_made_belongs_to_the_movement_of_its_takes(mixed: Studio) -> None:
    items = mixed.get("/project")["items"]
    movement = next(item["id"] for item in items if item["kind"] == "movement" and item["name"] == "letter_a")
    takes = [item["id"] for item in items if item["movement"] == movement]
    job = mixed.ask("learn", takes)
    assert job["movement"] == movement
    variants = mixed.made("vary", job["made"], count=2)
    export = mixed.made("export", variants, format="csv")
    for id in [*job["made"], *variants, *export]:
        assert mixed.item(id)["movement"] == movement


def test_takes_are_moved_to_another_movement_and_undone(mixed: Studio) -> None:
    before = mixed.get("/project")["items"]
    ids = {item["name"]: item["id"] for item in before}
    home = next(item["movement"] for item in before if item["name"] == "walk_1")
    answer = mixed.http.post("/api/regroup", json={"items": [ids["stroll_1"]], "movement": home})
    assert answer.status_code == 200 and answer.json()["id"] == home
    assert "stroll" not in in_movements(mixed), "a movement that is empty goes"
    mixed.http.post("/api/undo")
    assert mixed.get("/project")["items"] == before
    new = mixed.http.post("/api/regroup", json={"items": [ids["walk_1"]], "name": "slow"}).json()
    assert in_movements(mixed)["slow"] == ["walk_1"] and new["facts"]["what"] == "body"
    mixed.http.post("/api/undo")
    assert mixed.get("/project")["items"] == before
    flag = next(item["movement"] for item in before if item["name"] == "flag_1")
    words = mixed.refused("POST", "/regroup", 400, json={"items": [ids["walk_1"]], "movement": flag})
    assert "different skeletons or kinds" in words


def test_a_take_without_any_like_it_is_for_itself() -> None:
    assert best_movement([], "walk_1", print_of(walk(1))) is None


def test_samples_do_not_mix_with_takes_of_the_user(tmp_path: Path) -> None:
    with running(tmp_path / "project") as studio:
        send(studio, "walk_1.bvh", walk(7), tmp_path)
        for _ in range(2):
            studio.samples("walk", 1)
        assert [len(takes) for takes in in_movements(studio).values()] == [1, 2], "the user's, and both of the samples"

"""`loop`, `vary --loop`, `--in-place` and `--root-motion` as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.motion.cycles.looping import played
from freshtake.motion.cycles.seams import seam_of, steps_of
from freshtake.motion.edit import take_frames


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A long walk, cycles of walking and a model of them, and a jump."""
    place = tmp_path_factory.mktemp("loops")
    assert run(["samples", "write", "walk", "walk_long", "jump", "-o", str(place)]) == 0
    assert run(["learn", *map(str, sorted(place.glob("walk_[1-4].bvh"))), "-o", str(place / "walk.ftm")]) == 0
    return place


def test_a_take_becomes_a_loop(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    take, out = folder / "walk_long_1.bvh", tmp_path / "loop.npz"
    assert run(["loop", str(take), "-o", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    loop = ft.read(out)
    assert told["frames"] == len(loop) == told["from"]["stop"] - told["from"]["start"]
    assert told["playback"] == loop.playback.summary()
    assert told["playback"]["last_frame"] == "leads into the first"
    assert told["seam"]["step"] == pytest.approx(seam_of(loop).step)
    assert told["seam"]["step"] <= told["seam"]["step_of_take_99"]
    assert told["seam"]["bend"] <= told["seam"]["bend_of_take_99"]
    assert run(["loop", str(take), "-o", str(tmp_path / "again.bvh"), "--cycles", "2"]) == 0
    assert "at the seam" in capsys.readouterr().out


def test_variants_loop_in_place_and_say_how_fast(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["vary", str(folder / "walk.ftm"), "-n", "2", "--loop", "--json"]
    assert run([*words, "-o", str(tmp_path / "hips"), "--format", "npz"]) == 0
    hips = json.loads(capsys.readouterr().out)
    assert run([*words, "-o", str(tmp_path / "none"), "--format", "npz", "--in-place"]) == 0
    none = json.loads(capsys.readouterr().out)
    for there, still, info in zip(hips["written"], none["written"], none["playback"], strict=True):
        moving, standing = ft.read(there), ft.read(still)
        time = np.arange(len(moving))[:, None] * moving.frame_time
        away = info["speed"] * np.array(info["direction"]) * time
        np.testing.assert_allclose(standing.root + away, moving.root, atol=1e-9)
        assert info["root_motion"] == "none" and info["loop"]
    assert [one["speed"] for one in hips["playback"]] == [one["speed"] for one in none["playback"]]


def test_a_closing_frame_and_a_root_joint_in_a_bvh(folder: Path, tmp_path: Path) -> None:
    words = ["vary", str(folder / "walk.ftm"), "-n", "1", "--loop"]
    assert run([*words, "-o", str(tmp_path / "plain")]) == 0
    assert run([*words, "-o", str(tmp_path / "rig"), "--closing-frame", "--root-motion", "joint"]) == 0
    plain, rig = (ft.read(tmp_path / name / "variant_001.bvh") for name in ("plain", "rig"))
    assert len(rig) == len(plain) + 1
    assert rig.skeleton.names == ("Root", *plain.skeleton.names)
    np.testing.assert_allclose(rig.positions()[:-1, 1:], plain.positions(), atol=1e-5)
    example = ft.read(folder / "walk_1.bvh")
    assert np.linalg.norm(np.diff(rig.positions()[-2:], axis=0), axis=2).mean() <= 1.1 * steps_of(example).step.max()


def test_streams_and_files_in_place(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["stream", str(folder / "walk.ftm"), "--frames", "200", "-o"]
    assert run([*words, str(tmp_path / "a.bvh"), "--in-place", "--json"]) == 0
    speed = json.loads(capsys.readouterr().out)["playback"]["speed"]
    assert run([*words, str(tmp_path / "b.bvh")]) == 0
    capsys.readouterr()
    assert run(["convert", str(tmp_path / "b.bvh"), str(tmp_path / "c.npz"), "--root-motion", "none", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["playback"][0]
    assert found["speed"] == pytest.approx(speed, rel=1e-3)
    still, moving = ft.read(tmp_path / "c.npz"), ft.read(tmp_path / "b.bvh")
    assert np.ptp(still.root[:, 2]) < 0.1 * np.ptp(moving.root[:, 2])
    np.testing.assert_allclose(still.root, ft.read(tmp_path / "a.bvh").root, atol=1e-3)
    loop = tmp_path / "loop.glb"
    assert run(["loop", str(tmp_path / "b.bvh"), "-o", str(loop), "--unit", "cm"]) == 0
    assert run(["convert", str(loop), str(tmp_path / "loop.npz"), "--in-place"]) == 0
    assert np.ptp(played(ft.read(tmp_path / "loop.npz"), 300).root[:, 2]) < 0.2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["loop", "jump_1.bvh", "-o", "x.bvh"], "no cycle to loop"),
        (["loop", "walk_1.bvh", "-o", "x.bvh", "--cycles", "3"], "is one cycle"),
        (["vary", "walk.ftm", "-o", "x", "--closing-frame"], "only loops"),
        (["vary", "walk.ftm", "-o", "x", "--loop", "--heading", "3"], "continues straight on"),
        (["vary", "walk.ftm", "-o", "x", "--in-place", "--root-motion", "joint"], "choose one"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.chdir(folder)
    assert run(words) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1
    assert not (folder / words[words.index("-o") + 1]).exists()


def test_a_clip_that_is_no_cycle_makes_no_body_bend_backwards(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    take = ft.samples.run(np.random.default_rng(3), cycles=3)
    ft.write(tmp_path / "run.bvh", take_frames(take, 0, round(0.82 * len(take))))
    assert run(["loop", str(tmp_path / "run.bvh"), "-o", str(tmp_path / "loop.bvh"), "--whole"]) == 2
    said = capsys.readouterr().err
    assert "the wrong way" in said and "leave --whole out" in said and "--seed" not in said
    assert not (tmp_path / "loop.bvh").exists()
    assert run(["loop", str(tmp_path / "run.bvh"), "-o", str(tmp_path / "loop.bvh")]) == 0
    assert "checked it: bodies, floor, feet" in capsys.readouterr().out

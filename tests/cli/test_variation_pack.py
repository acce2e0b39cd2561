"""`freshtake pack` as a user meets it: what is written, reported, kept and refused."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from freshtake import samples
from freshtake.cli.entry import run
from freshtake.formats.gltf import read_animations
from freshtake.formats.report_files import pack_schema
from freshtake.motion import Clip
from freshtake.numeric.rotations import angle_between
from freshtake.samples.rigs import rig
from tests.workflows.json_schema import faults

Said = pytest.CaptureFixture[str]
LIMITS = {"step": 1.0, "foot_speed": 1.1, "acceleration": 1.3}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("pack")
    takes = {
        "walk": [samples.walk(np.random.default_rng(k), cycles=1) for k in range(3)],
        "jump": [samples.jump(np.random.default_rng(k)) for k in range(3)],
        "pen": [samples.letter_a(np.random.default_rng(k)) for k in range(3)],
    }
    for name, some in takes.items():
        ft.save(place / f"{name}.ftm", ft.variation.learn(some, rng=np.random.default_rng(0)))
    ft.write(place / "hero.glb", rig("vrm"))
    ft.write(place / "bare.glb", rig("vrm"))
    without_skin(place / "bare.glb")
    ft.write(place / "walk.bvh", takes["walk"][0])
    words = ["--character", str(place / "hero.glb"), "--format", "glb", "bvh", "--root-motion", "both", "--quiet"]
    assert (
        run(["pack", str(place / "walk.ftm"), f"hop={place / 'jump.ftm'}", "-n", "3", "-o", str(place / "p"), *words])
        == 0
    )
    return place


def without_skin(path: Path) -> None:
    """Take the skin out of a glTF file: its mesh and joints stay."""
    data = path.read_bytes()
    length = int.from_bytes(data[12:16], "little")
    scene = json.loads(data[20 : 20 + length])
    del scene["skins"]
    for node in scene["nodes"]:
        node.pop("skin", None)
    text = json.dumps(scene, separators=(",", ":")).encode().ljust(length)
    path.write_bytes(data[:20] + text + data[20 + length :])


def told(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "pack.json").read_text())
    return found


def test_the_list_holds_to_its_schema(folder: Path) -> None:
    found, schema = told(folder / "p"), pack_schema()
    assert faults(found, schema) == []
    for spoil in (
        lambda pack: pack["clips"][0].pop("seed"),
        lambda pack: pack["clips"][0]["quality"].update(more=1),
        lambda pack: pack["groups"][0].update(checksum="none"),
        lambda pack: pack["clips"][0]["footprints"][0].update(place=[1.0]),
    ):
        spoilt = copy.deepcopy(found)
        spoil(spoilt)
        assert faults(spoilt, schema)


def test_files_are_those_listed(folder: Path) -> None:
    found = told(folder / "p")
    listed = {path for group in found["groups"] for path in group["files"]}
    there = {str(path.relative_to(folder / "p")) for path in (folder / "p").rglob("*") if path.is_file()}
    assert there == listed | {"pack.json", "sheet.png", "preview.html"}
    assert {"walk.glb", "walk_in_place.glb", "hop.glb", "hop/hop_001.bvh", "walk_in_place/walk_003.bvh"} <= listed


def test_any_clip_follows_any_other_without_a_pop(folder: Path) -> None:
    found = told(folder / "p")
    for group in found["groups"]:
        assert group["changes"]["pairs"] == 9
        assert all(group["changes"][key] <= limit for key, limit in LIMITS.items()), group["changes"]
    for name in ("walk", "hop"):
        clips = read_animations(folder / "p" / f"{name}.glb")
        assert [clip.name for clip in clips] == [f"{name}_{k:03d}" for k in (1, 2, 3)]
        ends = [clip.rotations[k] for clip in clips for k in (0, -1)]
        assert max(float(angle_between(ends[0], other).max()) for other in ends) < 1e-3  # single precision
        hips = clips[0].skeleton.index("J_Bip_C_Hips")
        places = [clip.positions()[k, hips] - clip.root[k] for clip in clips for k in (0, -1)]
        np.testing.assert_allclose(places, np.broadcast_to(places[0], (6, 3)), atol=1e-4)
        middle = [clip.rotations[len(clip) // 2] for clip in clips]
        assert float(angle_between(middle[0], middle[1]).max()) > 0.01


def test_clips_are_new_loops_with_their_footprints(folder: Path) -> None:
    for clip in told(folder / "p")["clips"]:
        assert clip["loop"] and clip["quality"]["copied"] == 0.0
        assert clip["seconds"] == pytest.approx(clip["frames"] / clip["fps"], rel=1e-5)
        assert clip["speed"] == pytest.approx(np.linalg.norm(clip["travel"]) / clip["seconds"], rel=1e-4)
        for foot, spans in clip["contacts"].items():
            own = [[one["from"], one["to"]] for one in clip["footprints"] if one["foot"] == foot]
            assert own == spans and all(0 <= a < clip["frames"] and a < b for a, b in spans)
    walk = told(folder / "p")["clips"][0]
    assert {one["foot"] for one in walk["footprints"]} == {"J_Bip_L_Foot", "J_Bip_R_Foot"}
    assert abs(walk["heading_deg"]) < 10.0


def test_in_place_clips_stay_and_others_travel_on_their_root(folder: Path) -> None:
    still, moving = ft.read(folder / "p/walk_in_place/walk_001.bvh"), ft.read(folder / "p/walk/walk_001.bvh")
    assert isinstance(still, Clip) and isinstance(moving, Clip)
    assert np.linalg.norm(still.root[-1] - still.root[0]) < 1e-6
    assert len(still) == told(folder / "p")["clips"][0]["frames"] + 1
    travel = told(folder / "p")["clips"][0]["travel"]
    hips = moving.skeleton.index("J_Bip_C_Hips")
    np.testing.assert_allclose(np.ptp(moving.positions()[[0, -1], hips], axis=0), np.abs(travel), atol=1e-4)


def test_one_clip_is_made_again_byte_for_byte(folder: Path, tmp_path: Path) -> None:
    words = [
        "--character",
        str(folder / "hero.glb"),
        "--format",
        "bvh",
        "--root-motion",
        "both",
        "--no-preview",
        "--quiet",
    ]
    made = ["pack", str(folder / "walk.ftm"), "-n", "3", *words]
    assert run([*made, "-o", str(tmp_path / "one"), "--only", "walk_002"]) == 0
    assert [path.name for path in sorted((tmp_path / "one").rglob("*.bvh"))] == ["walk_002.bvh"] * 2
    for where in ("walk", "walk_in_place"):
        name = f"{where}/walk_002.bvh"
        assert (tmp_path / "one" / name).read_bytes() == (folder / "p" / name).read_bytes()


def test_starred_clips_stay_and_rejected_ones_are_new(folder: Path, tmp_path: Path, capsys: Said) -> None:
    found = told(folder / "p")
    marks = {"walk_001": "star", "walk_002": "reject"}
    clips = [{"name": c["name"], "seed": c["seed"], "mark": marks.get(c["name"], "")} for c in found["clips"]]
    models = {group["name"]: group["checksum"] for group in found["groups"]}
    stars = {"format": "freshtake stars", "version": 1, "settings": found["settings"], "models": models, "clips": clips}
    (tmp_path / "stars.json").write_text(json.dumps(stars))
    words = ["--character", str(folder / "hero.glb"), "--format", "bvh", "--root-motion", "both", "--no-preview"]
    again = [
        "pack",
        str(folder / "walk.ftm"),
        "-n",
        "3",
        "-o",
        str(tmp_path / "q"),
        "--keep",
        str(tmp_path / "stars.json"),
    ]
    assert run([*again, *words, "--json"]) == 0
    new = json.loads(capsys.readouterr().out)["clips"]
    assert [clip["seed"] for clip in new] == [1, 10_002, 3]
    same = [
        (tmp_path / "q" / n).read_bytes() == (folder / "p" / n).read_bytes()
        for n in (f"walk/walk_00{k}.bvh" for k in (1, 2, 3))
    ]
    assert same == [True, False, True]
    assert run([*again, *words, "--force", "--amount", "0.5"]) == 2
    assert "amount was 1.0 in the marked pack and is 0.5 now" in capsys.readouterr().err
    stars["models"]["walk"] = "sha256:other"
    (tmp_path / "stars.json").write_text(json.dumps(stars))
    assert run([*again, *words, "--force"]) == 2
    assert "has changed since" in capsys.readouterr().err


def test_clips_last_whole_beats(folder: Path, tmp_path: Path, capsys: Said) -> None:
    words = ["-n", "2", "--format", "npz", "--no-preview", "--beat", "0.5", "--json"]
    assert run(["pack", str(folder / "walk.ftm"), str(folder / "jump.ftm"), "-o", str(tmp_path / "b"), *words]) == 0
    clips = json.loads(capsys.readouterr().out)["clips"]
    for clip in clips:
        beats = clip["seconds"] / 0.5
        assert abs(beats - round(beats)) * 0.5 <= 0.75 / clip["fps"]
    assert run(["pack", str(folder / "walk.ftm"), "-o", str(tmp_path / "c"), "--beat", "30", "--cycles", "1"]) == 2
    assert "choose a shorter --beat" in capsys.readouterr().err and not (tmp_path / "c").exists()


REFUSED = {
    "walk.ftm {f}/walk.ftm": "would both be the group 'walk'",
    "WALK={f}/jump.ftm {f}/walk.ftm": "would both be the group",
    "a/b={f}/walk.ftm": "cannot be used in file names",
    "pen.ftm": "strokes",
    "walk.bvh": "this is not a freshtake model",
    "nothing.ftm": "there is no such file",
    "walk.ftm --format xyz": "files that end in '.xyz' cannot be written",
    "walk.ftm -n 0": "count must lie between 1 and 9999, but is 0",
    "walk.ftm --seed -1": "seed must lie between 0 and 1000000",
    "walk.ftm --beat 0": "beat must lie between 0.01 and 600, but is 0",
    "walk.ftm --only walk_099": "there is no clip 'walk_099'",
    "walk.ftm --keep {f}/walk.bvh": "this is not JSON",
    "walk.ftm --character {f}/walk.ftm": "this is a learned model",
    "walk.ftm --character {f}/bare.glb": "no mesh has a skin here",
    "walk.ftm --map {f}/walk.bvh": "add --character",
    "walk.ftm walk_in_place={f}/jump.ftm --root-motion both": "two groups would write walk_in_place.glb",
    "walk.ftm --in-place --root-motion both": "choose one",
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_be_is_one_sentence(folder: Path, tmp_path: Path, capsys: Said, words: str) -> None:
    given = words.format(f=folder).split()
    first = given[0] if "=" in given[0] else str(folder / given[0])
    assert run(["pack", first, *given[1:], "-o", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert REFUSED[words] in said and len(said.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []

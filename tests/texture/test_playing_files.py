"""Files of guided play: plans, characters with their skin, loops marked as loops."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from freshtake.cli.entry import run
from freshtake.errors import UsageError
from freshtake.formats import read, write
from freshtake.formats.gltf.container import load
from freshtake.formats.registry import read as read_any
from freshtake.motion.edit import heading
from freshtake.requests import TextureLearn, TextureSample
from freshtake.samples import walk
from freshtake.samples.rigs import rig
from freshtake.workflows import texture_learn, texture_sample
from tests.texture.made import long_walk, sheet


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    here = tmp_path_factory.mktemp("texture")
    write(here / "walk.bvh", long_walk())
    write(here / "body.glb", long_walk(2))
    texture_learn(TextureLearn(takes=[str(here / "walk.bvh")], out=here / "walk.ftm"))
    return here


def play(folder: Path, name: str, frames: int, **how: Any) -> TextureSample:
    return TextureSample(model=folder / "walk.ftm", out=folder / name, frames=frames, **how)


def test_a_loop_of_six_seconds_lasts_six_seconds(folder: Path) -> None:
    made = texture_sample(play(folder, "loop.npz", 360, loop=True))
    loop = read(folder / "loop.npz")
    assert np.isclose(made.duration, 6.0) and made.frames == 360 == len(loop)
    assert loop.playback.loop and made.playback["loop"] and made.playback["speed"] > 0.0
    still = texture_sample(play(folder, "spot.npz", 360, loop=True, in_place=True, closing_frame=True))
    spot = read(folder / "spot.npz")
    assert still.frames == 361 == len(spot) and np.isclose(still.duration, 6.0)
    assert np.linalg.norm(spot.root[-1] - spot.root[0]) < 1e-6


def test_a_plan_of_headings_and_speeds(folder: Path) -> None:
    texture_sample(play(folder, "corner.bvh", 600, heading=0.0, steer=["4:heading=90", "6:speed=1.25"]))
    angles = np.degrees(heading(read(folder / "corner.bvh")))
    assert abs(angles[60:240].mean()) < 8.0 and abs(angles[420:].mean() - 90.0) < 8.0
    for how, says in (
        ({"steer": ["1:heading=x"]}, "gives no heading"),
        ({"steer": ["1:left"]}, "no cell 'left'"),
        ({"course": "closed"}, "a course is for loops"),
        ({"loop": True, "heading": 0.0}, "a loop cannot be steered"),
    ):
        with pytest.raises(UsageError, match=says):
            texture_sample(play(folder, "x.bvh", 60, **how))
    heard: list[str] = []
    texture_sample(play(folder, "x.bvh", 60, speed=1e4), warn=heard.append)
    assert len(heard) == 1 and "is out of reach" in heard[0]


def test_the_rate_of_jumps_changes_without_relearning(folder: Path) -> None:
    jumps = [texture_sample(play(folder, "x.bvh", 3600, jump_time=time)).jumps for time in (0.5, 1.5, 4.5)]
    assert jumps[0] > 2 * jumps[1] > 4 * jumps[2] > 0


@pytest.mark.parametrize("loop", [False, True])
def test_a_character_keeps_its_skin(folder: Path, loop: bool) -> None:
    """Learned from a skinned file and written back to it: the same mesh and skin, other motion, the same skeleton."""
    texture_learn(TextureLearn(takes=[str(folder / "body.glb")], out=folder / "body.ftm"))
    body = folder / "body.glb"
    made = TextureSample(model=folder / "body.ftm", out=folder / "new.glb", frames=90, loop=loop, character=body)
    texture_sample(made)
    old, new = load(folder / "body.glb").top.value, load(folder / "new.glb").top.value
    for part in ("meshes", "skins", "materials"):
        assert len(new.get(part, [])) == len(old.get(part, []))
    assert new["skins"][0]["joints"] == old["skins"][0]["joints"]
    made = read_any(folder / "new.glb")
    assert len(made) == 90 and made.skeleton.names == read_any(folder / "body.glb").skeleton.names
    baked = read_any(folder / "new.glb", mesh=True)
    assert baked.vertices.shape[0] == 90 and np.ptp(baked.vertices, axis=0).max() > 0.01


def test_meshes_have_no_skin(tmp_path: Path) -> None:
    write(tmp_path / "sheet.npz", sheet())
    write(tmp_path / "body.glb", rig("smpl"))
    texture_learn(TextureLearn(takes=[str(tmp_path / "sheet.npz")], out=tmp_path / "m.ftm"))
    with pytest.raises(UsageError, match="only clips with a skeleton can be put onto a character"):
        character = tmp_path / "body.glb"
        texture_sample(TextureSample(model=tmp_path / "m.ftm", out=tmp_path / "x.glb", frames=40, character=character))


def test_morph_targets_have_normals(tmp_path: Path) -> None:
    write(tmp_path / "sheet.npz", sheet(normals=True))
    texture_learn(TextureLearn(takes=[str(tmp_path / "sheet.npz")], out=tmp_path / "m.ftm"))
    texture_sample(TextureSample(model=tmp_path / "m.ftm", out=tmp_path / "loop.glb", frames=80, loop=True))
    (primitive,) = load(tmp_path / "loop.glb").top.value["meshes"][0]["primitives"]
    assert primitive["targets"] and all({"POSITION", "NORMAL"} <= set(target) for target in primitive["targets"])


def test_the_command_line_knows_them(folder: Path, capsys) -> None:
    write(folder / "straight.bvh", walk(np.random.default_rng(0), cycles=4))
    (folder / "way.csv").write_text("x,z\n0,0\n300,0\n300,300\n")
    model = str(folder / "walk.ftm")
    for given in (["--loop", "--course", "closed"], ["--loop", "--in-place"], ["--path", str(folder / "way.csv")]):
        assert (
            run(["texture", "sample", model, "--seconds", "4", *given, "--force", "-o", str(folder / "out.bvh")]) == 0
        )
    assert "240 frames, 4.00 s" in capsys.readouterr().out
    assert run(["texture", "sample", model, "--frames", "60", "--steer", "1:", "-o", str(folder / "o.bvh")]) != 0

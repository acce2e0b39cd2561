"""Files of play that goes somewhere: plans, characters with their skin, loops that say that they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from freshtake.cli.entry import run
from freshtake.errors import UsageError
from freshtake.formats import read, write
from freshtake.formats.gltf.container import load
from freshtake.formats.registry import read as read_any
from freshtake.motion.edit import heading
from freshtake.samples import walk
from freshtake.samples.rigs import rig
from freshtake.workflows import texture_learn, texture_sample
from freshtake.workflows.motion_delivering import Delivery
from freshtake.workflows.motion_finishing import Finish
from freshtake.workflows.motion_retargeting import onto_character
from freshtake.workflows.texture_playing import guide_of
from freshtake.workflows.texture_sampling import PlayOptions, PlayRoute
from tests.texture.made import long_walk, sheet


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    here = tmp_path_factory.mktemp("texture")
    write(here / "walk.bvh", long_walk())
    write(here / "body.glb", long_walk(2))
    texture_learn([here / "walk.bvh"], here / "walk.ftm")
    return here


def test_a_loop_of_six_seconds_lasts_six_seconds(folder: Path) -> None:
    made = texture_sample(folder / "walk.ftm", folder / "loop.npz", 360, options=PlayOptions(loop=True))
    loop = read(folder / "loop.npz")
    assert np.isclose(made.duration, 6.0) and made.frames == 360 == len(loop)
    assert loop.playback.loop and made.playback["loop"] and made.playback["speed"] > 0.0
    still = texture_sample(
        folder / "walk.ftm",
        folder / "spot.npz",
        360,
        options=PlayOptions(loop=True),
        finish=Finish(delivery=Delivery("none", True)),
    )
    spot = read(folder / "spot.npz")
    assert still.frames == 361 == len(spot) and np.isclose(still.duration, 6.0)
    assert np.linalg.norm(spot.root[-1] - spot.root[0]) < 1e-6


def test_a_plan_of_headings_and_speeds(folder: Path) -> None:
    going = PlayRoute(plan=[(4.0, "heading=90"), (6.0, "speed=1.25")], guide=guide_of(0.0, None, None))
    texture_sample(folder / "walk.ftm", folder / "corner.bvh", 600, options=PlayOptions(going=going))
    angles = np.degrees(heading(read(folder / "corner.bvh")))
    assert abs(angles[60:240].mean()) < 8.0 and abs(angles[420:].mean() - 90.0) < 8.0
    for plan, says in (([(1.0, "heading=x")], "says no heading"), ([(1.0, "left")], "no cell 'left'")):
        with pytest.raises(UsageError, match=says):
            texture_sample(folder / "walk.ftm", folder / "x.bvh", 60, options=PlayOptions(going=PlayRoute(plan=plan)))
    with pytest.raises(UsageError, match="a course is that of a loop"):
        texture_sample(folder / "walk.ftm", folder / "x.bvh", 60, options=PlayOptions(going=PlayRoute(course="closed")))
    with pytest.raises(UsageError, match="a loop is not steered"):
        texture_sample(folder / "walk.ftm", folder / "x.bvh", 60, options=PlayOptions(loop=True, going=going))
    heard: list[str] = []
    fast = PlayRoute(guide=guide_of(None, None, 1e4))
    texture_sample(folder / "walk.ftm", folder / "x.bvh", 60, options=PlayOptions(going=fast), warn=heard.append)
    assert len(heard) == 1 and "is out of reach" in heard[0]


@pytest.mark.parametrize("loop", [False, True])
def test_a_character_keeps_its_skin(folder: Path, loop: bool) -> None:
    """Learned from a skinned file and put back onto it: the same mesh and skin, other motion, the same skeleton."""
    texture_learn([folder / "body.glb"], folder / "body.ftm")
    texture_sample(
        folder / "body.ftm",
        folder / "new.glb",
        90,
        options=PlayOptions(loop=loop),
        finish=Finish(onto=onto_character(folder / "body.glb")),
    )
    old, new = load(folder / "body.glb").top.value, load(folder / "new.glb").top.value
    for part in ("meshes", "skins", "materials"):
        assert len(new.get(part, [])) == len(old.get(part, []))
    assert new["skins"][0]["joints"] == old["skins"][0]["joints"]
    made = read_any(folder / "new.glb")
    assert len(made) == 90 and made.skeleton.names == read_any(folder / "body.glb").skeleton.names
    baked = read_any(folder / "new.glb", mesh=True)
    assert baked.vertices.shape[0] == 90 and np.ptp(baked.vertices, axis=0).max() > 0.01


def test_meshes_have_no_skin_to_be_put_onto(tmp_path: Path) -> None:
    write(tmp_path / "sheet.npz", sheet())
    write(tmp_path / "body.glb", rig("smpl"))
    texture_learn([tmp_path / "sheet.npz"], tmp_path / "m.ftm")
    with pytest.raises(UsageError, match="only clips with a skeleton are put onto a character"):
        texture_sample(
            tmp_path / "m.ftm", tmp_path / "x.glb", 40, finish=Finish(onto=onto_character(tmp_path / "body.glb"))
        )


def test_morph_targets_have_normals(tmp_path: Path) -> None:
    write(tmp_path / "sheet.npz", sheet(normals=True))
    texture_learn([tmp_path / "sheet.npz"], tmp_path / "m.ftm")
    texture_sample(tmp_path / "m.ftm", tmp_path / "loop.glb", 80, options=PlayOptions(loop=True))
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

"""`freshtake retarget`, and `--character` in other commands, as a user meets them."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake import samples
from freshtake.cli.entry import run
from freshtake.motion import Clip, Skeleton
from freshtake.numeric.rotations import angle_between
from freshtake.samples.rigs import rig

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "13_retarget.py"
Said = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("retarget")
    ft.write(place / "walk.bvh", samples.walk(np.random.default_rng(1), cycles=3))
    ft.write(place / "cheer.bvh", samples.cheer(np.random.default_rng(1)))
    ft.write(place / "hero.glb", rig("vrm"))
    ft.write(place / "actor.bvh", rig("cmu_asf"))
    ft.write(place / "pen.csv", samples.letter_a(np.random.default_rng(1)))
    return place


def clip_of(path: Path) -> Clip:
    found = ft.read(path, warn=lambda message: None)
    assert isinstance(found, Clip)
    return found


def test_a_clip_goes_onto_a_skinned_character(folder: Path, tmp_path: Path, capsys: Said) -> None:
    out = tmp_path / "new.glb"
    assert run(["retarget", str(folder / "walk.bvh"), "--onto", str(folder / "hero.glb"), "-o", str(out)]) == 0
    said = capsys.readouterr()
    assert "walk is retargeted to hero.glb: 22 of 53 joints matched (CMU (BVH) to VRM (VRoid))" in said.err
    assert "(centimetres to metres)" in said.err and said.out.startswith("wrote")
    made, source = clip_of(out), clip_of(folder / "walk.bvh")
    assert set(made.skeleton.names) == set(rig("vrm").skeleton.names) and len(made) == len(source)
    hips = made.skeleton.index("J_Bip_C_Hips")
    gone = np.linalg.norm(np.ptp(made.positions()[:, hips], axis=0)) / np.linalg.norm(np.ptp(source.root, axis=0))
    assert gone == pytest.approx(0.0098, rel=0.05)
    assert ft.read(out, mesh=True, warn=lambda message: None).faces.size > 0  # type: ignore[union-attr]


def test_several_clips_become_animations_of_one_file_or_files_of_a_folder(folder: Path, tmp_path: Path) -> None:
    clips = [str(folder / "walk.bvh"), str(folder / "cheer.bvh")]
    onto = ["--onto", str(folder / "hero.glb")]
    assert run(["retarget", *clips, *onto, "-o", str(tmp_path / "both.glb")]) == 0
    assert [c.name for c in ft.formats.gltf.read_animations(tmp_path / "both.glb")] == ["walk", "cheer"]
    assert run(["retarget", *clips, *onto, "-o", str(tmp_path / "all"), "--format", "bvh"]) == 0
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == ["cheer.bvh", "walk.bvh"]
    assert run(["retarget", *clips, *onto, "-o", str(tmp_path / "both.bvh")]) == 2


def test_a_saved_map_gives_the_same_again_and_is_told_in_json(folder: Path, tmp_path: Path, capsys: Said) -> None:
    given = ["retarget", str(folder / "walk.bvh"), "--onto", str(folder / "actor.bvh")]
    preset = tmp_path / "preset.toml"
    assert run([*given, "-o", str(tmp_path / "a.npz"), "--save-map", str(preset)]) == 0
    assert run([*given, "-o", str(tmp_path / "b.npz"), "--map", str(preset), "--json"]) == 0
    told = json.loads(capsys.readouterr().out.partition("\n")[2])
    assert told["maps"]["target"]["left_upper_arm"] == ["lhumerus"] and told["matched"] == 25 - 2
    one, other = (clip_of(tmp_path / name).positions() for name in ("a.npz", "b.npz"))
    np.testing.assert_array_equal(one, other)


def test_in_place_and_without_planting(folder: Path, tmp_path: Path) -> None:
    given = ["retarget", str(folder / "walk.bvh"), "--onto", str(folder / "actor.bvh"), "--no-plant", "--in-place"]
    assert run([*given, "-o", str(tmp_path / "a.npz")]) == 0
    assert np.ptp(clip_of(tmp_path / "a.npz").root[:, [0, 2]], axis=0).max() < 5.0


def test_a_clip_with_the_characters_own_joints_is_left_as_it_is(folder: Path, tmp_path: Path) -> None:
    figure = tmp_path / "figure.glb"
    assert run(["convert", str(folder / "walk.bvh"), str(figure), "--unit", "cm"]) == 0
    assert run(["retarget", str(folder / "cheer.bvh"), "--onto", str(figure), "-o", str(tmp_path / "x.npz")]) == 0
    made, source = clip_of(tmp_path / "x.npz"), clip_of(folder / "cheer.bvh")
    assert angle_between(made.rotations, source.rotations).max() < 1e-9


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[target]\nhips = "Huefte"\n', "target: 'hips' names the joint 'Huefte', which the skeleton does not have"),
        ('[target]\nhips = "J_Bip_C_Hips"\n', "target: 'left_upper_leg' is missing: a body needs hips, "),
        (
            '[source]\nleft_upper_leg = "LeftFoot"\nleft_lower_leg = "LeftUpLeg"\n',
            "source: .* it is the other way round",
        ),
        ('[wings]\nleft = "L"\n', "'wings' is not a table of a map"),
    ],
)
def test_maps_that_cannot_be_end_in_one_sentence(
    folder: Path, tmp_path: Path, capsys: Said, text: str, said: str
) -> None:
    (tmp_path / "m.toml").write_text(text)
    given = ["retarget", str(folder / "walk.bvh"), "--onto", str(folder / "hero.glb"), "-o", str(tmp_path / "x.glb")]
    assert run([*given, "--map", str(tmp_path / "m.toml")]) == 2
    error = capsys.readouterr().err
    assert re.search(said, error) and error.count("\n") == 1 and str(tmp_path / "m.toml") in error
    assert not (tmp_path / "x.glb").exists()


def test_what_cannot_be_a_character_is_refused(folder: Path, tmp_path: Path, capsys: Said) -> None:
    walk = str(folder / "walk.bvh")
    chain = Skeleton(("a", "b", "c"), np.array([-1, 0, 1]), np.eye(3))
    ft.write(tmp_path / "chain.bvh", Clip(chain, 0.1, np.zeros((2, 3)), np.tile([1.0, 0, 0, 0], (2, 3, 1))))
    cases = {
        "chain.bvh": "no body with two arms and two legs is recognized",
        "missing.glb": "there is no such file",
    }
    for name, said in cases.items():
        assert run(["retarget", walk, "--onto", str(tmp_path / name), "-o", str(tmp_path / "x.bvh")]) == 2
        assert said in capsys.readouterr().err
    assert run(["retarget", walk, "--onto", str(folder / "pen.csv"), "-o", str(tmp_path / "x.bvh")]) == 2
    assert "has no skeleton" in capsys.readouterr().err
    onto = ["--onto", str(folder / "hero.glb")]
    assert run(["retarget", str(folder / "pen.csv"), *onto, "-o", str(tmp_path / "x.glb")]) == 2
    assert "only clips with a skeleton can be put onto a character" in capsys.readouterr().err


def test_nodes_without_a_skin_take_only_clips_of_their_own(folder: Path, tmp_path: Path, capsys: Said) -> None:
    from freshtake.formats.gltf.container import load, packed

    container = load(folder / "hero.glb")
    document = {key: value for key, value in container.top.value.items() if key not in ("skins", "meshes")}
    document["nodes"] = [{k: v for k, v in n.items() if k not in ("mesh", "skin")} for n in document["nodes"]]
    bare = tmp_path / "bare.glb"
    bare.write_bytes(packed(bare, document, container.buffers[0] or b""))
    assert run(["retarget", str(folder / "walk.bvh"), "--onto", str(bare), "-o", str(tmp_path / "x.glb")]) == 2
    assert "no mesh has a skin here" in capsys.readouterr().err


def test_other_commands_put_their_clips_onto_a_character_too(folder: Path, tmp_path: Path, capsys: Said) -> None:
    hero = ["--character", str(folder / "hero.glb")]
    assert run(["loop", str(folder / "walk.bvh"), *hero, "-o", str(tmp_path / "loop.glb"), "--in-place"]) == 0
    loop = clip_of(tmp_path / "loop.glb")
    assert "J_Bip_L_Foot" in loop.skeleton.names and loop.playback is not None and loop.playback.loop
    assert loop.playback.speed == pytest.approx(1.3, rel=0.15)  # metres a second
    pose = loop.positions()
    steps = np.linalg.norm(np.diff(np.concatenate([pose, pose[:1]]), axis=0), axis=-1).max(axis=1)
    assert steps[-1] <= 1.2 * np.percentile(steps[:-1], 99)  # the seam is no larger than other steps
    assert run(["convert", str(folder / "cheer.bvh"), str(tmp_path / "cheer.glb"), *hero]) == 0
    assert "J_Bip_L_Foot" in clip_of(tmp_path / "cheer.glb").skeleton.names
    capsys.readouterr()
    assert run(["convert", str(folder / "cheer.bvh"), str(tmp_path / "c.glb"), "--map", str(folder / "hero.glb")]) == 2
    assert "add --character" in capsys.readouterr().err


@pytest.mark.parametrize("version", ["VRM", "VRMC_vrm"])
def test_a_vrm_file_says_itself_which_joint_is_which(folder: Path, tmp_path: Path, capsys: Said, version: str) -> None:
    """Joints without telling names; the bones are stated as both versions of VRM do it."""
    from freshtake.formats.gltf.container import load, packed

    container = load(folder / "hero.glb")
    document = dict(container.top.value)
    numbers = {node.get("name"): number for number, node in enumerate(document["nodes"])}
    bones = {"hips": "J_Bip_C_Hips", "spine": "J_Bip_C_Spine", "chest": "J_Bip_C_Chest", "head": "J_Bip_C_Head"}
    for part in ("UpperLeg", "LowerLeg", "Foot", "UpperArm", "LowerArm", "Hand"):
        bones |= {f"{side}{part}": f"J_Bip_{letter}_{part}" for side, letter in (("left", "L"), ("right", "R"))}
    if version == "VRM":
        listed: object = [{"bone": bone, "node": numbers[name]} for bone, name in bones.items()]
    else:
        listed = {bone: {"node": numbers[name]} for bone, name in bones.items()}
    document["extensions"] = {version: {"humanoid": {"humanBones": listed}}}
    document["nodes"] = [{**node, "name": f"bone{number}"} for number, node in enumerate(document["nodes"])]
    hero = tmp_path / "hero.vrm"
    hero.write_bytes(packed(hero, document, container.buffers[0] or b""))
    given = ["retarget", str(folder / "walk.bvh"), "--onto", str(hero), "-o", str(tmp_path / "x.glb"), "--json"]
    assert run(given) == 0
    said = capsys.readouterr()
    assert "CMU (BVH) to VRM" in said.err
    assert json.loads(said.out)["maps"]["target"]["left_foot"] == [f"bone{numbers['J_Bip_L_Foot']}"]


def test_the_same_joints_in_other_proportions_are_retargeted(folder: Path, tmp_path: Path) -> None:
    tall = samples.walk(np.random.default_rng(1), cycles=1, build=samples.humanoid.TALL)
    ft.write(tmp_path / "tall.bvh", tall)
    given = ["retarget", str(folder / "cheer.bvh"), "--onto", str(tmp_path / "tall.bvh"), "-o", str(tmp_path / "x.npz")]
    assert run(given) == 0
    made = clip_of(tmp_path / "x.npz")
    np.testing.assert_allclose(made.skeleton.lengths(), tall.skeleton.lengths(), atol=1e-4)


def test_the_example_runs(tmp_path: Path, capsys: Said) -> None:
    runpy.run_path(str(EXAMPLE))["main"](tmp_path)
    assert "mixamo: 22 of 52 joints follow" in capsys.readouterr().out
    assert (tmp_path / "retarget_walk.png").exists() and (tmp_path / "walk_unreal.bvh").exists()

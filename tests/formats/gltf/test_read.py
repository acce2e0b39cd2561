from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from freshtake.errors import FormatError
from freshtake.formats import gltf, registry
from freshtake.formats.read_options import ReadOptions
from freshtake.motion import Clip
from freshtake.numeric.rotations import slerp
from tests.formats.gltf.scenes import Scene, rig, turns

RNG = 7
KEYS = np.arange(11) / 20.0
LAWS = ("LINEAR", "STEP", "CUBICSPLINE")
ARMATURES: dict[str, dict[str, Any]] = {
    "none": {},
    "turned": {"rotation": [0.5, 0.5, 0.5, 0.5], "translation": [1.0, 2.0, 3.0]},
    "scaled": {"scale": [0.01, 0.01, 0.01], "rotation": [-0.6, 0.0, 0.0, 0.8]},
    "matrix": {"matrix": [0, 0, -2, 0, 0, 2, 0, 0, 2, 0, 0, 0, 5, 6, 7, 1]},
}


def keys_of(rng: np.random.Generator, path: str, law: str, count: int = len(KEYS)) -> np.ndarray:
    values = turns(rng, count) if path == "rotation" else rng.normal(size=(count, 3))
    if law != "CUBICSPLINE":
        return values
    tangents = rng.normal(size=(2, *values.shape))
    return np.stack([tangents[0], values, tangents[1]], axis=1).reshape(3 * count, -1)


def read(scene: Scene, folder: Path, name: str = "scene.glb", **options: Any) -> Any:
    return gltf.read(scene.save(folder / name), ReadOptions(**options))


def assert_positions(
    clip: Clip, scene: Scene, times: np.ndarray, nodes: dict[str, int], tolerance: float = 1e-9
) -> None:
    """Every joint of the clip stands where the slow evaluator puts its node."""
    got = clip.positions()
    assert len(clip) == len(times)
    for name, node in nodes.items():
        expected = np.array([scene.world(node, t)[:3, 3] for t in times])
        size = max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(got[:, clip.skeleton.index(name)], expected, atol=tolerance * size, err_msg=name)


JOINTS = {"hips": 1, "knee": 2, "helper": 3, "foot": 4, "arm": 5}


@pytest.mark.parametrize("armature", ARMATURES)
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("suffix", ["glb", "gltf"])
def test_world_positions_equal_those_of_matrices(tmp_path: Path, armature: str, law: str, suffix: str) -> None:
    rng = np.random.default_rng(RNG)
    scene = rig(rng, armature=ARMATURES[armature])
    paths = [(1, "translation"), (1, "rotation"), (2, "rotation"), (3, "rotation"), (5, "rotation")]
    scene.animate("move", *[(n, p, KEYS, keys_of(rng, p, law), law) for n, p in paths])
    clip = read(scene, tmp_path, f"scene.{suffix}")
    assert clip.fps == 20 and clip.up == "y" and clip.unit_m == 1.0 and clip.name == "move"
    assert clip.joint_translations is None
    assert_positions(clip, scene, KEYS.astype(np.float32).astype(float), JOINTS)
    between = read(scene, tmp_path, f"scene.{suffix}", fps=73.0)
    assert len(between) == 37  # the last key at 0.5 s lies between frames 36 and 37
    assert_positions(between, scene, np.arange(len(between)) / 73.0, JOINTS, 1e-6 if law == "STEP" else 1e-9)


def test_moving_joints_have_translations_and_moving_armatures_are_in_the_root(tmp_path: Path) -> None:
    rng = np.random.default_rng(RNG)
    scene = rig(rng, armature=ARMATURES["scaled"])
    channels = [(0, "rotation"), (0, "translation"), (2, "translation"), (4, "rotation")]
    scene.animate("move", *[(n, p, KEYS, keys_of(rng, p, "LINEAR"), "LINEAR") for n, p in channels])
    clip = read(scene, tmp_path)
    assert clip.joint_translations is not None
    assert_positions(clip, scene, KEYS.astype(np.float32).astype(float), JOINTS)


@pytest.mark.parametrize("where", [0, 1, 2])
def test_animated_or_uneven_scale_keeps_positions_and_warns(tmp_path: Path, where: int) -> None:
    rng = np.random.default_rng(RNG)
    scene = rig(rng)
    grown = 1.0 + 0.5 * rng.random((len(KEYS), 3))
    moving = (2, "rotation", KEYS, keys_of(rng, "rotation", "LINEAR"), "LINEAR")
    scene.animate("grow", (where, "scale", KEYS, grown, "LINEAR"), moving)
    said: list[str] = []
    clip = read(scene, tmp_path, warn=said.append)
    assert len(said) == 1 and "scale" in said[0]
    assert_positions(clip, scene, KEYS.astype(np.float32).astype(float), JOINTS)


def test_scale_of_a_leaf_moves_nothing_and_warns_of_nothing(tmp_path: Path) -> None:
    rng = np.random.default_rng(RNG)
    scene = rig(rng)
    scene.animate("blink", (4, "scale", KEYS, rng.random((len(KEYS), 3)) + 0.1, "LINEAR"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clip = read(scene, tmp_path)
    assert clip.joint_translations is None


def test_sheared_matrices_keep_positions(tmp_path: Path) -> None:
    rng = np.random.default_rng(RNG)
    scene = rig(rng, armature={"matrix": [1, 0.3, 0, 0, 0, 1, 0.2, 0, 0.1, 0, 1, 0, 0, 0, 0, 1]})
    scene.animate("move", (1, "rotation", KEYS, keys_of(rng, "rotation", "LINEAR"), "LINEAR"))
    clip = read(scene, tmp_path, warn=lambda message: None)
    assert_positions(clip, scene, KEYS.astype(np.float32).astype(float), JOINTS)


def test_linear_rotations_are_slerped_along_the_shorter_arc(tmp_path: Path) -> None:
    start, end = np.array([0, 0, 0, 1.0]), -np.array([0, 0, np.sin(0.5), np.cos(0.5)])
    scene = Scene(nodes=[{"name": "a"}])
    scene.animate("turn", (0, "rotation", [0, 1], [start, end], "LINEAR"))
    clip = read(scene, tmp_path, fps=10.0)
    expected = slerp(np.array([1.0, 0, 0, 0]), np.array([np.cos(0.5), 0, 0, np.sin(0.5)]), np.arange(11) / 10)
    dots = np.abs(np.sum(clip.rotations[:, 0] * expected, axis=-1))
    np.testing.assert_allclose(dots, 1.0, atol=1e-12)


def test_keys_at_no_single_rate_are_read_at_60_with_a_warning(tmp_path: Path) -> None:
    scene = Scene(nodes=[{"name": "a"}])
    scene.animate("hop", (0, "translation", [0, 0.5, 0.61, 1.3], np.eye(4, 3), "LINEAR"))
    said: list[str] = []
    clip = read(scene, tmp_path, warn=said.append)
    assert clip.fps == 60 and len(clip) == 79 and "60 fps" in said[0]


def test_tracks_with_keys_missing_share_the_rate_of_the_others(tmp_path: Path) -> None:
    scene = Scene(nodes=[{"name": "a", "children": [1]}, {"name": "b"}])
    times = 100.0 + np.arange(31) / 29.97
    still = (1, "translation", times[[0, -1]], np.ones((2, 3)), "LINEAR")
    scene.animate("go", (0, "translation", times, np.arange(93).reshape(31, 3), "LINEAR"), still)
    clip = read(scene, tmp_path)
    assert len(clip) == 31 and abs(clip.fps - 29.97) < 1e-3
    np.testing.assert_array_equal(clip.root, np.arange(93).reshape(31, 3))


def test_the_rate_of_long_takes_is_found_in_single_precision_key_times(tmp_path: Path) -> None:
    scene = Scene(nodes=[{"name": "a"}])
    count = 60_000
    scene.animate("long", (0, "translation", np.arange(count) / 120.0, np.arange(3 * count).reshape(-1, 3), "LINEAR"))
    clip = read(scene, tmp_path)
    assert clip.fps == 120 and len(clip) == count
    np.testing.assert_array_equal(clip.root.ravel(), np.arange(3 * count))


def test_animations_are_chosen_by_name_or_number(tmp_path: Path) -> None:
    scene = Scene(nodes=[{"name": "a"}])
    for number, name in enumerate(["walk", "run", "run"]):
        scene.animate(name, (0, "translation", [0, 0.05], np.full((2, 3), number), "LINEAR"))
    with pytest.warns(UserWarning, match=r"only the first .* choose with --animation from 0 'walk', 1 'run', 2 'run'"):
        assert read(scene, tmp_path).name == "walk"
    assert read(scene, tmp_path, animation="run").root[0, 0] == 1
    assert read(scene, tmp_path, animation=2).root[0, 0] == 2
    assert read(scene, tmp_path, animation="2").root[0, 0] == 2
    with pytest.raises(FormatError, match=r"no animation 'swim'; the animations are 0 'walk', 1 'run'"):
        read(scene, tmp_path, animation="swim")
    with pytest.raises(FormatError, match=r"no animation 3;"):
        read(scene, tmp_path, animation=3)
    assert [clip.name for clip in gltf.read_animations(tmp_path / "scene.glb")] == ["walk", "run", "run_2"]


def test_without_animation_the_rest_pose_is_one_frame(tmp_path: Path) -> None:
    scene = rig(np.random.default_rng(RNG), armature=ARMATURES["scaled"])
    clip = read(scene, tmp_path)
    assert len(clip) == 1
    assert_positions(clip, scene, np.zeros(1), JOINTS)
    assert gltf.read_animations(tmp_path / "scene.glb") == []


def test_names_are_made_unique_and_leaves_become_end_sites(tmp_path: Path) -> None:
    scene = rig(np.random.default_rng(RNG))
    nodes = scene.json["nodes"]
    nodes[2]["name"], nodes[4]["name"] = "hips", "hips_2"
    del nodes[3]["name"]
    skeleton = read(scene, tmp_path).skeleton
    assert skeleton.names == ("hips", "hips_3", "joint_3", "hips_2", "arm")
    assert skeleton.parents.tolist() == [-1, 0, 1, 2, 0]
    assert [(site.joint, site.name) for site in skeleton.end_sites] == [(4, "arm_end")]
    np.testing.assert_allclose(skeleton.end_sites[0].offset, [0, 0.25, 0])


@pytest.mark.parametrize("extra", [{"children": [8]}, {"mesh": 0}, {}])
def test_leaves_that_carry_something_or_move_are_no_end_sites(tmp_path: Path, extra: dict[str, Any]) -> None:
    scene = rig(np.random.default_rng(RNG))
    scene.json["nodes"].append({"name": "sword"})
    scene.json["nodes"][6] |= extra
    if not extra:
        scene.animate("move", (6, "rotation", KEYS, turns(np.random.default_rng(1), len(KEYS)), "LINEAR"))
    assert read(scene, tmp_path).skeleton.end_sites == ()


def test_joints_without_one_above_them_get_their_common_ancestor_as_root(tmp_path: Path) -> None:
    rng = np.random.default_rng(RNG)
    scene = rig(rng, armature=ARMATURES["turned"])
    scene.json["skins"] = [{"joints": [4, 5]}]
    scene.animate("move", (4, "rotation", KEYS, keys_of(rng, "rotation", "LINEAR"), "LINEAR"))
    clip = read(scene, tmp_path)
    assert clip.skeleton.names == ("hips", "knee", "helper", "foot", "arm")
    assert_positions(clip, scene, KEYS.astype(np.float32).astype(float), JOINTS)


def test_second_skins_join_when_they_share_joints_and_are_left_out_with_a_warning_when_not(tmp_path: Path) -> None:
    scene = rig(np.random.default_rng(RNG))
    scene.json["nodes"].append({"name": "stranger"})
    scene.json["skins"] = [{"joints": [1, 2]}, {"joints": [2, 4]}, {"joints": [8]}]
    said: list[str] = []
    clip = read(scene, tmp_path, warn=said.append)
    assert clip.skeleton.names == ("hips", "knee", "helper", "foot")
    assert len(said) == 1 and "1 of 3 skins" in said[0]


def test_without_a_skin_the_animated_nodes_are_the_joints(tmp_path: Path) -> None:
    rng = np.random.default_rng(RNG)
    scene = rig(rng, armature=ARMATURES["turned"])
    del scene.json["skins"]
    scene.animate("move", *[(n, "rotation", KEYS, keys_of(rng, "rotation", "LINEAR"), "LINEAR") for n in (2, 4)])
    clip = read(scene, tmp_path)
    assert clip.skeleton.names == ("knee", "helper", "foot")
    assert_positions(clip, scene, KEYS.astype(np.float32).astype(float), {"knee": 2, "helper": 3, "foot": 4})


def test_several_animated_trees_hang_on_a_made_up_root(tmp_path: Path) -> None:
    scene = Scene(nodes=[{"name": "root", "children": [1]}, {"name": "a"}, {"name": "b"}])
    moving = np.random.default_rng(RNG).normal(size=(len(KEYS), 3))
    scene.animate("two", *[(n, "translation", KEYS, moving * n, "LINEAR") for n in (1, 2)])
    clip = read(scene, tmp_path)
    assert clip.skeleton.names == ("root", "root_2", "a", "b")
    assert_positions(clip, scene, KEYS.astype(np.float32).astype(float), {"root_2": 0, "a": 1, "b": 2})


def test_buffers_in_files_beside_and_below(tmp_path: Path) -> None:
    scene = rig(np.random.default_rng(RNG))
    scene.animate("move", (1, "translation", KEYS, np.ones((len(KEYS), 3)), "LINEAR"))
    (tmp_path / "sub dir").mkdir()
    (tmp_path / "sub dir" / "a.bin").write_bytes(scene.binary)
    scene.json["buffers"] = [{"byteLength": len(scene.binary), "uri": "sub%20dir/a.bin"}]
    clip = read(scene, tmp_path, "scene.gltf")
    np.testing.assert_array_equal(clip.root, 1.0)


def test_animation_of_other_things_is_left_out_with_a_warning(tmp_path: Path) -> None:
    scene = Scene(nodes=[{"name": "a"}])
    scene.animate("x", (0, "translation", [0, 0.05], np.ones((2, 3)), "LINEAR"), (0, "pointer", [0], [1], "STEP"))
    said: list[str] = []
    read(scene, tmp_path, warn=said.append)
    assert "'pointer'" in said[0]


def test_the_registry_knows_the_format_by_content(tmp_path: Path) -> None:
    scene = Scene(nodes=[{"name": "a"}])
    path = tmp_path / "character.dat"
    path.write_bytes(scene.glb())
    motion = registry.read(path)
    assert isinstance(motion, Clip) and motion.skeleton.names == ("a",)


@pytest.mark.parametrize(("name", "expected"), [("Fox", ["Survey", "Walk", "Run"]), ("CesiumMan", ["CesiumMan"])])
def test_real_characters_stand_where_matrices_put_them(data: Path, name: str, expected: list[str]) -> None:
    path = data / "mesh" / f"{name}.glb"
    clips = gltf.read_animations(path, ReadOptions(fps=10.0, warn=lambda message: None))
    assert [clip.name for clip in clips] == expected
    scene, nodes = loaded(path)
    for number, clip in enumerate(clips):
        start = min(scene.arrays[s["input"]][0, 0] for s in scene.json["animations"][number]["samplers"])
        for frame in (0, len(clip) // 2, len(clip) - 1):
            points = clip.positions()[frame]
            for joint, joint_name in enumerate(clip.skeleton.names):
                place = scene.world(nodes[joint_name], start + frame / 10, number)[:3, 3]
                np.testing.assert_allclose(points[joint], place, atol=1e-5 * np.abs(points).max())


def loaded(path: Path) -> tuple[Scene, dict[str, int]]:
    """A real file in the form the slow evaluator needs: only what both sample characters use."""
    import json
    import struct

    raw = path.read_bytes()
    (size,) = struct.unpack_from("<I", raw, 12)
    scene = Scene(**json.loads(raw[20 : 20 + size]))
    binary = raw[28 + size :]
    types = {5123: "<u2", 5126: "<f4"}
    for accessor in scene.json["accessors"]:
        view = scene.json["bufferViews"][accessor["bufferView"]]
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}[accessor["type"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        values = np.frombuffer(binary, types[accessor["componentType"]], accessor["count"] * width, start)
        scene.arrays.append(values.reshape(-1, width).astype(float))
    for animation in scene.json["animations"]:
        for sampler in animation["samplers"]:
            sampler.setdefault("interpolation", "LINEAR")
    return scene, {node["name"]: number for number, node in enumerate(scene.json["nodes"])}

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.errors import FormatError
from freshtake.formats import gltf
from freshtake.formats.read_options import ReadOptions
from freshtake.motion import MeshSequence
from tests.formats.gltf.scenes import Scene, rig, turns

KEYS = np.arange(7) / 30.0


def bake(scene: Scene, folder: Path, **options: Any) -> MeshSequence:
    mesh = gltf.read(scene.save(folder / "scene.glb"), ReadOptions(mesh=True, **options))
    assert isinstance(mesh, MeshSequence)
    return mesh


def skinned(rng: np.random.Generator, sets: int = 1, targets: int = 0) -> Scene:
    """The rig with a mesh of 12 vertices on its joints; armature with a scale that skinning must respect."""
    scene = rig(rng, armature={"scale": [2.0, 2.0, 2.0], "rotation": [0.6, 0.0, 0.0, 0.8]})
    shares = rng.random((12, 4 * sets)).astype(np.float32)
    shares /= shares.sum(axis=1, keepdims=True)
    attributes = {
        "POSITION": scene.add(rng.normal(size=(12, 3))),
        "NORMAL": scene.add(turns(rng, 12)[:, :3] * 1.0),
        "TEXCOORD_0": scene.add(rng.random((12, 2))),
    }
    for k in range(sets):
        attributes[f"JOINTS_{k}"] = scene.add(rng.integers(0, 4, (12, 4)), "uint8")
        attributes[f"WEIGHTS_{k}"] = scene.add(shares[:, 4 * k : 4 * k + 4])
    primitive: dict[str, Any] = {"attributes": attributes, "indices": scene.add(np.arange(12)[::-1], "uint16")}
    if targets:
        primitive["targets"] = [
            {"POSITION": scene.add(rng.normal(size=(12, 3))), "NORMAL": scene.add(rng.normal(size=(12, 3)) * 0.1)}
            for _ in range(targets)
        ]
    scene.json["meshes"] = [{"primitives": [primitive]}]
    scene.json["nodes"][7] |= {"mesh": 0, "skin": 0, "translation": [50.0, 0.0, 0.0]}  # ignored for a skin
    bind = rng.normal(size=(4, 4, 4)) * 0.2 + np.eye(4)
    bind[:, 3] = [0, 0, 0, 1]
    scene.json["skins"][0]["inverseBindMatrices"] = scene.add(bind.transpose(0, 2, 1).reshape(4, 16))
    paths = [(1, "translation"), (1, "rotation"), (2, "rotation"), (4, "rotation")]
    moving = [
        (n, p, KEYS, turns(rng, len(KEYS)) if p == "rotation" else rng.normal(size=(len(KEYS), 3)), "LINEAR")
        for n, p in paths
    ]
    if targets:
        moving.append((7, "weights", KEYS, rng.random((len(KEYS) * targets, 1)), "LINEAR"))
    scene.animate("wave", *moving)
    return scene


def slow_skin(scene: Scene, time: float) -> tuple[np.ndarray, np.ndarray]:
    """Linear blend skinning one vertex at a time."""
    primitive = scene.json["meshes"][0]["primitives"][0]
    skin = scene.json["skins"][0]
    at = primitive["attributes"]
    bind = scene.arrays[skin["inverseBindMatrices"]].reshape(-1, 4, 4)
    joints = [scene.world(node, time) @ bind[k].T for k, node in enumerate(skin["joints"])]
    targets = primitive.get("targets", [])
    weights = scene.value(7, "weights", time, 0, np.zeros(len(targets)))
    points, normals = [], []
    for v in range(12):
        place, facing = scene.arrays[at["POSITION"]][v].copy(), scene.arrays[at["NORMAL"]][v].copy()
        for weight, target in zip(weights, targets, strict=True):
            place += weight * scene.arrays[target["POSITION"]][v]
            facing += weight * scene.arrays[target["NORMAL"]][v]
        matrix = np.zeros((4, 4))
        k = 0
        while f"JOINTS_{k}" in at:
            for joint, share in zip(
                scene.arrays[at[f"JOINTS_{k}"]][v], scene.arrays[at[f"WEIGHTS_{k}"]][v], strict=True
            ):
                matrix += share * joints[int(joint)]
            k += 1
        points.append((matrix @ [*place, 1.0])[:3])
        turned = np.linalg.inv(matrix[:3, :3]).T @ facing
        normals.append(turned / np.linalg.norm(turned))
    return np.array(points), np.array(normals)


@pytest.mark.parametrize("sets", [1, 2])
@pytest.mark.parametrize("targets", [0, 3])
def test_skinning_equals_the_slow_form(tmp_path: Path, sets: int, targets: int) -> None:
    scene = skinned(np.random.default_rng(3), sets, targets)
    mesh = bake(scene, tmp_path)
    assert mesh.fps == 30 and len(mesh) == 7 and mesh.normals is not None and mesh.unit_m == 1.0
    for frame, time in enumerate(KEYS.astype(np.float32).astype(float)):
        points, normals = slow_skin(scene, time)
        np.testing.assert_allclose(mesh.vertices[frame], points, atol=1e-5)
        np.testing.assert_allclose(mesh.normals[frame], normals, atol=2e-4)
    np.testing.assert_array_equal(mesh.faces, np.arange(12)[::-1].reshape(4, 3))
    np.testing.assert_allclose(mesh.attributes["uv"], scene.arrays[2])


def test_normals_of_very_large_meshes_are_left_out_with_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = skinned(np.random.default_rng(3), 1, 0)
    whole = bake(scene, tmp_path)
    monkeypatch.setattr("freshtake.formats.gltf.skin.MOST_SHADED", 2 * whole.vertices.nbytes - 1)
    with pytest.warns(UserWarning, match="normals of 7 frames of 12 vertices are left out"):
        mesh = bake(scene, tmp_path)
    assert mesh.normals is None
    np.testing.assert_array_equal(mesh.vertices, whole.vertices)


def test_meshes_on_moving_nodes_are_merged_and_follow_them(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    scene = Scene(
        nodes=[{"mesh": 0, "children": [1]}, {"mesh": 0, "scale": [1.0, -2.0, 3.0], "translation": [1, 2, 3]}]
    )
    place = scene.add(rng.normal(size=(6, 3)))
    facing = scene.add(np.tile([0.0, 0.6, 0.8], (6, 1)))
    attributes = {"POSITION": place, "NORMAL": facing}
    scene.json["meshes"] = [{"primitives": [{"attributes": attributes}, {"attributes": attributes, "mode": 5}]}]
    scene.animate("turn", (0, "rotation", KEYS, turns(rng, len(KEYS)), "LINEAR"))
    mesh = bake(scene, tmp_path)
    assert mesh.vertices.shape == (7, 24, 3) and len(mesh.faces) == 2 * (2 + 4) and mesh.normals is not None
    for node in (0, 1):
        for frame in (0, 3, 6):
            matrix = scene.world(node, float(np.float32(KEYS[frame])))
            expected = scene.arrays[place] @ matrix[:3, :3].T + matrix[:3, 3]
            np.testing.assert_allclose(mesh.vertices[frame, 12 * node : 12 * node + 6], expected, atol=1e-5)
            turned = np.linalg.inv(matrix[:3, :3]).T @ [0.0, 0.6, 0.8]
            got = mesh.normals[frame, 12 * node]
            np.testing.assert_allclose(got, turned / np.linalg.norm(turned), atol=1e-6)


@pytest.mark.parametrize(
    ("mode", "faces"),
    [(4, [[0, 1, 2], [3, 4, 5]]), (5, [[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]]),
     (6, [[1, 2, 0], [2, 3, 0], [3, 4, 0], [4, 5, 0]])],
)  # fmt: skip
def test_triangles_strips_and_fans(tmp_path: Path, mode: int, faces: list[list[int]]) -> None:
    scene = Scene(nodes=[{"mesh": 0}])
    primitive = {"attributes": {"POSITION": scene.add(np.zeros((6, 3)))}, "mode": mode}
    scene.json["meshes"] = [{"primitives": [primitive]}]
    assert bake(scene, tmp_path).faces.tolist() == faces


def test_points_and_lines_are_left_out_and_nothing_left_is_an_error(tmp_path: Path) -> None:
    scene = Scene(nodes=[{"mesh": 0}])
    primitive = {"attributes": {"POSITION": scene.add(np.zeros((6, 3)))}, "mode": 1}
    scene.json["meshes"] = [{"primitives": [primitive]}]
    said: list[str] = []
    with pytest.raises(FormatError, match="nothing to bake"):
        bake(scene, tmp_path, warn=said.append)
    assert "points or lines" in said[0]


def test_morph_targets_at_rest_take_the_weights_of_node_or_mesh(tmp_path: Path) -> None:
    scene = Scene(nodes=[{"mesh": 0}, {"mesh": 0, "weights": [3.0]}])
    shape = {
        "attributes": {"POSITION": scene.add(np.zeros((3, 3)))},
        "targets": [{"POSITION": scene.add(np.ones((3, 3)))}],
    }
    scene.json["meshes"] = [{"primitives": [shape], "weights": [0.5]}]
    mesh = bake(scene, tmp_path)
    np.testing.assert_allclose(mesh.vertices[0, :, 0], [0.5] * 3 + [3.0] * 3)


@pytest.mark.parametrize(
    ("baked", "source", "animation", "fps", "skip"),
    [
        ("fox_survey", "Fox", "Survey", 60.0, 0),
        ("fox_walk", "Fox", "Walk", 60.0, 0),
        ("fox_run", "Fox", "Run", 60.0, 0),
        ("cesium_man_walk", "CesiumMan", None, 120.0, 3),  # its first key is at 5/120 s; the other starts at 0
    ],
)
def test_baked_characters_agree_with_another_sampler(
    data: Path, baked: str, source: str, animation: str | None, fps: float, skip: int
) -> None:
    options = ReadOptions(mesh=True, animation=animation, fps=fps)
    mesh = gltf.read(data / "mesh" / f"{source}.glb", options)
    assert isinstance(mesh, MeshSequence)
    with np.load(data / "mesh" / f"{baked}.npz") as other:
        expected, faces = other["vertices"][skip:], other["faces"]
    got = mesh.vertices[1::2] if skip else mesh.vertices
    assert got.shape == expected.shape
    size = float(np.ptp(expected.reshape(-1, 3), axis=0).max())
    assert np.abs(got - expected).max() < 1e-5 * size
    np.testing.assert_array_equal(mesh.faces, faces)


def horse(tmp_path: Path) -> tuple[Path, np.ndarray]:
    """A mesh without joints whose only animation changes the weights of its morph targets; and its vertices."""
    rng = np.random.default_rng(0)
    base, targets = rng.normal(size=(6, 3)), rng.normal(size=(2, 6, 3))
    scene = Scene(nodes=[{"name": "horse", "mesh": 0}], scenes=[{"nodes": [0]}], scene=0)
    shape = {
        "attributes": {"POSITION": scene.add(base)},
        "indices": scene.add(np.arange(6), "uint8"),
        "targets": [{"POSITION": scene.add(target)} for target in targets],
    }
    scene.json["meshes"] = [{"primitives": [shape]}]
    phase = np.linspace(0, 4 * np.pi, 41)
    weights = np.stack([np.sin(phase), np.cos(phase)], axis=1)
    scene.animate("gallop", (0, "weights", np.arange(41) / 30, weights.reshape(-1, 1), "LINEAR"))
    return scene.save(tmp_path / "horse.glb"), base + np.einsum("ft,tvx->fvx", weights, targets)


def test_what_changes_by_morph_targets_alone_is_a_mesh_sequence(tmp_path: Path) -> None:
    path, vertices = horse(tmp_path)
    mesh = ft.read(path)
    assert isinstance(mesh, ft.MeshSequence) and mesh.fps == pytest.approx(30.0)
    np.testing.assert_allclose(mesh.vertices, vertices, rtol=0, atol=1e-5)
    assert run(["texture", "learn", str(path), "-o", str(tmp_path / "m.ftm")]) == 0
    assert run(["texture", "sample", str(tmp_path / "m.ftm"), "--frames", "60", "-o", str(tmp_path / "out.npz")]) == 0
    made = ft.read(tmp_path / "out.npz")
    assert isinstance(made, ft.MeshSequence) and np.ptp(made.vertices, axis=0).max() > 0.5

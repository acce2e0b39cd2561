from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from freshtake.errors import FormatError, SkeletonMismatch
from freshtake.formats import bvh, gltf
from freshtake.formats.read_options import ReadOptions, WriteOptions
from freshtake.motion import Clip, EndSite, MeshSequence, Skeleton
from freshtake.motion.edit import mirror, moved, resample, scaled, turned, with_up
from tests.conftest import data_files, label
from tests.formats.gltf.scenes import Scene, rig, turns
from tests.formats.made_clips import made_clip, usual_layout


@st.composite
def clips(draw: st.DrawFn) -> Clip:
    """Any tree, any motion, with or without moving joints and end sites."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    joints, frames = draw(st.integers(1, 9)), draw(st.integers(1, 6))
    parents = [-1] + [draw(st.integers(0, j - 1)) for j in range(1, joints)]
    offsets = rng.normal(size=(joints, 3)) * draw(st.sampled_from([0.01, 1.0, 300.0]))
    sites = tuple(
        EndSite(draw(st.integers(0, joints - 1)), (0.5, 0.0, 1.0), name) for name in ["", "tip"][: joints % 3]
    )
    skeleton = Skeleton(tuple(f"joint {j}" for j in range(joints)), np.array(parents), offsets, sites)
    size = float(np.abs(offsets).max())
    moving = rng.normal(size=(frames, joints, 3)) * size if draw(st.booleans()) else None
    return Clip(
        skeleton,
        draw(st.sampled_from([1 / 30, 1 / 120, 0.0083333, 1 / 29.97, 0.5, 0.01 / 3])),
        rng.normal(size=(frames, 3)) * size,
        turns(rng, frames, joints),
        moving,
        name=draw(st.sampled_from(["", "walk", "a b/c", "Ünicode"])),
        up=draw(st.sampled_from("yz")),
        unit_m=draw(st.sampled_from([1.0, 0.01, 0.0564])),
    )


def assert_same(got: Clip, expected: Clip, tolerance: float = 1e-6) -> None:
    """`expected` is in metres and y up."""
    assert got.skeleton.names == expected.skeleton.names
    np.testing.assert_array_equal(got.skeleton.parents, expected.skeleton.parents)
    size = float(np.abs(expected.positions()).max())
    np.testing.assert_allclose(got.skeleton.offsets, expected.skeleton.offsets, atol=tolerance * size)
    assert got.fps == expected.fps and len(got) == len(expected)
    np.testing.assert_allclose(got.positions(), expected.positions(), atol=tolerance * size)
    dots = np.abs(np.sum(got.rotations * expected.rotations, axis=-1))
    np.testing.assert_allclose(dots, 1.0, atol=1e-6)


@given(clip=clips(), suffix=st.sampled_from(["glb", "gltf"]))
def test_a_figure_reads_back_equal(tmp_path_factory: pytest.TempPathFactory, clip: Clip, suffix: str) -> None:
    path = tmp_path_factory.mktemp("gltf") / f"clip.{suffix}"
    gltf.write(path, clip, WriteOptions())
    got = gltf.read(path, ReadOptions())
    assert isinstance(got, Clip) and clip.unit_m is not None
    expected = scaled(with_up(clip, "y"), clip.unit_m)
    assert_same(got, expected)
    assert got.name == (clip.name or "clip") and got.up == "y" and got.unit_m == 1.0
    assert [(s.joint, s.name) for s in got.skeleton.end_sites] == [(s.joint, s.name) for s in clip.skeleton.end_sites]
    np.testing.assert_allclose(got.end_positions(), expected.end_positions(), atol=1e-5 * np.abs(got.positions()).max())


def document(path: Path) -> dict[str, Any]:
    raw = path.read_bytes()
    (size,) = struct.unpack_from("<I", raw, 12)
    found: dict[str, Any] = json.loads(raw[20 : 20 + size])
    return found


def test_several_clips_become_named_animations(tmp_path: Path) -> None:
    walk = made_clip(usual_layout()).changed(name="walk")
    run = made_clip(usual_layout(), seed=6).changed(name="run", frame_time=1 / 60)
    path = tmp_path / "many.glb"
    gltf.write(path, [walk, run, walk], WriteOptions(unit_m=0.01))
    got = gltf.read_animations(path)
    assert [clip.name for clip in got] == ["walk", "run", "walk_2"]
    for clip, expected in zip(got, (walk, run, walk), strict=True):
        assert_same(clip, scaled(expected, 0.01))


def test_clips_of_one_file_need_one_skeleton(tmp_path: Path) -> None:
    first = made_clip(usual_layout()).changed(name="first")
    longer = first.skeleton.offsets.copy()
    longer[3] *= 1.1
    skeleton = Skeleton(first.skeleton.names, first.skeleton.parents, longer)
    other = Clip(skeleton, first.frame_time, first.root, first.rotations, name="other")
    with pytest.raises(SkeletonMismatch, match="first and other place the joint 'LeftArm' at different offsets"):
        gltf.write(tmp_path / "x.glb", [first, other], WriteOptions(unit_m=1.0))
    renamed = Skeleton(tuple(f"x{n}" for n in first.skeleton.names), first.skeleton.parents, first.skeleton.offsets)
    other = Clip(renamed, first.frame_time, first.root, first.rotations, name="other")
    with pytest.raises(SkeletonMismatch, match="only first has the joint 'Hips'"):
        gltf.write(tmp_path / "x.glb", [first, other], WriteOptions(unit_m=1.0))
    assert not list(tmp_path.iterdir())


def test_a_clip_without_unit_is_refused_with_the_remedy(tmp_path: Path) -> None:
    clip = made_clip(usual_layout())
    with pytest.raises(FormatError, match=r"fixed unit.*--unit.*0\.01.*0\.0564"):
        gltf.write(tmp_path / "x.glb", clip, WriteOptions())
    gltf.write(tmp_path / "x.glb", clip, WriteOptions(unit_m=0.01))
    got = gltf.read(tmp_path / "x.glb", ReadOptions())
    assert isinstance(got, Clip)
    np.testing.assert_allclose(got.positions(), clip.positions() * 0.01, atol=1e-6)


def test_other_motion_is_refused_with_the_remedy(tmp_path: Path) -> None:
    mesh = MeshSequence(np.zeros((1, 3, 3), np.float32), np.array([[0, 1, 2]], np.int32), 0.1)
    with pytest.raises(FormatError, match=r"not for a mesh sequence: choose .npz, .abc or a folder of OBJ files"):
        gltf.write(tmp_path / "x.glb", mesh, WriteOptions())
    with pytest.raises(FormatError, match="not for nothing"):
        gltf.write(tmp_path / "x.glb", [], WriteOptions())


def test_clips_that_single_precision_cannot_hold_are_refused(tmp_path: Path) -> None:
    clip = made_clip(usual_layout())
    with pytest.raises(FormatError, match="too long"):
        gltf.write(tmp_path / "x.glb", clip.changed(frame_time=1e39), WriteOptions(unit_m=1.0))
    with pytest.raises(FormatError, match="does not fit"):
        gltf.write(tmp_path / "x.glb", moved(clip, np.full(3, 1e39)), WriteOptions(unit_m=1.0))


def test_quaternions_do_not_change_sign_between_frames(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    clip = made_clip(usual_layout(), frames=40)
    signs = rng.choice([-1.0, 1.0], (40, 7, 1))
    gltf.write(tmp_path / "x.glb", clip.changed(rotations=clip.rotations * signs), WriteOptions(unit_m=1.0))
    found = document(tmp_path / "x.glb")
    raw = (tmp_path / "x.glb").read_bytes()
    start = 28 + struct.unpack_from("<I", raw, 12)[0]
    checked = 0
    for channel in found["animations"][0]["channels"]:
        if channel["target"]["path"] == "rotation":
            accessor = found["accessors"][found["animations"][0]["samplers"][channel["sampler"]]["output"]]
            place = start + found["bufferViews"][accessor["bufferView"]]["byteOffset"]
            q = np.frombuffer(raw, "<f4", accessor["count"] * 4, place).reshape(-1, 4)
            assert (np.sum(q[1:] * q[:-1], axis=1) > 0).all()
            checked += 1
    assert checked == 7


def test_the_figure_has_a_bone_from_every_joint_to_each_child_and_tip(tmp_path: Path) -> None:
    clip = made_clip(usual_layout())
    gltf.write(tmp_path / "x.glb", clip, WriteOptions(unit_m=1.0))
    mesh = gltf.read(tmp_path / "x.glb", ReadOptions(mesh=True))
    assert isinstance(mesh, MeshSequence) and mesh.normals is not None
    positions, ends = clip.positions(), clip.end_positions()
    tails = [clip.skeleton.parents[j] for j in range(1, 7)] + [site.joint for site in clip.skeleton.end_sites]
    assert mesh.vertices.shape[1] == 24 * len(tails)
    for frame in (0, 7):
        heads = np.concatenate([positions[frame, 1:], ends[frame]])
        bones = mesh.vertices[frame].reshape(len(tails), 24, 3)
        for bone, tail, head in zip(bones, tails, heads, strict=True):
            away = np.linalg.norm(bone[:, None] - np.stack([positions[frame, tail], head]), axis=-1)
            assert (away.min(axis=0) < 1e-4).all()
            # Nothing sticks out beyond half a length, and all normals look outwards.
            assert away.min(axis=1).max() < 0.8 * np.linalg.norm(head - positions[frame, tail])
        corners = mesh.vertices[frame].reshape(-1, 3, 3)
        facing = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        outward = corners.mean(axis=1) - np.repeat(bones.mean(axis=1), 8, axis=0)
        normals = mesh.normals[frame].reshape(-1, 3, 3)[:, 0]
        assert (np.sum(facing * normals, axis=1) > 0).all() and (np.sum(outward * normals, axis=1) > 0).all()


def test_joints_without_length_and_lone_roots_are_visible(tmp_path: Path) -> None:
    for offsets in (np.zeros((1, 3)), np.zeros((3, 3)), np.array([[0, 0, 0], [0, -1.0, 0], [0, 0, 0]])):
        names = tuple("abc"[: len(offsets)])
        skeleton = Skeleton(names, np.arange(len(offsets)) - 1, offsets)
        still = np.tile([1.0, 0, 0, 0], (2, len(offsets), 1))
        gltf.write(tmp_path / "x.glb", Clip(skeleton, 0.1, np.zeros((2, 3)), still), WriteOptions(unit_m=1.0))
        mesh = gltf.read(tmp_path / "x.glb", ReadOptions(mesh=True))
        assert isinstance(mesh, MeshSequence) and np.ptp(mesh.vertices, axis=1).min() > 0


@pytest.mark.parametrize("path", data_files("walk/walk_*.bvh")[:2] + data_files("cyclic/run*.bvh"), ids=label)
def test_real_walks_read_back(tmp_path: Path, path: Path) -> None:
    clip = bvh.read(path, ReadOptions())
    gltf.write(tmp_path / "x.glb", clip, WriteOptions(unit_m=0.0564))
    got = gltf.read(tmp_path / "x.glb", ReadOptions())
    assert isinstance(got, Clip)
    assert_same(got, scaled(clip, 0.0564))


# ---- onto a character ----


@pytest.mark.parametrize("name", ["Fox", "CesiumMan"])
@pytest.mark.parametrize("suffix", ["glb", "gltf"])
def test_changed_clips_go_back_onto_the_real_character(data: Path, tmp_path: Path, name: str, suffix: str) -> None:
    source = data / "mesh" / f"{name}.glb"
    clips = gltf.read_animations(source, ReadOptions(warn=lambda message: None))
    changed = [resample(turned(moved(mirror(clip), np.array([1.0, 2.0, 3.0])), 0.7), 30.0) for clip in clips]
    path = tmp_path / f"new.{suffix}"
    gltf.write(path, changed, WriteOptions(character=source))
    back = gltf.read_animations(path)
    assert [clip.name for clip in back] == [clip.name for clip in clips]
    for got, expected in zip(back, changed, strict=True):
        assert_same(got, expected)


def test_the_rest_of_the_character_is_kept_and_the_old_animations_go(data: Path, tmp_path: Path) -> None:
    source = data / "mesh" / "Fox.glb"
    clip = gltf.read(source, ReadOptions(animation="Walk"))
    gltf.write(tmp_path / "new.glb", clip, WriteOptions(character=source))
    old, new = document(source), document(tmp_path / "new.glb")
    assert [a["name"] for a in new["animations"]] == ["Walk"]
    for key in ("asset", "nodes", "scenes", "scene", "materials", "textures", "samplers"):
        assert old[key] == new[key]
    assert attribute_bytes(source) == attribute_bytes(tmp_path / "new.glb")
    assert (tmp_path / "new.glb").stat().st_size < source.stat().st_size
    baked = [gltf.read(p, ReadOptions(mesh=True, animation="Walk")) for p in (source, tmp_path / "new.glb")]
    assert all(isinstance(mesh, MeshSequence) for mesh in baked)
    np.testing.assert_allclose(baked[0].vertices, baked[1].vertices, atol=1e-3)  # type: ignore[union-attr]


def attribute_bytes(path: Path) -> list[bytes]:
    """The raw bytes of everything but animations: vertex attributes, matrices of skins, images."""
    found, raw = document(path), path.read_bytes()
    start = 28 + struct.unpack_from("<I", raw, 12)[0]
    numbers = [number for mesh in found["meshes"] for p in mesh["primitives"] for number in p["attributes"].values()]
    numbers += [skin["inverseBindMatrices"] for skin in found["skins"]]
    views = [found["accessors"][number]["bufferView"] for number in numbers]
    views += [image["bufferView"] for image in found["images"]]
    spans = [(found["bufferViews"][v].get("byteOffset", 0), found["bufferViews"][v]["byteLength"]) for v in views]
    return [raw[start + offset : start + offset + length] for offset, length in spans]


KEYS = np.arange(9) / 24.0


@pytest.mark.parametrize(
    "armature",
    [
        {},
        {"rotation": [0.5, 0.5, 0.5, 0.5], "translation": [1.0, 2.0, 3.0], "scale": [0.01, 0.01, 0.01]},
        {"scale": [1.0, 2.0, 3.0], "rotation": [0.6, 0.0, 0.0, 0.8]},
        {"matrix": [1, 0.3, 0, 0, 0, 1, 0.2, 0, 0.1, 0, 1, 0, 0, 0, 0, 1]},
    ],
    ids=["none", "plain", "uneven", "sheared"],
)
@pytest.mark.parametrize("inner", [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [1.0, 2.0, 0.5]], ids=str)
def test_what_stands_above_the_root_is_undone(tmp_path: Path, armature: dict[str, Any], inner: list[float]) -> None:
    rng = np.random.default_rng(11)
    scene = rig(rng, armature=armature)
    scene.json["nodes"][2]["scale"] = inner
    moves = [
        (n, "rotation", KEYS, turns(rng, len(KEYS)), "LINEAR") for n in (0, 1, 2, 4) if n or "matrix" not in armature
    ]
    scene.animate("old", *moves)
    source = scene.save(tmp_path / "source.glb")
    quiet = ReadOptions(warn=lambda message: None)
    clip = gltf.read(source, quiet)
    assert isinstance(clip, Clip)
    changed = turned(moved(clip, np.array([1.0, 0.0, 2.0])), 0.3)
    gltf.write(tmp_path / "new.glb", changed, WriteOptions(character=source))
    got = gltf.read(tmp_path / "new.glb", quiet)
    assert isinstance(got, Clip)
    size = np.abs(changed.positions()).max()
    np.testing.assert_allclose(got.positions(), changed.positions(), atol=2e-6 * size)


def test_joints_given_by_a_mirrored_matrix_can_be_animated(tmp_path: Path) -> None:
    scene = rig(np.random.default_rng(1))
    scene.json["nodes"][2] = {
        "name": "knee",
        "children": [3],
        "matrix": [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 2, 3, 1],
    }
    source = scene.save(tmp_path / "source.glb")
    clip = gltf.read(source, ReadOptions(warn=lambda message: None))
    assert isinstance(clip, Clip)
    np.testing.assert_allclose(clip.positions()[0, 3], scene.world(4, 0.0)[:3, 3], atol=1e-12)
    gltf.write(tmp_path / "new.glb", turned(clip, 0.5), WriteOptions(character=source))
    got = gltf.read(tmp_path / "new.glb", ReadOptions(warn=lambda message: None))
    assert isinstance(got, Clip) and "matrix" not in document(tmp_path / "new.glb")["nodes"][2]
    np.testing.assert_allclose(got.positions(), turned(clip, 0.5).positions(), atol=1e-5)


def test_joints_are_matched_by_name_in_any_order(tmp_path: Path) -> None:
    source = rig(np.random.default_rng(1)).save(tmp_path / "source.glb")
    clip = gltf.read(source, ReadOptions())
    assert isinstance(clip, Clip)
    order = [0, 4, 1, 2, 3]
    parents = np.array([-1, 0, 0, 2, 3])
    skeleton = Skeleton(tuple(clip.skeleton.names[j] for j in order), parents, clip.skeleton.offsets[order])
    shuffled = Clip(skeleton, clip.frame_time, clip.root, clip.rotations[:, order], unit_m=1.0)
    gltf.write(tmp_path / "new.glb", shuffled, WriteOptions(character=source))
    got = gltf.read(tmp_path / "new.glb", ReadOptions())
    assert isinstance(got, Clip)
    np.testing.assert_allclose(got.positions(), clip.positions(), atol=1e-6)


def test_joints_that_one_side_lacks_are_named(tmp_path: Path) -> None:
    source = rig(np.random.default_rng(1)).save(tmp_path / "source.glb")
    with pytest.raises(
        SkeletonMismatch, match=r"the clip lacks 'hips', .*'arm' and the character lacks 'Hips', .*1 more"
    ):
        gltf.write(tmp_path / "x.glb", made_clip(usual_layout()), WriteOptions(unit_m=1.0, character=source))
    clip = gltf.read(source, ReadOptions())
    assert isinstance(clip, Clip)
    hung = Skeleton(clip.skeleton.names, np.array([-1, 0, 1, 1, 0]), clip.skeleton.offsets)
    other = Clip(hung, 0.1, clip.root, clip.rotations, unit_m=1.0)
    with pytest.raises(SkeletonMismatch, match="joint 'foot' has a different parent"):
        gltf.write(tmp_path / "x.glb", other, WriteOptions(character=source))


def test_images_and_buffers_beside_the_character_are_taken_in(tmp_path: Path) -> None:
    folder = tmp_path / "source"
    folder.mkdir()
    scene = rig(np.random.default_rng(1))
    scene.animate("old", (1, "rotation", KEYS, turns(np.random.default_rng(2), len(KEYS)), "LINEAR"))
    scene.json["images"] = [{"uri": "skin.png"}]
    (folder / "skin.png").write_bytes(b"\x89PNG\r\n\x1a\nrest")
    (folder / "a.bin").write_bytes(scene.binary)
    scene.json["buffers"] = [{"byteLength": len(scene.binary), "uri": "a.bin"}]
    source = scene.save(folder / "source.gltf")
    clip = gltf.read(source, ReadOptions())
    gltf.write(tmp_path / "new.glb", clip, WriteOptions(character=source))
    image = document(tmp_path / "new.glb")["images"][0]
    assert image["mimeType"] == "image/png" and "uri" not in image
    got = gltf.read(tmp_path / "new.glb", ReadOptions())
    assert isinstance(got, Clip) and isinstance(clip, Clip)
    assert_same(got, clip)


def test_a_broken_character_is_refused(tmp_path: Path) -> None:
    scene = rig(np.random.default_rng(1))
    clip = gltf.read(scene.save(tmp_path / "good.glb"), ReadOptions())
    scene.json["images"] = [{"bufferView": 4}]
    source = scene.save(tmp_path / "bad.glb")
    with pytest.raises(FormatError, match=r"images\[0\].bufferView: buffer view 4 does not exist"):
        gltf.write(tmp_path / "x.glb", clip, WriteOptions(character=source))
    scene.json["images"], nest = [], "deep"
    for _ in range(900):
        nest = [nest]  # type: ignore[assignment]
    deep = Scene(**{**scene.json, "extras": nest}).save(tmp_path / "deep.glb")
    with pytest.raises(FormatError, match="nested too deeply"):
        gltf.write(tmp_path / "x.glb", clip, WriteOptions(character=deep))
    scene.json["nodes"][0]["scale"] = [0.0, 0.0, 0.0]
    with pytest.raises(FormatError, match=r"nodes\[1\]: the scale above this joint is zero"):
        gltf.write(tmp_path / "x.glb", clip, WriteOptions(character=scene.save(tmp_path / "flat.glb")))


def test_unused_parts_survive(tmp_path: Path) -> None:
    """An accessor that both a mesh and an animation use stays; so does whatever nothing uses."""
    scene = rig(np.random.default_rng(1))
    unused = scene.add(np.arange(5.0))
    scene.animate("old", (1, "translation", KEYS, np.ones((len(KEYS), 3)), "LINEAR"))
    shared = len(scene.arrays) - 1
    scene.json["meshes"] = [{"primitives": [{"attributes": {"POSITION": shared}}]}]
    clip = gltf.read(scene.save(tmp_path / "source.glb"), ReadOptions())
    gltf.write(tmp_path / "new.glb", clip, WriteOptions(character=tmp_path / "source.glb"))
    new = document(tmp_path / "new.glb")
    assert new["accessors"][0] == scene.json["accessors"][unused]
    position = new["meshes"][0]["primitives"][0]["attributes"]["POSITION"]
    assert position == 1 and new["accessors"][1]["type"] == "VEC3"

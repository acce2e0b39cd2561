"""FBX files contain what the clips contain, according to an independent slow reader."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from freshtake.motion import Clip
from freshtake.motion.cycles.looping import with_root_motion
from freshtake.motion.edit import with_up
from tests.formats.characters import skinned
from tests.formats.fbx.slow_reader import Scene
from tests.formats.made_clips import fixed_layout, made_clip, moving_layout, odd_layout, usual_layout

UNIT = 0.05
LAYOUTS = {"usual": usual_layout(), "odd": odd_layout(), "six": moving_layout(), "fixed": fixed_layout()}


def times_of(clip: Clip) -> np.ndarray:
    return np.arange(len(clip)) * clip.frame_time


@pytest.mark.parametrize("name", LAYOUTS)
def test_joints_are_where_the_clip_has_them(tmp_path: Path, name: str) -> None:
    clip = made_clip(LAYOUTS[name])
    ft.write(tmp_path / "x.fbx", clip, unit_m=UNIT)
    found = Scene(tmp_path / "x.fbx").positions("made", clip.skeleton.names, times_of(clip))
    np.testing.assert_allclose(found, clip.positions() * UNIT, rtol=0, atol=2e-7 * np.ptp(clip.positions()) * UNIT)


def test_joints_hang_on_their_parents_and_tips_on_their_joints(tmp_path: Path) -> None:
    clip = made_clip(usual_layout())
    ft.write(tmp_path / "x.fbx", clip, unit_m=UNIT)
    scene = Scene(tmp_path / "x.fbx")
    above = {name: scene.name(scene.parent[n]) if scene.parent[n] else "" for name, n in scene.joints.items()}
    names = clip.skeleton.names
    assert {name: above[name] for name in names} == {
        name: names[p] if p >= 0 else "" for name, p in zip(names, clip.skeleton.parents, strict=True)
    }
    assert {name: above[name] for name in above if name not in names} == {
        "Head_end": "Head", "Tip": "LeftHand", "RightFoot_end": "RightFoot"
    }  # fmt: skip
    tips = scene.positions("made", ("Head_end", "Tip", "RightFoot_end"), times_of(clip))
    np.testing.assert_allclose(tips, clip.end_positions() * UNIT, rtol=0, atol=1e-6)


def test_a_guessed_unit_is_said_without_naming_a_unit_of_the_file(tmp_path: Path) -> None:
    clip = ft.samples.walk(np.random.default_rng(0)).changed(unit_m=None)
    with pytest.warns(UserWarning, match="FBX has a fixed unit, and centimetres are guessed from the body's size"):
        ft.write(tmp_path / "x.fbx", clip)


def test_several_clips_are_several_takes(tmp_path: Path) -> None:
    clips = [made_clip(usual_layout(), frames=6 + seed, seed=seed).changed(name="step") for seed in range(3)]
    ft.write(tmp_path / "x.fbx", clips, unit_m=UNIT)
    scene = Scene(tmp_path / "x.fbx")
    assert list(scene.takes) == ["step", "step_2", "step_3"]
    assert [take.values[0] for take in scene.top.one("Takes").all("Take")] == list(scene.takes)
    for take, clip in zip(scene.takes, clips, strict=True):
        found = scene.positions(take, clip.skeleton.names, times_of(clip))
        np.testing.assert_allclose(found, clip.positions() * UNIT, rtol=0, atol=1e-6)
        stop = scene.objects[scene.takes[take]].props()["LocalStop"][0]
        assert stop == round(times_of(clip)[-1] * 46186158000)


def test_axes_and_unit_are_said(tmp_path: Path) -> None:
    clip = with_up(made_clip(usual_layout()), "z")
    ft.write(tmp_path / "x.fbx", clip, unit_m=0.0254)
    scene = Scene(tmp_path / "x.fbx")
    said = {name: value[0] for name, value in scene.top.one("GlobalSettings").props().items() if value}
    assert said["UnitScaleFactor"] == 1.0  # centimetres
    axes = [said[f"{axis}Axis{sign}"] for axis in ("Up", "Front", "Coord") for sign in ("", "Sign")]
    assert axes == [1, 1, 2, 1, 0, 1]
    assert said["TimeMode"] == 6  # 30 frames a second
    upright = with_up(clip, "y").positions() * 0.0254
    np.testing.assert_allclose(scene.positions("made", clip.skeleton.names, times_of(clip)), upright, rtol=0, atol=1e-6)


def test_angles_go_on_without_jumps(tmp_path: Path) -> None:
    clip = made_clip(usual_layout())
    ft.write(tmp_path / "x.fbx", clip, unit_m=UNIT)
    for (_, role, _), (_, values) in Scene(tmp_path / "x.fbx").curves("made").items():
        assert role != "Lcl Rotation" or np.abs(np.diff(values)).max(initial=0.0) <= 180.0


def test_a_clip_in_place_says_its_travel(tmp_path: Path) -> None:
    clip = with_root_motion(made_clip(usual_layout()).changed(unit_m=1.0), "none")
    ft.write(tmp_path / "x.fbx", clip)
    scene = Scene(tmp_path / "x.fbx")
    said = json.loads(scene.objects[scene.takes["made"]].props()["Description"][0])
    assert clip.playback is not None and said == clip.playback.summary()


@pytest.mark.parametrize(
    "shape",
    [
        {},
        {"armature": {"scale": [0.01, 0.01, 0.01]}},
        {"armature": {"scale": [2.0, 2.0, 2.0], "rotation": [0.5, 0.5, 0.5, 0.5], "translation": [1.0, 2.0, 3.0]}},
        {"bent": True},
        {"bent": True, "prop": True, "armature": {"rotation": [-(0.5**0.5), 0.0, 0.0, 0.5**0.5]}},
    ],
    ids=["plain", "small", "turned", "bent", "prop"],
)
def test_the_skin_of_a_character_moves_as_in_its_own_file(tmp_path: Path, shape: dict[str, Any]) -> None:
    source = skinned(**shape).save(tmp_path / "hero.glb")
    clip, mesh = ft.read(source), ft.read(source, mesh=True)
    assert isinstance(clip, Clip) and isinstance(mesh, ft.MeshSequence)
    ft.write(tmp_path / "x.fbx", clip, character=source)
    scene = Scene(tmp_path / "x.fbx")
    found = np.concatenate(scene.vertices("dance", times_of(clip)), axis=1)
    size = float(np.ptp(mesh.vertices))
    np.testing.assert_allclose(found, mesh.vertices, rtol=0, atol=1e-6 * size)
    joints = scene.positions("dance", clip.skeleton.names, times_of(clip))
    np.testing.assert_allclose(joints, clip.positions(), rtol=0, atol=1e-6 * size)


def test_faces_normals_and_colors_come_along(tmp_path: Path) -> None:
    source = skinned().save(tmp_path / "hero.glb")
    mesh = ft.read(source, mesh=True)
    assert isinstance(mesh, ft.MeshSequence)
    ft.write(tmp_path / "x.fbx", ft.read(source), character=source)
    scene = Scene(tmp_path / "x.fbx")
    (geometry,) = [node for node in scene.objects.values() if node.name == "Geometry"]
    corners = geometry.one("PolygonVertexIndex").values[0].reshape(-1, 3)
    assert (corners[:, 2] < 0).all()
    np.testing.assert_array_equal(np.where(corners < 0, ~corners, corners), mesh.faces)
    uv = geometry.one("LayerElementUV").one("UV").values[0].reshape(-1, 2)
    np.testing.assert_allclose(uv, mesh.attributes["uv"] * [1, -1] + [0, 1], atol=1e-7)
    lengths = np.linalg.norm(geometry.one("LayerElementNormal").one("Normals").values[0].reshape(-1, 3), axis=1)
    np.testing.assert_allclose(lengths, 1.0, atol=1e-9)
    (material,) = [node for node in scene.objects.values() if node.name == "Material"]
    assert material.values[1].startswith("cloth\x00") and material.props()["DiffuseColor"] == [0.25, 0.5, 0.75]


def test_the_bind_pose_lists_every_joint_and_mesh(tmp_path: Path) -> None:
    source = skinned(prop=True).save(tmp_path / "hero.glb")
    ft.write(tmp_path / "x.fbx", ft.read(source), character=source)
    scene = Scene(tmp_path / "x.fbx")
    (pose,) = [node for node in scene.objects.values() if node.name == "Pose"]
    listed = {scene.name(entry.one("Node").values[0]) for entry in pose.all("PoseNode")}
    assert listed == {"hips", "knee", "helper", "foot", "arm", "body", "hat"}
    assert pose.one("NbPoseNodes").values[0] == len(pose.all("PoseNode"))


def test_what_fbx_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ft.FormatError, match="FBX is written for clips with a skeleton"):
        ft.write(tmp_path / "x.fbx", ft.Stroke(np.zeros((2, 2)), np.arange(2.0)))
    huge = made_clip(usual_layout()).changed(root=np.full((12, 3), 1e35), unit_m=1.0)
    with pytest.raises(ft.FormatError, match="single precision"):
        ft.write(tmp_path / "x.fbx", huge)
    source = skinned().save(tmp_path / "hero.glb")
    with pytest.raises(ft.SkeletonMismatch, match="joints are matched by name"):
        ft.write(tmp_path / "x.fbx", made_clip(usual_layout()), unit_m=UNIT, character=source)
    assert not (tmp_path / "x.fbx").exists()


@pytest.mark.parametrize("where", ["joint", "none"])
def test_travel_on_a_root_joint_and_in_place_go_onto_a_character(tmp_path: Path, where: str) -> None:
    armature = {"scale": [0.5] * 3, "rotation": [0.5, 0.5, 0.5, 0.5]}
    source = skinned(bent=True, armature=armature).save(tmp_path / "hero.glb")
    whole, mesh = ft.read(source), ft.read(source, mesh=True)
    assert isinstance(whole, Clip) and isinstance(mesh, ft.MeshSequence)
    clip = with_root_motion(whole, where)
    shift = clip.world().positions[:, clip.skeleton.index("hips")] - whole.positions()[:, 0]  # 0 but for `none`
    ft.write(tmp_path / "x.fbx", clip, character=source)
    scene = Scene(tmp_path / "x.fbx")
    assert ("Root" in scene.joints) == (where == "joint")
    joints = scene.positions("dance", clip.skeleton.names, times_of(clip))
    np.testing.assert_allclose(joints, clip.positions(), rtol=0, atol=1e-5)
    (found,) = scene.vertices("dance", times_of(clip))
    np.testing.assert_allclose(found, mesh.vertices + shift[:, None], rtol=0, atol=1e-5)
    ft.write(tmp_path / "x.glb", clip, character=source)
    again, skin = ft.read(tmp_path / "x.glb"), ft.read(tmp_path / "x.glb", mesh=True)
    assert isinstance(again, Clip) and isinstance(skin, ft.MeshSequence)
    assert again.skeleton.names == clip.skeleton.names and again.playback == clip.playback
    np.testing.assert_allclose(again.positions(), clip.positions(), rtol=0, atol=1e-5)
    np.testing.assert_allclose(skin.vertices, mesh.vertices + shift[:, None], rtol=0, atol=1e-5)

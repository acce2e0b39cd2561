"""VRM animations: a T-pose without rotations, bones under their standard names, and the same motion as the clip."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.motion import Clip
from freshtake.motion.edit import scaled, with_up
from freshtake.motion.retarget import find_body
from freshtake.numeric.rotations import from_rotvec, multiply
from freshtake.samples.rigs import rig
from tests.formats.made_clips import made_clip, usual_layout

LIMBS = (("UpperArm", "upper_arm"), ("LowerArm", "lower_arm"), ("Hand", "hand"))
LEGS = (("UpperLeg", "upper_leg"), ("LowerLeg", "lower_leg"), ("Foot", "foot"))


def moving(name: str) -> Clip:
    """A rig of a family that begins at rest and then turns every joint at random."""
    still = rig(name)
    rng = np.random.default_rng(2)
    swing = rng.normal(size=(1, len(still.skeleton), 3)) * np.linspace(0.0, 0.5, 9)[:, None, None]
    rotations = multiply(np.repeat(still.rotations, 9, axis=0), from_rotvec(swing))
    return still.changed(rotations=rotations, root=still.root + rng.normal(size=(9, 3)) * 0.1 / (still.unit_m or 1.0))


def document(path: Path) -> dict[str, object]:
    data = path.read_bytes()
    (length,) = struct.unpack_from("<I", data, 12)
    found: dict[str, object] = json.loads(data[20 : 20 + length])
    return found


def directions(positions: np.ndarray) -> np.ndarray:
    away = np.diff(positions, axis=1)
    return away / np.linalg.norm(away, axis=-1, keepdims=True)


@pytest.mark.parametrize("name", ["cmu_bvh", "mixamo", "unreal", "vrm", "smpl", "biped"])
def test_limbs_point_where_they_did(tmp_path: Path, name: str) -> None:
    clip = moving(name)
    ft.write(tmp_path / "x.vrma", clip)
    found = ft.read(tmp_path / "x.vrma")
    assert isinstance(found, Clip) and found.unit_m == 1.0
    body, theirs = find_body(clip.skeleton), found.skeleton
    ours = scaled(with_up(clip, "y"), clip.unit_m or 1.0).positions()
    made = found.positions()
    np.testing.assert_allclose(made[:, theirs.index("hips")], ours[:, body.one("hips")], rtol=0, atol=1e-5)
    for side in ("left", "right"):
        for chain in (LIMBS, LEGS):
            joints = [body.one(f"{side}_{role}") for _, role in chain]
            bones = [theirs.index(f"{side}{word}") for word, _ in chain]
            assert np.abs(directions(made[:, bones]) - directions(ours[:, joints])).max() < 1e-5


@pytest.mark.parametrize("name", ["mixamo", "unreal", "biped"])
def test_the_file_rests_in_a_t_pose(tmp_path: Path, name: str) -> None:
    ft.write(tmp_path / "x.vrma", moving(name))
    content = document(tmp_path / "x.vrma")
    nodes = content["nodes"]
    assert isinstance(nodes, list) and not any("rotation" in node for node in nodes)
    said = content["extensions"]["VRMC_vrm_animation"]  # type: ignore[index]
    assert said["specVersion"] == "1.0" and content["extensionsUsed"] == ["VRMC_vrm_animation"]
    bones = {name: bone["node"] for name, bone in said["humanoid"]["humanBones"].items()}
    assert {"hips", "spine", "head", "leftHand", "rightFoot"} <= bones.keys()
    places = np.zeros((len(nodes), 3))
    for k, node in enumerate(nodes):
        places[k] += node["translation"]
        for child in node.get("children", []):
            places[child] = places[k]
    assert places[:, 1].min() == pytest.approx(0.0, abs=1e-9) and places[bones["hips"], 1] > 0.5
    for side, sign in (("left", 1.0), ("right", -1.0)):
        arm = places[[bones[f"{side}{word}"] for word, _ in LIMBS]]
        np.testing.assert_allclose(directions(arm[None])[0], [[sign, 0, 0]] * 2, atol=1e-6)
        leg = places[[bones[f"{side}{word}"] for word, _ in LEGS]]
        np.testing.assert_allclose(directions(leg[None])[0], [[0, -1, 0]] * 2, atol=1e-6)


def test_several_clips_and_a_second_round(tmp_path: Path) -> None:
    clip = moving("lafan1")
    ft.write(tmp_path / "x.vrma", [clip.changed(name="a"), clip.changed(name="b")])
    first = ft.read(tmp_path / "x.vrma", animation="b")
    assert isinstance(first, Clip)
    ft.write(tmp_path / "y.vrma", first)
    again = ft.read(tmp_path / "y.vrma")
    assert isinstance(again, Clip) and again.skeleton.names == first.skeleton.names
    np.testing.assert_allclose(again.positions(), first.positions(), rtol=0, atol=1e-5)


def test_what_is_no_body_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ft.UsageError, match="no body with two arms"):
        ft.write(tmp_path / "x.vrma", made_clip(usual_layout()), unit_m=0.05)
    with pytest.raises(ft.UsageError, match="no character"):
        ft.write(tmp_path / "x.vrma", moving("smpl"), character=tmp_path / "hero.glb")

"""AMASS archives: read in their usual form, written for the same body, and any other body retargeted to it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import freshtake as ft
from freshtake.formats.amass import BODY, MODELS, body
from freshtake.motion import Clip
from freshtake.motion.edit import scaled, with_up
from freshtake.motion.retarget import find_body
from tests.formats.gltf.test_vrma import directions, moving

RNG = np.random.default_rng(8)


def arrays(joints: int = 52, frames: int = 6, **changes: Any) -> dict[str, Any]:
    """As AMASS's own scripts pass them to numpy.savez."""
    found = {
        "poses": RNG.normal(size=(frames, 3 * joints)) * 0.4,
        "trans": RNG.normal(size=(frames, 3)),
        "betas": RNG.normal(size=16),
        "gender": np.array("female"),
        "mocap_framerate": np.array(120.0),
        "dmpls": np.zeros((frames, 8)),
    } | changes
    return {key: value for key, value in found.items() if value is not None}


def saved(path: Path, content: dict[str, Any]) -> Path:
    data = io.BytesIO()
    np.savez(data, **content)
    path.write_bytes(data.getvalue())
    return path


@pytest.mark.parametrize("joints", MODELS)
def test_joints_are_where_a_chain_of_rotations_puts_them(tmp_path: Path, joints: int) -> None:
    content = arrays(joints)
    clip = ft.read(saved(tmp_path / "walk_poses.npz", content))
    assert isinstance(clip, Clip)
    assert (clip.up, clip.unit_m, clip.frame_time, len(clip)) == ("z", 1.0, 1 / 120, 6)
    assert clip.skeleton.names == MODELS[joints]
    skeleton, frame = body(joints), 3
    turns, places = [], []
    for joint, parent in enumerate(skeleton.parents.tolist()):
        own = Rotation.from_rotvec(content["poses"][frame, 3 * joint : 3 * joint + 3])
        turns.append(own if parent < 0 else turns[parent] * own)
        above = (
            content["trans"][frame]
            if parent < 0
            else places[parent] + turns[parent].apply(skeleton.offsets[joint].copy())
        )
        places.append(above)
    np.testing.assert_allclose(clip.positions()[frame], places, atol=1e-12)


def test_a_file_survives(tmp_path: Path) -> None:
    content = arrays(52)
    source = saved(tmp_path / "a.npz", content)
    ft.write(tmp_path / "b_poses.npz", ft.read(source), character=source)
    with np.load(tmp_path / "b_poses.npz") as found:
        for key in ("poses", "trans", "betas"):
            np.testing.assert_allclose(found[key], content[key], atol=1e-12)
        assert str(found["gender"]) == "female" and found["mocap_framerate"] == found["mocap_frame_rate"] == 120.0
    ft.write(tmp_path / "c.smplx.npz", ft.read(source))
    with np.load(tmp_path / "c.smplx.npz") as found:
        assert found["poses"].shape == (6, 165) and str(found["surface_model_type"]) == "smplx"
        np.testing.assert_allclose(found["pose_body"], content["poses"][:, 3:66], atol=1e-12)
        np.testing.assert_allclose(found["pose_hand"], content["poses"][:, 66:], atol=1e-12)
        parts = [found[key] for key in ("root_orient", "pose_body", "pose_jaw", "pose_eye", "pose_hand")]
        np.testing.assert_array_equal(np.concatenate(parts, axis=1), found["poses"])
        assert str(found["gender"]) == "neutral" and not found["betas"].any()
    again = ft.read(tmp_path / "c.smplx.npz")
    assert isinstance(again, Clip) and len(again.skeleton) == 55


def test_smplx_files_in_parts(tmp_path: Path) -> None:
    content = arrays(22)
    poses = content["poses"]
    parts = {"root_orient": poses[:, :3], "pose_body": poses[:, 3:], "mocap_frame_rate": 60}
    clip = ft.read(saved(tmp_path / "x.npz", {"trans": content["trans"], **parts}))
    assert isinstance(clip, Clip) and len(clip.skeleton) == 55 and clip.fps == pytest.approx(60)
    whole = ft.read(saved(tmp_path / "y.npz", content))
    assert isinstance(whole, Clip)
    ours = [clip.skeleton.index(name) for name in BODY]
    np.testing.assert_allclose(clip.rotations[:, ours], whole.rotations, atol=1e-12)


@pytest.mark.parametrize("name", ["cmu_bvh", "mixamo", "unreal"])
def test_other_bodies_point_their_limbs_where_they_did(tmp_path: Path, name: str) -> None:
    clip = moving(name)
    ft.write(tmp_path / "x.amass.npz", clip)
    found = ft.read(tmp_path / "x.amass.npz")
    assert isinstance(found, Clip)
    map_of = find_body(clip.skeleton)
    ours = scaled(with_up(clip, "z"), clip.unit_m or 1.0).positions()
    made = found.positions()
    np.testing.assert_allclose(made[:, 0], ours[:, map_of.one("hips")], rtol=0, atol=1e-9)
    for side in ("left", "right"):
        for joints, roles in (
            (("shoulder", "elbow", "wrist"), ("upper_arm", "lower_arm", "hand")),
            (("hip", "knee", "ankle"), ("upper_leg", "lower_leg", "foot")),
        ):
            theirs = directions(made[:, [found.skeleton.index(f"{side}_{joint}") for joint in joints]])
            wanted = directions(ours[:, [map_of.one(f"{side}_{role}") for role in roles]])
            # The body's own limbs are not quite straight at rest, as those of the models are not.
            assert (theirs * wanted).sum(-1).min() > np.cos(np.radians(6))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"poses": np.zeros((6, 100))}, "66, 72, 156, 165 numbers a frame"),
        ({"poses": np.zeros(6)}, "numbers a frame"),
        ({"poses": np.full((6, 156), np.nan)}, "not finite"),
        ({"trans": np.zeros((5, 3))}, r"\(6, 3\) was expected"),
        ({"trans": np.full((6, 3), np.inf)}, "root"),
        ({"mocap_framerate": None}, "--fps"),
        ({"mocap_framerate": np.array(0.0)}, "above 0"),
        ({"poses": None, "pose_body": np.zeros((6, 60))}, r"\(6, 63\) was expected"),
        ({"poses": np.zeros((0, 156)), "trans": np.zeros((0, 3))}, "trans"),
    ],
)
def test_broken_files_are_refused(tmp_path: Path, changes: dict[str, Any], says: str) -> None:
    with pytest.raises(ft.FormatError, match=says):
        ft.read(saved(tmp_path / "x.npz", arrays(**changes)))


def test_what_amass_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ft.FormatError, match="AMASS holds clips"):
        ft.write(tmp_path / "x_poses.npz", ft.Stroke(np.zeros((2, 2)), np.arange(2.0)))
    source = saved(tmp_path / "a.npz", arrays(gender=np.array("robot")))
    with pytest.raises(ft.FormatError, match="neutral, female, male"):
        ft.write(tmp_path / "x_poses.npz", ft.read(source), character=source)
    ft.write(tmp_path / "own.npz", ft.read(source))
    with pytest.raises(ft.UsageError, match="same subject"):
        ft.write(tmp_path / "x_poses.npz", ft.read(source), character=tmp_path / "own.npz")
    assert not (tmp_path / "x_poses.npz").exists()

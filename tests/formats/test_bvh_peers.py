"""Other programs read our files correctly: bvhio, pymotion and the team's own reference program."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import freshtake as ft
from freshtake.motion import Clip
from freshtake.motion.edit import resample, start_at_origin
from tests.conftest import DATA
from tests.formats.made_clips import fixed_layout, made_clip, moving_layout, odd_layout, usual_layout

bvhio = pytest.importorskip("bvhio")

LAYOUTS = {"usual": usual_layout(), "odd orders": odd_layout(), "six on each": moving_layout(), "fixed": fixed_layout()}
REAL = ("walk/walk_1.bvh", "swim/swim_1.bvh", "okwechime/bvh/male_walk.bvh")


def written(path: Path, clip: Clip) -> Clip:
    ft.write(path, clip)
    return clip


def bvhio_positions(path: Path, frames: int) -> tuple[list[str], np.ndarray]:
    root = bvhio.readAsHierarchy(str(path))
    joints = [joint for joint, _, _ in root.layout()]
    out = np.empty((frames, len(joints), 3))
    for frame in range(frames):
        root.loadPose(frame, recursive=True)
        out[frame] = [tuple(joint.PositionWorld) for joint in joints]
    return [joint.Name for joint in joints], out


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("dropped", [False, True], ids=["own channels", "new channels"])
def test_bvhio_reads_our_files(tmp_path: Path, layout: tuple[tuple[str, ...], ...], dropped: bool) -> None:
    clip = made_clip(layout)
    written(tmp_path / "x.bvh", clip.changed(channels=None) if dropped else clip)
    names, positions = bvhio_positions(tmp_path / "x.bvh", len(clip))
    assert names == list(clip.skeleton.names)
    np.testing.assert_allclose(positions, clip.positions(), rtol=0, atol=1e-4)
    container = bvhio.readAsBvh(str(tmp_path / "x.bvh"))
    assert container.FrameTime == clip.frame_time
    assert container.FrameCount == len(clip)


@pytest.mark.parametrize("name", REAL)
def test_bvhio_reads_edited_real_takes(tmp_path: Path, data: Path, name: str) -> None:
    clip = ft.read(data / name)
    assert isinstance(clip, Clip)
    edited = start_at_origin(resample(clip, 12.0))
    written(tmp_path / "x.bvh", edited)
    names, positions = bvhio_positions(tmp_path / "x.bvh", len(edited))
    assert names == list(clip.skeleton.names)
    size = np.ptp(clip.positions(), axis=(0, 1)).max()
    np.testing.assert_allclose(positions, edited.positions(), rtol=0, atol=1e-4 * max(1.0, size / 100))


@pytest.mark.parametrize("layout", [usual_layout(), odd_layout(), moving_layout()], ids=["usual", "odd", "six"])
def test_pymotion_reads_our_files(tmp_path: Path, layout: tuple[tuple[str, ...], ...]) -> None:
    peer = pytest.importorskip("pymotion.io.bvh").BVH()
    forward = pytest.importorskip("pymotion.ops.skeleton_np").fk
    clip = made_clip(layout)
    written(tmp_path / "x.bvh", clip)
    peer.load(str(tmp_path / "x.bvh"))
    rotations, local, parents, offsets, sites, _ = peer.get_data()
    assert peer.data["names"].tolist() == list(clip.skeleton.names)
    assert peer.data["frame_time"] == clip.frame_time
    assert parents[1:].tolist() == clip.skeleton.parents[1:].tolist()
    assert sites.tolist() == [list(site.offset) for site in clip.skeleton.end_sites]
    # Its file format supports moving joints; its forward kinematics only a moving root.
    np.testing.assert_allclose(local, clip.local_translations(), rtol=0, atol=1e-9)
    side = np.sign((rotations * clip.rotations).sum(-1, keepdims=True))
    np.testing.assert_allclose(rotations * side, clip.rotations, rtol=0, atol=1e-7)
    if clip.joint_translations is None:
        positions, _ = forward(rotations, local[:, 0], offsets, parents)
        np.testing.assert_allclose(positions, clip.positions(), rtol=0, atol=1e-4)


@pytest.fixture(scope="module")
def yardstick() -> ModuleType:
    path = DATA.parent / "tools" / "motion_metrics.py"
    if not path.is_file():
        pytest.skip("the yardstick program is absent: it lies in the folder beside the real motion data")
    spec = importlib.util.spec_from_file_location("motion_metrics", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # it leaves its files open
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("name", REAL)
def test_the_yardstick_reads_our_files(tmp_path: Path, data: Path, yardstick: ModuleType, name: str) -> None:
    clip = ft.read(data / name)
    assert isinstance(clip, Clip)
    for one in (clip, resample(clip, 24.0)):
        written(tmp_path / "x.bvh", one)
        theirs = yardstick.Clip(str(tmp_path / "x.bvh"))
        assert theirs.ft == one.frame_time
        np.testing.assert_allclose(theirs.fk()[0], one.positions(), rtol=0, atol=1e-7)

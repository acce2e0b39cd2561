"""Clips: validation, time, forward kinematics, what changes drop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from freshtake.errors import InvalidMotion
from freshtake.motion import Clip
from freshtake.numeric.rotations import to_matrix
from tests.motion.random_motion import clip_groups, humanoid, random_clip


def still(frames: int = 2, **changes: Any) -> Clip:
    rotations = np.zeros((frames, 11, 4))
    rotations[..., 0] = 1.0
    parts: dict[str, Any] = {"frame_time": 1 / 60, "root": np.zeros((frames, 3)), "rotations": rotations}
    return Clip(humanoid(), **{**parts, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"frame_time": 0.0}, "frame_time must be a finite number above 0, but is 0.0"),
        ({"frame_time": -1.0}, "frame_time"),
        ({"frame_time": float("nan")}, "frame_time"),
        ({"root": np.zeros((0, 3))}, "at least one frame"),
        ({"root": np.zeros((2, 2))}, r"root must have shape \(any, 3\), but has \(2, 2\)"),
        ({"root": np.array([[0, 0, 0], [0, np.inf, 0]])}, r"root must be finite, but holds inf at index \(1, 1\)"),
        ({"rotations": np.zeros((2, 11, 4))}, "rotations must be unit quaternions, but has length 0"),
        ({"rotations": np.zeros((2, 10, 4))}, r"rotations must have shape \(2, 11, 4\), but has \(2, 10, 4\)"),
        ({"up": "x"}, "up must be one of y, z, but is 'x'"),
        ({"unit_m": 0.0}, "unit_m"),
        ({"joint_translations": np.zeros((2, 10, 3))}, "joint_translations must have shape"),
        ({"channels": np.zeros((2, 5))}, r"channels must have shape \(2, 36\)"),
    ],
)
def test_what_cannot_exist_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidMotion, match=message):
        still(**changes)


def test_arrays_are_copies_and_read_only() -> None:
    root = np.zeros((2, 3))
    clip = still(root=root)
    root[0, 0] = 5.0
    assert clip.root[0, 0] == 0.0
    for array in (clip.root, clip.rotations):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_nearly_unit_quaternions_are_scaled() -> None:
    rotations = still().rotations * 1.0005
    assert np.abs(np.linalg.norm(still(rotations=rotations).rotations, axis=-1) - 1).max() < 1e-15


def test_time() -> None:
    clip = still(7, frame_time=1 / 120)
    assert (clip.fps, len(clip), clip.duration) == (120.0, 7, 6 / 120)
    assert still(frame_time=0.0333333).fps == 1 / 0.0333333
    assert still(frame_time=0.0333333).frame_time == 0.0333333
    assert repr(clip) == "Clip('', 7 frames at 120 fps, 11 joints)"
    assert (still(up="z").up_index, still().up_index) == (2, 1)


def test_at_rest_the_offsets_add_up() -> None:
    clip = still(root=np.array([[0.0, 10.0, 0.0], [1.0, 10.0, 0.0]]))
    hand = clip.skeleton.index("LeftHand")
    np.testing.assert_allclose(clip.positions()[:, hand], [[3.0, 13.0, 0.0], [4.0, 13.0, 0.0]])
    np.testing.assert_allclose(clip.end_positions()[0, 1], [4.0, 13.0, 0.0])


@given(clip_groups())
def test_world_against_matrices(clips: list[Clip]) -> None:
    clip = clips[0]
    frame = len(clip) - 1
    local = clip.local_translations()[frame]
    for joint in range(len(clip.skeleton)):
        matrix = np.eye(4)
        for step in clip.skeleton.chain(joint):
            one = np.eye(4)
            one[:3, :3] = to_matrix(clip.rotations[frame, step])
            one[:3, 3] = local[step]
            matrix = matrix @ one
        np.testing.assert_allclose(clip.positions()[frame, joint], matrix[:3, 3], atol=1e-12)
        for number, site in enumerate(clip.skeleton.end_sites):
            if site.joint == joint:
                tip = matrix @ np.array([*site.offset, 1.0])
                np.testing.assert_allclose(clip.end_positions()[frame, number], tip[:3], atol=1e-12)


def test_moving_joints_replace_offsets_and_follow_the_root() -> None:
    rng = np.random.default_rng(1)
    clip = random_clip(rng, humanoid(), 4, moving=True)
    assert clip.joint_translations is not None
    np.testing.assert_array_equal(clip.joint_translations[:, 0], clip.root)
    shifted = clip.changed(root=clip.root + 1.0)
    np.testing.assert_allclose(shifted.positions(), clip.positions() + 1.0)


def test_the_files_channels_live_as_long_as_the_motion() -> None:
    clip = still(channels=np.ones((2, 36)))
    assert clip.changed(name="b", frame_time=0.1).channels is not None
    assert clip.changed(root=clip.root).channels is None
    assert clip.changed(rotations=clip.rotations).channels is None
    assert clip.changed(skeleton=clip.skeleton).channels is None
    assert clip.changed(root=clip.root, channels=clip.channels).channels is not None


@given(clip_groups())
def test_single_frames_are_the_clip_frame_by_frame(clips: list[Clip]) -> None:
    for clip in clips:
        frames = list(clip.single_frames())
        assert [len(frame) for frame in frames] == [1] * len(clip)
        np.testing.assert_array_equal(np.concatenate([frame.positions() for frame in frames]), clip.positions())
        assert not any(frame.rotations.flags.writeable or frame.playback for frame in frames)

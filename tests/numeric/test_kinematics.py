"""Forward kinematics against matrices and recursion, and against bvhio on real files."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import freshtake
from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.rotations import (
    angle_between,
    forward,
    from_rotvec,
    levels,
    local_rotations,
    normalize,
    to_matrix,
)
from tests.conftest import data_files, label


def slow_forward(parents: Ints, translations: Floats, rotations: Floats, joint: int) -> Floats:
    """The joint's 4x4 matrix in the world, by walking up the tree."""
    local = np.eye(4)
    local[:3, :3] = to_matrix(rotations[joint])
    local[:3, 3] = translations[joint]
    parent = int(parents[joint])
    return local if parent < 0 else slow_forward(parents, translations, rotations, parent) @ local


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 4))
def test_forward_against_matrices(seed: int, joints: int, frames: int) -> None:
    rng = np.random.default_rng(seed)
    parents = np.array([-1, *[int(rng.integers(0, j)) for j in range(1, joints)]])
    translations = rng.normal(size=(frames, joints, 3))
    rotations = normalize(rng.normal(size=(frames, joints, 4)))
    pose = forward(parents, translations, rotations)
    for frame in range(frames):
        for joint in range(joints):
            matrix = slow_forward(parents, translations[frame], rotations[frame], joint)
            np.testing.assert_allclose(pose.positions[frame, joint], matrix[:3, 3], atol=1e-12)
            np.testing.assert_allclose(to_matrix(pose.rotations[frame, joint]), matrix[:3, :3], atol=1e-12)
    assert angle_between(local_rotations(parents, pose.rotations), rotations).max() < 1e-7


def test_constant_offsets_are_broadcast_and_inputs_stay() -> None:
    rng = np.random.default_rng(1)
    parents = np.array([-1, 0, 1])
    offsets = rng.normal(size=(3, 3))
    rotations = from_rotvec(rng.normal(size=(5, 3, 3)))
    before = offsets.copy(), rotations.copy()
    pose = forward(parents, offsets, rotations)
    same = forward(parents, np.broadcast_to(offsets, (5, 3, 3)), rotations)
    np.testing.assert_array_equal(pose.positions, same.positions)
    np.testing.assert_array_equal(offsets, before[0])
    np.testing.assert_array_equal(rotations, before[1])


def test_levels_hold_every_joint_once_and_parents_first() -> None:
    parents = (-1, 0, 1, 1, 0, 4, 2)
    seen = {0}
    for joints, above in levels(parents):
        assert set(above.tolist()) <= seen
        assert [parents[j] for j in joints] == above.tolist()
        seen |= set(joints.tolist())
    assert seen == set(range(7))


@pytest.mark.parametrize(
    "path", data_files("walk/walk_1.bvh") + data_files("okwechime/bvh/male_walk.bvh") + data_files("quality/spike.bvh"),
    ids=label,
)  # fmt: skip
def test_forward_against_bvhio(path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # bvhio imports glm by its old name
        import bvhio

    clip = freshtake.read(path)
    assert isinstance(clip, Clip)
    hierarchy = bvhio.readAsHierarchy(str(path))
    positions = clip.positions()
    for frame in (0, len(clip) // 2, len(clip) - 1):
        hierarchy.loadPose(frame)
        for joint, _, _ in hierarchy.layout():
            if joint.Name not in clip.skeleton.names:
                continue
            place = [joint.PositionWorld.x, joint.PositionWorld.y, joint.PositionWorld.z]
            mine = positions[frame, clip.skeleton.index(joint.Name)]
            np.testing.assert_allclose(mine, place, atol=2e-4 * max(1.0, np.abs(mine).max()), err_msg=joint.Name)

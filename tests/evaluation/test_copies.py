"""Copies are found whatever their heading and position, and nothing else is."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.evaluation import novelty
from freshtake.motion.edit import concatenate, take_frames, turned
from freshtake.numeric.rotations import angle_between, from_rotvec, multiply
from tests.evaluation.stepping import prepared, takes


def test_a_copy_is_a_copy_whatever_its_heading_and_place() -> None:
    inputs = takes(1, 3)
    copy = turned(inputs[1], 0.7).changed(name="copy")
    copy = copy.changed(root=copy.root + np.array([5.0, 0.3, -2.0]))
    gallery, material = prepared(inputs, [copy])
    parts = novelty.measure_copies(gallery, material.variants[0])
    assert parts["copied"].value == 1.0
    assert parts["longest_run"].value == len(copy)
    assert parts["nearest"].value < 1e-9


def test_real_takes_are_no_copies() -> None:
    gallery, material = prepared(takes(1, 3), takes(2, 1))
    parts = novelty.measure_copies(gallery, material.variants[0])
    assert parts["copied"].value == 0.0
    assert parts["longest_run"].value == 0
    assert parts["nearest"].value > 0.1


@pytest.mark.parametrize(("angle", "exact"), [(5e-7, 1.0), (3e-6, 0.0)])
def test_the_tolerance_is_an_angle_of_the_worst_joint(angle: float, exact: float) -> None:
    inputs = takes(3, 2)
    turn = np.zeros((1, len(inputs[0].skeleton), 3))
    turn[0, 12] = [angle, 0.0, 0.0]
    near = inputs[0].changed(rotations=multiply(inputs[0].rotations, from_rotvec(turn)))
    gallery, material = prepared(inputs, [near])
    parts = novelty.measure_copies(gallery, material.variants[0])
    assert parts["copied"].value == exact


def test_a_run_follows_one_input_frame_by_frame() -> None:
    inputs = takes(4, 2)
    spliced = concatenate([take_frames(inputs[0], 5, 25), take_frames(inputs[1], 40, 52)])
    backwards = inputs[0].changed(root=inputs[0].root[::-1], rotations=inputs[0].rotations[::-1])
    gallery, material = prepared(inputs, [spliced, backwards])
    first, second = (novelty.measure_copies(gallery, track) for track in material.variants)
    assert first["copied"].value == 1.0
    assert first["longest_run"].value == 20
    assert second["copied"].value == 1.0
    assert second["longest_run"].value < 10


def test_copies_among_variants() -> None:
    inputs, new = takes(5, 2), takes(6, 2)
    gallery, material = prepared(inputs, [new[0], new[1], turned(new[0], 0.3)])
    assert [part.value for part in novelty.copied_from_others(gallery, material.variants)] == [1.0, 0.0, 1.0]
    assert novelty.copied_from_others(gallery, material.variants[:1]) == []


def test_pose_differences_equal_the_slow_way() -> None:
    gallery, material = prepared(takes(7, 1), takes(8, 1))
    a, b = material.inputs[0], material.variants[0]
    fast = novelty.pose_differences(gallery, a, b)
    for i, j in ((0, 0), (3, 40), (50, 7)):
        slow = max(float(angle_between(a.turns[i, k], b.turns[j, k])) for k in range(a.turns.shape[1]))
        assert abs(fast[i, j] - slow) < 1e-7


def test_longest_diagonal_equals_the_slow_way() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        mask = rng.random((9, 12)) < 0.6
        slow = 0
        for i in range(9):
            for j in range(12):
                n = 0
                while i + n < 9 and j + n < 12 and mask[i + n, j + n]:
                    n += 1
                slow = max(slow, n)
        assert novelty.longest_diagonal(mask) == slow


def test_nearest_pose_equals_the_slow_way() -> None:
    gallery, material = prepared(takes(9, 2), takes(10, 1))
    slow_track = material.variants[0].thirty()
    poses = np.concatenate([track.body for track in material.inputs])
    slow = [min(np.linalg.norm(pose - other, axis=-1).mean() for other in poses) for pose in slow_track.body]
    found = novelty.nearest_pose(gallery, material.variants[0])
    assert np.all(found >= np.array(slow) / material.layout.size - 1e-12)
    assert np.isclose(found.mean(), np.mean(slow) / material.layout.size, rtol=0.02)

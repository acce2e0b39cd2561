"""The joint that holds the travel does not affect joint positions; in place, the travel can be restored."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from freshtake import read, samples, write
from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.body.rooting import as_filed, rooted
from freshtake.motion.cycles.looping import body_path, played, with_closing_frame, with_root_motion
from freshtake.motion.edit import with_up
from freshtake.workflows.editing import loop_of
from tests.motion.rigs import on_base


@lru_cache
def walk() -> Clip:
    return samples.walk(np.random.default_rng(3), cycles=4, turn_rate=20.0)


@lru_cache
def loop() -> Clip:
    return loop_of(samples.walk(np.random.default_rng(3), cycles=4))[0]


CLIPS = {
    "turning walk": walk,
    "loop": loop,
    "closing frame": lambda: with_closing_frame(loop()),
    "z up": lambda: with_up(walk(), "z"),
    "jump": lambda: samples.jump(np.random.default_rng(2)),
}


@pytest.mark.parametrize("name", CLIPS)
def test_joints_are_in_the_same_places_with_the_travel_on_a_joint(name: str) -> None:
    clip = CLIPS[name]()
    made = with_root_motion(clip, "joint")
    assert made.skeleton.names == ("Root", *clip.skeleton.names)
    np.testing.assert_allclose(made.positions()[:, 1:], clip.positions(), atol=1e-9)
    np.testing.assert_allclose(made.world().rotations[:, 1], clip.world().rotations[:, 0], atol=1e-9)
    np.testing.assert_allclose(made.root[:, clip.up_index], 0.0)
    assert made.playback.root_motion == "joint"


def test_a_static_root_that_the_rig_has_carries_the_travel() -> None:
    clip = rooted(on_base(walk()))
    made = with_root_motion(clip, "joint")
    filed = as_filed(clip)
    assert made.skeleton.names == filed.skeleton.names
    np.testing.assert_allclose(made.positions()[:, 1:], filed.positions()[:, 1:], atol=1e-9)
    assert np.ptp(made.root[:, 2]) > 0.5 * np.ptp(clip.root[:, 2])


def test_in_place_and_the_speed_give_the_loop_again() -> None:
    made = with_root_motion(loop(), "none")
    info = made.playback
    time = np.arange(len(made))[:, None] * made.frame_time
    np.testing.assert_allclose(made.root + info.speed * info.direction * time, loop().root, atol=1e-9)
    np.testing.assert_array_equal(made.rotations, loop().rotations)
    long = played(made, 3 * len(made))
    assert np.ptp(long.root[:, 2]) == pytest.approx(np.ptp(made.root[:, 2]))


def test_the_joint_of_a_loop_goes_straight_at_a_constant_speed() -> None:
    made = with_root_motion(loop(), "joint")
    steps = np.diff(made.root, axis=0)
    np.testing.assert_allclose(steps, np.broadcast_to(made.playback.travel / len(made), steps.shape), atol=1e-9)
    np.testing.assert_allclose(made.rotations[:, 0], np.broadcast_to(made.rotations[0, 0], (len(made), 4)), atol=1e-12)


def test_other_courses_begin_and_end_with_the_hips_and_are_smoother() -> None:
    clip = walk()
    places = body_path(clip).places
    ground = clip.root * np.array([1.0, 0.0, 1.0])
    np.testing.assert_allclose(places[[0, -1]], ground[[0, -1]], atol=1e-9)
    assert np.linalg.norm(places - ground, axis=1).max() < 0.1 * np.ptp(ground[:, 2])
    bends = [np.linalg.norm(np.diff(x, 2, axis=0), axis=1).mean() for x in (places, ground)]
    assert bends[0] < 0.5 * bends[1]
    still = with_root_motion(clip, "none")
    assert np.ptp(still.root[:, 2]) < 0.1 * np.ptp(clip.root[:, 2])
    assert still.playback.seconds == pytest.approx(clip.duration)


@pytest.mark.parametrize("ending", [".bvh", ".glb", ".npz"])
@pytest.mark.parametrize("where", ["joint", "none"])
def test_files_keep_places_and_those_that_can_the_playback(tmp_path, ending: str, where: str) -> None:  # type: ignore[no-untyped-def]
    made = with_root_motion(loop(), where)
    write(tmp_path / f"loop{ending}", made, unit_m=0.02)
    back = read(tmp_path / f"loop{ending}")
    scale = 0.02 if ending == ".glb" else 1.0
    joint = made.skeleton.names.index("Hips")
    there = as_filed(back)
    np.testing.assert_allclose(
        there.positions()[:, there.skeleton.names.index("Hips")], scale * made.positions()[:, joint], atol=1e-5
    )
    if ending == ".bvh":
        assert back.playback is None
    else:
        assert back.playback.root_motion == where and back.playback.loop
        np.testing.assert_allclose(back.playback.travel, scale * made.playback.travel, atol=1e-6)


def test_travel_that_is_gone_is_not_moved_again() -> None:
    made = with_root_motion(loop(), "none")
    assert with_root_motion(made, "none") is made
    with pytest.raises(UsageError, match="start from the clip"):
        with_root_motion(made, "joint")
    with pytest.raises(UsageError, match="root motion is one of"):
        with_root_motion(loop(), "feet")
    assert with_root_motion(loop(), "hips") is loop()

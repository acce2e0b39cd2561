"""Laws of loops: the last frame leads into the first, in pose, speed and contact; travel and heading are closed."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from freshtake import samples
from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.body.roles import feet, leg_length
from freshtake.motion.clip import Playback, playback_from
from freshtake.motion.cycles.cycles import find_cycles
from freshtake.motion.cycles.looping import (
    best_loop,
    closed,
    facing_forward,
    loop_frames,
    planted_loop,
    played,
    with_closing_frame,
)
from freshtake.motion.cycles.seams import seam_of, steps_of
from freshtake.motion.edit import heading, take_frames, turned, with_up
from freshtake.motion.planting import PlantSettings, plant
from freshtake.motion.planting.contacts import joint_contacts
from freshtake.motion.planting.planting_model import own_planting_model
from freshtake.numeric.rotations import angle_between
from freshtake.workflows.editing import loop_of


@lru_cache
def walk(turn_rate: float = 0.0) -> Clip:
    return samples.walk(np.random.default_rng(3), cycles=5, turn_rate=turn_rate)


@lru_cache
def run() -> Clip:
    return samples.run(np.random.default_rng(3), cycles=5)


def within_the_take(loop: Clip, take: Clip) -> None:
    seam, steps = seam_of(loop), steps_of(take)
    assert seam.step <= np.percentile(steps.step, 99)
    assert seam.bend <= np.percentile(steps.bend, 99)


@pytest.mark.parametrize("make", [walk, run])
@pytest.mark.parametrize("cycles", [1, 2])
def test_the_seam_is_no_larger_than_the_steps_of_the_take(make: object, cycles: int) -> None:
    take = make()  # type: ignore[operator]
    loop, _ = loop_of(take, cycles)
    within_the_take(loop, take)


@pytest.mark.parametrize("turn_rate", [0.0, 25.0])
def test_played_on_a_loop_only_moves_along_the_ground(turn_rate: float) -> None:
    loop, _ = loop_of(walk(turn_rate))
    count = len(loop)
    long = played(loop, 3 * count + 5)
    np.testing.assert_allclose(angle_between(long.rotations[count:], long.rotations[:-count]), 0.0, atol=1e-9)
    np.testing.assert_allclose(
        long.root[count:] - long.root[:-count], np.broadcast_to(loop.playback.travel, (2 * count + 5, 3)), atol=1e-9
    )
    assert loop.playback.travel[loop.up_index] == 0.0


def test_a_turn_is_taken_out_and_said() -> None:
    take = walk(25.0)
    loop, span = loop_of(take)
    turn = heading(take)[span.stop] - heading(take)[span.start]
    assert abs(turn) > np.radians(5.0)
    assert loop.playback.turn == pytest.approx(turn, abs=np.radians(2.0))
    still = heading(played(loop, 2 * len(loop)))
    np.testing.assert_allclose(still[len(loop) :], still[: len(loop)], atol=1e-9)


def test_feet_that_stand_stand_through_the_seam() -> None:
    """Cut in the middle of a stance, where a loop planted on its own would release the foot."""
    take = walk()
    loop, _ = loop_of(take)
    long = played(loop, 3 * len(loop))
    foot = [joint for one in feet(long.skeleton) for joint in one.joints]
    stands = joint_contacts(long)[1:] & joint_contacts(long)[:-1]
    speed = np.linalg.norm(np.diff(long.positions()[:, foot], axis=0), axis=2) / long.frame_time
    usual = np.linalg.norm(np.diff(take.positions()[:, foot], axis=0), axis=2) / take.frame_time
    taken = joint_contacts(take)[1:] & joint_contacts(take)[:-1]
    near = np.zeros(len(long) - 1, dtype=bool)
    for seam in (len(loop), 2 * len(loop)):
        near[seam - 4 : seam + 4] = True
    assert stands[near].any()
    assert speed[near][stands[near]].max() <= 1.2 * np.percentile(usual[taken], 99) + 0.02 * leg_length(take.skeleton)


def test_planting_a_loop_is_planting_the_endless_motion() -> None:
    """Against many loops in a row, planted at once; the loop begins in the middle of a stance that slides."""
    take = walk(25.0)
    first, last = find_cycles(take).spans[1]
    start = first + (last - first) // 4
    loop, base = closed(take, start, start + last - first), own_planting_model(take)
    stood, count = base.example_contacts(take)[start:], len(loop)
    assert stood[0].any()
    made = planted_loop(loop, base, lambda _, frames: stood[frames], settings=PlantSettings(), careful=False)
    many = plant(played(loop, 6 * count), stood[np.arange(6 * count) % count], examples=base, careful=False).clip
    wanted = many.positions()[3 * count : 4 * count] - 3.0 * loop.playback.travel
    apart = np.linalg.norm(made.positions() - wanted, axis=2).max()
    assert apart < 1e-3 * leg_length(take.skeleton)
    assert np.linalg.norm(loop.positions() - wanted, axis=2).max() > 10.0 * apart


def test_an_exact_cycle_is_left_as_it_is() -> None:
    made, _ = loop_of(walk(), plant=False)
    again = closed(played(made, len(made) + 3, -1), 1, len(made) + 1)
    np.testing.assert_allclose(again.root, made.root, atol=1e-9)
    np.testing.assert_allclose(angle_between(again.rotations, made.rotations), 0.0, atol=1e-7)
    np.testing.assert_allclose(again.playback.travel, made.playback.travel, atol=1e-9)


@pytest.mark.parametrize("speeds", [True, False])
def test_closing_meets_pose_and_speed_whatever_the_ends(speeds: bool) -> None:
    """Also if the two ends are unrelated."""
    made = closed(walk(), 4, 29, speeds=speeds)
    before, after = played(made, 3, len(made) - 2), played(made, 3, 0)
    np.testing.assert_allclose(angle_between(played(made, 1, len(made)).rotations, after.rotations[:1]), 0.0, atol=1e-9)
    if speeds:
        kink = steps_of(played(made, 4, len(made) - 2)).bend.max()
        assert kink < steps_of(played(closed(walk(), 4, 29, speeds=False), 4, 23)).bend.max()
    assert len(before) == 3


def test_a_loop_does_not_depend_on_the_vertical_axis() -> None:
    take = walk()
    y, z = loop_of(take)[0], loop_of(with_up(take, "z"))[0]
    np.testing.assert_allclose(with_up(z, "y").positions(), y.positions(), atol=1e-6)
    np.testing.assert_allclose(with_up(z, "y").playback.travel, y.playback.travel, atol=1e-6)


def test_it_starts_above_the_origin_and_faces_forward_from_wherever_the_take_went() -> None:
    loop, _ = loop_of(turned(walk(), 2.0), plant=False)
    straight, _ = loop_of(walk(), plant=False)
    np.testing.assert_allclose(loop.root[0][[0, 2]], 0.0, atol=1e-12)
    np.testing.assert_allclose(loop.positions(), straight.positions(), atol=1e-6)
    assert loop.playback.direction[2] > 0.99


def test_a_closing_frame_repeats_the_first_one_travel_on() -> None:
    loop, _ = loop_of(walk())
    both = with_closing_frame(loop)
    assert len(both) == len(loop) + 1 == loop_frames(both) + 1
    assert with_closing_frame(both) is both
    np.testing.assert_allclose(both.root[-1], loop.root[0] + loop.playback.travel, atol=1e-12)
    np.testing.assert_allclose(angle_between(both.rotations[-1], both.rotations[0]), 0.0, atol=1e-9)
    np.testing.assert_allclose(played(both, 200, -7).root, played(loop, 200, -7).root, atol=1e-12)
    np.testing.assert_allclose(facing_forward(both).root, both.root, atol=1e-9)


def test_a_clip_of_one_cycle_is_its_own_loop() -> None:
    made, span = loop_of(samples.walk(np.random.default_rng(1), cycles=1))
    assert span.start == 0 and len(made) == span.stop
    jump = samples.jump(np.random.default_rng(1))
    made, span = loop_of(jump, None)
    assert (span.start, span.stop, len(made)) == (0, len(jump) - 1, len(jump) - 1)
    with pytest.raises(UsageError, match="is one cycle"):
        best_loop(samples.walk(np.random.default_rng(1), cycles=1), 2)


def test_what_has_no_cycle_is_refused_in_one_sentence() -> None:
    with pytest.raises(UsageError, match="no cycle to loop"):
        best_loop(samples.jump(np.random.default_rng(1)), 1)
    with pytest.raises(UsageError, match="request fewer"):
        best_loop(walk(), 40)
    with pytest.raises(UsageError, match="1 cycle or more"):
        best_loop(walk(), 0)
    with pytest.raises(UsageError, match="is not a loop"):
        played(walk(), 3)
    with pytest.raises(UsageError, match="do not lie within"):
        closed(walk(), 5, 10_000)


def test_what_changes_the_motion_drops_the_playback() -> None:
    loop, _ = loop_of(walk())
    assert loop.changed(name="other").playback is not None
    assert take_frames(loop, 0, 5).playback is None
    assert turned(loop, 1.0).playback is None


def test_playback_survives_its_summary() -> None:
    info = Playback(np.array([1.0, 0.0, 2.0]), 0.5, loop=True, closing=True, cycles=3, turn=0.25, root_motion="none")
    assert playback_from(info.summary()) == info
    assert info.speed == pytest.approx(np.sqrt(5.0) / 0.5)
    for bad in (None, 3, {}, {**info.summary(), "travel": [1, 2]}, {**info.summary(), "root_motion": "tail"}):
        assert playback_from(bad) is None

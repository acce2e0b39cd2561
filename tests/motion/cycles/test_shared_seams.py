"""Laws of shared seams: pose and speed are met, travel and distant frames stay, a chain has no jump."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from freshtake import samples
from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.cycles.looping import closed, played, with_closing_frame
from freshtake.motion.cycles.seams import REACH, chained, seam_pose, steps_of, with_seam
from freshtake.numeric.rotations import angle_between
from freshtake.samples.rigs import rig


@lru_cache
def loops() -> tuple[Clip, ...]:
    clips = [samples.walk(np.random.default_rng(k), cycles=1) for k in range(3)]
    return tuple(closed(clip, 0, len(clip) - 1) for clip in clips)


def test_pose_and_speed_at_the_seam_are_met() -> None:
    first, second, _ = loops()
    wanted = seam_pose(first)
    before = seam_pose(second)
    assert np.degrees(angle_between(wanted.rotations, before.rotations)).max() > 0.5
    got = seam_pose(with_seam(second, wanted))
    assert angle_between(wanted.rotations, got.rotations).max() < 1e-7
    np.testing.assert_allclose(got.local, wanted.local, atol=1e-9)
    np.testing.assert_allclose(got.turning, wanted.turning, atol=0.02 * np.abs(wanted.turning).max())
    np.testing.assert_allclose(got.moving, wanted.moving, atol=0.01 * np.abs(wanted.moving).max())


def test_travel_and_what_is_farther_than_the_reach_stay() -> None:
    first, second, _ = loops()
    made = with_seam(second, seam_pose(first))
    assert made.playback == second.playback
    reach = int(np.ceil(REACH / second.frame_time))
    assert reach < len(second) // 2
    inner = slice(reach, len(second) - reach)
    np.testing.assert_allclose(np.abs((made.rotations * second.rotations).sum(axis=2))[inner], 1.0, atol=1e-12)
    np.testing.assert_allclose(made.root[inner], second.root[inner], atol=1e-12)
    np.testing.assert_allclose(made.root[0, [0, 2]], second.root[0, [0, 2]], atol=1e-12)


def test_its_own_seam_changes_nothing() -> None:
    loop = loops()[0]
    made = with_seam(loop, seam_pose(loop))
    np.testing.assert_allclose(made.positions(), loop.positions(), atol=1e-9)


def test_a_closing_frame_stays_the_first() -> None:
    first, second, _ = loops()
    made = with_seam(with_closing_frame(second), seam_pose(first))
    plain = with_seam(second, seam_pose(first))
    np.testing.assert_allclose(made.positions(), with_closing_frame(plain).positions(), atol=1e-9)


def test_a_loop_chained_with_itself_is_played_on() -> None:
    loop = loops()[0]
    twice = chained([loop, loop])
    expected = played(loop, 2 * len(loop) + 1)
    shift = expected.root[0] * [1.0, 0.0, 1.0]
    np.testing.assert_allclose(twice.positions(), expected.positions() - shift, atol=1e-9)


def test_chains_jump_only_where_seams_differ() -> None:
    first, second, third = loops()
    rough = chained([first, second, third])
    even = chained([with_seam(loop, seam_pose(first)) for loop in loops()])
    seam = len(first)
    usual = np.percentile(np.concatenate([steps_of(loop).bend for loop in loops()]), 99)
    assert steps_of(even).bend[seam - 2 : seam + 1].max() < usual
    assert steps_of(even).bend[seam - 2 : seam + 1].max() < steps_of(rough).bend[seam - 2 : seam + 1].max()


def test_another_skeleton_is_refused() -> None:
    clip = rig("vrm")
    other = closed(
        clip.changed(root=np.repeat(clip.root[:1], 4, 0), rotations=np.repeat(clip.rotations[:1], 4, 0)), 0, 3
    )
    with pytest.raises(UsageError, match="different skeleton"):
        with_seam(other, seam_pose(loops()[0]))

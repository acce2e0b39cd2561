"""Point clips: gaps, filling them, dropping points, and points from clips."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from freshtake.errors import InvalidMotion
from freshtake.motion import PointClip
from freshtake.motion.kinds import fill_gaps, joint_points
from tests.motion.random_motion import humanoid, random_clip


def points(frames: int = 10, seed: int = 1) -> PointClip:
    return PointClip(("a", "b"), np.random.default_rng(seed).normal(size=(frames, 2, 3)), 0.01, name="take")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"names": ("a", "a")}, "two points are named 'a'"),
        ({"names": ()}, "positions must have shape|at least one"),
        ({"positions": np.zeros((3, 3, 3))}, r"positions must have shape \(any, 2, 3\)"),
        ({"positions": np.zeros((0, 2, 3))}, "at least one frame"),
        ({"positions": np.full((3, 2, 3), np.inf)}, "point 'a' is infinite in frame 0"),
        ({"frame_time": 0}, "frame_time"),
        ({"up": "w"}, "up must be"),
        ({"unit_m": -1.0}, "unit_m"),
    ],
)
def test_what_cannot_exist_is_refused(changes: dict[str, Any], message: str) -> None:
    parts: dict[str, Any] = {"names": ("a", "b"), "positions": np.zeros((3, 2, 3)), "frame_time": 0.01}
    with pytest.raises(InvalidMotion, match=message):
        PointClip(**{**parts, **changes})


def test_a_point_is_missing_whole_or_not_at_all() -> None:
    positions = np.zeros((3, 2, 3))
    positions[1, 1, 2] = np.nan
    with pytest.raises(InvalidMotion, match="'b' is missing only some coordinates in frame 1"):
        PointClip(("a", "b"), positions, 0.01)


def with_gap(clip: PointClip, point: int, frames: slice) -> PointClip:
    torn = clip.positions.copy()
    torn[frames, point] = np.nan
    return PointClip(clip.names, torn, clip.frame_time, clip.name)


@given(st.integers(0, 2**32 - 1), st.integers(0, 8), st.integers(1, 5))
def test_filling_keeps_what_was_seen_and_stays_between_neighbours(seed: int, start: int, length: int) -> None:
    whole = points(10, seed)
    torn = with_gap(whole, 1, slice(start, start + length))
    seen = ~torn.gaps()
    full = fill_gaps(torn)
    assert not full.gaps().any()
    np.testing.assert_array_equal(full.positions[seen], whole.positions[seen])
    inside = full.positions[start : start + length, 1]
    ends = whole.positions[[k for k in (start - 1, start + length) if 0 <= k < 10], 1]
    assert (inside >= ends.min(axis=0) - 1e-12).all()
    assert (inside <= ends.max(axis=0) + 1e-12).all()


def test_a_straight_line_is_filled_straight() -> None:
    line = np.arange(12.0)[:, None, None] * np.array([1.0, 2.0, -1.0])
    torn = with_gap(PointClip(("a",), line, 0.01), 0, slice(4, 8))
    np.testing.assert_allclose(fill_gaps(torn).positions, line, atol=1e-12)


def test_only_short_gaps_are_filled_when_asked() -> None:
    clip = with_gap(with_gap(points(20), 0, slice(2, 4)), 0, slice(8, 14))
    part = fill_gaps(clip, longest=2)
    assert np.flatnonzero(part.gaps()[:, 0]).tolist() == list(range(8, 14))
    assert not fill_gaps(clip).gaps().any()


def test_the_ends_are_held_and_a_single_sight_fills_all() -> None:
    clip = with_gap(points(10), 0, slice(7, 10))
    np.testing.assert_allclose(fill_gaps(clip).positions[7:, 0], clip.positions[[6] * 3, 0], rtol=1e-14)
    once = with_gap(with_gap(points(10), 0, slice(0, 4)), 0, slice(5, 10))
    np.testing.assert_array_equal(fill_gaps(once).positions[:, 0], once.positions[[4] * 10, 0])


def test_a_point_never_seen_is_named() -> None:
    with pytest.raises(InvalidMotion, match="'b' is never seen"):
        fill_gaps(with_gap(points(), 1, slice(None)))


def test_points_of_joints() -> None:
    clip = random_clip(np.random.default_rng(2), humanoid(), 4, up="z", name="walk")
    joints = joint_points(clip)
    assert joints.names == clip.skeleton.names
    np.testing.assert_array_equal(joints.positions, clip.positions())
    assert (joints.up, joints.frame_time, joints.name) == ("z", clip.frame_time, "walk")


def test_time() -> None:
    clip = points(11)
    assert (clip.fps, len(clip), clip.duration) == (100.0, 11, 0.1)
    assert repr(clip) == "PointClip('take', 11 frames at 100 fps, 2 points)"

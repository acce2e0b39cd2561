"""Joins of loops against a slow oracle that concatenates them, and copies that are found."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.evaluation.sequences import Pace, copied_share, join_pace, loop_pace, pace_of
from freshtake.evaluation.tracks import foot_joints
from freshtake.motion import Clip
from freshtake.motion.cycles.seams import chained
from freshtake.motion.edit import turned
from tests.motion.cycles.test_shared_seams import loops

ONE = Pace(1.0, 1.0, 1.0)


def laid(first: Clip, second: Clip) -> Pace:
    """The two frames before a join and the two after it, measured frame by frame and joint by joint."""
    whole = chained([first, second])
    places = whole.positions()[len(first) - 2 : len(first) + 2]
    body, time = whole.skeleton.body(), whole.frame_time
    step = float(np.mean([np.linalg.norm(places[2, j] - places[1, j]) for j in body]))
    foot = max(
        float(np.linalg.norm(places[t + 1, j] - places[t, j])) for j in foot_joints(whole.skeleton) for t in range(3)
    )
    bend = max(
        float(np.linalg.norm(places[t + 2, j] - 2 * places[t + 1, j] + places[t, j])) for j in body for t in range(2)
    )
    return Pace(step, foot / time, bend / time**2)


def test_joins_are_those_of_loops_laid_end_to_end() -> None:
    some = loops()
    worst = Pace(*np.max([laid(a, b) for a in some for b in some], axis=0))
    assert join_pace(some, ONE) == pytest.approx(worst)
    assert join_pace(some, worst) == pytest.approx(ONE)


def test_the_seam_of_one_loop_is_the_join_with_itself() -> None:
    for loop in loops():
        own = loop_pace(loop, ONE)
        assert own.step == pytest.approx(laid(loop, loop).step)
        assert own.acceleration >= join_pace([loop], ONE).acceleration - 1e-9


def test_the_pace_of_takes_is_their_largest() -> None:
    some = loops()
    each = [pace_of([loop]) for loop in some]
    both = pace_of(some)
    assert both.foot_speed == max(one.foot_speed for one in each)
    assert both.acceleration == max(one.acceleration for one in each)


def test_copies_are_found_whatever_their_heading() -> None:
    first, second, _ = loops()
    assert copied_share(first, [second]) == 0.0
    assert copied_share(turned(first, 0.7), [second, first]) == 1.0
    half = first.rotations.copy()
    half[: len(first) // 2] = second.rotations[: len(first) // 2]
    mixed = first.changed(rotations=half)
    assert copied_share(mixed, [first]) == pytest.approx(1.0 - len(first) // 2 / len(first))

from __future__ import annotations

import numpy as np
import pytest

import freshtake as ft
from freshtake.motion import Stroke
from freshtake.motion.body.roles import leg_length
from freshtake.motion.edit import resample, scaled, with_up
from freshtake.variation.selection.candidates import comparable, longer_or_shorter

WALK = ft.samples.walk(np.random.default_rng(1), cycles=1)


def stroke(points: int, fps: float) -> Stroke:
    u = np.linspace(0.0, 1.0, points)
    return Stroke(np.stack([u, u**2], axis=1), np.arange(points) / fps)


def test_size_rate_and_axis_are_those_of_the_first_trusted() -> None:
    candidate = with_up(scaled(resample(WALK, 120.0), 3.0), "z" if WALK.up == "y" else "y")
    found = comparable(candidate, [WALK])
    assert not found.refusal and len(found.notes) == 1 and "120" in found.notes[0]
    assert found.motion.frame_time == WALK.frame_time and found.motion.up == WALK.up
    assert leg_length(found.motion.skeleton) == pytest.approx(leg_length(WALK.skeleton))
    np.testing.assert_allclose(
        found.motion.positions()[:10], WALK.positions()[:10], atol=1e-3 * leg_length(WALK.skeleton)
    )


def test_what_fits_is_left_alone() -> None:
    assert comparable(WALK, [WALK]).motion is WALK
    rows = np.zeros((20, 3))
    assert comparable(rows, [rows]).motion is rows


def test_strokes_come_at_the_rate_of_the_trusted() -> None:
    found = comparable(stroke(41, 100.0), [stroke(81, 200.0)])
    assert len(found.motion) == 81 and "200 points per second" in found.notes[0]


@pytest.mark.parametrize(
    ("candidate", "says"),
    [
        (stroke(20, 100.0), "this is a stroke, but the trusted ones are clips"),
        (ft.motion.edit.take_frames(WALK, 0, 5), "too short: 5 frames, at least 8"),
        (ft.motion.edit.take_frames(WALK, 0, 20), "too short: 0."),
        (ft.samples.walk(np.random.default_rng(1), cycles=4), "too long"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_a_reason(candidate: object, says: str) -> None:
    assert says in comparable(candidate, [WALK]).refusal


def test_up_to_twice_as_long_as_the_trusted_is_the_same_piece_of_motion() -> None:
    long = ft.samples.walk(np.random.default_rng(1), cycles=6)
    steps = len(WALK) - 1
    for share, same in ((0.55, True), (0.45, False), (1.9, True), (2.1, False)):
        candidate = comparable(ft.motion.edit.take_frames(long, 0, round(share * steps) + 1), [WALK])
        assert (candidate.refusal == "") == same


def test_durations_outside_the_range_are_said() -> None:
    trusted = [np.zeros((n, 1)) for n in (100, 104)]
    assert longer_or_shorter(np.zeros((105, 1)), trusted) == ""
    assert longer_or_shorter(np.zeros((121, 1)), trusted) == "longer (120 frames, the trusted ones 99 to 103 frames)"
    assert longer_or_shorter(np.zeros((80, 1)), trusted).startswith("shorter (79 frames")

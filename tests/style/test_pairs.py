"""Aligned rows of a pair: the target's heading as a sway about the source's."""

from __future__ import annotations

import numpy as np

from freshtake.style.pairs import _sway, sampled_mask
from freshtake.style.warping.warps import read_rows

RATE = 1.0 / 60.0


def test_turning_more_is_no_sway_and_swaying_is() -> None:
    places = np.arange(120.0)
    still, turning = np.zeros(120), np.full(120, 0.5)
    np.testing.assert_allclose(_sway(still, turning, places, RATE), 0.0, atol=1e-12)
    angle = 0.1 * np.sin(2.0 * np.pi * np.arange(120) / 30.0)  # four whole sways
    rates = np.diff(angle, prepend=0.0) / RATE
    made = _sway(turning, turning + rates, places, RATE)
    assert abs(made.mean()) < 1e-12
    np.testing.assert_allclose(made, angle, atol=0.03)
    assert np.corrcoef(made, angle)[0, 1] > 0.98


def test_rows_between_frames_lie_on_straight_lines_and_labels_are_the_nearest() -> None:
    rows = np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 5.0]])
    np.testing.assert_allclose(read_rows(rows, np.array([0.0, 0.5, 1.25, 2.0])), [[0, 1], [1, 1], [2.5, 2], [4, 5]])
    mask = np.array([True, False, True])
    np.testing.assert_array_equal(sampled_mask(mask, np.array([0.2, 0.8, 1.7, 2.0])), [True, False, True, True])

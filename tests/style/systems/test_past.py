from __future__ import annotations

import numpy as np

from freshtake.style.systems.past import past_of, recurrence


def cycle(frames: int, period: float) -> np.ndarray:  # type: ignore[type-arg]
    angle = 2 * np.pi * np.arange(frames) / period
    return np.stack([np.sin(angle), np.cos(angle), np.sin(2 * angle)], axis=1)


def test_a_repeating_motion_is_continued_backward() -> None:
    rows = cycle(300, 50)
    assert recurrence(rows[120:], 60.0) == 50
    np.testing.assert_allclose(past_of(rows[120:], 90, 60.0), rows[30:120], atol=1e-9)


def test_a_motion_that_never_recurs_stood_in_its_first_pose() -> None:
    rows = np.stack([np.linspace(0, 1, 100) ** 2, np.linspace(0, 3, 100)], axis=1)
    np.testing.assert_array_equal(past_of(rows, 5, 60.0), np.repeat(rows[:1], 5, axis=0))


def test_still_and_tiny_motions_are_no_trouble() -> None:
    assert past_of(np.ones((50, 2)), 3, 60.0).tolist() == [[1.0, 1.0]] * 3
    assert past_of(np.ones((1, 2)), 2, 60.0).shape == (2, 2)
    assert past_of(np.ones((4, 2)), 0, 60.0).shape == (0, 2)


def test_dofs_without_weight_do_not_count() -> None:
    rows = np.column_stack([cycle(200, 50), np.arange(200.0)])
    assert recurrence(rows, 60.0) is None
    found = past_of(rows, 10, 60.0, np.array([1.0, 1.0, 1.0, 0.0]))
    np.testing.assert_allclose(found[:, :3], rows[40:50, :3], atol=1e-9)


def test_a_single_cycle_was_going_on_before_its_first_frame() -> None:
    rows = cycle(51, 50)
    assert recurrence(rows, 60.0) is None
    np.testing.assert_allclose(past_of(rows, 120, 60.0), cycle(170, 50)[30:150], atol=1e-9)
    there_and_back = np.stack([np.sin(np.pi * np.arange(51) / 50), np.zeros(51)], axis=1)
    assert np.ptp(past_of(there_and_back, 20, 60.0)) == 0.0, "it passes the first pose the other way"
    assert np.ptp(past_of(cycle(26, 50), 20, 60.0), axis=0).max() == 0.0, "half a cycle"

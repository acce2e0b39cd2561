from __future__ import annotations

import numpy as np
import pytest

from freshtake.density.runs import Leap, Limits, Place, eased, fading, read_at, rehearse
from freshtake.numeric.arrays import Floats
from tests.density.made import orbit


def test_reading_meets_the_frames_and_is_exact_for_parabolas() -> None:
    t = np.arange(12.0)
    rows = np.stack([t, 0.5 * t * t - t, np.ones_like(t)], axis=1)
    out = np.empty(3)
    for place in (0.0, 3.0, 11.0, 4.25, 7.9):
        read_at(rows, place, 0, 11, 3, out)
        np.testing.assert_allclose(out, [place, 0.5 * place * place - place, 1.0], atol=1e-12)


def test_reading_stays_inside_its_run() -> None:
    rows = np.concatenate([np.zeros((6, 1)), np.full((6, 1), 100.0)])
    out = np.empty(1)
    for place in (4.6, 5.0, 5.4):
        read_at(rows, place, 0, 5, 1, out)
        assert out[0] == 0.0


def test_offsets_fade_smoothly_to_rest() -> None:
    n, step = 12.0, 1e-4
    assert fading(0.0, n) == (1.0, 0.0)
    assert fading(n, n) == (0.0, 0.0)
    near = np.array([fading(k * step, n) for k in range(3)])
    first, second = (near[1] - near[0]) / step, (near[2] - 2 * near[1] + near[0]) / step**2
    np.testing.assert_allclose(first, [0.0, 1.0], atol=1e-3)
    np.testing.assert_allclose(second, [0.0, 0.0], atol=5e-3)
    end = np.array([fading(n - k * step, n) for k in range(1, 4)])
    assert np.abs(end).max() < 1e-9


def test_a_rehearsed_jump_is_what_a_jump_does() -> None:
    rows = orbit(1, 4)
    history = np.zeros((4, 6))
    history[0], history[1] = rows[33] + 0.3, rows[32] + 0.28
    gap, speed = offset = np.empty((2, 6))
    sharp, far = rehearse(rows, 6, history, Leap(Place(33.0, 0, 159), Place(75.0, 0, 159), 2.0, 10.0), offset)
    np.testing.assert_allclose(gap, history[0] - rows[75])
    np.testing.assert_allclose(speed, history[0] - history[1] - (rows[75] - rows[73]), atol=1e-12)
    path = [history[1], history[0]]
    away = []
    for t in range(1, 12):
        keep, push = fading(float(t), 10.0)
        path.append(rows[75 + 2 * t] + keep * gap + push * speed)
        away.append(min(apart(path[-1], rows, 75, t), apart(path[-1], rows, 33, t)))
    assert sharp == pytest.approx(np.linalg.norm(np.diff(path, 2, axis=0), axis=1).max())
    assert far == pytest.approx(max(away), rel=1e-5)


def apart(pose: Floats, rows: Floats, start: int, t: int) -> float:
    """The distance of a pose from the line through every other frame from `start` on, near the t-th of them."""
    spots = range(max(t - 2, 0), t + 2)
    shares = np.linspace(0.0, 1.0, 2001)[:, None]
    a, b = (np.array([rows[start + 2 * (s + k)] for s in spots]) for k in (0, 1))
    return float(min(np.linalg.norm(pose - x - shares * (y - x), axis=1).min() for x, y in zip(a, b, strict=True)))


def test_a_jump_between_runs_that_are_near_for_a_moment_only_is_evened_out_quickly() -> None:
    """Two runs that part again: the longer a jump between them takes, the farther it leads away from both."""
    t = np.arange(60.0)
    one, other = np.stack([t, 0.0 * t], axis=1), np.stack([t, 0.4 + 0.2 * np.abs(t - 20.0)], axis=1)
    rows = np.concatenate([one, other])
    history, offset = np.zeros((4, 2)), np.empty((2, 2))
    history[0], history[1] = rows[20], rows[19]
    source, goal = Place(20.0, 0, 59), Place(80.0, 60, 119)
    away = {}
    for far in (1e3, 0.25, 0.0):
        strain, span = eased(rows, 2, history, source, goal, 1.0, Limits(10.0, max(far, 1e-3), 18.0), offset)
        away[far] = span
        assert strain <= 1.0 or far == 0.0
        bend, off = rehearse(rows, 2, history, Leap(source, goal, 1.0, span), np.empty((2, 2)))
        assert max(bend / 10.0, off / max(far, 1e-3)) == pytest.approx(strain)
    assert away[1e3] == 18.0 and away[0.25] == away[0.0] == 12.0  # of those that are too far, the one that is least so


def test_a_straight_run_is_read_straight_whatever_stands_beside_it() -> None:
    rows = np.random.default_rng(0).normal(size=(12, 2))
    slope = np.array([0.5, -2.0])
    rows[3:9] = 4.0 + np.arange(6)[:, None] * slope
    out = np.empty(2)
    for place in np.linspace(2.0, 9.0, 29):
        read_at(rows, place, 3, 8, 2, out)
        np.testing.assert_allclose(out, 4.0 + (place - 3.0) * slope, atol=1e-12)


def test_what_a_jump_does_grows_with_the_motion() -> None:
    rows, history, offset = orbit(1, 4), np.zeros((4, 6)), np.empty((2, 6))
    history[0], history[1] = rows[33] + 0.3, rows[32] + 0.28
    leap = Leap(Place(33.0, 0, 159), Place(75.0, 0, 159), 1.0, 10.0)
    large = rehearse(rows, 6, history, leap, offset)
    np.testing.assert_allclose(rehearse(1e-3 * rows, 6, 1e-3 * history, leap, offset), 1e-3 * np.array(large))

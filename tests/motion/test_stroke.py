"""Strokes: validation, time, even spacing, resampling."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from freshtake.errors import InvalidMotion
from freshtake.motion import Stroke
from freshtake.motion.kinds import resample_stroke


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"points": np.zeros((0, 2)), "times": np.zeros(0)}, "at least one point"),
        ({"points": np.zeros((3, 0))}, "at least one dimension"),
        ({"points": np.zeros(3)}, r"points must have shape \(any, any\)"),
        ({"points": np.full((3, 2), np.nan)}, "points must be finite"),
        ({"times": np.zeros(2)}, r"times must have shape \(3\)"),
        ({"times": np.array([0.0, 2.0, 1.0])}, "point 2 is not later than the one before"),
        ({"times": np.array([0.0, 0.0, 1.0])}, "point 1 is not later"),
        ({"times": np.array([0.0, np.nan, 1.0])}, "times must be finite"),
        ({"dimensions": ("x",)}, "1 dimension names are given for 2 dimensions"),
        ({"dimensions": ("x", "x")}, "two dimensions are named 'x'"),
    ],
)
def test_what_cannot_exist_is_refused(changes: dict[str, Any], message: str) -> None:
    parts: dict[str, Any] = {"points": np.zeros((3, 2)), "times": np.arange(3.0)}
    with pytest.raises(InvalidMotion, match=message):
        Stroke(**{**parts, **changes})


def test_names_time_and_even_spacing() -> None:
    stroke = Stroke(np.zeros((5, 2)), 3.0 + np.arange(5) * 0.01)
    assert (stroke.dimensions, len(stroke)) == (("x", "y"), 5)
    assert stroke.duration == pytest.approx(0.04)
    assert stroke.frame_time == pytest.approx(0.01)
    assert stroke.uniform
    assert not Stroke(np.zeros((3, 2)), np.array([0.0, 1.0, 3.0])).uniform
    assert Stroke(np.zeros((2, 5)), np.arange(2.0)).dimensions == ("x0", "x1", "x2", "x3", "x4")
    single = Stroke(np.zeros((1, 1)), np.zeros(1))
    assert (single.uniform, single.duration, single.frame_time) == (True, 0.0, 1.0)


@given(st.integers(0, 2**32 - 1), st.integers(2, 20), st.floats(1, 500))
def test_resampling_reads_the_path_at_even_times(seed: int, count: int, fps: float) -> None:
    rng = np.random.default_rng(seed)
    stroke = Stroke(rng.normal(size=(count, 3)), 5.0 + np.cumsum(rng.uniform(0.005, 0.05, count)), name="a")
    even = resample_stroke(stroke, fps)
    np.testing.assert_allclose(np.diff(even.times), 1 / fps, rtol=1e-6)
    np.testing.assert_array_equal(even.points[0], stroke.points[0])
    assert stroke.times[-1] - 1 / fps - 1e-6 < even.times[-1] <= stroke.times[-1] + 1e-6
    for column in range(3):
        wanted = np.interp(even.times, stroke.times, stroke.points[:, column])
        np.testing.assert_allclose(even.points[:, column], wanted, atol=1e-9)
    assert (even.dimensions, even.name) == (stroke.dimensions, "a")


def test_doubling_the_rate_keeps_the_points() -> None:
    stroke = Stroke(np.random.default_rng(1).normal(size=(9, 2)), np.arange(9) * 0.02)
    double = resample_stroke(stroke, 100.0)
    assert len(double) == 17
    np.testing.assert_allclose(double.points[::2], stroke.points, atol=1e-12)


@pytest.mark.parametrize("fps", [0.0, -1.0, float("nan")])
def test_a_rate_must_be_above_zero(fps: float) -> None:
    with pytest.raises(InvalidMotion, match="fps must be above 0"):
        resample_stroke(Stroke(np.zeros((2, 2)), np.arange(2.0)), fps)

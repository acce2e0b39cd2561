"""Lengths in frames or seconds."""

from __future__ import annotations

import pytest

from freshtake.errors import UsageError
from freshtake.workflows.inputs import frame_count


@pytest.mark.parametrize(
    ("frames", "seconds", "count"),
    [("360", None, 360), ("6s", None, 720), (None, 6.0, 720), ("0.5s", None, 60), (None, 1e-9, 1), ("-3", None, -3)],
)
def test_frames_and_times_at_120_fps(frames: str | None, seconds: float | None, count: int) -> None:
    assert frame_count(frames, seconds, 1 / 120) == count


def test_a_whole_number_of_frames_does_not_depend_on_the_rate() -> None:
    assert frame_count(36, None, 0.5) == 36
    assert frame_count(None, 2.0, 0.5) == 4


@pytest.mark.parametrize(
    ("frames", "seconds"),
    [(None, None), ("9", 1.0), ("many", None), ("3.5", None), ("-1s", None), ("nans", None), ("s", None), (None, 0.0)],
)
def test_what_is_no_length_is_refused(frames: str | None, seconds: float | None) -> None:
    with pytest.raises(UsageError, match=r"6s|above 0"):
        frame_count(frames, seconds, 1 / 120)

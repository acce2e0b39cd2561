"""Progress where there is no terminal."""

from __future__ import annotations

from freshtake.cli.console import BETWEEN_LINES, occasional_lines
from freshtake.methods.progress import Progress


def test_quick_work_is_silent_and_long_work_tells_phase_and_time_left() -> None:
    said: list[str] = []
    times = iter([0.0, 1.0, BETWEEN_LINES - 1.0, BETWEEN_LINES, BETWEEN_LINES + 1.0, 2 * BETWEEN_LINES])
    report = occasional_lines(said.append, lambda: next(times))
    report(Progress(0.0, "reading"))
    report(Progress(0.2, "reading"))
    assert said == []
    report(Progress(0.25, "learning"))
    report(Progress(0.26, "learning"))
    report(Progress(0.0, "again"))
    assert said == [f"learning: 25 %, about {3 * BETWEEN_LINES:.0f} s left", "again: 0 %"]

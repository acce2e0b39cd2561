"""Progress without a terminal."""

from __future__ import annotations

import pytest

from freshtake.cli.console import occasional_lines
from freshtake.methods.progress import Progress


def test_quick_work_is_silent_and_long_work_tells_phase_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("freshtake.cli.console.BETWEEN_LINES", 30.0)
    said: list[str] = []
    times = iter([0.0, 1.0, 29.0, 30.0, 31.0, 60.0])
    report = occasional_lines(said.append, lambda: next(times))
    report(Progress(0.0, "reading"))
    report(Progress(0.2, "reading"))
    assert said == []
    report(Progress(0.25, "learning"))
    report(Progress(0.26, "learning"))
    report(Progress(0.0, "again"))
    assert said == ["learning: 25 %, about 90 s left", "again: 0 %"]

"""Twenty windows and five learning jobs, for a moment; benchmarks/studio_load.py does it for minutes."""

from __future__ import annotations

from benchmarks.studio_load import load

from tests.serve.studio import Studio


def test_windows_are_answered_while_models_are_learned(studio: Studio, variants: list[str]) -> None:
    result = load(studio.url, 0.0, sessions=20, learners=5, least=2)
    assert result.failed == []
    assert sum(map(len, result.times.values())) == 40
    assert min(result.events) > 0, "every window heard of the others' stars and of the jobs"

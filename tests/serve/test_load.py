"""Twenty windows and five learning jobs, for a moment; benchmarks/studio_load.py does it for minutes."""

from __future__ import annotations

from benchmarks.studio_load import load

from tests.serve.studio import Studio


def test_windows_are_answered_while_models_are_learned(studio: Studio, variants: list[str]) -> None:
    found = load(studio.url, 2.0, sessions=20, learners=5)
    assert found.failed == []
    assert sum(map(len, found.times.values())) >= 20
    assert min(found.events) > 0, "every window heard of the others' stars and of the jobs"
    assert max(found.events) - min(found.events) <= 0.5 * max(found.events) + 20

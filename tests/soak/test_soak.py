"""The long run's detectors find faults, and a short run of one stream is clean."""

from __future__ import annotations

import numpy as np

from tests.soak.__main__ import _hashed, repeated, soak


def test_an_exact_repeat_is_seen_at_any_frame() -> None:
    rows = np.random.default_rng(0).normal(size=(500, 8))
    assert repeated(_hashed(rows), 50) == 0
    assert repeated(_hashed(np.concatenate([rows, rows[137:200]])), 50) == 63 - 50 + 1
    changed = rows[137:200].copy()
    changed[::20, 3] = np.nextafter(changed[::20, 3], 9.0)
    assert repeated(_hashed(np.concatenate([rows, changed])), 50) == 0


def test_a_short_stream_is_clean() -> None:
    row = soak("variation", 2000, 1e6)
    assert (row.frames, row.not_finite, row.backwards, row.repeats) == (2000, 0, 0, 0)
    assert row._replace(not_finite=1).wrong and row._replace(drift=1.0).wrong

"""Whole motions against blocks, which are the slow oracle: the same bits, whatever the length, amount or kind."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from freshtake.samples import cheer, walk
from freshtake.variation import Settings, learn
from freshtake.variation import whole_motions as tested
from freshtake.variation.model import VariationModel
from freshtake.variation.whole_motions import whole_motion


@cache
def model(kind: str) -> VariationModel:
    takes = [(cheer if kind == "ends" else walk)(np.random.default_rng(k)) for k in range(3)]
    settings = Settings(method="kernel") if kind == "kernel" else None
    return learn(takes, settings, rng=np.random.default_rng(0), cyclic=kind == "walks")


@pytest.mark.parametrize("kind", ["walks", "ends"])
@pytest.mark.parametrize("amount", [1.0, 0.3])
@pytest.mark.parametrize("frames", [1, 32, 33, 700])
def test_a_whole_motion_has_the_bits_of_its_blocks(kind: str, amount: float, frames: int) -> None:
    wanted = model(kind).made(np.random.default_rng(7), amount=amount, frames=frames)
    found = whole_motion(model(kind), np.random.default_rng(7), amount, frames)
    assert found.rows.tobytes() == wanted.rows.tobytes()
    assert found.phases is not None and wanted.phases is not None
    assert found.phases.tobytes() == wanted.phases.tobytes()


def test_noise_that_runs_out_is_drawn_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A motion that is faster than usual, here as if usual ones had a third of the frames."""
    wanted = model("walks").made(np.random.default_rng(7), frames=500)
    monkeypatch.setattr(tested, "SPARE", 0.3)
    assert whole_motion(model("walks"), np.random.default_rng(7), 1.0, 500).rows.tobytes() == wanted.rows.tobytes()

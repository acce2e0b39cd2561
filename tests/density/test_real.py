from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.density import learn
from freshtake.density.class_cycles import holding
from freshtake.errors import UsageError
from freshtake.motion.edit import take_frames


@pytest.mark.parametrize("take", ["okwechime/bvh/male_walk", "cyclic/walk8_13s", "cyclic/swim_22s"])
def test_long_synthesis_of_recorded_motion_holds(data: Path, take: str) -> None:
    clip = ft.read(data / f"{take}.bvh")
    model = learn({"take": [clip]})
    for seed in range(2):
        made = model.rows(np.random.default_rng(seed), frames=6000)[:, : model.modes]
        found = holding([model.encode(clip)], made)
        assert found.stalls == 0 and found.repeats == 0
        assert found.period == pytest.approx(1.0, abs=0.03)
        assert found.distance <= 1.5 and found.sharpness <= 1.3
        assert 0.8 <= found.variation <= 1.25


def test_a_walk_turns_into_a_run(data: Path) -> None:
    clips = {name: [ft.read(data / f"okwechime/bvh/{name}.bvh")] for name in ("female_walk", "female_run")}
    model = learn(clips)
    bends = [
        np.percentile(np.linalg.norm(np.diff(model.encode(c[0]), 2, axis=0), axis=1), 99.9) for c in clips.values()
    ]
    for seed in range(3):
        rows = model.rows(np.random.default_rng(seed), frames=180, weights="female_walk:1->female_run:1")
        assert np.linalg.norm(np.diff(rows[:, : model.modes], 2, axis=0), axis=1).max() <= 1.3 * max(bends)


def test_recorded_markers_with_gaps(data: Path) -> None:
    ezc3d = pytest.importorskip("ezc3d")
    assert ezc3d is not None
    clip = ft.read(data / "c3d" / "walking5.c3d")
    seen = ~clip.gaps().any(axis=0)
    kept = np.flatnonzero(clip.gaps().mean(axis=0) < 0.6)
    assert not seen.all()
    clip = replace(clip, names=tuple(clip.names[k] for k in kept), positions=clip.positions[:, kept])
    model = learn({"walk": [clip]})
    assert model.notes
    made = model.sample(np.random.default_rng(0), frames=500)
    assert np.isfinite(made.positions).all()


@pytest.mark.parametrize(
    "takes",
    [
        ("validation/style137/normal", "validation/style137/oldman", "validation/style137/graceful"),
        ("cyclic/walk8_11s", "cyclic/run_circle_10s"),
    ],
)
def test_recorded_gaits_that_vary_blend(data: Path, takes: tuple[str, ...]) -> None:
    """Busy arms, standing and a run that slows down kept these from blending; speeds lie between the classes'."""
    model = learn({take: [ft.read(data / f"{take}.bvh")] for take in takes})
    assert model.mixes, model.warning

    def speed(weights: dict[str, float]) -> float:
        clip = model.sample(np.random.default_rng(1), frames=480, weights=weights)
        return float(np.linalg.norm(np.diff(clip.root[::6, [0, 2]], axis=0), axis=1).sum())

    for one, other in pairwise(takes):
        ends = speed({one: 1.0}), speed({other: 1.0})
        assert min(ends) < speed({one: 0.5, other: 0.5}) < max(ends)


def test_part_of_a_recorded_cycle_is_refused(data: Path) -> None:
    walk, run = (ft.read_clip(data / f"okwechime/bvh/male_{name}.bvh") for name in ("walk", "run"))
    with pytest.raises(UsageError, match="give takes of at least one whole cycle"):
        learn({"walk": [walk], "run": [take_frames(run, 0, 10)]})
    assert learn({"walk": [walk], "run": [take_frames(run, 0, 21)]}).mixes

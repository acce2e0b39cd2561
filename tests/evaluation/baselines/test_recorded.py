"""On recorded walks: where each baseline is unnatural, compared with unseen real takes changed by the same amount."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake
from freshtake.evaluation import Evaluation, evaluate
from freshtake.evaluation.baselines import baseline_sets


@pytest.fixture(scope="module")
def result(data: Path) -> Evaluation:
    inputs = [freshtake.read(path) for path in sorted((data / "walk").glob("walk_*.bvh"))]
    extra = [freshtake.read(path) for path in sorted((data / "walk").glob("extra_*.bvh"))]
    sets = baseline_sets(inputs, extra[:3], rng=np.random.default_rng(1), count=2)
    return evaluate(inputs, extra[:3], extra[3:], rng=np.random.default_rng(1), baselines=sets)


@pytest.mark.parametrize("kind", ["strawman", "perlin", "pca"])
def test_noise_slides_and_is_no_more_coordinated(result: Evaluation, kind: str) -> None:
    noisy = next(column for column in result.baselines if column.name == kind)
    feet, together = result.figure("planted_speed"), result.figure("coordination_sides")
    assert feet is not None and together is not None
    assert noisy.value("planted_speed") > 2 * max(*feet.real, feet.value)
    assert noisy.value("coordination_sides") > max(together.value, float(np.mean(together.real)))
    assert noisy.value("overshoot") > result.value("overshoot")


def test_smoothed_noise_is_shaky(result: Evaluation) -> None:
    jerk = result.figure("jerk_limbs")
    assert jerk is not None
    for column in result.baselines[:1]:
        assert column.value("jerk_limbs") > 1.3 * max(jerk.real)


def test_combinations_are_interpolation_and_replays_are_copies(result: Evaluation) -> None:
    convex, replay = result.baselines[3:]
    assert convex.value("outside_span") < 0.05 < 0.5 < result.value("outside_span")
    assert convex.value("diversity") < 0.7 and convex.value("copied") == 0.0
    assert replay.value("copied") == 1.0 and replay.value("nearest") < 1e-9

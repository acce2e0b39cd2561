"""Several translations at once (Hsu 2005, §6)."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.errors import UsageError
from freshtake.numeric.rotations import angle_between
from freshtake.style import blend
from freshtake.style.learning import learn
from freshtake.style.model import StyleModel
from freshtake.style.settings import Settings
from tests.style.pairs_of_clips import model, walk, walk_pairs


@pytest.fixture(scope="module")
def both() -> list[StyleModel]:
    return [model("fir"), learn(walk_pairs("crouch")[:3], Settings(system="fir", memory=0.3))]


def test_weight_one_is_that_style_alone(both: list[StyleModel]) -> None:
    source = walk(70)
    for k in range(2):
        weights = np.eye(2)[k]
        mixed, alone = blend(both, source, weights, plant=False), both[k].translate(source, plant=False)
        assert len(mixed) == len(alone)
        assert np.degrees(angle_between(mixed.rotations, alone.rotations)).max() < 1.0
        np.testing.assert_allclose(mixed.root, alone.root, atol=1.0)


def test_half_of_each_lies_between_and_weights_may_change(both: list[StyleModel]) -> None:
    source = walk(71)
    height = [blend(both, source, w, plant=False).root[:, 1].mean() for w in ([1, 0], [0.5, 0.5], [0, 1])]
    assert height[1] == pytest.approx((height[0] + height[2]) / 2, abs=0.15 * abs(height[0] - height[2]))
    ramp = np.linspace(0, 1, len(source))
    made = blend(both, source, np.stack([1 - ramp, ramp], axis=1))
    third = len(made) // 3
    assert made.root[:third, 1].mean() - made.root[-third:, 1].mean() > 0.4 * (height[0] - height[2])


def test_weights_are_strengths(both: list[StyleModel]) -> None:
    source = walk(70)
    alone = blend(both, source, [0.4, 0.0], plant=False, time_warp=False)
    same = both[0].translate(source, strength=0.4, plant=False, time_warp=False)
    assert np.degrees(angle_between(alone.rotations, same.rotations)).max() < 0.2


@pytest.mark.parametrize(
    ("weights", "words"),
    [([0.0, 0.0], "not all of them"), ([3.0, 0.0], "between -2 and 2"), ([1.0], "2 numbers"), ([np.nan, 1], "2 num")],
)
def test_bad_weights_are_refused(both: list[StyleModel], weights: list[float], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        blend(both, walk(70), weights)
    with pytest.raises(UsageError, match="at least one model"):
        blend([], walk(70), weights)

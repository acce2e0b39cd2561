"""Several translations at once (Hsu 2005, §6)."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.errors import UsageError
from freshtake.numeric.rotations import angle_between
from freshtake.style import blend, blend_stream
from freshtake.style.learning import learn
from freshtake.style.model import Settings, StyleModel
from freshtake.style.style_mixing import Recoding
from tests.style.pairs_of_clips import model, walk, walk_pairs


@pytest.fixture(scope="module")
def both() -> list[StyleModel]:
    return [model(), learn(walk_pairs("crouch")[:3], Settings(order=0))]


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
    assert np.degrees(angle_between(alone.rotations, same.rotations)).max() < 1.0  # where a knee is held at straight


@pytest.mark.parametrize(
    ("weights", "words"),
    [([0.0, 0.0], "not all of them"), ([3.0, 0.0], "between -2 and 2"), ([1.0], "2 numbers"), ([np.nan, 1], "2 num")],
)
def test_bad_weights_are_refused(both: list[StyleModel], weights: list[float], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        blend(both, walk(70), weights)
    with pytest.raises(UsageError, match="at least one model"):
        blend([], walk(70), weights)


def test_a_live_mixture_is_the_blend_of_the_whole_clip(both: list[StyleModel]) -> None:
    source = walk(70)
    rows = both[0].encode(source).values
    for weights in ([0.5, 0.5], [0.3, 0.9], [-0.2, 1.0]):
        whole = blend(both, source, weights, plant=False, time_warp=False)
        live = list(blend_stream(both, rows, weights, time_warp=False, decode=True))
        assert len(live) == len(whole)
        turned = np.concatenate([pose.rotations for pose in live])
        apart = np.degrees(angle_between(turned, whole.rotations))[70:]  # a stream knows no past
        assert apart[:, 1:].max() < 0.7
        assert np.ptp(apart[:, 0]) < 1.0  # a stream starts at heading 0


def test_a_mixture_of_one_style_alone_is_its_stream(both: list[StyleModel]) -> None:
    source = walk(71, cycles=4)
    for k in range(2):
        rows = both[0].encode(source).values
        mixed = list(blend_stream(both, np.array_split(rows, 9), np.eye(2)[k], decode=True, plant=True))
        alone = list(both[k].stream(both[k].encode(source).values, decode=True, plant=True))
        assert len(mixed) == len(alone)
        off = [np.degrees(angle_between(a.rotations, b.rotations)).max() for a, b in zip(mixed, alone, strict=True)]
        assert np.median(off) < 0.5 and max(off) < 5.0  # planted at the floor of the one style, by legs of both


def test_weights_of_a_live_mixture_change_smoothly(both: list[StyleModel]) -> None:
    rows = both[0].encode(walk(71, cycles=6)).values
    asked = iter([np.array([1.0, 0.0])] * (len(rows) // 2) + [np.array([0.0, 1.0])] * len(rows))
    live = list(blend_stream(both, rows, lambda: next(asked), time_warp=False))
    alone = [np.array(list(blend_stream(both, rows, weights, time_warp=False))) for weights in np.eye(2)]
    for k, part in enumerate((slice(0, len(rows) // 2 - 1), slice(len(rows) // 2 + 40, len(rows)))):
        np.testing.assert_allclose(np.array(live)[part], alone[k][part], atol=0.05)
    steps, *usual = (np.abs(np.diff(made, 2, axis=0)).max(axis=0) for made in (np.array(live), *alone))
    assert (steps[6:] < 3.0 * np.max(usual, axis=0)[6:] + 0.02).all()


@pytest.mark.parametrize("weights", [[1.0], [3.0, 0.0], [np.nan, 1.0]])
def test_bad_weights_of_a_live_mixture_are_refused(both: list[StyleModel], weights: list[float]) -> None:
    with pytest.raises(UsageError, match="2 numbers between"):
        blend_stream(both, [], weights)
    with pytest.raises(UsageError, match="decode=True"):
        blend_stream(both, [], [1.0, 0.0], plant=True)


def test_rows_of_another_recipe_are_those_of_its_own_encoding(both: list[StyleModel]) -> None:
    source = walk(72, cycles=3)
    first, second = (each.encode(source).values for each in both)
    recoding = Recoding(both[0].recipe, both[1].recipe)
    turned, made = np.zeros(1), []
    for k, rows in enumerate(np.split(first, [1, 2, 30])):
        made.append(recoding.recoded(rows, turned, k > 0))
    apart = np.abs(np.concatenate(made) - second)
    assert apart[1:].max() < 1e-9  # a first row has no step: its speeds are a guess
    back = Recoding(both[1].recipe, both[0].recipe).recoded(np.concatenate(made), np.zeros(1), False)
    np.testing.assert_allclose(back, first, atol=1e-9)

"""Training takes that turn do not teach turning: the heading is the input's, whatever the examples."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import erf

from freshtake.motion.edit import heading
from freshtake.style.columns import LEAST, ORDINARY, confidences, normal_of, parts_of, reach_of
from freshtake.style.learning import learn
from freshtake.style.model import Settings
from freshtake.style.pairs import _oscillation
from tests.style.pairs_of_clips import model, walk


def test_a_course_takes_the_turn_and_leaves_the_sway() -> None:
    dt = 1.0 / 60.0
    t = np.arange(0.0, 6.0, dt)
    sway = 0.1 * np.sin(2.0 * np.pi * 0.9 * t)
    turning = 1.2 * np.clip(t - 2.0, 0.0, 2.0)  # 140 degrees in two seconds, in the middle
    rate = np.diff(sway + turning, prepend=0.0) / dt
    left = _oscillation(rate, dt)
    inside = (t > 0.7) & (t < 1.3) | (t > 2.7) & (t < 3.3) | (t > 4.7) & (t < 5.3)
    assert np.abs(left - sway)[inside].max() < 0.02
    assert np.abs(left).max() < 0.3


@pytest.mark.parametrize("turn_rate", [0.0, 30.0])
def test_the_heading_is_the_inputs_though_the_pairs_turn(turn_rate: float) -> None:
    pairs = [(walk(k, turn_rate=25.0 * (-1) ** k), walk(100 + k, "limp", -20.0)) for k in range(3)]
    learned = learn(pairs, Settings(order=4))
    source = walk(50, turn_rate=turn_rate, cycles=6)
    made, *_ = learned.translate_rows(learned.encode(source).values)
    clip = learned.translate(source, plant=False)
    off = np.degrees(heading(clip) - np.interp(made.origins, np.arange(len(source)), heading(source)))
    cycle = round(len(off) / 6)
    means = np.convolve(off, np.full(cycle, 1.0 / cycle), mode="valid")
    assert np.abs(means).max() < (2.0 if turn_rate == 0.0 else 5.0)


def test_ordinary_walks_of_the_source_style_are_not_unexpected() -> None:
    learned = model()
    for seed in range(200, 204):
        for rate in (0.0, 30.0):
            made, *_ = learned.translate_rows(learned.encode(walk(seed, turn_rate=rate)).values)
            assert made.blends.mean() < 0.02


def test_the_most_unlike_moment_of_a_take_left_out_gets_next_to_no_weight() -> None:
    learned = model()
    takes = [learned.encode(walk(k)).values for k in range(3)]
    s, recipe, part = learned.settings, learned.recipe, parts_of(learned.recipe)[1]
    found = confidences(recipe, takes, learned.effects, floor=s.floor, least=s.reach, preference=s.preference)
    weights = np.zeros(len(recipe.names))
    for k, take in enumerate(takes):
        rest = normal_of([other for j, other in enumerate(takes) if j != k], recipe.units, s.floor)
        reach = reach_of(recipe, learned.effects, rest, s.reach)
        weight = erf(np.abs(reach * rest.down(take)) / found / np.sqrt(2.0)) ** s.preference
        weights = np.maximum(weights, weight.max(axis=0))
    pose = np.isin(recipe.units, ("angle", "length"))
    for k in range(part.max() + 1):
        most = weights[(part == k) & pose].max()
        assert most == pytest.approx(ORDINARY, rel=1e-6) or (most < ORDINARY and found[part == k].max() == LEAST)

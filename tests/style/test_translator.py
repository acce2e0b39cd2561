"""The streaming translator by law: identity, constant warps, streams against batches, endlessness."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.motion.features.ground import Start, summed
from freshtake.numeric.arrays import Floats
from freshtake.style.columns import Block, Normal
from freshtake.style.systems import DelayBank
from freshtake.style.translator import Translator, translator

DT = 1.0 / 60.0
D = 6  # forward, sideways, turn, height and two angles


def passing(log_w: float = 0.0, sway: float = 0.0, time_warp: bool = True, generalize: bool = False) -> Translator:
    """A translation that leaves the pose alone and lasts exp(log_w) frames per frame; sway follows DOF 4."""
    taps = np.eye(D + 1)[None, :D].copy()
    taps[0, 2, 2] = 0.0
    taps[0, 4, 2] = sway
    offset = np.zeros(D + 1)
    offset[D] = log_w
    bank = DelayBank((Block("all", tuple(range(D)), tuple(range(D + 1))),), (taps,), (offset,), 1)
    plain = Normal(np.zeros(D), np.ones(D)), Normal(np.zeros(D + 1), np.ones(D + 1))
    return translator(
        bank, *plain, (0, 1, 2), tuple("abcdef"), reach=np.ones(D), frame_time=DT, confidence=2.0, preference=30.0,
        time_warp=time_warp, generalize=generalize, later=0.0, widest=10.0,
    )  # fmt: skip


def motion(frames: int = 90) -> Floats:
    t = np.arange(frames) * DT
    waves = [60 + 9 * np.sin(9 * t), 5 * np.cos(5 * t), 1.5 * np.sin(t), 90 + np.sin(8 * t), 0.3 * np.sin(6 * t), t]
    return np.stack(waves, axis=1)


def test_a_translation_that_changes_nothing_gives_the_rows_back() -> None:
    rows, tool = motion(), passing()
    _, made = tool.advance(tool.start(rows[:1]), rows)
    np.testing.assert_allclose(made.rows, rows, atol=1e-9)
    np.testing.assert_allclose(made.origins, np.arange(len(rows)), atol=1e-9)


@pytest.mark.parametrize("w", [0.5, 0.8, 1.3, 2.0, 3.1])
def test_a_constant_warp_stretches_time_and_keeps_the_turn(w: float) -> None:
    rows = motion()
    tool = passing(np.log(w))
    _, made = tool.advance(tool.start(rows[:1]), rows)
    assert len(made.rows) == 1 + int((len(rows) - 1) * w + 1e-9)
    np.testing.assert_allclose(made.origins, np.arange(len(made.rows)) / w, atol=1e-9)
    places = np.interp(made.origins, np.arange(len(rows)), rows[:, 5])
    np.testing.assert_allclose(made.rows[:, 5], places, atol=1e-9)
    before, after = (summed(r[:, :3], DT, Start(), "y") for r in (rows, made.rows))
    heading = np.interp(made.origins, np.arange(len(rows)), before.heading)
    np.testing.assert_allclose(after.heading, heading, atol=1e-9)


def test_speeds_are_those_of_the_targets_own_time() -> None:
    rows = np.zeros((61, D))
    rows[:, 0] = 100.0
    tool = passing(np.log(2.0))
    _, made = tool.advance(tool.start(rows[:1]), rows)
    np.testing.assert_allclose(made.rows[:, 0], 100.0, atol=1e-9)  # twice as long at the same speed: twice as far
    assert len(made.rows) == 121


def test_the_heading_is_the_sources_plus_the_sway() -> None:
    rows = motion()
    tool = passing(0.0, sway=0.5)
    _, made = tool.advance(tool.start(rows[:1]), rows)
    before, after = (summed(r[:, :3], DT, Start(), "y").heading for r in (rows, made.rows))
    wanted = before + 0.5 * (rows[:, 4] - rows[0, 4])
    np.testing.assert_allclose(after, wanted, atol=1e-9)


@pytest.mark.parametrize("w", [0.4, 1.0, 2.6])
def test_frame_by_frame_equals_all_at_once(w: float) -> None:
    rows, tool = motion(), passing(np.log(w), sway=0.2)
    _, whole = tool.advance(tool.start(rows[:1]), rows)
    state, parts, counts = tool.start(rows[:1]), [], set()
    for row in rows:
        state, made = tool.advance(state, row)
        parts.append(made.rows)
        counts.add(len(made.rows))
    np.testing.assert_array_equal(np.concatenate(parts), whole.rows)
    assert {0.4: {0, 1}, 1.0: {1}, 2.6: {1, 2, 3}}[w] == counts


def test_without_the_time_warp_every_frame_gives_one() -> None:
    rows, tool = motion(), passing(np.log(1.7), time_warp=False)
    state = tool.start()
    for row in rows:
        state, made = tool.advance(state, row)
        assert len(made.rows) == 1


def test_states_are_values() -> None:
    rows, tool = motion(), passing(0.1)
    state, _ = tool.advance(tool.start(), rows[:20])
    kept = [part.copy() for part in state[:3]]
    first = tool.advance(state, rows[20:])[1].rows
    for part, before in zip(state[:3], kept, strict=True):
        np.testing.assert_array_equal(part, before)
    np.testing.assert_array_equal(tool.advance(state, rows[20:])[1].rows, first)


def test_unexpected_input_takes_over_and_lets_go() -> None:
    rows = 0.1 * np.random.default_rng(0).normal(size=(60, D))
    rows[20:30, 5] += 9.0
    tool = passing(0.3, generalize=True)
    _, made = tool.advance(tool.start(rows[:1]), rows)
    assert made.blends[20:30].min() > 0.99
    assert made.blends[:20].max() < 0.01 and made.blends[30:].max() < 0.01
    inside = (made.origins > 20.5) & (made.origins < 28.5)
    assert inside.sum() == 8  # one frame each where the input is kept, more elsewhere

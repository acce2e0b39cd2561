"""The streaming translator by law: identity, constant warps, streams against batches, endlessness."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from freshtake.motion.features.angles import Start, summed
from freshtake.numeric.arrays import Floats
from freshtake.style.columns import Block
from freshtake.style.synthesize import UNBOUNDED, Translator
from freshtake.style.systems.banks import Bank, System
from freshtake.style.translation_kernels import LEVELLING, RELEASE, SHARE, Frames

DT = 1.0 / 60.0
D = 6  # forward, sideways, turn, height and two angles


def passing(log_w: float = 0.0, sway: float = 0.0, time_warp: bool = True, generalize: bool = False) -> Translator:
    """A translation that leaves the pose alone and takes exp(log_w) frames per frame; sway follows DOF 4."""
    static = np.eye(D + 1, D)
    static[2, 2] = 0.0
    static[2, 4] = sway
    offset = np.zeros(D + 1)
    offset[D] = log_w
    no_states = np.zeros(0), np.zeros(0), np.zeros((0, D)), np.zeros((D + 1, 0))
    bank = Bank((Block("all", tuple(range(D)), tuple(range(D + 1))),), (System(*no_states, static, offset),))
    frames = Frames(
        np.zeros(D), np.ones(D), np.zeros(D + 1), np.ones(D + 1), reach=np.full(D, 0.5),
        root=np.arange(3), part=np.zeros(D, dtype=np.intp), speeds=UNBOUNDED, strength=np.ones(1), frame_time=DT,
        preference=30.0, warped=time_warp, general=generalize, later=0.0, widest=10.0, calming=0.0, slowest=0.0,
    )  # fmt: skip
    return Translator(bank, frames, tuple("abcdef"))


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


def test_the_heading_is_the_sources_plus_a_sway_without_a_mean() -> None:
    rows = motion(1200)
    rows[:, 4] += 0.4  # what drives the sway stays off its mean
    tool = passing(0.0, sway=0.5)
    _, made = tool.advance(tool.start(rows[:1]), rows)
    before, after = (summed(r[:, :3], DT, Start(), "y").heading for r in (rows, made.rows))
    sway = after - before
    late = sway[600:]
    assert abs(np.ptp(late) / (0.5 * np.ptp(rows[600:, 4])) - 1.0) < 0.02
    cycle = round(2.0 * np.pi / 6.0 / DT)
    assert abs(late[: 5 * cycle].mean() - late[-5 * cycle :].mean()) < 1e-3
    level, wanted = 0.0, []
    for value in 0.5 * rows[:, 4]:  # the slow way
        level += (value - level) * DT / LEVELLING
        wanted.append(value - level)
    np.testing.assert_allclose(sway, np.array(wanted) - wanted[0], atol=1e-9)


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


def test_unexpected_input_takes_over_and_lets_go_smoothly() -> None:
    rows = 0.1 * np.random.default_rng(0).normal(size=(400, D))
    rows[100:160, 5] += 9.0
    tool = passing(0.3, generalize=True)
    _, made = tool.advance(tool.start(rows[:1]), rows)
    assert made.blends[:100].max() == 0.0 and made.blends[100:160].min() > 0.99
    assert made.blends[160 + round(2.5 * RELEASE / DT) :].max() == 0.0
    frames = np.diff(np.searchsorted(made.origins, [110, 130, 150]))
    assert abs(frames - 20).max() <= 1  # one frame each where the input is kept, more elsewhere
    shares = spring_shares(tool, rows)
    assert np.abs(np.diff(shares)).max() < 0.1 and np.abs(np.diff(shares, 2)).max() < 0.05


def spring_shares(tool: Translator, rows: Floats) -> Floats:
    state, out = tool.start(rows[:1]), []
    for row in rows:
        state, _ = tool.advance(state, row)
        out.append(state.part_state[0, SHARE])
    return np.array(out)


def test_a_flicker_does_not_take_over() -> None:
    rows = np.zeros((200, D))
    rows[50:150:10, 5] = 2.0 * 1.9  # ten single frames at eq. 8's weight 0.16, as an ordinary walk may have
    _, made = (tool := passing(0.0, generalize=True)).advance(tool.start(rows[:1]), rows)
    assert made.blends.max() == 0.0


def test_parts_are_kept_each_by_itself() -> None:
    rows = np.zeros((60, D))
    rows[20:40, 5] = 20.0
    tool = passing(0.0, generalize=True)
    parts = np.array([0, 0, 0, 0, 1, 2], dtype=np.intp)
    tool = replace(tool, frames=tool.frames._replace(part=parts, strength=np.ones(3)))
    blends = tool.advance(tool.start(rows[:1]), rows)[1].blends
    assert blends[25:40, 2].min() > 0.99 and blends[:, :2].max() == 0.0

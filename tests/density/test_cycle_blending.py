"""Blends of cyclic classes: poses are in between, the change takes as long as the weights do, feet stay in step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from freshtake.density import DensityModel, learn
from freshtake.density.class_cycles import (
    PERIODIC,
    closing,
    cycle_starts,
    in_cycle,
    is_even,
    mean_cycle,
    offset_between,
    periods_of,
)
from freshtake.density.cycle_blending import MixState
from freshtake.errors import UsageError
from freshtake.motion.edit import take_frames
from freshtake.numeric.arrays import Floats
from tests.density.made import FRAME_TIME, PERIOD, gaits, orbit, two_orbits, walk

RAMP, REST = 120, 60


def ramp(model: DensityModel, seed: int) -> tuple[Floats, Floats]:
    """Two seconds of the first class, four of change, two of the second: the second's weight, and modes."""
    w = np.clip((np.arange(RAMP + 2 * REST) - REST) / RAMP, 0.0, 1.0)
    plan = np.stack([1.0 - w, w], axis=1)
    return w, model.rows(np.random.default_rng(seed), frames=len(w), weights=plan)[:, : model.modes]


def test_a_ramp_takes_as_long_as_its_weights() -> None:
    """Relative to the classes' own kernels of the same phase, the pose is where the weights say, all along the way."""
    model = two_orbits()
    ends = [mean_cycle(np.concatenate(model.runs(name)), phases_of(model, name)) for name in model.classes]
    middles = [np.concatenate(model.runs(name)).mean(axis=0) for name in model.classes]
    for seed in range(3):
        weight, rows = ramp(model, seed)
        found = []
        for y in rows:  # nearest point of the surface that the two mean cycles span
            a, b = (end + middle for end, middle in zip(ends, middles, strict=True))
            share = np.clip(((y - a) * (b - a)).sum(axis=1) / ((b - a) ** 2).sum(axis=1), -0.5, 1.5)
            apart = np.linalg.norm(y - a - share[:, None] * (b - a), axis=1)
            found.append(share[apart.argmin()])
        smooth = np.convolve(found, np.ones(15) / 15, mode="same")[10:-10]
        assert np.abs(smooth - weight[10:-10]).mean() < 0.12


def phases_of(model: DensityModel, name: str) -> Floats:
    """Phases of a class's kernels, shifted back onto those of its own first mode's middle: equal in all classes."""
    return model.cycles.phases[model.owners == model.classes.index(name)]


def test_half_and_half_is_one_gait_between() -> None:
    """A pace between the two in every cycle, instead of alternating cycles of each."""
    model = two_orbits()
    rows = model.rows(np.random.default_rng(0), frames=1500, weights={"small": 0.5, "large": 0.5})[:, 0]
    periods = np.diff(cycle_starts(rows, float(rows.mean()), 0.15 * float(rows.std())))
    between = 2.0 / (1.0 / PERIOD + 1.0 / 30.0)
    assert periods.mean() == pytest.approx(between, rel=0.03)
    assert periods.min() > 0.9 * between and periods.max() < 1.1 * between


def test_a_jog_goes_at_a_speed_between() -> None:
    model = gaits()
    speed = [
        float(np.mean(model.rows(np.random.default_rng(1), frames=400, weights=w)[:, model.modes]))
        for w in ("walk:1", "walk:0.5,run:0.5", "run:1")
    ]
    assert 0.35 < (speed[1] - speed[0]) / (speed[2] - speed[0]) < 0.65


def test_a_class_alone_is_as_it_was_recorded() -> None:
    model = two_orbits()
    y = model.rows(np.random.default_rng(0), frames=600, weights={"large": 1.0})[:, : model.modes]
    own = np.concatenate(model.runs("large"))
    apart = np.linalg.norm(y[:, None] - own[None], axis=2).min(axis=1)
    steps = np.linalg.norm(np.diff(own, axis=0), axis=1)
    assert apart.max() < 1.5 * np.median(steps)


def test_blends_are_no_sharper_than_the_classes() -> None:
    model = two_orbits()
    limit = max(np.linalg.norm(np.diff(y, 2, axis=0), axis=1).max() for n in model.classes for y in model.runs(n))
    for seed in range(4):
        assert np.linalg.norm(np.diff(ramp(model, seed)[1], 2, axis=0), axis=1).max() <= 1.2 * limit


def test_weights_that_are_changed_at_once_are_eased() -> None:
    model = two_orbits()
    plan = np.repeat([[1.0, 0.0], [0.0, 1.0], [0.3, 0.7], [1.0, 0.0]], [40, 7, 40, 60], axis=0)
    limit = max(np.linalg.norm(np.diff(y, 2, axis=0), axis=1).max() for n in model.classes for y in model.runs(n))
    y = model.rows(np.random.default_rng(2), frames=len(plan), weights=plan)[:, : model.modes]
    assert np.linalg.norm(np.diff(y, 2, axis=0), axis=1).max() <= 1.3 * limit
    own = np.concatenate(model.runs("small"))
    assert np.linalg.norm(y[-10:, None] - own[None], axis=2).min(axis=1).max() < 0.5  # and they get there


def test_three_classes_are_mixed_by_all_their_weights() -> None:
    model = learn({f"c{k}": [orbit(k, 6, size=1.0 + 0.5 * k)] for k in range(3)}, frame_time=FRAME_TIME)
    assert model.mixes

    def spread(weights: dict[str, float]) -> float:
        return float(model.rows(np.random.default_rng(0), frames=800, weights=weights)[:, : model.modes].std())

    each = [spread({f"c{k}": 1.0}) for k in range(3)]
    assert spread({"c0": 0.2, "c1": 0.3, "c2": 0.5}) == pytest.approx(np.dot([0.2, 0.3, 0.5], each), rel=0.06)


def test_the_state_is_a_value() -> None:
    model = two_orbits()
    state = model.start(np.random.default_rng(1), {"small": 1.0})
    assert isinstance(state, MixState)
    before = [np.copy(part) for part in state.mixing]
    plan = np.tile([0.5, 0.5], (200, 1))
    first, again = (model.advance(state, plan, np.random.default_rng(2))[1] for _ in range(2))
    np.testing.assert_array_equal(first, again)
    for was, now in zip(before, state.mixing, strict=True):
        np.testing.assert_array_equal(was, now)


def test_classes_that_do_not_go_round_switch_and_say_so() -> None:
    model = learn({"small": [orbit(1)], "large": [orbit(2, size=1.6)]}, frame_time=FRAME_TIME, cyclic={"large": False})
    assert not model.mixes and model.warning.startswith("large does not repeat")
    assert two_orbits().warning == ""


@pytest.mark.parametrize("period", [23.0, 40.3])
def test_the_period_is_that_of_the_whole_cycle(period: float) -> None:
    """Also if the largest mode has two periods per cycle, as in a skip."""
    angle = 2.0 * np.pi * np.arange(200) / period
    twice = np.stack([3.0 * np.sin(2.0 * angle), np.sin(angle), np.cos(angle)], axis=1)
    assert periods_of([twice], 30.0) == pytest.approx([period], abs=1.0)
    assert periods_of([np.random.default_rng(0).normal(size=(200, 3))], 30.0) is None


def one_cycle(seed: int) -> Floats:
    """A take cut to one cycle."""
    return orbit(seed, 1, period=PERIOD + seed)


def test_takes_of_one_cycle_each_are_known_by_where_they_end() -> None:
    takes = [one_cycle(seed) for seed in (0, 1, 2)]
    found = periods_of(takes, 30.0)
    assert found is not None and found.tolist() == [float(len(y)) for y in takes]
    assert closing(takes) < 0.2
    model = learn({"a": takes}, frame_time=FRAME_TIME)
    assert model.cyclic == (True,) and model.cycles.periodic.all() and model.mixes


def test_what_ends_at_rest_where_it_began_or_turns_back_is_no_cycle() -> None:
    u = np.linspace(0.0, 1.0, 60)
    there_and_back = np.sin(np.pi * u)[:, None] * np.ones((1, 6))
    assert closing([there_and_back]) > PERIODIC  # returns the way it went
    rest = np.random.default_rng(0).normal(scale=1e-3, size=(20, 6))
    jump = np.concatenate([rest[:10], np.sin(np.pi * u)[:, None] ** 2 * np.ones((1, 6)), rest[10:]])
    assert closing([jump]) > PERIODIC


def test_standing_before_and_after_a_gait_is_not_learned() -> None:
    """A body stands, walks and stands: the cut ends within a quarter of a cycle of where the gait ends."""
    gait = orbit(1, 8)
    still = gait.mean(axis=0) + 0.5 * np.sin(2.0 * np.pi * np.arange(120) / 55.0)[:, None]  # shifts its weight
    take = np.concatenate([still[:70], gait, still[70:]])
    (mask,) = in_cycle([take], PERIOD)
    edges = np.flatnonzero(np.diff(mask.astype(int))) + 1
    np.testing.assert_allclose(edges, [70, 70 + len(gait)], atol=0.25 * PERIOD)
    assert in_cycle([gait], PERIOD)[0].all()
    model = learn({"a": [take]}, frame_time=FRAME_TIME)
    assert any("before, between and after the cycles" in note for note in model.notes)
    rows = model.rows(np.random.default_rng(0), frames=2000)[:, :1]
    starts = cycle_starts(rows[:, 0], float(model.weights[:, 0].mean()), 0.15 * float(model.weights[:, 0].std()))
    assert np.diff(starts).max() < 1.25 * PERIOD


def test_phases_of_classes_are_laid_over_each_other() -> None:
    """Also if another mode contains most of the cycle: shifted either way, poses of equal phase are less similar."""
    angle = 2.0 * np.pi * np.arange(320) / PERIOD
    examples = {
        name: [np.stack([a * np.sin(angle), b * np.cos(angle), 0.3 * np.sin(2 * angle)], axis=1) @ np.eye(3, 6)]
        for name, a, b in (("a", 3.0, 2.0), ("b", 2.0, 3.2))
    }
    model = learn(examples, frame_time=FRAME_TIME)
    ends = [mean_cycle(model.weights[model.owners == k], phases_of(model, n)) for k, n in enumerate(model.classes)]
    assert abs(np.angle(np.exp(1j * offset_between(ends[0], ends[1])))) < 0.05


def test_equal_phases_are_like_poses() -> None:
    grid = np.linspace(0.0, 20.0, 400)
    curves = [np.stack([np.sin(grid + shift), 0.5 * np.cos(2 * (grid + shift))], axis=1) for shift in (0.0, 1.3)]
    first, other = (mean_cycle(curve, grid) for curve in curves)
    assert offset_between(first, other) == pytest.approx(1.3, abs=0.03)


def varied_tempo(seed: int, cycles: int = 10) -> Floats:
    """An orbit whose tempo changes from half to one and a half times, so no lag matches it with itself."""
    rows = orbit(seed, cycles)
    at = np.cumsum(np.linspace(0.5, 1.5, len(rows)))
    at = at / at.max() * (len(rows) - 1)
    return np.stack([np.interp(at, np.arange(len(rows)), column) for column in rows.T], axis=1)


def busy_arms(seed: int, cycles: int = 8) -> Floats:
    """An orbit in half of the columns, and in the others movement of about that size that does not repeat."""
    legs = orbit(seed, cycles)
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(len(legs) + 40, 6))
    arms = np.stack([np.convolve(column, np.hanning(43)[1:-1], mode="valid") for column in noise.T], axis=1)
    return np.concatenate([legs, 1.2 * legs.std() / arms.std() * arms], axis=1)


def test_a_tempo_that_varies_and_busy_arms_do_not_keep_a_class_from_blending() -> None:
    takes = varied_tempo(1)
    assert periods_of([takes], 30.0) == pytest.approx([PERIOD], rel=0.2)
    assert not is_even([takes], PERIOD)
    busy = busy_arms(2)
    assert periods_of([busy], 30.0) == pytest.approx([PERIOD], abs=1.0)
    assert learn({"a": [busy], "b": [busy_arms(3)]}, frame_time=FRAME_TIME).mixes
    rng = np.random.default_rng(0)
    wandering = np.cumsum(rng.normal(size=(400, 6)), axis=0)
    assert periods_of([wandering], 30.0) is None


def test_cycles_are_found_between_standing_and_other_movement() -> None:
    t = np.arange(260)[:, None]
    rows = orbit(1, 6)
    idle = rows[:1] + 0.8 * np.sin(t / np.array([37.0, 53.0, 71.0, 90.0, 110.0, 47.0]))
    model = learn({"a": [np.concatenate([idle, rows, rows[-1:] + idle - idle[:1]])]}, frame_time=FRAME_TIME)
    assert model.cyclic == (True,) and model.cycles.periodic.all()
    assert model.limits[0, 2] == pytest.approx(PERIOD, rel=0.1)
    assert sum(model.lengths[0]) < 1.25 * len(rows)


def test_what_is_left_of_a_take_keeps_its_period() -> None:
    """Two cycles, alternately high and low, are nearest to themselves after both; one cycle is what was learned."""
    angle = 2.0 * np.pi * np.arange(100) / 48.0
    rows = np.stack([np.sin(angle), np.cos(angle), 0.35 * np.sin(angle / 2.0)], axis=1) * 5.0
    model = learn({"a": [np.tile(rows, (1, 2))]}, frame_time=FRAME_TIME)
    halved = replace(model, limits=model.limits * [[1.0, 1.0, 48.0 / model.limits[0, 2]]])
    pace = halved.cycles.paces.mean()
    assert 2.0 * np.pi / pace == pytest.approx(48.0, rel=0.1)


def test_classes_that_repeat_blend_beside_one_that_does_not() -> None:
    takes = {"small": [orbit(1)], "large": [orbit(2, size=1.6)], "odd": [orbit(3, size=1.2)]}
    model = learn(takes, frame_time=FRAME_TIME, cyclic={"odd": False})
    assert not model.mixes and "the others blend with each other" in model.warning
    used = np.array([True, True, False])
    assert model.mixes_among(used) and not model.mixes_among(~used)
    state = model.start(np.random.default_rng(0), {"small": 1.0}, used=used)
    assert isinstance(state, MixState)
    assert not isinstance(model.start(np.random.default_rng(0), {"small": 1.0}), MixState)
    both = learn({k: takes[k] for k in ("small", "large")}, frame_time=FRAME_TIME)
    half = {"small": 0.5, "large": 0.5}
    spreads = [float(m.sample(np.random.default_rng(1), frames=900, weights=half).std()) for m in (model, both)]
    assert spreads[0] == pytest.approx(spreads[1], rel=0.05)
    with pytest.raises(UsageError, match="odd does not repeat in cycles"):
        model.advance(state, {"odd": 1.0}, np.random.default_rng(1))


def test_a_take_from_which_no_way_leads_back_does_not_stay_at_its_end() -> None:
    """A spiral never comes close to itself within the limits, but is still left by its mildest jump."""
    t = np.arange(400)
    angle, size = 2.0 * np.pi * t / PERIOD, 1.0 + t / 100.0
    spiral = np.stack([3.0 * size * np.sin(angle), 2.0 * size * np.cos(angle), 0.1 * t], axis=1)
    model = learn({"a": [spiral]}, frame_time=FRAME_TIME, cyclic={"a": True})
    rows = model.rows(np.random.default_rng(0), frames=1500)[:, : model.modes]
    end = model.weights[-1]
    near = np.linalg.norm(rows - end, axis=1) < 0.1 * np.linalg.norm(model.weights - end, axis=1).max()
    assert near.mean() < 0.3


def test_part_of_a_cycle_is_refused_with_a_remedy() -> None:
    gait = walk()
    half = take_frames(gait, 10, 28)
    with pytest.raises(UsageError, match=r"limp: the takes are still moving at both ends.*--acyclic limp"):
        learn({"walk": [gait], "limp": [half]})
    assert learn({"walk": [gait], "limp": [half]}, cyclic={"limp": False}).cyclic == (True, False)
    with pytest.raises(UsageError, match=r"can be repeated endlessly, but a cycle has about"):
        learn({"walk": [gait], "limp": [half]}, cyclic={"limp": True})

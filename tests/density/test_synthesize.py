from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import freshtake as ft
from freshtake.density import DensityModel, Settings, learn
from freshtake.density.class_cycles import Holding, cycle_starts, holding
from freshtake.density.class_weights import schedule
from freshtake.density.cycle_blending import MixState, vary_pose
from freshtake.density.even_jumps import no_jumps
from freshtake.density.jumps import (
    AGE,
    FAR,
    FARTHER,
    PACE,
    PLACE,
    RUN,
    SHARP,
    SHARPEST,
    TEMPO_BOUND,
    Rates,
    Track,
    excess,
    visit,
)
from freshtake.density.runs import read_at
from freshtake.density.synthesize import BlendState
from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats
from tests.density.made import FRAME_TIME, followed_orbit, one_orbit, orbit, two_orbits, two_switched


def made(model: DensityModel, seed: int, frames: int, **given: object) -> np.ndarray:
    return model.rows(np.random.default_rng(seed), frames=frames, **given)[:, : model.modes]  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_synthesis_holds(seed: int) -> None:
    """No stall, the data's period, near the data, no sharper, as varied, and never the same twice."""
    model = one_orbit()
    found = holding([model.encode(orbit(1, 10))], made(model, seed, 8000))
    assert found.stalls == 0 and found.repeats == 0
    assert found.period == pytest.approx(1.0, abs=0.03)
    assert found.distance <= 1.65 and found.sharpness <= 1.3  # frames of this orbit lie up to two such distances apart
    assert 0.75 <= found.variation <= 1.3
    assert found.cycles > 150


def test_measures_find_what_is_wrong() -> None:
    data = orbit(1, 10)
    good = holding([data], orbit(7, 30))
    assert good.stalls == 0 and good.period == pytest.approx(1.0, abs=0.02)
    stuck = np.concatenate([data, np.tile(data[-1], (20, 1)), data])
    assert holding([data], stuck).stalls == 1
    assert holding([data], np.concatenate([data, data])).repeats >= 8
    assert holding([data], data[::2]).period == pytest.approx(0.5, abs=0.02)
    assert holding([data], 2.0 * data).distance > 5.0
    mean = np.tile(orbit(1, 1, period=40.0), (20, 1))
    assert holding([data], mean).variation < 0.1
    assert isinstance(good, Holding)


def test_cycles_start_where_the_curve_rises() -> None:
    curve = np.sin(2 * np.pi * (np.arange(200) - 3.25) / 40.0)
    np.testing.assert_allclose(cycle_starts(curve, 0.0, 0.2), [3.25, 43.25, 83.25, 123.25, 163.25], atol=1e-3)


def test_without_variation_the_same_cycles_come_back() -> None:
    model = followed_orbit()
    still = replace(model, settings=model.settings.changed(tempo=0.0, stay=1e6))
    assert holding([model.encode(orbit(1, 10))], made(still, 0, 6000)).repeats >= 5


def test_the_state_is_a_value() -> None:
    model = two_switched()
    state = model.start(np.random.default_rng(1), {"small": 1.0})
    assert isinstance(state, BlendState)
    before = [np.copy(part) for part in state.following]
    first = model.advance(state, np.tile([0.5, 0.5], (200, 1)), np.random.default_rng(2))[1]
    again = model.advance(state, np.tile([0.5, 0.5], (200, 1)), np.random.default_rng(2))[1]
    np.testing.assert_array_equal(first, again)
    for was, now in zip(before, state.following, strict=True):
        np.testing.assert_array_equal(was, now)


@pytest.mark.parametrize("model", [two_orbits(), two_switched()], ids=["default", "switch"])
def test_one_by_one_equals_blocks(model: DensityModel) -> None:
    plan = schedule(model.classes, "small:1->large:1", 300)
    whole = model.rows(np.random.default_rng(5), frames=300, weights=plan)
    rng = np.random.default_rng(5)
    state, rows = model.start(rng, {"small": 1.0}), []
    for weights in plan:
        state, row = model.advance(state, weights[None], rng)
        rows.append(row[0])
    np.testing.assert_array_equal(np.stack(rows), whole)


def test_a_stream_asks_for_weights_frame_by_frame() -> None:
    model = two_orbits()
    asked: list[int] = []

    def weights(frame: int) -> dict[str, float]:
        asked.append(frame)
        return {"small": 1.0} if frame < 100 else {"large": 1.0}

    stream = model.stream(np.random.default_rng(0), weights=weights)
    rows = np.stack([next(stream) for _ in range(200)])[:, : model.modes]
    assert asked[1:] == list(range(200))
    assert nearest_class(model, rows[:100]).mean() == 0.0
    assert nearest_class(model, rows[140:]).mean() == 1.0


def nearest_class(model: DensityModel, y: np.ndarray) -> np.ndarray:
    apart = [np.linalg.norm(y[:, None] - np.concatenate(model.runs(name))[None], axis=2).min(axis=1)
             for name in model.classes]  # fmt: skip
    return np.argmin(apart, axis=0)


@pytest.mark.parametrize("frames", [120, 240])
def test_classes_change_where_the_weights_say(frames: int) -> None:
    model = two_switched()
    limits = [np.linalg.norm(np.diff(y, 2, axis=0), axis=1).max() for name in model.classes for y in model.runs(name)]
    for seed in range(6):
        y = made(model, seed, frames, weights="small:1->large:1")
        number = nearest_class(model, y)
        changed = np.flatnonzero(np.diff(number))
        assert len(changed) == 1 and number[0] == 0 and number[-1] == 1
        assert abs(1.0 - 2.0 * changed[0] / (frames - 1)) < 0.3
        assert np.linalg.norm(np.diff(y, 2, axis=0), axis=1).max() <= 1.3 * max(limits)


def test_steady_weights_share_the_time() -> None:
    model = two_switched()
    share = nearest_class(model, made(model, 0, 9000, weights={"small": 0.7, "large": 0.3})).mean()
    assert share == pytest.approx(0.3, abs=0.06)


def test_three_classes_in_turn() -> None:
    examples = {f"c{k}": [orbit(k, 6, size=1.0 + 0.5 * k)] for k in range(3)}
    model = learn(examples, frame_time=FRAME_TIME)
    y = made(model, 3, 600, weights="c0:1->c1:1->c2:1->c0:1")
    number = nearest_class(model, y)
    assert number[[0, 200, 400, 599]].tolist() == [0, 1, 2, 0]


def test_kernels_that_were_followed_often_are_avoided() -> None:
    track = one_orbit().track
    visits = np.zeros(len(track.sizes) + 1)
    assert excess(track, visits, 5) == 0.0
    for _ in range(300):
        visit(track, visits, 5)
    assert excess(track, visits, 5) > 1.0
    assert excess(track, visits, 100) < -0.2


def test_all_of_the_data_is_used_evenly() -> None:
    model = one_orbit()
    made_rows = made(model, 0, 8000)
    data = np.concatenate(model.runs("small"))
    nearest = np.linalg.norm(made_rows[::4, None] - data[None], axis=2).argmin(axis=1)
    counts = np.bincount(nearest // 40, minlength=len(data) // 40)[: len(data) // 40]
    assert counts.min() > 0.4 * counts.mean() and counts.max() < 2.0 * counts.mean()


def test_wrong_requests_are_refused() -> None:
    model = two_orbits()
    with pytest.raises(UsageError, match="1 or more"):
        model.rows(np.random.default_rng(0), frames=0)
    with pytest.raises(UsageError, match="give the number of frames"):
        next(model.stream(np.random.default_rng(0), weights="small:1->large:1"))
    with pytest.raises(UsageError, match="rows of 2 classes"):
        model.advance(model.start(np.random.default_rng(0)), np.ones((3, 5)), np.random.default_rng(0))


def test_between_jumps_the_data_are_followed() -> None:
    model = followed_orbit()
    still = replace(model, settings=model.settings.changed(tempo=0.0, stay=1e6))
    rows = made(still, 3, 400)
    kernel = int(np.linalg.norm(model.weights - rows[0], axis=1).argmin())
    length = len(model.weights) - kernel
    np.testing.assert_allclose(rows[: length - 1], model.weights[kernel : kernel + length - 1], atol=1e-12)
    after = rows[length + 40 : length + 60]  # evened out: on the data again
    assert np.linalg.norm(after[:, None] - model.weights[None], axis=2).min(axis=1).max() < 0.6


def test_pace_changes_speed_but_not_the_way() -> None:
    model = one_orbit()
    fast = replace(model, settings=model.settings.changed(tempo=0.1, stay=1e6))
    rows = made(fast, 0, 300)
    speed = np.linalg.norm(np.diff(rows, axis=0), axis=1)
    plain = np.linalg.norm(np.diff(model.weights, axis=0), axis=1)
    assert speed.max() > 1.03 * plain.max() and speed.max() < 1.2 * plain.max()


def test_jumps_come_about_once_per_stay() -> None:
    model = followed_orbit()
    rng = np.random.default_rng(0)
    state, jumps = model.start(rng), 0
    for _ in range(1500):
        after, _ = model.advance(state, np.ones((1, 1)), rng)
        assert isinstance(after, BlendState) and isinstance(state, BlendState)
        jumps += bool(after.following.clock[AGE] <= state.following.clock[AGE] and not state.first)
        state = after
    most = 1500 * FRAME_TIME / model.settings.stay
    assert 0.35 * most < jumps < 1.3 * most


def test_a_jump_that_is_too_sharp_is_not_made() -> None:
    """Where no second difference is allowed, a run is followed to its end; with the data's own, it is left before."""
    model = replace(followed_orbit(), jumps=no_jumps(len(followed_orbit().weights)))  # drawn by the density
    strict = replace(model, limits=np.array([[1e-9, *model.limits[0, 1:]]]))
    left = []
    for chosen in (model, strict):
        rng, before = np.random.default_rng(0), 0
        state = chosen.start(rng)
        for _ in range(400):
            here, place = int(state.following.clock[RUN]), state.following.clock[PLACE]
            state, _row = chosen.advance(state, None, rng)
            ended = place + 1.1 > chosen.track.lasts[here]
            before += int(state.following.clock[RUN]) != here and not ended
        left.append(before)
    assert left[0] > 3 and left[1] == 0


def rotations(model: DensityModel, rows: Floats) -> Floats:
    assert model.turning is not None
    first = model.modes + model.rates.shape[1]
    return rows[:, first : first + model.turning.columns.shape[1]]


def on_curve(model: DensityModel, made_rows: Floats) -> float:
    """The share of rows whose rotations are within 1 % of the data's spread of a line between two recorded ones."""
    data = rotations(model, model.track.rows)
    a, step = data[:-1], np.diff(data, axis=0)
    near = []
    for row in rotations(model, made_rows):
        share = np.clip(((row - a) * step).sum(axis=1) / (step**2).sum(axis=1), 0.0, 1.0)
        near.append(float(np.linalg.norm(row - a - share[:, None] * step, axis=1).min()))
    return float((np.array(near) < 0.01 * np.sqrt(data.var(axis=0).sum())).mean())


def test_a_pose_leaves_its_curve_by_no_more_than_all_may_lead_away() -> None:
    rates = Rates(0.01, 20.0, 5.0, 30.0, 0.0, 100.0, 0.5)
    usual, moved = 2.0, []
    for far in (0.1, 10.0, 1000.0):
        own, other, wander = np.zeros((1, 3)), np.array([[0.6 * far, 0.8 * far, 5.0]]), np.array([1.0, 1.0])
        share = vary_pose(own, other, wander, np.array([0.5, 0.5]), rates, bounded(FAR * usual, 1.0), 0, 1.0)
        np.testing.assert_allclose(own, share * other)
        moved.append(float(np.linalg.norm(own[0, :2])))
    assert 0.0 < moved[0] < 0.1 and moved[1] <= moved[2] + 1e-12
    assert moved[2] == pytest.approx(FARTHER * FAR * usual)


def test_a_jump_evens_out_by_how_much_the_pose_had_left_its_curve() -> None:
    """From the frame that was given out, not from the recorded one next to it; then it leaves the new curve from 0."""
    take = ft.samples.walk(np.random.default_rng(1), cycles=8, fps=30.0, amount=2.0)
    model = learn({"walk": [take]}, Settings(novelty=0.5, stay=0.5))
    rng, d = np.random.default_rng(0), model.modes
    state, jumps, wide = model.start(rng), 0, 0.0
    state, before = model.advance(state, None, rng)
    for _ in range(600):
        last, (state, row) = state, model.advance(state, None, rng)
        assert isinstance(state, MixState) and isinstance(last, MixState)
        if state.mixing.clock[0, AGE] == 1.0:
            jumps += 1
            there = np.empty(d)
            run = int(state.mixing.clock[0, RUN])
            first, end = model.track.firsts[run], model.track.lasts[run]
            read_at(model.track.rows, state.mixing.clock[0, PLACE] - state.mixing.clock[0, PACE], first, end, d, there)
            np.testing.assert_allclose(state.mixing.history[0, 2, :d], before[0, :d] - there, atol=1e-9)
            recorded = np.empty(d)
            run = int(last.mixing.clock[0, RUN])
            read_at(
                model.track.rows,
                last.mixing.clock[0, PLACE],
                model.track.firsts[run],
                model.track.lasts[run],
                d,
                recorded,
            )
            wide = max(wide, float(np.linalg.norm(before[0, :d] - recorded)))
            assert abs(state.mixing.wander[0, 0]) < 0.2
        before = row
    assert jumps > 20 and wide > 0.2 * float(model.limits[0, 1])


def bounded(farthest: float, away: float) -> Track:
    """A track of two modes and one class of which only these limits are read."""
    return followed_orbit().track._replace(modes=2, farthest=np.array([farthest]), away=np.array([away]))


def test_a_pose_goes_away_from_another_only_as_far_as_it_may_be_exaggerated() -> None:
    rates, other = Rates(0.01, 20.0, 5.0, 30.0, 0.0, 100.0, 0.5), np.array([[1.0, 0.0, 0.0]])
    moved = []
    for start in (-1.0, 1.0):
        own = np.zeros((1, 3))
        vary_pose(own, other, np.array([start, start]), np.array([0.5, 0.5]), rates, bounded(1e9, 0.05), 0, 1.0)
        moved.append(float(own[0, 0]))
    assert -0.05 <= moved[0] < -0.04 and moved[1] > 0.3
    own = np.zeros((1, 3))
    vary_pose(own, other, np.array([-1.0, -1.0]), np.array([0.5, 0.5]), rates, bounded(1e9, 0.0), 0, 1.0)
    assert (own == 0.0).all()


def test_a_class_may_be_exaggerated_until_it_is_as_sharp_as_wanted() -> None:
    model = followed_orbit()
    bend = max(float(np.linalg.norm(np.diff(y, 2, axis=0), axis=1).max()) for y in model.runs("small"))
    fastest = (1.0 + model.settings.tempo * TEMPO_BOUND) ** 2
    sharp = max(float(model.limits[0, 0]), fastest * bend)
    assert (1.0 + model.track.away[0]) * sharp == pytest.approx(SHARPEST / SHARP * model.limits[0, 0])


def test_frames_leave_recorded_curves_by_the_density_and_stay_near() -> None:
    found, curve = [], []
    take = ft.samples.walk(np.random.default_rng(1), cycles=8, fps=30.0, amount=2.0)
    for novelty in (0.0, Settings().novelty, 0.4):
        model = learn({"walk": [take]}, Settings(novelty=novelty))
        rows = model.rows(np.random.default_rng(0), frames=3000)
        curve.append(on_curve(model, rows[::4]))
        found.append(holding(model.runs("walk"), rows[:, : model.modes]))
    assert curve[0] > 0.4 and curve[1] < 0.9 * curve[0] and curve[2] < 0.8 * curve[1]
    assert found[1].distance < 1.2 * found[0].distance and found[1].sharpness < 1.2 * found[0].sharpness
    assert found[1].period == pytest.approx(1.0, abs=0.03)

"""Kernels of following and jumping against their definitions, written down slowly."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.density.cycle_blending import ASKED, BEFORE, SINCE, WAS, update_shares, wrapped
from freshtake.density.jumps import (
    AGE,
    DRIVE,
    FIELDS,
    GOAL,
    PACE,
    PLACE,
    PLAN,
    RUN,
    SPAN,
    TEMPO,
    TEMPO_FAST,
    Following,
    Rates,
    Track,
    excess,
    jump,
    point_of,
    restart,
    track_of,
    visit,
)
from freshtake.density.possible_jumps import BEFORE as SHORTLY_BEFORE
from freshtake.density.possible_jumps import jump_strains
from freshtake.density.runs import (
    Leap,
    Limits,
    Place,
    aligned_place,
    fading,
    read_at,
    rehearse,
)
from freshtake.density.synthesize import bell, best_moment, consider, new_pace
from tests.density.made import two_switched

# Not imported, so that no change of them goes unnoticed.
FARTHER, MEMORY_ROUNDS, TEMPO_BOUND, GROWTH, LONGEST, SHORTEST = 1.13, 16.0, 1.7, 1.5, 3.0, 0.25
RATES = Rates(0.05, 12.0, 4.0, 15.0, 0.1, 30.0, 0.0)


@pytest.fixture(scope="module")
def track() -> Track:
    return track_of(two_switched())


def some_clock(track: Track, kernel: int, pace: float = 1.1) -> np.ndarray:
    clock = np.zeros(FIELDS)
    clock[PLACE], clock[RUN], clock[PACE] = kernel + 0.3, kernel, pace
    return clock


def test_a_track_knows_the_step_that_led_to_every_kernel(track: Track) -> None:
    d, order = track.modes, track.lookup.order
    inside = order[order > track.firsts[order]]
    steps = (track.rows[inside, :d] - track.rows[inside - 1, :d]) * track.scale[d:]
    found = track.lookup.places[order > track.firsts[order]]
    np.testing.assert_allclose(found[:, :d], track.rows[inside, :d] * track.scale[:d], atol=1e-9)
    np.testing.assert_allclose(found[:, d:], steps, atol=1e-9)


def test_a_point_is_pose_and_step_in_kernel_widths(track: Track) -> None:
    history, d = np.random.default_rng(0).normal(size=(4, track.rows.shape[1])), track.modes
    out = np.empty(2 * d)
    point_of(track, history, out)
    slow = np.concatenate([history[0, :d], history[0, :d] - history[1, :d]]) * track.scale
    np.testing.assert_allclose(out, slow, rtol=1e-12)


@pytest.mark.parametrize("kernel", [0, 57, 200])
def test_a_pose_is_nearest_to_a_run_where_the_chord_is_met_at_right_angles(track: Track, kernel: int) -> None:
    rng, d = np.random.default_rng(kernel), track.modes
    first, last = int(track.firsts[kernel]), int(track.lasts[kernel])
    a, b = max(kernel - 1, first), min(kernel + 1, last)
    chord = (track.rows[b, :d] - track.rows[a, :d]) / (b - a)
    for _ in range(5):
        pose = track.rows[kernel] + rng.normal(scale=np.linalg.norm(chord), size=track.rows.shape[1])
        shifts = np.linspace(-1.0, 1.0, 20_001)
        away = ((pose[:d] - track.rows[kernel, :d] - shifts[:, None] * chord) ** 2).sum(axis=1)
        target = np.clip(kernel + shifts[away.argmin()], first, last)
        assert aligned_place(track.rows, d, pose, kernel, first, last) == pytest.approx(target, abs=2e-4)


def test_visits_are_counted_by_stretch_and_class_and_compared_with_their_share(track: Track) -> None:
    visits = np.zeros(len(track.sizes) + len(track.counts))
    kernels = np.random.default_rng(1).integers(0, 100, size=300)
    for i in kernels:
        visit(track, visits, int(i))
    seen = np.bincount(track.blocks[kernels], minlength=len(track.sizes))
    np.testing.assert_array_equal(visits[: len(seen)], seen)
    own = track.owners[0]
    assert visits[len(track.sizes) + own] == (track.owners[kernels] == own).sum()
    for i in (0, 40, 99):
        size, block = track.sizes[track.blocks[i]], track.blocks[i]
        share = visits[len(track.sizes) + own] * size / (track.owners == own).sum()
        assert excess(track, visits, i) == pytest.approx(min((seen[block] + size) / (share + size) - 1.0, 3.0))


def test_what_was_visited_long_ago_counts_half(track: Track) -> None:
    visits, own = np.zeros(len(track.sizes) + len(track.counts)), int(track.owners[0])
    total = len(track.sizes) + own
    most = int(MEMORY_ROUNDS * track.counts[own])
    visits[track.blocks[40]], visits[total], other = 100.0, float(most), track.blocks[track.owners != own][0]
    visits[other] = 7.0
    visit(track, visits, 0)
    assert visits[total] == 0.5 * (most + 1) and visits[track.blocks[40]] == 50.0 and visits[track.blocks[0]] == 0.5
    assert visits[other] == 7.0  # of another class


def following(track: Track, kernel: int) -> Following:
    """A run that is being followed, two frames of it history."""
    history = np.zeros((4, track.rows.shape[1]))
    history[0], history[1] = track.rows[kernel], track.rows[kernel - 1]
    clock = some_clock(track, kernel, 1.0)
    clock[PLACE] = kernel
    weights = np.array([1.0, 0.0])
    return Following(history, clock, np.zeros(2), weights, np.zeros(len(track.sizes) + 2))


def test_a_jump_is_no_sharper_than_the_data_and_holds_the_offset_that_was_rehearsed(track: Track) -> None:
    rng, made = np.random.default_rng(4), 0
    for kernel in range(20, 150, 10):
        state = following(track, kernel)
        if not jump(track, RATES, state, 0, False, rng.random(10)):
            assert state.clock[PLACE] == kernel and (state.history[2:] == 0.0).all()
            continue
        made += 1
        chosen, offset = int(state.clock[RUN]), np.empty((2, track.rows.shape[1]))
        goal = Place(state.clock[PLACE], track.firsts[chosen], track.lasts[chosen])
        source = Place(float(kernel), track.firsts[kernel], track.lasts[kernel])
        leap = Leap(source, goal, 1.0, state.clock[SPAN])
        bend, away = rehearse(track.rows, track.modes, following(track, kernel).history, leap, offset)
        np.testing.assert_allclose(state.history[2:], offset, atol=1e-12)
        assert bend <= track.sharpest[0] and away <= FARTHER * track.farthest[0]
        assert state.clock[AGE] == 0.0 and abs(goal.at - kernel) > RATES.guard
    assert made >= 5


def test_a_jump_that_is_thought_of_is_as_hard_as_the_mildest_of_its_rehearsals(track: Track) -> None:
    """`jump_strains` against all durations tried one by one: longer ones of what is too sharp, else shorter ones."""
    rows, d = np.ascontiguousarray(track.rows[:, : track.modes]), track.modes
    runs = np.stack([track.starts, track.lasts[track.starts] + 1], axis=1)
    limits = Limits(0.3 * float(track.sharpest[0]), float(track.farthest[0]), 12.0)
    here, there, found = np.array([150, 100, 60]), np.array([30, 58, 140]), np.empty(3)
    jump_strains(rows, runs, here, there, limits, found, np.empty(3))
    for i, j, strain in zip(here, there, found, strict=True):
        run, goal_run = ((int(track.firsts[k]), int(track.lasts[k])) for k in (i, j))
        hardest = 0.0
        for early in SHORTLY_BEFORE:
            history = np.zeros((4, d))
            for k in range(2):
                read_at(rows, i - early - k, *run, d, history[k])
            goal = Place(aligned_place(rows, d, history[0], j, *goal_run), *goal_run)
            slow, span, growth = np.inf, limits.blend, 0.0
            longest = min(LONGEST * limits.blend + 2.0, max(goal.last - goal.at, limits.blend))
            while SHORTEST * limits.blend <= span <= longest:
                leap = Leap(Place(float(i) - early, *run), goal, 1.0, span)
                bend, away = rehearse(rows, d, history, leap, np.empty((2, d)))
                if 0.0 < growth < 1.0 and bend > limits.sharp:
                    break
                slow = min(slow, max(bend / limits.sharp, away / limits.far))
                if slow <= 1.0:
                    break
                growth = growth or (GROWTH if bend > limits.sharp else 1.0 / GROWTH)
                span *= growth
            hardest = max(hardest, slow)
        assert strain == pytest.approx(hardest, rel=1e-9)


def test_a_jump_that_is_forced_is_made_where_every_one_is_too_sharp(track: Track) -> None:
    none = np.zeros(0, dtype=np.intp)
    strict = track._replace(
        sharpest=track.sharpest * 1e-6, farthest=track.farthest * 1e-6, goals=none, first_jumps=0 * track.first_jumps
    )
    chances = np.random.default_rng(5).random(10)
    assert not jump(strict, RATES, following(strict, 60), 0, False, chances)
    assert jump(strict, RATES, following(strict, 60), 0, True, chances)


def test_a_jump_that_was_learned_is_drawn_by_its_chance(track: Track) -> None:
    """Of the jumps of one kernel, each as often as the table says, within four standard errors."""
    kernel = int(np.argmax(np.diff(track.first_jumps)))
    a, b = track.first_jumps[kernel], track.first_jumps[kernel + 1]
    chances, rng, draws = np.exp(-0.5 * track.likelihoods[a:b]), np.random.default_rng(6), 2000
    goals = np.zeros(draws, dtype=int)
    for number in range(draws):
        state = following(track, kernel)
        assert jump(track, RATES, state, int(track.owners[kernel]), False, rng.random(10))
        goals[number] = int(state.clock[RUN])
    for goal, chance in zip(track.goals[a:b], chances, strict=True):
        error = np.sqrt(chance * (1.0 - chance) / draws)
        assert (goals == goal).mean() == pytest.approx(chance, abs=4.0 * error + 1e-3)


def test_the_best_moment_is_the_nearest_of_all(track: Track) -> None:
    d, horizon = track.modes, 25
    clock, goal = some_clock(track, 30), 1
    first, last = int(track.firsts[30]), int(track.lasts[30])
    others = track.lookup.places[track.lookup.allowed & (track.owners[track.lookup.order] == goal)]
    squares, now, before = [], np.empty(d), np.empty(d)
    for t in range(horizon):
        read_at(track.rows, clock[PLACE] + t * clock[PACE], first, last, d, now)
        read_at(track.rows, clock[PLACE] + t * clock[PACE] - 1.0, first, last, d, before)
        point = np.concatenate([now, now - before]) * track.scale
        squares.append(((others - point) ** 2).sum(axis=1).min())
    assert best_moment(track, clock, goal, horizon) == int(np.argmin(squares))


def test_normal_numbers_come_from_two_uniform_ones() -> None:
    for a, b in np.random.default_rng(2).random((30, 2)):
        assert bell(a, b) == pytest.approx(np.sqrt(-2.0 * np.log(1.0 - a)) * np.cos(2.0 * np.pi * b))


def test_a_restart_begins_a_run_of_its_class_and_keeps_place_and_speed(track: Track) -> None:
    history = np.random.default_rng(3).normal(size=(4, track.rows.shape[1]))
    clock, last_frames = some_clock(track, 30), history[:2].copy()
    restart(track, RATES, history, clock, 1, 0.0)
    start = int(track.starts[track.owners[track.starts] == 1][0])
    assert clock[PLACE] == clock[RUN] == start and clock[SPAN] == LONGEST * RATES.blend
    np.testing.assert_array_equal(history[:2], last_frames)
    np.testing.assert_allclose(track.rows[start] + history[2], last_frames[0])


def test_weights_that_are_changed_at_once_get_there_smoothly() -> None:
    shares, common, span = np.zeros((6, 2)), np.array([0.0, 1e9]), 20.0
    shares[[WAS, BEFORE, ASKED]] = [1.0, 0.0]
    asked, path = np.array([0.0, 1.0]), []
    for t in range(1, 31):
        update_shares(shares, common, asked, 0.05, span)
        assert common[SINCE] == t
        keep, _ = fading(float(t), span)  # from rest: no speed to be kept
        slow = np.maximum(asked + keep * np.array([1.0, -1.0]), 0.0)
        np.testing.assert_allclose(shares[WAS], slow / slow.sum(), atol=1e-12)
        path.append(shares[WAS, 1])
    assert path[-1] == 1.0 and (np.diff(path) >= 0.0).all()
    update_shares(shares, common, np.array([0.04, 0.96]), 0.05, span)  # small steps are taken as they are
    np.testing.assert_allclose(shares[WAS], [0.04, 0.96])


def test_angles_are_wrapped_to_half_a_turn() -> None:
    for angle in np.linspace(-20.0, 20.0, 81):
        assert np.exp(1j * wrapped(angle)) == pytest.approx(np.exp(1j * angle))
        assert abs(wrapped(angle)) <= np.pi + 1e-12


def test_the_pace_is_a_filtered_noise_within_bounds() -> None:
    """Two autoregressive averages in a row, each of unit variance, through tanh: never beyond the bound."""
    rng, clock = np.random.default_rng(4), np.zeros(FIELDS)
    clock[DRIVE], keep = 1.2, 1.0 - 1.0 / RATES.memory
    fast = slow = 0.0
    for chances in rng.uniform(size=(200, 2)):
        new_pace(RATES, clock, chances)
        fast = keep * fast + np.sqrt(2.0 / RATES.memory) * bell(*chances)
        slow = keep * slow + fast / RATES.memory
        bounded = TEMPO_BOUND * np.tanh(np.sqrt(2.0) * slow / TEMPO_BOUND)
        np.testing.assert_allclose(clock[[TEMPO_FAST, TEMPO, PACE]], [fast, slow, 1.2 * (1.0 + RATES.tempo * bounded)])
    assert abs(clock[PACE] / 1.2 - 1.0) <= RATES.tempo * TEMPO_BOUND


def considered(track: Track, before: list[float], weights: list[float], credit: list[float]) -> tuple[float, float]:
    """The class that a change is planned to from a kernel of class 0 (-1: none), and in how many frames."""
    clock, owed = some_clock(track, int(np.flatnonzero(track.owners == 0)[3])), np.array(credit)
    clock[PLAN] = clock[GOAL] = -1.0
    consider(track, RATES, clock, owed, np.array(before), np.array(weights))
    return float(clock[GOAL]), float(clock[PLAN])


def test_a_change_of_class_is_planned_where_weights_cross_or_a_class_is_owed(track: Track) -> None:
    still = [0.0, 0.0]
    assert considered(track, [1.0, 0.0], [1.0, 0.0], still) == (-1.0, -1.0)
    assert considered(track, [0.9, 0.1], [0.8, 0.2], still)[0] == -1.0  # on its way, below OPEN
    assert considered(track, [0.6, 0.4], [0.55, 0.45], still)[0] == 1.0
    assert considered(track, [0.5, 0.5], [0.55, 0.45], still)[0] == -1.0  # its share falls
    assert considered(track, [0.6, 0.4], [0.6, 0.4], still)[0] == -1.0  # at rest, and nothing is owed yet
    assert considered(track, [0.6, 0.4], [0.6, 0.4], [0.0, RATES.class_stay])[0] == 1.0
    goal, wait = considered(track, [0.0, 1.0], [0.0, 1.0], still)  # its own class is not target at all
    assert goal == 1.0
    assert 0.0 <= wait < max(min(0.5 * track.periods[0], RATES.blend), 1.0)

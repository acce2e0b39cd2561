"""The compiled synthesis step against its slow twin, to 1e-10."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.variation import Amount
from freshtake.variation.network.networks import TransitionNetwork
from freshtake.variation.synthesis.dynamics import packed_edges
from freshtake.variation.synthesis.frame_kernels import (
    Amounts,
    Knots,
    Tables,
    add_detail,
    add_row,
    around,
    detail_shares,
    draw_slices,
    follow_feet,
    hold_feet,
    make_frames,
    mix_rows,
    nodes_at,
    phase_step,
    smooth_weights,
    turn_to_heading,
)
from freshtake.variation.synthesis.leg_following import FootTables
from freshtake.variation.synthesize import SHARE_KNOTS, TRAIT_KNOTS, advance, begin
from tests.variation.synthesis.synthesis_twin import (
    slow_at,
    slow_frames,
    slow_nodes,
    slow_process,
    slow_shares,
    slow_slices,
    slow_step,
)
from tests.variation.test_synthesize import model

EXACT = 1e-10
FED_BACK = 1e-5  # where the pace decides over the next phase, rounding grows from frame to frame
SPEEDS = (1, 2, 4)  # forward, sideways and turning
DOFS, FEET = 6, 2  # feet are nodes as well
NODES = DOFS + 1 + len(SPEEDS) + 3 * FEET + 1  # time before the travel of the speeds, tempo after the feet


def network() -> TransitionNetwork:
    """Within a frame 2 -> 0 -> 1 (so that the order of drawing is not that of the numbers), and older parents."""
    first, newest = NODES, 2 * NODES
    edges = (
        (0, first, newest + 2), (1, first + 1, first + 3, newest), (2, 4, first + 2), (first + 3,),
        (4, newest + 1), (0, 3, first + 4, newest + 1), (6, first + 5), *((k, first + k) for k in range(7, NODES)),
    )  # fmt: skip
    return TransitionNetwork(tuple(f"node {k}" for k in range(NODES)), 2, edges)


def tables(cyclic: bool, phases: int = 31, seed: int = 0) -> Tables:
    rng = np.random.default_rng(seed)
    mean, sizes = rng.normal(size=(phases, NODES)), rng.uniform(0.2, 1.0, (phases, NODES))
    mean[:, -1] = 1.0 + 0.2 * rng.normal(size=phases)
    basis, detail = rng.normal(size=(3, phases, NODES)), rng.normal(size=(4, phases, DOFS))
    basis[:, :, -1] *= 0.3
    sizes[:, -1] *= 0.3
    if cyclic:
        mean[-1], sizes[-1], basis[:, -1], detail[:, -1] = mean[0], sizes[0], basis[:, 0], detail[:, 0]
    pace = rng.uniform(0.8, 1.2, phases)
    pace[-1] = pace[0] if cyclic else pace[-1]
    return Tables(
        mean, pace, basis, sizes, detail, np.array(SPEEDS, dtype=np.intp), 30.0 / 7.0, cyclic,
        np.arange(3), 0.3, following(phases, cyclic, rng),
    )  # fmt: skip


def following(phases: int, cyclic: bool, rng: np.random.Generator) -> FootTables:
    """Two legs with DOFs in common; the deviations of one foot run ahead and behind, those of the other do not."""
    at = np.arange(phases, dtype=np.float64)
    held = np.stack([3.0 * np.sin(2.0 * np.pi * at / (phases - 1.0)), np.zeros(phases)], axis=1)
    made = FootTables(
        DOFS + 4, DOFS + 1, np.array([[0, 1, 3], [3, 5, 0]]), np.array([[0, 3], [5, 0]]),
        np.clip(held, -at[:, None], phases - 1.0 - at[:, None]), rng.normal(size=(phases, FEET)),
        rng.normal(size=(phases, FEET, 3)), rng.normal(size=(phases, FEET, 3, 3)),
        rng.normal(size=(phases, FEET, 2, 3)),
    )  # fmt: skip
    for table in made[5:] if cyclic else ():
        table[-1] = table[0]
    return made


def knots(seed: int = 1, examples: int = 3, first: int = 0) -> Knots:
    rng = np.random.default_rng(seed)
    return Knots(
        rng.normal(size=(40, NODES)), rng.normal(size=(9, 3, NODES)), rng.normal(size=(20, examples)),
        first, first, first, TRAIT_KNOTS * 30.0, SHARE_KNOTS * 30.0,
    )  # fmt: skip


AMOUNTS = Amounts(
    np.array([1.0, 0.5, 1.3, 0.0, 0.3, 0.5, 0.3, *np.linspace(0.4, 1.2, NODES - 8), 0.9]),
    np.array([0.7, 1.0, 0.0, 1.1, 0.2, 1.0, 0.2, *np.linspace(1.1, 0.6, NODES - 8), 0.4]), 0.8, 1.1,
)  # fmt: skip


def test_frames_of_the_network_are_those_of_its_equations() -> None:
    rng, net = np.random.default_rng(2), network()
    slopes, noise = 0.3 * rng.normal(size=sum(map(len, net.edges))), rng.uniform(0.1, 1.0, NODES)
    first, drawn = rng.normal(size=(2, NODES)), rng.normal(size=(25, NODES))
    made = np.concatenate([first, np.full((25, NODES), np.nan)])
    draw_slices(packed_edges(net, slopes, noise), drawn, made)
    np.testing.assert_allclose(made, slow_slices(net, slopes, noise, first, drawn), atol=EXACT)


@pytest.mark.parametrize("unit", [True, False])
@pytest.mark.parametrize("first", [0, 2])
def test_smooth_processes_are_splines_through_their_knots(first: int, unit: bool) -> None:
    own, out = knots().rest, np.empty(NODES)
    for place in first + np.array([0.0, 0.3, 1.0, 2.75, 6.999, 35.5]):
        k, *weights = smooth_weights(place, unit)
        k -= first
        mix_rows(*weights, own[k], own[k + 1], own[k + 2], own[k + 3], out)
        np.testing.assert_allclose(out, slow_process(own, place, first, unit), atol=EXACT)


@pytest.mark.parametrize("cyclic", [True, False])
def test_rows_between_phases_lie_on_a_cubic(cyclic: bool) -> None:
    rows = tables(cyclic).mean
    places = [0.0, 0.4, 1.0, 13.7, 28.9, 29.0, 29.5, 30.0] + [30.2, 61.0, 95.8] * cyclic
    for phase in places:
        i0, i1, i2, i3, t = around(phase, 30, cyclic)
        out = np.ones(NODES)
        add_row(rows, i0, i1, i2, i3, t, -0.7, out)
        np.testing.assert_allclose(out, 1.0 - 0.7 * slow_at(rows, phase, cyclic), atol=EXACT)


@pytest.mark.parametrize("amount", [0.0, 0.6, 1.0])
def test_shares_in_the_detail_sum_to_1_and_with_amount_1_so_do_their_squares(amount: float) -> None:
    own, out = knots(), np.empty(3)
    for place in (0.0, 1.3, 4.9):
        detail_shares(own, place, amount, out)
        np.testing.assert_allclose(out, slow_shares(own, place * own.shares_spacing, amount), atol=EXACT)
        assert out.sum() == pytest.approx(1.0)
        assert (out**2).sum() == pytest.approx(1 / 3 + amount**2 * 2 / 3)


@pytest.mark.parametrize("cyclic", [True, False])
def test_nodes_and_steps_along_the_phase(cyclic: bool) -> None:
    own, smooth = tables(cyclic), knots()
    room, out = np.empty((2 + 3, NODES)), np.empty(NODES)
    for phase in [0.0, 0.5, 12.25, 17.0, 29.9, 30.0] + [47.3, 88.8] * cyclic:
        nodes_at(own, smooth, AMOUNTS, phase, room, out)
        np.testing.assert_allclose(out, slow_nodes(own, smooth, AMOUNTS, phase), atol=EXACT)
        for pace in (-1.0, 0.7, 1.1, 9.0):
            step = phase_step(own, pace, phase, 1.3)
            assert step == pytest.approx(slow_step(own, pace, phase, 1.3), abs=EXACT)


@pytest.mark.parametrize("cyclic", [True, False])
def test_a_foot_deviates_as_at_the_phase_that_the_way_covered_tells(cyclic: bool) -> None:
    own, smooth, first = tables(cyclic), knots(), DOFS + 4
    for phase in (4.0, 9.25, 22.5):
        out = np.full(NODES, 7.0)
        hold_feet(own, smooth, AMOUNTS, phase, out)
        there = phase + np.interp(phase, np.arange(31), own.feet.held[:, 0])
        size, *shapes = (slow_at(part, there, cyclic) for part in (own.sizes, *own.basis))
        expected = AMOUNTS.space * size * slow_process(smooth.rest, there / own.spacing, 0, False)
        for q, shape in enumerate(shapes):
            value = slow_process(smooth.traits[:, q], there / smooth.traits_spacing, 0, True)
            expected += (AMOUNTS.timing if q == 2 else AMOUNTS.space) * shape * value
        np.testing.assert_allclose(out[first : first + 3], expected[first : first + 3], atol=EXACT)
        others = np.delete(out, range(first, first + 3))
        assert (others == 7.0).all()  # the other foot is not ahead of the phase


def test_legs_follow_their_feet_by_what_is_left_of_the_gap() -> None:
    feet, t = tables(False).feet, 0.3
    given = np.random.default_rng(6).normal(size=NODES)
    stride, offset, moves, follows = ((1.0 - t) * table[4] + t * table[5] for table in feet[5:])
    expected = given.copy()
    for e in range(FEET):
        place = given[feet.first + 3 * e :][:3] + offset[e] + np.array([stride[e] * given[feet.travel], 0.0, 0.0])
        gap = place - moves[e] @ expected[feet.moving[e]]
        expected[feet.legs[e]] += follows[e] @ gap
    out = given.copy()
    follow_feet(feet, 4, 5, t, np.empty(3), out)
    np.testing.assert_allclose(out, expected, atol=EXACT)


@pytest.mark.parametrize("cyclic", [True, False])
def test_detail_is_that_of_the_chosen_examples_by_their_shares(cyclic: bool) -> None:
    own, smooth, chosen = tables(cyclic), knots(), np.array([3, 0, 2], dtype=np.intp)
    for phase in (0.0, 12.25, 29.9):
        row = np.ones(DOFS)
        add_detail(own, smooth, AMOUNTS, chosen, phase, np.empty(3), row)
        shares = slow_shares(smooth, phase, AMOUNTS.detail)
        parts = [share * slow_at(own.detail[k], phase, cyclic) for share, k in zip(shares, chosen, strict=True)]
        np.testing.assert_allclose(row, 1.0 + sum(parts), atol=EXACT)


def test_ways_over_the_ground_turn_against_the_body() -> None:
    own, moved = tables(True), np.arange(1.0, DOFS + 1.0)
    turn_to_heading(own, 0.8, moved)
    seen = complex(2.0, 3.0) * np.exp(-1j * 0.8 * own.frame_time)  # DOFs 1 and 2 go forward and sideways
    np.testing.assert_allclose(moved, [1.0, seen.real, seen.imag, 4.0, 5.0, 6.0], atol=EXACT)


@pytest.mark.parametrize("cyclic", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_frames_of_motion(cyclic: bool, seed: int) -> None:
    own, smooth = tables(cyclic, seed=seed), knots(seed + 5)
    chosen = np.array([0, 3, 1], dtype=np.intp)
    clock = np.array([0.0, 0.0]) if seed < 2 else np.array([3.7, 0.9])
    rows, phases, running, places = np.empty((64, DOFS)), np.empty(64), clock.copy(), np.array([0.3, -0.1, 0.2, 0.4])
    count = make_frames(rows, phases, running, places, own, smooth, AMOUNTS, chosen)
    expected, expected_phases = slow_frames(own, smooth, AMOUNTS, chosen, clock, np.array([0.3, -0.1, 0.2, 0.4]), 64)
    assert count == len(expected)
    assert (count == 64) == cyclic
    np.testing.assert_allclose(rows[:count], expected, atol=FED_BACK)
    np.testing.assert_allclose(phases[:count], expected_phases, atol=FED_BACK)
    if cyclic:
        again, _ = slow_frames(own, smooth, AMOUNTS, chosen, running, places, 1)
        more = np.empty((1, DOFS))
        make_frames(more, np.empty(1), running.copy(), places.copy(), own, smooth, AMOUNTS, chosen)
        np.testing.assert_allclose(more, again, atol=EXACT)
    else:
        assert phases[count - 1] == pytest.approx(30.0)


@pytest.mark.parametrize("cyclic", [True, False])
def test_a_learned_model_makes_what_its_twin_makes(cyclic: bool) -> None:
    """Whole blocks of a model: its knots follow the network's equations, its rows those of the twin."""
    made = model(cyclic)
    sampler, rng = made.sampler(Amount(1.2, time=0.8)), np.random.default_rng(4)
    state = begin(sampler, rng)
    dynamics, length = sampler.dynamics, len(sampler.tables.mean) - 1.0
    for _ in range(6 if cyclic else 2):
        clock, places, before, first = state.clock, state.places, state.rest, state.rest_first
        generator = np.random.default_rng()
        generator.bit_generator.state = rng.bit_generator.state
        state, rows = advance(state, sampler, rng)
        new = state.rest_first + len(state.rest) - first - len(before)
        drawn = generator.standard_normal((new, len(dynamics.noise)))
        expected = slow_slices(made.transition, dynamics.slopes, dynamics.noise, before[-2:], drawn)
        kept = np.concatenate([before, expected[2:]])[state.rest_first - first :]
        np.testing.assert_allclose(state.rest, kept, atol=EXACT)
        smooth = Knots(
            state.rest, state.traits, state.shares, state.rest_first, state.traits_first, state.shares_first,
            TRAIT_KNOTS * length, SHARE_KNOTS * length,
        )  # fmt: skip
        twin, phases = slow_frames(sampler.tables, smooth, sampler.amounts, state.chosen, clock, places, 32)
        np.testing.assert_allclose(rows, twin, atol=FED_BACK)
        np.testing.assert_allclose(state.phases, phases, atol=FED_BACK)

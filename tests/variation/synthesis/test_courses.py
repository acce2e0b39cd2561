"""Examples on their common phase: nothing is lost, seams close, and what is per second becomes per phase."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake import samples
from freshtake.methods.progress import silent
from freshtake.numeric.arrays import Floats
from freshtake.variation import Amount, Settings, learn
from freshtake.variation.examples import Material
from freshtake.variation.learning import learned
from freshtake.variation.synthesis.common_phase import align, read_at
from freshtake.variation.synthesis.courses import (
    at_phases,
    closed,
    courses_of,
    mean_pace,
    node_names,
    node_weights,
    paces,
    smoothed,
    steadied,
    travel_and_places,
)
from freshtake.variation.synthesis.dynamics_learning import usual_step
from tests.variation.twins import takes


def material(examples: list[Floats], speeds: list[int] | None = None) -> Material:
    count = examples[0].shape[1]
    rates = np.isin(np.arange(count), speeds or [])
    return Material(tuple(examples), tuple("abcdef"[:count]), np.ones(count), rates, 1 / 30)


@pytest.mark.parametrize("cyclic", [True, False])
@pytest.mark.parametrize("frames", [0.0, 1.5])
def test_smooth_part_and_detail_sum_to_the_example(cyclic: bool, frames: float) -> None:
    examples = takes(3, dofs=4, lengths=(40, 40, 40))
    phase_frames = np.repeat(np.arange(40.0)[:, None], 3, axis=1)  # between frames each part is read in its own way
    courses = courses_of(material(examples), phase_frames, detail_frames=frames, cyclic=cyclic)
    for k, x in enumerate(examples):
        whole = np.concatenate([closed(x), closed(x)[:1]]) if cyclic else x
        np.testing.assert_allclose(courses.smooth[k, :, :4] + courses.detail[k], whole, atol=1e-12)
    assert np.abs(courses.detail).max() > 1e-3 if frames else np.abs(courses.detail).max() == 0.0


@pytest.mark.parametrize("cyclic", [True, False])
def test_an_example_goes_through_the_phase_at_its_time(cyclic: bool) -> None:
    """A body whose time runs otherwise than its poses and places would travel in jerks."""
    clips = [samples.walk(np.random.default_rng(k), cycles=1) for k in range(4)]
    made = learn(clips, Settings(max_parents=3), rng=np.random.default_rng(0), cyclic=cyclic)
    dofs, phases = len(made.dofs), np.arange(len(made.phase_frames), dtype=np.float64)
    time, tempo = made.courses.smooth[..., dofs], made.courses.smooth[:, :1, -1]
    np.testing.assert_allclose(tempo * phases + time, made.phase_frames.T, atol=0.1)


def test_detail_is_what_is_faster_than_the_step() -> None:
    u = np.linspace(0.0, 2.0 * np.pi, 241)
    slow, fast = np.sin(u), 0.1 * np.sin(60 * u)  # periods of 240 and 4 frames
    examples = [(size * slow + fast)[:, None] for size in (1.0, 1.2)]
    phase_frames = np.repeat(np.arange(241.0)[:, None], 2, axis=1)
    own = courses_of(material(examples), phase_frames, detail_frames=4.0, cyclic=True)
    np.testing.assert_allclose(own.smooth[0, 20:-20, 0], slow[20:-20], atol=0.01)
    np.testing.assert_allclose(own.detail[0, 20:-20, 0], fast[20:-20], atol=0.01)


def test_a_cycle_meets_its_beginning_and_is_left_alone_far_from_its_seam() -> None:
    rng = np.random.default_rng(1)
    u = np.arange(100) / 99.0
    example = np.sin(2 * np.pi * u[:, None] + [0.0, 1.0]) + 0.2 * u[:, None] * rng.normal(size=2)
    out = closed(example)
    assert out.shape == (99, 2)
    steps = np.diff(np.concatenate([out, out[:1]]), axis=0)
    usual = np.abs(np.diff(example, axis=0)).max()
    assert np.abs(steps).max() < 1.6 * usual
    np.testing.assert_allclose(out[25:75], example[25:75], atol=1e-12)
    bent = closed(np.linspace(0.0, 1.0, 100)[:, None])  # one that ends where it never began meets halfway
    assert bent[0, 0] == pytest.approx(0.5, abs=0.1) and bent[-1, 0] == pytest.approx(0.5, abs=0.1)
    again = np.sin(2 * np.pi * np.arange(100) / 99.0)[:, None]
    np.testing.assert_allclose(closed(again), again[:-1], atol=2e-3)  # what closes by itself is kept


@pytest.mark.parametrize("cyclic", [True, False])
def test_paces_add_up_to_the_length_and_speeds_to_the_way(cyclic: bool) -> None:
    """A speed per phase, summed over phases, covers the way that the speed per frame covers over frames."""
    examples = takes(4, dofs=3, lengths=(61, 55, 66))
    if cyclic:
        examples = [np.concatenate([closed(x), closed(x)[:1]]) for x in examples]
    phase_frames = align(examples, np.ones(3), 1.5)
    pace = paces(phase_frames, cyclic)
    last = -1 if cyclic else None
    middle = pace[:-1] if cyclic else np.concatenate([0.5 * pace[:1], pace[1:-1], 0.5 * pace[-1:]])
    np.testing.assert_allclose(middle.sum(axis=0), [60.0, 54.0, 65.0])
    found = at_phases(
        [x[:-1] for x in examples] if cyclic else examples, phase_frames, pace, np.array([True, False, True]), cyclic
    )
    for k, x in enumerate(examples):
        np.testing.assert_allclose(found[k, :, 1], read_at(x, phase_frames[:, k])[:, 1])
        inner = np.trapezoid(x, axis=0)
        np.testing.assert_allclose(np.trapezoid(found[k], axis=0)[[0, 2]], inner[[0, 2]], atol=0.03 * len(x) ** 0.5)
        np.testing.assert_allclose(found[k, :last, 0], (read_at(x, phase_frames[:, k]) * pace[:, [k]])[:last, 0])


def test_the_tempo_is_the_mean_pace_and_the_time_what_it_leaves() -> None:
    base = takes(5, dofs=3, lengths=(61,))[0]
    slow = read_at(base, np.linspace(0.0, 60.0, 91))
    phase_frames = np.stack([np.linspace(0.0, 60.0, 76), np.linspace(0.0, 90.0, 76)], axis=1)
    own = courses_of(material([base, slow]), phase_frames, detail_frames=2.0, cyclic=False)
    np.testing.assert_allclose(own.smooth[:, :, -1], np.array([[60 / 75], [90 / 75]]).repeat(76, axis=1), atol=1e-12)
    np.testing.assert_allclose(own.smooth[:, :, 3], 0.0, atol=1e-12)
    uneven = 60.0 * (np.linspace(0.0, 1.0, 76) + 0.1 * np.sin(2 * np.pi * np.linspace(0.0, 1.0, 76)))
    twice = material([base, base])
    frames = steadied(np.stack([uneven] * 2, axis=1), twice, False)
    np.testing.assert_array_equal(frames[[0, -1]], [[0.0, 0.0], [60.0, 60.0]])
    bent = courses_of(twice, frames, detail_frames=2.0, cyclic=False)
    np.testing.assert_allclose(bent.smooth[:, :, -1], 60 / 75, atol=0.02)
    time = bent.smooth[0, :, 3]
    assert time[0] == 0.0 and abs(time[-1]) < 1.0 and time[10:25].min() > 1.0 and time[50:65].max() < 0.0
    pace = mean_pace(bent)
    assert pace.mean() == pytest.approx(60 / 75, abs=0.02) and pace[30:45].max() < pace[:10].min()


def test_paces_where_something_moves_count_most() -> None:
    """Nothing moves in the second half: its warps, whatever they are, hardly show in the tempo of the first."""
    u = np.linspace(0.0, 1.0, 81)
    moving = np.where(u < 0.5, np.sin(8 * np.pi * u), 0.0)[:, None]
    phase_frames = np.repeat(np.arange(81.0)[:, None], 2, axis=1)
    phase_frames[50:70, 1] += 6.0 * np.sin(np.linspace(0.0, np.pi, 20))
    both = material([moving, 1.1 * moving])
    own = courses_of(both, steadied(phase_frames, both, False), detail_frames=2.0, cyclic=False)
    assert np.abs(own.smooth[1, :38, 1]).max() < 0.6  # frames


def test_smoothing_keeps_a_constant_and_the_mean_of_a_cycle() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(50, 2))
    np.testing.assert_allclose(smoothed(np.ones((50, 2)), 3.0, False), 1.0)
    np.testing.assert_allclose(smoothed(x, 3.0, True).mean(axis=0), x.mean(axis=0))
    assert smoothed(x, 0.0, True) is x


@pytest.mark.parametrize("cyclic", [True, False])
def test_a_speed_is_a_steady_travel_and_where_the_body_is_against_it(cyclic: bool) -> None:
    rng = np.random.default_rng(3)
    speeds = smoothed(rng.normal(size=(60, 2)), 3.0, True) + 0.5
    speeds = np.stack([speeds, 1.2 * speeds])
    if cyclic:
        speeds = np.concatenate([speeds, speeds[:, :1]], axis=1)
    steady, away = travel_and_places(speeds, cyclic)
    last = -1 if cyclic else None
    np.testing.assert_allclose(steady, speeds[:, :last].mean(axis=1, keepdims=True).repeat(speeds.shape[1], axis=1))
    middle = 0.5 * (speeds[:, 1:] + speeds[:, :-1])
    np.testing.assert_allclose(np.diff(away, axis=1) + steady[:, 1:], middle, atol=1e-12)
    np.testing.assert_allclose(away[:, :last].mean(axis=1), 0.0, atol=1e-12)
    if cyclic:
        np.testing.assert_allclose(away[:, -1], away[:, 0], atol=1e-12)  # a cycle is where it was, but for its travel


def test_nodes_are_dofs_time_travel_and_tempo() -> None:
    own = material(takes(3, dofs=4), speeds=[0, 2])
    assert node_names(own.names, own.rates) == ("a", "b", "c", "d", "time", "a travel", "c travel", "tempo")
    weights = node_weights(own, 40)
    assert weights.shape == (8,) and weights[-1] == weights[4] == 0.0
    np.testing.assert_allclose(weights[5:7], 10.0 * weights[[0, 2]])  # over a quarter of 40 phases
    phase_frames = align(own.values, np.ones(4), 1.5)
    assert courses_of(own, phase_frames, detail_frames=2.0, cyclic=True).smooth.shape == (4, len(phase_frames), 8)


@pytest.mark.parametrize("slow", [3.0, 4.0])
def test_the_network_steps_as_fast_as_deviations_change(slow: float) -> None:
    """Noise smoothed by a Gaussian of s frames keeps half of its likeness for 2 s sqrt(ln 2) frames."""
    rng = np.random.default_rng(4)
    u = np.linspace(0.0, 2.0 * np.pi, 300)[:, None]
    mean = 5.0 * np.sin(u + np.arange(3.0))
    own = material([mean + 0.3 * smoothed(rng.normal(size=(300, 3)), slow, True) for _ in range(12)])
    phase_frames = np.repeat(np.arange(300.0)[:, None], 12, axis=1)
    courses = courses_of(own, phase_frames, detail_frames=0.0, cyclic=False)
    assert usual_step(own, courses) * 30.0 == pytest.approx(2.0 * slow * np.sqrt(np.log(2.0)), abs=1.2)


def test_speeds_of_a_variant_cover_the_way_of_the_examples() -> None:
    """A speed and a place of its own: the mean motion goes as far as the takes do on average, at any tempo."""
    rng = np.random.default_rng(6)
    examples = []
    for length in (50, 56, 61, 53):
        u = np.linspace(0.0, 2.0 * np.pi, length)
        way = (8.0 + 0.5 * rng.normal()) * (u - 0.5 * np.sin(u)) / (2.0 * np.pi)
        examples.append(np.stack([np.gradient(way), np.sin(u), np.cos(u)], axis=1))
    own = material(examples, speeds=[0])
    made = learned(own, Settings(), False, rng, silent, map)
    ways = [np.trapezoid(x[:, 0]) for x in examples]
    for k in range(20):
        rows = made.rows(np.random.default_rng(k), amount=Amount(0.0, time=1.0))
        assert np.trapezoid(rows[:, 0]) == pytest.approx(np.mean(ways), rel=0.02)
    varied = [np.trapezoid(made.rows(np.random.default_rng(k))[:, 0]) for k in range(60)]
    assert np.mean(varied) == pytest.approx(np.mean(ways), rel=0.03)
    assert 0.5 < np.std(varied) / (np.std(ways, ddof=1) * np.sqrt(1.25)) < 1.6


def test_takes_of_a_few_frames_are_enough() -> None:
    examples = [x[:6] for x in takes(3, dofs=3)]
    made = learn(examples, rng=np.random.default_rng(0), frame_time=1 / 30)
    assert np.isfinite(made.rows(np.random.default_rng(1))).all()

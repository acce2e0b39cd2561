"""Laws of loops from a model: whole frames, seeds, seams."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from freshtake import samples
from freshtake.errors import UsageError
from freshtake.motion.cycles.looping import played
from freshtake.motion.cycles.seams import seam_of, steps_of
from freshtake.numeric.rotations import angle_between
from freshtake.variation import VariationModel, learn
from freshtake.variation.goals.goals import Goals, PosePin
from freshtake.variation.goals.variation_loops import first_phase
from freshtake.variation.sampling import draw_loop
from freshtake.variation.steering import Steering
from tests.variation.small_takes import takes


@lru_cache
def examples() -> tuple:  # type: ignore[type-arg]
    return tuple(samples.walk(np.random.default_rng(k), cycles=1) for k in range(4))


@lru_cache
def walk() -> VariationModel:
    return learn(list(examples()), rng=np.random.default_rng(0))


def plain(cyclic: bool = True) -> VariationModel:
    return learn(takes(3, lengths=(41, 38, 43, 40)), cyclic=cyclic)


def seeded(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("cycles", [1, 2, 5])
def test_rows_repeat_smoothly(cycles: int) -> None:
    made = plain()
    whole = draw_loop(made.sampler(1.0), cycles, None, seeded(3))
    steps = np.abs(np.diff(np.concatenate([whole.rows, whole.rows[:2]]), n=2, axis=0)).max(axis=1)
    assert steps[-2:].max() <= 1.5 * np.percentile(steps[:-2], 95)
    advance = np.diff(np.append(whole.phases, cycles * (len(made.phase_frames) - 1.0)))
    assert whole.phases[0] == 0.0 and (advance > 0.0).all()
    assert abs(advance[-1] / advance[0] - 1.0) < 0.25


def test_a_seed_makes_the_loop_and_amount_0_is_the_mean() -> None:
    a, b, c = (walk().sample(seeded(seed), loop=True, plant=True) for seed in (1, 1, 2))
    np.testing.assert_array_equal(a.rotations, b.rotations)
    assert len(a) != len(c) or np.abs(a.rotations - c.rotations).max() > 1e-3
    means = [walk().sample(seeded(seed), amount=0.0, loop=True) for seed in (1, 2)]
    np.testing.assert_allclose(means[0].rotations, means[1].rotations, atol=1e-12)


@pytest.mark.parametrize("plant", [False, True])
@pytest.mark.parametrize("cycles", [1, 2])
def test_the_seam_is_no_larger_than_the_steps_of_the_takes(plant: bool, cycles: int) -> None:
    steps = [steps_of(take) for take in examples()]
    limit = [np.percentile(np.concatenate(part), 99) for part in zip(*steps, strict=True)]
    for seed in range(6):
        loop = walk().sample(seeded(seed), cycles=cycles, loop=True, plant=plant)
        seam = seam_of(loop)
        assert seam.step <= limit[0] and seam.bend <= limit[1]
        assert loop.playback.cycles == cycles and loop.playback.seconds == pytest.approx(len(loop) * loop.frame_time)


def test_heading_and_travel_are_closed() -> None:
    loop = walk().sample(seeded(4), loop=True, plant=True)
    long, count = played(loop, 2 * len(loop)), len(loop)
    np.testing.assert_allclose(angle_between(long.rotations[count:], long.rotations[:count]), 0.0, atol=1e-9)
    np.testing.assert_allclose(
        long.root[count:] - long.root[:count], np.tile(loop.playback.travel, (count, 1)), atol=1e-9
    )
    assert loop.playback.direction[2] > 0.98


def test_takes_that_turn_make_loops_that_go_straight_and_say_so() -> None:
    turning = [samples.walk(seeded(k), cycles=1, turn_rate=60.0) for k in range(3)]
    loop = learn(turning, rng=seeded(0)).sample(seeded(1), loop=True, amount=0.5)
    steps = angle_between(played(loop, len(loop) + 1).rotations[1:, 0], loop.rotations[:, 0])
    assert steps[-1] <= 1.5 * np.percentile(steps[:-1], 90)
    assert loop.playback.turn == pytest.approx(np.radians(60.0) * loop.playback.seconds, rel=0.2)
    assert loop.playback.direction[2] > 0.95


def test_all_loops_begin_at_one_calm_phase() -> None:
    first = first_phase(walk())
    for seed in range(3):
        made = walk().guided(seeded(seed), Goals(), cycles=2, loop=True)
        assert made.phases[0] == pytest.approx(first)
        steps = np.diff(made.phases)
        assert (steps < 0.0).sum() == (1 if first > 0.0 else 0)
    mean = walk().sample(seeded(0), amount=0.0, loop=True)
    seam, own = seam_of(mean), steps_of(played(mean, len(mean) + 2, -1))
    bends = np.maximum(own.bend, np.roll(own.bend, 1))
    assert not ((own.step[:-1] < 0.95 * seam.step) & (bends < 0.95 * seam.bend)).any()


def test_the_hips_go_on_through_the_seam_as_elsewhere() -> None:
    for seed in range(5):
        loop = walk().sample(seeded(seed), loop=True)
        bends = np.linalg.norm(np.diff(played(loop, len(loop) + 2).root, n=2, axis=0), axis=1)
        assert bends[-2:].max() <= np.percentile(bends, 97)


def test_planting_changes_neither_travel_nor_path() -> None:
    loose, planted = (walk().sample(seeded(4), loop=True, plant=plant) for plant in (False, True))
    np.testing.assert_allclose(planted.root[:, [0, 2]], loose.root[:, [0, 2]], atol=1e-9)
    np.testing.assert_array_equal(planted.playback.travel, loose.playback.travel)


def test_duration_and_speed_are_met_within_the_natural_pace() -> None:
    usual = walk().guided(seeded(1), Goals(), loop=True)
    timed = walk().guided(seeded(1), Goals(duration=3.1 * usual.report.duration), loop=True)
    assert timed.motion.playback.cycles == 3
    assert timed.report.duration == pytest.approx(3.1 * usual.report.duration, abs=walk().frame_time)
    quick = walk().guided(seeded(1), Goals(speed=1.15 * usual.report.speed), loop=True)
    assert quick.report.speed == pytest.approx(1.15 * usual.report.speed, rel=0.03)


def test_what_cannot_loop_is_refused() -> None:
    with pytest.raises(UsageError, match="does not repeat"):
        plain(cyclic=False).sample(seeded(0), loop=True)
    for goals in (Goals(steer=Steering(1.0)), Goals(start=PosePin(examples()[0]))):
        with pytest.raises(UsageError, match="continues straight on"):
            walk().sample(seeded(0), goals=goals, loop=True)

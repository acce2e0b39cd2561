"""Feet of variants stand like those of the take they follow; takes pass through unchanged."""

from __future__ import annotations

from functools import cache

import numpy as np

import freshtake as ft
from freshtake.motion import Clip
from freshtake.motion.body.roles import leg_length
from freshtake.variation import VariationModel, learn
from freshtake.variation.goals.guidance import on_feet
from freshtake.variation.sampling import Variant
from freshtake.variation.standing import corrections, lifts, standing_like


@cache
def walking() -> VariationModel:
    return learn([ft.samples.walk(np.random.default_rng(k), cycles=1) for k in range(4)], cyclic=True)


def sliding(model: VariationModel, clip: Clip, phases: np.ndarray, take: int) -> float:
    """Mean speed of ankles while the followed take's feet stand, in legs per second."""
    assert model.planting_model is not None
    stands = model.footing.stands[take][np.rint(phases).astype(int)]
    ankles = clip.positions()[:, [leg.end for leg in model.planting_model.legs]]
    speed = np.linalg.norm(np.gradient(ankles, clip.frame_time, axis=0), axis=-1)
    return float(speed[stands].mean() / leg_length(clip.skeleton))


def test_a_take_passes_through_unchanged() -> None:
    model = walking()
    assert model.planting_model is not None
    frame = (model.takes.ground, model.takes.heading)
    for k, clip in enumerate(model.clips):
        phases = np.interp(np.arange(len(clip)), model.phase_frames[:, k], np.arange(len(model.phase_frames)))
        made = standing_like(clip, model.footing, k, phases, frame, model.planting_model)
        moved = np.abs(made.positions() - clip.positions()).max() / leg_length(clip.skeleton)
        assert moved < 0.01


def test_standing_feet_slide_no_more_than_those_of_the_take() -> None:
    model = walking()
    free, held, real = [], [], []
    for seed in range(12):
        drawn = model.draw(np.random.default_rng(seed), cycles=1)
        clip = model.decode(drawn.rows, start=drawn.start)
        free.append(sliding(model, clip, drawn.phases, drawn.followed))
        held.append(sliding(model, on_feet(model, clip, drawn), drawn.phases, drawn.followed))
        take = model.clips[drawn.followed]
        own = np.interp(np.arange(len(take)), model.phase_frames[:, drawn.followed], np.arange(len(model.phase_frames)))
        real.append(sliding(model, take, own, drawn.followed))
    assert np.mean(held) < 1.15 * np.mean(real)
    assert np.mean(held) < np.mean(free)


def test_soles_rest_at_the_height_of_the_take() -> None:
    model = walking()
    assert model.planting_model is not None
    ends = [leg.end for leg in model.planting_model.legs]
    for seed in range(8):
        drawn = model.draw(np.random.default_rng(seed), cycles=1)
        made = on_feet(model, model.decode(drawn.rows, start=drawn.start), drawn)
        index = np.rint(drawn.phases).astype(int)
        stands = model.footing.stands[drawn.followed][index]
        want = model.footing.ankles[drawn.followed][index][..., 1]
        have = made.positions()[:, ends, 1]
        assert np.abs(have - want)[stands].max() < 0.02 * leg_length(made.skeleton)


def test_a_foot_that_never_stands_is_left_alone() -> None:
    model = walking()
    assert model.planting_model is not None
    drawn: Variant = model.draw(np.random.default_rng(1), cycles=1)
    clip = model.decode(drawn.rows, start=drawn.start)
    nobody = model.footing._replace(stands=np.zeros_like(model.footing.stands))
    assert standing_like(clip, nobody, 0, drawn.phases, (0j, 0.0), model.planting_model) is clip


def test_corrections_are_the_gap_while_a_foot_stands_and_smooth_between() -> None:
    frames = 60
    gap = np.random.default_rng(0).normal(size=(frames, 6)).cumsum(axis=0) * 0.01
    stands = np.zeros(frames, dtype=bool)
    stands[5:20] = stands[40:55] = True
    way = np.stack([np.linspace(0.0, 3.0, frames)] * 3, axis=1)
    out = corrections(gap, stands, way, [0, 2, 4])
    np.testing.assert_allclose(out[5:20, [1, 3, 5]], gap[5:20, [1, 3, 5]])
    np.testing.assert_allclose(out[5:20, 0] - out[5:20, 0].mean(), gap[5:20, 0] - gap[5:20, 0].mean())
    assert np.abs(np.diff(out[19:41], axis=0)).max() < 0.2
    assert not corrections(gap, np.zeros(frames, dtype=bool), way, [0]).any()


def test_a_foot_that_is_hardly_lifted_stays_where_it_stood() -> None:
    """Two contacts with two frames between them: their positions may not differ by more than the foot moves."""
    frames = 40
    gap = np.zeros((frames, 6))
    gap[20:, 0] = 1.0
    stands = np.ones(frames, dtype=bool)
    stands[19:21] = False
    still = np.zeros((frames, 3))
    out = corrections(gap, stands, still, [0, 2, 4])
    assert np.ptp(gap[stands, 0] - out[stands, 0]) < 1e-9


def test_swinging_feet_clear_the_floor() -> None:
    """From one take, where all deviations are the prior's, feet do not go through the floor between two steps."""
    model = learn([ft.samples.walk(np.random.default_rng(0), cycles=1)], cyclic=True)
    assert model.planting_model is not None
    ends = [leg.end for leg in model.planting_model.legs]
    floor = model.clips[0].positions()[:, ends, 1].min()
    lowest = [model.sample(np.random.default_rng(k), plant=True).positions()[:, ends, 1].min() for k in range(20)]
    assert min(lowest) > floor - 0.02 * leg_length(model.clips[0].skeleton)


def test_feet_that_are_high_enough_are_not_lifted() -> None:
    take = np.array([0.0, 0.1, 0.4, 0.1, 0.0])
    np.testing.assert_array_equal(lifts(take, take), np.zeros(5))
    low = lifts(np.zeros(5), take)
    assert low[0] == low[-1] == 0.0 and 0.1 < low[2] <= 0.2


def test_the_soft_lock_of_the_commands_is_what_plant_means() -> None:
    """Commands pass the name of the lock: it has to work like `plant=True`, or users get different results."""
    model = walking()
    soft, plain = (model.sample(np.random.default_rng(2), plant=plant) for plant in ("soft", True))
    np.testing.assert_array_equal(soft.rotations, plain.rotations)
    hard = model.sample(np.random.default_rng(2), plant="hard")
    assert np.abs(hard.rotations - plain.rotations).max() > 1e-6

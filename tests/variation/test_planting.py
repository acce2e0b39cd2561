"""Feet follow one example's contacts at a time, and a planted stream is the planted clip."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from freshtake import samples
from freshtake.motion import Clip
from freshtake.motion.body.roles import leg_length
from freshtake.motion.planting import learn_planting, plant
from freshtake.numeric.rotations import about_axis, multiply
from freshtake.variation import Settings, VariationModel, learn
from freshtake.variation.live import steered_blocks
from freshtake.variation.planting import nobody_followed, standing_at, standing_table
from tests.motion.puppet import steady, walk


@pytest.fixture(scope="module")
def walking() -> VariationModel:
    walks = [samples.walk(np.random.default_rng(seed), cycles=1) for seed in range(3)]
    return learn(walks, Settings(), rng=np.random.default_rng(0), cyclic=True)


def test_a_planted_stream_is_the_planted_clip(walking: VariationModel) -> None:
    """The start apart: a stream is decoded block by block, with velocities that know no later block."""
    live = list(islice(walking.stream(np.random.default_rng(2), decode=True, plant=True), 150))
    free = list(islice(walking.stream(np.random.default_rng(2), decode=True), 260))
    rows = list(islice(steered_blocks(walking, np.random.default_rng(2), 1.0, 1.0, None), 40))
    phases = np.concatenate([block.phases for block in rows if block.phases is not None])[:260]
    clip = free[0].changed(
        root=np.concatenate([c.root for c in free]), rotations=np.concatenate([c.rotations for c in free])
    )
    base = walking.planting_model
    assert base is not None and len(phases) == 260
    made = plant(clip, walking.standing(clip, phases), examples=base, careful=True).clip
    positions = np.concatenate([c.positions() for c in live])
    assert np.abs(positions - made.positions()[:150]).max() < 0.002 * leg_length(clip.skeleton)
    assert np.abs(made.rotations - clip.rotations).max() > 1e-3


def test_planting_moves_legs_of_variants_and_hips_only_down(walking: VariationModel) -> None:
    for seed in range(3):
        free, planted = (walking.sample(np.random.default_rng(seed), amount=2.0, plant=wish) for wish in (False, True))
        np.testing.assert_array_equal(planted.root[:, [0, 2]], free.root[:, [0, 2]])
        sunk = free.root[:, 1] - planted.root[:, 1]
        assert sunk.min() >= 0.0 and sunk.max() < 0.03 * leg_length(free.skeleton)  # where a leg would not reach
        assert np.abs(planted.rotations - free.rotations).max() > 1e-3
    live, stood = (
        list(islice(walking.stream(np.random.default_rng(3), amount=2.0, decode=True, plant=wish), 90))
        for wish in (False, True)
    )
    np.testing.assert_allclose([c.root[0, 1] for c in stood], [c.root[0, 1] for c in live], atol=1e-12)


def still(lift: float) -> Clip:
    """Somebody who stands; in the middle of the clip the left foot is lifted."""
    clip = walk(steady(0.001, 60))
    rotations = clip.rotations.copy()
    up = lift * np.sin(np.linspace(0.0, np.pi, 60)) ** 2
    for joint, share in ((1, -0.5), (2, 1.0), (3, -0.5)):
        rotations[:, joint] = multiply(rotations[:, joint], about_axis([1.0, 0, 0], share * up))
    return clip.changed(rotations=rotations)


def test_a_foot_does_what_the_nearest_example_does_not_what_most_do() -> None:
    """Three of four examples stand all the time: a variant like the fourth still lifts its foot."""
    examples = [still(0.0), still(0.02), still(0.01), still(1.0)]
    base = learn_planting(examples)
    phases = np.arange(60.0)
    table = standing_table(
        examples, [base.example_contacts(one) for one in examples], np.repeat(phases[:, None], 4, axis=1), base
    )
    found = {
        lift: standing_at(table, nobody_followed(table), still(lift), phases, False, base)[1] for lift in (0.9, 0.03)
    }
    assert not found[0.9][25:35, :2].any()
    assert found[0.03][:, :2].all() and found[0.9][:, 2:].all()
    parts, state = [], nobody_followed(table)
    for first in range(0, 60, 7):
        span = slice(first, first + 7)
        clip = still(0.9).changed(root=still(0.9).root[span], rotations=still(0.9).rotations[span])
        state, part = standing_at(table, state, clip, phases[span], False, base)
        parts.append(part)
    np.testing.assert_array_equal(np.concatenate(parts), found[0.9])  # block by block, the same

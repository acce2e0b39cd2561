"""Feet stand where the takes do, and a planted stream is the planted clip."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from freshtake import samples
from freshtake.motion.body.roles import leg_length
from freshtake.motion.planting import plant
from freshtake.variation import Settings, VariationModel, learn
from freshtake.variation.live import steered_blocks


@pytest.fixture(scope="module")
def walking() -> VariationModel:
    walks = [samples.walk(np.random.default_rng(seed), cycles=1) for seed in range(3)]
    return learn(walks, Settings(), rng=np.random.default_rng(0), cyclic=True)


def test_a_planted_stream_is_the_planted_clip(walking: VariationModel) -> None:
    """Except at the start: a stream is decoded block by block, with velocities that do not see later blocks."""
    live = list(islice(walking.stream(np.random.default_rng(2), decode=True, plant=True), 150))
    free = list(islice(walking.stream(np.random.default_rng(2), decode=True), 260))
    rows = list(islice(steered_blocks(walking, np.random.default_rng(2), 1.0, 1.0, None), 40))
    phases = np.concatenate([block.phases for block in rows if block.phases is not None])[:260]
    clip = free[0].changed(
        root=np.concatenate([c.root for c in free]), rotations=np.concatenate([c.rotations for c in free])
    )
    base = walking.planting_model
    assert base is not None and len(phases) == 260
    made = plant(clip, walking.standing(phases), examples=base, careful=True).clip
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


def test_a_foot_stands_as_far_as_takes_do_at_its_phase() -> None:
    """Every joint stands by the fraction of the takes that stand there, cycle after cycle."""
    walks = [samples.walk(np.random.default_rng(seed), cycles=1) for seed in range(4)]
    model = learn(walks, cyclic=True)
    last = len(model.phase_frames) - 1
    at = np.arange(0, last, 3)
    expected = np.zeros((len(at), model.contacts[0].shape[1]))
    for labels, frames in zip(model.contacts, model.phase_frames.T, strict=True):
        for k, frame in enumerate(frames[at]):
            low = min(int(frame), len(labels) - 2)
            expected[k] += ((low + 1 - frame) * labels[low] + (frame - low) * labels[low + 1]) / len(walks)
    for cycle in (0, 2):
        np.testing.assert_allclose(model.standing(at + float(cycle * last)), expected, atol=1e-12)
    assert 0.0 < expected.mean() < 1.0

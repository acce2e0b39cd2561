"""A planter fed frame by frame gives the same as `plant`, with a constant delay, in constant memory."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.edit import with_up
from freshtake.motion.planting import (
    Planter,
    PlanterState,
    PlantingModel,
    PlantSettings,
    StreamFrame,
    learn_planting,
    plant,
)
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.rotations import angle_between
from tests.motion.body.test_limb_ranges import pushed, two_axes_walk
from tests.motion.planting.test_clip_planting import LEFT, PHASE, firm, good, ground_speed, sliding
from tests.motion.puppet import standing, steady

BASE = learn_planting([good()])
SIDES = {"left_leg": "Left", "right_leg": "Right"}


def streamed(planter: Planter, block: int) -> tuple[list[int], StreamFrame]:
    """How many frames came out after each block, and all of them."""
    clip, labels = sliding(), standing(PHASE)
    state, parts = planter.start(), []
    for begin in range(0, len(clip), block):
        span = slice(begin, begin + block)
        state, out = planter.feed(state, clip.root[span], clip.rotations[span], labels[span])
        parts.append(out)
    parts.append(planter.finish(state))
    whole = StreamFrame(np.concatenate([p.root for p in parts]), np.concatenate([p.rotations for p in parts]))
    return [len(p.root) for p in parts], whole


@pytest.mark.parametrize("block", [1, 7, 180])
@pytest.mark.parametrize("settings", [PlantSettings(), PlantSettings(lookahead=0.18, lock="hard")])
def test_a_stream_equals_the_clip(block: int, settings: PlantSettings) -> None:
    planter = Planter.learn(BASE, settings, careful=False)
    counts, out = streamed(planter, block)
    made = plant(sliding(), standing(PHASE), examples=BASE, settings=settings).clip
    np.testing.assert_array_equal(out.root, made.root)
    np.testing.assert_allclose(out.rotations, made.rotations, atol=1e-12)
    if block == 1:
        assert counts[: planter.latency] == [0] * planter.latency
        assert counts[planter.latency : -1] == [1] * (180 - planter.latency)


def test_feet_that_rest_stand_though_nobody_says_so() -> None:
    clip, firm_frames = sliding(0.5), firm()
    made = [
        plant(clip, np.zeros((len(clip), 2)), examples=BASE, settings=PlantSettings(rests=rests), careful=True).clip
        for rests in (0.0, 1.0, 0.1)
    ]
    slid, held, quick = (ground_speed(each, LEFT[1])[firm_frames[:, 0]].mean() for each in made)
    assert held < 0.7 * slid
    assert quick == pytest.approx(slid, rel=0.05)  # ten times as fast as what rests then
    swings = ~standing(PHASE)[:, 0]
    apart = np.linalg.norm(made[1].positions()[:, LEFT[1]] - clip.positions()[:, LEFT[1]], axis=-1)
    assert np.median(apart[swings]) < 0.02  # a stepping foot continues


def same(clip: Clip, labels: Floats | Bools, base: PlantingModel, settings: PlantSettings) -> None:
    planter = Planter(base, settings, clip.frame_time, careful=False)
    state, head = planter.feed(planter.start(), clip.root[:50], clip.rotations[:50], labels[:50])
    state, body = planter.feed(state, clip.root[50:], clip.rotations[50:], labels[50:])
    parts = [head, body, planter.finish(state)]
    made = plant(clip, labels, examples=base, settings=settings).clip
    np.testing.assert_allclose(np.concatenate([p.root for p in parts]), made.root, atol=1e-9)
    np.testing.assert_allclose(np.concatenate([p.rotations for p in parts]), made.rotations, atol=1e-9)
    assert angle_between(made.rotations, clip.rotations).max() > 0.01


@pytest.mark.parametrize(
    "settings",
    [
        PlantSettings(lookahead=0.3, ramp=0.2, hold=0.1),
        PlantSettings(swing=0.3, drift=0.5, drift_radius=0.02),
        PlantSettings(sink=0.0, band=0.001),
    ],
)
def test_with_other_settings_too(settings: PlantSettings) -> None:
    same(sliding(2.0), standing(PHASE), BASE, settings)


def test_feet_without_toes_flags_of_joints_and_another_vertical() -> None:
    mapping = {side: [f"{name}{part}" for part in ("UpLeg", "Leg", "Foot")] for side, name in SIDES.items()}
    settings = PlantSettings(lookahead=0.2)
    same(sliding(), standing(PHASE), learn_planting([good()], mapping=mapping), settings)
    labels = np.repeat(standing(PHASE), 2, axis=1).astype(np.float64)
    labels[:, 0] *= 0.6
    same(sliding(), labels, BASE, settings)
    same(with_up(sliding(), "z"), standing(PHASE), learn_planting([with_up(good(), "z")]), settings)


def test_ankles_of_two_axes() -> None:
    clip = two_axes_walk()
    same(pushed(clip), standing(steady(2, 120)), learn_planting([clip]), PlantSettings(lookahead=0.2))


def size(state: PlanterState) -> int:
    return sum(x.nbytes for x in (*state.frames, *state.memory))


def test_memory_is_constant_and_states_are_values() -> None:
    planter = Planter.learn(BASE)
    clip, labels = sliding(), standing(PHASE)
    state, sizes = planter.start(), []
    for k in range(400):
        state, _ = planter.feed(state, clip.root[k % 180], clip.rotations[k % 180], labels[k % 180])
        sizes.append(size(state))
    assert max(sizes[60:]) == min(sizes[60:])
    again = [planter.feed(state, clip.root[0], clip.rotations[0], labels[0])[1].rotations for _ in range(2)]
    np.testing.assert_array_equal(again[0], again[1])


def test_short_streams_and_bad_blocks() -> None:
    planter = Planter.learn(BASE)
    clip, labels = sliding(), standing(PHASE)
    assert len(planter.finish(planter.start()).root) == 0
    state, out = planter.feed(planter.start(), clip.root[:3], clip.rotations[:3], labels[:3])
    assert len(out.root) == 0 and len(planter.finish(state).root) == 3
    with pytest.raises(UsageError, match="contacts are"):
        planter.feed(planter.start(), clip.root[:3], clip.rotations[:3], labels[:2])
    assert Planter(planter.base, planter.settings, 1.0 / 120.0).latency > planter.latency

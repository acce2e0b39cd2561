"""The root that follows its feet: what they slide together is its doing."""

from __future__ import annotations

import numpy as np

from freshtake.motion.planting import PlantSettings, plant
from freshtake.motion.planting.following import leaky_sum, root_drift
from freshtake.motion.planting.goals import Slides
from freshtake.motion.planting.settings import Pace, pace
from freshtake.numeric.arrays import Floats
from tests.motion.puppet import standing
from tests.motion.test_planting import PHASE, good

PACE = pace(PlantSettings(), 1 / 60)


def slide(steps: Floats, grip: Floats) -> Slides:
    none = np.zeros_like(grip)
    return Slides(grip[:, None] * steps, grip, np.zeros((len(grip), 2)), none)


def unforgetting() -> Pace:
    return PACE._replace(forget=1e12)


def test_what_all_feet_slide_is_taken_back() -> None:
    steps = np.zeros((120, 2))
    steps[20:100] = [0.01, -0.02]
    both = [slide(steps, np.ones(120)), slide(steps, np.ones(120))]
    drift = root_drift(both, unforgetting())
    inner = slice(20 + PACE.follow, 99 - PACE.follow)
    np.testing.assert_allclose(np.diff(drift, axis=0)[inner], -steps[inner], atol=1e-12)
    np.testing.assert_allclose(drift[-1], [-0.8, 1.6], atol=1e-9)


def test_feet_that_slide_apart_move_no_root_and_feet_in_the_air_have_no_say() -> None:
    rng = np.random.default_rng(0)
    steps = rng.normal(size=(60, 2))
    apart = [slide(steps, np.ones(60)), slide(-steps, np.ones(60))]
    assert np.abs(root_drift(apart, PACE)).max() < 1e-12
    alone = root_drift([slide(steps, np.ones(60))], PACE)
    np.testing.assert_allclose(root_drift([slide(steps, np.ones(60)), slide(-steps, np.zeros(60))], PACE), alone)
    assert not root_drift(apart, PACE._replace(follow=0)).any()
    assert not root_drift([slide(steps, np.ones(60))], PACE._replace(follow=0)).any()


def test_the_sum_forgets() -> None:
    sliding = np.zeros((200, 2))
    sliding[0] = 1.0
    out = np.empty((200, 2))
    leaky_sum(total := np.zeros(2), sliding, 50.0, out)
    np.testing.assert_allclose(out[:, 0], -np.exp(-np.arange(200) / 50.0), rtol=1e-12)
    np.testing.assert_array_equal(total, out[-1])


def test_a_root_that_is_pushed_comes_back_and_legs_keep_their_pose() -> None:
    """The puppet with its root pushed: almost all of the correction is the root's, not the legs'."""
    clip = good()
    push = 0.03 * np.sin(2 * np.pi * 0.8 * np.arange(len(clip)) / 60)
    pushed = clip.changed(root=clip.root + push[:, None] * [1.0, 0.0, 0.5])
    with_root = plant(pushed, standing(PHASE), examples=[clip])
    without = plant(pushed, standing(PHASE), examples=[clip], settings=PlantSettings(follow=0.0))
    assert with_root.report.change < 0.2 * without.report.change
    assert with_root.report.change_held < without.report.change_held
    kept = [np.abs(np.diff(made.clip.root - clip.root, axis=0)[:, [0, 2]]).mean() for made in (with_root, without)]
    assert kept[0] < 0.6 * kept[1]

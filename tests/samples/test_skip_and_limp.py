"""A skip hops high as real ones do, and a limp spares one leg."""

from __future__ import annotations

import numpy as np
import pytest

import freshtake as ft
from freshtake.motion import Clip
from freshtake.motion.edit import take_frames
from freshtake.samples.running import skip
from freshtake.samples.walking import walk
from tests.conftest import data_files
from tests.samples.gait_measures import (
    SIDES,
    hinge,
    joint,
    lower_foot,
    over_cycle,
    planted,
    rng,
    stance_shares,
    swing_angles,
)


@pytest.mark.parametrize("speed", [1.4, 1.8, 2.4])
def test_a_skip_hops_high_with_the_other_knee_up_and_the_other_arm_forward(speed: float) -> None:
    """Real takes: the root rises and falls by 24 to 30 cm and the hopping toes by 9 to 22; see also the next test."""
    clip = skip(rng(), cycles=4, speed=speed, amount=0.3)
    assert 22.0 < np.ptp(clip.root[:, 1]) < 33.0
    assert 11.0 < lower_foot(clip).max() < 22.0
    right, left = joint(clip, "RightToeBase")[:, 1], joint(clip, "LeftToeBase")[:, 1]
    angles = {side: swing_angles(clip, side) for side in SIDES}
    high = clip.root[:, 1] > np.quantile(clip.root[:, 1], 0.8)  # the top of each hop
    for hop, free, on in (("Right", "Left", high & (right < left)), ("Left", "Right", high & (left < right))):
        assert on.sum() > 0.08 * len(clip)
        assert angles[free]["hip"][on].max() > 55.0 and angles[free]["knee"][on].mean() > 80.0
        assert angles[hop]["hip"][on].max() < 30.0 and angles[hop]["knee"][on].mean() < 50.0
        assert angles[hop]["shoulder"][on].mean() > 40.0 and angles[free]["shoulder"][on].mean() < -25.0


@pytest.mark.skipif(not data_files("okwechime/bvh/*_skip.bvh"), reason="real motion data is absent")
@pytest.mark.parametrize(("who", "first", "last"), [("male", 21, 70), ("female", 61, 98)])
def test_a_skip_bends_its_joints_as_real_ones_do(who: str, first: int, last: int) -> None:
    """Both from one step of the right foot to the next."""
    take = ft.read(data_files(f"okwechime/bvh/{who}_skip.bvh")[0])
    assert isinstance(take, Clip)
    real, made = take_frames(take, first, last + 1), skip(rng(), amount=0.0)
    for side in SIDES:
        truth, ours = swing_angles(real, side), swing_angles(made, side)
        for name in ("hip", "knee", "foot", "shoulder"):
            assert np.corrcoef(over_cycle(truth[name]), over_cycle(ours[name]))[0, 1] > 0.7, name
        for name in ("hip", "knee", "foot"):
            assert np.ptp(ours[name]) == pytest.approx(np.ptp(truth[name]), rel=0.25), name


@pytest.mark.parametrize("speed", [0.6, 0.9, 1.3])
def test_a_limp_spares_the_left_leg(speed: float) -> None:
    """It stands for a shorter time, its knee yields and bends less, and the trunk leans over it."""

    def uneven(style: str) -> tuple[float, float, float, float]:
        clip = walk(rng(), style=style, amount=0.0, cycles=4, speed=speed)
        knees, on = [hinge(clip, f"{side}Leg") for side in SIDES], [planted(clip, side) for side in SIDES]
        trunk = joint(clip, "Neck") - joint(clip, "LowerBack")
        roll = np.degrees(np.arctan2(trunk[:, 0], trunk[:, 1]))  # to the left
        left, right = stance_shares(clip)
        bends = knees[1].max() - knees[0].max()
        return right - left, bends, roll[on[0] & ~on[1]].mean() - roll[on[1] & ~on[0]].mean(), np.ptp(roll)

    shorter, stiffer, lean, swing = uneven("limp")
    assert shorter > 0.1 and stiffer > 12.0 and lean > 8.0 and swing > 14.0
    shorter, stiffer, lean, swing = uneven("normal")
    assert abs(shorter) < 0.01 and abs(stiffer) < 0.5 and abs(lean) < 1.5 and swing < 2.0

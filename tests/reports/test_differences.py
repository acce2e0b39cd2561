"""How far motions are from the mean of their takes: laws of the measure."""

from __future__ import annotations

import numpy as np
import pytest

import freshtake as ft
from freshtake.motion import Clip
from freshtake.motion.edit import turned
from freshtake.numeric.rotations import multiply
from freshtake.reports.differences import differences


@pytest.fixture(scope="module")
def takes() -> list[Clip]:
    return [ft.samples.walk(np.random.default_rng(k)) for k in range(4)]


def bent(clip: Clip, joint: str, angle: float) -> Clip:
    """The same with one joint bent by an angle (radians) throughout."""
    rotations = clip.rotations.copy()
    at = clip.skeleton.names.index(joint)
    turn = np.array([np.cos(0.5 * angle), np.sin(0.5 * angle), 0.0, 0.0])
    rotations[:, at] = multiply(rotations[:, at], turn)
    return clip.changed(rotations=rotations, channels=None)


def test_takes_are_as_different_as_takes_are(takes: list[Clip]) -> None:
    means = [one.mean for one in differences(takes, takes)]
    assert np.mean(means) == pytest.approx(np.sqrt(3.0 / 4.0), rel=1e-6), "a new one would have 1"
    fresh = [ft.samples.walk(np.random.default_rng(k)) for k in range(10, 16)]
    assert 0.7 < np.mean([one.mean for one in differences(takes, fresh)]) < 1.4


def test_it_does_not_matter_where_a_motion_goes(takes: list[Clip]) -> None:
    one, other = differences(takes, [takes[1], turned(takes[1], 2.0)])
    assert one.joints == pytest.approx(other.joints, abs=1e-6)


def test_the_changed_part_is_named_and_larger_changes_count_more(takes: list[Clip]) -> None:
    plain, little, much = differences(takes, [bent(takes[0], "LeftArm", angle) for angle in (0.0, 0.25, 0.8)])
    arm = takes[0].skeleton.names.index("LeftHand")
    assert plain.mean < little.mean < much.mean
    assert plain.joints[:, arm].mean() < 0.5 * little.joints[:, arm].mean() < 0.5 * much.joints[:, arm].mean()
    assert much.parts[0] == "left arm" and much.joints.shape == (len(takes[0]), len(takes[0].skeleton))


def test_from_one_take_the_motions_say_what_is_usual(takes: list[Clip]) -> None:
    found = differences(takes[:1], takes[1:])
    assert np.mean([one.mean for one in found]) == pytest.approx(1.0)

"""Parts of the body, by names and by the tree."""

from __future__ import annotations

import numpy as np
import pytest

import freshtake as ft
from freshtake.motion import Clip, Skeleton
from freshtake.motion.body.roles import body_parts, part_rank
from tests.conftest import data_files


def parts_by_name(skeleton: Skeleton) -> dict[str, str]:
    return dict(zip(skeleton.names, body_parts(skeleton), strict=True))


def test_a_humanoid_has_six_parts() -> None:
    found = parts_by_name(ft.samples.walk(np.random.default_rng(0), frames=4).skeleton)
    assert set(found.values()) == {"trunk", "head", "left arm", "right arm", "left leg", "right leg"}
    assert (found["Hips"], found["LeftLeg"], found["RightFoot"]) == ("trunk", "left leg", "right leg")
    assert (found["Head"], found["LeftHand"], found["RThumb"]) == ("head", "left arm", "right arm")
    assert sorted(set(found.values()), key=part_rank)[:2] == ["trunk", "head"]


def test_sides_by_first_letter_and_limbs_without_sides() -> None:
    names = ("root", "lfemur", "lfoot", "rfemur", "rfoot")
    offsets = np.array([[0, 0, 0], [1, 0, 0], [0, -1, 0], [-1, 0, 0], [0, -1, 0]], dtype=float)
    found = parts_by_name(Skeleton(names, (-1, 0, 1, 0, 3), offsets))
    assert (found["lfemur"], found["rfoot"], found["root"]) == ("left leg", "right leg", "trunk")
    odd = parts_by_name(Skeleton(("base", "foot_one", "foot_two"), (-1, 0, 0), np.tile([0.0, -1.0, 0.0], (3, 1))))
    assert odd == {"base": "trunk", "foot_one": "leg foot_one", "foot_two": "leg foot_two"}


@pytest.mark.filterwarnings("ignore:.*carry no rate")
@pytest.mark.parametrize("path", data_files("asfamc/walk/walk_1.amc"), ids=str)
def test_recorded_skeletons(path: object) -> None:
    clip = ft.read(str(path))
    assert isinstance(clip, Clip)
    found = parts_by_name(clip.skeleton)
    assert (found["ltibia"], found["rradius"], found["upperneck"]) == ("left leg", "right arm", "head")

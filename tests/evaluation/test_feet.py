"""Planted feet: those that stand in the inputs stand, and a slide is measured as fast as it is."""

from __future__ import annotations

import numpy as np

from freshtake.evaluation import feet
from freshtake.evaluation.comparable import unpacked
from freshtake.evaluation.gallery import Gallery
from freshtake.motion import Clip, Skeleton
from tests.evaluation.stepping import prepared, slid, takes


def test_steps_in_place_stand_firmly() -> None:
    gallery, material = prepared(takes(1, 3), takes(2, 1))
    parts = feet.measure(gallery, material.variants[0])
    assert parts["planted_speed"].value < 3.0
    assert parts["planted_lost"].value < 0.1
    assert 0.3 < parts["contact_share"].value < 0.9
    assert feet.input_values(gallery)["planted_speed"] < 3.0
    speed, _ = feet.motion_of_feet(gallery, material.variants[0].thirty())
    assert speed.max() > 50.0  # feet that swing are fast, and do not count


def test_a_slide_is_as_fast_as_it_is() -> None:
    inputs = takes(3, 3)
    gallery, material = prepared(inputs, [slid(inputs[0], 0.5 * 10.5)])
    parts = feet.measure(gallery, material.variants[0])
    assert abs(parts["planted_speed"].value - 100 * 0.5 * 10.5 / material.layout.size) < 3.0
    assert parts["planted_lost"].value > 0.95


def test_leg_length_reaches_to_the_toe() -> None:
    _, material = prepared(takes(1, 1), takes(2, 1))
    assert np.isclose(material.layout.size, 1 + 4 + 4 + 1.5)


def test_nobody_without_feet_is_judged_by_them() -> None:
    arm = Skeleton(("Base", "Arm", "Tip"), np.array([-1, 0, 1]), np.array([[0.0, 0, 0], [1, 0, 0], [1, 0, 0]]))
    rotations = np.zeros((20, 3, 4))
    rotations[..., 0] = 1.0
    clip = Clip(arm, 1 / 60, np.zeros((20, 3)), rotations)
    material = unpacked([clip], [clip], [])
    gallery = Gallery(material.layout, material.inputs)
    assert feet.measure(gallery, material.variants[0]) == {}
    assert feet.input_values(gallery) == {}

"""Planted feet: those that stand in the inputs stand, and a slide is measured as fast as it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from freshtake.evaluation import movement
from freshtake.evaluation.comparable import unpacked
from freshtake.evaluation.tracks import Gallery
from freshtake.motion import Clip, Skeleton
from tests.evaluation.stepping import prepared, slid, takes


def test_steps_in_place_stand_firmly() -> None:
    gallery, material = prepared(takes(1, 3), takes(2, 1))
    parts = movement.measure_feet(gallery, material.variants[0])
    assert parts["planted_speed"].value < 3.0
    assert parts["planted_lost"].value < 0.1
    assert movement.input_values(gallery)["planted_speed"] < 3.0
    speed, _ = movement.motion_of_feet(gallery, material.variants[0].thirty())
    assert speed.max() > 50.0  # feet that swing are fast, and do not count


def test_a_slide_is_as_fast_as_it_is() -> None:
    inputs = takes(3, 3)
    gallery, material = prepared(inputs, [slid(inputs[0], 0.5 * 10.5)])
    parts = movement.measure_feet(gallery, material.variants[0])
    assert abs(parts["planted_speed"].value - 100 * 0.5 * 10.5 / material.layout.size) < 3.0
    assert parts["planted_lost"].value > 0.95


def test_kimodos_figures_are_in_metres() -> None:
    inputs = [clip.changed(unit_m=0.1) for clip in takes(3, 3)]
    gallery, material = prepared(inputs, [slid(inputs[0], 4.0), slid(inputs[0], 1.0)])
    fast, slow = (movement.measure_feet(gallery, track) for track in material.variants)
    assert fast["kimodo_skate"].value > 0.4 and slow["kimodo_skate"].value < 0.25  # 0.4 and 0.1 m/s
    assert 0.35 < fast["kimodo_speed"].value < 0.55  # feet that are about to swing count too
    assert 0.05 < slow["kimodo_speed"].value < 0.25
    real = movement.input_values(gallery)
    assert real["kimodo_skate"] < 0.25 and real["kimodo_speed"] < slow["kimodo_speed"].value
    unknown = Gallery(replace(material.layout, unit_m=None), material.inputs)
    assert "kimodo_skate" not in movement.measure_feet(unknown, material.variants[0])


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
    assert movement.measure_feet(gallery, material.variants[0]) == {}
    assert movement.input_values(gallery) == {}

"""Ranges and distributions of DOFs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.stats import wasserstein_distance

from freshtake.evaluation import movement
from freshtake.evaluation.dofs import fk_scales
from freshtake.numeric.rotations import from_rotvec, multiply
from tests.evaluation.stepping import prepared, takes


def test_inputs_are_in_range_and_a_bent_joint_is_not() -> None:
    inputs = takes(1, 3)
    bend = np.zeros((1, len(inputs[0].skeleton), 3))
    bend[0, 12, 1] = 2.0
    bent = inputs[0].changed(rotations=multiply(inputs[0].rotations, from_rotvec(bend)))
    gallery, material = prepared(inputs, [inputs[1], bent])
    inside, outside = (movement.measure_ranges(gallery, track) for track in material.variants)
    assert inside["overshoot"].value == 0.0
    assert outside["overshoot"].value > 0.01
    table = {dof.name: dof for dof in movement.dof_table(gallery, [material.variants[1]])}
    assert max(table.values(), key=lambda dof: dof.distance).name.startswith("LeftHand")
    assert table["LeftUpLeg.x"].overshoot == 0.0


def test_a_little_beyond_the_range_is_allowed() -> None:
    gallery, material = prepared(takes(6, 2), takes(7, 1))
    pooled = np.concatenate([track.dofs for track in material.inputs])
    low, reach = pooled.min(axis=0), np.ptp(pooled, axis=0)
    for beyond, expected in ((0.04, 0.0), (0.06, 1.0)):
        rows = np.stack([low + (1 + beyond) * reach, low - beyond * reach])[:, reach > 0.01]
        track = replace(material.variants[0], dofs=np.repeat(low[None], 2, axis=0))
        track.dofs[:, reach > 0.01] = rows
        found = {dof.name: dof.overshoot for dof in movement.dof_table(gallery, [track])}
        moving = [name for name, width in zip(material.layout.dofs, reach, strict=True) if width > 0.01]
        assert {found[name] for name in moving} == {expected}


def test_the_distance_is_wasserstein_in_standard_deviations() -> None:
    gallery, material = prepared(takes(2, 3), takes(3, 1))
    known, rows = movement.input_range(gallery), material.variants[0].dofs
    pooled = np.concatenate([track.dofs for track in material.inputs])
    found = movement.wasserstein(known, rows)
    for column in range(0, rows.shape[1], 5):
        if known.spread[column] > 1e-3:
            exact = wasserstein_distance(rows[:, column], pooled[:, column]) / known.spread[column]
            assert abs(found[column] - exact) < 0.03
    shifted = movement.wasserstein(known, pooled + 0.5 * known.spread)
    assert np.allclose(shifted[known.spread > 1e-3], 0.5)


def test_a_joint_that_the_inputs_keep_still_may_not_move() -> None:
    inputs = takes(4, 2)
    turn = np.zeros((len(inputs[0]), len(inputs[0].skeleton), 3))
    turn[:, 4, 1] = np.linspace(-0.3, 0.3, len(inputs[0]))
    gallery, material = prepared(
        inputs, [inputs[0].changed(rotations=multiply(inputs[0].rotations, from_rotvec(turn)))]
    )
    table = {dof.name: dof for dof in movement.dof_table(gallery, material.variants)}
    assert table["LeftToeBase.y"].overshoot > 0.9


def test_scales_say_how_far_a_dof_moves_the_joints() -> None:
    """Against finite differences of forward kinematics in one pose."""
    clip = takes(5, 1)[0]
    still = clip.changed(root=clip.root[30:31], rotations=clip.rotations[30:31])
    size, step = 10.0, 1e-6
    scales = fk_scales([still], size)
    for joint in (0, 1, 9, 11):
        for axis in range(3):
            turn = np.zeros((1, len(clip.skeleton), 3))
            turn[0, joint, axis] = step
            moved = still.changed(rotations=multiply(still.rotations, from_rotvec(turn)))
            apart = np.linalg.norm(moved.positions() - still.positions(), axis=-1) / step / size
            assert np.isclose(scales[3 * joint + axis], np.sqrt((apart**2).mean()), rtol=1e-3, atol=1e-6)

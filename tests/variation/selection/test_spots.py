from __future__ import annotations

import numpy as np
import pytest

from freshtake.variation.selection.candidates import PHASES, Spot, by_phase, joined, least_likely, missing, owners

DOFS = ("Hips.forward", "Hips.turn", "LeftArm.x", "LeftArm.y", "RightLeg.x")


@pytest.mark.parametrize("frames", [5, 20, 33, 100])
def test_parts_are_means_over_equal_durations(frames: int) -> None:
    rows = np.random.default_rng(1).normal(size=(frames, 3))
    found = by_phase(rows)
    fine = np.repeat(rows, PHASES * 4, axis=0)  # every frame as many slivers
    expected = fine.reshape(PHASES, -1, 3).mean(axis=1)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(found.mean(axis=0), rows.mean(axis=0), atol=1e-12)


def test_missing_is_what_falls_below_and_bounded() -> None:
    usual = np.full((PHASES, 2), 1.0)
    parts = np.stack([np.full(PHASES, 3.0), np.full(PHASES, -100.0)], axis=1)
    np.testing.assert_array_equal(missing(parts, usual), np.stack([np.zeros(PHASES), np.full(PHASES, 8.0)], axis=1))


def test_joints_are_sums_of_their_dofs_and_the_root_is_put_into_words() -> None:
    names, table = joined(np.arange(5.0)[None].repeat(PHASES, axis=0), DOFS)
    assert names == ("forward speed", "turning", "LeftArm", "RightLeg")
    np.testing.assert_array_equal(table[0], [0.0, 1.0, 5.0, 4.0])
    assert owners(("x", "y")) == ("x", "y")


def test_the_worst_joint_and_its_stretch_are_found() -> None:
    missed = np.zeros((PHASES, 5))
    missed[6:10, 2] = 2.0
    missed[:, 4] = 0.05
    spot = least_likely(missed, DOFS)
    assert spot is not None and spot.what == ("LeftArm",)
    assert 0.3 <= spot.first < spot.last <= 0.5
    assert str(Spot(("a", "b", "c"), 0.25, 0.5)) == "least likely: a, b and c, at 25-50 % of the movement"
    assert str(Spot(("a",), 0.0, 1.0)) == "least likely: a, throughout"
    assert least_likely(np.zeros((PHASES, 5)), DOFS) is None

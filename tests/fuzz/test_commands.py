"""A few random commands of `tests.fuzz.commands`, and that its judge can fail."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import freshtake as ft
from freshtake.numeric.rotations import about_axis, multiply
from tests.fuzz.commands import outcomes, wrong_files


def test_no_random_command_exits_with_zero_and_a_wrong_result() -> None:
    wrong = [(" ".join(one.command), one.about, one.wrong) for one in outcomes(14, seed=11) if one.wrong]
    assert wrong == []


def test_a_wrong_result_is_noticed(tmp_path: Path) -> None:
    take = ft.samples.walk(np.random.default_rng(0), cycles=2.0)
    knee = take.skeleton.index("LeftLeg")
    rotations = take.rotations.copy()
    rotations[:, knee] = multiply(rotations[:, knee], about_axis(np.array([1.0, 0.0, 0.0]), np.radians(-150.0)))
    ft.write(tmp_path / "take.bvh", take)
    ft.write(tmp_path / "out.bvh", take.changed(rotations=rotations))
    assert "bends" in wrong_files([tmp_path / "out.bvh"], [str(tmp_path / "take.bvh")], True)
    assert wrong_files([tmp_path / "take.bvh"], [str(tmp_path / "take.bvh")], True) == ""
    assert wrong_files([], [str(tmp_path / "take.bvh")], True) == "no file was written"

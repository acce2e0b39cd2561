"""Warnings about missed goals, each in the goal's own unit."""

from __future__ import annotations

import numpy as np

import freshtake as ft
from freshtake.motion.body.roles import leg_length
from freshtake.variation import Goals, PosePin
from freshtake.variation.goals.goals import GoalReport
from freshtake.workflows.varying import _warn_of_goals


def test_a_missed_height_is_no_number_of_degrees() -> None:
    walk = ft.samples.walk(np.random.default_rng(0), cycles=1)
    leg, goals = leg_length(walk.skeleton), Goals(start=PosePin(walk))

    def warnings(angle: float, length: float) -> list[str]:
        said: list[str] = []
        _warn_of_goals(goals, [GoalReport(1.0, 1.0, None, 0.0, angle, (), length)], said.append)
        return said

    assert warnings(0.0, 0.001 * leg) == []
    (height,) = warnings(0.0, 0.05 * leg)
    assert "height" in height and "°" not in height
    (angle,) = warnings(0.1, 0.0)
    assert "5.7°" in angle

"""How far and where a style goes: as the source does, in proportion."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from freshtake.motion import Clip
from freshtake.motion.body.roles import leg_length
from freshtake.motion.edit import heading, sampled_at
from freshtake.numeric.arrays import Floats
from freshtake.style.columns import FORWARD, SIDEWAYS
from freshtake.style.learning import learn
from freshtake.style.model import Settings, StyleModel
from freshtake.style.simple_translations import untimed_rows
from freshtake.style.synthesize import resting
from tests.style.pairs_of_clips import model, walk, walk_pairs


@cache
def one_pair() -> StyleModel:
    return learn([(walk(0, cycles=6), walk(100, "crouch", cycles=6))])


def forward_speed(clip: Clip) -> float:
    steps, angle = np.diff(clip.root, axis=0) * clip.fps, heading(clip)[1:]
    return float((steps[:, 2] * np.cos(angle) + steps[:, 0] * np.sin(angle)).mean())


def test_who_walks_backwards_walks_backwards_in_the_style() -> None:
    there = walk(70, cycles=4)
    back = sampled_at(there, np.arange(len(there) - 1.0, -1.0, -1.0))
    assert forward_speed(back) < -0.5 * forward_speed(there)
    for learned in (one_pair(), model()):
        how = {"time_warp": False, "plant": False, "generalize": False}
        made = [forward_speed(learned.translate(clip, **how)) for clip in (there, back)]
        assert made[0] > 0.0 and made[1] < -0.2 * made[0]


def test_a_slower_or_faster_source_is_a_slower_or_faster_style() -> None:
    learned = one_pair()
    rows, forward, sideways = learned.encode(walk(71, cycles=6)).values, FORWARD, SIDEWAYS

    def travel(changed: Floats, column: int) -> float:
        return float(untimed_rows(learned, changed)[60:, column].mean())

    for factor in (0.85, 1.1, 2.0):  # within the examples, and beyond
        changed = rows.copy()
        changed[:, forward] *= factor
        assert travel(changed, forward) == pytest.approx(factor * travel(rows, forward), rel=0.06)
    aside = rows.copy()
    aside[:, sideways] += 0.6 * rows[:, forward].mean()
    gained = travel(aside, sideways) - travel(rows, sideways)
    assert gained > 0.3 * learned.target.mean[forward]


def test_constant_speeds_lead_to_speeds_in_proportion() -> None:
    learned = one_pair()
    forward, bank = FORWARD, learned.bank
    rows = np.zeros((2, 600, len(learned.dofs)))
    rows[1, :, forward] = 1.0
    still, faster = (bank.run(bank.start(), inputs)[1][-1, forward] for inputs in rows)
    usual, styled = (side.mean[forward] / side.deviation[forward] for side in (learned.source, learned.target))
    assert faster - still == pytest.approx(styled / usual, rel=0.25)


def test_a_thigh_drives_its_knee_and_the_root_and_no_other_joint() -> None:
    learned = learn(walk_pairs(), Settings(order=3))
    rows = learned.encode(walk(64)).values
    lifted = rows.copy()
    lifted[40:60, learned.dofs.index("LeftUpLeg.x")] += 0.3
    # as the systems see the body: there a thigh is the line to the ankle, and lifting it changes nothing else
    moved = np.abs(_coded(learned, lifted) - _coded(learned, rows)).max(axis=0)
    for name in ("LeftLeg.x", "Hips.height"):
        assert moved[learned.dofs.index(name)] > 1e-3
    for name in ("RightLeg.x", "RightArm.x", "Spine.x"):
        assert moved[learned.dofs.index(name)] < 1e-9


def _coded(learned: StyleModel, rows: Floats) -> Floats:
    tool = learned.translator(generalize=False)
    return tool.coded_outputs(tool.start(learned.past(rows)), rows)[1]


def test_feet_of_a_slow_style_rest_at_slower_speeds() -> None:
    learned = one_pair()
    target = learned.target
    forward = FORWARD
    speeds = []
    for share in (1.0, 0.2, 0.0):
        mean = target.mean.copy()
        mean[forward] *= share
        speeds.append(resting(learned.recipe, type(target)(mean, target.deviation)))
    assert speeds[1] == pytest.approx(0.2 * abs(learned.target.mean[forward]) / _leg(learned), rel=1e-9)
    assert speeds[1] < speeds[0] <= 1.0 and speeds[2] == 1.0  # who goes nowhere stands as usual


def _leg(learned: StyleModel) -> float:
    assert learned.recipe.skeleton is not None
    return leg_length(learned.recipe.skeleton)

"""Plans of feet and hips against their definitions, written down slowly."""

from __future__ import annotations

import math

import numpy as np
import pytest

from freshtake.motion.planting.contacts import PlantSettings
from freshtake.motion.planting.foot_plans import (
    _drifted,
    _grips,
    _holding_offsets,
    _lift,
    _short,
    _sunk,
    find_lifts,
    longest_reach,
    plan_sink,
    slack_of,
)
from freshtake.motion.planting.limb_leading import straight_length
from freshtake.motion.planting.planter import Planter, empty_frames, fresh_memory, pace
from freshtake.motion.planting.rig import Frames, Ground, Scene
from freshtake.numeric.limb_kernels import quintic
from freshtake.numeric.smooth_path import path_scratch
from tests.motion.puppet import steady, walk

# Not imported, so that no change of them goes unnoticed.
FLOOR, KEPT_BENT, MOVED, FULL = 3.0, math.radians(8.0), 0.005, 0.9998
GROUND = Ground(1, 0.9, 0, np.array([0.08, 0.08]), np.array([[[0.02, 0.04], [0.01, 0.03]]] * 2))
PACE = pace(PlantSettings(), 1 / 60, 0.9, True)
AGES = [-1, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -1, 0, 1, 2, 3]


def some_frames(seed: int = 0) -> Frames:
    rng, frames = np.random.default_rng(seed), empty_frames(len(AGES), 1, 2)
    frames.age[:] = np.array(AGES)[:, None]
    frames.contacts[:] = (np.array(AGES) >= 0)[:, None, None]
    frames.points[:] = rng.normal(scale=0.3, size=frames.points.shape)
    frames.points[..., 1] = rng.uniform(0.0, 0.1, size=frames.points.shape[:3])
    frames.points[:, :, 0, 1] += 0.9
    frames.pivot[:] = rng.normal(scale=0.02, size=frames.pivot.shape)
    frames.over[:] = 1
    frames.longest[:] = 0.88
    return frames


def test_feet_are_held_more_firmly_the_farther_a_contact_is_from_its_ends() -> None:
    frames, firm = some_frames(), np.empty(len(AGES))
    _grips(PACE, frames, 0, 0, len(AGES), firm)
    for k, age in enumerate(AGES):
        left = next((n for n, other in enumerate(AGES[k:]) if other < 0), 1 << 20)
        ramps = [quintic(min(x / (PACE.ramp + 1.0), 1.0)) for x in (age + 1.0, left)]
        assert firm[k] == pytest.approx(math.prod(ramps) if age >= 0 else 0.0)


def test_feet_are_held_where_they_stand_on_average() -> None:
    frames, memory = some_frames(1), fresh_memory(2)
    firm, targets = np.random.default_rng(0).uniform(0.1, 1.0, len(AGES)), np.zeros((len(AGES), 3))
    _holding_offsets(Scene(GROUND, PACE, frames, memory), 1, 0, len(AGES), firm, targets)
    contact = np.cumsum(np.diff([-1, *AGES]) < 0)
    for k, age in enumerate(AGES):
        same = np.array([other >= 0 and contact[n] == contact[k] for n, other in enumerate(AGES)])
        if age < 0:
            assert (targets[k] == 0.0).all()
        else:
            mean = np.average(frames.pivot[same, 1], axis=0, weights=firm[same] + 1e-9)
            np.testing.assert_allclose(targets[k, [0, 2]], mean - frames.pivot[k, 1], atol=1e-12)


def test_the_center_of_a_contact_follows_faster_the_farther_it_is() -> None:
    center, mean = np.array([0.1, -0.2]), np.array([0.3, 0.4])
    for pivot in (center, center + np.array([0.05, 0.0]), center + np.array([3.0, 1.0])):
        far = np.linalg.norm(center - pivot) / PACE.drift_radius
        share = min(PACE.drift * (1.0 + 10.0 * far**2), 1.0)
        np.testing.assert_allclose(_drifted(PACE, center, pivot, *mean), center + share * (mean - center))


def test_a_foot_is_lifted_out_of_the_floor_and_let_down_onto_it() -> None:
    frames = some_frames(2)
    frames.over[3:6] = 0
    for frame in range(len(AGES)):
        for leg, firm in ((0, 0.0), (1, 0.7)):
            heights = frames.points[frame, leg, 2:, 1]
            sunk = max(GROUND.soles[leg, :, 0] - heights) if frames.over[frame, leg] or firm else -1e300
            find_lifts(GROUND, PACE, frames, frame)
            assert _sunk(frames, leg, frame, firm) == pytest.approx(sunk)
            down = frames.contacts[frame, leg] == 1
            over = max(min((heights - GROUND.soles[leg, :, 1])[down], default=0.0), 0.0)
            wanted = (sunk, FLOOR) if sunk > 0.0 else (-over * (1.0 - quintic(over / PACE.step)), firm)
            assert _lift(frames, leg, frame, firm) == pytest.approx(wanted)


def test_a_hip_that_has_come_down_by_what_is_short_is_within_reach() -> None:
    frames = some_frames(3)
    for frame in range(len(AGES)):
        offset = np.random.default_rng(frame).normal(scale=0.05, size=3)
        short = _short(GROUND, frames, 0, frame, offset)
        gap = frames.points[frame, 0, 1] + offset - frames.points[frame, 0, 0]
        lowered = np.linalg.norm(gap + np.array([0.0, short, 0.0]))
        if short == 0.0:
            assert np.linalg.norm(gap) <= 0.88 + 1e-12 or gap[1] > 0.0
        elif np.hypot(gap[0], gap[2]) < 0.88:
            assert lowered == pytest.approx(0.88)
        else:
            assert short == pytest.approx(max(-gap[1], 0.0))


def test_hips_sink_only_for_standing_legs_that_do_not_reach() -> None:
    frames, plans, firm = some_frames(4), np.zeros((2, 9, 3)), np.ones((2, 9))
    frames.points[:, :, 1] = frames.points[:, :, 0] - [0.0, 0.85, 0.0]
    scene, scratch = Scene(GROUND, PACE, frames, fresh_memory(2)), path_scratch(9)
    assert plan_sink(scene, 0, 9, scratch, plans, firm) == 0.0
    frames.points[:, 0, 1, 1] -= 0.04  # 0.01 beyond the longest
    sinks = [plan_sink(scene, 0, 9, scratch, plans, share * firm) for share in (0.0, 0.2, 1.0)]
    assert sinks[0] == 0.0 and 0.0 < sinks[1] < sinks[2] < 0.011
    assert plan_sink(scene._replace(pace=PACE._replace(sink=0.0)), 0, 9, scratch, plans, firm) == 0.0


def test_knees_are_kept_bent_by_how_far_feet_are_moved() -> None:
    plan = np.random.default_rng(5).normal(scale=0.01, size=(6, 3))
    square = (plan[:4] ** 2).sum() / (4 * (MOVED * GROUND.leg) ** 2)
    assert slack_of(GROUND, plan, 4) == pytest.approx(KEPT_BENT**2 * square / (square + 1.0))
    assert slack_of(GROUND, np.zeros((6, 3)), 4) == 0.0


def test_a_leg_stretches_as_far_as_in_the_examples_or_as_it_does_itself() -> None:
    clip = walk(steady(1.0, 20))
    bones, offsets = Planter.learn([clip]).base.bones, np.ascontiguousarray(clip.skeleton.offsets)
    for leg in range(2):
        hip, _, ankle = (int(bones.path[leg, k]) for k in bones.at[leg, :3])
        chain = [j for j in clip.skeleton.chain(ankle) if j not in clip.skeleton.chain(hip)]
        full = np.linalg.norm(offsets[chain], axis=1).sum()
        assert straight_length(bones, leg, offsets) == pytest.approx(full)
        for own in (0.5 * full, 0.9999 * full):
            wanted = min(max(bones.reach[leg, 1] * full, own), FULL * full)
            assert longest_reach(bones, leg, offsets, np.zeros(3), np.array([0.0, -own, 0.0])) == pytest.approx(wanted)

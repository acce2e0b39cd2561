"""Kernels of contacts against their definitions, written down slowly."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.motion.planting.contacts import PlantSettings
from freshtake.motion.planting.foot_plans import classify, heel_into, plane_of, settle
from freshtake.motion.planting.limb_leading import place_path
from freshtake.motion.planting.planter import Planter, empty_frames, pace
from freshtake.motion.planting.rig import Ground, Pace
from tests.motion.puppet import steady, walk

HEEL, ROLLED, BEGIN, CONTINUE = 0.25, 0.026, 0.5, 0.4  # not imported, so that no change of them goes unnoticed
GROUND = Ground(1, 0.9, 0, np.array([0.08, 0.08]), np.array([[[0.02, 0.04], [0.01, 0.03]]] * 2))


def a_pace(careful: bool = True) -> Pace:
    return pace(PlantSettings(), 1 / 60, 0.9, careful)


def test_a_path_has_the_places_and_rotations_of_the_whole_body() -> None:
    clip = walk(steady(1.0, 20))
    planter = Planter.learn([clip])
    bones, joints = planter.base.bones, clip.skeleton.offsets
    world = clip.world()
    for limb, path in enumerate(bones.path):
        found, turns = np.empty((len(path), 3)), np.empty((len(path), 4))
        place_path(bones, limb, clip.root[7], clip.rotations[7], np.ascontiguousarray(joints), found, turns)
        used = path[path >= 0]
        np.testing.assert_allclose(found[: len(used)], world.positions[7, used], atol=1e-12)
        same = np.abs((turns[: len(used)] * world.rotations[7, used]).sum(axis=1))
        np.testing.assert_allclose(same, 1.0, atol=1e-12)


@pytest.mark.parametrize("up", [0, 1, 2])
def test_the_heel_turns_with_the_foot(up: int) -> None:
    """In the plane of the foot as complex numbers: from where a flat foot's heel is, turned by the foot's pitch."""
    rng = np.random.default_rng(up)
    a, b = plane_of(up)
    assert {a, b, up} == {0, 1, 2}
    for _ in range(20):
        ankle, toe, below = rng.normal(size=3), rng.normal(size=3), 0.05
        gap = toe - ankle
        run, length = np.hypot(gap[a], gap[b]), np.linalg.norm(gap)
        flat = np.sqrt(length**2 - below**2) - 1j * below
        heel = (-HEEL * length - 1j * below) * ((run + 1j * gap[up]) / flat)
        wanted = ankle.copy()
        wanted[[a, b]] += gap[[a, b]] / run * heel.real
        wanted[up] += heel.imag
        out = np.empty(3)
        heel_into(ankle, toe, up, below, out)
        np.testing.assert_allclose(out, wanted, atol=1e-12)


@pytest.mark.parametrize("careful", [True, False])
def test_frames_are_judged_by_strength_height_and_speed(careful: bool) -> None:
    rng, count = np.random.default_rng(3), 60
    own, frames = a_pace(careful), empty_frames(count, 1, 2)
    frames.strength[:] = rng.uniform(0.2, 0.8, frames.strength.shape)
    frames.points[:] = np.cumsum(rng.normal(scale=0.008, size=frames.points.shape), axis=0)
    frames.points[..., 1] = rng.uniform(0.0, 0.15, frames.points.shape[:3])
    frames.over[:] = rng.random(frames.over.shape) < 0.8
    for frame in range(count):
        classify(GROUND, own, frames, frame, count)
        first, last = max(frame - own.reach, 0), min(frame + own.reach, count - 1)
        for leg in range(2):
            heights = frames.points[frame, leg, 2:, 1] - GROUND.soles[leg, :, 0]
            for point in range(2):
                strength = frames.strength[frame, leg, point]
                wanted = 2 if strength >= BEGIN else 1 if strength >= CONTINUE else 0
                if heights[point] - heights.min() > ROLLED * GROUND.leg:
                    wanted = 0
                gone = (frames.points[last, leg, 2 + point] - frames.points[first, leg, 2 + point])[[0, 2]]
                speed = np.linalg.norm(gone) / max(last - first, 1)
                if careful and wanted:
                    high = heights[point]
                    if not frames.over[frame, leg] or high > own.height_off or speed > own.speed_off:
                        wanted = 0
                    elif high > own.height_on or speed > own.speed_on:
                        wanted = 1
                assert frames.raw[frame, leg, point] == wanted


def test_contacts_bridge_pauses_begin_where_they_last_and_carry_a_pivot() -> None:
    rng, count = np.random.default_rng(4), 200
    own, frames = a_pace(), empty_frames(count, 1, 2)
    frames.points[:] = rng.normal(size=frames.points.shape)
    frames.raw[:] = np.repeat(rng.integers(0, 3, size=(count // 4, 2, 2)), 4, axis=0)
    for frame in range(count):
        settle(GROUND, own, frames, frame, count, frame > 0)
    raw, stands = frames.raw, frames.contacts
    for leg in range(2):
        for frame in range(count):
            for point in range(2):
                if frame and stands[frame - 1, leg, point]:
                    wanted = (raw[frame : frame + own.bridged, leg, point] > 0).any()
                else:
                    soon = raw[frame : frame + own.shortest, leg, point]
                    wanted = (soon > 0).all() and (soon == 2).any()
                assert stands[frame, leg, point] == wanted
            on = stands[frame, leg].any()
            if frame == 0:
                assert frames.age[0, leg] == (1 << 20 if on else -1)
                assert (frames.pivot[0, leg] == 0.0).all()
                continue
            assert frames.age[frame, leg] == (frames.age[frame - 1, leg] + 1 if on else -1)
            both = [point for point in (1, 0) if stands[frame - 1 : frame + 1, leg, point].all()]
            step = frames.points[frame, leg, 2 + both[0]] - frames.points[frame - 1, leg, 2 + both[0]] if both else None
            moved = np.zeros(2) if step is None else step[[0, 2]]
            np.testing.assert_allclose(frames.pivot[frame, leg], frames.pivot[frame - 1, leg] + moved, atol=1e-12)

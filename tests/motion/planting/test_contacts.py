"""Contacts against a puppet whose stance is known, and on real walks, runs, jumps and strokes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import freshtake as ft
from freshtake.errors import UsageError
from freshtake.motion import Clip, Skeleton
from freshtake.motion.body.roles import feet, leg_length, pelvis
from freshtake.motion.edit import moved, resample, scaled, take_frames, turned, with_up
from freshtake.motion.planting.contacts import (
    ContactSettings,
    contact_mask,
    floor_heights,
    foot_contacts,
    hysteresis,
    joint_contacts,
    smooth_speed,
)
from freshtake.numeric.curves import runs
from freshtake.numeric.rotations import about_axis, multiply
from tests.conftest import data_files, label
from tests.motion.puppet import standing, steady, walk


def read(path: Path) -> Clip:
    clip = ft.read(path)
    assert isinstance(clip, Clip)
    return clip


@pytest.mark.parametrize("fps", [30, 60, 120])
def test_finds_the_stance_of_the_puppet(fps: int) -> None:
    phase = steady(4.2, round(4.2 * fps) + 1)
    mask, truth = contact_mask(walk(phase, fps=fps)), standing(phase)
    assert mask[truth].mean() > 0.98
    part = np.stack([(phase + 0.5) % 1.0, phase % 1.0], axis=1)
    assert not mask[(part > 0.66) & (part < 0.94)].any()  # a swing starts and ends slowly, so its ends may count
    assert len(foot_contacts(walk(phase, fps=fps))) == 5 + 5  # stances, the first ones cut


def test_joint_intervals_lie_within_foot_intervals() -> None:
    clip = walk(steady(3.0, 181))
    mask = contact_mask(clip)
    by_joint, column = joint_contacts(clip), 0
    for number, foot in enumerate(feet(clip.skeleton)):
        for _ in foot.joints:
            assert mask[by_joint[:, column], number].all()
            column += 1
    assert column == by_joint.shape[1]


def test_nothing_depends_on_place_heading_size_or_axis() -> None:
    clip = walk(steady(3.0, 181))
    wanted = contact_mask(clip)
    pivot = np.array([1.0, 0.0, 2.0])
    others = [moved(clip, np.array([3.0, 0.4, -2.0])), turned(clip, 1.1, pivot), scaled(clip, 17.0), with_up(clip, "z")]
    for other in others:
        np.testing.assert_array_equal(contact_mask(other), wanted)


def test_who_lies_does_not_stand() -> None:
    clip = walk(np.full(60, 0.3))
    assert contact_mask(clip)[:, 1].all()
    rotations = clip.rotations.copy()
    rotations[:, 0] = multiply(about_axis([1.0, 0.0, 0.0], np.pi / 2), rotations[:, 0])
    lying = clip.changed(rotations=rotations, root=np.full((len(clip), 3), 0.3))
    assert not contact_mask(lying).any()
    assert contact_mask(lying, settings=ContactSettings(pelvis_above=-9.0)).any()


def test_a_given_floor_is_used() -> None:
    clip = walk(steady(3.0, 181))
    np.testing.assert_array_equal(contact_mask(clip, floor=floor_heights([clip])), contact_mask(clip))
    assert not contact_mask(clip, floor=-1.0).any()
    with pytest.raises(UsageError, match="foot joints"):
        contact_mask(clip, floor=[0.0, 1.0])


def test_a_rig_with_a_joint_on_the_floor_above_the_hips() -> None:
    clip = walk(steady(3.0, 181))
    old = clip.skeleton
    parents = np.concatenate([[-1], np.where(old.parents < 0, 0, old.parents + 1)])
    skeleton = Skeleton(("Reference", *old.names), parents, np.concatenate([np.zeros((1, 3)), old.offsets]))
    still = np.tile([1.0, 0.0, 0.0, 0.0], (len(clip), 1, 1))
    places = np.concatenate([np.zeros((len(clip), 1, 3)), clip.local_translations()], axis=1)
    rigged = Clip(
        skeleton, clip.frame_time, np.zeros((len(clip), 3)), np.concatenate([still, clip.rotations], 1), places
    )
    assert pelvis(skeleton) == 1 and pelvis(old) == 0
    assert leg_length(skeleton) == pytest.approx(leg_length(old))
    np.testing.assert_array_equal(contact_mask(rigged), contact_mask(clip))


def test_legs_without_named_feet_end_in_feet() -> None:
    names = ("torso", "leg_joint_L_1", "leg_joint_L_2", "leg_joint_L_3", "leg_joint_R_1", "leg_joint_R_2")
    skeleton = Skeleton(names, np.array([-1, 0, 1, 2, 0, 4]), np.ones((6, 3)))
    assert [foot.joints for foot in feet(skeleton)] == [(2, 3), (4, 5)]
    assert pelvis(skeleton) == 0 and leg_length(skeleton) == pytest.approx(2 * 3**0.5)


def test_without_feet_there_are_no_contacts() -> None:
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0.0, 0, 0], [1.0, 0, 0]]))
    clip = Clip(skeleton, 0.1, np.zeros((5, 3)), np.tile([1.0, 0, 0, 0], (5, 2, 1)))
    assert contact_mask(clip).shape == (5, 0)
    assert foot_contacts(clip) == []


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_hysteresis_is_a_switch(pairs: list[tuple[bool, bool]]) -> None:
    last = np.array([[b] for _, b in pairs])
    begin = np.array([[a and b] for a, b in pairs])
    slow = np.zeros(len(pairs), dtype=bool)
    for frame in range(len(pairs)):  # a frame is on if a run of `last` through it holds a frame of `begin`
        low = high = frame
        while last[frame, 0] and low > 0 and last[low - 1, 0]:
            low -= 1
        while last[frame, 0] and high + 1 < len(pairs) and last[high + 1, 0]:
            high += 1
        slow[frame] = last[frame, 0] and begin[low : high + 1].any()
    np.testing.assert_array_equal(hysteresis(begin, last)[:, 0], slow)
    rebuilt = np.zeros(len(pairs), dtype=bool)
    for start, stop in runs(last[:, 0]):
        rebuilt[start:stop] = True
    np.testing.assert_array_equal(rebuilt, last[:, 0])


@pytest.mark.parametrize("fps", [25.0, 60.0, 240.0])
def test_speed_of_even_motion_is_exact_at_any_rate(fps: float) -> None:
    line = np.arange(50)[:, None] / fps * np.array([3.0, 4.0, 0.0])
    np.testing.assert_allclose(smooth_speed(line, 1.0 / fps, 1 / 15), 5.0)
    assert smooth_speed(line[:1], 1.0 / fps, 1 / 15) == 0.0


@pytest.mark.parametrize("bad", [{"height_on": 0.2}, {"speed_on": -1.0}, {"shortest": -1.0}])
def test_settings_are_checked(bad: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        ContactSettings(**bad)


@pytest.mark.parametrize("path", data_files("walk/*.bvh"), ids=label)
def test_real_walk_cycles_stand_sixty_percent(path: Path) -> None:
    clip = read(path)
    left, right = contact_mask(clip).mean(axis=0)
    assert 0.56 < right < 0.64 and 0.56 < left < 0.64
    contacts = foot_contacts(clip)
    assert [c.start for c in contacts if c.foot == "RightFoot"] == [0]  # from heel strike to heel strike
    assert len([c for c in contacts if c.foot == "LeftFoot"]) == 2
    assert contact_mask(clip).any(axis=1).all()  # one foot is always down


@pytest.mark.parametrize("path", data_files("jump/*.bvh"), ids=label)
def test_real_jumps_leave_the_ground_once(path: Path) -> None:
    mask = contact_mask(read(path))
    assert mask[0].all() and mask[-1].all()
    (flight,) = runs(~mask.any(axis=1))
    assert 18 <= flight[1] - flight[0] <= 30
    for foot in mask.T:
        assert len(runs(foot)) == 2


@pytest.mark.parametrize("path", data_files("cyclic/walk*.bvh"), ids=label)
def test_real_long_walks(path: Path) -> None:
    mask = contact_mask(read(path))
    assert 0.55 < mask.mean() < 0.68
    assert mask.any(axis=1).mean() > 0.99
    assert not (np.diff([start for start, _ in runs(mask[:, 0])])[1:-1] < 50).any()  # no stance is torn in two


def test_real_run_has_a_duty_below_a_half(data: Path) -> None:
    clip = take_frames(read(data / "cyclic/run_circle_10s.bvh"), 30, 150)  # it jogs and turns later
    mask = contact_mask(clip)
    for foot in mask.T:
        starts, stops = np.array(runs(foot)).T
        assert 0.25 < np.median(stops[1:-1] - starts[1:-1]) / np.median(np.diff(starts)) < 0.45
    assert (~mask.any(axis=1)).mean() > 0.2


@pytest.mark.parametrize("path", data_files("cheering/*.bvh"), ids=label)
def test_real_cheering_is_mostly_planted(path: Path) -> None:
    mask = contact_mask(read(path))
    assert mask.mean() > 0.7
    assert mask.any(axis=1).all()


@pytest.mark.parametrize("path", data_files("swim/*.bvh") + data_files("cyclic/swim*.bvh"), ids=label)
def test_real_swimmers_on_their_support_do_not_stand(path: Path) -> None:
    assert not contact_mask(read(path)).any()


@pytest.mark.parametrize("name", ["walk/walk_1", "jump/jump_1", "cyclic/run_circle_10s", "cyclic/walk8_11s"])
def test_real_contacts_do_not_depend_on_the_frame_rate(data: Path, name: str) -> None:
    clip = read(data / f"{name}.bvh")
    wanted = contact_mask(clip)
    for fps in (30, 120):
        mask = contact_mask(resample(clip, fps))
        places = np.minimum(np.round(np.arange(len(clip)) * fps / 60).astype(int), len(mask) - 1)
        assert (mask[places] == wanted).mean() > 0.95
        assert len(foot_contacts(resample(clip, fps))) == len(foot_contacts(clip))


def test_nobody_who_lies_or_swims_stands(data: Path) -> None:
    """Swimmers of two people, one of whom has slow toes for a third of the time; and all walkers stand."""
    for path in sorted((data / "swim").glob("*.bvh")) + sorted((data / "validation" / "swim126").glob("*.bvh")):
        assert not contact_mask(ft.read(path)).any(), path
    for path in sorted((data / "walk").glob("*.bvh")) + sorted((data / "style").glob("crouched*.bvh")):
        assert contact_mask(ft.read(path)).mean() > 0.5, path

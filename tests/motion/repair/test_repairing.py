"""After a repair its finding is gone, and all that was sound is as it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.errors import UsageError
from freshtake.motion import Clip, PointClip, Stroke
from freshtake.motion.channels import channels_from_clip, clip_from_channels
from freshtake.motion.check import check
from freshtake.motion.check.checking import rotation_columns
from freshtake.motion.check.checks import check_shaking, shaking
from freshtake.motion.edit import concatenate, turned, with_up
from freshtake.motion.repair import (
    REPAIRS,
    drop_frozen,
    drop_tpose,
    drop_unseen,
    even_times,
    fill_frozen,
    fix_spikes,
    relabel_fps,
    reorder_root,
    repair,
    unwrap,
)
from freshtake.numeric.rotations import IDENTITY, about_axis, angle_between, equivalent, from_rotvec, multiply
from tests.motion.check.test_checking import SOUND, codes, jump, with_values
from tests.motion.puppet import SKELETON, steady, walk, with_channels


def same_motion(a: Clip, b: Clip, tolerance: float = 1e-9) -> bool:
    return len(a) == len(b) and float(np.abs(a.positions() - b.positions()).max()) < tolerance


def consistent(clip: Clip) -> bool:
    """Whether the channels describe the clip's own motion."""
    if clip.channels is None:
        return True
    return same_motion(clip_from_channels(clip.skeleton, clip.channels, clip.frame_time), clip)


def broken_angles() -> Clip:
    values = np.array(SOUND.channels)
    columns = rotation_columns(SKELETON)
    values[50:90, columns[SKELETON.index("LeftArm")][0]] += 360.0
    arm = columns[SKELETON.index("RightArm")]
    values[70:, arm] = np.degrees(equivalent(np.radians(values[70:, arm]), "ZYX"))
    return with_values(SOUND, values)


def test_drop_tpose() -> None:
    rest = SOUND.changed(root=SOUND.root[:1], rotations=np.tile(IDENTITY, (1, len(SKELETON), 1)))
    clip = concatenate([with_channels(rest), SOUND], align=False)
    fixed = repair(clip, "drop-tpose")
    assert codes(clip) == {"tpose"} and codes(fixed) == set()
    np.testing.assert_array_equal(fixed.rotations, clip.rotations[1:])
    assert fixed.channels is not None and consistent(fixed)
    assert fixed.provenance.endswith("; drop-tpose")
    assert drop_tpose(SOUND) is SOUND


def test_unwrap_makes_angles_continuous_and_leaves_the_motion() -> None:
    clip = broken_angles()
    assert {"wrap", "flip"} <= codes(clip)
    fixed = repair(clip, ["unwrap"])
    assert codes(fixed) == set()
    np.testing.assert_array_equal(fixed.rotations, clip.rotations)
    np.testing.assert_array_equal(fixed.root, clip.root)
    assert consistent(fixed)
    assert np.abs(np.diff(fixed.channels, axis=0)).max() < 90
    touched = (fixed.channels != clip.channels).any(axis=0)
    owners = [name for name, columns in zip(SKELETON.names, SKELETON.channels, strict=True) for _ in columns]
    assert {owners[k] for k in np.flatnonzero(touched)} == {"LeftArm", "RightArm"}
    assert unwrap(SOUND) is SOUND
    assert unwrap(SOUND.changed(channels=None)).channels is None


@pytest.mark.parametrize("up", ["y", "z"])
def test_reorder_root_frees_it_from_gimbal_lock(up: str) -> None:
    if up == "y":
        clip = with_channels(turned(SOUND, np.pi / 2))
    else:
        raised = turned(with_up(SOUND, "z"), 0.0)
        clip = with_channels(
            raised.changed(
                skeleton=replace(
                    SKELETON,
                    orders=("XYZ", *SKELETON.orders[1:]),
                    channels=(("tx", "ty", "tz", "rx", "ry", "rz"), *SKELETON.channels[1:]),
                )
            )
        )
    fixed = reorder_root(clip)
    assert fixed.skeleton.orders[0][0] == up.upper()
    assert "gimbal" not in codes(fixed)
    np.testing.assert_array_equal(fixed.rotations, clip.rotations)
    assert consistent(fixed) and fixed.channels is not None
    others = [k for k in range(clip.skeleton.channel_count) if k not in rotation_columns(clip.skeleton)[0]]
    np.testing.assert_array_equal(fixed.channels[:, others], np.array(clip.channels)[:, others])
    assert same_motion(clip_from_channels(*channels_from_clip(fixed), fixed.frame_time), clip)


def test_reorder_root_finds_another_order_for_who_lies_on_the_side() -> None:
    rotations = SOUND.rotations.copy()
    tumble = about_axis([1.0, 0, 0], np.linspace(0, np.pi, len(SOUND)))  # passes through 90° of pitch
    rotations[:, 0] = multiply(tumble, rotations[:, 0])
    fixed = reorder_root(SOUND.changed(rotations=rotations))
    assert "gimbal" not in codes(fixed)


def test_frozen_frames_are_dropped_or_filled() -> None:
    rows = np.concatenate([np.arange(40), np.full(5, 40), np.arange(41, 99), [98], np.arange(99, 181), [180, 180]])
    clip = with_values(SOUND, np.array(SOUND.channels)[rows])
    dropped = repair(clip, "drop-frozen")
    assert codes(dropped) == set() and consistent(dropped) and dropped.channels is not None
    assert same_motion(dropped, SOUND)
    single = with_values(SOUND, np.array(SOUND.channels)[np.where(np.arange(181) == 60, 59, np.arange(181))])
    filled = repair(single, "fill-frozen")
    assert codes(single) == {"duplicate-frame"} and codes(filled) == set()
    assert same_motion(filled, SOUND, 0.005)  # nearly what was there
    kept = np.arange(181) != 60
    np.testing.assert_array_equal(filled.rotations[kept], single.rotations[kept])
    assert codes(repair(clip, "fill-frozen")) <= {"spike"} and "frozen" not in codes(fill_frozen(clip))
    assert drop_frozen(SOUND) is SOUND


@pytest.mark.parametrize("joint", ["RightUpLeg", "Hips"])
def test_spikes_are_bridged(joint: str) -> None:
    rotations = SOUND.rotations.copy()
    number = SKELETON.index(joint)
    rotations[80:84, number] = multiply(rotations[80:84, number], about_axis([0, 0, 1.0], 1.2))
    clip = SOUND.changed(rotations=rotations)
    fixed = repair(clip, "fix-spikes")
    assert "spike" in codes(clip) and codes(fixed) == set()
    assert same_motion(fixed, SOUND, 0.03)  # nearly what was there before the spike
    others = [j for j in range(len(SKELETON)) if j != number]
    np.testing.assert_array_equal(fixed.rotations[:, others], clip.rotations[:, others])
    outside = np.r_[0:76, 86:181]
    np.testing.assert_array_equal(fixed.rotations[outside], clip.rotations[outside])
    np.testing.assert_array_equal(fixed.root, clip.root)
    assert fixed.channels is None
    assert fix_spikes(SOUND) is SOUND


def test_a_swap_that_lasts_is_spread_until_it_is_plausible() -> None:
    rotations = SOUND.rotations.copy()
    rotations[80:, 0] = multiply(rotations[80:, 0], about_axis([0, 0, 1.0], 0.9))
    root = SOUND.root.copy()
    root[80:] += [0.4, 0.0, 0.0]
    clip = SOUND.changed(rotations=rotations, root=root)
    fixed = repair(clip, "fix-spikes")
    assert "spike" in codes(clip) and "spike" not in codes(fixed)
    outside = np.r_[0:64, 97:181]
    np.testing.assert_array_equal(fixed.rotations[outside], clip.rotations[outside])


def test_relabel_fps_keeps_the_frames() -> None:
    wrong = replace(jump(), frame_time=1 / 120)
    (finding,) = [f for f in check(wrong) if f.code == "fps"]
    assert finding.repair is not None
    fixed = repair(wrong, finding.repair)
    assert fixed.fps == 60.0 and "fps" not in codes(fixed)
    np.testing.assert_array_equal(fixed.rotations, wrong.rotations)
    assert relabel_fps(SOUND, 24).channels is not None
    with pytest.raises(UsageError, match="above 0"):
        relabel_fps(SOUND, 0)


def test_points_and_strokes() -> None:
    positions = np.cumsum(np.random.default_rng(0).normal(size=(40, 3, 3)), axis=0)
    positions[3:7, 1] = np.nan
    positions[:, 2] = np.nan
    clip = PointClip(("a", "b", "c"), positions, 0.01, name="cloud")
    fixed = repair(clip, [f.repair for f in check(clip) if f.repair])
    assert check(fixed) == [] and fixed.names == ("a", "b")
    np.testing.assert_array_equal(fixed.positions[7:], positions[7:, :2])
    with pytest.raises(UsageError, match="ever seen"):
        drop_unseen(PointClip(("a",), np.full((3, 1, 3), np.nan), 0.1))
    stroke = Stroke(np.array([[0.0, 0], [1, 0], [1, 1]]), np.array([0.0, 0.1, 0.5]))
    assert check(even_times(stroke)) == []


def test_requests_that_make_no_sense_are_refused() -> None:
    for wrong, word in [
        ("mend", "the repairs are drop-tpose"),
        ("relabel-fps", "takes a number"),
        ("relabel-fps=fast", "takes a number"),
        ("unwrap=3", "takes no value"),
        ("fill-gaps", "for a point clip"),
    ]:
        with pytest.raises(UsageError, match=word):
            repair(SOUND, wrong)
    assert repair(SOUND, []) is SOUND


def test_every_finding_names_a_repair_that_exists() -> None:
    assert all(name == entry.name and entry.title for name, entry in REPAIRS.items())
    for clip in (broken_angles(), walk(steady(2.0, 121))):
        for finding in check(clip):
            assert finding.repair is None or finding.repair.partition("=")[0] in REPAIRS


@pytest.mark.parametrize("name", ["cmu_35_04_original_120hz_tpose", "flip_arm", "gimbal_root", "spike", "wrap_thumb"])
def test_real_trouble_is_repaired(data: Path, name: str) -> None:
    clip = ft.read(data / f"quality/{name}.bvh")
    assert isinstance(clip, Clip)
    asked = list(dict.fromkeys(finding.repair for finding in check(clip) if finding.repair))
    fixed = repair(clip, asked)
    assert codes(fixed) == set()
    assert consistent(fixed)
    assert all(word in fixed.provenance for word in asked)
    if name in ("flip_arm", "gimbal_root"):
        np.testing.assert_array_equal(fixed.rotations, clip.rotations)
    if name == "cmu_35_04_original_120hz_tpose":
        np.testing.assert_array_equal(fixed.channels, np.array(clip.channels)[1:])
    if name == "spike":
        changed = angle_between(fixed.rotations, clip.rotations).max(axis=1) > 1e-9
        assert 4 <= changed.sum() <= 30 and changed[35:38].all()


def test_shaking_by_less_than_a_degree_in_all_is_found() -> None:
    """0.7° in any direction are 0.4° about each axis."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        clean = ft.samples.walk(rng)
        noise = np.radians(0.7 / np.sqrt(3.0)) * rng.normal(size=(*clean.rotations.shape[:2], 3))
        noisy = clean.changed(rotations=multiply(clean.rotations, from_rotvec(noise)))
        assert [finding.code for finding in check_shaking(noisy)] == ["shaking"]


@pytest.mark.parametrize("fps", [24.0, 60.0, 120.0])
@pytest.mark.parametrize("make", [ft.samples.walk, ft.samples.punch])
def test_joints_that_shake_are_found_and_smoothed(make: Callable[..., Clip], fps: float) -> None:
    """White noise of 0.7° in every joint, as from a poor tracker; clean motion is not noise, however fast."""
    clean = make(np.random.default_rng(1), fps=fps)
    noise = np.radians(0.7) * np.random.default_rng(0).normal(size=(*clean.rotations.shape[:2], 3))
    noisy = clean.changed(rotations=multiply(clean.rotations, from_rotvec(noise)))
    assert check_shaking(clean) == []
    (finding,) = check_shaking(noisy)
    assert finding.repair == "smooth" and "joints shake by 0." in finding.sentence
    assert np.degrees(shaking(noisy)) == pytest.approx(0.8, abs=0.1)
    smoothed = repair(noisy, "smooth")

    def jerk(clip: Clip) -> float:
        return float(np.abs(np.diff(clip.positions(), n=3, axis=0)).mean())

    assert check_shaking(smoothed) == []
    if fps >= 60.0:
        assert jerk(smoothed) < 0.2 * jerk(noisy)
    error = np.linalg.norm(smoothed.positions() - clean.positions(), axis=-1)
    assert error.mean() < 0.9 * np.linalg.norm(noisy.positions() - clean.positions(), axis=-1).mean() or fps < 60.0

"""What can be done to a clip, by law: slicing, laying on, resampling, mirroring, turning, scaling."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from freshtake.errors import InvalidMotion, SkeletonMismatch, UsageError
from freshtake.motion import Clip, Skeleton
from freshtake.motion.body.roles import mirror_pairs
from freshtake.motion.edit import (
    aligned_to,
    concatenate,
    heading,
    mirror,
    moved,
    resample,
    sampled_at,
    scaled,
    start_at_origin,
    take_frames,
    turned,
    with_up,
)
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import about_axis, angle_between, multiply, rotate
from tests.motion.random_motion import clip_groups, humanoid, random_clip

seeds = st.integers(0, 2**32 - 1)


def upright(seed: int, frames: int = 20, up: str = "y", moving: bool = False) -> Clip:
    """A clip that leans a little and turns about the vertical, so its heading is well defined."""
    rng = np.random.default_rng(seed)
    clip = random_clip(rng, humanoid(), frames, up=up, moving=moving, name=f"clip{seed % 97}")
    vertical = np.eye(3)[clip.up_index]
    lean = about_axis(np.array([1.0, 0.0, 0.0]), rng.uniform(-0.4, 0.4, frames))
    spin = about_axis(vertical, rng.uniform(-3, 3) + np.cumsum(rng.normal(0, 0.2, frames)))
    rotations = clip.rotations.copy()
    rotations[:, 0] = multiply(spin, lean)
    return clip.changed(rotations=rotations)


def ground(clip: Clip) -> Floats:
    return np.delete(clip.root, clip.up_index, axis=1)


@given(seeds, st.integers(-25, 25), st.integers(-25, 25), st.integers(1, 4))
def test_taking_frames_is_slicing(seed: int, start: int, stop: int, step: int) -> None:
    clip = upright(seed, moving=bool(seed % 2))
    clip = clip.changed(channels=np.arange(20 * 36.0).reshape(20, 36))
    rows = np.arange(20)[start:stop:step]
    if len(rows) == 0:
        with pytest.raises(UsageError, match="leave nothing of clip"):
            take_frames(clip, start, stop, step)
        return
    part = take_frames(clip, start, stop, step)
    np.testing.assert_array_equal(part.positions(), clip.positions()[rows])
    assert part.channels is not None
    assert clip.channels is not None
    np.testing.assert_array_equal(part.channels, clip.channels[rows])
    assert part.frame_time == clip.frame_time * step
    assert "frames" in part.provenance


@pytest.mark.parametrize("step", [0, -1])
def test_a_step_below_one_is_refused(step: int) -> None:
    with pytest.raises(UsageError, match="leave nothing"):
        take_frames(upright(1), 0, None, step)


@given(seeds, st.sampled_from("yz"), st.floats(-9, 9))
def test_turning_adds_to_the_heading_and_keeps_the_shape(seed: int, up: str, angle: float) -> None:
    clip = upright(seed, up=up)
    other = turned(clip, angle)
    gained = heading(other) - heading(clip) - angle
    np.testing.assert_allclose(gained, 2 * np.pi * np.round(gained / (2 * np.pi)), atol=1e-9)
    vertical = np.eye(3)[clip.up_index]
    np.testing.assert_allclose(other.positions(), rotate(about_axis(vertical, angle), clip.positions()), atol=1e-9)
    np.testing.assert_allclose(turned(other, -angle).positions(), clip.positions(), atol=1e-9)
    still = turned(clip, angle, pivot=clip.root[3])
    np.testing.assert_allclose(still.root[3], clip.root[3], atol=1e-12)


def test_heading_is_continuous_and_counts_from_a_reference() -> None:
    frames, lying = 90, about_axis([1.0, 0.0, 0.0], 1.5)
    spin = np.linspace(0.0, 15.0, frames)
    rotations = np.zeros((frames, 11, 4))
    rotations[..., 0] = 1.0
    rotations[:, 0] = multiply(about_axis([0.0, 1.0, 0.0], spin), lying)
    clip = Clip(humanoid(), 0.1, np.zeros((frames, 3)), rotations)
    np.testing.assert_allclose(heading(clip, lying), spin, atol=1e-9)


@given(seeds, st.sampled_from("yz"))
def test_starting_at_the_origin(seed: int, up: str) -> None:
    clip = upright(seed, up=up)
    there = start_at_origin(clip)
    np.testing.assert_allclose(ground(there)[0], 0.0, atol=1e-12)
    assert heading(there)[0] == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(there.root[:, clip.up_index], clip.root[:, clip.up_index])
    np.testing.assert_allclose(start_at_origin(there).positions(), there.positions(), atol=1e-9)
    anywhere = moved(turned(clip, 1.3), np.delete(np.array([3.0, 0.0, 4.0, 0.0]), 1 if up == "z" else 3))
    np.testing.assert_allclose(start_at_origin(anywhere).positions(), there.positions(), atol=1e-9)
    facing = start_at_origin(clip, face=False)
    assert angle_between(facing.rotations, clip.rotations).max() < 1e-7


@given(seeds, st.sampled_from("yz"))
def test_laying_one_clip_on_another(seed: int, up: str) -> None:
    first, second = upright(seed, 8, up), upright(seed + 1, 6, up)
    laid = aligned_to(second, first)
    np.testing.assert_allclose(ground(laid)[0], ground(first)[-1], atol=1e-9)
    gap = heading(laid)[0] - heading(first)[-1]
    assert abs(gap - 2 * np.pi * round(gap / (2 * np.pi))) < 1e-9
    np.testing.assert_allclose(laid.root[:, first.up_index], second.root[:, first.up_index], atol=1e-12)
    both = concatenate([first, second])
    assert len(both) == 14
    np.testing.assert_allclose(both.positions()[:8], first.positions(), atol=1e-12)
    np.testing.assert_allclose(both.positions()[8:], laid.positions(), atol=1e-9)
    assert len(concatenate([first, second, second], skip_repeated=True)) == 8 + 5 + 5
    apart = concatenate([first, second], align=False)
    np.testing.assert_allclose(apart.positions()[8:], second.positions(), atol=1e-12)


def test_cutting_and_laying_on_again_is_the_whole() -> None:
    clip = upright(5, 30).changed(channels=np.ones((30, 36)))
    parts = [take_frames(clip, 0, 11), take_frames(clip, 10, 21), take_frames(clip, 20)]
    whole = concatenate(parts, skip_repeated=True)
    np.testing.assert_allclose(whole.positions(), clip.positions(), atol=1e-9)
    kept = concatenate([take_frames(clip, 0, 11), take_frames(clip, 11)], align=False)
    assert kept.channels is not None
    assert whole.channels is None


def test_what_cannot_be_concatenated() -> None:
    clip = upright(6).changed(name="a")
    with pytest.raises(UsageError, match="nothing to concatenate"):
        concatenate([])
    with pytest.raises(UsageError, match="b has 30 fps and a 60: resample"):
        concatenate([clip, resample(clip, 30).changed(name="b")])
    with pytest.raises(UsageError, match="b has z up and a y"):
        concatenate([clip, with_up(clip, "z").changed(name="b")])
    other = Skeleton(("x",), [-1], np.zeros((1, 3)))
    with pytest.raises(SkeletonMismatch, match="'Hips'"):
        concatenate([clip, random_clip(np.random.default_rng(1), other, 3)])


def test_moving_joints_of_one_clip_survive_in_the_whole() -> None:
    plain, moving = upright(7), upright(8, moving=True)
    both = concatenate([plain, moving], align=False)
    np.testing.assert_allclose(both.positions()[:20], plain.positions())
    np.testing.assert_allclose(both.positions()[20:], moving.positions())


@given(clip_groups(6), st.integers(2, 5))
def test_a_multiple_of_the_rate_keeps_the_frames_and_comes_back(clips: list[Clip], times: int) -> None:
    clip = clips[0]
    dense = resample(clip, clip.fps * times)
    assert len(dense) == (len(clip) - 1) * times + 1
    np.testing.assert_allclose(dense.positions()[::times], clip.positions(), atol=1e-9)
    back = resample(dense, clip.fps)
    assert len(back) == len(clip)
    np.testing.assert_allclose(back.positions(), clip.positions(), atol=1e-9)
    assert back.frame_time == pytest.approx(clip.frame_time)


def test_between_frames_joints_turn_at_constant_speed() -> None:
    clip = take_frames(upright(9), 0, 2)
    dense = resample(clip, clip.fps * 10)
    steps = angle_between(dense.rotations[1:], dense.rotations[:-1])
    np.testing.assert_allclose(steps, np.broadcast_to(steps[0], steps.shape), rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(
        np.diff(dense.root, axis=0), np.broadcast_to((clip.root[1] - clip.root[0]) / 10, (10, 3))
    )


def test_resampling_bounds_and_channels() -> None:
    clip = upright(10, 21).changed(channels=np.ones((21, 36)))
    assert resample(clip, 60.0) is clip
    assert resample(clip, 24.0).channels is None
    assert (len(resample(clip, 24.0)), resample(clip, 24.0).fps) == (9, 24.0)
    assert len(resample(take_frames(clip, 0, 1), 1000.0)) == 1
    for fps in (0.0, -5.0, float("nan"), float("inf")):
        with pytest.raises(UsageError, match="fps must be above 0"):
            resample(clip, fps)
    with pytest.raises(UsageError, match="too many"):
        resample(clip, 5e7)
    for fps in (1e-308, 1e-5, 1e12, 1e308):
        with pytest.raises(UsageError, match=r"fps is too far from the 60 fps of the motion"):
            resample(clip, fps)


def test_reading_between_frames() -> None:
    clip = upright(11, 5, moving=True)
    at = sampled_at(clip, np.array([0.0, 4.0, 2.0]))
    np.testing.assert_allclose(at.positions(), clip.positions()[[0, 4, 2]], atol=1e-12)
    for places in ([-0.1], [4.001], [np.nan]):
        with pytest.raises(InvalidMotion, match=r"outside the clip's 0\.\.4"):
            sampled_at(clip, np.array(places))


@given(seeds, st.booleans(), st.sampled_from("yz"))
def test_mirroring(seed: int, moving: bool, up: str) -> None:
    clip = random_clip(np.random.default_rng(seed), humanoid(), 4, moving=moving, up=up)
    other = mirror(clip)
    np.testing.assert_allclose(mirror(other).positions(), clip.positions(), atol=1e-12)
    partner = mirror_pairs(clip.skeleton)
    reflected = clip.positions()[:, partner] * np.array([-1.0, 1.0, 1.0])
    np.testing.assert_allclose(other.positions(), reflected, atol=1e-9)
    assert (partner != np.arange(11)).sum() == 8


def test_mirroring_across_other_planes() -> None:
    clip = upright(12)
    with pytest.raises(UsageError, match="cannot be mirrored along z: at rest its joint"):
        mirror(clip, "z")
    bones = clip.skeleton
    sideways = replace(bones, offsets=bones.offsets[:, [2, 1, 0]])
    other = mirror(clip.changed(skeleton=sideways), "z")
    reflected = clip.changed(skeleton=sideways).positions()[:, mirror_pairs(bones)] * np.array([1.0, 1.0, -1.0])
    np.testing.assert_allclose(other.positions(), reflected, atol=1e-9)
    with pytest.raises(UsageError, match="vertical axis y"):
        mirror(clip, "y")
    with pytest.raises(UsageError, match="one of x, y, z"):
        mirror(clip, "left")


@given(clip_groups(6), st.floats(0.01, 100))
def test_scaling_scales_everything(clips: list[Clip], factor: float) -> None:
    clip = clips[0].changed(unit_m=0.01)
    large = scaled(clip, factor)
    np.testing.assert_allclose(large.positions(), clip.positions() * factor, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(large.end_positions(), clip.end_positions() * factor, rtol=1e-9, atol=1e-9)
    assert large.unit_m == pytest.approx(0.01 / factor)
    np.testing.assert_array_equal(large.rotations, clip.rotations)


@pytest.mark.parametrize("factor", [0.0, -1.0, float("nan")])
def test_scaling_by_nothing_is_refused(factor: float) -> None:
    with pytest.raises(UsageError, match="above 0"):
        scaled(upright(1), factor)


@given(clip_groups(6))
def test_the_other_axis_up_and_back(clips: list[Clip]) -> None:
    clip = clips[0]
    other = with_up(clip, "z" if clip.up == "y" else "y")
    np.testing.assert_allclose(other.positions()[..., other.up_index], clip.positions()[..., clip.up_index], atol=1e-9)
    np.testing.assert_allclose(with_up(other, clip.up).positions(), clip.positions(), atol=1e-9)
    assert with_up(clip, clip.up) is clip
    with pytest.raises(InvalidMotion, match="up must be"):
        with_up(clip, "x")

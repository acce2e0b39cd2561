from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.errors import InvalidMotion, SkeletonMismatch, UsageError
from freshtake.motion import Skeleton, Stroke
from freshtake.motion.edit import resample, take_frames
from freshtake.motion.planting.contacts import contact_mask
from freshtake.style import WarpSettings, align, warp
from freshtake.style.warping.alignment import Alignment
from tests.style.warping.known_warps import known_pair, smooth_time, walk_clip

PAIRS = [known_pair(seed) for seed in range(6)]


def timing_error(settings: WarpSettings) -> float:
    return float(np.mean([np.abs(align(u, y, settings).path - truth).mean() for u, y, truth in PAIRS]))


def test_known_warps_are_found_and_better_than_by_dynamic_time_warping() -> None:
    ours = timing_error(WarpSettings())
    assert ours <= 0.3
    assert ours <= timing_error(WarpSettings(method="dtw-1", scale="raw")) / 3.0
    assert ours <= timing_error(WarpSettings(method="dtw-1", scale="zscore"))


def test_space_warp_makes_the_difference() -> None:
    assert timing_error(WarpSettings()) < 0.5 * timing_error(WarpSettings(method="time-warp"))


def test_unit_and_origin_of_arrays_do_not_matter() -> None:
    u, y, _ = PAIRS[0]
    np.testing.assert_allclose(align(1000.0 * u + 5e4, 1000.0 * y).path, align(u, y).path)


def consistent(found: Alignment, frames: int, rows: int) -> None:
    assert len(found) == len(found.steps) == len(found.differential) == len(found.scale) == frames
    assert found.rows == rows
    assert found.path[0] == 0.0
    assert found.path[-1] == rows - 1.0
    assert (np.diff(found.path) > 0.0).all()
    assert found.steps.min() > 0.0
    assert found.differential.sum() == pytest.approx(rows)
    assert found.steps.sum() == pytest.approx(rows)


@pytest.mark.parametrize("method", ["imw", "time-warp", "dtw-1", "dtw-3"])
@pytest.mark.parametrize("scale", ["auto", "raw", "zscore"])
def test_every_method_gives_a_whole_warp(method: str, scale: str) -> None:
    u, y, _ = PAIRS[1]
    consistent(align(u[:100], y[:140], WarpSettings(method=method, scale=scale)), 100, 140)


def test_warping_back_and_forth() -> None:
    u, y, truth = PAIRS[2]
    found = align(u, y)
    laid = warp(y, found)
    assert laid.shape == u.shape
    back = warp(laid, replace(found, first=(0, len(u)), second=(0, len(y))), onto="second")
    assert np.abs(back - y)[5:-5].mean() < 0.02
    again = np.interp(found.inverse_path, np.arange(len(u)), found.path)
    np.testing.assert_allclose(again, np.arange(len(y)), atol=1e-9)
    assert np.abs(found.inverse_path - np.interp(np.arange(len(y)), truth, np.arange(len(u)))).mean() < 0.5


def test_cyclic_clips_are_cut_at_equal_phase() -> None:
    normal, crouch = walk_clip(1), walk_clip(2, style="crouch", cycles=4.0)
    late = take_frames(crouch, 25)  # begins at another phase than the normal walk
    found = align(normal, late)
    for clip, (start, stop) in ((normal, found.first), (late, found.second)):
        assert stop - start > 2 * len(normal) // 3
        assert stop <= len(clip)
    masks = contact_mask(normal)[slice(*found.first)], contact_mask(late)[slice(*found.second)]
    agreed = masks[0] == masks[1][np.rint(found.path).astype(int)]
    assert agreed.mean() > 0.93
    whole = align(normal, late, WarpSettings(cut="never"))
    assert whole.first == (0, len(normal))
    assert whole.second == (0, len(late))


def test_a_warped_clip_is_in_step() -> None:
    normal, crouch = walk_clip(1), walk_clip(2, style="crouch")
    found = align(normal, crouch)
    laid = warp(crouch, found)
    assert len(laid) == len(found)
    assert laid.skeleton == crouch.skeleton
    np.testing.assert_allclose(laid.rotations[0], take_frames(crouch, found.second[0]).rotations[0], atol=1e-12)
    assert len(warp(normal, found, onto="second")) == found.rows


def test_strokes() -> None:
    letter = ft.samples.letter_a(np.random.default_rng(0))
    time = smooth_time(np.random.default_rng(1), len(letter))
    points = np.stack([np.interp(time, np.arange(len(letter)), column) for column in letter.points.T], axis=1)
    other = Stroke(3.0 * points + 10.0, letter.times, letter.dimensions, "other")
    found = align(letter, other)
    assert np.abs(found.path - np.interp(np.arange(len(letter)), time, np.arange(len(letter)))).mean() < 1.0
    laid = warp(other, found)
    assert isinstance(laid, Stroke)
    assert np.abs((laid.points - 10.0) / 3.0 - letter.points).mean() < 0.03 * np.ptp(letter.points)


def test_identical_motions_get_no_warp() -> None:
    clip = walk_clip(3)
    found = align(clip, clip)
    np.testing.assert_allclose(found.path, np.arange(len(found)), atol=1e-9)
    np.testing.assert_allclose(found.steps, 1.0)


def test_the_rate_does_not_matter() -> None:
    pair = walk_clip(1, fps=60.0), walk_clip(2, fps=60.0, style="crouch")
    found = [align(*(resample(clip, fps) for clip in pair)) for fps in (60.0, 120.0)]
    seconds = [np.arange(0.2, 2.0, 0.1) for _ in found]
    starts = [(a.first[0] / fps, a.second[0] / fps) for a, fps in zip(found, (60.0, 120.0), strict=True)]
    curves = [
        np.interp((t - at[0]) * fps, np.arange(len(a)), a.path) / fps + at[1]
        for a, fps, t, at in zip(found, (60.0, 120.0), seconds, starts, strict=True)
    ]
    assert np.abs(curves[0] - curves[1]).max() < 0.035
    assert np.abs(curves[0] - curves[1]).mean() < 0.012
    assert found[1].cost == pytest.approx(found[0].cost, rel=0.15)  # as stiff in seconds, not in frames


def test_progress_is_told() -> None:
    told: list[float] = []
    align(*PAIRS[0][:2], report=lambda progress: told.append(progress.share))
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_refusals() -> None:
    u = np.random.default_rng(0).normal(size=(20, 3))
    broken = u.copy()
    broken[4, 1] = np.nan
    cases = [
        (lambda: align(u[:3], u), UsageError, "too short"),
        (lambda: align(u, broken), InvalidMotion, "second motion is nan in frame 4, DOF 1"),
        (lambda: align(u, u[:, :2]), UsageError, "3 and 2 DOFs"),
        (lambda: align(u[:5], u), UsageError, "slope limit"),
        (lambda: align(u, u[:, 0]), InvalidMotion, "shape"),
        (lambda: align(u, walk_clip(0)), UsageError, "cannot be aligned"),  # type: ignore[arg-type]
        (lambda: align(u[:5], u, WarpSettings(method="dtw-3")), UsageError, "slope limit"),
        (lambda: warp(u[:5], align(u, u)), UsageError, "at least 20 frames"),
        (lambda: warp(u, align(u, u), onto="third"), UsageError, "first or second"),
    ]
    for act, kind, words in cases:
        with pytest.raises(kind, match=words) as caught:
            act()
        assert "\n" not in str(caught.value)


def test_different_skeletons_are_refused() -> None:
    walk = walk_clip(0)
    names = tuple(f"x{name}" for name in walk.skeleton.names)
    other = Skeleton(names, walk.skeleton.parents, walk.skeleton.offsets)
    with pytest.raises(SkeletonMismatch, match="different skeletons"):
        align(walk, walk.changed(skeleton=other))


@pytest.mark.parametrize(
    "wrong",
    [
        {"slope": 1}, {"slope": 9}, {"smoothness": 0.0}, {"pull": -1.0}, {"rounds": 0}, {"scale": "no"},
        {"method": "x"}, {"cut": "maybe"}, {"smoothing": -1.0}, {"offset_smoothness": float("nan")},
    ],
)  # fmt: skip
def test_settings_are_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        WarpSettings(**wrong)  # type: ignore[arg-type]


def test_recorded_styles(data: Path) -> None:
    normal, crouched = (ft.read(data / "style" / f"{name}_1.bvh") for name in ("normal", "crouched"))
    agreed = {}
    for method in ("imw", "dtw-1"):
        found = align(normal, crouched, WarpSettings(method=method))
        masks = contact_mask(normal)[slice(*found.first)], contact_mask(crouched)[slice(*found.second)]
        agreed[method] = float((masks[0] == masks[1][np.rint(found.path).astype(int)]).mean())
    assert agreed["imw"] > 0.95
    assert agreed["imw"] > agreed["dtw-1"] + 0.1


def test_recorded_actions_that_do_not_recur(data: Path) -> None:
    """Throws are neither cyclic nor walked: aligned from end to end, with the hand's fastest moments together."""
    throws = [ft.read(data / "throw" / f"throw_{number}.bvh") for number in (1, 2)]
    found = align(*throws)
    assert found.first == (0, len(throws[0]))
    hands = [clip.positions()[:, clip.skeleton.index("LeftHand")] for clip in throws]
    fastest = [int(np.linalg.norm(np.diff(hand, axis=0), axis=1).argmax()) for hand in hands]
    assert abs(found.path[fastest[0]] - fastest[1]) <= 4.0

"""Redrawn stretches: kept frames stay the same to the bit, joins are smooth, standing feet stay put."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import freshtake as ft
from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.body.roles import leg_length
from freshtake.motion.cycles.seams import steps_of
from freshtake.variation import VariationModel, learn
from freshtake.variation.redrawing import (
    chosen_columns,
    chosen_joints,
    draw_weights,
    mixing_angle,
)
from freshtake.variation.standing import feet_of
from freshtake.variation.stretches import coded_clip, phases_of, strain_of, track_along


@cache
def walking() -> VariationModel:
    return learn([ft.samples.walk(np.random.default_rng(k), cycles=1) for k in range(4)], cyclic=True)


def further(cycles: int = 1, seed: int = 9) -> Clip:
    return ft.samples.walk(np.random.default_rng(seed), cycles=cycles)


@pytest.mark.parametrize("cycles", [1, 4])
def test_frames_outside_the_stretch_are_kept_to_the_bit_and_those_inside_differ(cycles: int) -> None:
    clip, model = further(cycles), walking()
    first, stop = len(clip) // 3, 2 * len(clip) // 3
    new = model.redraw(clip, (first, stop), np.random.default_rng(1))
    kept = np.r_[0:first, stop : len(clip)]
    assert np.array_equal(new.root[kept], clip.root[kept])
    assert np.array_equal(new.rotations[kept], clip.rotations[kept])
    moved = np.linalg.norm(new.positions() - clip.positions(), axis=2).mean(axis=1) / leg_length(clip.skeleton)
    assert moved[(first + stop) // 2] > 1e-3
    assert not np.array_equal(model.redraw(clip, (first, stop), np.random.default_rng(2)).rotations, new.rotations)


def test_joins_are_as_smooth_as_takes() -> None:
    model = walking()
    takes = [np.concatenate(part) for part in zip(*map(steps_of, model.clips), strict=True)]
    step, bend = (np.percentile(part, 99) for part in takes)
    for seed in range(12):
        clip = further(2, seed)
        first = 10 + 3 * seed
        stop = first + 25 + seed
        made = steps_of(model.redraw(clip, (first, stop), np.random.default_rng(seed)))
        own = steps_of(clip)
        for end in (first, stop):
            assert made.step[end - 1] <= 1.05 * max(step, own.step[end - 1])
            assert made.bend[end - 2 : end].max() <= 1.2 * max(bend, own.bend[end - 2 : end].max())


def test_feet_that_stand_at_an_end_of_the_stretch_stay_where_they_stand() -> None:
    model, clip = walking(), further(2)
    assert model.planting_model is not None
    before = feet_of(clip, model.planting_model)
    foot = 0
    first = int(np.flatnonzero(before.stands[20:, foot])[0]) + 23  # within a stand
    assert before.stands[first - 2 : first + 4, foot].all()
    spans = np.flatnonzero(~before.stands[first:, foot])
    until = first + int(spans[0]) if len(spans) else len(clip)
    new = model.redraw(clip, (first, len(clip) - 10), np.random.default_rng(3), amount=2.0)
    after = feet_of(new, model.planting_model)
    moved = np.linalg.norm(after.ankles[first:until, foot] - before.ankles[first:until, foot], axis=1)
    free = model.redraw(clip, (first, len(clip) - 10), np.random.default_rng(3), amount=2.0, plant=False)
    slid = np.linalg.norm(feet_of(free, model.planting_model).ankles[:, foot] - before.ankles[:, foot], axis=1)
    assert moved.max() < 0.01 * leg_length(clip.skeleton)
    assert moved.max() < slid[first:until].max()


def test_only_named_parts_change() -> None:
    model, clip = walking(), further()
    new = model.redraw(clip, (0, len(clip)), np.random.default_rng(4), parts=["left arm", "head"])
    changed = (new.rotations != clip.rotations).any(axis=(0, 2))
    chosen = chosen_joints(model, ["left arm", "head"])
    assert changed.any() and not changed[~chosen].any()
    assert np.array_equal(new.root, clip.root)
    assert not chosen_joints(model, ["trunk"])[0]  # the root moves only together with the legs
    assert chosen_joints(model, ["trunk", "legs"])[0]
    with pytest.raises(UsageError, match="no body part"):
        model.redraw(clip, (0, len(clip)), np.random.default_rng(4), parts=["wings"])


def test_weights_of_the_takes_follow_from_the_parts_that_are_kept() -> None:
    """If the legs are those of a take, arms are drawn around that take's: Bayes' rule for the hidden weights."""
    model, rng = walking(), np.random.default_rng(0)
    chosen = chosen_columns(model, ["arms"])
    for k, clip in enumerate(model.clips):
        track = track_along(model, phases_of(model, clip))
        inside = slice(0, len(clip))
        coded = coded_clip(model, clip, phases_of(model, clip), track, inside)
        weights = np.mean([draw_weights(model, track, coded, chosen, inside, rng).weights for _ in range(30)], axis=0)
        assert weights.argmax() == k
        free = np.mean(
            [draw_weights(model, track, coded, np.ones_like(chosen), inside, rng).weights for _ in range(200)], axis=0
        )
        assert np.abs(free).max() < 0.3


def test_nothing_varies_without_an_amount_but_the_stretch_leads_through_the_mean() -> None:
    model, clip = walking(), further()
    one, other = (model.redraw(clip, (10, 50), np.random.default_rng(k), amount=0.0) for k in range(2))
    assert np.array_equal(one.rotations, other.rotations)


def test_the_angle_keeps_variance_and_vanishes_at_what_is_kept() -> None:
    clip = further(4)
    angle = mixing_angle(clip, 50, 150, clip.frame_time)
    assert not angle[:50].any() and not angle[150:].any()
    assert angle.max() == pytest.approx(0.5 * np.pi)
    assert np.abs(np.diff(angle, 3)).max() < 0.02  # no kink
    short = mixing_angle(clip, 50, 60, clip.frame_time)
    assert 0.0 < short.max() < 0.5 * np.pi
    assert mixing_angle(clip, 0, 40, clip.frame_time)[0] == pytest.approx(0.5 * np.pi)


def test_phases_are_found_wherever_a_clip_begins() -> None:
    model = walking()
    for k, clip in enumerate(model.clips):
        true = np.interp(np.arange(len(clip)), model.phase_frames[:, k], np.arange(len(model.phase_frames)))
        assert np.abs(phases_of(model, clip) - true).max() < 2.0
        part = phases_of(model, clip.span(15, 50))
        cycle = len(model.phase_frames) - 1
        off = np.mod(part - true[15:50] + 0.5 * cycle, cycle) - 0.5 * cycle
        assert np.abs(off).max() < 3.0
    long = further(5)
    phases = phases_of(model, long)
    assert (np.diff(phases) > 0.0).all()
    assert np.ptp(phases) / (len(model.phase_frames) - 1) == pytest.approx(5.0, abs=0.3)


def test_clips_of_another_movement_lie_far_from_the_takes() -> None:
    model = walking()
    jump = ft.samples.jump(np.random.default_rng(0))
    assert strain_of(model, further(), phases_of(model, further())) < 4.0
    assert strain_of(model, jump, phases_of(model, jump)) > 4.0


def test_a_clip_goes_on_where_it_ends() -> None:
    model, clip = walking(), further().span(0, 40)
    new = model.extend(clip, 120, np.random.default_rng(5))
    assert len(new) == 160
    assert np.array_equal(new.root[:40], clip.root) and np.array_equal(new.rotations[:40], clip.rotations)
    takes = [np.concatenate(part) for part in zip(*map(steps_of, model.clips), strict=True)]
    made = steps_of(new)
    assert made.step[39] < 1.1 * np.percentile(takes[0], 99)
    assert made.bend[38:41].max() < 1.2 * np.percentile(takes[1], 99)
    speed = np.linalg.norm(new.root[-1] - new.root[40]) / 119
    usual = np.mean([np.linalg.norm(one.root[-1] - one.root[0]) / (len(one) - 1) for one in model.clips])
    assert speed == pytest.approx(usual, rel=0.15)


def test_a_motion_that_ends_cannot_go_on() -> None:
    jumps = [ft.samples.jump(np.random.default_rng(k)) for k in range(4)]
    model = learn(jumps, cyclic=False)
    with pytest.raises(UsageError, match="not cyclic"):
        model.extend(jumps[0], 100, np.random.default_rng(0))


@pytest.mark.parametrize("frames", [(-1, 5), (5, 5), (10, 4), (0, 10_000), (10, 12)])
def test_stretches_that_are_none_are_refused(frames: tuple[int, int]) -> None:
    with pytest.raises(UsageError, match="stretch"):
        walking().redraw(further(), frames, np.random.default_rng(0))


def test_plain_rows_cannot_be_drawn_again_in_part() -> None:
    rows = [np.cumsum(np.random.default_rng(k).normal(size=(30, 2)), axis=0) for k in range(4)]
    with pytest.raises(UsageError, match="only clips"):
        learn(rows, frame_time=0.01).redraw(further(), (5, 20), np.random.default_rng(0))

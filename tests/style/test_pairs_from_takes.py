from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake import samples
from freshtake.errors import UsageError
from freshtake.motion.edit import concatenate, take_frames
from freshtake.motion.gait import gait_of
from freshtake.requests import StyleLearn
from freshtake.style.learning import ONE_TAKE, OTHER_TAKES, learn
from freshtake.style.model import Settings
from freshtake.style.pairs import cut_and_paired, fit_to_learn, moving_part
from freshtake.workflows import style_learn
from tests.style.pairs_of_clips import walk

QUICK = Settings(order=2)


def test_takes_are_cut_only_where_both_recur() -> None:
    gait, punch = walk(80, cycles=8), samples.punch(np.random.default_rng(1))
    assert cut_and_paired(gait, walk(180, "limp", cycles=8)).are_cut
    for pair in ((gait, punch), (punch, gait)):
        found = cut_and_paired(*pair)
        assert not found.are_cut
        assert found.pairs == (pair,)
        assert "nothing repeats" in found.what


def test_a_single_pair_of_stretches_is_not_called_a_take_in_which_nothing_recurs() -> None:
    found = cut_and_paired(walk(80, cycles=2), walk(180, "limp", cycles=2))
    assert found.are_cut
    assert "nothing repeats" not in found.what


def test_the_mean_pose_of_one_take_says_nothing() -> None:
    source, target, other = walk(80, cycles=8), walk(180, "limp", cycles=8), walk(82)
    learned = learn([(source, target)], QUICK)
    bent = learned.encode(other).values
    arm = learned.dofs.index("LeftArm.x")
    plain = learned.translate_rows(bent, learned.translator(generalize=False, time_warp=False))[0].rows[:, arm].mean()
    bent[:, arm] += 0.2
    moved = learned.translate_rows(bent, learned.translator(generalize=False, time_warp=False))[0].rows[:, arm].mean()
    assert abs(moved - plain) < 0.003
    several = learn([(source, target)], QUICK.changed(steadiness=0.0))
    assert (learned.settings.steadiness, several.settings.steadiness) == (ONE_TAKE, 0.0)


def test_files_and_clips_of_one_take_are_learned_from_alike(tmp_path: Path) -> None:
    paths = [tmp_path / "normal.bvh", tmp_path / "limp.bvh"]
    for path, clip in zip(paths, (walk(80, cycles=6), walk(180, "limp", cycles=6)), strict=True):
        ft.write(path, clip)
    found = style_learn(StyleLearn(source=paths[:1], target=paths[1:], out=tmp_path / "limp.ftm", order=2))
    again = learn([(ft.read_clip(paths[0]), ft.read_clip(paths[1]))], QUICK)
    assert found.model.settings == again.settings
    assert np.array_equal(found.model.confidence, again.confidence)
    assert (again.confidence >= OTHER_TAKES).all()


def test_stretches_that_cannot_be_aligned_are_left_out_but_pairs_that_were_given_are_not() -> None:
    source, target = walk(80, cycles=3), walk(180, "limp", cycles=3)
    short = take_frames(target, 0, len(source) // 5)
    learned = learn([(source, target), (source, short)], QUICK, one_take=True)
    assert learned.pairs == ((source.name, target.name),)
    for given in (False, True):
        pairs = [(source, short)] if given else [(source, target), (source, short)]
        with pytest.raises(UsageError, match="cannot be aligned"):
            learn(pairs, QUICK, one_take=given)


def standing_then(clip: ft.Clip, frames: int) -> ft.Clip:
    """The clip, preceded by a number of frames in its first pose."""
    still = take_frames(clip, 0, 1)
    held = still.changed(
        root=np.repeat(still.root, frames, axis=0), rotations=np.repeat(still.rotations, frames, axis=0), channels=None
    )
    return concatenate([held, clip])


def test_stretches_have_as_many_cycles_and_none_that_stands() -> None:
    """A last stretch of three cycles paired with two led to lagging legs; standing led to systems that stand."""
    limp = walk(180, "limp", cycles=7)
    for cycles in (5, 7):
        for pair in cut_and_paired(walk(80, cycles=cycles), limp).pairs:
            strides = [gait_of(clip).strides for clip in pair]
            assert abs(strides[0] - strides[1]) <= 0.5 and max(strides) <= 2.5
    gait = walk(80, cycles=7)
    stood = standing_then(gait, 120)
    assert moving_part(stood)[0] > 90 and moving_part(stood)[1] == len(stood)
    usual = [len(pair[0]) for pair in cut_and_paired(gait, limp).pairs]
    for piece, _ in cut_and_paired(stood, limp).pairs:
        assert 0.8 * min(usual) < len(piece) < 1.25 * max(usual)
    learned = learn([(stood, standing_then(limp, 150))], QUICK)
    assert learned.teacher is not None and learned.teacher[1].speed > 0.7 * gait_of(limp).speed


def test_single_cycles_that_begin_with_different_feet_are_learned_from_at_one_phase() -> None:
    source, target = walk(80, cycles=8), walk(180, "limp", cycles=8)
    first, period = 40, len(source) // 8
    whole = learn([(source, target)], QUICK)
    for late in (0, period // 2):
        cycles = [
            (take_frames(source, a, a + period + 1), take_frames(target, a + late, a + late + len(target) // 8 + 1))
            for a in (first, first + period, first + 2 * period)
        ]
        assert [gait_of(clip).strides >= 2.0 for clip in fit_to_learn(cycles)[0]] == [True, True]
        arrived = learn(cycles, QUICK).translation(walk(83)).arrived["legs"]
        assert arrived > 0.7 * min(whole.translation(walk(83)).arrived["legs"], 1.0), "1 is the whole style"


def test_a_clip_that_is_one_movement_is_not_trimmed() -> None:
    punch = samples.punch(np.random.default_rng(1))
    assert cut_and_paired(punch, punch.changed(name="other")).pairs[0][0] is punch

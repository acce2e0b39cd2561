from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake import samples
from freshtake.errors import UsageError
from freshtake.motion.edit import take_frames
from freshtake.style.learning import ONE_TAKE, OTHER_TAKES, learn
from freshtake.style.long_takes import cut_and_paired
from freshtake.style.settings import Settings
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
        assert "nothing recurs" in found.what


def test_a_single_pair_of_stretches_is_not_called_a_take_in_which_nothing_recurs() -> None:
    found = cut_and_paired(walk(80, cycles=2), walk(180, "limp", cycles=2))
    assert found.are_cut
    assert "nothing recurs" not in found.what


def test_the_mean_pose_of_one_take_says_nothing() -> None:
    source, target, other = walk(80, cycles=8), walk(180, "limp", cycles=8), walk(82)
    learned = learn([(source, target)], QUICK)
    bent = learned.encode(other).values
    arm = learned.dofs.index("LeftArm.x")
    plain = learned.translate_rows(bent, generalize=False, time_warp=False)[0].rows[:, arm].mean()
    bent[:, arm] += 0.2
    moved = learned.translate_rows(bent, generalize=False, time_warp=False)[0].rows[:, arm].mean()
    assert abs(moved - plain) < 0.003
    several = learn([(source, target)], QUICK.changed(steadiness=0.0))
    assert (learned.settings.steadiness, several.settings.steadiness) == (ONE_TAKE, 0.0)


def test_files_and_clips_of_one_take_are_learned_from_alike(tmp_path: Path) -> None:
    paths = [tmp_path / "normal.bvh", tmp_path / "limp.bvh"]
    for path, clip in zip(paths, (walk(80, cycles=6), walk(180, "limp", cycles=6)), strict=True):
        ft.write(path, clip)
    found = style_learn(paths[:1], paths[1:], tmp_path / "limp.ftm", QUICK)
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

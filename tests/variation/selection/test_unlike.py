"""Takes that do not belong: found by leaving each out, with a description of what is different."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from benchmarks.unlike import slower, swinging, turning
from scipy.stats import f

import freshtake as ft
from freshtake import samples
from freshtake.numeric import rotations as rotation
from freshtake.variation.examples import material_of
from freshtake.variation.phase import align
from freshtake.variation.selection.unlike import (
    PART_FREEDOM,
    WHOLE_FREEDOM,
    Compared,
    Unlike,
    chances,
    compared,
    differ_more_than_they_move,
    differences,
    leave_one_out,
    steps,
    unlike_takes,
)
from tests.variation.small_takes import takes


def beside(motions: Sequence[Any]) -> Compared:
    material = material_of(motions, None, None)
    return compared(motions, material, align(material.values, material.weights, 0.05 / material.frame_time))


def named(motions: Sequence[Any]) -> list[tuple[int, tuple[str, ...]]]:
    found = beside(motions)
    return [(one.number, differences(found, one)) for one in unlike_takes(found)]


@pytest.fixture(scope="module")
def walks() -> list[ft.Clip]:
    return [samples.walk(np.random.default_rng(k)) for k in range(8)]


@pytest.mark.parametrize("count", [3, 4, 9])
def test_distances_and_variances_are_those_of_takes_left_out(count: int) -> None:
    values = np.random.default_rng(count).normal(size=(count, 5, 2))
    away, spread = leave_one_out(values)
    for k in range(count):
        others = np.delete(values, k, axis=0)
        expected = ((values[k] - others.mean(axis=0)) ** 2).sum() / (1.0 + 1.0 / len(others))
        assert away[k] == pytest.approx(expected)
        assert spread[k] == pytest.approx(others.var(axis=0, ddof=1).sum())


def test_chances_are_those_of_an_f_test(walks: list[ft.Clip]) -> None:
    found = beside(walks[:4])
    table = chances(found, range(4))
    assert set(table) == {"whole", "trunk", "head", "left arm", "right arm", "left leg", "right leg"} | {
        "duration", "turn", "travel"
    }  # fmt: skip
    for part, freedom in (("left arm", PART_FREEDOM), ("whole", WHOLE_FREEDOM)):
        use = found.parts == part if part != "whole" else found.parts != ""
        own = found.rows[2][:, use]
        others = found.rows[[0, 1, 3]][:, :, use]
        away = ((own - others.mean(axis=0)) ** 2).sum(axis=1).mean() / (1.0 + 1.0 / 3.0)
        spread = others.var(axis=0, ddof=1).sum(axis=1).mean()
        assert table[part][2] == pytest.approx(f.sf(away / spread, freedom, 2.0 * freedom), rel=1e-6)


def test_takes_that_belong_raise_no_alarm(walks: list[ft.Clip]) -> None:
    draws = np.random.default_rng(1)
    alarms = [bool(unlike_takes(beside([walks[k] for k in draws.permutation(8)[:n]]))) for n in (3, 4, 5) * 6]
    assert sum(alarms) <= 1
    assert unlike_takes(beside(walks[:2])) == []


def test_rows_of_another_movement_are_found() -> None:
    good = takes(4, dofs=4, lengths=(21, 19, 22, 20, 23))
    assert named(good) == []
    odd = [*good[:2], takes(24, dofs=4)[0], *good[2:]]
    (found,) = named(odd)
    assert found[0] == 2 and found[1][0].startswith("it ")


def test_two_that_do_not_belong_do_not_hide_each_other(walks: list[ft.Clip]) -> None:
    found = named([*walks[:5], turning(walks[5], 70.0), slower(walks[6], 1.5)])
    assert {number for number, _ in found} == {5, 6}


def test_words_for_what_is_different(walks: list[ft.Clip]) -> None:
    others = walks[:4]
    (found,) = named([*others, slower(walks[4], 1.4)])
    assert found[0] == 4 and found[1][0].startswith("it is ") and "% slower (" in found[1][0]
    (found,) = named([*others, turning(walks[4], 60.0)])
    assert found[1][0].startswith("it turns by 59") and "degrees (the others by 0 to 0)" in found[1][0]
    (found,) = named([swinging(walks[4], 2.5), *others])
    assert found[0] == 0 and any("both arms swing" in phrase and "wide" in phrase for phrase in found[1])


def lifting(clip: ft.Clip, side: str, first: int, last: int) -> ft.Clip:
    """One knee is raised for some frames."""
    q = np.array(clip.rotations)
    raised = np.zeros(len(clip))
    raised[first:last] = np.radians(60.0)
    for name, sign in ((f"{side}UpLeg", -1.0), (f"{side}Leg", 2.0)):
        joint = clip.skeleton.names.index(name)
        q[:, joint] = rotation.multiply(q[:, joint], rotation.about_axis([1.0, 0.0, 0.0], sign * raised))
    return clip.changed(rotations=q)


@pytest.mark.parametrize("side", ["Left", "Right"])
def test_a_step_where_the_others_stand_is_told_with_its_time(side: str) -> None:
    clips = [samples.punch(np.random.default_rng(k)) for k in range(4)]
    found = beside([*clips[:3], lifting(clips[3], side, 30, 54)])
    assert steps(beside(clips), Unlike(3, 0.0, (), (0, 1, 2))) == []
    told = steps(found, Unlike(3, 0.0, (), (0, 1, 2)))
    assert told == [f"the {side.lower()} foot steps at 0.5 s, where it stands in the others"]


def test_takes_that_do_different_things_differ_more_than_they_move(walks: list[ft.Clip]) -> None:
    rng = np.random.default_rng(3)
    others = [samples.punch(rng), samples.jump(rng), samples.cheer(rng)]
    assert differ_more_than_they_move(beside([*walks[:1], *others]))
    assert not differ_more_than_they_move(beside(walks[:4]))
    assert not differ_more_than_they_move(beside([samples.cheer(rng) for _ in range(3)]))


@pytest.mark.parametrize("ratio", [0.9, 1.1])
def test_the_limit_is_where_takes_differ_as_much_as_they_move(ratio: float) -> None:
    phase = np.arange(40) * 2.0 * np.pi / 40
    rows = np.stack([np.sin(phase) + ratio * offset for offset in np.array([-1.0, 0.0, 1.0]) / np.sqrt(2.0)])[..., None]
    takes = Compared((), rows, np.array(["shape"]), ("x",), np.zeros((40, 3)), {})
    assert differ_more_than_they_move(takes) is (ratio > 1.0)

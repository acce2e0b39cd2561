"""Cycles and occurrences: against a puppet of known phase, slow oracles, and real walks, runs and strokes."""

from __future__ import annotations

import itertools
import time
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import freshtake as ft
from freshtake.errors import SkeletonMismatch, UsageError
from freshtake.motion import Clip
from freshtake.motion.body.orientation import body_poses, distances
from freshtake.motion.body.roles import mirror_pairs
from freshtake.motion.cycles.cycles import (
    find_common_cycles,
    find_cycles,
    first_to_last,
    is_cyclic,
    phase_lag,
    torn_takes,
)
from freshtake.motion.cycles.occurrences import find_occurrences, warped
from freshtake.motion.cycles.recurrence import Cycles, _follow, dissimilarity
from freshtake.motion.edit import concatenate, resample, sampled_at, take_frames, turned, with_up
from freshtake.motion.planting.contacts import foot_contacts
from freshtake.numeric.arrays import Floats
from tests.conftest import DATA, data_files, label
from tests.motion.puppet import cut_cycles, steady, walk

STYLE_CYCLES = {
    "normal_1": 3, "normal_2": 4, "normal_3": 2, "normal_4": 3, "normal_5": 3, "bentforward_1": 4, "bentforward_2": 3,
    "crouched_1": 4, "crouched_2": 5, "toes_1": 4, "toes_2": 4, "toesbent_1": 4, "toescrouched_1": 5,
    "toescrouched_2": 4,
}  # fmt: skip


@lru_cache(maxsize=8)
def read(name: str) -> Clip:
    path = DATA / f"{name}.bvh"
    if not path.is_file():
        pytest.skip("real motion data is absent: set FRESHTAKE_DATA to its folder")
    clip = ft.read(path)
    assert isinstance(clip, Clip)
    return clip


def uneven(cycles: float, frames: int) -> Floats:
    """Phases whose tempo sways by 25 % over the take."""
    even = np.linspace(0.0, 1.0, frames)
    return cycles * (even + 0.25 / (2 * np.pi * 2) * np.sin(2 * np.pi * 2 * even))


def crossings(phase: Floats, at: float) -> Floats:
    """Frames (fractional) at which the phase passes at, at + 1, ..."""
    return np.interp(
        np.arange(np.ceil(phase[0] - at), np.floor(phase[-1] - at + 1e-9) + 1) + at, phase, range(len(phase))
    )


@pytest.mark.parametrize("fps", [30, 60, 120])
def test_finds_the_cycles_of_the_puppet_at_its_uneven_tempo(fps: int) -> None:
    phase = uneven(7.3, round(7.3 * 1.1 * fps))
    found = find_cycles(take := walk(phase, fps=fps), take)
    truth = crossings(phase, 0.0)
    assert len(found) == 7
    assert np.abs(found.boundaries - truth).max() <= 0.04 * fps
    assert found.confidence > 0.6
    assert found.period == pytest.approx(np.median(np.diff(truth)), rel=0.05)


def test_all_boundaries_lie_at_one_phase_which_is_a_right_foot_strike() -> None:
    phase = 0.37 + uneven(6.5, 430)
    parts = phase[find_cycles(walk(phase)).boundaries] % 1.0
    assert np.ptp((parts + 0.5) % 1.0) < 0.04
    assert 0.4 < ((parts + 0.5) % 1.0).mean() < 0.54  # a swing ends slowly, so contact begins a little before phase 0


@pytest.mark.parametrize("asked", [40, 75])
def test_the_phase_may_be_that_of_another_clip(asked: int) -> None:
    phase = uneven(6.0, 400)
    take = walk(phase)
    wanted = phase[asked] % 1.0
    example = turned(take_frames(take, asked, asked + 60), 0.8)
    parts = phase[find_cycles(take, example).boundaries] % 1.0
    assert np.abs((parts - wanted + 0.5) % 1.0 - 0.5).max() < 0.05


def test_turning_and_axes_change_nothing() -> None:
    take = walk(uneven(6.2, 420))
    wanted = find_cycles(take, take).boundaries
    circling = turned(take, np.linspace(0.0, 9.0, len(take)))
    assert np.abs(find_cycles(circling, circling).boundaries - wanted).max() <= 1
    raised = with_up(take, "z")
    assert np.abs(find_cycles(raised, raised).boundaries - wanted).max() <= 1


def test_cycles_with_both_ends_are_cyclic() -> None:
    assert is_cyclic(cut_cycles(walk(steady(4.5, 271))))


def test_no_recurrence_is_said_in_a_sentence() -> None:
    still = walk(np.full(50, 0.2))
    for clip in (still, walk(steady(0.6, 40)), take_frames(still, 0, 1), take_frames(still, 0, 3)):
        with pytest.raises(UsageError, match="walk has no cycles: no pose recurs"):
            find_cycles(clip)
    with pytest.raises(UsageError, match="it may be one cycle"):
        find_cycles(walk(steady(1.0, 61)))


@given(st.integers(3, 20), st.integers(1, 4), st.integers(0, 10_000))
def test_dissimilarity_is_the_slow_double_sum(frames: int, width: int, seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(frames, width))
    variance = ((points - points.mean(axis=0)) ** 2).sum(axis=1).mean()
    curve = dissimilarity(points, frames - 2)
    for lag in range(frames - 1):
        slow = np.mean([((points[t + lag] - points[t]) ** 2).sum() for t in range(frames - lag)]) / (2 * variance)
        assert curve[lag] == pytest.approx(slow, abs=1e-9)


@given(st.integers(0, 10_000))
def test_the_phase_takes_the_cheapest_course_of_all(seed: int) -> None:
    cost = np.random.default_rng(seed).uniform(size=(5, 4))
    penalty = 0.5 * float(np.median(cost.min(axis=1))) + 1e-9
    toll = (2 * penalty, 0.0, penalty)

    def price(start: int, steps: tuple[int, ...]) -> float:
        places = start + np.concatenate([[0], np.cumsum(steps)])
        return float(cost[np.arange(5), places % 4].sum() + sum(toll[s] for s in steps))

    best = min(price(start, steps) for start in range(4) for steps in itertools.product(range(3), repeat=4))
    progress = _follow(cost)
    assert price(int(progress[0]), tuple(np.diff(progress).tolist())) == pytest.approx(best)


@given(st.integers(0, 10_000))
def test_the_warp_is_the_best_of_all_warps(seed: int) -> None:
    cost = np.random.default_rng(seed).uniform(size=(5, 9))

    def best(i: int, j: int) -> float:
        if j < 0:
            return np.inf
        if i == 0:
            return float(cost[0, j])
        ways = [best(i - 1, j - 1), best(i - 1, j - 2) + 0.1 * cost[i, j]]
        if i > 1:
            ways.append(best(i - 2, j - 1) + cost[i - 1, j] + 0.1 * cost[i, j])
        return float(min(ways) + cost[i, j])

    totals, starts = warped(cost)
    np.testing.assert_allclose(totals, [best(4, j) / 5 for j in range(9)])
    assert (starts[np.isfinite(totals)] >= 0).all()


def test_distances_against_the_definition() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(4, 6)), rng.normal(size=(5, 6))
    slow = [[np.linalg.norm(x - y) for y in b] for x in a]
    np.testing.assert_allclose(distances(a, b), slow)


@pytest.mark.parametrize("tempo", [0.8, 1.0, 1.25])
def test_occurrences_of_one_cycle_at_another_tempo(tempo: float) -> None:
    example = turned(walk(steady(1.0, 61)), 2.0)
    phase = steady(4.0, round(240 * tempo) + 1)
    found = find_occurrences(walk(phase), example)
    assert len(found) == 4
    for number, (start, stop, distance) in enumerate(found):
        assert abs(phase[start] - number) < 0.08 and abs(phase[stop - 1] - number - 1) < 0.08
        assert distance < 0.25


def test_occurrences_do_not_overlap_and_others_are_not_found() -> None:
    example = walk(steady(1.0, 61))
    found = find_occurrences(walk(uneven(6.0, 360)), example)
    assert all(b.start >= a.stop - 0.12 * 61 for a, b in itertools.pairwise(found))
    assert find_occurrences(walk(np.full(200, 0.1)), example) == []
    slow = find_occurrences(walk(steady(2.0, 241)), example)  # half the tempo is too slow
    assert all(occurrence.distance > 0.3 for occurrence in slow)


def test_occurrences_refuse_what_cannot_be_looked_for() -> None:
    take = walk(steady(2.0, 121))
    with pytest.raises(UsageError, match="nothing moves"):
        find_occurrences(take, walk(np.full(30, 0.1)))
    with pytest.raises(UsageError, match="at least 4"):
        find_occurrences(take, take_frames(take, 0, 3))
    with pytest.raises(UsageError, match="up"):
        find_occurrences(take, with_up(take, "z"))
    names = tuple(f"{name}_" for name in take.skeleton.names)
    renamed = type(take.skeleton)(names, take.skeleton.parents, take.skeleton.offsets)
    with pytest.raises(SkeletonMismatch):
        find_occurrences(take, Clip(renamed, take.frame_time, take.root, take.rotations))


# ---------------------------------------------------------------------------------------------------- real motion


@pytest.mark.parametrize("name", STYLE_CYCLES)
def test_real_style_walks_have_as_many_cycles_as_were_cut(name: str) -> None:
    take = read(f"style/{name}")
    cycles = find_cycles(take)
    assert len(cycles) == STYLE_CYCLES[name]
    poses = body_poses(take)
    sole = poses[:, take.skeleton.index("RightFoot")] - poses[:, take.skeleton.index("LeftFoot")]
    at_cuts = sole[cycles.boundaries]
    assert (at_cuts @ at_cuts.mean(axis=0) > 0).all()  # always the same foot ahead


@pytest.mark.parametrize("name", ["walk8_11s", "walk8_13s", "walk_turns_16s"])
def test_real_walk_cycles_are_two_steps(name: str) -> None:
    take = read(f"cyclic/{name}")
    cycles = find_cycles(take)
    strikes = [contact.start for contact in foot_contacts(take) if contact.foot == "RightFoot" and contact.start > 0]
    assert len(strikes) - 1 <= len(cycles) <= len(strikes)
    for boundary in cycles.boundaries:
        assert np.abs(np.array(strikes) - boundary).min() <= 4
    assert 60 <= cycles.period <= 80


def test_real_run_cycles(data: Path) -> None:
    take = read("cyclic/run_circle_10s")
    cycles = find_cycles(take)
    strikes = [contact.start for contact in foot_contacts(take) if contact.foot == "RightFoot" and contact.start > 0]
    assert abs(len(cycles) - len(strikes)) <= 1
    assert 20 <= cycles.period <= 26


def test_real_breast_strokes_are_fourteen_and_fast_to_find(data: Path) -> None:
    take = read("cyclic/swim_22s")
    began = time.process_time()
    cycles = find_cycles(take)
    assert time.process_time() - began < 2.0  # about 0.3 s on a quiet core
    assert len(cycles) == 14
    durations = np.diff(cycles.boundaries)
    assert durations.min() > 75 and durations.max() < 120


@pytest.mark.parametrize("name", ["cyclic/walk8_13s", "style/crouched_2", "cyclic/swim_22s"])
def test_real_cycles_do_not_depend_on_the_frame_rate(name: str) -> None:
    take = read(name)
    wanted = find_cycles(take)
    for fps in (30, 120) if len(take) < 1000 else (30,):
        slower = resample(take, fps)
        other = find_cycles(slower, take_frames(slower, round(wanted.spans[0][0] * fps / 60)))
        assert len(other) == len(wanted)
        assert np.abs(other.boundaries * 60 / fps - wanted.boundaries).max() <= 5


@pytest.mark.parametrize("path", data_files("jump/*.bvh") + data_files("throw/*.bvh"), ids=label)
def test_real_single_actions_do_not_recur(path: Path) -> None:
    with pytest.raises(UsageError, match="has no cycles"):
        find_cycles(read(f"{path.parent.name}/{path.stem}"))


@pytest.mark.parametrize("kind", ["walk", "swim", "cheering", "throw", "jump"])
def test_which_real_clips_are_cyclic(kind: str) -> None:
    for stem in (f"{kind}_", "extra_"):
        clips = [read(f"{kind}/{path.stem}") for path in data_files(f"{kind}/{stem}*.bvh")]
        if not clips:
            pytest.skip("real motion data is absent: set FRESHTAKE_DATA to its folder")
        assert is_cyclic(clips) == (kind in ("walk", "swim"))
        for fps in (24, 30):
            assert is_cyclic([resample(clip, fps) for clip in clips]) == (kind in ("walk", "swim"))


def test_cycles_without_the_frame_that_is_the_first_again_are_cyclic() -> None:
    runs = [ft.samples.run(np.random.default_rng(seed), cycles=1.0) for seed in range(4)]
    assert is_cyclic(runs)
    assert is_cyclic([take_frames(run, 0, len(run) - 1) for run in runs])


def test_cyclic_needs_a_clip_and_motion() -> None:
    with pytest.raises(UsageError):
        is_cyclic([])
    assert first_to_last(walk(np.full(9, 0.1))) == np.inf


def test_real_strokes_are_found_by_a_stroke_of_another_take(data: Path) -> None:
    take = read("cyclic/swim_22s")
    found = find_occurrences(take, read("swim/swim_1"))
    assert len(found) == 14
    middles = np.array([(start + stop) / 2 for start, stop, _ in found])
    cycles = find_cycles(take)
    inside = np.searchsorted(cycles.boundaries, middles)
    assert len(set(inside.tolist())) == 14  # one in each stroke


def test_real_source_of_a_clip_is_found_in_its_take(data: Path) -> None:
    found = find_occurrences(read("quality/cmu_35_04_original_120hz_tpose"), read("walk/walk_1"))
    best = min(found, key=lambda occurrence: occurrence.distance)
    assert abs(best.start - 158) <= 2 and abs(best.stop - 1 - 292) <= 2
    assert best.distance < 0.02
    assert len(found) == 3


def test_real_cycle_is_found_in_its_own_walk(data: Path) -> None:
    take = read("style/normal_1")
    cycles = find_cycles(take)
    found = find_occurrences(take, cut_cycles(take)[1])
    assert len(found) == 3
    for (start, stop), occurrence in zip(cycles.spans, found, strict=True):
        assert abs(occurrence.start - start) <= 3 and abs(occurrence.stop - 1 - stop) <= 3
    slower = sampled_at(take, np.linspace(0, len(take) - 1, int(1.2 * len(take))))
    assert len(find_occurrences(slower, cut_cycles(take)[1])) == 3


def test_real_jumps_in_a_row_are_found_by_another_jump(data: Path) -> None:
    jumps = [read(f"jump/jump_{k}") for k in (2, 3, 4)]
    found = find_occurrences(concatenate(jumps), read("jump/jump_1"))
    edges = np.cumsum([0, *[len(jump) for jump in jumps]])
    assert len(found) == 3
    for occurrence, first, stop in zip(found, edges[:-1], edges[1:], strict=True):
        assert abs(occurrence.start - first) <= 8 and abs(occurrence.stop - stop) <= 8
    assert find_occurrences(concatenate(jumps), read("cheering/cheering_1")) == []


def test_cycles_report() -> None:
    cycles = Cycles(((3, 9), (9, 16), (20, 27)), 7.0, 0.9)
    assert len(cycles) == 3
    assert cycles.boundaries.tolist() == [3, 9, 16, 20, 27]
    assert mirror_pairs(walk(steady(1.0, 5)).skeleton)[1] == 5


def half_a_cycle_apart(cycles: float) -> list[Clip]:
    """Walks of the same kind that were started at six moments of the stride."""
    takes = []
    for k in range(6):
        long = ft.samples.walk(np.random.default_rng(k), cycles=cycles + 1.0)
        period = len(long) / (cycles + 1.0)
        takes.append(take_frames(long, round(k * period / 6), round((k / 6 + cycles) * period)))
    return takes


def lead_of_left_foot(clip: Clip, frame: int) -> float:
    """How far the left ankle is ahead of the right one, in the direction of travel."""
    left, right = (clip.skeleton.names.index(name) for name in ("LeftFoot", "RightFoot"))
    way = clip.root[-1] - clip.root[0]
    return float((clip.positions()[frame, left] - clip.positions()[frame, right]) @ way / np.linalg.norm(way))


@pytest.mark.parametrize("cycles", [2.05, 3.5])
def test_takes_that_are_cut_together_all_begin_with_the_same_foot(cycles: float) -> None:
    takes = half_a_cycle_apart(cycles)
    found = find_common_cycles(takes)
    leads = [lead_of_left_foot(take, a) for take, one in zip(takes, found, strict=True) if one for a, _ in one.spans]
    assert all(one is not None for one in found)
    assert np.ptp(leads) < 0.1 * np.abs(leads).max()


def test_takes_of_other_rates_and_headings_begin_with_the_same_foot() -> None:
    takes = half_a_cycle_apart(2.5)
    changed = [turned(takes[0], 2.0), resample(takes[3], 30.0), takes[2], turned(resample(takes[5], 120.0), -1.0)]
    leads = [
        lead_of_left_foot(take, one.spans[0][0])
        for take, one in zip(changed, find_common_cycles(changed), strict=True)
        if one is not None
    ]
    assert len(leads) == 4
    assert np.ptp(leads) < 0.15 * np.abs(leads).max()


def test_takes_without_feet_that_strike_are_cut_at_one_pose() -> None:
    """Feet in the air all the time: the same phase of the stride all the same."""
    flying = [take.changed(root=np.tile([0.0, 200.0, 0.0], (len(take), 1))) for take in half_a_cycle_apart(2.6)]
    arms = [
        body_poses(take)[one.spans[0][0]] for take, one in zip(flying, find_common_cycles(flying), strict=True) if one
    ]
    spread = np.linalg.norm(np.std(arms, axis=0), axis=-1).max()
    assert spread < 0.15  # leg lengths; feet half a cycle apart are one leg length apart


def test_common_cycles_of_one_take_are_its_cycles() -> None:
    take = half_a_cycle_apart(3.2)[1]
    assert find_common_cycles([take]) == [find_cycles(take)]


def test_a_take_in_which_nothing_recurs_has_no_common_cycles() -> None:
    jump = ft.samples.jump(np.random.default_rng(1))
    assert find_common_cycles([half_a_cycle_apart(3.2)[1], jump])[1] is None


@pytest.mark.parametrize("late", [0.0, 0.25, 0.5])
def test_phase_lag_tells_how_much_later_a_cycle_begins(late: float) -> None:
    long = ft.samples.walk(np.random.default_rng(3), cycles=2.0)
    period = (len(long) - 1) // 2
    first, other = take_frames(long, 0, period + 1), round(late * period)
    lag = phase_lag(take_frames(long, other, other + period + 1), first)
    assert abs((lag + late + 0.5) % 1.0 - 0.5) < 0.04


def test_a_take_with_half_a_cycle_left_is_named() -> None:
    long = half_a_cycle_apart(3.2)
    torn, cycle = take_frames(long[1], 0, 33), take_frames(long[1], 0, round(len(long[1]) / 3.2) + 1)
    ((clip, share),) = torn_takes([*long[:2], torn, cycle])
    assert clip is torn and share == pytest.approx(0.5, abs=0.05)
    assert torn_takes([torn]) == [] and torn_takes([]) == []

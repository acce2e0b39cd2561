"""Takes as they come: cut at one phase or left as they are, unlike ones set aside with a reason, cyclic or not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.cycles.cycles import Closing, closing_of, is_cyclic
from freshtake.motion.edit import resample, take_frames
from freshtake.variation.learning import ingest
from tests.conftest import DATA
from tests.motion.puppet import cut_cycles


def walk(seed: int, cycles: float, late: float = 0.0, fps: float = 60.0) -> Clip:
    """A walk with this many cycles that begins `late` cycles after a right heel strike."""
    whole = ft.samples.walk(np.random.default_rng(seed), cycles=cycles + late, fps=fps)
    start = round(late * len(whole) / (cycles + late))
    return take_frames(whole, start, len(whole)).changed(name=f"walk_{seed}")


def lead(clip: Clip) -> float:
    """How far the left ankle is ahead of the right one at the first frame."""
    left, right = (clip.positions()[0, clip.skeleton.names.index(name)] for name in ("LeftFoot", "RightFoot"))
    way = clip.root[-1] - clip.root[0]
    return float((left - right) @ way / np.linalg.norm(way))


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0, 120.0])
def test_long_takes_become_cycles_of_one_phase(fps: float) -> None:
    taken = ingest([walk(0, 4.3, 0.1, fps), walk(1, 3.4, 0.6, fps), walk(2, 5.2, 0.35, fps)])
    assert taken.are_cut and taken.cyclic
    assert 9 <= len(taken.examples) <= 12
    leads = np.array([lead(clip) for clip in taken.examples])
    assert np.ptp(leads) < 0.2 * np.abs(leads).max()
    assert taken.sentences[0].startswith(f"took {len(taken.examples)} cycles of 3 takes")
    assert is_cyclic(taken.examples)


def test_takes_of_hardly_two_cycles_are_cut_if_another_is_one_cycle() -> None:
    runs = [ft.samples.run(np.random.default_rng(k), cycles=2.3) for k in range(2)]
    runs = [take_frames(clip, 10 + 14 * k, len(clip)).changed(name=f"run_{k}") for k, clip in enumerate(runs)]
    taken = ingest([*runs, ft.samples.run(np.random.default_rng(7)).changed(name="one")])
    assert taken.are_cut and taken.cyclic and max(len(clip) for clip in taken.examples) < 50


@pytest.mark.parametrize(
    ("closing", "cyclic"),
    [
        (Closing(0.4, 1.0, 0.1, 1.0), True),  # closes, however much takes differ
        (Closing(0.7, 1.0, 0.6, 1.0), True),  # closes as well as takes' beginnings agree
        (Closing(0.7, 1.0, 0.3, 1.0), False),
        (Closing(0.7, 1.0, 1.8, 1.0), False),  # takes begin anywhere: their distance shows nothing
        (Closing(1.2, 1.0, 1.0, 1.0), False),
        (Closing(0.1, 1.0, 0.1, 0.1), False),  # from rest to rest
        (Closing(0.6, 1.0, None, 1.0), True),
        (Closing(0.7, 1.0, None, 1.0), False),
    ],
)
def test_what_counts_as_closed(closing: Closing, cyclic: bool) -> None:
    assert closing.cyclic is cyclic and closing.evidence


def test_one_long_take_is_enough() -> None:
    taken = ingest([walk(0, 4.2, 0.4)])
    assert taken.are_cut and len(taken.examples) >= 3 and set(taken.takes) == {0}


def test_one_short_take_is_passed_on() -> None:
    jump = ft.samples.jump(np.random.default_rng(0))
    taken = ingest([jump])
    assert taken.examples == (jump,) and not taken.are_cut and taken.cyclic is False


@pytest.mark.parametrize(
    ("make", "cyclic"),
    [
        (ft.samples.walk, True), (ft.samples.run, True), (ft.samples.skip, True), (ft.samples.jump, False),
        (ft.samples.punch, False), (ft.samples.kick, False), (ft.samples.cheer, False),
    ],
)  # fmt: skip
def test_clips_that_are_cut_already_pass_unchanged(make: Callable[..., Clip], cyclic: bool) -> None:
    """A kick ends in the guard it began with, but it is not a cycle."""
    clips = [make(np.random.default_rng(seed)) for seed in range(4)]
    taken = ingest(clips)
    assert list(taken.examples) == clips and taken.takes == (0, 1, 2, 3)
    assert taken.cyclic is cyclic and not taken.left


def test_a_fight_that_repeats_its_punches_is_not_cut() -> None:
    fights = [ft.samples.fight(np.random.default_rng(seed)) for seed in range(4)]
    taken = ingest(fights)
    assert not taken.are_cut and taken.cyclic is False and len(taken.examples) >= 3


def test_strokes_pass_unchanged() -> None:
    letters = [ft.samples.letter_a(np.random.default_rng(seed)) for seed in range(4)]
    taken = ingest(letters)
    assert list(taken.examples) == letters and taken.cyclic is None and not taken.sentences


def test_plain_arrays_pass_unchanged() -> None:
    """Rows of numbers have neither body nor clock to tell that they are unlike."""
    rows = [np.random.default_rng(seed).normal(size=(20, 3)) for seed in range(4)]
    taken = ingest(rows)
    assert all(a is b for a, b in zip(taken.examples, rows, strict=True)) and taken.cyclic is None


def test_a_long_take_beside_cut_ones_is_cut_where_they_are() -> None:
    """Cycles from mid-swing on: the long take has to be cut there too, not at a strike."""
    cut = [take_frames(walk(seed, 2.0), 20, 84).changed(name=f"cut_{seed}") for seed in range(3)]
    assert is_cyclic(cut)
    taken = ingest([*cut, walk(7, 4.3, 0.3)])
    assert list(taken.examples[:3]) == cut and len(taken.examples) >= 6
    leads = np.array([lead(clip) for clip in taken.examples])
    assert np.ptp(leads) < 12.0  # cm; the feet are up to 64 apart


def test_pieces_next_to_the_take_that_they_were_cut_from_do_not_count_twice() -> None:
    long = walk(0, 6.3, 0.1)
    pieces = [clip.changed(name=f"piece_{k}") for k, clip in enumerate(cut_cycles(long))]
    taken, alone = ingest([*pieces, long]), ingest([long])
    assert {*taken.takes} == {len(pieces)} and len(taken.examples) == len(alone.examples)
    assert taken.sentences[0] == alone.sentences[0] and "which are stretches of walk_0" in " ".join(taken.sentences)
    assert ingest(pieces).stretches == () and len(ingest(pieces).examples) == len(pieces)
    ft.variation.learn([*pieces, long], rng=np.random.default_rng(0))


def test_bodies_that_only_travel_are_no_stretches_of_one_another() -> None:
    clip = walk(0, 1.0)
    still = np.broadcast_to(clip.rotations[:1], clip.rotations.shape)
    long, short = clip.changed(rotations=still), take_frames(clip.changed(rotations=still), 0, 20)
    assert ingest([long, short.changed(root=short.root[::-1])], keep=True).stretches == ()


def test_a_cycle_that_begins_with_the_other_foot_is_left_out_with_this_reason() -> None:
    cycles = [walk(seed, 1.0) for seed in range(4)]
    taken = ingest([*cycles, take_frames(walk(5, 2.0), 32, 97).changed(name="odd")])
    assert [one.name for one in taken.left] == ["odd"] and list(taken.examples) == cycles
    assert "% of a cycle later than the others" in taken.left[0].reason


def test_half_a_cycle_is_left_out() -> None:
    taken = ingest([*[walk(seed, 1.0) for seed in range(4)], take_frames(walk(5, 1.0), 0, 33).changed(name="torn")])
    assert [one.name for one in taken.left] == ["torn"]
    assert "--keep" in taken.sentences[-2] and taken.cyclic


def test_keep_keeps_all() -> None:
    clips = [*[walk(seed, 1.0) for seed in range(3)], ft.samples.jump(np.random.default_rng(0))]
    assert len(ingest(clips).examples) == 3
    assert list(ingest(clips, keep=True).examples) == clips


def test_a_take_in_which_nothing_repeats_is_left_out_beside_takes_that_do() -> None:
    jump = ft.samples.jump(np.random.default_rng(0)).changed(name="jump")
    taken = ingest([walk(0, 3.3), walk(1, 3.6, 0.5), jump])
    assert 2 not in taken.takes
    assert taken.left[0].name == "jump" and "nothing repeats in it" in taken.left[0].reason


def test_different_movements_are_refused() -> None:
    walks = [walk(seed, 1.0) for seed in range(2)]
    jumps = [ft.samples.jump(np.random.default_rng(seed)) for seed in range(2)]
    with pytest.raises(UsageError, match=r"as different movements do.*--keep"):
        ingest([*walks, *jumps])


def test_cycles_of_opposite_feet_are_refused_with_this_reason() -> None:
    cycles = [
        take_frames(walk(seed, 2.0), 32 * (seed % 2), 65 + 32 * (seed % 2)).changed(name=f"c{seed}")
        for seed in range(4)
    ]
    with pytest.raises(UsageError, match="c1 and c3 and c0 begin at different phases"):
        ingest(cycles)


def test_what_may_be_asked_for() -> None:
    with pytest.raises(UsageError, match="whole or cycles, not 'halves'"):
        ingest([walk(0, 1.0)], pieces="halves")
    with pytest.raises(UsageError, match="has no cycles"):
        ingest([ft.samples.jump(np.random.default_rng(0))], pieces="cycles")
    long = walk(0, 3.0)
    assert ingest([long], pieces="whole").examples == (long,)


def test_many_left_out_are_five_lines_at_most() -> None:
    walks = [walk(seed, 1.0) for seed in range(9)]
    jumps = [ft.samples.jump(np.random.default_rng(k)).changed(name=f"jump_{k}") for k in range(4)]
    said = ingest([*walks, *jumps]).sentences
    assert 3 <= len(said) <= 5 and "left out 2 more: jump_" in " ".join(said)


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
def test_closing_does_not_depend_on_the_rate(fps: float) -> None:
    clips = [resample(walk(seed, 1.0), fps) for seed in range(3)]
    assert closing_of(clips).share < 0.3 and closing_of(clips).cyclic


@pytest.mark.parametrize(
    "name", ["style/crouched_1", "style/toescrouched_1", "validation/style137/oldman", "cyclic/swim_22s"]
)
def test_cycles_that_were_cut_from_a_recording_are_cyclic(name: str) -> None:
    if not (path := DATA / f"{name}.bvh").is_file():
        pytest.skip("real motion data is absent: set FRESHTAKE_DATA to its folder")
    assert is_cyclic(cut_cycles(ft.read_clip(path)))


@pytest.mark.parametrize("kind", ["walk", "swim", "cheering", "throw", "jump"])
def test_recorded_takes_that_are_cut_already_pass(kind: str) -> None:
    paths: list[Path] = sorted((DATA / kind).glob(f"{kind}_*.bvh"))
    if not paths:
        pytest.skip("real motion data is absent: set FRESHTAKE_DATA to its folder")
    clips = [ft.read_clip(path) for path in paths]
    taken = ingest(clips)
    assert list(taken.examples) == clips and taken.cyclic is (kind in ("walk", "swim"))


MOVEMENTS: dict[str, Callable[[np.random.Generator], Clip]] = {
    "walk": ft.samples.walk, "jump": ft.samples.jump, "cheer": ft.samples.cheer, "run": ft.samples.run,
}  # fmt: skip


@pytest.mark.parametrize(("one", "other"), [("walk", "jump"), ("jump", "cheer"), ("walk", "run"), ("cheer", "run")])
@pytest.mark.parametrize("count", [2, 3])
def test_as_many_takes_of_one_movement_as_of_another_are_refused(one: str, other: str, count: int) -> None:
    takes = [
        MOVEMENTS[kind](np.random.default_rng(k)).changed(name=f"{kind}_{k}")
        for kind in (one, other)
        for k in range(count)
    ]
    with pytest.raises(UsageError, match=r"unlike|different movements|different phases"):
        ingest(takes)
    assert len(ingest(takes, keep=True).examples) == 2 * count


def test_cycles_of_one_long_take_do_not_outvote_three_short_ones() -> None:
    walks = [ft.samples.walk(np.random.default_rng(k)) for k in range(3)]
    run = ft.samples.run(np.random.default_rng(0), cycles=5)
    taken = ft.variation.ingest([*walks, run])
    assert taken.takes == (0, 1, 2) and len(taken.left) >= 3

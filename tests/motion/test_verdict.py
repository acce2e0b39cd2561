"""The verdict on motions: real ones pass, and impossible ones are named with their frame, or refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import freshtake as ft
from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.body.rooting import rooted
from freshtake.motion.edit import scaled, turned, with_up
from freshtake.motion.features import Start
from freshtake.motion.verdict import (
    AMBER,
    GREEN,
    RED,
    Remark,
    Verdict,
    assess,
    check_result,
    off_the_path,
    require_possible,
    standard_of,
)
from freshtake.numeric.rotations import from_rotvec, multiply
from freshtake.samples.humanoid import Build
from tests.conftest import DATA
from tests.motion.rigs import with_targets


@pytest.fixture(scope="module")
def takes() -> list[Clip]:
    return [ft.samples.walk(np.random.default_rng(seed)) for seed in range(5)]


def bent(clip: Clip, joint: str, degrees: float, frames: slice) -> Clip:
    """With a joint turned about its first axis, smoothly in and out."""
    turn = np.zeros((len(clip), 3))
    length = len(turn[frames])
    turn[frames, 0] = np.radians(degrees) * np.sin(np.linspace(0.0, np.pi, length))
    rotations = clip.rotations.copy()
    k = clip.skeleton.names.index(joint)
    rotations[:, k] = multiply(rotations[:, k], from_rotvec(turn))
    return clip.changed(rotations=rotations)


def knee_backwards(clip: Clip) -> Clip:
    """With the ankle in front of the knee."""
    both = [bent(clip, "LeftLeg", sign * 90.0, slice(5, 60)) for sign in (1.0, -1.0)]
    ankle, knee = (clip.skeleton.names.index(name) for name in ("LeftFoot", "LeftLeg"))
    way = clip.root[-1] - clip.root[0]
    ahead = [float((one.positions()[32, ankle] - one.positions()[32, knee]) @ way) for one in both]
    return both[int(np.argmax(ahead))]


def longer_bone(clip: Clip, factor: float) -> Clip:
    local = np.repeat(clip.skeleton.offsets[None], len(clip), axis=0)
    local[:, 0] = clip.root
    local[20:, clip.skeleton.names.index("RightArm")] *= factor
    return clip.changed(joint_translations=local)


def teleported(clip: Clip) -> Clip:
    return clip.changed(root=clip.root + np.where(np.arange(len(clip)) >= 30, 300.0, 0.0)[:, None] * [1.0, 0.0, 0.0])


def moved_up(clip: Clip, amount: float) -> Clip:
    return clip.changed(root=clip.root + np.array([0.0, amount, 0.0]))


def skating(clip: Clip) -> Clip:
    across = 60.0 * np.sin(np.linspace(0.0, 2.0 * np.pi, len(clip)))
    return clip.changed(root=clip.root + across[:, None] * [1.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("spoil", "check", "color", "words"),
    [
        (knee_backwards, "bend", RED, "LeftLeg bends"),
        (lambda clip: longer_bone(clip, 5.0), "bones", RED, "RightArm is"),
        (lambda clip: longer_bone(clip, 1.08), "bones", AMBER, "RightArm is"),
        (teleported, "speed", RED, "leg lengths a second"),
        (lambda clip: moved_up(clip, -40.0), "depth", RED, "deeper than in any take"),
        (lambda clip: moved_up(clip, -6.0), "depth", AMBER, "deeper than in any take"),
        (lambda clip: moved_up(clip, 20.0), "floor", AMBER, "no foot comes nearer to the floor"),
        (skating, "feet", AMBER, "feet on the floor slide"),
    ],
)
def test_what_no_take_does_is_named(
    spoil: Callable[[Clip], Clip], check: str, color: str, words: str, takes: list[Clip]
) -> None:
    verdict = assess(spoil(takes[4]), standard_of(takes[:4]), name="variant_007.bvh")
    (remark,) = [one for one in verdict.remarks if one.check == check]
    assert remark.color == color and words in remark.what
    assert verdict.color in (color, RED)
    assert all(sentence.startswith("variant_007.bvh, frame ") for sentence in verdict.sentences)


def test_the_frame_is_where_it_happens(takes: list[Clip]) -> None:
    verdict = assess(teleported(takes[4]), standard_of(takes[:4]))
    assert {one.frame for one in verdict.remarks if one.check == "speed"} == {29}


@pytest.mark.parametrize("make", [ft.samples.walk, ft.samples.jump, ft.samples.punch, ft.samples.cheer, ft.samples.run])
def test_further_takes_are_green_or_amber_and_mostly_green(make: Callable[..., Clip]) -> None:
    clips = [make(np.random.default_rng(seed)) for seed in range(10)]
    standard = standard_of(clips[:4])
    colors = [assess(clip, standard).color for clip in clips[4:]]
    assert RED not in colors and colors.count(GREEN) >= 5
    assert all(assess(clip, standard).color == GREEN for clip in clips[:4])


def test_unit_and_heading_play_no_part(takes: list[Clip]) -> None:
    """In metres, and facing another way: the same remarks at the same frames."""
    spoiled = bent(teleported(takes[4]), "LeftLeg", 80.0, slice(5, 60))
    plain = assess(spoiled, standard_of(takes[:4]), name="it")
    other = assess(
        turned(scaled(spoiled, 0.01), 1.0),
        standard_of([turned(scaled(take, 0.01), 1.0) for take in takes[:4]]),
        name="it",
    )
    assert plain.color == RED and plain.sentences == other.sentences


def test_motion_on_another_body_has_to_keep_its_bones_and_to_be_no_faster(takes: list[Clip]) -> None:
    tall, standard = ft.samples.walk(np.random.default_rng(1), build=Build(height=220.0)), standard_of(takes[:4])
    assert assess(tall, standard, same_body=False).color == GREEN
    assert assess(teleported(tall), standard, same_body=False).color == RED
    assert assess(longer_bone(tall, 5.0), standard, same_body=False).color == RED


def test_red_is_refused_and_amber_is_said_once_for_many() -> None:
    amber, red = (Remark("depth", color, "a foot goes deeper", 3, "try again") for color in (AMBER, RED))
    said: list[str] = []
    require_possible([Verdict("a"), Verdict("b", (amber,)), Verdict("c", (amber,))], False, said.append)
    assert said == ["b, frame 3: a foot goes deeper; try again (and 1 more of 3)"]
    require_possible([Verdict("b", (amber, amber))], False, said.append)
    assert said.pop() == "b, frame 3: a foot goes deeper; try again (and 1 more)"
    with pytest.raises(UsageError, match="b, frame 3: a foot goes deeper; try again; --keep-going"):
        require_possible([Verdict("a", (amber,)), Verdict("b", (red,))], False, None)
    require_possible([Verdict("b", (red,))], True, said.append)
    assert len(said) == 2


def test_a_path_that_is_missed_by_a_step_is_amber() -> None:
    assert off_the_path(Verdict("a"), 80.0, 90.0).color == GREEN
    assert "2.0 leg lengths off its path" in off_the_path(Verdict("a"), 180.0, 90.0).sentences[0]


def test_no_takes_are_no_standard() -> None:
    with pytest.raises(UsageError, match="at least one"):
        standard_of([])


@pytest.mark.parametrize("kind", ["walk", "swim", "cheering", "jump"])
def test_further_recorded_takes_are_never_red(kind: str) -> None:
    paths = {name: sorted((DATA / kind).glob(f"{name}_*.bvh")) for name in (kind, "extra")}
    if not paths[kind]:
        pytest.skip("real motion data is absent: set FRESHTAKE_DATA to its folder")
    standard = standard_of([ft.read_clip(path) for path in paths[kind]])
    assert RED not in [assess(ft.read_clip(path), standard).color for path in paths["extra"]]


def test_results_of_any_method_are_checked_against_what_they_were_made_from(takes: list[Clip]) -> None:
    said: list[str] = []
    assert check_result(takes[0], takes, name="a.bvh", keep_going=False, warn=said.append)[0].color == GREEN
    assert check_result(np.zeros((3, 2)), takes, name="a.csv", keep_going=False, warn=said.append) == []
    assert said == []
    with pytest.raises(UsageError, match=r"b\.bvh, frame 29: .* leg lengths a second"):
        check_result(teleported(takes[0]), takes, name="b.bvh", keep_going=False, warn=said.append)
    (verdict,) = check_result(takes[0], takes, name="c.bvh", keep_going=False, warn=said.append, most_off=400.0)
    assert verdict.color == AMBER and "off its path" in said[-1]


@pytest.mark.parametrize("factor, up", [(0.01, "y"), (10.0, "z"), (1.0 / 2.54, "z")])
def test_a_motion_in_another_unit_or_axis_is_judged_as_the_takes(factor: float, up: str) -> None:
    takes = [ft.samples.walk(np.random.default_rng(k), cycles=2.0) for k in range(2)]
    standard = standard_of(takes)
    assert assess(scaled(with_up(takes[0], up), factor), standard).color == GREEN


def test_a_motion_whose_file_was_read_with_another_root_is_judged_as_the_takes() -> None:
    """An archive keeps joints unchanged, other formats put the root where the body is."""
    takes = [with_targets(ft.samples.walk(np.random.default_rng(k), cycles=2.0, turn_rate=40.0)) for k in range(2)]
    assert assess(rooted(takes[0]), standard_of(takes)).color == GREEN
    assert assess(takes[0], standard_of([rooted(take) for take in takes])).color == GREEN


def test_streams_may_go_any_distance_but_not_begin_there(takes: list[Clip]) -> None:
    """A day's walk is beyond 100 km, where a variation stream of 4.3 million frames was refused as damaged."""
    model = ft.variation.learn(takes[:4], rng=np.random.default_rng(0), cyclic=True)
    rows, far = model.encode(takes[0]), Start((3e7, -3e7))
    there = model.decode(rows, start=far, resume=True)
    assert np.abs(there.root).max() > 2.9e7 and np.abs(np.diff(there.root, axis=0)).max() < 10.0
    with pytest.raises(UsageError, match="flings the body about"):
        model.decode(rows, start=far)
    flung = rows.copy()
    flung[len(rows) // 2 :, 0] *= 1e9
    with pytest.raises(UsageError, match="flings the body about"):
        model.decode(flung, resume=True)
    texture = ft.texture.learn(takes[0])
    assert len(texture.decode(texture.rows, start=far, resume=True)) == len(texture.rows)

"""Each defect changes its own figure, and size, position and heading change none."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.evaluation import Figure, evaluate
from freshtake.evaluation.comparable import unpacked
from freshtake.evaluation.dofs import body_joints
from freshtake.evaluation.realness import at_moments, manner, realness_figures, static_share, swings_together
from freshtake.motion import Clip, Skeleton
from freshtake.motion.edit import scaled
from freshtake.numeric.rotations import about_axis, from_rotvec, multiply, rotate
from freshtake.reports.wording import verdict
from tests.evaluation.stepping import SKELETON, slid, takes

INPUTS, FURTHER, MORE = takes(1, 4), takes(2, 3), takes(3, 5)


def walking(clips: list[Clip], speed: float = 6.0) -> list[Clip]:
    """Drawn along the floor, with hips that sway."""
    sways = [0.5 * np.sin(np.linspace(0, 6, len(clip)))[:, None] * [0.0, 0.0, 1.0] for clip in clips]
    return [moved(slid(clip, speed), sway) for clip, sway in zip(clips, sways, strict=True)]


def figures(inputs: list[Clip], variants: list[Clip], further: list[Clip] | None = None) -> dict[str, Figure]:
    return realness_figures(unpacked(inputs, variants, further or []), np.random.default_rng(0))


def moved(clip: Clip, way: np.ndarray) -> Clip:
    return clip.changed(root=clip.root + way)


def test_further_takes_of_the_same_kind_are_like_real_ones() -> None:
    found = figures(INPUTS, MORE, FURTHER)
    assert 0.7 < found["static"].value / np.mean(found["static"].real) < 1.4
    assert 0.9 < found["energy"].value < 1.1
    assert found["depth"].value < 0.1
    assert "travel" not in found  # it steps in place


def test_shaking_hips_raise_hip_jerk_and_nothing_of_the_posture() -> None:
    rng = np.random.default_rng(5)
    calm = walking(MORE)
    shaken = [moved(clip, rng.normal(0, 0.01, clip.root.shape) * [1, 0, 1]) for clip in calm]
    before, after = figures(walking(INPUTS), calm), figures(walking(INPUTS), shaken)
    assert after["hip_jerk"].value > 10 * before["hip_jerk"].value
    assert after["hip_jerk"].verdict == "above"
    assert np.isclose(after["static"].value, before["static"].value)


def test_one_pop_in_every_variant_raises_the_peak() -> None:
    popped = []
    for clip in MORE:
        jump = np.zeros((len(clip), 3))
        jump[30] = [0, 1.0, 0]
        popped.append(moved(clip, jump))
    assert figures(INPUTS, popped)["peak"].value > 3 * figures(INPUTS, MORE)["peak"].value
    one_in_many = figures(INPUTS, [popped[0], *MORE * 8])["peak"]
    assert one_in_many.value < 2 < max(one_in_many.each)


def test_feet_that_sink_show_by_how_much() -> None:
    leg = body_joints(SKELETON).leg
    sunk = [moved(clip, np.array([0.0, -0.07 * leg, 0.0])) for clip in INPUTS]
    assert np.isclose(figures(INPUTS, sunk)["depth"].value, 7.0)
    assert figures(INPUTS, INPUTS)["depth"].value == 0.0


def test_feet_that_travel_farther_do_so_in_their_figures() -> None:
    found = figures([slid(clip, 6.0) for clip in INPUTS], [slid(clip, 12.0) for clip in INPUTS])
    assert np.isclose(found["travel"].value, 2.0)
    assert found["foot_path"].value > 1.2
    assert found["foot_path"].verdict == "above"
    assert "travel" not in figures([slid(clip, 0.5) for clip in INPUTS], MORE)


def test_the_static_share_is_one_of_a_posture_and_none_of_what_comes_and_goes() -> None:
    mean = np.random.default_rng(0).normal(size=(48, 6))
    wave = np.sin(2 * np.pi * np.arange(48) / 48)[:, None] * np.ones(6)
    assert np.isclose(static_share(mean + 0.3, mean), 1.0)
    assert np.isclose(static_share(mean + wave, mean), 0.0)
    assert np.isclose(static_share(mean + wave + np.sqrt(0.5), mean), 0.5)
    assert np.isnan(static_share(mean, mean))


def test_bent_trunks_are_static_variants() -> None:
    bends = np.array([-0.8, -0.6, -0.4, 0.4, 0.6, 0.8])
    turn = np.zeros((6, len(SKELETON), 3))
    turn[:, 9, 0] = bends
    bent = [INPUTS[0].changed(rotations=multiply(from_rotvec(t)[None], INPUTS[0].rotations)) for t in turn]
    found = figures(INPUTS, bent)["static"]
    assert found.value > 0.6
    assert found.verdict == "above"


def test_swings_go_together_or_do_not() -> None:
    joints = body_joints(SKELETON)
    made = [manner(joints, track) for track in unpacked(INPUTS, MORE, []).variants]
    swings = np.array([[1, 2, 1, 4], [2, 4, 2, 3], [3, 6, 3, 2], [4, 8, 4, 1]], float)
    own = [made[0]._replace(swings=tuple(row)) for row in swings]
    assert np.allclose(swings_together(own), [1.0, -1.0])
    assert np.isnan(swings_together([own[0], own[0]])).all()


@pytest.mark.parametrize(
    ("value", "own", "expected"),
    [(0.6, 0.9, "good"), (0.4, 0.9, "below"), (-0.6, -0.9, "good"), (0.6, -0.9, "above"), (0.0, 0.7, "")],
)
def test_swings_are_judged_where_the_inputs_are_clear(value: float, own: float, expected: str) -> None:
    figure = Figure("swing_feet", value, extra=(own,), inputs=own)
    assert figure.verdict == expected
    assert verdict(figure)[1] == {"good": "as the inputs", "": ""}.get(expected, "lost")


def test_size_place_and_heading_change_nothing() -> None:
    turn = about_axis(np.array([0.0, 1.0, 0.0]), np.array(1.1))

    def elsewhere(clip: Clip) -> Clip:
        rotations = clip.rotations.copy()
        rotations[:, 0] = multiply(turn, rotations[:, 0])
        return scaled(clip.changed(root=rotate(turn, clip.root) + np.array([3.0, 0.0, -2.0]), rotations=rotations), 2.5)

    sets = walking(INPUTS), walking(MORE, 6.5), walking(FURTHER)
    here, there = figures(*sets), figures(*[[elsewhere(clip) for clip in clips] for clips in sets])
    assert here.keys() == there.keys() >= {"hip_jerk", "travel", "swing_hands", "energy", "variogram"}
    for key, figure in here.items():
        assert np.isclose(figure.value, there[key].value, rtol=1e-6, atol=1e-6), key


def test_moments_of_a_line_lie_on_it() -> None:
    line = np.linspace(0, 1, 77)[:, None] * [1.0, 2.0]
    assert np.allclose(at_moments(line, 48), np.linspace(0, 1, 48)[:, None] * [1.0, 2.0])


def test_evaluate_reports_them_first() -> None:
    made = figures(INPUTS, MORE[:3], FURTHER)
    result = evaluate(INPUTS, MORE[:3], FURTHER, rng=np.random.default_rng(0))
    assert made.keys() == {figure.key for figure in result.figures[: len(made)]}
    assert all(result.figure(key) == figure for key, figure in made.items())
    assert result.missing["travel"] == "the inputs stay where they are"


def test_a_jolt_is_judged_beside_all_real_takes() -> None:
    verdicts = [Figure("peak", value, extra=(0.5, 0.6), inputs=1.0).verdict for value in (0.4, 0.9, 1.1)]
    assert verdicts == ["good", "good", "above"]


def test_joints_above_the_hips_do_not_count() -> None:
    names, parents = ("Origin", *SKELETON.names), np.array([-1, *(SKELETON.parents + 1)])
    rig = Skeleton(names, parents, np.concatenate([np.zeros((1, 3)), SKELETON.offsets]))

    def on_rig(clip: Clip) -> Clip:
        still = np.tile([1.0, 0.0, 0.0, 0.0], (len(clip), 1, 1))
        moves = np.zeros((len(clip), len(names), 3))
        moves[:, 1:] = rig.offsets[1:]
        moves[:, 1] = clip.root
        turns = np.concatenate([still, clip.rotations], axis=1)
        return Clip(rig, clip.frame_time, np.zeros_like(clip.root), turns, joint_translations=moves)

    sets = walking(INPUTS), walking(MORE), walking(FURTHER)
    plain, placed = figures(*sets), figures(*[[on_rig(clip) for clip in clips] for clips in sets])
    assert plain.keys() == placed.keys()
    for key, figure in plain.items():
        assert key == "variogram" or np.isclose(figure.value, placed[key].value), key


def test_the_generator_is_left_as_it_was() -> None:
    rng = np.random.default_rng(3)
    realness_figures(unpacked(INPUTS, MORE, FURTHER), rng)
    assert rng.random() == np.random.default_rng(3).random()

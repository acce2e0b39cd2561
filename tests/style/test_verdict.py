"""The verdict on translations, tempo by choice, and how much of a style arrived: by made-up gaits and known changes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.errors import UsageError
from freshtake.formats.ftm import load, save
from freshtake.motion.body.roles import leg_length
from freshtake.motion.edit import moved
from freshtake.numeric.rotations import from_rotvec, multiply
from freshtake.style.learning import learn
from freshtake.style.settings import Settings
from freshtake.style.verdict import Gait, gait_of, remarks_on, worst
from tests.style.pairs_of_clips import walk

GOOD = Gait(6.0, 1.0, 0.1, 50.0)


@pytest.fixture(scope="module")
def limping():
    return learn([(walk(k), walk(100 + k, "limp")) for k in (80, 81, 82)], Settings(order=2))


def test_a_gait_is_measured() -> None:
    clip = walk(80, cycles=6)
    gait = gait_of(clip)
    assert gait is not None and gait.strides in (5, 6)
    way = np.linalg.norm((clip.root[-1] - clip.root[0])[[0, 2]]) / leg_length(clip.skeleton) / clip.duration
    assert gait.speed == pytest.approx(way, rel=0.1)
    gliding = clip.changed(root=clip.root + np.linspace(0.0, 5.0, len(clip))[:, None] * [[1.0, 0.0, 0.0]] * 20.0)
    glides = gait_of(gliding)
    assert glides is not None and glides.slide > 3.0 * gait.slide
    turned = gait_of(moved(clip, np.array([3.0, 0.0, 1.0])))
    assert turned is not None and turned == pytest.approx(gait)


@pytest.mark.parametrize(
    ("changes", "level", "says"),
    [
        ({}, "green", ""),
        ({"strides": 5.0, "speed": 1.2, "slide": 0.14, "jerk": 70.0}, "green", ""),
        ({"strides": 1.0}, "red", "6 strides became 1"),
        ({"strides": 4.0}, "amber", "6 strides became 4"),
        ({"slide": 1.0}, "red", "slide by 1.00 leg lengths a second"),
        ({"jerk": 100.0}, "amber", "shakes 2.0 times as much"),
        ({"speed": 0.4}, "red", "where 1.00 were expected"),
    ],
)
def test_what_is_off_is_said(changes: dict[str, float], level: str, says: str) -> None:
    remarks = remarks_on(GOOD._replace(**changes), GOOD, (GOOD, GOOD))
    assert worst(remarks) == level
    assert says in " ".join(remark.text for remark in remarks)


def test_speed_is_expected_in_proportion_and_by_strength() -> None:
    slow = GOOD._replace(speed=0.5)
    assert not remarks_on(slow, GOOD, (GOOD, slow))
    assert remarks_on(slow, GOOD, (GOOD, slow), 0.0)
    assert not remarks_on(slow, GOOD, (GOOD, slow), None) and not remarks_on(slow, GOOD, None)


def test_the_speed_is_that_of_the_source_or_of_the_style(limping: ft.style.StyleModel) -> None:
    clip = walk(83)
    usual = {speed: gait_of(limping.translate(clip, speed=speed)) for speed in ("proportion", "source", "style")}
    source = gait_of(clip)
    assert source is not None and limping.teacher is not None and all(usual.values())
    assert usual["source"].speed == pytest.approx(source.speed, rel=0.05)
    assert usual["style"].speed == pytest.approx(limping.teacher[1].speed, rel=0.08)
    assert usual["proportion"].speed != pytest.approx(source.speed, rel=0.01)
    assert usual["source"].slide < 2.0 * usual["proportion"].slide + 0.02
    with pytest.raises(UsageError, match="the speed is one of"):
        limping.translate(clip, speed="fast")


def test_a_translation_is_made_once_and_says_what_arrived(limping: ft.style.StyleModel) -> None:
    clip = walk(83)
    done = limping.translation(clip)
    rows = limping.encode(clip).values
    np.testing.assert_array_equal(done.stands, limping.footplants(rows, done.made))
    np.testing.assert_allclose(done.clip.rotations, limping.translate(clip).rotations)
    assert 0.5 < done.arrived["legs"] < 1.5, done.arrived
    assert limping.translation(clip, strength=0.0).arrived == pytest.approx(dict.fromkeys(done.arrived, 0.0))
    half = limping.translation(clip, strength=0.5, time_warp=False).arrived["legs"]
    assert 0.3 < half < 0.7 * max(1.0, done.arrived["legs"])


def test_legs_of_others_turn_about_lesser_axes_no_more_than_in_the_examples(limping: ft.style.StyleModel) -> None:
    clip = walk(83)
    plain, side = limping.encode(clip, calibrate=False).values, limping.dofs.index("LeftUpLeg.z")
    joint = clip.skeleton.names.index("LeftUpLeg")
    wide = from_rotvec(np.sin(np.arange(len(clip)) / 9.0)[:, None] * [0.0, 0.0, 0.4])
    rotations = clip.rotations.copy()
    rotations[:, joint] = multiply(rotations[:, joint], wide)
    waving = clip.changed(rotations=rotations)
    free, calm = (limping.encode(waving, calibrate=each).values for each in (False, True))
    assert free[:, side].std() > 2.0 * plain[:, side].std()
    assert calm[:, side].std() < 0.6 * free[:, side].std()
    arms = [k for k, name in enumerate(limping.dofs) if "Arm" in name]
    np.testing.assert_allclose(calm[:, arms] - calm[:, arms].mean(axis=0), free[:, arms] - free[:, arms].mean(axis=0))


def test_a_bad_translation_is_never_silent(tmp_path: Path, capsys: pytest.CaptureFixture[str], limping) -> None:
    save(tmp_path / "limp.ftm", limping)
    assert load(tmp_path / "limp.ftm").teacher == limping.teacher
    ft.write(tmp_path / "walk.bvh", walk(83))
    apply = ["style", "apply", str(tmp_path / "limp.ftm"), str(tmp_path / "walk.bvh"), "-o", str(tmp_path / "o.bvh")]
    assert run([*apply, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["verdict"] == "green" and facts["remarks"] == [] and facts["arrived"]["legs"] > 0.5
    quiet = tuple(gait._replace(slide=1e-3, jerk=1e-3, speed=3.0 * gait.speed) for gait in limping.teacher[1:])
    save(tmp_path / "limp.ftm", replaced(limping, (limping.teacher[0], *quiet)))
    assert run([*apply, "--force"]) == 0
    assert "look at this before you use it: it goes at" in capsys.readouterr().err


def replaced(model: ft.style.StyleModel, teacher: tuple[Gait, ...]) -> ft.style.StyleModel:
    from dataclasses import replace

    return replace(model, teacher=(teacher[0], teacher[1]))

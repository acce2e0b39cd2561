"""The verdict on translations, tempo by choice, and how much of a style arrived: synthetic gaits, known changes."""

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
from freshtake.motion.gait import Gait, gait_of
from freshtake.motion.verdict import Verdict, gait_remarks
from freshtake.numeric.rotations import from_rotvec, multiply
from freshtake.style.learning import learn
from tests.style.pairs_of_clips import walk

GOOD = Gait(6.0, 1.0, 0.1, 50.0)


@pytest.fixture(scope="module")
def limping():
    return learn([(walk(k), walk(100 + k, "limp")) for k in (80, 81, 82)])


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
    ("changes", "color", "says"),
    [
        ({}, "green", ""),
        ({"strides": 5.5, "speed": 1.2, "slide": 0.12, "jerk": 70.0}, "green", ""),
        ({"strides": 1.0}, "red", "6 strides became 1"),
        ({"strides": 5.0}, "amber", "6 strides became 5"),
        ({"slide": 1.0}, "red", "slide at 100 % of a leg a second"),
        ({"slide": 0.14}, "amber", "slide at 14 % of a leg a second"),
        ({"jerk": 100.0}, "amber", "shakes 2.0 times as much"),
        ({"speed": 0.4}, "red", "but 1.00 were expected"),
    ],
)
def test_what_is_off_is_remarked_on(changes: dict[str, float], color: str, says: str) -> None:
    remarks = gait_remarks(GOOD._replace(**changes), GOOD, (GOOD, GOOD))
    assert Verdict("it", tuple(remarks)).color == color
    assert says in " ".join(remark.what for remark in remarks)


def test_speed_is_expected_in_proportion_and_by_strength() -> None:
    slow = GOOD._replace(speed=0.5)
    assert not gait_remarks(slow, GOOD, (GOOD, slow))
    assert gait_remarks(slow, GOOD, (GOOD, slow), 0.0)
    assert not gait_remarks(slow, GOOD, (GOOD, slow), None) and not gait_remarks(slow, GOOD, None)


def test_a_lame_leg_that_never_passes_the_other_makes_its_strides() -> None:
    clip = walk(80, cycles=6)
    legs = [k for k, name in enumerate(clip.skeleton.names) if name == "LeftUpLeg"]
    turn = from_rotvec(np.tile([0.6, 0.0, 0.0], (len(clip), 1)))
    rotations = clip.rotations.copy()
    rotations[:, legs[0]] = multiply(turn, rotations[:, legs[0]])
    lame, sound = gait_of(clip.changed(rotations=rotations)), gait_of(clip)
    assert lame is not None and sound is not None and abs(lame.strides - sound.strides) <= 0.5


def test_the_speed_is_that_of_the_source_or_of_the_style(limping: ft.style.StyleModel) -> None:
    clip = walk(83)
    usual = {speed: gait_of(limping.translate(clip, speed=speed)) for speed in ("proportion", "source", "style")}
    source = gait_of(clip)
    assert source is not None and limping.teacher is not None and all(usual.values())
    assert usual["source"].speed == pytest.approx(source.speed, rel=0.05)
    assert usual["style"].speed == pytest.approx(limping.teacher[1].speed, rel=0.08)
    assert usual["proportion"].speed != pytest.approx(source.speed, rel=0.01)
    assert usual["source"].slide < 2.0 * usual["proportion"].slide + 0.02
    with pytest.raises(UsageError, match="speed must be one of"):
        limping.translate(clip, speed="fast")


def test_a_translation_is_made_once_and_says_what_arrived(limping: ft.style.StyleModel) -> None:
    clip = walk(83)
    done = limping.translation(clip)
    rows = limping.encode(clip).values
    labels = limping.labels(rows)
    seen = np.stack([labels[name] for name in limping.feet], axis=1)
    np.testing.assert_array_equal(
        done.contacts, seen[np.clip(np.round(done.translated.origins).astype(int), 0, len(seen) - 1)]
    )
    np.testing.assert_allclose(done.clip.rotations, limping.translate(clip).rotations)
    assert 0.5 < done.arrived["legs"] < 1.5, done.arrived
    assert limping.translation(clip, strength=0.0).arrived == pytest.approx(dict.fromkeys(done.arrived, 0.0))
    half = limping.translation(clip, strength=0.5, time_warp=False).arrived["legs"]
    assert 0.3 < half < 0.7 * max(1.0, done.arrived["legs"])


def test_lesser_axes_of_a_thigh_drive_no_system_but_the_timing(limping: ft.style.StyleModel) -> None:
    rows = np.zeros((2, 40, len(limping.dofs)))
    thigh = [k for k, name in enumerate(limping.dofs) if name.startswith("LeftUpLeg.")]
    main = max(thigh, key=lambda k: limping.source.deviation[k])
    for k in thigh:
        rows[1] = 0.0
        rows[1, 10:20, k] = 1.0
        still, moved = (limping.bank.run(limping.bank.start(), inputs)[1] for inputs in rows)
        # the last column is the timing, which depends on all limb motion
        changed = np.abs(moved - still)[:, :-1].max() > 1e-9
        assert changed == (k == main), limping.dofs[k]


def test_a_bad_translation_is_never_silent(tmp_path: Path, capsys: pytest.CaptureFixture[str], limping) -> None:
    save(tmp_path / "limp.ftm", limping)
    assert load(tmp_path / "limp.ftm").teacher == limping.teacher
    ft.write(tmp_path / "walk.bvh", walk(83))
    apply = ["style", "apply", str(tmp_path / "limp.ftm"), str(tmp_path / "walk.bvh"), "-o", str(tmp_path / "o.bvh")]
    assert run([*apply, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["verdict"] != "red" and facts["arrived"]["legs"] > 0.5
    quiet = tuple(gait._replace(slide=1e-3, jerk=1e-3, speed=3.0 * gait.speed) for gait in limping.teacher[1:])
    save(tmp_path / "limp.ftm", replaced(limping, (limping.teacher[0], *quiet)))
    assert run([*apply, "--force"]) == 2
    assert "it moves at" in capsys.readouterr().err
    assert run([*apply, "--force", "--keep-going"]) == 0
    assert "it moves at" in capsys.readouterr().err


def replaced(model: ft.style.StyleModel, teacher: tuple[Gait, ...]) -> ft.style.StyleModel:
    from dataclasses import replace

    return replace(model, teacher=(teacher[0], teacher[1]))

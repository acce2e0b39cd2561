"""The whole evaluation: variants with a known defect are found to have it, unlike real takes."""

from __future__ import annotations

import json

import numpy as np
import pytest

from freshtake.errors import SkeletonMismatch, UsageError
from freshtake.evaluation import Evaluation, evaluate
from freshtake.evaluation.comparable import unpacked
from freshtake.evaluation.scores import score_track
from freshtake.evaluation.tracks import Gallery
from freshtake.motion import Clip, MeshSequence, Skeleton, Stroke
from freshtake.motion.edit import resample, sampled_at, take_frames, turned
from tests.evaluation.stepping import jittered, slid, take, takes

INPUTS, EXTRA = takes(1, 3, "input"), takes(2, 3, "extra")


def judged(variants: list[Clip], extra: list[Clip] | None = None, inputs: list[Clip] | None = None) -> Evaluation:
    extra = EXTRA if extra is None else extra
    return evaluate(inputs or INPUTS, variants, extra, rng=np.random.default_rng(0))


def verdict(result: Evaluation, key: str) -> str:
    figure = result.figure(key)
    assert figure is not None, key
    return figure.verdict


def test_takes_of_the_same_law_are_mostly_like_real_takes() -> None:
    result = judged(takes(3, 6, "variant"))
    judgements = [figure.verdict for figure in result.figures if figure.verdict]
    assert judgements.count("good") > 0.7 * len(judgements)
    assert verdict(result, "copied") == "good"
    assert verdict(result, "auc") == "good"
    between = result.figure("between")
    assert between is not None
    assert result.value("diversity") == pytest.approx(between.value / (between.inputs or 0.0))


def test_copies_are_found() -> None:
    result = judged([turned(INPUTS[0], 0.2), INPUTS[2]])
    assert result.value("copied") == 1.0
    assert (verdict(result, "copied"), verdict(result, "nearest")) == ("above", "below")
    assert result.value("longest_run") == max(len(INPUTS[0]), len(INPUTS[2]))


def test_jitter_is_diverse_but_not_smooth() -> None:
    rng = np.random.default_rng(4)
    result = judged([jittered(clip, rng, 0.08) for clip in INPUTS])
    assert verdict(result, "diversity") == "above"
    assert verdict(result, "jerk_limbs") == "above"
    assert verdict(result, "auc") == "above"
    beside = result.as_dict()["figures"]["diversity"]["beside"]
    assert beside["jerk_limbs"] == result.value("jerk_limbs") > 2
    assert beside["planted_speed"] == result.value("planted_speed")


def test_sliding_feet_are_found() -> None:
    result = judged([slid(clip, 4.0) for clip in EXTRA], extra=takes(5, 3))
    assert verdict(result, "planted_speed") == "above"
    assert verdict(result, "planted_lost") == "above"
    assert verdict(result, "jerk_limbs") == "good"


def test_interpolation_is_no_news() -> None:
    from freshtake.numeric.rotations import slerp

    mixed = []
    for a, b, share in ((0, 1, 0.3), (2, 0, 0.6), (1, 2, 0.5)):
        count = len(INPUTS[a])
        other = sampled_at(INPUTS[b], np.linspace(0, len(INPUTS[b]) - 1, count))
        turns = slerp(INPUTS[a].rotations, other.rotations, np.full((count, 1), share))
        mixed.append(INPUTS[a].changed(rotations=turns))
    result = judged(mixed)
    assert verdict(result, "outside_span") == "below"
    assert result.value("outside_span") < 0.1
    assert result.interpolation["outside_span"] < 0.02


def test_slow_motion_is_found() -> None:
    slow = [sampled_at(c, np.linspace(0, len(c) - 1, round(1.25 * len(c)))) for c in EXTRA]
    result = judged(slow, extra=takes(6, 3))
    assert verdict(result, "duration_ratio") == "above"
    assert result.value("tempo_share") > 0.7


def test_the_result_is_json_and_the_same_for_the_same_seed() -> None:
    first, second = (judged(takes(7, 3), EXTRA[:2], INPUTS).as_dict() for _ in range(2))
    assert first == second
    text = json.dumps(first, allow_nan=False)
    assert json.loads(text)["figures"]["nearest"]["left_out"] == first["figures"]["nearest"]["left_out"]
    assert len(first["figures"]["nearest"]["left_out"]) == 3
    assert len(first["figures"]["nearest"]["extra"]) == 2
    assert len(first["figures"]["nearest"]["each"]) == 3


def test_every_figure_is_there_or_said_to_be_missing() -> None:
    from freshtake.evaluation.figure_kinds import BY_KEY

    lone, full = judged(takes(8, 1), [], INPUTS[:1]), judged(takes(8, 2), EXTRA[:1], INPUTS[:2])
    for result in (lone, full):
        assert {figure.key for figure in result.figures} | set(result.missing) == set(BY_KEY)
        assert not {figure.key for figure in result.figures} & set(result.missing)
    assert any("real take" in note for note in lone.notes)


def test_another_rate_is_resampled_and_said() -> None:
    odd = unpacked(INPUTS[:1], [resample(EXTRA[0], 25.0)], [])
    assert any("resampled to 60" in note for note in odd.notes)
    halved = unpacked(INPUTS[:1], [EXTRA[0], take_frames(EXTRA[0], step=2)], [])
    assert not halved.notes
    gallery = Gallery(halved.layout, halved.inputs)
    whole, half = (score_track(gallery, track) for track in halved.variants)
    assert half["jerk"].value == pytest.approx(whole["jerk"].value, rel=1e-9)


def test_z_up_is_the_same_motion() -> None:
    from freshtake.motion.edit import with_up

    clip = takes(9, 1)[0]
    material = unpacked(INPUTS[:2], [clip, with_up(clip, "z")], [])
    gallery = Gallery(material.layout, material.inputs)
    straight, tilted = (score_track(gallery, track) for track in material.variants)
    assert straight.keys() == tilted.keys()
    for key, part in straight.items():
        assert np.isclose(part.value, tilted[key].value, rtol=1e-6, atol=1e-6, equal_nan=True), key


def letter(rng: np.random.Generator, name: str) -> Stroke:
    time = np.linspace(0, 1, int(60 + rng.integers(-5, 6)))
    a, b = 1 + 0.1 * rng.normal(), 2 + 0.2 * rng.normal()
    return Stroke(np.stack([30 * a * np.cos(5 * time), 20 * np.sin(b * 3 * time)], axis=1), time, name=name)


def test_strokes_are_judged_by_what_they_have() -> None:
    rng = np.random.default_rng(1)
    inputs, variants, extra = ([letter(rng, f"{s}{k}") for k in range(4)] for s in "ive")
    result = evaluate(inputs, [*variants, inputs[0]], extra, rng=rng)
    assert result.kind == "stroke"
    figure = result.figure("copied")
    assert figure is not None
    assert figure.each[-1] == 1.0
    assert max(figure.each[:-1]) < 0.1
    assert {"diversity", "jerk", "nearest", "duration", "outside_span", "auc"} <= {f.key for f in result.figures}
    assert result.missing["planted_speed"] == "a stroke has no feet, hands or joints"
    assert 0.3 < result.value("jerk") < 3


def test_what_cannot_be_compared_is_one_sentence() -> None:
    clip, stroke = INPUTS[0], letter(np.random.default_rng(0), "letter")
    other = Skeleton(("Hips", "Arm"), np.array([-1, 0]), np.zeros((2, 3)))
    rotations = np.zeros((10, 2, 4))
    rotations[..., 0] = 1
    arm = Clip(other, 1 / 60, np.zeros((10, 3)), rotations, name="arm")
    mesh = MeshSequence(np.zeros((5, 3, 3)), np.array([[0, 1, 2]]), 1 / 30)
    short = take_frames(clip, 0, 3)
    endless = Stroke(np.zeros((8000, 2)), np.arange(8000.0), name="endless")
    rng = np.random.default_rng(0)
    for inputs, variants, error, says in (
        ([], [clip], UsageError, "at least one input"),
        ([clip], [], UsageError, "at least one variant"),
        ([clip], [stroke], UsageError, "stroke"),
        ([clip], [mesh], UsageError, "mesh sequence"),
        ([clip], [arm], SkeletonMismatch, "arm"),
        ([clip], [short], UsageError, "3 frames"),
        ([endless], [stroke], UsageError, "endless has 8000 frames"),
    ):
        with pytest.raises(error, match=says):
            evaluate(inputs, variants, rng=rng)


def test_identical_inputs_and_still_clips_are_survived() -> None:
    still = INPUTS[0].changed(rotations=INPUTS[0].rotations[:1].repeat(len(INPUTS[0]), 0), name="still")
    for inputs, variants in (([INPUTS[0]] * 3, [take(np.random.default_rng(0))]), ([still, still], [still, still])):
        result = evaluate(inputs, variants, rng=np.random.default_rng(0))
        json.dumps(result.as_dict(), allow_nan=False)

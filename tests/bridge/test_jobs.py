"""The jobs of the bridge return what the library makes of the same clips, bit for bit."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import freshtake as ft
from freshtake import samples
from freshtake.bridge.jobs import JOBS
from freshtake.bridge.messages import Decoder, Message
from freshtake.bridge.serving import MessageWriter, _answer
from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.cycles.cycles import find_cycles
from freshtake.motion.edit import resample
from freshtake.motion.retarget import Retargeter, make_rig
from freshtake.requests import Variants
from freshtake.samples.humanoid import TALL
from freshtake.texture.learning import with_jump_time
from freshtake.workflows.inputs import generator
from freshtake.workflows.varying import variants
from tests.bridge.conftest import Ask, clips_in, sending, walks


def assert_same(made: Clip, expected: Clip) -> None:
    assert made.rotations.tobytes() == expected.rotations.tobytes()
    assert made.root.tobytes() == expected.root.tobytes()
    assert made.frame_time == expected.frame_time


@pytest.fixture(scope="module")
def model() -> Any:
    return ft.variation.learn(walks(), rng=generator(0))


@pytest.fixture(scope="module")
def stored(model: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return as_sent(model, tmp_path_factory.mktemp("model"))


def as_sent(model: Any, folder: Path) -> dict[str, Any]:
    ft.save(folder / "model.ftm", model)
    return {"model": np.frombuffer((folder / "model.ftm").read_bytes(), np.uint8)}


def test_learned_in_the_child_is_learned_by_the_library(ask: Ask, stored: dict[str, Any]) -> None:
    values, arrays = sending(clips=walks())
    got = ask("learn", values, arrays)
    assert got.values["facts"]["examples"] == 4
    first, second = (ask("vary", {"count": 1, "seed": 5}, {"model": m}) for m in (got.arrays["model"], stored["model"]))
    assert_same(clips_in(first)[0], clips_in(second)[0])


def test_variants_are_the_librarys_and_each_can_be_made_again(ask: Ask, model: Any, stored: dict[str, Any]) -> None:
    made = ask("vary", {"count": 3, "seed": 5}, stored)
    for clip, expected in zip(clips_in(made), variants(model, Variants(count=3, seed=5)), strict=True):
        assert_same(clip, expected)  # type: ignore[arg-type]
    assert made.values["made"][2] == {"seed": 5, "number": 3}
    again = ask("vary", {"count": 1, "first": 3, "seed": 5}, stored)
    assert_same(clips_in(again)[0], clips_in(made)[2])


def test_a_loop_in_place_that_closes(ask: Ask, stored: dict[str, Any]) -> None:
    asked = {"count": 1, "loop": True, "in_place": True, "closing_frame": True, "plant": False}
    (clip,) = clips_in(ask("vary", asked, stored))
    assert clip.playback is not None
    assert clip.playback.loop and clip.playback.closing and clip.playback.root_motion == "none"
    assert np.abs(clip.rotations[0] - clip.rotations[-1]).max() < 1e-9
    with pytest.raises(UsageError, match="only loops"):
        ask("vary", {**asked, "loop": False}, stored)


def test_poses_length_and_amounts_are_heard(ask: Ask, stored: dict[str, Any]) -> None:
    pose = walks(1)[0].changed(name="pose")
    values, arrays = sending(start=[pose.changed(root=pose.root[:1], rotations=pose.rotations[:1])])
    (clip,) = clips_in(ask("vary", {**values, "seconds": 1.0, "plant": False}, {**arrays, **stored}))
    assert len(clip) == 60
    assert np.abs(np.abs((clip.rotations[0] * pose.rotations[0]).sum(axis=-1)) - 1.0)[1:].max() < 1e-6
    still, moved = (
        clips_in(ask("vary", {"seed": 1, "amount": 0.0, "parts": parts, "plant": False}, stored))[0]
        for parts in ({}, {"left arm": 1.0})
    )
    arm, leg = (still.skeleton.index(name) for name in ("LeftForeArm", "LeftLeg"))
    assert np.abs(still.rotations[:, arm] - moved.rotations[:, arm]).max() > 1e-3
    assert np.abs(still.rotations[:, leg] - moved.rotations[:, leg]).max() < 1e-9
    assert "left arm" in ask("parts", {}, stored).values["parts"]
    with pytest.raises(UsageError, match="no body part"):
        ask("vary", {"parts": {"tail": 1.0}}, stored)


def test_a_model_is_described(ask: Ask, stored: dict[str, Any]) -> None:
    said = ask("describe", {}, stored).values
    assert said["method"] == "variation" and said["facts"]["motion"] in ("cyclic", "acyclic")
    assert said["facts"]["joints"] == list(walks(1)[0].skeleton.names)
    with pytest.raises(UsageError, match="the model"):
        ask("describe", {}, {"model": np.frombuffer(b"nothing", np.uint8)})


def test_what_is_wrong_with_takes(ask: Ask) -> None:
    good = walks(5)
    values, arrays = sending(clips=good)
    fine = ask("check_takes", values, arrays).values
    assert fine["unlike"] == [] and fine["together"] == [] and len(fine["takes"]) == 5
    assert [finding["severity"] for finding in fine["takes"][0]] == ["note"]
    odd = samples.walk(np.random.default_rng(7), cycles=1, style="limp").changed(name="Odd/one")
    values, arrays = sending(clips=[*good, odd])
    assert ask("check_takes", values, arrays).values["unlike"][0].startswith("Odd/one is unlike the others: ")
    slow = resample(good[0], 24.0).changed(name="Slow")
    values, arrays = sending(clips=[good[1], slow])
    assert any("Slow" in finding["sentence"] for finding in ask("check_takes", values, arrays).values["together"])


def test_cuts_are_the_librarys(ask: Ask) -> None:
    long = walks(1, cycles=4)[0]
    values, arrays = sending(clips=[long])
    pieces = ask("cut", values, arrays).values["pieces"]
    assert [(p["start"], p["stop"]) for p in pieces] == [(int(a), int(b) + 1) for a, b in find_cycles(long).spans]
    like = {"at": "repeats", "like": {"clip": 0, "start": 5, "stop": 60}}
    assert len(ask("cut", {**values, **like}, arrays).values["pieces"]) >= 3
    with pytest.raises(UsageError, match="from an example"):
        ask("cut", {**values, "at": "repeats"}, arrays)
    (made,) = clips_in(ask("loop", {**values, "plant": False}, arrays))
    assert made.playback is not None and made.name == "Walk 0"


def test_a_style_is_the_librarys(ask: Ask, tmp_path: Path) -> None:
    sources, targets = walks(2, cycles=2), walks(2, cycles=2, style="limp")
    values, arrays = sending(sources=sources, targets=targets)
    learned = ask("style_learn", values, arrays)
    (tmp_path / "style.ftm").write_bytes(learned.arrays["model"].tobytes())
    values, arrays = sending(clips=sources[:1])
    made = ask("style_apply", {**values, "strength": 0.5}, {**arrays, "model": learned.arrays["model"]})
    expected = ft.load_style(tmp_path / "style.ftm").translate(sources[0], strength=0.5, plant=True)
    assert_same(clips_in(made)[0], expected)


def test_a_blend_is_the_librarys(ask: Ask) -> None:
    run = samples.run(np.random.default_rng(0), cycles=3).changed(name="Run")
    walk = walks(1, cycles=3)
    values, arrays = sending(clips=[*walk, run])
    learned = ask("blend_learn", {**values, "classes": {"walk": [0], "run": [1]}}, arrays)
    asked = {"frames": 40, "weights": {"walk": 2, "run": 2}, "seed": 3}
    made = ask("blend_sample", asked, {"model": learned.arrays["model"]})
    expected = ft.density.learn({"walk": walk, "run": [run]}).sample(
        generator(3), frames=40, weights={"walk": 0.5, "run": 0.5}, plant=True
    )
    assert_same(clips_in(made)[0], expected)
    with pytest.raises(UsageError, match="which of the 2 clips"):
        ask("blend_learn", {**values, "classes": {"walk": [7]}}, arrays)


def test_endless_play_is_the_librarys_at_any_rate_of_jumps(ask: Ask, tmp_path: Path) -> None:
    values, arrays = sending(clips=walks(1, cycles=4))
    learned = ask("texture_learn", values, arrays)
    made = ask("texture_sample", {"frames": 200, "jump_time": 0.5, "seed": 1}, learned.arrays)
    texture = ft.texture.learn(walks(1, cycles=4), rng=generator(0))
    direct = ft.texture.learn(walks(1, cycles=4), ft.texture.Settings(jump_time=0.5), rng=generator(0))
    assert with_jump_time(texture, 0.5).sigmas == direct.sigmas
    assert_same(clips_in(made)[0], direct.sample(np.random.default_rng(1), frames=200, plant=True))


def test_retargeting_with_a_map_that_was_edited(ask: Ask) -> None:
    source, tall = walks(1)[0], samples.walk(np.random.default_rng(0), cycles=1, build=TALL).changed(name="Tall")
    names = tuple(f"Rig_{name}" for name in tall.skeleton.names)
    tall = tall.changed(skeleton=replace(tall.skeleton, names=names))
    values, arrays = sending(clips=[source], target=[tall])
    found = ask("map", values, arrays)
    made = ask("retarget", {**values, "maps": found.values["maps"]}, arrays)
    assert found.values["maps"] == made.values["maps"] and len(found.values["maps"]["target"]) > 10
    assert_same(clips_in(made)[0], Retargeter(make_rig(source), make_rig(tall)).retarget(source))
    found.values["maps"]["target"]["head"] = ["Nobody"]
    with pytest.raises(UsageError, match="Nobody"):
        ask("retarget", {**values, "maps": found.values["maps"]}, arrays)


numbers = st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-2, 2) | st.text(max_size=3)
anything = numbers | st.lists(numbers, max_size=2) | st.dictionaries(st.text(max_size=2), numbers, max_size=2)
NAMES = (
    "clips", "count", "seed", "first", "amount", "parts", "loop", "frames", "seconds", "start", "steps", "classes",
    "weights", "maps", "at", "target", "sources", "like", "strength", "jump_time", "cycles", "amount_time", "plant",
)  # fmt: skip
TAKES = sending(clips=walks(1), target=walks(1), sources=walks(1))


@given(
    job=st.sampled_from([name for name in JOBS if name != "warm_up"]),
    params=st.dictionaries(st.sampled_from(NAMES), anything),
    with_takes=st.booleans(),
)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_asked_there_is_one_answer_and_no_traceback(
    job: str, params: dict[str, Any], with_takes: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    values, arrays = TAKES if with_takes else ({}, {})
    out = io.BytesIO()
    _answer(Message("request", 9, {"name": job, "params": {**values, **params}}, arrays), MessageWriter(out))
    (*_, last) = Decoder().feed(out.getvalue())
    assert last.kind in ("result", "failed") and last.number == 9
    assert not str(last.values.get("sentence", "")).startswith("something went wrong"), capfd.readouterr().err


def test_sample_takes_are_those_of_the_command(ask: Ask, tmp_path: Path) -> None:
    from freshtake.requests import SamplesWrite
    from freshtake.workflows.sampling import samples_write

    made = clips_in(ask("samples", {"sets": ["walk", "cheer"], "takes": 2, "seed": 3}, {}))
    expected = [
        ft.read(path) for path in samples_write(SamplesWrite(names=["walk", "cheer"], out=tmp_path, takes=2, seed=3))
    ]
    assert [clip.name for clip in made] == ["walk_1", "walk_2", "cheer_1", "cheer_2"]
    for clip, other in zip(made, expected, strict=True):
        assert isinstance(other, Clip)
        assert_same(clip, other)


@pytest.mark.parametrize("params", [{"seed": -1}, {"sets": ["fly"]}, {"sets": [3]}, {"takes": 101}, {"takes": 0}])
def test_samples_that_there_are_not(ask: Ask, params: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        ask("samples", params, {})


def test_one_take_is_enough_and_no_sentence_names_an_option(ask: Ask) -> None:
    values, arrays = sending(clips=walks(1))
    assert ask("learn", values, arrays)
    values, arrays = sending(clips=[walks(1)[0], walks(1)[0]])
    with pytest.raises(UsageError) as refused:
        ask("learn", values, arrays)
    assert "--" not in str(refused.value)

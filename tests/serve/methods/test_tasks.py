"""Tasks of style, blend, texture, comparison and drawing: their results, checked by behavior."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from freshtake import samples
from freshtake.errors import UsageError
from freshtake.formats.ftm import load
from freshtake.formats.registry import read
from freshtake.motion.edit import heading
from freshtake.requests.style import Styling
from freshtake.serve.items import Item
from freshtake.serve.tasks.methods import translated
from freshtake.variation.goals import guidance
from tests.serve.methods.tasks_here import Here


def motion(here: Here, item: Item) -> Any:
    return read(here.project.path(item.id))


def test_a_style_knows_its_pairs_and_their_warps(style: Item) -> None:
    assert style.kind == "model" and style.facts["method"] == "style"
    assert [(row["source"], row["target"]) for row in style.facts["pairs"]] == [
        ("long_1", "limp_1"),
        ("long_2", "limp_2"),
    ]
    for warp in style.facts["warps"]:
        assert np.all(np.diff(warp["source"]) > 0.0) and np.all(np.diff(warp["target"]) >= 0.0)
        assert min(warp["pace"]) > 0.0


def test_strength_0_leaves_a_take_as_it_is_and_1_does_not(here: Here, style: Item, takes: dict[str, list[str]]) -> None:
    take = read(here.project.path(takes["long"][1]))
    plain, styled = (
        motion(here, here.run("style_apply", [takes["long"][1]], styles=[(style.id, 1.0)], strength=s)[0])
        for s in (0.0, 1.0)
    )
    assert np.allclose(plain.positions(), take.positions(), atol=1e-6)
    assert len(styled) != len(take) or np.abs(styled.positions() - take.positions()).max() > 1.0


def test_a_style_mixed_with_itself_is_itself(here: Here, style: Item, takes: dict[str, list[str]]) -> None:
    clip, model = read(here.project.path(takes["long"][1])), load(here.project.path(style.id))
    once, twice = (
        translated([(model, 0.8)], clip, Styling(plant=False)),
        translated([(model, 0.4), (model, 0.4)], clip, Styling(plant=False)),
    )
    assert once is not None and twice is not None
    count = min(len(once.clip), len(twice.clip))
    assert np.abs(once.clip.rotations[:count] - twice.clip.rotations[:count]).max() < 0.1
    assert translated([(model, 0.5)], clip, Styling(strength=0.0)) is None
    with pytest.raises(UsageError, match="between 0 and 2"):
        Styling(strength=float("nan"))


def test_lists_that_do_not_pair_are_refused(here: Here, takes: dict[str, list[str]]) -> None:
    with pytest.raises(UsageError, match="pair them by content"):
        here.run("style_learn", takes["long"], targets=takes["limp"][:1])
    with pytest.raises(UsageError, match="flag_1 has no skeleton"):
        here.run("style_learn", takes["flag"], targets=takes["limp"][:1])


def test_a_recording_goes_as_fast_as_its_classes_and_turns_as_the_slider_said(here: Here, blend: Item) -> None:
    assert (
        blend.facts["classes"] == ["walk", "run"] and blend.facts["speeds"]["run"] > 1.5 * blend.facts["speeds"]["walk"]
    )
    course = [(0.0, {"walk": 1.0}, 0.0, 1.0), (1.5, {"run": 1.0}, 60.0, 1.0)]
    clip = motion(here, here.run("blend_sample", [blend.id], course=course, seconds=3.0)[0])
    assert clip.duration == pytest.approx(3.0, abs=0.1)
    steps = np.linalg.norm(np.diff(clip.root[:, [0, 2]], axis=0), axis=1)
    assert steps[-20:].mean() > 1.4 * steps[:30].mean()
    turned = np.unwrap(heading(clip))
    assert turned[-1] - turned[len(turned) // 2] > np.radians(30.0)


def test_speed_is_tempo(here: Here, blend: Item) -> None:
    def travelled(speed: float) -> float:
        course = [(0.0, {"walk": 1.0}, 0.0, speed)]
        clip = motion(here, here.run("blend_sample", [blend.id], course=course, seconds=2.0, plant=False)[0])
        assert clip.duration == pytest.approx(2.0, abs=0.1)
        return float(np.linalg.norm(clip.root[-1, [0, 2]] - clip.root[0, [0, 2]]))

    assert travelled(1.5) == pytest.approx(1.5 * travelled(1.0), rel=0.12)


@pytest.mark.parametrize("course", [[], [(0.0, {"walk": float("nan")}, 0.0, 1.0)], [("a", {}, 0.0, 1.0)], [(0.0, 3)]])
def test_courses_that_say_nothing_are_refused(here: Here, blend: Item, course: list[Any]) -> None:
    with pytest.raises(ValidationError, match="course"):
        here.run("blend_sample", [blend.id], course=course, seconds=1.0)


def test_classes_that_are_unknown_or_alone_are_refused(here: Here, blend: Item, takes: dict[str, list[str]]) -> None:
    with pytest.raises(UsageError, match="no class 'fly'"):
        here.run("blend_sample", [blend.id], course=[(0.0, {"fly": 1.0}, 0.0, 1.0)], seconds=1.0)
    with pytest.raises(ValidationError, match="at least 2 items"):
        here.run("blend_learn", classes={"walk": takes["long"]})
    with pytest.raises(UsageError, match="at least two classes"):
        here.run("blend_learn", classes={"walk": takes["long"], " ": takes["run"]})


def test_a_texture_loops_and_goes_where_it_is_sent(here: Here, texture: Item) -> None:
    loop = motion(here, here.run("texture_sample", [texture.id], seconds=1.5, loop=True)[0])
    ends = loop.rotations[[0, -1]]
    assert np.abs(np.sum(ends[0] * ends[1], axis=-1)).min() > 0.95
    left = motion(here, here.run("texture_sample", [texture.id], seconds=3.0, heading=80.0)[0])
    turned = np.unwrap(heading(left))
    assert turned[-1] - turned[0] == pytest.approx(np.radians(80.0), abs=0.5)


def test_meshes_are_textures_too(here: Here, flag: Item) -> None:
    made = here.run("texture_sample", [flag.id], seconds=1.0)[0]
    assert made.facts["vertices"] == 187 and motion(here, made).vertices.shape[1] == 187
    with pytest.raises(UsageError, match="is a model of texture"):
        here.run("blend_sample", [flag.id], course=[(0.0, {"walk": 1.0}, 0.0, 1.0)], seconds=1.0)


def test_noise_is_as_strong_as_variants_and_replays_are_takes(here: Here, takes: dict[str, list[str]]) -> None:
    other = [here.take(f"other_{k}", samples.walk(np.random.default_rng(50 + k), fps=30.0)) for k in range(2)]
    noisy = here.run("noise", takes["walk"], kind="strawman", number=2, matched=other)
    assert [item.facts["baseline"] for item in noisy] == [True, True] and noisy[0].settings["amount"] > 0.0
    again = here.run("noise", takes["walk"], kind="replay", number=1)[0]
    known = [read(here.project.path(id)).rotations for id in takes["walk"]]
    assert any(len(one) == len(motion(here, again)) for one in known)
    with pytest.raises(ValidationError, match="'strawman', 'perlin'"):
        here.run("noise", takes["walk"], kind="static")


def test_an_evaluation_says_a_verdict_and_writes_a_page(here: Here, report: Item, takes: dict[str, list[str]]) -> None:
    assert report.kind == "report" and report.facts["verdict"].startswith(("Usable", "Look at"))
    figures = {row["key"]: row for row in report.facts["figures"]}
    assert figures["copied"]["baselines"]["replay"] > figures["copied"]["value"]
    assert here.project.path(report.id).read_text().startswith("<!doctype html>")
    with pytest.raises(ValidationError, match="at least 2 items"):
        here.run("evaluate", takes["long"], inputs=takes["walk"][:1])


def test_a_drawn_character_is_kept_with_its_model_and_variants(here: Here) -> None:
    from freshtake.serve.drawing import example_drawings

    made = here.run("draw", drawings=example_drawings(), name="a", number=3)
    assert [item.kind for item in made] == ["strokes"] * 4 + ["model"] + ["variant"] * 3
    assert made[-1].parent == made[4].id and made[-1].name == "a_003"


def test_what_the_verdict_says_of_a_variant_is_with_the_variant(
    here: Here, takes: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    (model,) = here.run("learn", takes["walk"])
    (good,) = here.run("vary", [model.id], count=1)
    assert good.findings == []
    made = guidance.guided

    def under_the_floor(*given: Any, **more: Any) -> guidance.Guided:
        variant = made(*given, **more)
        return variant._replace(motion=variant.motion.changed(root=variant.motion.root - [0.0, 40.0, 0.0]))

    monkeypatch.setattr("freshtake.variation.model.guided", under_the_floor)
    for item in (*here.run("vary", [model.id], count=1), *here.run("again", [good.id])):
        (finding,) = [one for one in item.findings if "deeper than in any take" in one.words]
        assert finding.remedy is None and "(frame " in finding.words and "--" not in finding.words

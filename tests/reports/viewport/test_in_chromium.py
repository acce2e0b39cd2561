"""The page in a real browser: it opens from the file system, asks for nothing, shows motion and obeys keys."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from freshtake import samples
from freshtake.evaluation import evaluate
from freshtake.motion import MeshSequence
from freshtake.reports.evaluation_page import page
from freshtake.reports.viewport.scene import Figure, Scene
from freshtake.reports.viewport.staging import scene_of
from freshtake.reports.viewport.viewport_page import viewport_page
from tests.chromium import OpenPage
from tests.evaluation.stepping import takes as stepping

TOGGLES = {
    "f": "follow", "i": "inPlace", "g": "ghosts", "t": "trails",
    "c": "contacts", "p": "plan", "n": "names", "l": "loop",
}  # fmt: skip


def walks() -> Scene:
    clips = [samples.walk(np.random.default_rng(seed)) for seed in range(4)]
    return scene_of([("input", clips[:2]), ("variant", clips[2:])], title="two and two")


@pytest.fixture(scope="module")
def opened(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenPage]:
    path = tmp_path_factory.mktemp("view") / "page.html"
    path.write_text(viewport_page(walks()), encoding="utf-8")
    shown = OpenPage(browser, path).wait()
    shown.of_viewport("v.pause()")
    yield shown
    assert shown.complaints == []
    shown.page.close()


def colored(picture: np.ndarray[Any, np.dtype[np.int32]]) -> tuple[int, int]:
    """How many pixels are clearly blue, and how many clearly green."""
    red, green, blue = (picture[..., k] for k in range(3))
    return int(((blue > red + 60) & (blue > green + 25)).sum()), int(((green > red + 40) & (green > blue + 25)).sum())


def test_it_opens_from_the_file_system_and_asks_for_nothing_else(opened: OpenPage) -> None:
    assert [url for url in opened.requests if not url.startswith(("blob:", "data:"))] == [opened.page.url]
    assert opened.page.url.startswith("file://")
    assert opened.complaints == []


def test_takes_are_blue_and_variants_green(opened: OpenPage) -> None:
    blue, green = colored(opened.picture())
    assert blue > 400 and green > 400


def test_the_numbers_arrive_as_they_were_sent(opened: OpenPage) -> None:
    figure = walks().shapes[3]
    assert isinstance(figure, Figure)
    got = np.array(opened.of_viewport("Array.from(v.scene.shapes[3].points)")).reshape(figure.points.shape)
    step = opened.of_viewport("v.scene.shapes[3].step")
    np.testing.assert_allclose(got, figure.points, atol=0.51 * step + 1e-6)
    assert step < 1e-4


def test_between_two_frames_bones_are_half_way(opened: OpenPage) -> None:
    figure = walks().shapes[0]
    assert isinstance(figure, Figure)
    opened.of_viewport(f"v.seek({10.5 * figure.frame_time})")
    opened.picture()
    ends = np.array(opened.of_viewport("Array.from(v.figures.bones.ends.array)")).reshape(-1, 2, 3)
    shift = np.array([opened.of_viewport("v.layout.x[0]"), 0.0, opened.of_viewport("v.layout.z[0]")])
    expected = figure.points[10:12].mean(axis=0)[figure.body.bones] + shift
    np.testing.assert_allclose(ends[: len(expected)], expected, atol=2e-4)


def test_scrubbing_changes_the_picture_and_pauses(opened: OpenPage) -> None:
    opened.of_viewport("(v.seek(0), v.play())")
    before = opened.picture()
    opened.page.locator(".ft-scrub").evaluate("e => { e.value = 0.5; e.dispatchEvent(new Event('input')); }")
    assert opened.of_viewport("[v.state.playing, v.state.seconds]") == [False, pytest.approx(0.5)]
    assert (np.abs(opened.picture() - before).max(axis=-1) > 40).sum() > 150


def test_keys(opened: OpenPage) -> None:
    press = opened.page.keyboard.press
    opened.of_viewport("(v.pause(), v.seek(0.5))")
    press("Space")
    assert opened.of_viewport("v.state.playing") is True
    press("Space")
    assert opened.of_viewport("v.state.playing") is False
    press("Home")
    press("ArrowRight")
    step = opened.of_viewport("v.scene.shapes[0].frameTime")
    assert opened.of_viewport("v.state.seconds") == pytest.approx(step)
    press("ArrowLeft")
    assert opened.of_viewport("v.state.seconds") == 0
    press("End")
    assert opened.of_viewport("v.state.seconds === v.state.duration") is True
    press("ArrowDown")
    assert opened.of_viewport("v.state.speed") == 0.5
    press("ArrowUp")
    before = opened.of_viewport("({...v.state})")
    for key in TOGGLES:
        press(key)
    opened.picture()  # everything at once
    after = opened.of_viewport("({...v.state})")
    assert [name for name in TOGGLES.values() if after[name] is before[name]] == []
    for key in TOGGLES:
        press(key)


@pytest.mark.parametrize("key, name", [("1", "orbit"), ("2", "side"), ("3", "front"), ("4", "top")])
def test_views_show_all_figures(opened: OpenPage, key: str, name: str) -> None:
    opened.page.keyboard.press(key)
    assert opened.of_viewport("v.state.view") == name
    assert min(colored(opened.picture())) > (40 if name == "top" else 200)


def test_layouts_and_themes_change_the_picture(opened: OpenPage) -> None:
    seen = [opened.picture()]
    for key in ("o", "o", "o", "d"):
        opened.page.keyboard.press(key)
        seen.append(opened.picture())
    opened.page.keyboard.press("d")
    changes = [int((np.abs(a - b).max(axis=-1) > 40).sum()) for a, b in pairwise(seen)]
    assert min(changes) > 150
    assert seen[-1][5, 5].sum() < 150 < seen[0][5, 5].sum()


def test_strokes_and_meshes(browser: Any, tmp_path: Path) -> None:
    corner = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float32)
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], dtype=np.int32)
    mesh = MeshSequence(np.stack([corner * size for size in (1.0, 1.2, 1.4)]).astype(np.float32), faces, 0.5)
    letters = [samples.letter_a(np.random.default_rng(seed)) for seed in range(3)]
    for name, scene in (("mesh", scene_of([("input", [mesh])])), ("ink", scene_of([("input", letters)]))):
        path = tmp_path / f"{name}.html"
        path.write_text(viewport_page(scene), encoding="utf-8")
        shown = OpenPage(browser, path).wait()
        shown.of_viewport("(v.pause(), v.seek(v.state.duration))")
        assert colored(shown.picture())[0] > 300, name
        assert shown.complaints == []
        shown.page.close()


def test_the_report_of_an_evaluation_plays_its_motion(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    clips = stepping(1, 5)
    result = evaluate(clips[:2], clips[2:4], clips[4:], rng=np.random.default_rng(0))
    scene = scene_of([("input", clips[:2]), ("variant", clips[2:4]), ("extra", clips[4:])])
    path.write_text(page(result, [], "Steps", scene), encoding="utf-8")
    shown = OpenPage(browser, path).wait()
    roles = shown.of_viewport("v.scene.shapes.map((shape) => shape.role)")
    assert roles == ["input", "input", "variant", "variant", "extra"]
    words = shown.page.locator(".verdict").inner_text()
    assert words.startswith(("Usable: ", "Look at: "))
    assert shown.page.evaluate(
        "document.querySelector('.verdict').offsetTop > document.querySelector('canvas').offsetTop"
    )
    shown.page.keyboard.press("Space")  # the page scrolls; only a viewport that has the focus listens to keys
    assert shown.of_viewport("v.state.playing") is True
    assert [url for url in shown.requests if not url.startswith(("blob:", "data:", "file:"))] == []
    assert shown.complaints == []
    shown.page.close()


def test_a_browser_without_webgl_is_told(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(viewport_page(walks()), encoding="utf-8")
    shown = OpenPage(browser, path, "HTMLCanvasElement.prototype.getContext = () => null;")
    shown.page.wait_for_function("document.body.innerText.includes('WebGL 2 is needed')")
    shown.page.close()

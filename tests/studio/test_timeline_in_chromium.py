"""Marks on the scrub bar in a real browser: a redrawn stretch, pins, and trims, by dragging and by keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from tests.studio.server import Studio, Window


@pytest.fixture(scope="module")
def marked(browser: Any, takes: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Window]:
    """One variant of four takes on the stage, in a separate studio: undo does not reach steps of other tests."""
    pytest.importorskip("uvicorn", reason="the studio is not installed: see make test")
    folder = tmp_path_factory.mktemp("marks")
    studio = Studio(folder / "project", folder / "log.txt")
    window = Window(browser, studio)
    window.upload(takes)
    window.until(f"{window.count('take')} === 4")
    window.tab("Vary")
    window.press("Make 15 variants")
    window.until(f"{window.count('variant')} === 15 && s.jobs.every((job) => job.state !== 'running')")
    window.page.locator("main").focus()
    window.page.keyboard.press(".")
    window.until("v?.scene.shapes.length === 1")
    yield window
    window.page.close()
    studio.close()


def drag(window: Window, mark: str, share: float) -> None:
    """Drag a mark to a share of the scrub bar."""
    start = window.page.get_by_role("slider", name=mark).bounding_box()
    bar = window.page.locator(".ft-scrubbing").bounding_box()
    assert start is not None and bar is not None
    window.page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    window.page.mouse.down()
    window.page.mouse.move(bar["x"] + 8 + share * (bar["width"] - 16), bar["y"] + bar["height"] / 2, steps=4)
    window.page.mouse.up()


def test_a_stretch_between_in_and_out_is_drawn_again_and_the_rest_is_kept(marked: Window) -> None:
    before = len(marked.studio.items("variant"))
    source = marked.of("v.scene.shapes[0].id")
    marked.of("(v.pause(), v.seek(0.3), 1)")
    marked.page.keyboard.press("[")
    marked.until("document.querySelector('.mark-in')")
    drag(marked, "out: the stretch ends", 0.75)
    stretch = marked.of("s.own[s.movement]['vary stretch']")
    lasts = marked.of("v.state.duration")
    assert stretch["from"] == pytest.approx(0.3, abs=0.026) and stretch["to"] == pytest.approx(0.75 * lasts, abs=0.08)
    assert marked.page.get_by_role("button", name="Redraw", exact=False).is_visible()
    marked.page.locator("main").focus()
    marked.page.keyboard.press("r")
    marked.until(f"{marked.count('variant')} === {before + 4} && v?.scene.shapes.length === 4")
    made = [item for item in marked.studio.items("variant") if "redraw" in item["settings"]]
    assert [item["number"] for item in made] == [1, 2, 3, 4] and made[0]["settings"]["redraw"]["item"] == source
    old, *new = (ft.read(marked.studio.file(id)) for id in (source, *(item["id"] for item in made)))
    first, stop = (int(made[0]["settings"]["redraw"][end]) for end in ("start", "stop"))
    kept = np.r_[0:first, stop : len(old)]
    for clip in new:
        np.testing.assert_allclose(np.abs((clip.rotations[kept] * old.rotations[kept]).sum(-1)), 1.0, atol=1e-6)
        assert np.abs(clip.root[first:stop] - old.root[first:stop]).max() > 1e-6
    marked.page.keyboard.press("Escape")


def test_a_pin_is_dragged_onto_the_timeline_and_moved_by_keys(marked: Window) -> None:
    # Escape shows all variants again, for which the bar is rebuilt: until then it is not on the page.
    marked.until("!document.querySelector('.stage[aria-busy=true]') && v?.scene.shapes.length > 4")
    pins = "s.own[s.movement].vary?.pins ?? []"
    button = marked.page.get_by_role("button", name="Pin this pose").bounding_box()
    bar = marked.page.locator(".ft-scrubbing").bounding_box()
    assert button is not None and bar is not None
    marked.page.mouse.move(button["x"] + 20, button["y"] + 10)
    marked.page.mouse.down()
    marked.page.mouse.move(bar["x"] + bar["width"] / 2, bar["y"] + bar["height"] / 2, steps=5)
    marked.page.mouse.up()
    marked.until(f"({pins}).length === 1")
    second = marked.of(f"({pins})[0].second")
    assert second == pytest.approx(0.5 * marked.of("v.state.duration"), abs=0.06)
    marked.page.get_by_role("slider", name="pin:", exact=False).focus()
    marked.page.keyboard.press("ArrowRight")
    marked.until(f"({pins})[0].second > {second} + 0.01")
    marked.page.keyboard.press("Delete")
    marked.until(f"({pins}).length === 0")


def test_a_take_is_trimmed_by_dragging_and_shown_whole(marked: Window) -> None:
    marked.tab("Takes")
    marked.page.locator(".kind-take .item-name").first.click()
    marked.until("v?.scene.shapes.length === 1 && document.querySelector('.mark-end')")
    frames = marked.of("s.items.find((item) => item.id === v.scene.shapes[0].id).facts.frames")
    trim = "s.items.find((item) => item.id === v.scene.shapes[0].id).trim"
    drag(marked, "end of the take", 0.5)
    marked.until(f"{trim} !== null")
    assert marked.of(trim)[1] == pytest.approx(0.5 * (frames - 1), abs=1)
    assert marked.of("v.scene.shapes[0].frames") == frames, "what is left out is still shown"
    marked.page.get_by_role("slider", name="start of the take").focus()
    for first in (1, 2):  # each change reloads the scene, and the mark keeps the focus
        marked.of("(window.sceneBefore = v.scene, 1)")
        marked.page.keyboard.press("ArrowRight")
        marked.until(f"{trim}[0] === {first} && v.scene !== window.sceneBefore")
    marked.page.locator("main").focus()
    marked.page.keyboard.press("Control+z")
    marked.page.keyboard.press("Control+z")
    marked.page.keyboard.press("Control+z")
    marked.until(f"{trim} === null")

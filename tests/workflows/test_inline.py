"""`ft.view` in notebooks: IPython's display protocol gets a moving frame, offline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from tests.chromium import OpenPage


@pytest.fixture(scope="module")
def takes() -> list[ft.Clip]:
    return [ft.samples.walk(np.random.default_rng(k), cycles=1) for k in range(2)]


def test_a_cell_shows_takes_and_new_variants_of_a_model_moving(
    takes: list[ft.Clip], browser: Any, tmp_path: Path
) -> None:
    model = ft.variation.learn(takes, rng=np.random.default_rng(1))
    html = ft.view(*takes, model, count=2, title='"walks" & more')._repr_html_()
    cell = tmp_path / "cell.html"
    cell.write_text(f"<!doctype html><meta charset=utf-8><p>Out[1]:</p>{html}", encoding="utf-8")
    opened = OpenPage(browser, cell)
    opened.page.wait_for_selector("iframe")
    frame = next(frame for frame in opened.page.frames if frame != opened.page.main_frame)
    frame.wait_for_function("window.viewports?.[0]?.timing.frames > 2")
    assert frame.title() == '"walks" & more'
    assert opened.page.locator("iframe").bounding_box()["height"] == 420
    first = opened.page.locator("iframe").screenshot()
    frame.wait_for_function("window.viewports[0].timing.frames > 12")
    assert opened.page.locator("iframe").screenshot() != first, "it moves"
    assert not [url for url in opened.requests if url.startswith("http")] and opened.complaints == []


def test_what_cannot_be_shown_is_one_sentence(takes: list[ft.Clip], tmp_path: Path) -> None:
    for bad in ((), (3,)):
        with pytest.raises(ft.UsageError, match="give motions"):
            ft.view(*bad)
    with pytest.raises(ft.FormatError, match="no such file"):
        ft.view(tmp_path / "none.bvh")
    ft.write(tmp_path / "a.bvh", takes[0])
    assert "notebook" in repr(ft.view(tmp_path / "a.bvh", variants=takes))


def test_motions_and_models_show_themselves(takes: list[ft.Clip]) -> None:
    model = ft.variation.learn(takes, rng=np.random.default_rng(1))
    shown = takes[0].show(title="one", height=200)
    assert [shape.name for shape in shown.scene.shapes] == [takes[0].name] and shown.height == 200
    assert len(model.show(count=3).scene.shapes) == 3
    assert len(ft.samples.letter_a(np.random.default_rng(0)).show().scene.shapes) == 1
    assert len(ft.samples.flag(np.random.default_rng(0), frames=5, columns=4, rows=3).show().scene.shapes) == 1

"""The page is self-contained, well formed, and shows diversity together with its price."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from freshtake.evaluation import Evaluation, evaluate
from freshtake.evaluation.results import Figure
from freshtake.motion import Stroke
from freshtake.reports.evaluation_page import page
from freshtake.reports.plots import Picture, pictures
from freshtake.reports.wording import real_range, shown
from tests.evaluation.stepping import takes

VOID = {"meta", "img", "br", "circle", "rect", "path"}


class Balanced(HTMLParser):
    """Every tag that opens closes, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


@pytest.fixture(scope="module")
def result() -> Evaluation:
    variants = [clip.changed(name=f"<script>{k}") for k, clip in enumerate(takes(3, 3))]
    return evaluate(takes(1, 3), variants, takes(2, 2), rng=np.random.default_rng(0))


def test_the_page_is_complete_and_self_contained(result: Evaluation) -> None:
    html = page(result, [Picture("dot", "A dot", "caption", b"\x89PNG")], title="Steps & more")
    parser = Balanced()
    parser.feed(html)
    assert parser.open == []
    assert not re.search(r"(src|href)=(?!'data:)", html)
    assert "url(" not in html and "@import" not in html and "http" not in html
    assert "<script" not in html and "&lt;script&gt;0" in html
    assert "Steps &amp; more" in html
    assert all(figure.kind.title in html.replace("&#x27;", "'") for figure in result.figures)
    assert not re.search(r"\bnan\b|\binf\b|None", re.sub(r"base64,[A-Za-z0-9+/=]+", "", html))


def test_diversity_never_stands_alone(result: Evaluation) -> None:
    html = page(result, [])
    card = html.split("<section class='card together'>")[1].split("</section>")[0]
    assert card.index("diversity of variants") < card.index("jerk of hands") < card.index("planted feet")


def test_pictures_are_those_of_the_paper() -> None:
    drawn = pictures(takes(1, 2), takes(2, 3), takes(3, 1))
    names = [picture.name for picture in drawn]
    assert names[:3] == ["overlay_inputs", "overlay_variants", "overlay_takes"]
    assert sum(name.startswith("time_") for name in names) == 4
    assert sum(name.startswith("dofs_") for name in names) == 2
    assert names[-2:] == ["components_1_2", "components_2_3"]
    assert all(picture.png.startswith(b"\x89PNG") and len(picture.png) > 5000 for picture in drawn)
    assert len(set(names)) == len(names)


def test_strokes_are_drawn_as_paths() -> None:
    time = np.linspace(0, 1, 30)
    strokes = [Stroke(np.stack([np.cos(k + 5 * time), np.sin(4 * time)], axis=1), time) for k in range(3)]
    assert [picture.name for picture in pictures(strokes[:2], strokes[2:])] == ["strokes", "time_x", "time_y"]


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.1234, "share", "12.3 %"), (0.0, "share", "0 %"), (1.0, "share", "100 %"), (0.949, "x", "0.95 ×"),
        (7.96, "%/s", "7.96 %/s"), (None, "x", "–"), (float("nan"), "", "–"), (12.0, "frames", "12"),
        (0.00391, "", "0.0039"),
    ],
)  # fmt: skip
def test_values_are_readable(value: float | None, unit: str, text: str) -> None:
    assert shown(value, unit) == text


def test_ranges_and_verdicts() -> None:
    figure = Figure("planted_speed", 9.0, left_out=(5.0, 8.0), extra=(10.0,))
    assert real_range(figure) == "5.00 – 10.0 %/s"
    assert figure.verdict == "good"
    assert Figure("planted_speed", 1.0, left_out=(5.0,)).verdict == "good"
    assert Figure("planted_speed", 10.5, left_out=(5.0, 10.0)).verdict == "above"
    assert Figure("nearest", 1.0, left_out=(5.0, 10.0)).verdict == "below"
    assert Figure("nearest", 1.0).verdict == ""
    assert Figure("copied", 0.001, left_out=(0.0,)).verdict == "above"
    assert Figure("copied", 0.001, left_out=(0.01,)).verdict == "good"
    assert (Figure("auc", 0.74).verdict, Figure("auc", 0.76).verdict) == ("good", "above")
    assert Figure("auc", 0.84, extra=(0.8,)).verdict == "good"
    assert Figure("set_coverage", 0.5, extra=(0.8,)).verdict == "below"

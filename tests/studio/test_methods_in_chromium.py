"""Draw, Style, Blend, Endless, Compare and Study in a real browser, on a project that has takes and models already."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from freshtake import samples
from freshtake.evaluation.study.schedule import clones_of
from freshtake.formats.study_csv import read_key, read_ratings
from tests.serve.methods.tasks_here import Here
from tests.studio.server import Studio, Window

RATE = 20.0


@pytest.fixture(scope="session")
def methods(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Window]:
    pytest.importorskip("uvicorn", reason="the studio is not installed: see make test")
    folder = tmp_path_factory.mktemp("methods")
    here = Here(folder / "project")
    prepare(here)
    here.project.close()
    running = Studio(folder / "project", folder / "log.txt")
    window = Window(browser, running, (1024, 600))  # small: software draws it
    yield window
    window.page.close()
    running.close()


def prepare(here: Here) -> None:
    """Short takes, a style, a blend, a texture, a baseline and a study."""

    def takes(name: str, count: int, first: int, cycles: int = 3, **how: Any) -> list[str]:
        make = samples.run if name == "run" else samples.walk
        made = [make(np.random.default_rng(first + k), cycles=cycles, fps=RATE, **how) for k in range(count)]
        return [here.take(f"{name}_{k}", one) for k, one in enumerate(made, 1)]

    walks, limps, runs = takes("walk", 2, 0), takes("limp", 2, 20, style="limp"), takes("run", 1, 30)
    here.run("style_learn", walks, targets=limps, name="limping")
    here.run("blend_learn", classes={"walk": walks, "run": runs}, name="gaits")
    here.run("texture_learn", [walks[0]], name="endless", jump_time=0.5)
    cloth = here.take("flag_1", samples.flag(np.random.default_rng(40), frames=60, columns=17, rows=11))
    here.run("texture_learn", [cloth], name="flag")
    here.run("noise", walks, kind="strawman", number=1)
    many = [
        here.take(f"march_{k}", samples.walk(np.random.default_rng(50 + k), cycles=1, fps=RATE)) for k in range(1, 12)
    ]
    here.run(
        "study_design", many, inputs=many, captured=[], experiment="CD", participants=1, trials=3, clips=2,
        sequences=2, name="clones",
    )  # fmt: skip
    here.run(
        "study_design", walks, inputs=limps, captured=[], experiment="A", participants=2, trials=2, name="walk"
    )  # fmt: skip


def opened(window: Window, tab: str, movement: str = "") -> Any:
    if movement:
        window.page.locator(".movement", has_text=movement).first.get_by_role("button").click()
    window.tab(tab)
    return window.page


def draw_a_spiral(page: Any, box: int) -> None:
    """By the mouse, a little larger in every box."""
    area = page.locator(".draw-paper canvas").nth(box).bounding_box()
    middle = area["x"] + 0.5 * area["width"], area["y"] + 0.5 * area["height"]
    for n in range(12):
        angle, radius = 0.6 * n, (0.3 + 0.03 * box) * area["width"] * (1 - n / 20)
        page.mouse.move(middle[0] + radius * math.cos(angle), middle[1] + radius * math.sin(angle))
        if n == 0:
            page.mouse.down()
    page.mouse.up()


def test_four_drawings_become_variants_that_write_themselves(methods: Window, tmp_path: Path) -> None:
    page = opened(methods, "Draw")
    assert page.get_by_text("Draw a character four times").is_visible()
    for box in range(4):
        draw_a_spiral(page, box)
    page.get_by_role("img", name="15 variants writing themselves").wait_for()
    before = methods.until("document.querySelector('.draw-writing canvas').dataset.seconds")
    methods.until(f"document.querySelector('.draw-writing canvas').dataset.seconds !== '{before}'")
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV with timing").click()
    download.value.save_as(tmp_path / "variants.csv")
    rows = list(csv.DictReader((tmp_path / "variants.csv").read_text().splitlines()))
    ends = {row["variant"]: float(row["second"]) for row in rows}
    assert len(ends) == 15 and len(set(ends.values())) > 2  # each in its own time
    page.get_by_label("Number").fill("2")
    page.get_by_label("Number").press("Enter")
    page.get_by_role("img", name="2 variants").wait_for()
    page.get_by_role("button", name="clear drawing 2").click()
    page.get_by_text("1 more to draw").wait_for()
    methods.tab("Takes")
    methods.tab("Draw")
    page.get_by_text("1 more to draw").wait_for()  # drawings outlive leaving the tab
    page.get_by_role("img", name="drawing 2: empty").wait_for()
    page.keyboard.press("Control+z")
    page.get_by_role("img", name="2 variants").wait_for()
    methods.press("Save to the project")
    made = "s.items.filter((item) => item.group === 'character' && item.kind === 'variant').length === 2"
    methods.until(f"{methods.count('strokes')} === 4 && {made}")
    methods.until("s.tab === 'vary' && v?.scene.shapes.every((shape) => shape.name.startsWith('character_'))")


def test_the_strength_of_a_style_acts_at_once(methods: Window) -> None:
    page = opened(methods, "Style", "walk")
    methods.until("v?.scene.shapes.length === 2")
    assert page.get_by_role("cell", name="limp_1").is_visible()
    slider = page.get_by_label("Strength")
    apart = """(() => { const [a, b] = v.scene.shapes.map((shape) => shape.points); let sum = 0;
        const n = Math.min(a.length, b.length);
        for (let k = 0; k < n; k++) sum += Math.abs(a[k] - b[k]); return sum / n; })()"""
    slider.fill("0")
    methods.until(f"{apart} < 0.001")
    slider.fill("0.5")
    half = methods.until(f"{apart} > 0.003 && {apart}")
    slider.fill("1")
    methods.until(f"{apart} > {1.2 * half}")
    page.get_by_role("button", name="Time warps").click()
    assert page.get_by_role("img", name="time warps of the pairs").is_visible()


@pytest.mark.parametrize("count", [2, 3, 4, 5, 8])
def test_weights_of_a_pad_are_those_of_the_point(methods: Window, count: int) -> None:
    points = [[0.0, 0.0], [0.2, -0.3], [-0.4, 0.25], [3.0, 2.0], [0.0, -9.0]]
    script = """async ([count, points]) => { const { corners, padWeights } = await import("/pad.js");
        const places = corners(count); return [places, [...points, ...places].map((at) => padWeights(places, at))]; }"""
    places, found = methods.page.evaluate(script, [count, points])
    corners = np.array(places)
    for one in found:
        weights = np.array(one["values"])
        assert weights.sum() == pytest.approx(1.0) and weights.min() >= -1e-9
        assert weights @ corners == pytest.approx(np.array(one["at"]), abs=1e-6)  # they make the point
    assert found[0]["values"] == pytest.approx([1.0 / count] * count)
    assert np.array([one["values"] for one in found[len(points) :]]) == pytest.approx(np.eye(count), abs=1e-6)


def test_the_pad_moves_the_stream(methods: Window) -> None:
    page = opened(methods, "Blend", "gaits")
    pad = page.get_by_role("slider", name="blend of the movements")
    methods.until("v?.scene.live?.newest > 5")
    speed = """(() => { const f = v.scene.live.frames, a = f[0], b = f[f.length - 1];
        return b.number > a.number + 3 ? 60 * Math.hypot(b.x - a.x, b.z - a.z) / (b.number - a.number) : null; })()"""
    walking = methods.until(speed)
    pad.press("2")
    assert pad.get_attribute("aria-valuetext") == "walk 0 %, run 100 %"
    methods.until(f"{speed} > {1.35 * walking}")
    methods.until("v.scene.live.frames[0].z > 0.8")
    here = "const f = v.scene.live.frames[0]; let sum = 0;"
    here += " for (let k = 2; k < f.points.length; k += 3) sum += f.points[k];"
    assert abs(methods.of(f"(() => {{ {here} return 3 * sum / f.points.length - f.z; }})()")) < 0.4  # it went there too
    box = pad.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert pad.get_attribute("aria-valuetext") == "walk 50 %, run 50 %"


def test_the_cursor_runs_on_the_jump_map(methods: Window) -> None:
    page = opened(methods, "Endless", "walk")
    page.get_by_label("Jump rate").fill("5")
    canvas = page.get_by_role("img", name="jump map of")
    canvas.wait_for()
    frame = "document.querySelector('.jump-map canvas')?.dataset.frame"
    first = methods.until(frame)
    methods.until(f"{frame} !== '{first}'")
    methods.until("!document.querySelector('.map-panel .facts').textContent.endsWith(' 0 taken')")
    page.get_by_role("button", name="turn left").click()
    assert page.get_by_text("Heading 30°").is_visible()


def test_a_mesh_is_played_by_its_modes_on_the_page(methods: Window) -> None:
    opened(methods, "Endless", "flag")
    methods.until("v?.surfaces[0]?.table && v.timing.frames > 1")
    frame = "document.querySelector('.jump-map canvas')?.dataset.frame"
    first = methods.until(frame)
    methods.until(f"{frame} !== '{first}'")


def test_motions_without_names_until_a_vote(methods: Window) -> None:
    page = opened(methods, "Compare", "walk")
    methods.until("v?.scene.shapes.map((shape) => shape.name).join() === 'walk_1,walk_2'")  # at first its takes
    page.get_by_label("walk_2").first.uncheck()
    page.get_by_label("strawman_001").first.check()
    methods.until("v?.scene.shapes.map((shape) => shape.role).join() === 'input,extra'")
    page.get_by_label("Hide names until you vote").check()
    methods.until(
        "v?.scene.shapes.map((shape) => shape.name + shape.role).join() === 'Ainput,Binput' && !v.state.contacts"
    )  # red marks would tell
    page.get_by_role("button", name="A", exact=True).click()
    page.locator(".voted").wait_for()
    methods.until("v?.scene.shapes.map((shape) => shape.name).sort().join() === 'strawman_001,walk_1'")


def test_a_small_study_from_consent_to_its_outcome(methods: Window) -> None:
    study = methods.studio.ask("api/studies")[0]["id"]
    methods.studio.ask(f"api/studies/{study}/participants", "POST", {"code": "person-0", "consent": True})
    for position in (1, 2):
        said = {"code": "person-0", "position": position, "score": 3 * position}
        methods.studio.ask(f"api/studies/{study}/scores", "POST", said)
    page = opened(methods, "Study", "walk")
    page.get_by_role("button", name="Take part").click()
    begin = page.get_by_role("button", name="Begin")
    assert begin.is_disabled()
    page.get_by_role("checkbox").check()
    page.get_by_label("Your code").fill("person-1")
    begin.click()
    for number in range(2):
        page.get_by_text(f"Motion {number + 1} of 2").wait_for()
        page.keyboard.press(str(5 + number))
        page.get_by_role("button", name="Next").click()
    page.get_by_text("Thank you").wait_for()
    page.get_by_role("button", name="Back to the studies").click()
    page.get_by_role("cell", name="motion capture").wait_for()
    assert page.get_by_role("cell", name="A: naturalness").is_visible()
    assert [(one["code"], one["answered"]) for one in methods.studio.ask("api/studies")[0]["people"]] == [
        ("person-0", 2), ("person-1", 2),
    ]  # fmt: skip


# At once, since a search ends after a minute and software takes seconds to draw twelve bodies.
PICK = """async (pair) => {
  const press = (button) => { button?.click(); return new Promise((done) => setTimeout(done, 30)); };
  const buttons = [...document.querySelectorAll(".scores-row button")];
  for (const button of buttons) if (button.getAttribute("aria-pressed") === "true") await press(button);
  for (const number of pair) await press(buttons[number - 1]);
  await press([...document.querySelectorAll(".scores > button")].find((button) => button.textContent === "These two"));
}"""


def test_clones_are_searched_for_and_two_are_chosen_from(methods: Window) -> None:
    study = next(one for one in methods.studio.ask("api/studies") if one["name"] == "clones")["id"]
    folder = methods.studio.file(study)
    key, trials = read_key(folder / "key.csv"), [one.stimulus for one in read_ratings(folder / "ratings.csv")]
    page = opened(methods, "Study", "march")
    page.get_by_role("button", name="clones").click()
    page.get_by_role("button", name="Take part").click()
    page.get_by_role("checkbox").check()
    page.get_by_label("Your code").fill("seeker")
    page.get_by_role("button", name="Begin").click()
    first_crowd = next(k for k, name in enumerate(trials) if key[name].experiment == "C")
    for number in range(6):
        page.get_by_text(f"Motion {number + 1} of 6").wait_for()
        if page.get_by_role("radiogroup").count():  # two side by side
            assert page.get_by_role("radio").count() == 2
            page.keyboard.press("2")
            page.get_by_role("button", name="Next").click()
            continue
        pair = sorted(clones_of(key[trials[number]]))
        page.get_by_role("button", name="These two", exact=True).wait_for()
        if number == first_crowd:
            page.evaluate(PICK, [next(k for k in range(1, 13) if k not in pair), pair[0]])
            page.get_by_text("Not these two").wait_for()
        while page.get_by_text(f"Motion {number + 1} of 6").is_visible():
            page.evaluate(PICK, pair)
            page.wait_for_timeout(300)
    page.get_by_text("Thank you").wait_for()
    page.get_by_role("button", name="Back to the studies").click()
    page.get_by_role("cell", name="out of step").wait_for()
    assert page.get_by_role("cell", name="D: choice").is_visible()
    hunt, choice = methods.studio.ask(f"api/studies/{study}/outcome")["outcomes"]
    assert sorted(group["scores"] for group in hunt["groups"]) == [1, 2]
    assert sum(group["scores"] for group in choice["groups"]) == 3


def test_every_tab_opens_whatever_models_there_are(methods: Window) -> None:
    for tab in methods.of("[...document.querySelectorAll('[role=tab]')].map((tab) => tab.textContent)"):
        methods.tab(tab)
        methods.page.locator("[role=tabpanel] > *").first.wait_for()
        assert not methods.page.get_by_role("heading", name="Something went wrong").is_visible(), tab


def test_the_page_asked_no_other_host_and_complained_of_nothing(methods: Window) -> None:
    assert all(
        address.startswith((methods.studio.url, "blob:", "data:", "ws://127.0.0.1")) for address in methods.requests
    )
    assert [words for words in methods.complaints if "favicon" not in words] == []

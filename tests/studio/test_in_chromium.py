"""The page in a real browser: from takes to exported variants, and what can happen along the way."""

from __future__ import annotations

import signal
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from freshtake.formats.gltf.writing import FIGURE
from tests.broken.bvh_files import BVH
from tests.broken.other_files import ACCLAIM, TABLES
from tests.studio.server import Studio, Window

VARIANTS = 15


@pytest.fixture(scope="module")
def journey(window: Window, takes: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Window:
    """Four takes are sent, learned, and become fifteen variants."""
    assert window.page.get_by_role("heading", name="Drop takes here").is_visible()
    window.upload(takes[::-1])
    window.until(f"{window.count('take')} === 4 && v?.scene.shapes.length === 4")
    assert [item["name"] for item in window.studio.items("take")] == [take.stem for take in takes], "by their names"
    window.press(f"Make {VARIANTS} variants")
    window.until(f"{window.count('variant')} === {VARIANTS} && v?.scene.shapes.length === {VARIANTS}")
    return window


def test_takes_and_variants_are_shown_in_their_colors(journey: Window) -> None:
    assert journey.of("[...new Set(v.scene.shapes.map((shape) => shape.role))]") == ["variant"]
    journey.press("With takes")
    journey.until(f"v.scene.shapes.length === {VARIANTS + 4}")
    assert journey.of("v.scene.shapes.slice(0, 4).map((shape) => shape.role)") == ["input"] * 4
    journey.press("Variants")
    journey.until(f"v.scene.shapes.length === {VARIANTS}")


def test_scrubbing_and_keys_move_the_time(journey: Window) -> None:
    scrub = journey.page.get_by_label("time", exact=True)
    scrub.evaluate("(bar) => { bar.value = 0.5; bar.dispatchEvent(new Event('input')); }")
    assert journey.of("v.state.seconds") == pytest.approx(0.5)
    journey.page.locator("main").focus()
    journey.page.keyboard.press("ArrowRight")
    assert journey.of("v.state.seconds") == pytest.approx(0.55)
    journey.page.keyboard.press("Home")
    assert journey.of("v.state.seconds") == 0.0


def test_another_amount_makes_the_variants_again_from_their_seeds(journey: Window) -> None:
    before = journey.studio.items("variant")
    journey.page.get_by_label("Amount", exact=True).focus()
    for _ in range(10):
        journey.page.keyboard.press("ArrowLeft")
    journey.until("s.own[s.movement].vary.amount === 0.5")
    amounts = "s.items.filter((item) => item.kind === 'variant').map((item) => item.settings.amount)"
    journey.until(f"{amounts}.every((amount) => amount === 0.5)")
    after = journey.studio.items("variant")
    assert [item["id"] for item in after] == [item["id"] for item in before]
    assert [item["number"] for item in after] == [item["number"] for item in before] == list(range(1, VARIANTS + 1))
    assert {item["seed"] for item in after} == {0}
    journey.until("s.jobs.every((job) => job.state === 'done')")
    journey.page.locator("main").focus()
    journey.page.keyboard.press("Control+z")  # all fifteen at once
    journey.until(f"{amounts}.every((amount) => amount !== 0.5)")
    journey.page.keyboard.press("Control+Shift+z")
    journey.until(f"{amounts}.every((amount) => amount === 0.5)")


def test_every_movement_of_a_slider_is_taken_whatever_its_number(journey: Window) -> None:
    journey.of("(window.chance = Math.random, Math.random = () => 1.2345678901234567e-5)")  # as long as numbers get
    amounts = "[...new Set(s.items.filter((item) => item.kind === 'variant').map((item) => item.settings.amount))]"
    try:
        for key, amount in {"ArrowRight": "0.55", "ArrowLeft": "0.5"}.items():
            journey.page.get_by_label("Amount", exact=True).focus()
            journey.page.keyboard.press(key)
            journey.until(f"{amounts}.join() === '{amount}' && s.jobs.every((job) => job.state === 'done')")
    finally:
        journey.of("(Math.random = window.chance)")
    assert journey.toasts("error") == []


def test_a_length_acts_at_once_and_so_does_none(journey: Window) -> None:
    lasts = "[...new Set(s.items.filter((item) => item.kind === 'variant').map((item) => item.facts.seconds))]"
    natural = journey.of(f"{lasts}.join()")
    journey.page.get_by_role("button", name="Length", exact=True).click()
    own = journey.page.get_by_label("Natural lengths")
    own.focus()
    edges = "[document.activeElement, document.querySelector('.sticky-do')].map((one) => one.getBoundingClientRect())"
    focused, button = journey.of(f"{edges}.map((box) => [box.top, box.bottom])")
    assert focused[1] <= button[0] + 6, "what has the focus lies behind the button that stays in sight"
    journey.page.keyboard.press("Space")
    journey.until(f"{lasts}.length === 1 && Math.abs({lasts}[0] - 2) < 0.06")  # as near as frames come
    own.focus()
    journey.page.keyboard.press("Space")
    journey.until(f"{lasts}.join() === '{natural}' && s.jobs.every((job) => job.state === 'done')")


def test_takes_that_are_left_out_are_not_learned_from(journey: Window) -> None:
    journey.tab("Takes")
    for number in (1, 2, 3):
        journey.press(f"leave out stroll_{number}")
    journey.until("s.items.filter((item) => item.star === -1).length === 3")
    assert journey.page.get_by_text("One take varies as people usually do").is_visible()
    journey.tab("Vary")
    assert journey.page.get_by_text("One take, 3 left out. They have changed").is_visible()
    for _ in range(3):
        journey.page.locator("main").focus()
        journey.page.keyboard.press("Control+z")
    journey.until("s.items.every((item) => item.star === 0)")


def test_figures_have_room_on_a_tablet_that_is_held_upright(journey: Window) -> None:
    size = journey.page.viewport_size
    journey.page.set_viewport_size({"width": 768, "height": 1024})
    try:
        box = journey.page.locator(".stage").bounding_box()
        assert box is not None and box["width"] > 700 and box["height"] > 400
        tabs = "(([...all]) => all.at(-1).getBoundingClientRect().right)(document.querySelectorAll('[role=tab]'))"
        assert journey.of(tabs) < journey.of("document.querySelector('.top-tools').offsetLeft")
    finally:
        journey.page.set_viewport_size(size)


def test_variants_follow_the_amount_while_it_is_dragged_and_that_is_one_step_to_undo(journey: Window) -> None:
    amounts = "[...new Set(s.items.filter((item) => item.kind === 'variant').map((item) => item.settings.amount))]"
    slider = journey.page.get_by_label("Amount", exact=True)
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    middle = box["y"] + 0.5 * box["height"]
    journey.page.mouse.move(box["x"] + 0.25 * box["width"], middle)
    journey.page.mouse.down()
    for share in (0.6, 0.8):
        journey.page.mouse.move(box["x"] + share * box["width"], middle)
        journey.until(f"{amounts}.join() === String({journey.page.get_by_label('Amount', exact=True).input_value()})")
    journey.page.mouse.up()
    journey.until("s.own[s.movement].vary.amount > 1.5 && s.jobs.every((job) => job.state === 'done')")
    journey.page.locator("main").focus()
    journey.page.keyboard.press("Control+z")
    journey.until(f"{amounts}.join() === '0.5' && s.own[s.movement].vary.amount === 0.5")


def test_variants_wear_the_skin_of_a_character(journey: Window, takes: list[Path], tmp_path: Path) -> None:
    ft.write(tmp_path / "drawn.glb", ft.read_clip(takes[0]), unit_m=0.01)
    # Under another name the bones that we draw are the mesh of a character; under ours they are not a skin.
    drawn, name = (tmp_path / "drawn.glb").read_bytes(), FIGURE.encode()
    assert drawn.count(b'"%s"' % name)
    (tmp_path / "hero.glb").write_bytes(drawn.replace(b'"%s"' % name, b'"%s"' % b"Hero".ljust(len(name), b"_")))
    journey.upload([tmp_path / "hero.glb"])
    journey.until("v?.skins.worn.length === 1 && v.scene.shapes[0].name === 'hero'")
    journey.page.locator(".movement", has_text="stroll").get_by_role("button").click()
    journey.tab("Vary")
    journey.page.get_by_label("Shown on").select_option(label="hero")
    journey.until(f"v?.skins.worn.length === {VARIANTS}")
    reach = "Math.max(...v.skins.worn.map((one) => Math.max(...one.texels)))"
    journey.until(f"v.timing.frames > 1 && {reach} > 0.5")
    journey.page.get_by_label("Shown on").select_option(label="Its own skeleton")
    journey.until("v.skins.worn.length === 0")
    journey.page.locator("main").focus()
    journey.page.keyboard.press("Control+z")
    journey.until(f"{journey.count('take')} === 4 && {journey.count('movement')} === 1")


def test_starred_variants_are_exported_and_read_again(journey: Window, tmp_path: Path) -> None:
    names = [item["name"] for item in journey.studio.items("variant")][:3]
    for name in names:
        journey.press(f"star {name}")
    journey.until("s.items.filter((item) => item.star === 1).length === 3")
    for ending, several in {"fbx": True, "bvh": False}.items():
        journey.page.get_by_label("Format").select_option(ending)
        with journey.page.expect_download() as got:
            journey.press("Export 3 starred")
        file = tmp_path / got.value.suggested_filename
        got.value.save_as(file)
        assert file.suffix == (f".{ending}" if several else ".zip")
        if not several:
            zipfile.ZipFile(file).extractall(tmp_path / ending)
        files = sorted((tmp_path / ending).rglob("*.bvh"))
        read = [ft.read(file, animation=name) for name in names] if several else [ft.read(one) for one in files]
        assert [clip.name for clip in read] == names
        lengths = [item["facts"]["frames"] for item in journey.studio.items("variant")][:3]
        assert [len(clip) for clip in read] == lengths


def test_a_second_window_and_a_reload_show_the_same(journey: Window, browser: Any) -> None:
    other = Window(browser, journey.studio)
    try:
        other.tab("Vary")
        name = journey.studio.items("variant")[4]["name"]
        journey.press(f"reject {name}")
        other.until("s.items.some((item) => item.star === -1)")
        other.page.keyboard.press("Control+z")
        journey.until("s.items.every((item) => item.star !== -1)")
        other.page.get_by_label("How many").fill("2")
        other.page.keyboard.press("Tab")
        journey.studio.signal(signal.SIGSTOP)  # so the work is surely under way while the page reloads
        other.press("Make 2 variants")
        journey.until("s.jobs.some((job) => job.task === 'vary' && job.state === 'running')")
        other.page.reload()
        other.until("window.studio?.state.ready && s.tab === 'vary' && document.querySelector('.progress')")
        journey.studio.signal(signal.SIGCONT)
        for window in (journey, other):
            window.until(f"{window.count('variant')} === {VARIANTS + 2} && !document.querySelector('.progress')")
        assert other.complaints == []
    finally:
        journey.studio.signal(signal.SIGCONT)
        other.page.close()


def test_live_motion_runs_and_follows_the_amount(journey: Window) -> None:
    journey.press("Live")
    journey.until("v?.live?.newest > 5")
    first = journey.of("[...v.scene.shapes[0].points]")
    journey.page.get_by_label("Amount", exact=True).focus()
    journey.page.keyboard.press("ArrowRight")
    journey.of("v.play()")
    journey.until("v.live.at > 10 && v.state.follow")
    assert np.abs(np.subtract(journey.of("[...v.scene.shapes[0].points]"), first)).max() > 0.01
    assert journey.toasts("error") == []
    journey.press("Variants")
    journey.until("v && !v.live")


def test_a_click_on_a_curve_jumps_to_its_frame(journey: Window) -> None:
    journey.tab("Curves")
    journey.until("document.querySelector('.plot[data-series]:not([data-series=\"0\"])') && v?.scene.shapes.length > 4")
    plot = journey.page.locator(".plot canvas").bounding_box()
    assert plot is not None
    for share in np.linspace(0.1, 0.9, 24):
        journey.page.mouse.move(plot["x"] + plot["width"] * 0.55, plot["y"] + plot["height"] * share)
        if journey.of("document.querySelector('.plot-tip')?.textContent.includes('frame')"):
            break
    journey.page.mouse.down()
    journey.page.mouse.up()
    frame = journey.of("Number(/frame (\\d+)/.exec(document.querySelector('.plot-tip').textContent)[1])")
    assert frame > 4
    journey.until(f"v.state.frame === {frame}", 10)


def test_a_joint_tells_what_varies_with_it(journey: Window) -> None:
    journey.tab("Network")
    journey.until("document.querySelectorAll('.net .joint').length > 20")
    journey.press("LowerBack")
    assert journey.of("document.querySelectorAll('.bars li').length") > 0
    assert journey.page.get_by_role("heading", name="LowerBack").is_visible()


@pytest.mark.parametrize("case", [BVH[0], BVH[4], ACCLAIM[0], TABLES[0]], ids=lambda case: case.title)
def test_a_broken_file_is_refused_in_one_sentence(journey: Window, case: Any, tmp_path: Path) -> None:
    journey.tab("Takes")
    journey.of("s.toasts.length = 0")
    before = len(journey.studio.items("take"))
    journey.upload([case.write(tmp_path)])
    journey.until("s.toasts.some((one) => one.kind === 'error') && s.uploads === 0")
    (said,) = journey.toasts("error")
    assert "Traceback" not in said and str(tmp_path) not in said and 20 < len(said) < 300
    assert len(journey.studio.items("take")) == before


def test_a_killed_process_is_told_in_one_sentence(journey: Window, studio: Studio) -> None:
    journey.tab("Vary")
    journey.of("s.toasts.length = 0")
    learning = "s.jobs.filter((job) => job.task === 'learn')"
    for number in range(5):  # it may be over before it is seen
        before = journey.of(f"{learning}.length")
        journey.studio.ask(f"api/items/{journey.studio.items('take')[0]['id']}", "PATCH", {"trim": [0, 10 + number]})
        journey.until("document.querySelector('.note')?.textContent.includes('They have changed')")
        journey.press(f"Make {VARIANTS} variants")
        state = journey.until(f"{learning}.length > {before} && {learning}.at(-1).state.replace('waiting', '')")
        if state == "running":
            studio.signal(signal.SIGKILL)
            break
    journey.until("s.toasts.some((one) => one.words.includes('killed'))")
    journey.page.get_by_role("button", name=f"Make {VARIANTS} variants", disabled=False).wait_for()


def test_nothing_was_asked_of_other_hosts_and_nothing_failed(journey: Window) -> None:
    own = (journey.studio.url, journey.studio.url.replace("http", "ws"), "blob:", "data:")
    assert [url for url in journey.requests if not url.startswith(own)] == []
    assert journey.complaints == []

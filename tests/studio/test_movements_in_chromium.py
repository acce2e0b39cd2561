"""Five mixed jobs in one project, in a real browser: never a wrong object on the stage, and two clicks to variants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from freshtake.motion import Clip, Skeleton
from freshtake.motion.edit import at_rate
from tests.studio.server import Studio, Window

SHOWN = "v?.scene.shapes.map((shape) => shape.name)"
NAMES = {"walk": 31, "golf": 31, "fox": 0, "scribble": 0, "cloth": 0}


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def fox(seed: int) -> Clip:
    """A body on four legs: a walk whose trunk is turned level, on a skeleton with other names."""
    clip = at_rate(ft.samples.walk(rng(seed)), 20.0)
    names = tuple(f"b_{name}_{k:02d}" for k, name in enumerate(clip.skeleton.names))
    skeleton = Skeleton(names, clip.skeleton.parents, clip.skeleton.offsets, clip.skeleton.end_sites)
    level = np.array([np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0])
    rotations = clip.rotations.copy()
    rotations[:, 0] = level
    return Clip(skeleton, clip.frame_time, clip.root, rotations, unit_m=clip.unit_m)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("mixed")
    out = []
    for k in (1, 2):
        mesh = ft.samples.flag(rng(40 + k), frames=60, columns=17, rows=11)
        motions: dict[str, Any] = {
            f"walk_{k}.bvh": at_rate(ft.samples.walk(rng(k)), 20.0),
            f"golf_{k}.bvh": at_rate(ft.samples.punch(rng(k)), 20.0),  # stands and swings, as a golfer does
            f"fox_{k}.bvh": fox(k),
            f"scribble_{k}.csv": replace(ft.samples.letter_a(rng(k)), name=f"scribble_{k}"),
            f"cloth_{k}.npz": replace(mesh, name=f"cloth_{k}"),
        }
        for name, motion in motions.items():
            ft.write(folder / name, motion)
            out.append(folder / name)
    return sorted(out, key=lambda file: file.stem[-1])  # as they lie in a folder of somebody else: mixed


@pytest.fixture(scope="module")
def mixed(browser: Any, files: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Window]:
    pytest.importorskip("uvicorn", reason="the studio is not installed: see make test")
    folder = tmp_path_factory.mktemp("mixed_studio")
    running = Studio(folder / "project", folder / "log.txt")
    window = Window(browser, running, (1300, 700))
    window.upload(files)
    window.until(f"s.uploads === 0 && {window.count('movement')} === 5")
    yield window
    window.page.close()
    running.close()


def open_movement(window: Window, name: str) -> None:
    window.page.locator(".movement", has_text=name).first.get_by_role("button").click()
    window.until(f"s.items.find((item) => item.id === s.movement)?.name === '{name}'")


def stays_with(window: Window, name: str) -> None:
    """Only this movement is on the stage, whatever was there before."""
    window.until(f"!document.querySelector('.stage[aria-busy=true]') && {SHOWN}?.length > 0")
    assert all(shown.startswith(name) for shown in window.of(SHOWN)), f"{name}: {window.of(SHOWN)}"


def test_ten_files_become_five_movements(mixed: Window) -> None:
    held = "s.items.filter((item) => item.movement === m.id).length"
    counts = f"s.items.filter((item) => item.kind === 'movement').map((m) => [m.name, m.facts.what, {held}])"
    kinds = {"walk": "body", "golf": "body", "fox": "body", "scribble": "stroke", "cloth": "mesh"}
    assert sorted(mixed.of(counts)) == sorted([name, kind, 2] for name, kind in kinds.items())


def test_each_movement_has_its_takes_tabs_and_controls(mixed: Window) -> None:
    tabs = "[...document.querySelectorAll('[role=tab]')].map((tab) => tab.textContent)"
    expected = {
        "scribble": ["Takes", "Vary", "Curves", "Network", "Crowd", "Draw"],
        "cloth": ["Takes", "Endless", "Crowd", "Draw"],
    }
    for name in NAMES:
        open_movement(mixed, name)
        mixed.tab("Takes")
        stays_with(mixed, name)
        found = mixed.of(tabs)
        assert found == expected.get(name, found) and ("Style" in found) == (name not in expected)
    open_movement(mixed, "scribble")
    mixed.tab("Vary")
    assert mixed.page.get_by_label("Keep feet planted").count() == 0
    assert mixed.page.get_by_role("button", name="Live").count() == 0
    open_movement(mixed, "walk")
    assert mixed.page.get_by_label("Keep feet planted").count() == 1, "the tab stays where it applies"


def test_variants_of_one_movement_are_never_shown_with_another(mixed: Window) -> None:
    for number, name in enumerate(("walk", "scribble", "golf", "fox"), start=1):
        open_movement(mixed, name)
        mixed.tab("Vary")
        mixed.page.get_by_label("How many").fill("2")
        mixed.page.keyboard.press("Tab")
        mixed.press("Make 2 variants")
        mixed.until(f"{mixed.count('variant')} === {2 * number} && {SHOWN}?.length === 2")
        stays_with(mixed, name)
        made = (
            "s.items.filter((item) => item.kind === 'variant' && item.movement === s.movement).map((item) => item.name)"
        )
        assert len(mixed.of(made)) == 2 and all(one.startswith(name) for one in mixed.of(made))
    for name in ("scribble", "walk", "fox", "golf"):  # and back again: each has kept its own
        open_movement(mixed, name)
        stays_with(mixed, name)
        assert mixed.of(f"{SHOWN}.length") == 2
        for tab in ("Curves", "Network", "Takes", "Vary"):
            mixed.tab(tab)
            if tab != "Network":
                stays_with(mixed, name)
    open_movement(mixed, "cloth")
    assert mixed.of("s.tab") == "takes", "a mesh has no Vary"
    stays_with(mixed, "cloth")
    mixed.tab("Endless")
    mixed.press("Learn")
    mixed.until("v?.surfaces[0]?.table")
    open_movement(mixed, "walk")
    assert mixed.of("v === undefined"), "a walk that is not learned yet plays no flag"
    mixed.tab("Vary")
    stays_with(mixed, "walk")


def test_the_address_says_what_is_shown(mixed: Window) -> None:
    open_movement(mixed, "walk")
    mixed.tab("Vary")
    mixed.until("/#\\/project\\/walk-[0-9a-f]{6}\\/vary$/.test(location.href)")
    open_movement(mixed, "fox")
    mixed.tab("Curves")
    mixed.page.go_back()
    mixed.until("s.tab === 'vary'")
    mixed.page.go_back()
    mixed.until("location.hash.includes('walk-')")
    stays_with(mixed, "walk")
    mixed.page.go_forward()
    mixed.until("location.hash.includes('fox-')")
    stays_with(mixed, "fox")
    mixed.page.reload()
    mixed.until("window.studio?.state.ready && location.hash.includes('/vary')")
    stays_with(mixed, "fox")


def test_a_take_is_dragged_to_another_movement(mixed: Window) -> None:
    open_movement(mixed, "walk")
    mixed.tab("Takes")
    take = mixed.page.locator(".item", has_text="walk_2").first
    take.drag_to(mixed.page.locator(".movement", has_text="golf").first)
    home = "s.items.find((item) => item.id === s.items.find((one) => one.name === 'walk_2').movement).name"
    mixed.until(f"{home} === 'golf'")
    stays_with(mixed, "walk")
    mixed.tab("Vary")
    assert mixed.page.get_by_text("They have changed").is_visible()
    mixed.page.locator("main").focus()
    mixed.page.keyboard.press("Control+z")
    mixed.until(f"{home} === 'walk'")


def test_two_clicks_from_an_open_page_to_fifteen_variants(browser: Any, files: list[Path], tmp_path: Path) -> None:
    running = Studio(tmp_path / "project", tmp_path / "log.txt")
    window = Window(browser, running, (1300, 700))
    try:
        window.upload([file for file in files if file.stem == "walk_1"])  # the first: a drop
        window.until(f"{window.count('take')} === 1 && {SHOWN}?.length === 1")
        window.press("Make 15 variants")  # the second
        window.until(f"{window.count('variant')} === 15 && {SHOWN}?.length === 15")
        assert window.complaints == []
    finally:
        window.page.close()
        running.close()


def test_a_long_take_is_varied_by_the_pieces_that_were_cut_from_it(mixed: Window, tmp_path: Path) -> None:
    ft.write(tmp_path / "march_long.bvh", at_rate(ft.samples.walk(rng(9), cycles=7), 20.0))
    before = mixed.of(mixed.count("take"))
    mixed.upload([tmp_path / "march_long.bvh"])
    mixed.until(f"s.uploads === 0 && {mixed.count('take')} === {before + 1}")
    open_movement(mixed, "march_long")
    mixed.tab("Takes")
    mixed.press("Find cycles")
    mixed.until(f"{mixed.count('take')} > {before + 3} && s.jobs.every((job) => job.state === 'done')")
    pieces = mixed.of(mixed.count("take")) - before - 1
    mixed.tab("Vary")
    assert mixed.page.get_by_text(f"{pieces} takes, 1 left out.").is_visible()
    variants = mixed.of(mixed.count("variant"))
    mixed.page.get_by_label("How many").fill("2")
    mixed.page.keyboard.press("Tab")
    mixed.press("Make 2 variants")
    mixed.until(f"{mixed.count('variant')} === {variants + 2}")


def test_nothing_failed(mixed: Window) -> None:
    assert mixed.complaints == []

"""A crowd from an empty plan to a USD stage in a real browser: groups, a path, the preview, the files."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from tests.studio.server import Window

PLAN = "JSON.parse(s.presets.crowd?.plan ?? '{\"groups\": []}')"


@pytest.fixture(scope="module")
def crowd(window: Window, takes: list[Path]) -> Window:
    if not window.of(window.count("take")):
        window.upload(takes)
    window.until(f"s.uploads === 0 && {window.count('take')} >= 4")
    window.of("window.studio.set({ toasts: [] })")
    window.tab("Crowd")
    return window


def test_groups_are_placed_by_hand_and_follow_a_path(crowd: Window) -> None:
    crowd.press("Add a group")
    crowd.until(f"{PLAN}.groups.length === 1")
    crowd.page.get_by_label("How many").fill("3")
    crowd.page.keyboard.press("Tab")
    plan = crowd.page.locator(".crowd-plan")
    box = plan.bounding_box()
    assert box is not None
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    crowd.page.mouse.move(*middle)
    crowd.page.mouse.down()
    crowd.page.mouse.move(middle[0] + 60, middle[1], steps=3)
    crowd.page.mouse.up()
    crowd.until(f"{PLAN}.groups[0].center[0] > 0.5 && {PLAN}.groups[0].center[1] === 0")
    before = crowd.of(f"{PLAN}.groups[0].center[1]")
    plan.locator(".crowd-group").focus()
    crowd.page.keyboard.press("ArrowDown")
    crowd.until(f"{PLAN}.groups[0].center[1] === {before + 0.5}")
    crowd.press("Draw a path")
    crowd.page.mouse.click(middle[0] - 80, middle[1] + 60)
    crowd.page.mouse.click(middle[0] - 80, middle[1] - 60)
    crowd.press("Path is done")
    crowd.until(f"{PLAN}.groups[0].path.length === 3")


def test_the_crowd_is_shown_and_exported_as_it_is(crowd: Window, tmp_path: Path) -> None:
    pytest.importorskip("pxr", reason="USD is not installed")
    crowd.page.get_by_label("Seconds").fill("1")
    crowd.page.keyboard.press("Tab")
    crowd.press("Preview 3 characters")
    crowd.until(f"{crowd.count('crowd')} === 1 && v?.scene.placements?.length === 3")
    with crowd.page.expect_download() as download:
        crowd.press("Export 3 characters")
    download.value.save_as(tmp_path / "crowd.zip")
    crowd.until(f"{crowd.count('crowd')} === 2 && v?.scene.placements?.length === 3")
    with zipfile.ZipFile(tmp_path / "crowd.zip") as archive:
        names = set(archive.namelist())
        assert {"crowd.toml", "crowd/crowd.usda", "crowd/manifest.json"} <= names
        assert json.loads(archive.read("crowd/manifest.json"))["number"] == 3
        assert "paths = [[" in archive.read("crowd.toml").decode()


def test_a_farm_gets_a_job_with_the_folder_that_its_machines_share(crowd: Window, tmp_path: Path) -> None:
    crowd.page.get_by_label("Made on").select_option("flamenco")
    crowd.page.get_by_label("Shared folder").fill("/farm/here")
    crowd.page.keyboard.press("Tab")
    with crowd.page.expect_download() as download:
        crowd.press("Export the job")
    download.value.save_as(tmp_path / "job.zip")
    with zipfile.ZipFile(tmp_path / "job.zip") as archive:
        job = archive.read("job.js").decode()
    assert "/farm/here/crowd.toml" in job and str(crowd.studio.project) not in job
    assert crowd.complaints == []

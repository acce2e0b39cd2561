"""The preview page of a pack: it opens on its own, plays groups, clips and rows, and exports stars for `--keep`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from freshtake.formats.report_files import Marked, read_stars
from freshtake.motion import Clip
from freshtake.reports.pack_page import CELL, COLUMNS, pack_page, pack_scene, pack_sheet
from tests.chromium import OpenPage
from tests.motion.cycles.test_shared_seams import loops


def groups() -> list[tuple[str, list[Clip]]]:
    named = [loop.changed(name=f"clip_{k}", playback=loop.playback) for k, loop in enumerate(loops())]
    return [("one", named[:2]), ("</script>", named[2:])]


def told() -> dict[str, Any]:
    clips = [
        {"name": loop.name, "group": name, "seed": seed, "frames": len(loop), "fps": 60.0, "seconds": 1.0, "speed": 1.5,
         "quality": {"foot_slide": None, "tries": 1}}
        for name, some in groups() for seed, loop in enumerate(some, 7)
    ]  # fmt: skip
    listed = [{"name": name, "checksum": "sha256:0"} for name, _ in groups()]
    return {"settings": {"amount": 1.0}, "groups": listed, "clips": clips}


@pytest.fixture(scope="module")
def opened(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenPage]:
    path = tmp_path_factory.mktemp("pack") / "preview.html"
    path.write_text(pack_page(groups(), pack_scene(groups()), told()), encoding="utf-8")
    shown = OpenPage(browser, path).wait()
    yield shown
    assert shown.complaints == []
    shown.page.close()


def shown(opened: OpenPage) -> list[str]:
    names: list[str] = opened.of_viewport("v.scene.shapes.map((shape) => shape.name)")
    return names


def press(opened: OpenPage, selector: str) -> None:
    opened.page.locator(selector).first.evaluate("(button) => button.click()")


def test_it_asks_for_nothing_and_shows_the_first_group(opened: OpenPage) -> None:
    assert [url for url in opened.requests if not url.startswith(("blob:", "data:"))] == [opened.page.url]
    assert shown(opened) == ["clip_0", "clip_1"]


def test_a_clip_and_a_row_are_shown_alone(opened: OpenPage) -> None:
    press(opened, "li[data-name=clip_2] .clip")
    assert shown(opened) == ["clip_2"]
    press(opened, "h2 button:nth-child(2)")
    assert shown(opened) == ["one, in a row"]
    press(opened, "h2 button")
    assert shown(opened) == ["clip_0", "clip_1"]


def test_marks_are_saved_as_keep_reads_them_and_outlive_the_page(opened: OpenPage, tmp_path: Path) -> None:
    press(opened, "li[data-name=clip_0] .star")
    press(opened, "li[data-name=clip_1] .star")
    press(opened, "li[data-name=clip_1] button.reject")
    press(opened, "li[data-name=clip_2] button.reject")
    press(opened, "li[data-name=clip_2] button.reject")
    with opened.page.expect_download() as got:
        press(opened, ".save")
    got.value.save_as(tmp_path / "stars.json")
    found = read_stars(tmp_path / "stars.json")
    assert found.clips == {"clip_0": Marked(7, "star"), "clip_1": Marked(8, "reject"), "clip_2": Marked(7, "")}
    assert found.settings == {"amount": 1.0} and found.models == {"one": "sha256:0", "</script>": "sha256:0"}
    opened.page.reload()
    opened.wait()
    assert opened.page.evaluate("window.packStars().clips.map((clip) => clip.mark)") == ["star", "reject", ""]


def test_clips_are_shown_at_thirty_frames_and_rows_begin_and_end_alike() -> None:
    scene = pack_scene(groups())
    assert [shape.name for shape in scene.shapes][-2:] == ["one, in a row", "</script>, in a row"]
    assert all(1 / 40 < shape.frame_time < 1 / 20 for shape in scene.shapes)


def test_the_sheet_has_a_cell_for_every_clip() -> None:
    sheet = np.asarray(pack_sheet(groups(), pack_scene(groups())).convert("RGB"), dtype=np.int32)
    assert sheet.shape[1] == COLUMNS * CELL[0]
    green = sheet[..., 1] > sheet[..., 0] + 40
    head = sheet.shape[0] // 2 - CELL[1]
    cells = [green[head : head + CELL[1], k * CELL[0] : (k + 1) * CELL[0]].sum() for k in range(COLUMNS)]
    assert cells[0] > 300 and cells[1] > 300 and cells[2] == 0

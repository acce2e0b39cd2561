"""The files of the page: nothing inline or from elsewhere, every import found."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path, PurePosixPath

import pytest

pages = pytest.importorskip("freshtake.studio.pages", reason="the studio is not installed: see make test")
WEB = Path(str(files("freshtake.studio").joinpath("web")))
SERVED = pages.page_files()


def test_the_start_page_holds_nothing_that_the_policy_forbids() -> None:
    text = (WEB / "index.html").read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=|https?://", text)
    for address in re.findall(r'(?:src|href)="([^"#]+)"', text):
        assert f"/{address}" in SERVED


@pytest.mark.parametrize("address", sorted(name for name in SERVED if name.endswith(".js") and "/three/" not in name))
def test_every_import_is_a_file_that_is_served(address: str) -> None:
    text = SERVED[address].file.read_text(encoding="utf-8")
    for target in re.findall(r'^(?:import|export)\b[^"\n]* from "([^"]+)"', text, re.MULTILINE):
        parts: list[str] = []
        for part in (PurePosixPath(address).parent / target).parts:
            parts = parts[:-1] if part == ".." else [*parts, part]
        assert "/" + "/".join(parts[1:]) in SERVED, f"{address} imports {target}"
    assert not re.search(r"\beval\(|new Function\(|https?://(?!www\.w3\.org)", text)

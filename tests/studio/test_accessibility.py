"""Every tab checked by axe-core, which finds barriers for users of screen readers and keyboards."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.studio.server import Window

PLACES = (Path(os.environ.get("FRESHTAKE_AXE", "")), Path("node_modules/axe-core/axe.min.js"))
SCRIPT = next((place for place in PLACES if place.is_file()), None)


@pytest.fixture(scope="module")
def walked(window: Window, takes: list[Path]) -> Window:
    if SCRIPT is None:
        pytest.skip("axe-core is not here: npm install axe-core, or name axe.min.js in FRESHTAKE_AXE")
    if not window.of(window.count("take")):
        window.upload(takes)
    window.until(f"{window.count('take')} >= 4")
    if not window.of(window.count("variant")):
        window.press("Make 15 variants")
    window.until(f"{window.count('variant')} >= 15")
    window.page.evaluate(SCRIPT.read_text(encoding="utf-8"))
    return window


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    "tab", ["Takes", "Vary", "Curves", "Network", "Style", "Blend", "Endless", "Compare", "Study", "Crowd", "Draw"]
)
def test_nothing_is_in_the_way_of_anybody(walked: Window, tab: str, theme: str) -> None:
    walked.of(f"window.studio.set({{ theme: '{theme}', toasts: [] }})")
    walked.tab(tab)
    walked.until("!document.querySelector('.stage[aria-busy=true]')")
    found: dict[str, Any] = walked.page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    told = [(one["id"], [node["html"][:120] for node in one["nodes"]][:3]) for one in found["violations"]]
    assert told == []

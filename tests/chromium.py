"""A real browser for the tests of pages: Debian's chromium, one per session, without network or graphics card."""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--disable-background-networking")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Start a browser with its own profile; skip with a sentence if there is none."""
    program = next((found for name in PROGRAMS if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip("no chromium on PATH: install it (apt-get install chromium) to try the pages in a browser")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: see make test")
    with tempfile.TemporaryDirectory() as profile, playwright.sync_playwright() as driver:
        try:
            context = driver.chromium.launch_persistent_context(
                profile, executable_path=program, args=list(FLAGS), viewport={"width": 480, "height": 340}
            )
        except playwright.Error as error:
            pytest.skip(f"{program} does not start here: {str(error).splitlines()[0]}")
        yield context
        context.close()


class OpenPage:
    """A page opened from a file, with its requests and console messages."""

    def __init__(self, browser: Any, path: Path, script: str = "") -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page = browser.new_page()
        if script:
            self.page.add_init_script(script)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        self.page.goto(path.as_uri())

    def wait(self) -> OpenPage:
        """Wait until the first viewport has drawn."""
        self.page.wait_for_function("window.viewports?.[0]?.timing.frames > 0")
        return self

    def of_viewport(self, script: str) -> Any:
        """Evaluate a line of JavaScript on the first viewport, called `v`."""
        return self.page.evaluate(f"(() => {{ const v = window.viewports[0]; return {script}; }})()")

    def picture(self) -> np.ndarray[Any, np.dtype[np.int32]]:
        """Return the canvas after the next redraw, as (height, width, 3)."""
        from PIL import Image

        frames = "window.viewports[0].timing.frames"
        before = self.page.evaluate(f"(window.viewports[0].redraw(), {frames})")
        self.page.wait_for_function(f"{frames} > {before}")
        data = self.page.locator("canvas.ft-canvas").first.screenshot()
        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"), dtype=np.int32)

"""One server and one window for all tests of the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from freshtake.motion.edit import at_rate
from tests.studio.server import Studio, Window


@pytest.fixture(scope="session")
def takes(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Four short takes of a walk."""
    folder = tmp_path_factory.mktemp("takes")
    files = [folder / f"stroll_{k}.bvh" for k in range(4)]
    for k, file in enumerate(files):
        ft.write(file, at_rate(ft.samples.walk(np.random.default_rng(k)), 20.0))
    return files


@pytest.fixture(scope="session")
def studio(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    pytest.importorskip("uvicorn", reason="the studio is not installed: see make test")
    folder = tmp_path_factory.mktemp("studio")
    running = Studio(folder / "project", folder / "log.txt")
    yield running
    running.close()


@pytest.fixture(scope="session")
def window(browser: Any, studio: Studio) -> Iterator[Window]:
    opened = Window(browser, studio)
    yield opened
    opened.page.close()

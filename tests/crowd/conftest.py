"""A small model of a walk that all tests of crowds share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake as ft


@pytest.fixture(scope="session")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three generated cycles."""
    path = tmp_path_factory.mktemp("crowd") / "walk.ftm"
    clips = [ft.samples.walk(np.random.default_rng(k)) for k in range(3)]
    ft.save(path, ft.variation.learn(clips, rng=np.random.default_rng(0), cyclic=True))
    return path

"""What works without scipy and matplotlib: everything except plots, which name their extra."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import freshtake

# Nothing is installed or removed: imports of both fail as if they were absent.
WITHOUT = """
import importlib.util, sys
from importlib.abc import MetaPathFinder
ABSENT = ("matplotlib", "scipy")
class Absent(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ABSENT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name in ABSENT else found(name, package)
"""
COMMAND = (
    WITHOUT
    + """
from freshtake.cli import main
sys.exit(main())
"""
)
FROM_PYTHON = (
    WITHOUT
    + """
import numpy as np
import freshtake as ft
from freshtake import samples
from freshtake.reports import overlay, plots, style_figures
walks = [samples.walk(np.random.default_rng(k), cycles=1) for k in range(2)]
for draw in (
    lambda: plots.pictures(walks, walks),
    lambda: overlay.overlay(walks),
    lambda: style_figures.strips(walks),
    lambda: style_figures.blend_function(),
):
    try:
        draw()
    except ft.MissingExtra as error:
        print(error)
"""
)


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments], cwd=folder, capture_output=True, text=True, timeout=300
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("small")
    for arguments in (
        ("samples", "write", "walk", "-o", "takes", "--takes", "3"),
        ("learn", "takes", "-o", "walk.ftm"),
    ):
        done = run(place, *arguments)
        assert done.returncode == 0, done.stderr
    return place


@pytest.mark.parametrize(
    "arguments",
    [
        ("vary", "walk.ftm", "-n", "2", "-o", "variants"),
        ("stream", "walk.ftm", "--frames", "60", "-o", "endless.bvh"),
        ("plant", "takes/walk_1.bvh", "-o", "planted.bvh"),
        ("convert", "takes/walk_1.bvh", "walk.glb"),
        ("view", "takes/walk_1.bvh", "-o", "walk.html"),
        ("view", "takes/walk_1.bvh", "--png", "walk.png"),
        ("info", "takes/walk_1.bvh"),
        ("evaluate", "--inputs", "takes/walk_1.bvh", "takes/walk_2.bvh", "--outputs", "takes/walk_3.bvh",
         "takes/walk_2.bvh", "-o", "report.html"),
        ("texture", "learn", "takes/walk_1.bvh", "-o", "walk_texture.ftm"),
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)  # fmt: skip
def test_the_default_install_is_enough(folder: Path, arguments: tuple[str, ...]) -> None:
    done = run(folder, *arguments)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_a_picture_names_its_extra_before_the_work(folder: Path) -> None:
    done = run(folder, "align", "takes/walk_1.bvh", "takes/walk_2.bvh", "--plot", "aligned.png")
    assert done.returncode == 2
    assert "freshtake[plots]" in done.stderr and "Traceback" not in done.stderr
    assert not (folder / "aligned.png").exists()


def test_drawing_from_python_names_the_extra(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FROM_PYTHON], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 4 and all("pip install 'freshtake[plots]'" in line for line in lines), done.stdout


def test_figures_are_made_in_one_place() -> None:
    # Making a figure elsewhere would show a traceback without matplotlib.
    source = Path(freshtake.__file__).parent
    makers = [path for path in source.rglob("*.py") if "Figure(figsize" in path.read_text(encoding="utf-8")]
    assert [path.name for path in makers] == ["canvas.py"]

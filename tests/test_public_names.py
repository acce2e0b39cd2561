"""The public API is a list under test: adding or removing a name is a decision, not an accident."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

import freshtake

PUBLIC = {
    "Clip", "FormatError", "FreshtakeError", "InvalidMotion", "MeshSequence", "MissingExtra", "PointClip", "Skeleton",
    "SkeletonMismatch", "Stroke", "UsageError", "__version__", "density", "evaluation", "formats", "load", "motion",
    "load_density", "load_gaits", "load_style", "load_texture", "load_variation", "read", "read_clip", "read_mesh",
    "read_points", "read_stroke", "samples", "save", "style", "texture", "variation", "view", "write",
}  # fmt: skip


def test_public_names_are_pinned() -> None:
    assert set(freshtake.__all__) == PUBLIC
    assert set(dir(freshtake)) == PUBLIC


def test_every_public_name_exists() -> None:
    for name in PUBLIC:
        assert getattr(freshtake, name) is not None


def test_unknown_names_are_refused() -> None:
    assert not hasattr(freshtake, "no_such_name")


@pytest.mark.parametrize(
    "package", ["density", "motion.planting", "samples", "style", "texture", "variation", "workflows"]
)
def test_names_that_load_on_first_use_are_those_listed(package: str) -> None:
    module = import_module(f"freshtake.{package}")
    assert dir(module) == sorted(module.__all__)
    assert all(getattr(module, name) is not None for name in module.__all__)
    with pytest.raises(AttributeError, match=rf"module 'freshtake\.{package}' has no attribute 'no_such_name'"):
        _ = module.no_such_name


def test_import_is_light() -> None:
    program = "import sys, freshtake; print('numpy' in sys.modules, 'matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_info_loads_neither_numba_nor_matplotlib_nor_scipy() -> None:
    program = (
        "import sys, freshtake.cli.looking, freshtake.workflows; "
        "print(*[m for m in ('numba', 'matplotlib', 'scipy', 'ezc3d', 'pooch') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""

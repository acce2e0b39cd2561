"""The public surface is a list under test: a name that appears or goes is a decision, not an accident."""

from __future__ import annotations

import subprocess
import sys

import freshtake

PUBLIC = {
    "Clip", "FormatError", "FreshtakeError", "InvalidMotion", "MeshSequence", "MissingExtra", "PointClip", "Skeleton",
    "SkeletonMismatch", "Stroke", "UsageError", "__version__", "density", "evaluation", "formats", "load", "motion",
    "read", "samples", "save", "style", "texture", "variation", "write",
}  # fmt: skip


def test_public_names_are_pinned() -> None:
    assert set(freshtake.__all__) == PUBLIC
    assert set(dir(freshtake)) == PUBLIC


def test_every_public_name_exists() -> None:
    for name in PUBLIC:
        assert getattr(freshtake, name) is not None


def test_unknown_names_are_refused() -> None:
    assert not hasattr(freshtake, "no_such_name")


def test_import_is_light() -> None:
    program = "import sys, freshtake; print('numpy' in sys.modules, 'matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_info_loads_neither_numba_nor_matplotlib_nor_scipy() -> None:
    program = (
        "import sys, freshtake.cli.motion_info, freshtake.workflows; "
        "print(*[m for m in ('numba', 'matplotlib', 'scipy', 'ezc3d', 'pooch') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""

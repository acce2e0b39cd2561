"""Kernels are cached on disk, even if the package's own folder is not writable, and compiling is reported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

KERNEL = """
from freshtake.numeric.compiled import compiled

@compiled
def twice(value):
    return 2 * value

@compiled
def thrice(value):
    return 3 * value
"""
PROGRAM = """
from freshtake.numeric.compiled import tell_of_compiling
import kernel
tell_of_compiling(lambda name, begins: print(name, begins))
print(kernel.twice(4) + kernel.thrice(1))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the user's cache folder is found in another way there")
@pytest.mark.parametrize("writable", [True, False])
def test_compiled_code_is_kept(tmp_path: Path, writable: bool) -> None:
    place, home = tmp_path / "package", tmp_path / "home"
    place.mkdir()
    home.mkdir()
    (place / "kernel.py").write_text(KERNEL)
    if not writable:  # permissions do not stop an administrator, a file in the way does
        (place / "__pycache__").write_text("")
    hidden = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment |= {"HOME": str(home), "PYTHONPATH": os.pathsep.join([str(place), *sys.path])}
    said = [
        subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert [done.stdout.split() for done in said] == [
        ["kernel.twice", "True", "kernel.twice", "False", "kernel.thrice", "True", "kernel.thrice", "False", "11"],
        ["11"],
    ]
    assert bool(list(place.rglob("*.nbc"))) == writable
    assert bool(list(home.rglob("*.nbc"))) == (not writable)


NAMED = """
from typing import NamedTuple
from freshtake.numeric.compiled import compiled

class NAME(NamedTuple):
    value: float

@compiled
def value_of(pair):
    return pair.value

print(value_of(NAME(4.0)))
"""


def test_code_on_disk_of_a_version_with_other_classes_is_compiled_anew(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *map(os.path.abspath, sys.path)])}
    for name in ("Before", "After", "After"):
        (tmp_path / "named.py").write_text(NAMED.replace("NAME", name))
        done = subprocess.run(
            [sys.executable, "-B", "-c", "import named"], env=environment, capture_output=True, text=True, check=False
        )
        assert (done.stdout, done.stderr) == ("4.0\n", "")

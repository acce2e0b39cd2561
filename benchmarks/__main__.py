"""Print all tables, or those named: python -m benchmarks [read write kinematics resample formats variation ...]."""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.alignment import alignment
from benchmarks.circles import circles
from benchmarks.density import density
from benchmarks.end_to_end import end_to_end, startup
from benchmarks.formats import all_formats, reading, writing
from benchmarks.loops import loops
from benchmarks.many_takes import many_takes
from benchmarks.motion import forward_kinematics, resampling
from benchmarks.packs import packs
from benchmarks.planting import speed as planting
from benchmarks.selection import selection
from benchmarks.style import style
from benchmarks.takes import long_takes
from benchmarks.texture import texture
from benchmarks.unlike import unlike
from benchmarks.variation import variation

TABLES: dict[str, Callable[[Path, Path], str]] = {
    "read": lambda take, scratch: reading(take),
    "write": writing,
    "kinematics": lambda take, scratch: forward_kinematics(take),
    "resample": lambda take, scratch: resampling(take),
    "formats": all_formats,
    "planting": lambda take, scratch: planting(),
    "startup": lambda take, scratch: startup(take),
    "style": lambda take, scratch: style(),
    "density": lambda take, scratch: density(),
    "texture": lambda take, scratch: texture(),
    "variation": lambda take, scratch: variation(),
    "end_to_end": lambda take, scratch: end_to_end(),
    "alignment": lambda take, scratch: alignment(),
    "selection": lambda take, scratch: selection(),
    "unlike": lambda take, scratch: unlike(),
    "many_takes": lambda take, scratch: many_takes(),
    "loops": lambda take, scratch: loops(),
    "packs": lambda take, scratch: packs(scratch),
    "circles": lambda take, scratch: circles(),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], help="default: all of them")
    chosen = parser.parse_args().tables or list(TABLES)
    print(f"Python {platform.python_version()}, numpy {np.__version__}, {sys.platform}; medians of CPU time\n")
    with tempfile.TemporaryDirectory() as scratch:
        take = long_takes(Path(scratch))[0]
        for name in chosen:
            print(TABLES[name](take, Path(scratch)), flush=True)


if __name__ == "__main__":
    main()

"""Print the tables of docs/performance.md, or those named: python -m benchmarks [read write kinematics ...].

Figures on other pages are printed by the modules named there, those of docs/results by `make figures`.
"""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.end_to_end import end_to_end
from benchmarks.formats import all_formats, reading, writing
from benchmarks.many_takes import many_takes
from benchmarks.motion import forward_kinematics, resampling
from benchmarks.startup import startup
from benchmarks.takes import long_takes
from benchmarks.variation import variation

TABLES: dict[str, Callable[[Path, Path], str]] = {
    "read": lambda take, scratch: reading(take),
    "write": writing,
    "kinematics": lambda take, scratch: forward_kinematics(take),
    "resample": lambda take, scratch: resampling(take),
    "formats": all_formats,
    "startup": lambda take, scratch: startup(take),
    "variation": lambda take, scratch: variation(),
    "end_to_end": lambda take, scratch: end_to_end(),
    "many_takes": lambda take, scratch: many_takes(),
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

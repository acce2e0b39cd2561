"""Time the first use of a wheel in an empty environment with an empty home:

    python integrations/try_wheel.py WHEEL [--most 3]

Prints seconds of processor time of `learn` and `vary`, the first time and the second; the first may take up to `--most`
seconds more (for a pure wheel, which compiles then, give a larger number).
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path


def main() -> int:
    """Install, run twice, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--most", type=float, default=3.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv" / "bin" / "python"
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", options.wheel.resolve()]
        subprocess.run(pip, check=True)
        (folder / "home").mkdir()
        plain = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA", "PYTHON", "XDG"))}
        environment = {**plain, "HOME": str(folder / "home")}

        def seconds(*arguments: str) -> float:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([folder / "venv/bin/freshtake", *arguments, "-q"], cwd=folder, env=environment, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        seconds("samples", "write", "walk", "-o", "walks")
        rows = []
        for _ in range(2):
            shutil.rmtree(folder / "out", ignore_errors=True)
            rows.append(
                (seconds("learn", "walks", "-o", "out/walk.ftm"), seconds("vary", "out/walk.ftm", "-o", "out/new"))
            )
        made = len(list((folder / "out/new").iterdir()))
    for name, (learning, varying) in zip(("first", "second"), rows, strict=True):
        print(f"{name}: learn {learning:.1f} s, vary {varying:.1f} s of processor time")
    more = sum(rows[0]) - sum(rows[1])
    print(f"{made} variants; the first use took {more:.1f} s more than the second")
    return int(more > options.most or made != 15)


if __name__ == "__main__":
    sys.exit(main())

"""Time `freshtake vary` from start to last file: python -m benchmarks.end_to_end [-n 200] [--runs 5].

The real command in a separate process, with nothing set in the environment, once for one variant and once for many: the
difference is the cost of the other variants, without start-up. CPU time of all threads, the minimum of several runs,
because the machine is shared. One row gives the cost of importing numba, which is part of every start-up.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import freshtake as ft
from benchmarks.takes import DATA
from benchmarks.timing import least_child_cpu, table

TARGETS = {"npz": 20_000, "bvh": 10_000, "glb": 15_000}
STARTUP = 0.6  # CPU seconds


def end_to_end(count: int = 200, runs: int = 5) -> str:
    """Measure walks: start-up, and frames per second afterwards, by format."""
    with tempfile.TemporaryDirectory() as scratch:
        model, rows = Path(scratch) / "walk.ftm", []
        takes = sorted((DATA / "walk").glob("walk_[1-4].bvh"))
        _run(["learn", *map(str, takes), "-o", str(model), "--force"])
        numba = least_child_cpu([sys.executable, "-c", "import numba"], runs)
        for ending, target in TARGETS.items():
            _vary(model, 2, ending)  # fills the cache of machine code
            one, many, frames = [], [], 0
            for _ in range(runs):
                one.append(_vary(model, 1, ending)[0])
                spent, frames = _vary(model, count, ending)
                many.append(spent)
            speed = frames / (min(many) - min(one))
            rows.append([ending, f"{min(one):.2f}", f"{min(many):.2f}", f"{frames:,}", f"{speed:,.0f}", f"{target:,}"])
    title = f"{count} planted walks, end to end (start-up: target {STARTUP} s; import numba: {numba:.2f} s)"
    heads = ("format", "one variant, CPU s", f"{count}, CPU s", "other frames", "frames/s", "target")
    return table(title, heads, rows)


def per_second(count: int = 15, many: int = 200, runs: int = 5) -> str:
    """Measure CPU seconds per second of motion, as planted BVH files, next to published figures."""
    with tempfile.TemporaryDirectory() as scratch:
        model = Path(scratch) / "walk.ftm"
        _run(["learn", *map(str, sorted((DATA / "walk").glob("walk_[1-4].bvh"))), "-o", str(model), "--force"])
        _vary(model, 2, "bvh")  # fills the cache of machine code
        spent = {number: [_vary(model, number, "bvh") for _ in range(runs)] for number in (1, count, many)}
        frame_time = ft.load(model).frame_time
    least = {number: min(seconds for seconds, _ in results) for number, results in spent.items()}
    # Frames are counted without those of the first variant, all of which are about as long.
    motion = {number: spent[number][0][1] * frame_time for number in (count, many)}
    rows = [
        [
            f"freshtake, {count} planted walks as files, start-up included",
            f"{least[count] * (count - 1) / count / motion[count]:.3f}",
        ],
        ["freshtake, additional walks (without start-up)", f"{(least[many] - least[1]) / motion[many]:.4f}"],
        ["GenMM, as published", "0.04 to 0.06"],
        ["Lau 2009, as published", "0.1"],
    ]
    return table("CPU seconds for a second of motion", ("method", "s/s"), rows)


def _vary(model: Path, count: int, ending: str) -> tuple[float, int]:
    """Return CPU seconds, and the number of frames beyond those of the first variant."""
    folder = model.with_name("variants")
    arguments = ["vary", str(model), "-n", str(count), "-o", str(folder), "--format", ending, "--unit", "cmu"]
    spent = _run(arguments)
    frames = sum(len(ft.read(path)) for path in sorted(folder.iterdir())[1:])  # type: ignore[arg-type]
    shutil.rmtree(folder)
    return spent, frames


def _run(arguments: Sequence[str]) -> float:
    return least_child_cpu([sys.executable, "-m", "freshtake", *arguments], 1)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.end_to_end", description=__doc__)
    parser.add_argument("-n", type=int, default=200)
    parser.add_argument("--runs", type=int, default=5)
    chosen = parser.parse_args()
    print(end_to_end(chosen.n, chosen.runs))
    print(per_second(runs=chosen.runs))


if __name__ == "__main__":
    main()

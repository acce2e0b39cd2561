"""How fast crowds are made: python -m benchmarks.crowd_scaling [-n 1500] [--seconds 5] [--workers 1 2] [--format npz].

Runs the real command in a separate process, once for each number of workers, and measures wall and processor time and
the peak memory of its largest process. Needs an idle machine. Two cores may slow each other down in any computation:
the last column is the slowdown of plain arithmetic, which needs no memory, in the same number of processes.
A second table is one character's time by stages, the minimum of several runs.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

import freshtake as ft
from benchmarks.takes import DATA
from benchmarks.timing import least_child_cpu, table
from freshtake.crowd.characters import MotionRequest, body_of, make_motion, put_in_place
from freshtake.crowd.shards import model_at
from freshtake.motion.planting import plant, settings_for
from freshtake.workflows.inputs import generator

ROUNDS = 60_000_000
FRAMES = 300


def learned(scratch: Path) -> Path:
    """Return a model of eight walks: recorded walks, or samples if these are absent."""
    takes = [ft.read_clip(path) for path in sorted((DATA / "walk").glob("*.bvh"))]
    if not takes:
        takes = [ft.samples.walk(np.random.default_rng(k)) for k in range(8)]
    path = scratch / "walk.ftm"
    ft.save(path, ft.variation.learn(takes, rng=np.random.default_rng(0), cyclic=True))
    return path


def crowds(model: Path, count: int, seconds: float, workers: Sequence[int], format: str) -> str:
    """Measure wall time, processor time and memory of whole commands, for each number of workers."""
    rows = []
    first = 0.0
    for number in workers:
        arguments = ["-n", str(count), "--seconds", str(seconds), "--format", format, "--workers", str(number)]
        _run(model, ["-n", "3", "--seconds", "1", "--format", format])  # then machine code and files are in memory
        wall, cpu = _run(model, arguments)
        first = first or wall
        slower = _arithmetic(number) / _arithmetic(1)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        each = 1000 * cpu / count
        rows.append([str(number), *(f"{x:.1f}" for x in (wall, cpu, each)), f"{first / wall:.2f}", f"{peak:.0f}"])
        rows[-1].append(f"{slower:.2f}")
    head = (
        "workers", "clock s", "CPU s", "CPU ms a character, start included", "times as fast", "largest process MB",
        "plain arithmetic takes times as long",
    )  # fmt: skip
    return table(f"{count} characters of {seconds:g} s as {format}", head, rows)


def _run(model: Path, arguments: Sequence[str]) -> tuple[float, float]:
    folder = model.with_name("crowd")
    start = time.perf_counter()
    cpu = least_child_cpu(
        [sys.executable, "-m", "freshtake", "crowd", str(model), "-o", str(folder), "--quiet", *arguments], 1
    )
    wall = time.perf_counter() - start
    shutil.rmtree(folder)
    return wall, cpu


def _arithmetic(processes: int) -> float:
    """Return the mean wall seconds of a loop of additions, in several processes at once."""
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        return float(np.mean(pool.map(_additions, [ROUNDS] * processes, chunksize=1)))


def _additions(rounds: int) -> float:
    start, total = time.perf_counter(), 0
    for k in range(rounds):
        total += k
    return time.perf_counter() - start


def stages(model_path: Path, runs: int = 30) -> str:
    """Measure the cost of one character of 300 frames, the minimum of several runs."""
    model = model_at(model_path)
    body, limits, feet = body_of(model, model_path.name), model.body_limits, model.planting_model
    assert limits is not None and feet is not None
    drawn = model.draw(generator(0, 5), frames=FRAMES)
    assert drawn.phases is not None
    clip = model.decode(drawn.rows)
    stands = model.standing(drawn.phases)
    planted = plant(clip, stands, examples=feet, settings=settings_for(True), careful=False).clip
    request = MotionRequest(0, 5, (FRAMES - 1) * model.frame_time, None)
    made = make_motion(model, body, request)
    acts: dict[str, Callable[[], object]] = {
        "whole motion": lambda: make_motion(model, body, request),
        "drawing": lambda: model.draw(generator(0, 5), frames=FRAMES),
        "poses": lambda: model.decode(drawn.rows),
        "when feet stand": lambda: model.standing(drawn.phases),
        "planting": lambda: plant(clip, stands, examples=feet, settings=settings_for(True), careful=False),
        "checking": lambda: limits.check(planted),
        "putting it in its place": lambda: put_in_place(made, np.zeros(2), 0.3, 1.0),
    }
    rows = [[name, f"{1000 * _least(act, runs):.2f}"] for name, act in acts.items()]
    return table(f"One character of {FRAMES} frames", ("stage", "CPU ms"), rows)


def _least(act: Callable[[], object], runs: int) -> float:
    spent = []
    for _ in range(runs):
        start = time.thread_time()
        act()
        spent.append(time.thread_time() - start)
    return min(spent)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.crowd_scaling", description=__doc__)
    parser.add_argument("-n", type=int, default=1500)
    parser.add_argument("--seconds", type=float, default=4.9834, help="299 steps at 60 fps")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--format", default="npz")
    chosen = parser.parse_args()
    print(f"{os.cpu_count()} cores, load before: {os.getloadavg()[0]:.1f}\n")
    with tempfile.TemporaryDirectory() as scratch:
        model = learned(Path(scratch))
        print(crowds(model, chosen.n, chosen.seconds, chosen.workers, chosen.format), flush=True)
        print(stages(model))


if __name__ == "__main__":
    main()

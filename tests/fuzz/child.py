"""One target in a separate process, so a crash, a hang or memory exhaustion ends only this process.

    python -m tests.fuzz.child TARGET SEED FIRST COUNT SECONDS FOLDER

Every input is written to FOLDER before it is read, and its number to FOLDER/number; the parent finds there what a
dead child was reading. Standard output is one JSON object: how many were done, and the inputs that failed.
"""

from __future__ import annotations

import faulthandler
import json
import resource
import shutil
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import freshtake as ft
from tests.fuzz.mutate import mutate
from tests.fuzz.seeds import Target, make_target
from tests.fuzz.using import use

SECONDS = 15.0  # of CPU for one small file; a model may need a function that no good model has compiled
MEMORY = 500 << 20  # bytes beyond what the process has when it starts to read


def damaged(target: Target, seed: int, number: int) -> bytes:
    """Return input `number` of a run, which depends on nothing else."""
    rng = np.random.default_rng([seed, number])
    data, other = (target.seeds[int(rng.integers(0, len(target.seeds)))] for _ in range(2))
    if target.inside is not None and rng.random() < 0.6:
        return target.inside(data, other, rng)
    return mutate(data, other, rng)


def read(path: Path, reader: Callable[[Path], object] | None = None) -> int:
    """Read a file and return the number of its uses: a model that loads is used, a motion is only read."""
    if reader is not None:
        reader(path)
        return 1
    if path.suffix == ".ftm":
        return use(path)
    ft.read(path, warn=lambda message: None)
    return 1


def complaint(path: Path, taken: list[int] | None = None, reader: Callable[[Path], object] | None = None) -> str:
    """Return the fault of a reader, if it did anything but return or end with its sentence; empty if none.

    `taken` also counts the ways in which an accepted file was used.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ways = read(path, reader)
        if taken is not None:
            taken.append(ways)
    except ft.FreshtakeError as error:
        message = str(error)
        if "more memory" in message or (reader is None and "nested too deeply" in message):
            return f"only the last net caught it: {message}"
        return "" if len(message) < 1000 and "\n" not in message else f"not one sentence: {message!r}"
    except Exception:
        return traceback.format_exc()
    return ""


def limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 0
    if pages:
        most = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def run(target: Target, seed: int, first: int, count: int, seconds: float, folder: Path) -> dict[str, object]:
    scene = folder / "scene"
    scene.mkdir(exist_ok=True)
    for name, content in target.beside:
        (scene / name).write_bytes(content)
    path = scene / target.file
    failures, done, deadline = [], 0, time.monotonic() + seconds
    taken: list[int] = []
    for number in range(first, first + count):
        if time.monotonic() > deadline:
            break
        path.write_bytes(damaged(target, seed, number))
        (folder / "number").write_text(str(number))
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        problem = complaint(scene if target.name == "obj" else path, taken, target.read)
        signal.setitimer(signal.ITIMER_PROF, 0)
        done += 1
        if problem:
            kept = folder / f"{target.name.replace(' ', '_')}-{seed}-{number}{path.suffix}"
            shutil.copy(path, kept)
            failures.append({"input": str(kept), "number": number, "problem": problem})
    return {"done": done, "taken": len(taken), "uses": sum(taken), "failures": failures}


def main() -> None:
    name, seed, first, count, seconds, where = sys.argv[1:]
    folder = Path(where)
    seeds = folder / "seeds"
    seeds.mkdir(exist_ok=True)
    target = make_target(name, seeds)
    for content in target.seeds:  # loads the reader, and proves that the undamaged files are good
        scene = folder / "good"
        scene.mkdir(exist_ok=True)
        for beside, data in target.beside:
            (scene / beside).write_bytes(data)
        (scene / target.file).write_bytes(content)
        read(scene if name == "obj" else scene / target.file, target.read)
    faulthandler.enable()
    faulthandler.register(signal.SIGPROF, chain=True)
    limit_memory()
    print(json.dumps(run(target, int(seed), int(first), int(count), float(seconds), folder)))


if __name__ == "__main__":
    main()

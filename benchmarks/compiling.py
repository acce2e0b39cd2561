"""Record which kernels each command compiles on first use, and for how long, as the table for the countdown."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TABLE = Path(__file__).resolve().parents[1] / "src" / "freshtake" / "workflows" / "compile_times.csv"
CHILD = """
import json, sys, time
from freshtake.numeric import compiled
used, running, times = set(), [], {}
plain = compiled._DiskCache.load_overload
def name_of(function):
    return f"{function.__module__}.{function.__name__}".removeprefix("freshtake.")
def add(function):  # with its callees: they are part of its machine code, and compiled with it
    if name_of(function) not in used:
        used.add(name_of(function))
        for name in function.__code__.co_names:
            inner = getattr(function.__globals__.get(name), "py_func", None)
            if inner is not None and hasattr(function.__globals__[name], "_cache"):
                add(inner)
def load_overload(self, signature, target):
    add(self._function)
    return plain(self, signature, target)
compiled._DiskCache.load_overload = load_overload
def heard(kernel, begins):
    if begins:
        running.append([kernel, time.process_time(), 0.0])
        return
    name, began, inner = running.pop()
    took = time.process_time() - began
    times[name] = times.get(name, 0.0) + took - inner
    if running:
        running[-1][2] += took
compiled.tell_of_compiling(heard)
compiled.tell_of_compiling = lambda listener: None
from freshtake.cli.entry import run
assert run([*sys.argv[2:], "--quiet"]) == 0
open(sys.argv[1], "w").write(json.dumps([sorted(used), times]))
"""
COMMANDS = (
    ("warm-up",),
    ("samples", "write", "walk", "walk_long", "run", "limp", "-n", "3", "-o", "s"),
    ("demo", "-o", "demo"),
    ("learn", "s/walk_[0-9].bvh", "-o", "walk.ftm"),
    ("vary", "walk.ftm", "-n", "2", "-o", "v"),
    ("stream", "walk.ftm", "--frames", "90", "-o", "stream.bvh"),
    ("loop", "s/walk_long_1.bvh", "-o", "loop.bvh"),
    ("plant", "s/walk_1.bvh", "-o", "plant.bvh"),
    ("evaluate", "--inputs", "s/walk_[0-9].bvh", "--outputs", "v", "-o", "page.html"),
    ("select", "s/walk_1.bvh", "--trusted", "s/walk_[0-9].bvh"),
    ("explain", "walk.ftm"),
    ("cut", "s/walk_long_1.bvh", "-o", "cut"),
    ("align", "s/walk_1.bvh", "s/limp_1.bvh"),
    ("blend", "learn", "walk=s/walk_long_1.bvh", "run=s/run_1.bvh", "-o", "blend.ftm"),
    ("blend", "sample", "blend.ftm", "--frames", "90", "-o", "blend.bvh"),
    ("texture", "learn", "s/walk_long_1.bvh", "-o", "texture.ftm"),
    ("texture", "sample", "texture.ftm", "--frames", "90", "-o", "texture.bvh"),
    ("style", "learn", "--source", "s/walk_long_1.bvh", "--target", "s/limp_1.bvh", "-o", "style.ftm"),
    ("style", "apply", "style.ftm", "s/walk_1.bvh", "-o", "style.bvh", "--keep-going"),
)
GROUPS = ("blend", "texture", "style", "samples")


def main() -> None:
    times: dict[str, float] = json.loads(Path(sys.argv[1]).read_text()) if len(sys.argv) > 1 else {}
    used: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ) if times else {**os.environ, "NUMBA_CACHE_DIR": f"{folder}/cache"}
        for command in COMMANDS[1 if times else 0 :]:
            call = [sys.executable, "-c", CHILD, "found.json", *command]
            subprocess.run(call, cwd=folder, env=environment, check=True)
            kernels, took = json.loads(Path(folder, "found.json").read_text())
            name = " ".join(command[: 2 if command[0] in GROUPS else 1])
            for kernel in kernels:
                used.setdefault(kernel, []).append(name)
            times.update({kernel: seconds for kernel, seconds in took.items() if kernel not in times})
            print(f"{name:15s} {len(kernels):4d} kernels, {sum(times.get(k, 0.0) for k in kernels):6.1f} s")
    for kernel in times:
        used.setdefault(kernel, [])
        used[kernel] = sorted({*used[kernel], "warm-up"})
    rows = [f"{kernel},{times.get(kernel, 0.0):.2f},{';'.join(names)}\n" for kernel, names in sorted(used.items())]
    TABLE.write_text("kernel,seconds,used_by\n" + "".join(rows), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Run a target in child processes until the time or the number of inputs is used up, and keep failing inputs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60.0  # seconds of silence beyond the time given, after which a child is taken to hang


class Failure(NamedTuple):
    """An input for which the reader neither returned nor raised a FreshtakeError."""

    target: str
    number: int
    problem: str
    kept: Path


class Result(NamedTuple):
    """The number of inputs, of accepted inputs, and of their uses; and the failures."""

    done: int
    failures: list[Failure]
    taken: int = 0
    uses: int = 0


def fuzz(target: str, seed: int, seconds: float, count: int, keep: Path) -> Result:
    """Try at most `count` inputs in at most `seconds`; failing inputs are copied to `keep`."""
    deadline = time.monotonic() + seconds
    number, done, taken, uses, failures = 0, 0, 0, 0, []
    while number < count and time.monotonic() < deadline:
        with tempfile.TemporaryDirectory() as scratch:
            report = _child(target, seed, number, count - number, deadline - time.monotonic(), Path(scratch))
            done, taken, uses = done + report["done"], taken + report["taken"], uses + report["uses"]
            for failure in report["failures"]:
                keep.mkdir(parents=True, exist_ok=True)
                kept = Path(shutil.copy(failure["input"], keep))
                failures.append(Failure(target, failure["number"], failure["problem"], kept))
            number = report["next"]
    return Result(done, failures, taken, uses)


def _child(target: str, seed: int, first: int, count: int, seconds: float, scratch: Path) -> dict:  # type: ignore[type-arg]
    arguments = [target, seed, first, count, seconds, scratch]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.fuzz.child", *map(str, arguments)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        out, err = process.communicate(timeout=seconds + PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
    if process.returncode == 0:
        report = json.loads(out)
        return {**report, "next": first + count}
    return _post_mortem(target, seed, first, process.returncode, err, scratch)


def _post_mortem(target: str, seed: int, first: int, code: int, err: str, scratch: Path) -> dict:  # type: ignore[type-arg]
    """Return the input that a dead child was reading."""
    if not (scratch / "number").exists():
        raise RuntimeError(f"the fuzzer's child for {target} did not start:\n{err[-4000:]}")
    number = int((scratch / "number").read_text())
    source = sorted((scratch / "scene").iterdir(), key=lambda file: file.stat().st_mtime)[-1]
    kept = scratch / f"{target}-{seed}-{number}{source.suffix}"
    shutil.copy(source, kept)
    problem = f"the process ended with code {code} (-27: too long, -9: hang, -11: crash)\n{err[-3000:]}"
    earlier = [{"input": str(kept), "number": number, "problem": problem}]
    return {"done": number - first + 1, "taken": 0, "uses": 0, "failures": earlier, "next": number + 1}

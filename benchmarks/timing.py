"""CPU time and tables. CPU time is used instead of wall time because machines are shared."""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence


def cpu_seconds(act: Callable[[], object], runs: int = 7) -> float:
    """Return the median CPU time of a call, after a warm-up call."""
    return statistics.median(_spent(act, runs))


def _spent(act: Callable[[], object], runs: int) -> list[float]:
    act()
    spent = []
    for _ in range(runs):
        start = time.process_time()
        act()
        spent.append(time.process_time() - start)
    return spent


def least_cpu(act: Callable[[], object], runs: int = 3) -> float:
    """Return the minimum CPU time of several calls after a warm-up call."""
    return min(_spent(act, runs))


# Prefixes of settings that few users have: without them, byte code is on disk, and threads and caches are ours.
SET_BY_FEW = ("PYTHON", "OPENBLAS", "OMP", "MKL", "NUMBA")


def usual_environment() -> dict[str, str]:
    """Return the environment without the settings that few users have; nothing compiles in the background."""
    usual = {name: value for name, value in os.environ.items() if not name.startswith(SET_BY_FEW)}
    return usual | {"PYTHONPATH": os.environ.get("PYTHONPATH", ""), "FRESHTAKE_COMPILE_AHEAD": "0"}


def _child_run(command: Sequence[str]) -> tuple[float, float]:
    """Run a program from start to end, and return its CPU and wall seconds."""
    before = os.times()
    subprocess.run(command, check=True, capture_output=True, env=usual_environment())
    after = os.times()
    cpu = after.children_user - before.children_user + after.children_system - before.children_system
    return cpu, after.elapsed - before.elapsed


def child_seconds(command: Sequence[str], runs: int = 7) -> tuple[float, float]:
    """Return the median CPU and wall time of a program from start to end."""
    cpu, wall = zip(*[_child_run(command) for _ in range(runs)], strict=True)
    return statistics.median(cpu), statistics.median(wall)


def least_child_cpu(command: Sequence[str], runs: int) -> float:
    """Return the minimum CPU time of a program from start to end, which excludes interference by other programs."""
    return min(_child_run(command)[0] for _ in range(runs))


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [f"### {title}", "", f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *[f"| {' | '.join(row)} |" for row in rows], ""])


def print_tables(tables: Mapping[str, Callable[[], str]], module: str, description: str | None) -> None:
    """Print the tables named on the command line, or all tables."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
    parser.add_argument("tables", nargs="*", choices=[*tables, []], help="default: all of them")
    for name in parser.parse_args().tables or tables:
        print(tables[name](), flush=True)

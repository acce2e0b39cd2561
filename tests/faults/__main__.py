"""Let every writing command meet faults: python -m tests.faults --kills 300 [--seed 1] [--only vary] [--just-kills].

Kills come at random moments and at every flush to the disk; disks are full, or hold half of the result; clocks are
decades off. A child is forked from a process in which all code is loaded, so kills hit the work and not the
start. After a fault, the result is either unchanged or complete. The same command run again
completes it, with the same bytes, and leaves no temporary file. The studio, the server for agents and first
compilations have rows too. Prints a table, and exits with 1 after any other outcome.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tests.faults.commands import COMMANDS, prepare
from tests.faults.compiling import compile_at_once
from tests.faults.forks import Counts
from tests.faults.servers import kill_studio
from tests.faults.surroundings import every_flush, full_disk, small_disk, wrong_clock
from tests.faults.trial import Trial

HEADS = ("faults", "in the work", "corrupt", "not completed", "left over", "other")


def kill_often(trial: Trial, kills: int, rng: np.random.Generator) -> Counts:
    """Kill one command at random moments of its work."""
    counts = Counts()
    for _ in range(kills):
        trial.clear()
        counts += trial.judged(trial.killed_after(float(rng.random()) * trial.seconds * 1.1))
    return counts


def print_row(name: str, counts: Counts) -> bool:
    """Print a row of the table, and return whether there was a failure."""
    values = (counts.faults, counts.in_work, counts.corrupt, counts.not_completed, counts.left_over, counts.other)
    print(f"{name:26}" + "".join(f"{value:15}" for value in values), flush=True)
    for problem in counts.problems:
        print(f"  {problem}", flush=True)
    return counts.wrong > 0


def main() -> int:
    """Run all faults, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=300, help="over all commands and servers")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", choices=[*COMMANDS, "studio", "first compilations"])
    parser.add_argument("--just-kills", action="store_true", help="at random moments, and no other faults")
    options = parser.parse_args()
    names = options.only or [*COMMANDS, "studio", "first compilations"]
    if options.just_kills:
        names = [name for name in names if name != "first compilations"]
    kills = -(-options.kills // len(names))
    every_fault = every_flush, full_disk, small_disk, wrong_clock
    faults: tuple[Callable[[Trial], Counts], ...] = () if options.just_kills else every_fault
    failed = False
    with tempfile.TemporaryDirectory(prefix="freshtake-faults-") as folder:
        home = Path(folder)
        prepare(home)
        os.chdir(home)
        print(f"{'':26}" + "".join(f"{head:>15}" for head in HEADS))
        totals: dict[str, Counts] = {}
        for number, name in enumerate(names):
            rng = np.random.default_rng([options.seed, number])
            if name == "studio":
                failed |= print_row(name, kill_studio(home, kills, rng))
            elif name == "first compilations":
                failed |= print_row(name, compile_at_once(home))
            else:
                trial = Trial(home, name)
                failed |= print_row(name, kill_often(trial, kills, rng))
                for fault in faults:
                    label = f"all: {(fault.__doc__ or '').partition(':')[0].lower()}"
                    totals[label] = totals.get(label, Counts()) + fault(trial)
            print(f"  {name}: {sum(os.times()[:4]):.0f} s of processor time so far", file=sys.stderr)
        for label, counts in totals.items():
            failed |= print_row(label, counts)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

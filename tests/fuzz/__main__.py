"""The fuzzer for an hour or so: python -m tests.fuzz --seconds 3600 [--target bvh] [--inputs 1000] [--seed 1]."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.fuzz.runner import fuzz
from tests.fuzz.seeds import TARGETS

SHIFT = 60.0  # seconds at a target before the next one takes its turn


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="for all targets together")
    parser.add_argument("--target", choices=TARGETS, action="append", help="one reader (default: all of them)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="the same seed damages in the same way")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failures"), help="folder for inputs that failed")
    parser.add_argument("--inputs", type=int, help="of each target, instead of a time")
    options = parser.parse_args()
    targets = options.target or list(TARGETS)
    shift = min(SHIFT, options.seconds / len(targets))
    end, seed, failed = time.monotonic() + options.seconds, options.seed, 0
    while (left := end - time.monotonic()) > 0.1 * shift:
        for target in targets:
            seconds = min(shift, max(left, 1.0)) if options.inputs is None else 1e6
            result = fuzz(target, seed, seconds, options.inputs or 10**9, options.keep)
            failed += len(result.failures)
            print(
                f"{target:8} seed {seed}: {result.done} inputs, {result.taken} accepted and used in"
                f" {result.uses} ways, {len(result.failures)} failures",
                flush=True,
            )
            for failure in result.failures:
                print(f"  {failure.kept}\n    {failure.problem.strip().splitlines()[-1]}", flush=True)
        seed += 1
        if options.inputs is not None:
            break
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""How well learned structures predict takes that they have not seen: python -m benchmarks.structure [KIND ...].

For every kind each of the four takes is left out once, both networks' settings and the structure are learned on the
other three, and the mean motion is propagated from its first two frames. Needs the folder that FRESHTAKE_DATA names.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from benchmarks.timing import table
from benchmarks.variation import TYPES, example_clips
from freshtake.variation import Settings
from freshtake.variation.network.held_out import held_out_error

JOINT, OWN = 1.05, 0.35


def structure(kinds: tuple[str, ...] = TYPES, settings: Settings | None = None) -> str:
    """Errors after time warping, as shares of a take's extent, beside those of other structures."""
    rows = []
    for kind in kinds:
        start = time.process_time()
        found = held_out_error(example_clips(kind), settings, rng=np.random.default_rng(0))
        seconds = time.process_time() - start
        rows.append(
            [
                kind,
                f"{found.learned.mean():.3f}",
                f"{found.joint.mean():.3f}",
                f"{found.own.mean():.3f}",
                _judged(found.against_joint, JOINT),
                _judged(found.against_own, OWN),
                f"{found.parents.min()}-{found.parents.max()}",
                f"{found.parents.mean():.1f}",
                f"{seconds / len(found.learned):.1f}",
            ]
        )
    title = f"Held-out error of the mean motion (targets: at most {JOINT} of whole poses', {OWN} of own parents')"
    heads = ["type", "learned", "whole poses", "own", "/ poses", "/ own", "parents", "mean", "CPU s"]
    return table(title, heads, rows)


def _judged(value: float, limit: float) -> str:
    return f"{value:.2f}{'' if value <= limit else ' !'}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.structure", description=__doc__)
    parser.add_argument("kinds", nargs="*", help=f"default: {' '.join(TYPES)}")
    for name, kind in (("method", str), ("regression", str), ("parents", str), ("order", int), ("rounds", int)):
        parser.add_argument(f"--{name}", type=kind, help="as the setting of this name")
    for name in ("thorough", "slice-edges", "no-propagate", "no-deltas"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--velocity-weight", type=float)
    given = vars(parser.parse_args())
    kinds = tuple(given.pop("kinds")) or TYPES
    propagate, deltas = not given.pop("no_propagate"), not given.pop("no_deltas")
    inside = given.pop("slice_edges") or None
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    print(structure(kinds, Settings(slice_edges=inside, propagate=propagate, deltas=deltas, **chosen)))


if __name__ == "__main__":
    main()

"""Does the network earn its place? python -m benchmarks.parents [KIND ...]

Log density per frame and DOF of further real takes under models with learned parents, with as many random ones, with
own ones only and with none; higher is better. Needs the folder that FRESHTAKE_DATA names.
"""

from __future__ import annotations

import argparse

import numpy as np
from tests.conftest import DATA

from benchmarks.quality import KINDS, takes
from freshtake.motion import Clip
from freshtake.variation import Settings, learn

DRAWS = 5


def score(inputs: list[Clip], further: list[Clip], parents: str, seed: int = 1) -> float:
    """The mean over further takes."""
    model = learn(inputs, Settings(parents=parents), rng=np.random.default_rng(seed))
    return float(np.mean([model.score(clip).normalized for clip in further]))


def run(kind: str) -> str:
    """One row of the table."""
    inputs, further = takes(kind, kind), takes(kind, "extra")
    drawn = np.mean([score(inputs, further, "random", seed) for seed in range(DRAWS)])
    found = [score(inputs, further, parents) for parents in ("learned", "own", "none")]
    return f"| {kind} | {found[0]:.3f} | {drawn:.3f} | {found[1]:.3f} | {found[2]:.3f} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.parents", description=__doc__)
    parser.add_argument("kinds", nargs="*", default=list(KINDS))
    given = parser.parse_args()
    if not DATA.is_dir():
        raise SystemExit("recorded motion is absent: set FRESHTAKE_DATA to its folder")
    print(f"| kind | learned | random, {DRAWS} draws | own | none |\n|---|---|---|---|---|")
    for kind in given.kinds:
        print(run(kind), flush=True)


if __name__ == "__main__":
    main()

"""What energy score can four takes reach at best? python -m benchmarks.energy_limit [SET ...] [-n 60].

Four of all recorded takes of a set are drawn repeatedly. The others are predicted by a normal distribution around the
mean of the four with the covariance of all takes, including those to be predicted, (1 + 1/4) times as large because the
mean of four is itself uncertain. The program prints the energy score of this prediction, divided by that of the four
takes: the average score of a model that knew how takes vary, but only four takes.
Needs the folder that FRESHTAKE_DATA names.
"""

from __future__ import annotations

import argparse

import numpy as np

import freshtake as ft
from benchmarks.realness import takes_of
from benchmarks.takes import sets_here
from freshtake.evaluation.comparable import unpacked
from freshtake.evaluation.realness import energy_score, manner
from freshtake.numeric.arrays import Floats

SETS = ("walk", "swim", "cheering", "jump", "walk07")  # sets of at least eight takes
KNOWN, DRAWN = 4, 40


def poses_of(name: str) -> Floats:
    """Return all takes of a set, (takes, moments x joints x 3), in the form for energy scores."""
    takes = takes_of(name)
    clips = [ft.read(path) for path in (*takes.inputs, *takes.further)]
    material = unpacked(clips, clips[:1], [])
    assert material.layout.joints is not None
    return np.stack([manner(material.layout.joints, track).poses.ravel() for track in material.inputs])


def best(poses: Floats, rounds: int, rng: np.random.Generator) -> float:
    """Return the mean score of the ideal model, divided by the score of the takes that it knows."""
    count, apart = len(poses), poses - poses.mean(axis=0)
    ideal, real = 0.0, 0.0
    for _ in range(rounds):
        order = rng.permutation(count)
        known, further = poses[order[:KNOWN]], poses[order[KNOWN:]]
        shares = rng.standard_normal((DRAWN, count)) / np.sqrt(count - 1.0)
        drawn = known.mean(axis=0) + np.sqrt(1.0 + 1.0 / KNOWN) * shares @ apart
        ideal += energy_score(drawn, further)
        real += energy_score(known, further)
    return ideal / real


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.energy_limit", description=__doc__)
    parser.add_argument("sets", nargs="*", default=list(SETS))
    parser.add_argument("-n", type=int, default=60)
    given = parser.parse_args()
    print("| set | takes | best energy score from four |\n|---|---|---|")
    for name in sets_here(given.sets):
        poses = poses_of(name)
        print(f"| {name} | {len(poses)} | {best(poses, given.n, np.random.default_rng(1)):.3f} |", flush=True)
    print(f"\nof a normal distribution: {np.sqrt(1.0 + 1.0 / KNOWN):.3f}")


if __name__ == "__main__":
    main()

"""Does the network of deviations earn its place? python -m benchmarks.ties [KIND ...]

Log density per DOF of how further real takes deviate from the mean of the training takes, under the learned edges, the
same edges between random DOFs, and none; higher is better. Needs the folder that FRESHTAKE_DATA names.
"""

from __future__ import annotations

import argparse

import numpy as np
from freshtake.variation.tables import deviations, phase_mean
from freshtake.variation.ties import correlations_from, likelihood, scaled, shuffled, spread_of
from scipy.ndimage import gaussian_filter1d
from tests.conftest import DATA

from benchmarks.quality import KINDS, takes
from freshtake.variation import VariationModel, learn
from freshtake.variation.alignment import read_at, warp_onto


def further(model: VariationModel, clips: list) -> np.ndarray:
    """Deviations of further takes at the model's phases, smooth part only, (takes, phases, DOFs)."""
    mean, weights = phase_mean(model.tables), model.material.weights
    found = []
    for clip in clips:
        rows = gaussian_filter1d(model.encode(clip), model.settings.detail / model.frame_time, axis=0, mode="nearest")
        places = warp_onto(mean * weights, rows * weights, 0.05 / model.frame_time)
        found.append(read_at(rows, places) - mean)
    return np.array(found)


def run(kind: str) -> str:
    model = learn(takes(kind, kind), rng=np.random.default_rng(1))
    free = ~model.material.held
    rows = scaled(further(model, takes(kind, "extra")), spread_of(deviations(model.tables)))[:, free]

    def score(precision: np.ndarray) -> float:
        return likelihood(rows, correlations_from(precision)[np.ix_(free, free)])

    random = [score(shuffled(model.precision, np.random.default_rng(seed))) for seed in range(5)]
    edges = int(model.tied.sum()) // 2
    cells = [
        kind,
        str(edges),
        f"{score(model.precision):.3f}",
        f"{np.mean(random):.3f}",
        f"{score(np.eye(len(free))):.3f}",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ties", description=__doc__)
    parser.add_argument("kinds", nargs="*", default=list(KINDS))
    given = parser.parse_args()
    if not DATA.is_dir():
        raise SystemExit("recorded motion is absent: set FRESHTAKE_DATA to its folder")
    print("| kind | edges | learned | random, 5 draws | none |\n|---|---|---|---|---|")
    for kind in given.kinds:
        print(run(kind), flush=True)


if __name__ == "__main__":
    main()

"""Does the network earn its place? python -m benchmarks.parents [KIND ...]

Further real takes under models with learned parents, with as many random ones, with own ones only and with none, two
log densities per DOF; higher is better. "together": how DOFs deviate from the mean within a frame, under the model's
correlations, sizes fitted to the takes. "given parents": model.score, every node at every frame given its parents.
Needs the folder that FRESHTAKE_DATA names.
"""

from __future__ import annotations

import argparse

import numpy as np
from tests.conftest import DATA

from benchmarks.quality import KINDS, takes
from freshtake.motion import Clip
from freshtake.variation import Settings, VariationModel, learn
from freshtake.variation.network.take_likelihood import deviations_of

DRAWS = 5
LEAST = 0.3  # of a DOF's mean size: how small it may get


def together(model: VariationModel, further: list[Clip]) -> float:
    """Log density per DOF, but for a constant, under the correlations times the scale that suits the takes best."""
    free = ~model.material.held
    sizes = np.maximum(model.sizes, LEAST * model.sizes.mean(axis=0) + 1e-12)[:, free]
    dofs = np.flatnonzero(free)
    parts = (model.courses, model.material, model.settings)
    apart = [deviations_of(*parts, model.encode(clip))[0][:, dofs] / sizes for clip in further]
    rows, covariance = np.concatenate(apart), model.deviating_together[np.ix_(dofs, dofs)]
    _, logarithm = np.linalg.slogdet(covariance)
    square = float((rows * np.linalg.solve(covariance, rows.T).T).mean())
    return -0.5 * (float(logarithm) / len(covariance) + float(np.log(square)))


def scores(inputs: list[Clip], further: list[Clip], parents: str, seed: int = 1) -> tuple[float, float]:
    """Both log densities, the mean over further takes."""
    model = learn(inputs, Settings(parents=parents), rng=np.random.default_rng(seed))
    return together(model, further), float(np.mean([model.score(clip).normalized for clip in further]))


def run(kind: str) -> str:
    """Two rows of the table."""
    inputs, further = takes(kind, kind), takes(kind, "extra")
    learned, own, none = (scores(inputs, further, parents) for parents in ("learned", "own", "none"))
    drawn = np.mean([scores(inputs, further, "random", seed) for seed in range(DRAWS)], axis=0)
    names = ("together", "given parents")
    return "\n".join(
        f"| {kind} | {name} | {learned[k]:.3f} | {drawn[k]:.3f} | {own[k]:.3f} | {none[k]:.3f} |"
        for k, name in enumerate(names)
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.parents", description=__doc__)
    parser.add_argument("kinds", nargs="*", default=list(KINDS))
    given = parser.parse_args()
    if not DATA.is_dir():
        raise SystemExit("recorded motion is absent: set FRESHTAKE_DATA to its folder")
    print(f"| kind | log density | learned | random, {DRAWS} draws | own | none |\n|---|---|---|---|---|---|")
    for kind in given.kinds:
        print(run(kind), flush=True)


if __name__ == "__main__":
    main()

"""Can variants be told from unseen takes? python -m benchmarks.two_sample [-n 15] [--seed 1] [--sets 100].

For sets of takes of many performers (population/) and the named sets, runs `freshtake learn` on four takes and
`freshtake vary`. A two-sample test (maximum mean discrepancy, permuted labels) compares variants with the unseen takes,
by poses and by velocities at evenly spread moments. For comparison, it is also applied to real takes split in halves,
random combinations of the four inputs, and draws with the covariance of all real takes around the inputs' mean, the
best that four takes allow. Sets with fewer than three unseen takes are left out. Constants were chosen on odd-numbered
performers; the results are for even-numbered performers.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import freshtake as ft
from benchmarks.realness import BENCHMARK, VALIDATION, Takes, takes_of
from benchmarks.takes import DATA
from benchmarks.timing import table
from freshtake.evaluation.comparable import Material, unpacked
from freshtake.evaluation.realness import energy_score, manner
from freshtake.numeric.arrays import Floats
from freshtake.requests import Learn, Vary
from freshtake.workflows import learn, vary

INPUTS, FURTHER = 4, 3
DRAWS, PERMUTATIONS, COMBINED = 12, 199, 30
LEVEL = 0.05
KINDS = ("variants", "combinations of inputs", "the best that four takes allow", "real takes in halves")


class Scored(NamedTuple):
    """One set: fraction of rejected tests and energy score by kind of clips, and the variants' bias and spread."""

    rejected: dict[str, tuple[float, float]]  # by poses, by velocities
    energy: dict[str, float]
    bias: float
    spread: float


def p_value(x: Floats, y: Floats, rng: np.random.Generator) -> float:
    """Return the probability of a discrepancy as large as that between two sets of rows, under permuted labels."""
    rows = np.concatenate([x, y])
    apart = np.linalg.norm(rows[:, None] - rows, axis=-1)
    width = np.median(apart[np.triu_indices(len(rows), 1)])
    alike = np.exp(-0.5 * (apart / width) ** 2)
    np.fill_diagonal(alike, 0.0)  # only pairs of different clips, so the estimate is unbiased
    own = np.arange(len(rows)) < len(x)
    labels = np.stack([own, *(rng.permutation(own) for _ in range(PERMUTATIONS))]).astype(float)
    n, m = len(x), len(y)

    def mean(a: Floats, b: Floats, count: int) -> Floats:
        return np.einsum("pi,ij,pj->p", a, alike, b) / count

    found = mean(labels, labels, n * (n - 1)) + mean(1 - labels, 1 - labels, m * (m - 1))
    found -= 2.0 * mean(labels, 1 - labels, n * m)
    return float((found >= found[0] - 1e-12).mean())


def rejected(real: Floats, drawn: Floats, rng: np.random.Generator) -> float:
    """Return the fraction of tests that distinguish an equal number of drawn clips from the real clips."""
    count = min(len(real), len(drawn))
    some = (drawn[rng.choice(len(drawn), count, replace=False)] for _ in range(DRAWS))
    return float(np.mean([p_value(real, rows, rng) <= LEVEL for rows in some]))


def halves(real: Floats, rng: np.random.Generator) -> float:
    """Return the fraction of tests that distinguish one half of the real takes from the other."""
    orders = (rng.permutation(len(real)) for _ in range(DRAWS))
    middle = len(real) // 2
    return float(np.mean([p_value(real[o[:middle]], real[o[middle:]], rng) <= LEVEL for o in orders]))


def score(material: Material, rng: np.random.Generator) -> Scored:
    """Measure one set."""
    joints = material.layout.joints
    assert joints is not None
    sets = (material.inputs, material.extra, material.variants)
    shares: dict[str, list[float]] = {kind: [] for kind in KINDS}
    energy, bias, spread = {}, 0.0, 0.0
    for view in ("poses", "velocities"):
        inputs, further, variants = (np.stack([manner(joints, t).poses for t in tracks]) for tracks in sets)
        if view == "velocities":
            inputs, further, variants = (np.diff(rows, axis=1) for rows in (inputs, further, variants))
        inputs, further, variants = (rows.reshape(len(rows), -1) for rows in (inputs, further, variants))
        real, mean = np.concatenate([inputs, further]), inputs.mean(axis=0)

        def combined(rows: Floats, size: float, mean: Floats = mean) -> Floats:
            weights = rng.standard_normal((COMBINED, len(rows))) / np.sqrt(len(rows) - 1)
            return np.asarray(mean + size * weights @ (rows - rows.mean(axis=0)))

        # The mean of four takes is itself uncertain by a quarter of their variance.
        drawn = dict(
            zip(KINDS, (variants, combined(inputs, np.sqrt(1 + 1 / INPUTS)), combined(real, 1.0)), strict=False)
        )
        for kind, rows in drawn.items():
            shares[kind].append(rejected(further, rows, rng))
        shares[KINDS[-1]].append(halves(real, rng))
        if view == "poses":
            others = [energy_score(np.delete(real, INPUTS + k, axis=0), further[[k]]) for k in range(len(further))]
            energy = {kind: energy_score(rows, further) / float(np.mean(others)) for kind, rows in drawn.items()}
            size = np.sqrt(real.var(axis=0, ddof=1).sum())
            bias = float(np.linalg.norm(variants.mean(axis=0) - mean) / size)
            spread = float(np.sqrt(variants.var(axis=0, ddof=1).sum()) / size)
    return Scored({kind: (found[0], found[1]) for kind, found in shares.items()}, energy, bias, spread)


def measured(takes: Takes, count: int, seed: int) -> Scored:
    """Learn from a set's four inputs, write variants and measure them."""
    with tempfile.TemporaryDirectory() as scratch:
        model, out = Path(scratch) / "model.ftm", Path(scratch) / "variants"
        learn(Learn(takes=takes.inputs, out=model))
        vary(Vary(model=model, out=out, count=count, seed=seed))
        clips = [[ft.read_clip(path) for path in paths] for paths in (takes.inputs, sorted(out.glob("*.bvh")))]
    further = [ft.read_clip(path) for path in takes.further]
    return score(unpacked(clips[0], clips[1], further), np.random.default_rng(seed))


def groups(most: int) -> dict[str, list[Takes]]:
    """Return sets with enough unseen takes: of even performers, of odd performers, and the named sets."""
    found: dict[str, list[Takes]] = {"even performers": [], "odd performers": []}
    for folder in sorted((DATA / "population").glob("[0-9]*")):
        paths = sorted(folder.glob("take_*.bvh"))
        group = found["odd performers" if int(folder.name[:3]) % 2 else "even performers"]
        if len(paths) >= INPUTS + FURTHER:
            group.append(Takes(paths[:INPUTS], paths[INPUTS:]))
    # Evenly spread over the performers, who are in order.
    found = {name: sets[:: -(-len(sets) // most)] for name, sets in found.items() if sets}
    named = [takes_of(name) for name in (*BENCHMARK, *VALIDATION) if any(DATA.glob(f"**/{name}"))]
    return found | {"named sets": [takes for takes in named if len(takes.further) >= FURTHER]}


def rows_of(name: str, sets: Sequence[Scored]) -> list[list[str]]:
    """Return one line per kind of clips: means over the sets."""
    lines = []
    for kind in KINDS:
        shares = np.mean([one.rejected[kind] for one in sets], axis=0)
        energy = f"{np.mean([one.energy[kind] for one in sets]):.3f}" if kind in sets[0].energy else "1"
        own = [f"{np.mean([one.bias for one in sets]):.2f}", f"{np.mean([one.spread for one in sets]):.2f}"]
        cells = own if kind == "variants" else ["–", "–"]
        lines.append([f"{name} ({len(sets)})", kind, energy, f"{shares[0]:.2f}", f"{shares[1]:.2f}", *cells])
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.two_sample", description=__doc__)
    parser.add_argument("-n", type=int, default=15)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sets", type=int, default=100, help="maximum number of sets per group of performers")
    given = parser.parse_args()
    rows = []
    for name, sets in groups(given.sets).items():
        rows += rows_of(name, [measured(takes, given.n, given.seed + k) for k, takes in enumerate(sets)])
    head = ["sets", "clips", "energy", "rejected by pose", "by velocity", "bias, sd", "spread"]
    goal = "targets: energy 1.18, rejected .36 and .40, bias .22"
    print(table(f"{given.n} variants of four takes against further takes ({goal})", head, rows))


if __name__ == "__main__":
    main()

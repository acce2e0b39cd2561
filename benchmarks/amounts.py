"""How diversity follows the amount: python -m benchmarks.amounts [KIND ...] [--seeds 5].

Nine amounts, several seeds of eight variants each: diversity against the inputs', jerk, planted feet and range, and
the rank correlation of amount and diversity. Needs the folder that FRESHTAKE_DATA names.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.stats import spearmanr

from benchmarks.quality import takes
from benchmarks.takes import KINDS, sets_here
from freshtake.evaluation import evaluate
from freshtake.variation import Amount, learn

AMOUNTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0)
COUNT = 8


def run(kind: str, seeds: int) -> None:
    inputs, extra = takes(kind, kind), takes(kind, "extra")
    model = learn(inputs, rng=np.random.default_rng(1))
    found = np.zeros((len(AMOUNTS), seeds))
    print(f"\n### {kind}\n\n| amount | diversity | jerk, hands and feet | planted-foot speed | range overshoot |")
    print("|---|---|---|---|---|")
    for row, amount in enumerate(AMOUNTS):
        others = []
        for seed in range(seeds):
            made = [model.sample(np.random.default_rng([seed, k]), amount=Amount(amount)) for k in range(COUNT)]
            result = evaluate(inputs, made, extra, rng=np.random.default_rng(seed))
            found[row, seed] = result.value("diversity")
            feet = result.value("planted_speed") if any(f.key == "planted_speed" for f in result.figures) else np.nan
            others.append([result.value("jerk_limbs"), feet, result.value("overshoot")])
        jerk, feet, over = np.mean(others, axis=0)
        print(f"| {amount:g} | {found[row].mean():.3f} | {jerk:.2f} | {feet:.1f} | {over:.4f} |", flush=True)
    ranks = spearmanr(np.repeat(AMOUNTS, seeds), found.ravel()).statistic
    natural = np.array(AMOUNTS) <= 1.5
    mean = found.mean(axis=1)
    slope = (np.array(AMOUNTS)[natural] @ mean[natural]) / (np.array(AMOUNTS)[natural] ** 2).sum()
    off = np.abs(mean[natural] - slope * np.array(AMOUNTS)[natural]).max() / (slope * 1.5)
    print(f"\nrank correlation {ranks:.3f}; farthest from proportional up to 1.5: {100 * off:.0f} % of the largest")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.amounts", description=__doc__)
    parser.add_argument("kinds", nargs="*", default=list(KINDS))
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    for kind in sets_here(given.kinds):
        run(kind, given.seeds)


if __name__ == "__main__":
    main()

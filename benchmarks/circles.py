"""Figure 7's experiment over many draws: python -m benchmarks.circles [-n 40] [--method paper].

The strokes are circles with known equations. A model learns from four of fifteen true strokes, and makes fifteen
variants. Their radius, start angle and speed are compared with the law of the true strokes. For comparison, there are
convex combinations of the same four inputs, and fifteen other true strokes, which are the best possible result.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.timing import table
from freshtake.motion import Stroke
from freshtake.samples import circle, fit_circle
from freshtake.samples.shapes import CircleLaw, Normal
from freshtake.variation import learn, paper

INPUTS, OUTPUTS = 4, 15
LAW = CircleLaw()
QUANTITIES = {"radius": LAW.radius, "start angle": LAW.start_angle, "speed": LAW.speed}


class Draw(NamedTuple):
    """One run: four inputs, and three sets of fifteen."""

    inputs: list[Stroke]
    variants: list[Stroke]
    combinations: list[Stroke]
    true: list[Stroke]


def draw(seed: int, method: str) -> Draw:
    """Draw fifteen true strokes, learn from four of them, and return all sets."""
    truth = [circle(np.random.default_rng([seed, k])) for k in range(OUTPUTS)]
    inputs = truth[:INPUTS]
    rng = np.random.default_rng(seed)
    model = paper.learn(inputs, rng=rng) if method == "paper" else learn(inputs, rng=rng)
    variants = [model.sample(np.random.default_rng([seed, 100 + k])) for k in range(OUTPUTS)]
    rng = np.random.default_rng([seed, 999])
    combined = [combination(inputs, rng.dirichlet(np.ones(INPUTS))) for _ in range(OUTPUTS)]
    return Draw(inputs, variants, combined, [circle(np.random.default_rng([seed, 500 + k])) for k in range(OUTPUTS)])


def combination(inputs: Sequence[Stroke], weights: np.ndarray) -> Stroke:
    """Return points and durations averaged at equal fractions of the path, which for circles are equal phases."""
    count = round(float(weights @ [len(stroke) for stroke in inputs]))
    share = np.linspace(0.0, 1.0, count)
    points = np.zeros((count, 2))
    for stroke, weight in zip(inputs, weights, strict=True):
        places = np.linspace(0.0, 1.0, len(stroke))
        points += weight * np.stack([np.interp(share, places, column) for column in stroke.points.T], axis=1)
    return Stroke(points, np.arange(count) * inputs[0].frame_time)


def measured(strokes: Sequence[Stroke]) -> np.ndarray:
    """Return radius, start angle and speed of each stroke (strokes, 3)."""
    return np.array([fit_circle(stroke) for stroke in strokes])


def statistic(values: np.ndarray, law: Normal) -> float:
    """Return the Kolmogorov-Smirnov distance of the values from the law: 0 for equal, 1 for disjoint."""
    from scipy.stats import kstest

    return float(kstest(values, "norm", args=(law.mean, law.spread)).statistic)


def circles(draws: int = 40, method: str = "default") -> str:
    """Return the table: mean, spread within fifteen strokes and KS distance, averaged over the draws."""
    runs = [draw(seed, method) for seed in range(draws)]
    rows = []
    for column, (name, law) in enumerate(QUANTITIES.items()):
        rows.append([name, "the law", f"{law.mean:.2f}", f"{law.spread:.3f}", ""])
        for what in ("true", "inputs", "variants", "combinations"):
            values = [measured(getattr(run, what))[:, column] for run in runs]
            mean = np.mean([v.mean() for v in values])
            spread = np.sqrt(np.mean([v.var(ddof=1) for v in values]))
            apart = np.array([statistic(v, law) for v in values])
            error = apart.std(ddof=1) / np.sqrt(len(apart))
            label = {"true": "15 further true", "inputs": "4 inputs", "variants": "15 variants"}.get(what, "15 convex")
            rows.append([name, label, f"{mean:.2f}", f"{spread:.3f}", f"{apart.mean():.2f} ± {error:.2f}"])
    head = ["quantity", "strokes", "mean", "spread", "KS distance from the law"]
    return table(f"Circles of figure 7, {draws} draws, method {method}", head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.circles", description=__doc__)
    parser.add_argument("-n", type=int, default=40)
    parser.add_argument("--method", choices=("default", "paper"), default="default")
    given = parser.parse_args()
    print(circles(given.n, given.method))


if __name__ == "__main__":
    main()

"""Cost of a synthesized row against the number of instances: python -m benchmarks.instances [--picture FILE.png].

A structure learned from four examples of 67 rows and 60 DOFs is given 4 to 1,500 examples; rows are counted through
`model.stream`. One motion draws on at most twelve examples and reads them near the current phase only.
"""

from __future__ import annotations

import argparse
import itertools
import time
from pathlib import Path

import numpy as np

from benchmarks.timing import table
from freshtake.variation import learn

COUNTS = (4, 12, 40, 150, 500, 1500)
FRAMES, ROWS, DOFS = 4000, 67, 60


def examples(count: int, seed: int = 0) -> list[np.ndarray]:
    """Cycles of one smooth movement that differ in size, phase and offset."""
    rng = np.random.default_rng(seed)
    lags, sizes = rng.uniform(0, 6, DOFS), rng.uniform(0.2, 1.0, DOFS)
    u = np.linspace(0, 1, ROWS)[:, None]
    made = []
    for _ in range(count):
        own = sizes * (1 + 0.1 * rng.normal(size=DOFS))
        made.append(own * np.sin(2 * np.pi * u + lags + 0.1 * rng.normal(size=DOFS)) + 0.05 * rng.normal(size=DOFS))
    return made


def instances() -> tuple[str, list[tuple[int, float]]]:
    """The table, and its points (instances, microseconds per row)."""
    many = examples(COUNTS[-1])
    base = learn(many[:4], rng=np.random.default_rng(0), frame_time=1 / 60, cyclic=True)
    rows, points = [], []
    for count in COUNTS:
        model = base.with_examples(many[:count])
        list(itertools.islice(model.stream(np.random.default_rng(1)), 100))
        spent = []
        for _ in range(3):
            begun = time.process_time()
            list(itertools.islice(model.stream(np.random.default_rng(1)), FRAMES))
            spent.append((time.process_time() - begun) / FRAMES)
        points.append((count * ROWS, 1e6 * min(spent)))
        rows.append([f"{count}", f"{count * ROWS:,}", f"{points[-1][1]:.1f}", f"{1 / min(spent):,.0f}"])
    heads = ["examples", "instances", "CPU µs per row", "rows/s"]
    return table("Synthesis against the number of instances", heads, rows), points


def picture(path: Path, points: list[tuple[int, float]]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.5), layout="constrained")
    axes = figure.subplots()
    axes.loglog(*zip(*points, strict=True), "o-", label="measured")
    first = points[0]
    axes.loglog([p[0] for p in points], [first[1] * p[0] / first[0] for p in points], ":", label="linear")
    axes.set(xlabel="instances", ylabel="CPU µs per row")
    axes.legend()
    figure.savefig(path, dpi=90)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.instances", description=__doc__)
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    text, points = instances()
    print(text)
    if given.picture is not None:
        picture(given.picture, points)


if __name__ == "__main__":
    main()

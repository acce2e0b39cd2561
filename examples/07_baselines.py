"""Noise, combinations and replays versus variants: their cost in feet, smoothness and coordination (Lau 2009, §8).

Run: python examples/07_baselines.py OUTDIR
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import freshtake as ft
from freshtake.evaluation import baselines, evaluate
from freshtake.reports.evaluation_page import page

FIGURES = ("jerk_limbs", "planted_speed", "coordination", "copied", "outside_span")


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    takes = [ft.samples.walk(np.random.default_rng([7, take]), cycles=1) for take in range(5)]
    inputs, extra = takes[:4], takes[4:]
    model = ft.variation.learn(inputs, rng=np.random.default_rng(7))
    variants = [model.sample(np.random.default_rng([42, k]), name=f"variant_{k}") for k in range(1, 6)]

    # Noise on the left arm alone, in an amount that changes a take as much as the variants differ.
    basis = baselines.basis_of(inputs, joints=["LeftArm", "LeftForeArm"])
    target = baselines.changes(basis, variants)
    noisy = baselines.make(basis, "perlin", np.random.default_rng(3), amount=1.0, name="perlin_arm")
    changed = f"change {noisy.change:.2g}; that of the variants {target.mean:.2g} ± {target.spread:.2g}"
    print(f"{changed}; within one deviation: {target.holds(noisy.change)}")
    ft.write(folder / "perlin_arm.bvh", noisy.motion)

    sets = baselines.baseline_sets(inputs, variants, rng=np.random.default_rng(5))
    result = evaluate(inputs, variants, extra, rng=np.random.default_rng(1), baselines=sets)
    print("".join(f"{name:>16}" for name in ("", "variants", *sets)))
    for key in FIGURES:
        values = [result.value(key), *(column.value(key) for column in result.baselines)]
        print(f"{key:>16}" + "".join(f"{value:16.2f}" for value in values))
    (folder / "report.html").write_text(page(result, [], "Baselines next to variants"))
    print(f"written to {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/baselines"))

"""Circles with known equations: the learned networks, and the distance of variants from the truth (Lau 2009, figure 7).

Run: python examples/05_figure_7_circles.py OUTDIR
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import freshtake as ft
from freshtake.reports.plots import pictures


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    truth = [ft.samples.circle(np.random.default_rng(take)) for take in range(15)]
    inputs = truth[:4]
    model = ft.variation.paper.learn(inputs, rng=np.random.default_rng(7))  # the paper's two networks
    variants = [model.sample(np.random.default_rng([42, k]), name=f"variant_{k + 1:03d}") for k in range(15)]

    for dof in model.dofs:
        print(f"{dof}[0] depends on {', '.join(model.prior.parents(f'{dof}[0]')) or 'nothing'}; "
              f"{dof}[1] on {', '.join(model.prior.parents(f'{dof}[1]')) or 'nothing'}")  # fmt: skip
        print(f"{dof}[t+2] depends on {', '.join(model.transition.parents(dof))}")

    names = ("radius", "start angle", "speed")
    for name, column in zip(names, range(3), strict=True):
        for what, strokes in (("15 true", truth), ("4 inputs", inputs), ("15 variants", variants)):
            values = np.array([ft.samples.fit_circle(stroke)[column] for stroke in strokes])
            print(f"{name:>12} of {what:<12} {values.mean():6.3f} ± {values.std(ddof=1):.3f}")

    for stroke in variants:
        ft.write(folder / f"{stroke.name}.csv", stroke)
    for picture in pictures(inputs, variants, truth[4:]):
        (folder / f"{picture.name}.png").write_bytes(picture.png)
    print(f"written to {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/circles"))

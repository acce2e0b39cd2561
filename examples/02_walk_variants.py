"""Four takes of a walk cycle in; a model, new walk cycles and a report out.

Run: python examples/02_walk_variants.py OUTDIR [CLIP.bvh ...]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import freshtake as ft


def main(folder: Path, paths: list[Path]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if paths:
        walks = [ft.read(path, unit_m=0.01) for path in paths]
    else:
        walks = [ft.samples.walk(np.random.default_rng(take), cycles=1) for take in range(4)]

    # Offline: slow, once.
    model = ft.variation.learn(walks, rng=np.random.default_rng(7))
    ft.save(folder / "walk.ftm", model)

    # Online: fast, also in another process.
    model = ft.load(folder / "walk.ftm")
    variants = [model.sample(np.random.default_rng([42, k]), name=f"variant_{k:03d}") for k in range(1, 9)]
    for clip in variants:
        ft.write(folder / f"{clip.name}.bvh", clip)
    ft.write(folder / "variants.glb", variants)

    result = ft.evaluation.evaluate(walks, variants, rng=np.random.default_rng(0))
    for figure in result.figures:
        if figure.kind.main:
            print(f"{figure.kind.title}: {figure.value:.3g}")
    print(f"written to {folder}")


if __name__ == "__main__":
    out, *clips = [Path(argument) for argument in sys.argv[1:]] or [Path("out/walk_variants")]
    main(out, clips)

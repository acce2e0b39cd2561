"""Variants of a single clip that varies as other takes of the same kind of movement do (Lau 2009, §8).

Run: python examples/04_one_clip.py OUTDIR
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import freshtake as ft


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    punches = [ft.samples.punch(np.random.default_rng(take), strength="aggressive") for take in range(4)]
    model = ft.variation.learn(punches, rng=np.random.default_rng(7))

    single = ft.samples.punch(np.random.default_rng(99), strength="aggressive")
    from_one = model.with_examples([single])
    print(f"{model}\n{from_one}")

    ft.write(folder / "single.bvh", single)
    for number in range(1, 9):
        clip = from_one.sample(np.random.default_rng([42, number]), name=f"variant_{number:03d}")
        ft.write(folder / f"{clip.name}.bvh", clip)
        print(f"{clip.name}: {len(clip)} frames; the input has {len(single)}")
    ft.save(folder / "single.ftm", from_one)
    print(f"written to {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/one_clip"))

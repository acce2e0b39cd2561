"""Four handwritten letters in, fifteen new ones out.

Run: python examples/01_handwritten_a.py OUTDIR
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import freshtake as ft


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    letters = [ft.samples.letter_a(np.random.default_rng(take)) for take in range(4)]
    for number, letter in enumerate(letters, start=1):
        ft.write(folder / f"input_{number}.csv", letter)

    model = ft.variation.learn(letters)
    print(model)
    print(f"  {100 * model.deviations.share.mean():.0f} % of the letters' variation are combinations of whole letters")

    rng = np.random.default_rng(42)
    new = [model.sample(rng, name=f"variant_{number:03d}") for number in range(1, 16)]
    for letter in new:
        ft.write(folder / f"{letter.name}.csv", letter)
    ft.write(folder / "mean.csv", model.sample(rng, amount=0.0, name="mean"))

    durations = [letter.duration for letter in new]
    print(f"inputs last {', '.join(f'{letter.duration:.3f}' for letter in letters)} s")
    print(f"variants last {min(durations):.3f} to {max(durations):.3f} s; written to {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/handwritten_a"))

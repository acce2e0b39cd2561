"""A walk that never ends and never repeats itself, frame by frame, as a game would request it.

Run: python examples/03_endless_walk.py OUTDIR
"""

from __future__ import annotations

import itertools
import sys
import time
from pathlib import Path

import numpy as np

import freshtake as ft


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    walks = [ft.samples.walk(np.random.default_rng(take), cycles=1) for take in range(4)]
    model = ft.variation.learn(walks, rng=np.random.default_rng(7), cyclic=True)

    # Poses, one by one, each placed where the previous pose ended.
    place = np.zeros(3)
    for frame, pose in enumerate(itertools.islice(model.stream(np.random.default_rng(1), decode=True), 120)):
        place = pose.root[0]
        if frame % 30 == 0:
            print(f"frame {frame:3d}: the hips are at {np.array2string(place, precision=1)}")

    # Numbers only: one row of DOFs per frame, without decoding these to poses.
    rows = model.stream(np.random.default_rng(1))
    next(rows)
    start = time.perf_counter()
    count = sum(1 for _ in itertools.islice(rows, 20_000))
    print(f"{count / (time.perf_counter() - start):,.0f} frames per second")

    # Twenty seconds as one clip.
    frames = model.rows(np.random.default_rng(1), frames=1200)
    ft.write(folder / "endless_walk.bvh", model.decode(frames, name="endless_walk"))
    print(f"written to {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/endless_walk"))

"""A walk that turns into a run and back, by weights that change with every frame.

Run: python examples/11_blend.py OUTDIR
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import numpy as np

import freshtake as ft


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    walks = [ft.samples.walk(np.random.default_rng(1), cycles=6, fps=30.0)]
    runs = [ft.samples.run(np.random.default_rng(2), cycles=8, fps=30.0)]
    model = ft.density.learn({"walk": walks, "run": runs})
    print(f"{model!r}; joints are {max(model.errors):.1f} cm off in the eigenspace alone")
    ft.save(folder / "gait.ftm", model)

    # Weights as text: linear from the first frame to the last.
    rng = np.random.default_rng(7)
    change = model.sample(rng, frames=240, weights="walk:1->run:1->walk:1", name="there_and_back")
    ft.write(folder / "there_and_back.bvh", change)

    # In between: half a walk and half a run is a jog.
    ft.write(folder / "jog.bvh", model.sample(rng, frames=120, weights={"walk": 0.5, "run": 0.5}, name="jog"))

    # Frame by frame with the current weights, as a game requests it.
    def weights(frame: int) -> dict[str, float]:
        run = min(max((frame - 60) / 60, 0.0), 1.0)
        return {"walk": 1.0 - run, "run": run}

    poses = model.stream(np.random.default_rng(3), weights=weights, decode=True)
    before = np.zeros(3)
    for frame, pose in enumerate(itertools.islice(poses, 181)):
        speed = 30.0 * np.linalg.norm(pose.root[0] - before) / 100.0
        before = pose.root[0]
        if frame and frame % 30 == 0:
            print(f"frame {frame:3d}: run {weights(frame)['run']:.2f}, {speed:.1f} m/s")
    print(f"written to {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/blend"))

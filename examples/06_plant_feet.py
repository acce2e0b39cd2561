"""A walk with sliding feet in; the same walk with planted feet and a pinned hand out, as a clip and as a stream.

Run: python examples/06_plant_feet.py OUTDIR
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import freshtake as ft
from freshtake.motion.pins import Pin
from freshtake.motion.planting import Planter, learn_planting, plant


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    walk = ft.samples.walk(np.random.default_rng(0), cycles=3)
    sway = 0.03 * walk.positions()[0, :, 1].max() * np.sin(np.arange(len(walk)) / 8.0)
    sliding = walk.changed(root=walk.root + sway[:, None] * np.array([1.0, 0.0, 0.6]), name="sliding")

    # Learn once, from clips with good contacts; then plant any number of clips.
    planting_model = learn_planting([walk])
    hand = next(name for name in walk.skeleton.names if "Hand" in name)
    place = sliding.positions()[40, walk.skeleton.index(hand)] + 0.02 * walk.positions()[0, :, 1].max()
    made = plant(sliding, pins=[Pin(hand, 40, place)], examples=planting_model)
    ft.write(folder / "sliding.bvh", sliding)
    ft.write(folder / "planted.bvh", made.clip.changed(name="planted"))
    print(f"{len(made.report.contacts)} contacts missed by {made.report.residual:.2g} at most")
    print(f"the pin of {hand} missed by {made.report.pins[0].residual:.2g}")

    # The same frame by frame, a constant number of frames late.
    planter = Planter.learn(planting_model)
    contacts = planting_model.contacts(sliding)
    state, frames = planter.start(), 0
    for root, rotations, flags in zip(sliding.root, sliding.rotations, contacts, strict=True):
        state, out = planter.feed(state, root, rotations, flags)
        frames += len(out.root)
    frames += len(planter.finish(state).root)
    print(f"streamed {frames} frames, each {planter.latency} frames late; written to {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out/plant_feet"))

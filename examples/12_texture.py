"""One animation that plays forever: a flag as a mesh, a walk as a loop, and a walk that is steered.

Run: python examples/12_texture.py OUTDIR
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import freshtake as ft


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(7)

    # A flag: compressed to ten modes, then played endlessly.
    flag = ft.samples.flag(rng, frames=900)
    cloth = ft.texture.learn(flag, ft.texture.Settings(bits=16))
    ft.save(folder / "flag.ftm", cloth)
    size = (folder / "flag.ftm").stat().st_size
    print(f"{flag.vertices.nbytes:,} bytes of vertices in a model of {size:,}")
    ft.write(folder / "flag.npz", cloth.sample(rng, frames=600, name="flag"))

    # A walk of twelve cycles: a loop of exactly 200 frames.
    walk = ft.texture.learn(ft.samples.walk(rng, cycles=12))
    ft.write(folder / "loop.bvh", walk.loop(rng, frames=200, times=2, name="loop"))

    # Three cells, and steering.
    cells = {
        "forward": ft.samples.walk(rng, cycles=6),
        "left": ft.samples.walk(rng, cycles=6, turn_rate=25.0),
        "right": ft.samples.walk(rng, cycles=6, turn_rate=-25.0),
    }
    model = ft.texture.learn(cells)
    state, rows = model.start(rng, cell="forward"), []
    for wanted in ("left", "forward", "right", "forward"):
        state, some = model.advance(state, rng, 120)
        rows.append(some)
        state = model.steer(state, wanted)
        print(f"from {model.cell_of(state)} to {wanted} in {len(state.plan) * model.frame_time:.2f} s")
    state, some = model.advance(state, rng, 120)
    ft.write(folder / "steered.bvh", model.decode(np.concatenate([*rows, some]), name="steered"))
    print(f"written to {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/texture"))

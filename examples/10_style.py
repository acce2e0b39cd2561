"""A walk with a limp, learned from four pairs and applied to other walks, also frame by frame (Hsu 2005).

Run: python examples/10_style.py OUTDIR
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import freshtake as ft


def walk(seed: int, style: str = "normal", turn_rate: float = 0.0) -> ft.Clip:
    return ft.samples.walk(np.random.default_rng(seed), cycles=4, style=style, turn_rate=turn_rate)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    limp = ft.style.learn([(walk(k), walk(100 + k, "limp")) for k in range(4)])
    print(limp)
    ft.save(folder / "limp.ftm", limp)

    for name, clip in {"straight": walk(50), "turning": walk(51, turn_rate=25.0)}.items():
        made = limp.translate(clip)
        ft.write(folder / f"{name}.bvh", clip)
        ft.write(folder / f"{name}_limping.bvh", made)
        print(f"{name}: {len(clip)} frames became {len(made)}")

    # Live: one frame in, 0, 1 or more out; the state is a value that can be kept, copied and resumed.
    state, frames = limp.start(), 0
    for row in limp.encode(walk(52)).values:
        state, rows = limp.advance(state, row)
        frames += len(rows)
    print(f"streamed {frames} frames")

    # Half limping, half crouched.
    crouch = ft.style.learn([(walk(k), walk(200 + k, "crouch")) for k in range(4)])
    ft.write(folder / "limping_and_crouched.bvh", ft.style.blend([limp, crouch], walk(50), [0.5, 0.5]))
    print(f"written to {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/style"))

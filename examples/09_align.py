"""Two styles of a walk aligned frame by frame; then style and speed as two sliders.

Run: python examples/09_align.py OUTDIR [NORMAL.bvh OTHER_STYLE.bvh]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import freshtake as ft
from freshtake.reports.alignment_figure import picture


def main(folder: Path, paths: list[Path]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if paths:
        normal, other = (ft.read(path) for path in paths)
    else:
        normal, other = (walk(1.3, style) for style in ("normal", "crouch"))

    # Which frames correspond.
    found = ft.style.align(normal, other)
    print(found)
    print(f"frames {found.first} of the first and {found.second} of the second; energy", *np.round(found.energy, 1))
    ft.write(folder / "in_step.bvh", ft.style.warp(other, found))
    names = ("normal", "other style")
    picture(normal, other, ft.style.WarpSettings(), against="dtw-1", names=names).savefig(folder / "warp.png")
    if paths:
        return

    # Style × speed from six walks: any mixture between them, and somewhat beyond.
    walks = {(style, speed): walk(speed, style) for style in ("normal", "crouch") for speed in (0.9, 1.3, 1.7)}
    gaits = ft.style.bilinear.fit(walks, reference=("normal", 1.3))
    for style, speed in (
        ({"normal": 0.5, "crouch": 0.5}, 1.1),
        ({"normal": 1.3, "crouch": -0.3}, 1.5),
        ("crouch", 2.0),
    ):
        made = gaits.synthesize(style, speed, cycles=4)
        travelled = np.linalg.norm(made.root[-1] - made.root[0]) / 100.0 / ((len(made) - 1) * made.frame_time)
        print(f"{style} at {speed} m/s: {len(made)} frames, travels at {travelled:.2f} m/s")
        ft.write(folder / f"gait_{speed:.1f}.bvh", made)
    print(f"written to {folder}")


def walk(speed: float, style: str) -> ft.Clip:
    return ft.samples.walk(np.random.default_rng(3), cycles=3, speed=speed, style=style, amount=0.3)


if __name__ == "__main__":
    out, *clips = [Path(argument) for argument in sys.argv[1:]] or [Path("out/align")]
    main(out, clips)

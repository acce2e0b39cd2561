"""Four takes and fifteen variants as a moving picture, a strip and a page: the pictures of the README.

Run: python examples/15_moving_picture.py OUTDIR
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import freshtake as ft
from freshtake.reports.viewport.moving_picture import save_gif
from freshtake.reports.viewport.painting import strip_picture
from freshtake.reports.viewport.staging import scene_of
from freshtake.reports.viewport.viewport_page import viewport_page


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    takes = [ft.samples.cheer(np.random.default_rng(take)) for take in range(4)]
    model = ft.variation.learn(takes, rng=np.random.default_rng(7))
    variants = [model.sample(np.random.default_rng([42, k]), plant=True, name=f"variant_{k}") for k in range(1, 16)]
    takes = [take.changed(name=f"take_{k}") for k, take in enumerate(takes, start=1)]
    scene = scene_of([("input", takes), ("variant", variants)], title="four takes, fifteen variants", layout="grid")
    save_gif(scene, folder / "variants.gif", lambda share: None, size=(800, 380))
    strip_picture(scene_of([("input", takes[:2]), ("variant", variants[:4])])).save(folder / "strip.png")
    (folder / "page.html").write_text(viewport_page(scene), encoding="utf-8")
    print(f"written to {folder}")


if __name__ == "__main__":
    main(Path((sys.argv[1:] or ["out/moving_picture"])[0]))

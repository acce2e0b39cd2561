"""Small model files of the released version, and what they draw: python -m tests.formats.ftm.corpus FOLDER writes them.

Files of a released version are never rewritten: later versions have to read them unchanged. Until 0.2.0 is
released, its folder is rewritten when the models' output changes on purpose.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import freshtake as ft
from freshtake.numeric.arrays import Floats
from freshtake.style.bilinear import fit as fit_gaits
from tests.style.warping.known_warps import walk_clip
from tests.texture.made import sheet

FOLDERS = tuple(sorted(Path(__file__).parent.glob("version_*")))


def rng(seed: int = 0) -> np.random.Generator:
    """Return a generator."""
    return np.random.default_rng(seed)


def walks(count: int, cycles: int = 1, style: str = "normal") -> list[ft.Clip]:
    """Return sample walks."""
    return [ft.samples.walk(rng(k), cycles=cycles, style=style) for k in range(count)]


def gaits() -> Any:
    """Return a model of two styles at two speeds."""
    return fit_gaits(
        {(s, v): walk_clip(1, speed=v, style=s, amount=0.3) for s in ("normal", "crouch") for v in (0.9, 1.7)}
    )


LEARN: dict[str, Callable[[], Any]] = {
    "variation": lambda: ft.variation.learn(walks(2), rng=rng(), cyclic=True),
    "one_take": lambda: ft.variation.learn(walks(1), rng=rng(), cyclic=False),
    "strokes": lambda: ft.variation.learn([ft.samples.letter_a(rng(k)) for k in range(3)], rng=rng()),
    "paper": lambda: ft.variation.paper.learn(
        [ft.samples.circle(rng(k)) for k in range(3)],
        ft.variation.paper.Settings(neighbors=10, velocity_weight=0.3, restarts=0),
        rng=rng(),
    ),
    "style": lambda: ft.style.learn(list(zip(walks(1, 3), walks(1, 3, "limp"), strict=True))),
    "gaits": gaits,
    "density": lambda: ft.density.learn({"walk": walks(1, 3), "run": [ft.samples.run(rng(), cycles=3)]}),
    "texture": lambda: ft.texture.learn(walks(1, 4)[0]),
    "mesh": lambda: ft.texture.learn(sheet(60), ft.texture.Settings(components=2, parts=2, bits=8, candidates=2)),
}


def draw(model: Any) -> Any:
    """Return a motion that a model of any method draws from seed 1, with planted feet if it has feet."""
    if isinstance(model, ft.variation.VariationModel):
        return model.sample(rng(1), plant=True)
    if isinstance(model, ft.variation.paper.PaperModel):
        return model.sample(rng(1))
    if isinstance(model, ft.style.StyleModel):
        return model.translate(ft.samples.walk(rng(9), cycles=2))
    if isinstance(model, ft.density.DensityModel):
        return model.sample(rng(1), frames=60, weights={"walk": 0.5, "run": 0.5})
    if isinstance(model, ft.texture.TextureModel):
        return model.sample(rng(1), frames=60)
    return model.synthesize("crouch", 1.3)


def numbers(motion: Any) -> dict[str, Floats]:
    """Return what a motion consists of."""
    fields = ("root", "rotations", "points", "vertices")
    return {name: np.asarray(getattr(motion, name), dtype=np.float64) for name in fields if hasattr(motion, name)}


def main(folder: Path) -> None:
    """Write every model, and next to it its output."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, learn in LEARN.items():
        ft.save(folder / f"{name}.ftm", learn())
        drawn = numbers(draw(ft.load(folder / f"{name}.ftm")))
        np.savez_compressed(folder / f"{name}.npz", **{key: x.astype(np.float32) for key, x in drawn.items()})  # type: ignore[arg-type]


if __name__ == "__main__":
    main(Path(sys.argv[1]))

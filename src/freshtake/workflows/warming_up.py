"""All methods on small samples, so that their compiled functions are cached before they are needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from freshtake import samples
from freshtake.errors import UsageError
from freshtake.methods.progress import Progress, Report, silent
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.workflows.compiling import STEPS

if TYPE_CHECKING:
    from freshtake.variation.model import VariationModel


@one_blas_thread()
def warm_up(report: Report = silent, steps: Sequence[str] | None = None) -> None:
    """Learn and make a little with each method, or with those named; what compiles on the way is cached on disk."""
    chosen = list(STEPS) if steps is None else steps
    for number, name in enumerate(chosen):
        if name not in STEPS:
            raise UsageError(f"there is no step {name!r}; choose from {', '.join(STEPS)}")
        report(Progress(number / len(chosen), f"compiling for {name}"))
        WORK[name]()


def _rng() -> np.random.Generator:
    return np.random.default_rng(0)


def _learning() -> VariationModel:
    from freshtake.motion.cycles.occurrences import find_occurrences
    from freshtake.motion.edit import take_frames
    from freshtake.variation.learning import learn

    walk = samples.walk(_rng(), cycles=4)
    find_occurrences(walk, take_frames(walk, 0, len(walk) // 4))
    return learn([samples.walk(np.random.default_rng(k), cycles=1) for k in range(4)], rng=_rng())


def _planting() -> None:
    from freshtake.motion.planting import plant

    plant(samples.walk(_rng(), cycles=1))


def _variants() -> None:
    from freshtake.workflows.variation_varying import guided_variants

    model = _learning()
    for loop in (False, True):
        for _ in guided_variants(model, 1, plant="soft", loop=loop):
            pass
    model.made(_rng(), frames=60)


def _textures() -> None:
    from freshtake.texture.learning import learn

    model = learn(samples.walk(_rng(), cycles=6), rng=_rng())
    model.sample(_rng(), frames=60)
    model.loop(_rng(), frames=60)


def _styles() -> None:
    from freshtake.formats.ftm import save
    from freshtake.formats.ftm.loading_by_kind import load_style
    from freshtake.style.learning import learn

    walks, limps = (
        [samples.walk(np.random.default_rng(k), cycles=3, style=style) for k in range(2)]
        for style in ("normal", "limp")
    )
    model = learn(list(zip(walks, limps, strict=True)))
    with TemporaryDirectory() as folder:  # arrays of a model that was read cannot be written: other types to numba
        save(Path(folder) / "style.ftm", model)
        read = load_style(Path(folder) / "style.ftm")
    for one in (model, read):
        one.translate(walks[0])


def _blends() -> None:
    from freshtake.density.learning import learn

    gaits = {"walk": [samples.walk(_rng(), cycles=3)], "run": [samples.run(_rng(), cycles=3)]}
    learn(gaits).sample(_rng(), frames=60)


def _retargeting() -> None:
    from freshtake.motion.retarget import Retargeter, make_rig
    from freshtake.samples.humanoid import TALL

    walk, tall = samples.walk(_rng(), cycles=1), samples.walk(_rng(), cycles=1, build=TALL)
    Retargeter(make_rig(walk), make_rig(tall)).retarget(walk)


WORK: dict[str, Callable[[], object]] = {
    "learning": _learning,
    "planting": _planting,
    "variants": _variants,
    "styles": _styles,
    "blends": _blends,
    "textures": _textures,
    "clips on other skeletons": _retargeting,
}

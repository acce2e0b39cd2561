"""Takes to a model, a model to variants or to an endless motion: files in, files out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import FormatError, UsageError
from freshtake.formats.files import replacing_folder
from freshtake.formats.ftm import Stored, check_model_target, read_stored, save
from freshtake.formats.options import Motion
from freshtake.formats.registry import for_writing, read, write
from freshtake.motion import Clip, MeshSequence, PointClip, Stroke
from freshtake.motion.check import NOTE, check_set
from freshtake.motion.progress import Progress, Report, silent
from freshtake.variation.model import VariationModel
from freshtake.variation.settings import Settings

ENDINGS = {Clip: ".bvh", Stroke: ".csv", PointClip: ".csv", MeshSequence: ".npz"}
MOST_VARIANTS = 99_999
MOST_FRAMES = 10_000_000


def learn(
    sources: Sequence[Path],
    target: Path,
    settings: Settings | None = None,
    *,
    cyclic: bool | None = None,
    seed: int = 0,
    structure: Path | None = None,
    reading: dict[str, Any] | None = None,
    report: Report = silent,
    warn: Callable[[str], None] | None = None,
) -> VariationModel:
    """Read takes, learn a model and write it.

    With `structure`, nothing is learned: another model's structure gets these takes as its examples; one is enough.
    """
    from freshtake.variation.learning import learn as learn_from

    check_model_target(target)
    motions = [read(path, **(reading or {})) for path in sources]
    for finding in check_set(motions):
        if finding.severity != NOTE:
            raise UsageError(finding.sentence)
        if warn is not None:
            warn(finding.sentence)
    if structure is not None:
        model: VariationModel = read_stored(structure).model.with_examples(motions)
    else:
        model = learn_from(motions, settings, rng=generator(seed), cyclic=cyclic, report=report)
    save(target, model, sources=[path.name for path in sources])
    return model


def variants(
    model: VariationModel, count: int, *, amount: float = 1.0, cycles: int | None = None, seed: int = 0
) -> Iterator[Motion]:
    """Variants named variant_001, ...; each has a generator of its own, so it does not depend on how many there are."""
    if not 1 <= count <= MOST_VARIANTS:
        raise UsageError(f"the number of variants must lie between 1 and {MOST_VARIANTS}, but is {count}")
    if cycles is not None and not model.cyclic:
        raise UsageError("the model is of a motion that ends by itself: leave cycles out")
    if cycles is not None and not 1 <= cycles <= 100_000:
        raise UsageError(f"the number of cycles must lie between 1 and 100000, but is {cycles}")
    model.controls(amount)
    for number in range(1, count + 1):
        name = f"variant_{number:03d}"
        made = model.sample(generator(seed, number), amount=amount, cycles=cycles or 1, name=name)
        yield _motion(model, made, name)


def vary(
    source: Path,
    folder: Path,
    count: int,
    *,
    amount: float = 1.0,
    cycles: int | None = None,
    ending: str | None = None,
    seed: int = 0,
    report: Report = silent,
) -> list[Path]:
    """Write variants of a model into a folder that appears whole, in the format of the takes it was learned from."""
    stored = read_stored(source)
    suffix = _ending(stored, ending)
    written: list[Path] = []
    made = variants(stored.model, count, amount=amount, cycles=cycles, seed=seed)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with replacing_folder(folder) as temporary:
        for motion in made:
            report(Progress(len(written) / count, motion.name))
            name = f"{motion.name}{suffix}"
            _write(temporary / name, motion)
            written.append(folder / name)
    return written


class Streamed(NamedTuple):
    """What was written."""

    path: Path
    motion: Motion


def stream(source: Path, target: Path, frames: int, *, amount: float = 1.0, seed: int = 0) -> Streamed:
    """Write exactly this many frames of a cyclic model's endless motion."""
    for_writing(target)
    if not 1 <= frames <= MOST_FRAMES:
        raise UsageError(f"the number of frames must lie between 1 and {MOST_FRAMES}, but is {frames}")
    model = read_stored(source).model
    if not model.cyclic:
        raise UsageError(f"{source} is a model of a motion that ends by itself: use freshtake vary")
    rows = model.rows(generator(seed), amount=amount, frames=frames)
    motion = _motion(model, model.decode(rows, name=target.stem), target.stem)
    _write(target, motion)
    return Streamed(target, motion)


def generator(*seed: int) -> np.random.Generator:
    """A generator from whole numbers that are not negative."""
    if min(seed) < 0:
        raise UsageError(f"the seed must be 0 or more, but is {min(seed)}")
    return np.random.default_rng(list(seed))


def _motion(model: VariationModel, made: Any, name: str) -> Motion:
    """What a model makes; plain rows become a stroke, whose dimensions are the DOFs."""
    if isinstance(made, np.ndarray):
        return Stroke(made, np.arange(len(made), dtype=np.float64) * model.frame_time, model.dofs, name)
    motion: Motion = made
    return motion


def _ending(stored: Stored, asked: str | None) -> str:
    """The ending of variants: as asked, else that of the first example, else the usual one of its kind."""
    if asked is not None:
        suffix = f".{asked.lstrip('.')}"
        for_writing(Path(f"variant{suffix}"))
        return suffix
    recipe = stored.model.material.recipe
    usual = ENDINGS[Stroke if recipe is None else recipe.motion_type]
    suffix = Path(stored.sources[0]).suffix.lower() if stored.sources else ""
    if suffix == ".amc":  # holds a joint's own degrees of freedom only, which rotation vectors leave
        return usual
    try:
        for_writing(Path(f"variant{suffix}"))
    except FormatError:
        return usual
    return suffix or usual


def _write(path: Path, motion: Motion) -> None:
    write(path, motion, unit_m=None if isinstance(motion, Stroke) else motion.unit_m)

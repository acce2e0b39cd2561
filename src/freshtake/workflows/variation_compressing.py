"""Many takes to the few from which the others can be made again, and back: files in, files out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from freshtake.errors import FormatError, UsageError
from freshtake.formats.files import read_bytes, replacing_folder, write_bytes
from freshtake.formats.ftm import check_model_target, read_stored, save
from freshtake.formats.rebuild_files import Dropped, read_rebuilds, write_rebuilds
from freshtake.formats.registry import for_writing, write
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip
from freshtake.motion.body.roles import leg_length
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.variation.compression.compressing import Compressed, compress_takes, end_drift, restored, start_of
from freshtake.variation.compression.plain_compression import nearest_error, pca_within
from freshtake.variation.model import VariationModel
from freshtake.workflows.seeds import generator
from freshtake.workflows.takes_reading import read_takes
from freshtake.workflows.variation_varying import ENDINGS

MODEL, DROPPED, FACTS = "model.ftm", "dropped.npz", "compression.json"
BOUND = re.compile(r"\s*([0-9.eE+-]+)\s*(%|cm)?\s*")


class Packed(NamedTuple):
    """Files that were written, and all figures."""

    written: list[Path]
    facts: dict[str, Any]


@one_blas_thread()
def variation_compress(
    sources: Sequence[Path],
    target: Path,
    error: str,
    *,
    seed: int = 0,
    reading: dict[str, Any] | None = None,
    report: Report = silent,
    warn: Callable[[str], None] | None = None,
) -> Packed:
    """Keep the few takes from which the others can be rebuilt within `error`: "2", "2%" of the leg, or "1.5cm".

    A target that ends in .ftm gets the model of the kept takes. Any other is a folder: the kept takes as they are,
    their model, and the numbers of the dropped ones, from which `restore` makes them again.
    """
    from freshtake.variation.learning import learn

    whole = target.suffix.lower() != ".ftm"
    if not whole:
        check_model_target(target)
    if len({path.name for path in sources}) < len(sources):
        raise UsageError("two of the takes have the same file name: rename one of them")
    takes = read_takes(sources, reading)
    bound = bound_of(error, takes)
    compressed = compress_takes(takes, bound, report=lambda at: report(Progress(0.4 * at.share, at.what)))
    if warn is not None and len(compressed.kept) == len(takes):
        warn("no take can be rebuilt from the others within this error: all are kept")
    facts = _facts(sources, takes, compressed, bound)
    examples = [takes[k] for k in compressed.kept]
    later = lambda at: report(Progress(0.4 + 0.6 * at.share, at.what))  # noqa: E731
    model = learn(examples, None, rng=generator(seed), report=later)
    names = [sources[k].name for k in compressed.kept]
    if not whole:
        save(target, model, sources=names)
        return Packed([target], facts)
    with replacing_folder(target) as folder:
        (folder / "kept").mkdir()
        for k in compressed.kept:
            write_bytes(folder / "kept" / sources[k].name, read_bytes(sources[k]))
        save(folder / MODEL, model, sources=names)
        dropped = {
            sources[k].name: Dropped(one, start_of(compressed.material, takes[k]))
            for k, one in compressed.rebuilds.items()
        }
        write_rebuilds(folder / DROPPED, dropped)
        write_bytes(folder / FACTS, json.dumps(facts, indent=2, ensure_ascii=False).encode())
    kept_files = [target / "kept" / name for name in names]
    return Packed([*kept_files, target / MODEL, target / DROPPED, target / FACTS], facts)


def bound_of(text: str, takes: Sequence[Any]) -> float:
    """An error as a share of the leg (of strokes: of their extent); "2" and "2%" are two hundredths of it."""
    match = BOUND.fullmatch(text)
    try:
        value = float(match.group(1)) if match else float("nan")
    except ValueError:
        value = float("nan")
    if not (match and 0.0 < value < float("inf")):
        raise UsageError(f"the error is a number above 0 such as 2, 2% or 1.5cm, not {text!r}")
    if match.group(2) != "cm":
        return value / 100.0
    first = takes[0]
    if not isinstance(first, Clip) or first.unit_m is None:
        raise UsageError(
            "an error in cm needs clips whose unit of length is known: give it with --unit, or give percent"
        )
    return value / 100.0 / (leg_length(first.skeleton) * first.unit_m)


def _facts(sources: Sequence[Path], takes: Sequence[Any], compressed: Compressed, bound: float) -> dict[str, Any]:
    """For the report: errors in percent, sizes as shares of all takes as they are."""
    dropped = []
    for k, one in compressed.rebuilds.items():
        start = start_of(compressed.material, takes[k])
        drift = end_drift(takes[k], restored(compressed.material, one, start))
        dropped.append(
            {
                "take": str(sources[k]), "error": 100.0 * compressed.errors[k],
                "size": one.numbers / (len(takes[k]) * len(compressed.material.names)),
                "knots": one.level, "ends_off": None if drift is None else 100.0 * drift,
                "nearest_kept": 100.0 * nearest_error(takes, compressed.kept, k),
            }
        )  # fmt: skip
    plain = pca_within(takes, bound)
    return {
        "bound": 100.0 * bound,
        "kept": [str(sources[k]) for k in compressed.kept],
        "dropped": dropped,
        "size": compressed.numbers / compressed.plain,
        "pca": {"modes": plain.modes, "error": 100.0 * plain.worst, "size": plain.numbers / compressed.plain},
    }


@one_blas_thread()
def variation_restore(folder: Path, target: Path, *, ending: str | None = None, report: Report = silent) -> list[Path]:
    """Write the dropped takes of a folder that `compress` wrote, each under its own name."""
    stored = read_stored(folder / MODEL)
    model = stored.model
    if not isinstance(model, VariationModel) or model.material.recipe is None:
        raise FormatError(folder / MODEL, "this was not written by freshtake compress")
    dropped = read_rebuilds(folder / DROPPED, len(model.material.values), len(model.dofs))
    usual = ENDINGS[model.material.recipe.motion_type]
    written = []
    with replacing_folder(target) as temporary:
        for number, (name, one) in enumerate(dropped.items()):
            report(Progress(number / len(dropped), name))
            path = Path(Path(name).name).with_suffix(_suffix(Path(name), usual, ending))
            motion = restored(model.material, one.numbers, one.start, path.stem)
            write(temporary / path, motion)
            written.append(target / path)
    return written


def _suffix(name: Path, usual: str, ending: str | None) -> str:
    if ending:
        suffix = f".{ending.lstrip('.')}"
        for_writing(Path(f"take{suffix}"))
        return suffix
    try:
        for_writing(Path(f"take{name.suffix}"))
    except FormatError:
        return usual
    return usual if name.suffix.lower() in ("", ".amc") else name.suffix

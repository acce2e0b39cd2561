"""Takes to baselines: noise, combinations and replays, as files (Lau 2009, §8, §10)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from freshtake.errors import FormatError, UsageError
from freshtake.evaluation.baselines import BaselineMotion, Basis, Changes, NoiseSettings, basis_of, changes, make
from freshtake.evaluation.baselines.making import check_kind, match
from freshtake.formats.files import read_head, replacing_folder
from freshtake.formats.ftm import looks_like_model
from freshtake.formats.read_options import Motion
from freshtake.formats.registry import for_writing, write
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip, Stroke
from freshtake.motion.cycles.joining import BLEND, join
from freshtake.motion.kind_words import kind_word
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.workflows.model_kinds import model_of
from freshtake.workflows.output_naming import is_one_file
from freshtake.workflows.seeds import generator
from freshtake.workflows.takes_reading import read_takes
from freshtake.workflows.variation_varying import MOST_VARIANTS, variants

MATCHED_TO = 15  # variants of a model, as in the paper
REPLAYED = 15  # clips of a cycle animation, as in the paper
MOST_CLIPS = 10_000


class NoiseResult(NamedTuple):
    """What was written, the amount of noise, what it was matched to, and the share within one standard deviation."""

    written: list[Path]
    amount: float | None
    target: Changes | None
    within: float | None
    change: float


class NoiseOptions(NamedTuple):
    """Which baseline, of what strength, and how many clips are joined in each file."""

    kind: str = "strawman"
    joints: Sequence[str] = ()
    amount: float | None = None
    matched: Sequence[Path] = ()
    clips: int | None = None
    blend: float = BLEND
    settings: NoiseSettings | None = None
    seed: int = 0


NOISE_OPTIONS = NoiseOptions()


@one_blas_thread()
def motion_noise(
    sources: Sequence[Path],
    folder: Path,
    count: int = 15,
    *,
    options: NoiseOptions = NOISE_OPTIONS,
    ending: str | None = None,
    reading: dict[str, Any] | None = None,
    report: Report = silent,
) -> NoiseResult:
    """Write baselines KIND_001, ... of takes into a folder that appears whole.

    `matched` names a model or variants: noise then changes takes as much as those are changed. `clips` are joined in
    each file (default: 1; of replay, 15).
    """
    check_kind(options.kind)
    each = (REPLAYED if options.kind == "replay" else 1) if options.clips is None else options.clips
    _check(options.kind, count, each, options.amount, options.matched)
    motions = read_takes(sources, reading)
    suffix = _ending(sources, motions, ending)
    single = is_one_file(folder, count, ending, "files")
    basis = basis_of(motions, options.joints)
    target, used = None, options.amount
    if options.matched:
        report(Progress(0.0, "matching the amount"))
        target = changes(basis, _matched_to(options.matched, options.seed, reading))
        used = match(basis, options.kind, target, generator(options.seed, 0), options.settings).amount
    written, all_parts = [], []
    with nullcontext(folder.parent) if single else replacing_folder(folder) as temporary:
        for number in range(1, count + 1):
            name = f"{options.kind}_{number:03d}"
            report(Progress((number - 1) / count, name))
            parts = _parts(basis, options.kind, used, options.settings, (options.seed, number), each, name)
            motion = _joined([part.motion for part in parts], options.blend, name)
            file = folder.name if single else f"{name}{suffix}"
            write(temporary / file, motion, unit_m=(reading or {}).get("unit_m"))
            written.append(folder if single else folder / file)
            all_parts += parts
    within = None if target is None else sum(target.holds(one.change) for one in all_parts) / len(all_parts)
    return NoiseResult(written, used, target, within, sum(one.change for one in all_parts) / len(all_parts))


def _check(kind: str, count: int, clips: int, amount: float | None, matched: Sequence[Path]) -> None:
    if not 1 <= count <= MOST_VARIANTS:
        raise UsageError(f"the number of files must lie between 1 and {MOST_VARIANTS}, but is {count}")
    if not 1 <= clips <= MOST_CLIPS:
        raise UsageError(f"the number of clips in a file must lie between 1 and {MOST_CLIPS}, but is {clips}")
    if amount is not None and matched:
        raise UsageError("--amount and --match exclude each other: give one of them")
    if kind == "replay" and (amount is not None or matched):
        raise UsageError("replay plays the inputs as they are: leave the amount out")


def _matched_to(paths: Sequence[Path], seed: int, reading: dict[str, Any] | None) -> list[Motion]:
    """The variants in files, or fifteen of a model."""
    if not looks_like_model(read_head(paths[0])):
        return read_takes(paths, reading)
    if len(paths) > 1:
        raise UsageError(f"{paths[0]} is a model: match to it alone, or to variants")
    return list(variants(model_of(paths[0], "variation"), MATCHED_TO, seed=seed))


def _parts(
    basis: Basis, kind: str, amount: float | None, settings: NoiseSettings | None, seed: tuple[int, int], count: int,
    name: str,
) -> list[BaselineMotion]:  # fmt: skip
    """One generator per file, so that a file does not depend on how many others there are."""
    rng = generator(*seed)
    return [make(basis, kind, rng, amount=amount, settings=settings, name=name) for _ in range(count)]


def _joined(motions: Sequence[Any], blend: float, name: str) -> Any:
    if len(motions) == 1:
        return motions[0]
    if not isinstance(motions[0], Clip):
        raise UsageError(f"a {kind_word(motions[0])} cannot be joined to another: leave clips at 1")
    return join(motions, blend=blend).changed(name=name)


def _ending(sources: Sequence[Path], motions: Sequence[Motion], ending: str | None) -> str:
    """The given ending, else that of the first take, else the usual one of its kind."""
    usual = ".csv" if isinstance(motions[0], Stroke) else ".bvh" if isinstance(motions[0], Clip) else ".npz"
    suffix = f".{ending.lstrip('.')}" if ending else sources[0].suffix.lower()
    if not ending and suffix == ".amc":  # holds a joint's own degrees of freedom only, which rotation vectors leave
        return usual
    try:
        for_writing(Path(f"baseline{suffix}"))
    except FormatError:
        if ending:
            raise
        return usual
    return suffix or usual

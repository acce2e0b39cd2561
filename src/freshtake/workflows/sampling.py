"""Takes to begin with: made by freshtake or downloaded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from freshtake import samples
from freshtake.errors import UsageError
from freshtake.formats.read_options import Motion
from freshtake.formats.registry import write
from freshtake.methods.progress import Progress, Report, silent
from freshtake.requests.samples import SamplesDownload, SamplesWrite
from freshtake.samples import download


class SampleSet(NamedTuple):
    """A kind of sample: how one take of it is made, and the ending of its files."""

    name: str
    about: str
    make: Callable[[np.random.Generator], Motion]
    ending: str = ".bvh"


SAMPLE_SETS = (
    SampleSet("walk", "one cycle of walking at 1.3 m/s", lambda rng: samples.walk(rng, cycles=1)),
    SampleSet("walk_long", "twelve cycles of walking", lambda rng: samples.walk(rng, cycles=12)),
    SampleSet("walk_turn", "walking in a circle", lambda rng: samples.walk(rng, cycles=6, turn_rate=25.0)),
    SampleSet("limp", "walking with a limp", lambda rng: samples.walk(rng, cycles=4, style="limp")),
    SampleSet("crouch", "walking crouched", lambda rng: samples.walk(rng, cycles=4, style="crouch")),
    SampleSet("proud", "walking proudly", lambda rng: samples.walk(rng, cycles=4, style="proud")),
    SampleSet("run", "running", lambda rng: samples.run(rng, cycles=4)),
    SampleSet("skip", "skipping", lambda rng: samples.skip(rng, cycles=4)),
    SampleSet("cheer", "arms thrown up and down again", samples.cheer),
    SampleSet("jump", "a jump forward", samples.jump),
    SampleSet("punch", "an aggressive punch", lambda rng: samples.punch(rng, strength="aggressive")),
    SampleSet("jab", "a weak punch", lambda rng: samples.punch(rng, strength="weak")),
    SampleSet("kick", "an aggressive front kick", samples.kick),
    SampleSet("fight", "punches and kicks, one after the other", samples.fight),
    SampleSet("letter_a", "the handwritten letter a", samples.letter_a, ".csv"),
    SampleSet("digit_2", "the handwritten digit 2", samples.digit_2, ".csv"),
    SampleSet("circle", "circular strokes with known equations (Lau 2009, fig. 7)", samples.circle, ".csv"),
    SampleSet("flag", "a flag in the wind, as a mesh sequence", lambda rng: samples.flag(rng, frames=240), ".npz"),
)


def samples_write(
    request: SamplesWrite, report: Report = silent, warn: Callable[[str], None] | None = None
) -> list[Path]:
    """Write takes of each named set (default: all) as NAME_1, NAME_2, ... into a folder.

    Args:
        request: The sets, and how many takes of each.
        report: Called with the progress.
        warn: Called with sentences for the user.

    Returns:
        The files, in the order of sets and numbers.
    """
    known = {sample.name: sample for sample in SAMPLE_SETS}
    names, folder, takes = request.names or [], request.out, request.takes
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"there is no sample set {unknown[0]!r}; the sets are {', '.join(known)}")
    chosen = [known[name] for name in names] or list(SAMPLE_SETS)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number, sample in enumerate(chosen):
        for take in range(1, takes + 1):
            report(Progress((number + (take - 1) / takes) / len(chosen), f"{sample.name} {take}"))
            written.append(folder / f"{sample.name}_{take}{sample.ending}")
            write(written[-1], sample.make(generator(request.seed, sample.name, take)))
    return written


def generator(seed: int, name: str, take: int) -> np.random.Generator:
    """A generator of its own for every take, so that one take does not depend on how many others there are."""
    return np.random.default_rng([seed, take, *name.encode()])


def samples_download(
    request: SamplesDownload, report: Report = silent, warn: Callable[[str], None] | None = None
) -> tuple[list[Path], str]:
    """Fetch public takes into a folder.

    Args:
        request: The takes.
        report: Called with the progress.
        warn: Called with sentences for the user.

    Returns:
        The files, and the credit that their owners ask for.
    """
    return download.download(request.names or [], request.out, report=report), download.CREDIT

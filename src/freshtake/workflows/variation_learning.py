"""Takes to a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from freshtake.errors import UsageError
from freshtake.formats.ftm import check_model_target, save
from freshtake.methods.gathering import fitted, heading_note
from freshtake.methods.progress import Report, silent
from freshtake.motion import Clip
from freshtake.motion.check import NOTE, check_set
from freshtake.motion.check.angle_checks import check_shaking
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.variation.model import VariationModel
from freshtake.variation.settings import Settings
from freshtake.workflows.model_kinds import model_of
from freshtake.workflows.seeds import generator
from freshtake.workflows.takes_reading import read_takes


@one_blas_thread()
def variation_learn(
    sources: Sequence[Path],
    target: Path,
    settings: Settings | None = None,
    *,
    cyclic: bool | None = None,
    pieces: str = "auto",
    keep: bool = False,
    seed: int = 0,
    structure: Path | None = None,
    reading: dict[str, Any] | None = None,
    report: Report = silent,
    warn: Callable[[str], None] | None = None,
) -> VariationModel:
    """Read takes, learn a model and write it.

    Takes of several cycles are cut and unlike ones set aside, unless `pieces` and `keep` say otherwise (see
    `variation.selection.ingest`).

    With `structure`, nothing is learned: another model's structure gets these takes as its examples; one is enough.
    """
    from freshtake.variation.learning import learn as learn_from
    from freshtake.variation.selection.ingest import ingest

    check_model_target(target)
    motions = read_takes(sources, reading)
    turned = heading_note(motions)
    if turned is not None and warn is not None:
        warn(turned)
    for finding in check_set(motions):
        if finding.severity != NOTE:
            raise UsageError(finding.sentence)
        if warn is not None:
            warn(finding.sentence)
    for motion in motions if warn is not None else ():
        for finding in check_shaking(motion) if isinstance(motion, Clip) else ():
            assert warn is not None
            warn(finding.sentence)
    if structure is not None:
        old: VariationModel = model_of(structure, "variation")
        model = old.with_examples([fitted(motion, old.material.recipe) for motion in motions])
    else:
        taken = ingest(motions, pieces=pieces, keep=keep, cyclic=cyclic)
        for sentence in taken.sentences if warn is not None else ():
            assert warn is not None
            warn(sentence)
        model = learn_from(taken.examples, settings, rng=generator(seed), cyclic=taken.cyclic, report=report)
        sources = [sources[number] for number in taken.takes]
    save(target, model, sources=[path.name for path in sources])
    return model

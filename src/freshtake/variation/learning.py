"""Learn a VariationModel from examples, offline (Lau 2009, §5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip
from freshtake.motion.cycles.cycles import is_cyclic
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.variation.deviations import Settings, prior_sizes
from freshtake.variation.examples import FEWEST, Material, check_examples, material_of, rounded
from freshtake.variation.model import VariationModel, labeled
from freshtake.variation.network import Likelihood
from freshtake.variation.phase import common_phase, takes_on_phase


@one_blas_thread()
def learn(
    examples: Sequence[Any],
    settings: Settings | None = None,
    *,
    rng: np.random.Generator | None = None,
    report: Report | None = None,
    names: Sequence[str] | None = None,
    frame_time: float | None = None,
    cyclic: bool | None = None,
) -> VariationModel:
    """Learn how takes of one movement differ, usually from about four; one is enough.

    Args:
        examples: Clips, strokes, point clips, or plain arrays (frames, DOFs) with `names` and `frame_time`.
        settings: How to learn.
        rng: Not used: learning draws nothing. Accepted because all four methods learn by the same call.
        report: Receives `Progress`; an exception that it raises ends the learning.
        names: The DOFs of plain arrays.
        frame_time: Seconds from row to row of plain arrays.
        cyclic: Whether the motion repeats; detected from clips unless given.

    Returns:
        The model.
    """
    say = report or silent
    say(Progress(0.0, "reading the examples"))
    material = material_of(examples, names, frame_time)
    check_examples(examples, material, FEWEST)
    repeats = cyclic if cyclic is not None else isinstance(examples[0], Clip) and is_cyclic(list(examples))
    say(Progress(0.2, "aligning the examples"))
    model = labeled(model_of(material, settings or Settings(), repeats))
    say(Progress(1.0, "done"))
    return model


def model_of(material: Material, settings: Settings, cyclic: bool) -> VariationModel:
    """Return the model of examples that are already rows of DOFs."""
    phase_frames = rounded(common_phase(material.values, material.weights, material.frame_time))
    sizes = prior_sizes(material, takes_on_phase(material, phase_frames))
    return VariationModel(material, settings, cyclic, phase_frames, sizes)


@one_blas_thread()
def examples_by_others(model: VariationModel) -> list[Likelihood]:
    """Return how likely every example is under a model of the others.

    Args:
        model: The model.

    Returns:
        Log densities (frames, DOFs) of each example, in their order.
    """
    if len(model.material.values) < 2:
        raise UsageError("a single example cannot be left out: there is no other one")
    values, starts, out = model.material.values, model.material.starts, []
    for k, rows in enumerate(values):
        others = replace(model.material, values=values[:k] + values[k + 1 :], starts=starts[:k] + starts[k + 1 :])
        out.append(model_of(others, model.settings, model.cyclic).score_rows(rows))
    return out

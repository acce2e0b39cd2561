"""Examples to a VariationModel, offline (Lau 2009, §5)."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.cycles import is_cyclic
from freshtake.motion.progress import Progress, Report, silent
from freshtake.numeric.arrays import Floats
from freshtake.variation.instances import prior_instances, transition_instances
from freshtake.variation.material import Material, material_of, rounded
from freshtake.variation.model import VariationModel
from freshtake.variation.settings import Settings
from freshtake.variation.structure import Mapper, choose_rule, learn_prior, learn_transition, transition_data
from freshtake.variation.tables import deviations
from freshtake.variation.ties import edge_correlations


def learn(
    examples: Sequence[Any],
    settings: Settings | None = None,
    *,
    rng: np.random.Generator,
    report: Report | None = None,
    names: Sequence[str] | None = None,
    frame_time: float | None = None,
    cyclic: bool | None = None,
    map: Mapper | None = None,
) -> VariationModel:
    """Learn a Dynamic Bayesian Network from a few examples of one movement (usually four).

    Examples are clips, strokes, point clips, or plain arrays (frames, DOFs) with `names` and `frame_time`. `cyclic`
    is told from clips unless given. `report` receives `Progress`; an exception that it raises ends the learning.
    `map` runs independent searches; the default uses all cores, and the result does not depend on it.
    """
    chosen, say = settings or Settings(), report or silent
    say(Progress(0.0, "reading the examples"))
    material = material_of(examples, names, frame_time)
    _check_examples(material, chosen)
    goes_round = cyclic if cyclic is not None else isinstance(examples[0], Clip) and is_cyclic(list(examples))
    data = transition_data(transition_instances(material.values, chosen.order), material.weights)
    with ThreadPoolExecutor() as pool:
        mapper: Mapper = map or pool.map
        say(Progress(0.05, "choosing neighbours and widths"))
        rule = choose_rule(data, chosen)
        transition = learn_transition(material.names, data, rule, chosen, say, mapper)
        pairs = prior_instances(material.values, chosen.prior_pairs, delta=True)
        prior, prior_rule = learn_prior(material.names, pairs, material.weights, chosen, rng, say, mapper)
    count = len(material.names)
    model = VariationModel(
        material, chosen, goes_round, prior, transition, rule, prior_rule, np.zeros((count, count)), np.zeros(count)
    )
    say(Progress(0.97, "tying nodes by their edges"))
    apart = deviations(model.tables)
    spread: Floats = np.sqrt((apart * apart).sum(axis=0).mean(axis=0) / (len(apart) - 1))
    ties = edge_correlations(transition.parent_dofs(), apart)
    model = replace(model, correlations=rounded(ties), spread=rounded(spread))  # as a model file keeps them
    say(Progress(1.0, "done"))
    return model


def _check_examples(material: Material, settings: Settings) -> None:
    values = material.values
    if len(values) < 2:
        raise UsageError(
            "one example alone cannot teach a structure: give at least two, or use with_examples of a learned model"
        )
    for a, x in enumerate(values):
        for b in range(a):
            if x.shape == values[b].shape and np.array_equal(x, values[b]):
                raise UsageError(f"examples {b + 1} and {a + 1} are identical: leave one of them out")
    short = [k for k, x in enumerate(values) if len(x) < settings.order + 2]
    if short:
        frames = len(values[short[0]])
        raise UsageError(f"example {short[0] + 1} has {frames} frames: at least {settings.order + 2} are needed")

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
from freshtake.variation.balance import balanced, share_outside
from freshtake.variation.instances import prior_instances, representative, transition_instances
from freshtake.variation.joint_scores import Mapper
from freshtake.variation.material import Material, material_of, rounded
from freshtake.variation.model import VariationModel
from freshtake.variation.prior_structure import learn_prior
from freshtake.variation.rules import choose_rule
from freshtake.variation.settings import Settings
from freshtake.variation.structure import learn_transition, transition_data
from freshtake.variation.tables import deviations, spread_between
from freshtake.variation.ties import learn_ties, shuffled


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
    _check_examples(examples, material, chosen)
    goes_round = cyclic if cyclic is not None else isinstance(examples[0], Clip) and is_cyclic(list(examples))
    searched = [material.values[k] for k in representative(material.values)]
    data = transition_data(transition_instances(searched, chosen.order), material.weights)
    with ThreadPoolExecutor() as pool:
        mapper: Mapper = map or pool.map
        say(Progress(0.05, "choosing neighbours and widths"))
        rule = choose_rule(data, chosen, mapper)
        transition = learn_transition(material.names, data, rule, chosen, rng, say, mapper)
        pairs = prior_instances(searched, chosen.prior_pairs, delta=not chosen.literal)
        prior, prior_rule = learn_prior(material.names, pairs, material.weights, chosen, rng, say, mapper)
    count = len(material.names)
    model = VariationModel(
        material, chosen, goes_round, prior, transition, rule, prior_rule, np.eye(count), np.zeros(count)
    )
    say(Progress(0.97, "tying nodes by their edges"))
    apart = deviations(model.tables)
    spread = spread_between(model.tables)
    ties = _ties(apart, material, chosen, rng)
    weighted = (apart * material.weights)[:, :, ~material.rates]
    model = replace(
        model, settings=balanced(chosen, share_outside(weighted[representative(material.values)])),
        precision=rounded(ties), spread=rounded(spread),  # as a model file keeps them
    )  # fmt: skip
    say(Progress(1.0, "done"))
    return model


def _ties(apart: Floats, material: Material, settings: Settings, rng: np.random.Generator) -> Floats:
    """Which DOFs deviate together, or, for comparison, random ones or none."""
    if settings.parents == "own":
        return np.eye(apart.shape[2])
    found = learn_ties(apart, ~material.held)
    return shuffled(found, rng) if settings.parents == "random" else found


def _check_examples(examples: Sequence[Any], material: Material, settings: Settings) -> None:
    values = material.values
    called = [_called(example, k) for k, example in enumerate(examples)]
    if len(values) < 2:
        raise UsageError(
            "one example alone cannot teach a structure: give at least two, or take over the structure of a learned "
            "model (--structure, with_examples)"
        )
    if not material.names:
        raise UsageError("nothing moves in these examples: there is nothing to learn")
    for a, x in enumerate(values):
        if len(x) < settings.order + 2:
            raise UsageError(f"{called[a]} has {len(x)} frames: at least {settings.order + 2} are needed")
        if (x == x[0]).all():
            raise UsageError(f"{called[a]} never moves: leave it out")
        for b in range(a):
            if x.shape == values[b].shape and np.array_equal(x, values[b]):
                raise UsageError(f"examples {b + 1} and {a + 1} are identical: leave one of them out")


def _called(example: Any, number: int) -> str:
    name = getattr(example, "name", "")
    return f"example {number + 1} ({name})" if name else f"example {number + 1}"

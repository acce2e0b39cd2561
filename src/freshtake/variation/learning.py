"""Examples to a VariationModel, offline (Lau 2009, §5)."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip
from freshtake.motion.cycles.cycles import is_cyclic
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.variation.examples import Material, material_of
from freshtake.variation.model import VariationModel
from freshtake.variation.network.instances import prior_instances, representative, transition_instances
from freshtake.variation.network.joint_scores import JointScores, Mapper, way_of
from freshtake.variation.network.networks import TransitionNetwork
from freshtake.variation.network.prior_structure import learn_prior
from freshtake.variation.network.regression_rules import choose_rule, choose_width
from freshtake.variation.network.transition_structure import learn_transition, transition_data
from freshtake.variation.settings import Settings
from freshtake.variation.synthesis.courses import common_phase_frames, example_courses
from freshtake.variation.synthesis.dynamics_learning import learn_dynamics, usual_step
from freshtake.variation.synthesis.kernel_method import KNOTS, KernelParts


@one_blas_thread()
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
    is detected from clips unless given. `report` receives `Progress`; an exception that it raises ends the learning.
    `map` runs independent searches; the default uses all cores, and the result does not depend on it.
    """
    chosen, say = settings or Settings(), report or silent
    say(Progress(0.0, "reading the examples"))
    material = material_of(examples, names, frame_time)
    _check_examples(examples, material, chosen)
    goes_round = cyclic if cyclic is not None else isinstance(examples[0], Clip) and is_cyclic(list(examples))
    with ThreadPoolExecutor() as pool:
        model = learned(material, chosen, goes_round, rng, say, map or pool.map)
    say(Progress(1.0, "done"))
    return model


def learned(
    material: Material, settings: Settings, cyclic: bool, rng: np.random.Generator, report: Report, mapper: Mapper
) -> VariationModel:
    """The model of examples that are rows of DOFs already."""
    if settings.method != "default":
        transition, parts = learn_kernel_networks(material, settings, rng, report, mapper)
        return VariationModel(material, settings, cyclic, transition, kernel=parts)
    report(Progress(0.05, "laying the examples on one another"))
    phase_frames = common_phase_frames(material, cyclic)
    courses = example_courses(material, phase_frames, settings, cyclic)
    if settings.step is None:
        settings = settings.changed(step=usual_step(material, courses))
        courses = example_courses(material, phase_frames, settings, cyclic)
    dynamics = learn_dynamics(material, courses, settings, rng, report, mapper)
    return VariationModel(material, settings, cyclic, dynamics.network, dynamics=dynamics)


def learn_kernel_networks(
    material: Material, settings: Settings, rng: np.random.Generator, report: Report, mapper: Mapper
) -> tuple[TransitionNetwork, KernelParts]:
    """Both networks of the paper, with kernel regression on all instances."""
    searched = [material.values[k] for k in representative(material.values)]
    data = transition_data(transition_instances(searched, settings.order), material.weights)
    report(Progress(0.05, "choosing neighbours and widths"))
    rule = choose_rule(data, settings, mapper)
    transition = learn_transition(material.names, data, rule, settings, rng, report, mapper)
    if settings.kernel_width is None and not settings.chosen("adaptive"):
        report(Progress(0.76, "choosing the width by whole takes"))
        joint = JointScores(data.instances, data.weights, way_of(rule, settings, pull=settings.chosen("pull")), mapper)
        smooth = KNOTS / material.frame_time if settings.smooth_noise else 0.0
        rule = choose_width(joint, transition.edges, rule, smooth, rng)
    pairs = prior_instances(searched, settings.prior_pairs, delta=settings.chosen("prior_deltas"))
    prior, prior_rule = learn_prior(material.names, pairs, material.weights, settings, rng, report, mapper)
    return transition, KernelParts(prior, rule, prior_rule)


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

"""How well a learned structure predicts a take that it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.methods.progress import silent
from freshtake.numeric.arrays import Floats, Ints
from freshtake.variation.examples import material_of
from freshtake.variation.network.instances import transition_instances
from freshtake.variation.network.joint_scores import JointScores, Mapper, way_of
from freshtake.variation.network.networks import own_parents
from freshtake.variation.network.regression_rules import choose_rule
from freshtake.variation.network.transition_structure import learn_transition, transition_data
from freshtake.variation.settings import Settings


class HeldOutErrors(NamedTuple):
    """Errors (examples,) of the mean motion after time warping, each as a share of the example's own extent."""

    learned: Floats  # structure learned on the other examples
    joint: Floats  # every node given all nodes: nearest neighbours of whole poses
    own: Floats  # every node given itself alone
    parents: Ints  # parents of every node of every learned network, own ones included

    @property
    def against_joint(self) -> float:
        """Mean learned error over that of nearest neighbours of whole poses."""
        return float(self.learned.mean() / self.joint.mean())

    @property
    def against_own(self) -> float:
        """Mean learned error over that of own parents alone."""
        return float(self.learned.mean() / self.own.mean())


def held_out_error(
    examples: Sequence[Any],
    settings: Settings | None = None,
    *,
    rng: np.random.Generator,
    names: Sequence[str] | None = None,
    frame_time: float | None = None,
    map: Mapper | None = None,
) -> HeldOutErrors:
    """Leave every example out once, learn from the others, and propagate the mean from its first frames.

    All three structures are propagated alike: same k, widths and pull, those chosen on the other examples.
    """
    chosen = settings or Settings(method="kernel")
    material = material_of(examples, names, frame_time)
    if len(material.values) < 3:
        raise UsageError(
            f"leaving one example out and learning from the others needs at least 3 examples, not {len(examples)}"
        )
    dofs, order = len(material.names), chosen.order
    everything = tuple(tuple(range(order * dofs)) for _ in range(dofs))
    own = own_parents(dofs, order)
    rows, parents = [], []
    with ThreadPoolExecutor() as pool:
        mapper: Mapper = map or pool.map
        for left in range(len(material.values)):
            others = [x for k, x in enumerate(material.values) if k != left]
            data = transition_data(transition_instances(others, order), material.weights)
            rule = choose_rule(data, chosen, mapper)
            network = learn_transition(material.names, data, rule, chosen, rng, silent, mapper)
            parents += [len(edges) for edges in network.edges]
            way = way_of(rule, chosen.changed(propagate=True), pull=chosen.chosen("pull"))
            scores = JointScores(transition_instances(material.values, order), material.weights, way)
            rows.append([scores.error(edges, left) for edges in (network.edges, everything, own)])
    learned, joint, alone = np.array(rows).T
    return HeldOutErrors(learned, joint, alone, np.array(parents))

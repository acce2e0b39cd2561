"""Synthesis as the paper has it (Lau 2009, §6): one regression per node and frame, white Gaussian noise.

The text to the letter, with what it leaves open filled in as follows.
The root: DOFs like all others, coded as velocities in the heading frame, turning rate, height and tilt; absolute
places would keep a walk from walking on.
The end: a variant of a motion that does not repeat ends after the frame at which, for more than half of the nodes, the
nearest instance is the last one of its clip (for fitted functions: the nearest by all parents together), and at the
latest after four lengths of the longest clip.
The width K_W: one length for all nodes and frames, chosen by cross-validation unless given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.variation.instances import transition_instances
from freshtake.variation.network import TransitionNetwork
from freshtake.variation.regression import Regression
from freshtake.variation.unroll import Course, floors_of, pool_of, unroll, web

BLOCK = 32  # frames
LONGEST = 4  # lengths of the longest example, after which a variant is cut


def paper_blocks(
    examples: Sequence[Floats],
    weights: Floats,
    network: TransitionNetwork,
    rule: Regression,
    start: Floats,  # (order, DOFs): the first frames, from the prior network
    rng: np.random.Generator,
    *,
    amount: float,
    deltas: bool,
    cyclic: bool,
    regression: str = "kernel",
) -> Iterator[Floats]:
    """Rows (frames, DOFs), block after block: no pull, no smoothing, white noise of eq. 6's variance per node.

    x_i[t+2] = x_i[t+1] + mu_i + sigma_i e,  e ~ N(0, 1), all n_trans instances every time (Lau 2009, §6).
    """
    instances, dofs = transition_instances(examples, network.order), len(network.dofs)
    pool = pool_of(instances, weights, np.arange(len(instances.queries)), delta=deltas)
    floors, edges, course = floors_of(instances.rows), web(network), Course(deltas, True, 0.0, not cyclic)
    if regression != "kernel":
        from freshtake.variation.parametric import KINDS, fit_all, unroll_fitted

        fits = fit_all(KINDS[regression], edges, pool, rule.velocity_weight, floors)
    past, made = start, 0
    yield start
    while cyclic or made < LONGEST * int(instances.lengths.max()):
        means, variances = np.empty((BLOCK, dofs)), np.empty((BLOCK, dofs))
        values, noise = np.empty((network.order + BLOCK, dofs)), amount * rng.standard_normal((BLOCK, dofs))
        if regression == "kernel":
            count = unroll(edges, pool, weights, rule, course, floors, past, noise, means, variances, values)
        else:
            count = unroll_fitted(edges, pool, weights, rule, course, fits, past, noise, means, variances, values)
        made += count
        yield values[network.order : network.order + count]
        if count < BLOCK:
            return
        past = values[-network.order :]

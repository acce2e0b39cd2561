"""Synthesis as the paper has it (Lau 2009, §6): one regression per node and frame on its parents' values.

method="paper" is the text, method="kernel" the same with additions (settings.ADDITIONS). What the text leaves open is
filled in as follows.
The root: DOFs like all others, coded as velocities in the heading frame, turning rate, height and tilt; absolute
places would keep a walk from walking on.
The end: a variant of a motion that does not repeat ends after the frame at which, for more than half of the nodes, the
nearest instance is the last one of its clip (for fitted functions: the nearest by all parents together), and at the
latest after four lengths of the longest clip.
The width K_W: one length for all nodes and frames, chosen by how whole takes are re-synthesised unless given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.numeric.splines import spline_weights
from freshtake.variation.network.instances import transition_instances
from freshtake.variation.network.joint_scores import Way
from freshtake.variation.network.networks import PriorNetwork, TransitionNetwork
from freshtake.variation.network.propagation import (
    Predictor,
    floors_of,
    packed_parents,
    pool_of,
    predicted_frames,
    propagate,
)
from freshtake.variation.network.regression import Regression

BLOCK = 32  # frames
LONGEST = 4  # lengths of the longest example, after which a variant is cut
KNOTS = 0.17  # seconds between knots of smooth noise
SMOOTH_SIZE = 0.3  # of eq. 6's standard deviation: what lasts adds up, white noise averages out


class KernelParts(NamedTuple):
    """What the kernel methods know besides the transition network."""

    prior: PriorNetwork
    rule: Regression
    prior_rule: Regression


def paper_blocks(
    examples: Sequence[Floats],
    weights: Floats,
    network: TransitionNetwork,
    way: Way,  # a motion that does not end by itself goes on forever
    start: Floats,  # (order, DOFs): the first frames, from the prior network
    noise: Iterator[Floats],  # see noise_blocks
) -> Iterator[Floats]:
    """Rows (frames, DOFs), block after block, all n_trans instances every time (Lau 2009, §6).

    x_i[t+2] = x_i[t+1] + (1 - pull) mu_i + pull (mu'_i - x_i[t+1]) + sigma_i e,  e ~ N(0, 1)

    where mu' predicts the value and mu its change.
    """
    instances = transition_instances(examples, network.order)
    pool = pool_of(instances, weights, np.arange(len(instances.queries)), delta=way.mode.delta)
    floors, edges = floors_of(instances.rows), packed_parents(network)
    predictor = Predictor(edges, pool, weights, way.rule, way.mode, floors)
    if way.regression != "kernel":
        from freshtake.variation.network.parametric import KINDS, fit_all, propagate_fitted

        fits = fit_all(KINDS[way.regression], edges, pool, way.rule.velocity_weight, floors)
    past, done = start, 0
    yield start
    while not way.mode.ends or done < LONGEST * int(instances.lengths.max()):
        out = predicted_frames(past, next(noise), network.order)
        count = propagate(predictor, out) if way.regression == "kernel" else propagate_fitted(predictor, fits, out)
        done += count
        yield out.values[network.order : network.order + count]
        if count < BLOCK:
            return
        past = out.values[-network.order :]


def noise_blocks(rng: np.random.Generator, dofs: int, smooth_frames: float) -> Iterator[Floats]:
    """Blocks (BLOCK, DOFs) of standard normals, white, or smooth between knots that many frames apart."""
    if smooth_frames <= 0.0:
        while True:
            yield rng.standard_normal((BLOCK, dofs))
    knots, first = rng.standard_normal((4, dofs)), 0
    for block in range(1 << 62):
        places = (block * BLOCK + np.arange(BLOCK)) / smooth_frames
        low = places.astype(np.intp)
        missing = int(low[-1]) + 4 - first - len(knots)
        if missing > 0:
            knots = np.concatenate([knots, rng.standard_normal((missing, dofs))])
        weights = np.array([spline_weights(t) for t in places - low])
        weights /= np.sqrt((weights * weights).sum(axis=1, keepdims=True))
        near = knots[low[:, None] - first + np.arange(4)]  # (frames, 4, DOFs)
        yield SMOOTH_SIZE * np.einsum("fk,fkd->fd", weights, near)
        knots, first = knots[low[-1] - first :], int(low[-1])

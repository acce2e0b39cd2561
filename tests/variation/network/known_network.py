"""Takes of a small linear network that is known: five DOFs, time and tempo, edges within a frame and between."""

from __future__ import annotations

import numpy as np

from freshtake.methods.progress import silent
from freshtake.numeric.arrays import Floats
from freshtake.variation.examples import Material
from freshtake.variation.network.networks import TransitionNetwork
from freshtake.variation.settings import Settings
from freshtake.variation.synthesis.courses import Courses
from freshtake.variation.synthesis.dynamics import Dynamics
from freshtake.variation.synthesis.dynamics_learning import learn_dynamics
from freshtake.variation.synthesis.traits import POINTS, TRAITS
from tests.variation.synthesis.synthesis_twin import slow_slices

NODES = 7
NAMES = ("a", "b", "c", "d", "e", "time", "tempo")
SIZES = np.array([3.0, 2.5, 2.0, 1.5, 1.0, 0.5, 0.02])  # in this order nodes may be parents within a frame
BETWEEN = 2  # frames from one of the network to the next
# child: {parent: slope}; slices 0, 1 and 2 are t, t+1 and t+2
OTHERS = {
    1: {2 * NODES + 0: 0.6},  # a[t+2] -> b
    2: {NODES + 0: 0.5, 2 * NODES + 1: -0.4},  # a[t+1], b[t+2] -> c
    3: {2 * NODES + 2: 0.6},  # c[t+2] -> d
    4: {NODES + 5: 0.7},  # time[t+1] -> e: from a node of higher rank, which only the past allows
}
OWN = {0: -0.25, 1: 0.7}  # of every node's own past, t and t+1


def truth() -> Dynamics:
    """The network itself."""
    slopes = [{i: OWN[0], NODES + i: OWN[1], **OTHERS.get(i, {})} for i in range(NODES)]
    edges = tuple(tuple(sorted(own)) for own in slopes)
    flat = np.array([own[p] for own, parents in zip(slopes, edges, strict=True) for p in parents])
    traits = len(TRAITS)
    return Dynamics(
        TransitionNetwork(NAMES, 2, edges), 100, flat, np.full(NODES, 0.5), np.zeros((traits, len(flat))),
        np.ones((traits, NODES)), np.ones((traits, NODES)), np.ones((POINTS, NODES)),
    )  # fmt: skip


def simulated(count: int, slices: int, seed: int) -> Floats:
    """Deviations (takes, slices + 1, nodes) far from any start."""
    rng, known = np.random.default_rng(seed), truth()
    out = []
    for _ in range(count):
        drawn = rng.normal(size=(slices + 60, NODES))
        out.append(slow_slices(known.network, known.slopes, known.noise, np.zeros((2, NODES)), drawn)[-slices - 1 :])
    return np.stack(out)


def courses_from(deviations: Floats) -> Courses:
    """Takes whose mean stands still, so that all that differs is an offset and the rest."""
    smooth = np.repeat(deviations, BETWEEN, axis=1)[:, : 1 - BETWEEN]  # held: what lies between has the same variance
    takes, phases, nodes = smooth.shape
    return Courses(
        smooth * (SIZES / np.sqrt(np.diag(truth().covariance)[:NODES])), np.zeros((takes, phases, nodes - 2)), False
    )


def learned_from(deviations: Floats, parents: str = "learned", seed: int = 0) -> Dynamics:
    rows = tuple(courses_from(deviations).smooth[:, :, :-2])
    material = Material(rows, NAMES[:-2], np.ones(NODES - 2), np.zeros(NODES - 2, dtype=np.bool_), 1.0)
    return learn_dynamics(
        material, courses_from(deviations), Settings(parents=parents, step=float(BETWEEN)),
        np.random.default_rng(seed), silent, map,
    )  # fmt: skip

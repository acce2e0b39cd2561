"""A model as a Dynamic Bayesian Network: the likelihood of a take (Lau 2009, eq. 2), and which DOFs deviate together.

The parents of a DOF at a frame are the hidden weights of the takes (see `deviations`) and its values in the previous
two frames. The network's frames are one knot spacing of the prior apart. With the weights summed out, DOFs within a
frame depend on one another; `transition_network` lists the strongest of these dependences (Lau 2009, figure 7), each
DOF depending on those that move the body more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats
from freshtake.variation.deviations import Deviations
from freshtake.variation.examples import FEWEST, Material
from freshtake.variation.phase import (
    ALIGNMENT,
    PACE,
    mean_of,
    read_at,
    representative,
    steadied,
    takes_on_phase,
    warp_onto,
)

if TYPE_CHECKING:
    from freshtake.variation.model import VariationModel
    from freshtake.variation.paper.networks import TransitionNetwork

LEAST = 0.02  # smallest size of a DOF's deviations, relative to the weighted mean size of all DOFs
TAILS = 4.0  # degrees of freedom of Student's density when weights of takes are estimated
ORDER = 2  # previous frames that a DOF continues from


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The log density of each DOF at each frame of a clip, given its parents.

    Attributes:
        frames: (frames, DOFs).
        dofs: The names of the DOFs.
    """

    frames: Floats
    dofs: tuple[str, ...]

    @property
    def total(self) -> float:
        """The sum over frames and DOFs (Lau 2009, eq. 2)."""
        return float(self.frames.sum())

    @property
    def normalized(self) -> float:
        """The total per frame and DOF, to compare clips of different lengths."""
        return float(self.frames.mean())


def take_likelihood(material: Material, deviations: Deviations, rows: Floats) -> Likelihood:
    """Return how likely a take (frames, DOFs) is, in units in which the smallest size of deviations is 1."""
    if len(rows) < FEWEST:
        raise UsageError(f"the clip has {len(rows)} frames, but scoring needs at least {FEWEST}")
    away, phase_frames = deviations_of(material, deviations, rows)
    floor = _floors(material, deviations)
    size = np.maximum(unexplained_size(deviations) * deviations.sizes, floor)
    deltas = (deviations.weight_size * deviations.takes.deltas)[..., : deviations.dofs]
    weights, of_weights = _likeliest_weights(deviations, deltas, away, size)
    rest = (away - np.einsum("l,lpd->pd", weights, deltas)) / size
    freedom = max(len(deviations.takes.rows) - 1, 1) + 2
    dense = _densities(deviations, rest, freedom) - np.log(size / floor)
    at = np.interp(np.arange(float(len(rows))), phase_frames, np.arange(float(len(phase_frames))))
    return Likelihood(dense[np.rint(at).astype(np.intp)] + of_weights / rows.size, material.names)


def deviations_of(material: Material, deviations: Deviations, rows: Floats) -> tuple[Floats, Floats]:
    """Return how a take differs from the mean, (phases, DOFs), and the frame of the take at every phase.

    Its position and direction on the ground do not matter: the take is aligned to the mean.
    """
    takes, weights = deviations.takes, material.weights
    phase_frames = np.stack([np.concatenate([[0.0], np.cumsum(np.exp(steps))]) for steps in takes.log_pace], axis=1)
    goal = mean_of(material.values, phase_frames) * weights
    warped = warp_onto(goal, rows * weights, ALIGNMENT / material.frame_time)
    frames = steadied(warped[:, None], [rows * weights], PACE / material.frame_time)
    alone = replace(material, values=(rows,), starts=())
    read = takes_on_phase(alone, frames)
    out = read.rows[0] - deviations.takes.mean
    if read.trajectory is not None:
        mean, one = takes.mean_path, read.trajectory.path(read.rows[0])
        moved = one.ground - one.ground.mean()
        turn = np.angle((np.exp(1j * (one.heading - mean.heading))).mean())
        ground = moved * np.exp(-1j * turn) - (mean.ground - mean.ground.mean())
        facing = one.heading - mean.heading
        out[:, read.trajectory.columns] = np.stack([ground.real, ground.imag, facing - facing.mean()], axis=1)
    return out[:, : deviations.dofs], frames[:, 0]


@lru_cache(maxsize=8)  # called for every take that is scored
def unexplained_size(deviations: Deviations) -> float:
    """Return the size, relative to the prior's, of the part of a further take that combined takes do not explain.

    It is measured on left-out takes, as the part of each deviation that combinations of the others do not explain. With
    the prior's size alone, which does not include this part, further takes would seem unlikely.
    """
    rows, unexplained = deviations.takes.rows[..., : deviations.dofs], []
    # with fewer than three takes, none can be left out
    if len(rows) < 3:
        return math.sqrt(deviations.further)
    size = np.maximum(deviations.sizes, 1e-12 + LEAST * deviations.sizes.mean(axis=0))
    rows = rows[representative(rows)]
    for k, take in enumerate(rows):
        others = np.delete(rows, k, axis=0)
        away = take - others.mean(axis=0)
        deltas = deviations.weight_size[: deviations.dofs] * (others - others.mean(axis=0))
        weights, _ = _likeliest_weights(deviations, deltas, away, size)
        unexplained.append(float((((away - np.einsum("l,lpd->pd", weights, deltas)) / size) ** 2).mean()))
    return math.sqrt(float(np.mean(unexplained)))


def _likeliest_weights(deviations: Deviations, deltas: Floats, away: Floats, size: Floats) -> tuple[Floats, float]:
    """Return the likeliest weights (takes,) of a take's deviation, and their joint log density.

    Phases within a spacing of one another are redundant, so each counts only as much as it adds.
    """
    count = len(deltas)
    if not deltas.any():
        return np.zeros(count), 0.0
    scaled, target = (deltas / size).reshape(count, -1), (away / size).ravel()
    trust: Floats = np.ones(len(target))
    weights: Floats = np.zeros(count)
    # with heavy tails the likeliest weights have no closed form: find them by reweighting
    for _ in range(4):
        # outliers, such as one damaged joint, must not distort the weights of the entire take
        precision = (scaled * trust) @ scaled.T / deviations.spacing + np.eye(count)
        weights = np.asarray(
            np.linalg.solve(precision, scaled @ (trust * target) / deviations.spacing), dtype=np.float64
        )
        trust = np.asarray((TAILS + 1.0) / (TAILS + (target - weights @ scaled) ** 2), dtype=np.float64)
    volume = 0.5 * np.linalg.slogdet(precision)[1]
    return np.asarray(weights, dtype=np.float64), float(-0.5 * (weights**2).sum() - volume)


def _floors(material: Material, deviations: Deviations) -> Floats:
    """Return the smallest size (DOFs,) of a deviation: a small fraction of the weighted mean over DOFs."""
    weights = np.maximum(material.weights, 1e-12)
    total = np.sqrt((deviations.total_sizes**2).mean(axis=0))
    usual = float(np.sqrt(((weights * total) ** 2).mean()))
    return np.asarray(np.maximum(LEAST * usual, 1e-12) / weights)


def _densities(deviations: Deviations, rest: Floats, freedom: int) -> Floats:
    """Return log densities (phases, DOFs), each phase given the phases one and two spacings before it."""
    near, far = deviations.correlation(deviations.spacing * np.array([1.0, 2.0]))
    slopes = np.linalg.solve(np.array([[1.0, near], [near, 1.0]]), np.array([near, far]))
    out = student(rest, 1.0, freedom)
    # Score every phase: a short deviation can fall between two knots.
    first = math.ceil(ORDER * deviations.spacing)
    if len(rest) > first:
        noise = math.sqrt(max(1.0 - slopes @ np.array([near, far]), 1e-6))
        phases = np.arange(float(first), len(rest))
        before, earlier = (read_at(rest, phases - lag * deviations.spacing) for lag in (1, ORDER))
        out[first:] = student(rest[first:] - slopes[0] * before - slopes[1] * earlier, noise, freedom)
    return out


def student(x: Floats, scale: float, freedom: int) -> Floats:
    """Return the logarithm of Student's density, which allows for sizes estimated from a few takes."""
    constant = math.lgamma(0.5 * (freedom + 1)) - math.lgamma(0.5 * freedom) - 0.5 * math.log(freedom * math.pi)
    standardized = x / scale
    return np.asarray(
        constant - math.log(scale) - 0.5 * (freedom + 1) * np.log1p(standardized * standardized / freedom)
    )


class Edge(NamedTuple):
    """parent -> child, and how much knowing the parent narrows the child, in nats; NaN if it is the child's past."""

    child: int
    parent: int
    strength: float


def together(model: VariationModel) -> Floats:
    """Return the correlations of the DOFs within a frame, (DOFs, DOFs), averaged over phases."""
    deviations = model.deviations
    phases, dofs = deviations.takes.mean.shape[0], deviations.dofs
    deltas = (deviations.weight_size * deviations.takes.deltas)[..., :dofs]
    covariance = np.einsum("lpi,lpj->ij", deltas, deltas) / phases
    covariance += np.diag(((deviations.prior_size[:dofs] * deviations.sizes) ** 2).mean(axis=0))
    size = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    return np.asarray(covariance / np.outer(size, size))


def transition_network(model: VariationModel) -> TransitionNetwork:
    """Return the network of a model's strongest dependences."""
    from freshtake.variation.paper.networks import TransitionNetwork  # not needed for drawing

    count, correlations = len(model.dofs), np.abs(together(model))
    moves = model.material.weights * np.sqrt((model.deviations.total_sizes**2).mean(axis=0))
    order, edges = np.argsort(-moves, kind="stable"), []
    rank = np.empty(count, dtype=np.intp)
    rank[order] = np.arange(count)
    for child in range(count):
        # DOFs count as dependent if their correlation is at least 0.5
        earlier = [p for p in range(count) if rank[p] < rank[child] and correlations[child, p] >= 0.5]
        # list only the three strongest dependences
        strongest = sorted(sorted(earlier, key=lambda p, c=child: -correlations[c, p])[:3])  # type: ignore[misc]
        edges.append((child, count + child, *(ORDER * count + p for p in strongest)))
    return TransitionNetwork(model.dofs, ORDER, tuple(edges))


def transition_strengths(model: VariationModel, *, nodes: bool = False) -> tuple[Edge, ...]:
    """Return every edge of the network with its strength, child by child.

    Args:
        model: The model.
        nodes: Whether parents are nodes, slice * DOFs + DOF, instead of DOFs.

    Returns:
        The edges; a DOF's past has no strength (NaN).
    """
    network, correlations = transition_network(model), together(model)
    count, out = len(network.dofs), []
    for child, parents in enumerate(network.edges):
        for parent in parents if nodes else dict.fromkeys(p % count for p in parents):
            is_past = parent % count == child
            likeness = min(float(correlations[child, parent % count]) ** 2, 1.0 - 1e-12)
            out.append(Edge(child, parent, float("nan") if is_past else -0.5 * float(np.log1p(-likeness))))
    return tuple(out)

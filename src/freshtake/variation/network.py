"""What goes together in a model, as a network: which DOFs deviate with which, by way of the takes (Lau 2009, figure 7).

Every DOF has its own two frames before it as parents, and the hidden weights of the takes (see `deviations`). With the
weights summed out, DOFs depend on one another within a frame; what is listed are the strongest of these dependences,
each DOF on those that move the body more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from freshtake.errors import InvalidMotion
from freshtake.numeric.arrays import Floats
from freshtake.variation.model import VariationModel

Edges = tuple[tuple[int, ...], ...]
ORDER = 2  # frames before, which a DOF continues from


class Edge(NamedTuple):
    """parent -> child, and by how much knowing the parent narrows the child, in nats; NaN: its own past."""

    child: int
    parent: int
    strength: float


@dataclass(frozen=True)
class TransitionNetwork:
    """What each DOF at the next frame depends on.

    Attributes:
        dofs: The DOFs by name.
        order: Frames before the next one.
        edges: edges[i]: the parents of DOF i at the next frame, as slice * DOFs + DOF; slice 0 is the oldest frame,
            slice `order` the next frame itself.
    """

    dofs: tuple[str, ...]
    order: int
    edges: Edges

    def __post_init__(self) -> None:
        if len(self.edges) != len(self.dofs):
            raise InvalidMotion(f"a network of {len(self.dofs)} DOFs has as many nodes, not {len(self.edges)}")
        first = self.order * len(self.dofs)
        topological_order([[p - first for p in parents if p >= first] for parents in self.edges])

    def name(self, node: int) -> str:
        """Return `LeftLeg.x[t]`, `LeftLeg.x[t+1]`, ..."""
        step, dof = divmod(node, len(self.dofs))
        return f"{self.dofs[dof]}[t+{step}]" if step else f"{self.dofs[dof]}[t]"

    def parents(self, dof: str) -> tuple[str, ...]:
        """Return the names of the nodes that a DOF depends on."""
        if dof not in self.dofs:
            raise InvalidMotion(f"there is no node {dof!r}; the nodes are {', '.join(self.dofs)}")
        return tuple(self.name(p) for p in self.edges[self.dofs.index(dof)])


def topological_order(edges: Sequence[Iterable[int]]) -> tuple[int, ...]:
    """Return nodes with parents before children, lowest number first; raises when there is a cycle."""
    waiting = {node: set(parents) for node, parents in enumerate(edges)}
    done: list[int] = []
    while waiting:
        ready = [node for node, parents in waiting.items() if parents <= set(done)]
        if not ready:
            raise InvalidMotion("the network has a cycle, so its nodes cannot be ordered")
        done += ready
        waiting = {node: parents for node, parents in waiting.items() if node not in ready}
    return tuple(done)


def together(model: VariationModel) -> Floats:
    """Return how DOFs deviate together within a frame, (DOFs, DOFs): correlations, the mean over phases."""
    deviations = model.deviations
    phases, dofs = deviations.mean.shape[0], deviations.dofs
    deltas = (deviations.weight_size * deviations.deltas)[..., :dofs]
    covariance = np.einsum("lpi,lpj->ij", deltas, deltas) / phases
    covariance += np.diag(((deviations.prior_size[:dofs] * deviations.sizes) ** 2).mean(axis=0))
    size = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    return np.asarray(covariance / np.outer(size, size))


def transition_network(model: VariationModel) -> TransitionNetwork:
    """Return the network of a model's strongest dependences."""
    count, alike = len(model.dofs), np.abs(together(model))
    moves = model.material.weights * np.sqrt((model.deviations.total_sizes**2).mean(axis=0))
    order, edges = np.argsort(-moves, kind="stable"), []
    rank = np.empty(count, dtype=np.intp)
    rank[order] = np.arange(count)
    for child in range(count):
        # DOFs are said to go together from a correlation of 0.5
        earlier = [p for p in range(count) if rank[p] < rank[child] and alike[child, p] >= 0.5]
        # list the three strongest only
        strongest = sorted(sorted(earlier, key=lambda p, c=child: -alike[c, p])[:3])  # type: ignore[misc]
        edges.append((child, count + child, *(ORDER * count + p for p in strongest)))
    return TransitionNetwork(model.dofs, ORDER, tuple(edges))


def transition_strengths(model: VariationModel, *, nodes: bool = False) -> tuple[Edge, ...]:
    """Return every edge of the network with its strength, child after child.

    Args:
        model: The model.
        nodes: Whether parents are nodes, slice * DOFs + DOF, instead of DOFs.

    Returns:
        The edges; a DOF's own past has no strength (NaN).
    """
    network, alike = transition_network(model), together(model)
    count, out = len(network.dofs), []
    for child, parents in enumerate(network.edges):
        for parent in parents if nodes else dict.fromkeys(p % count for p in parents):
            own = parent % count == child
            likeness = min(float(alike[child, parent % count]) ** 2, 1.0 - 1e-12)
            out.append(Edge(child, parent, float("nan") if own else -0.5 * float(np.log1p(-likeness))))
    return tuple(out)

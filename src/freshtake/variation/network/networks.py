"""The two networks of Lau 2009, §4: nodes are DOFs at time slices, edges say what predicts what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from freshtake.errors import InvalidMotion

Edges = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class PriorNetwork:
    """An acyclic network over the first two frames: node i < n is X_i[0], node n + i is X_i[1].

    P(X[0], X[1]) = prod_i P(X_i | parents(X_i)); `prior_sampling` draws from it.
    """

    dofs: tuple[str, ...]
    edges: Edges  # edges[i]: the parents of node i, in increasing order

    def __post_init__(self) -> None:
        if len(self.edges) != 2 * len(self.dofs):
            raise InvalidMotion(
                f"a prior network of {len(self.dofs)} DOFs has twice as many nodes, not {len(self.edges)}"
            )
        _check_parents(self.edges, len(self.edges))
        self.order()

    def order(self) -> tuple[int, ...]:
        """The nodes with parents before children (Lau 2009, §6); raises when there is a cycle."""
        return self._ordered

    @cached_property
    def _ordered(self) -> tuple[int, ...]:
        return topological_order(self.edges)

    def name(self, node: int) -> str:
        """`LeftLeg.x[0]` or `LeftLeg.x[1]`."""
        return f"{self.dofs[node % len(self.dofs)]}[{node // len(self.dofs)}]"

    def parents(self, node: str) -> tuple[str, ...]:
        """The names of the nodes that predict `LeftLeg.x[0]` or `LeftLeg.x[1]`."""
        names = [self.name(k) for k in range(len(self.edges))]
        return tuple(names[p] for p in self.edges[_find(node, names)])


@dataclass(frozen=True)
class TransitionNetwork:
    """What predicts each DOF at the next frame, given the `order` frames before it.

    Node numbers: slice * n + i, where slice 0 is the oldest frame, slice order - 1 the newest, and slice `order`
    (edges among the nodes that are predicted) the next frame itself.
    P(X[t+2] | X[t], X[t+1]) = prod_i P(X_i[t+2] | parents); `likelihood` multiplies them over a clip.
    """

    dofs: tuple[str, ...]
    order: int
    edges: Edges  # edges[i]: the parents of X_i at the next frame

    def __post_init__(self) -> None:
        if len(self.edges) != len(self.dofs):
            raise InvalidMotion(
                f"a transition network of {len(self.dofs)} DOFs has as many nodes, not {len(self.edges)}"
            )
        _check_parents(self.edges, (self.order + 1) * len(self.dofs))
        self.prediction_order()

    def slice_edges(self) -> Edges:
        """For every DOF the DOFs of the same frame that it depends on."""
        first = self.order * len(self.dofs)
        return tuple(tuple(p - first for p in parents if p >= first) for parents in self.edges)

    def prediction_order(self) -> tuple[int, ...]:
        """The DOFs in an order in which those of the same frame can be predicted."""
        return topological_order(self.slice_edges())

    def name(self, node: int) -> str:
        """`LeftLeg.x[t]`, `LeftLeg.x[t+1]`, ..."""
        step, dof = divmod(node, len(self.dofs))
        return f"{self.dofs[dof]}[t+{step}]" if step else f"{self.dofs[dof]}[t]"

    def parents(self, dof: str) -> tuple[str, ...]:
        """The names of the nodes that predict this DOF at the next frame."""
        return tuple(self.name(p) for p in self.edges[_find(dof, self.dofs)])


def own_parents(dofs: int, order: int) -> Edges:
    """Every DOF predicted by itself at all slices: the edges that are always kept (Lau 2009, §5.1)."""
    return tuple(tuple(step * dofs + i for step in range(order)) for i in range(dofs))


def topological_order(edges: Sequence[Iterable[int]]) -> tuple[int, ...]:
    """Nodes with parents before children, lowest number first; raises when there is a cycle."""
    missing = [len(set(parents)) for parents in edges]
    children: list[list[int]] = [[] for _ in edges]
    for node, parents in enumerate(edges):
        for parent in set(parents):
            children[parent].append(node)
    ready = [node for node, count in enumerate(missing) if count == 0]
    done: list[int] = []
    while ready:
        done += ready
        freed = []
        for node in ready:
            for child in children[node]:
                missing[child] -= 1
                if missing[child] == 0:
                    freed.append(child)
        ready = sorted(freed)
    if len(done) < len(missing):
        raise InvalidMotion("the network has a cycle, so its nodes cannot be ordered")
    return tuple(done)


def _check_parents(edges: Edges, nodes: int) -> None:
    for node, parents in enumerate(edges):
        if any(not 0 <= p < nodes for p in parents) or len(set(parents)) < len(parents):
            raise InvalidMotion(f"node {node} has a parent twice, or one that does not exist")


def _find(name: str, names: Sequence[str]) -> int:
    try:
        return list(names).index(name)
    except ValueError:
        raise InvalidMotion(f"there is no node {name!r}; the nodes are {', '.join(names)}") from None

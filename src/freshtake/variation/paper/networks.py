"""The two networks (Lau 2009, §4): nodes are DOFs at time slices, edges lead from predictors to what they predict."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from freshtake.errors import InvalidMotion

Edges = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class PriorNetwork:
    """An acyclic network over the first two frames: node i < n is X_i[0], node n + i is X_i[1].

    P(X[0], X[1]) = prod_i P(X_i | Pa(X_i))                                             (Lau 2009, eq. 1)
    """

    dofs: tuple[str, ...]
    edges: Edges  # edges[i]: the parents of node i

    def __post_init__(self) -> None:
        _check(self.edges, 2 * len(self.dofs), 2 * len(self.dofs), "prior")
        _ = self.order

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The nodes with parents before children (§6)."""
        return topological_order(self.edges)

    def name(self, node: int) -> str:
        """Return `LeftLeg.x[0]` or `LeftLeg.x[1]`."""
        return f"{self.dofs[node % len(self.dofs)]}[{node // len(self.dofs)}]"

    def parents(self, node: str) -> tuple[str, ...]:
        """Return the names of the nodes that predict a node."""
        names = [self.name(k) for k in range(len(self.edges))]
        return tuple(names[p] for p in self.edges[_find(node, names)])


@dataclass(frozen=True)
class TransitionNetwork:
    """The predictors of each DOF at time t+2, given the frames t and t+1 (`order` 2).

    Node numbers: slice * n + i, where slice 0 is the oldest frame and slice `order` the predicted one; edges among
    the predicted nodes are allowed, edges into older nodes are not (§5.1).
    """

    dofs: tuple[str, ...]
    order: int
    edges: Edges  # edges[i]: the parents of X_i at the predicted frame

    def __post_init__(self) -> None:
        _check(self.edges, len(self.dofs), (self.order + 1) * len(self.dofs), "transition")
        _ = self.prediction_order

    @cached_property
    def prediction_order(self) -> tuple[int, ...]:
        """The DOFs of one frame in an order in which they can be predicted."""
        first = self.order * len(self.dofs)
        return topological_order([[p - first for p in parents if p >= first] for parents in self.edges])

    def name(self, node: int) -> str:
        """Return `LeftLeg.x[t]`, `LeftLeg.x[t+1]`, ..."""
        step, dof = divmod(node, len(self.dofs))
        return f"{self.dofs[dof]}[t+{step}]" if step else f"{self.dofs[dof]}[t]"

    def parents(self, dof: str) -> tuple[str, ...]:
        """Return the names of the nodes that predict this DOF at the next frame."""
        return tuple(self.name(p) for p in self.edges[_find(dof, self.dofs)])


def own_parents(dofs: int, order: int) -> Edges:
    """Return the edges that are always kept (§5.1): every DOF predicted by itself at all older slices."""
    return tuple(tuple(step * dofs + i for step in range(order)) for i in range(dofs))


def shared_parents(dofs: int, order: int, core: Iterable[int]) -> Edges:
    """Return the parents of every DOF: itself at older slices, and a core of nodes that predicts all of them."""
    core = set(core)
    return tuple(tuple(sorted({*own, *core})) for own in own_parents(dofs, order))


def topological_order(edges: Sequence[Iterable[int]]) -> tuple[int, ...]:
    """Return the nodes with parents before children, lowest number first; raise InvalidMotion if there is a cycle."""
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


def _check(edges: Edges, nodes: int, numbers: int, kind: str) -> None:
    if len(edges) != nodes:
        raise InvalidMotion(f"the {kind} network has {len(edges)} nodes, but {nodes} are needed")
    for node, parents in enumerate(edges):
        if any(not 0 <= p < numbers for p in parents) or len(set(parents)) < len(parents):
            raise InvalidMotion(f"node {node} of the {kind} network has a duplicate parent, or one that does not exist")


def _find(name: str, names: Sequence[str]) -> int:
    try:
        return list(names).index(name)
    except ValueError:
        raise InvalidMotion(f"there is no node {name!r}; the nodes are {', '.join(names)}") from None

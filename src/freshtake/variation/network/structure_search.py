"""Greedy search for edges (Lau 2009, §5.1). Sees scores as callables and knows nothing of motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.compiled import compiled

Stop = Callable[[], bool]
GAIN = 1e-9  # an edit must be better than this
NOTHING, ADD, DELETE, REVERSE = range(4)


class NodeScores(Protocol):
    """Scores of one node given sets of parents; higher is better.

    A score that is not `above`, or not the best of several, may be given as -infinity: it is not used.
    """

    def score(self, parents: frozenset[int], above: float = -np.inf) -> float:
        """The score with exactly these parents."""
        ...

    def additions(self, parents: frozenset[int], candidates: Sequence[int], above: float = -np.inf) -> Floats:
        """The scores with one of the candidates more."""
        ...

    def glance(self, parents: frozenset[int], candidates: Sequence[int]) -> Floats:
        """A cheaper stand-in for `additions` by which candidates are screened."""
        ...


class SearchResult(NamedTuple):
    """The parents that a search ended with, and their score."""

    parents: frozenset[int]
    score: float


def search_node(
    scores: NodeScores,
    candidates: Sequence[int],
    start: frozenset[int],
    *,
    cap: int,
    screening: float = 1.0,
    kept: frozenset[int] = frozenset(),
) -> SearchResult:
    """Add or delete the parent that helps most until nothing helps; at most `cap` parents, `kept` ones never deleted.

    Only the best share `screening` of the candidates of the first round is tried again in later ones.
    """
    current, best = start, scores.score(start)
    shortlist = _screened(scores, start, [c for c in candidates if c not in start], screening)
    while True:
        value, edited = best + GAIN, current
        fresh = [c for c in shortlist if c not in current]
        if len(current) < cap and fresh:
            gains = scores.additions(current, fresh, value)
            top = int(gains.argmax())
            if gains[top] > value:
                value, edited = float(gains[top]), current | {fresh[top]}
        for parent in sorted(current - kept):
            without = scores.score(current - {parent}, value)
            if without > value:
                value, edited = without, current - {parent}
        if edited is current:
            return SearchResult(current, best)
        current, best = edited, value


def _screened(scores: NodeScores, start: frozenset[int], candidates: list[int], share: float) -> list[int]:
    """The best share of the candidates at a glance; those of the start stay candidates too."""
    if share < 1.0 and candidates:
        glances = scores.glance(start, candidates)
        keep = max(1, int(np.ceil(share * len(candidates))))
        candidates = [candidates[k] for k in np.argsort(-glances, kind="stable")[:keep]]
    return sorted({*candidates, *start})


def search_network(
    nodes: Sequence[NodeScores],
    start: Sequence[frozenset[int]],
    *,
    cap: int,
    shortlists: Sequence[Sequence[int]] | None = None,
) -> list[SearchResult]:
    """Add, delete or reverse the edge that helps most, never closing a cycle, until nothing helps.

    Scores are kept per node: an edit changes one node's, a reversal two (Lau 2009, below eq. 3). With `shortlists`
    only those candidates are tried as parents of each node.
    """
    count = len(nodes)
    parents = list(start)
    value = np.array([node.score(node_parents) for node, node_parents in zip(nodes, parents, strict=True)])
    adding = np.full((count, count), -np.inf)  # gain of the edge column -> row
    dropping = np.full((count, count), -np.inf)
    tried = shortlists or [range(count)] * count

    def refresh(node: int) -> None:
        node_parents = parents[node]
        adding[node] = -np.inf
        fresh = [c for c in tried[node] if c != node and c not in node_parents]
        if len(node_parents) < cap and fresh:
            adding[node, fresh] = nodes[node].additions(node_parents, fresh) - value[node]
        dropping[node] = -np.inf
        for parent in node_parents:
            dropping[node, parent] = nodes[node].score(node_parents - {parent}) - value[node]

    for node in range(count):
        refresh(node)
    while True:
        child, parent, kind = best_edit(adding, dropping, reachable(np.isfinite(dropping).T.copy()))
        if kind == NOTHING:
            return [SearchResult(node_parents, float(v)) for node_parents, v in zip(parents, value, strict=True)]
        parents[child] = parents[child] | {parent} if kind == ADD else parents[child] - {parent}
        if kind == REVERSE:
            parents[parent] = parents[parent] | {child}
        for node in (child, parent) if kind == REVERSE else (child,):
            value[node] = nodes[node].score(parents[node])
            refresh(node)


@compiled
def best_edit(adding: Floats, dropping: Floats, reach: Bools) -> tuple[int, int, int]:
    """The legal edit with the highest gain: (child, parent, kind). reach[a, b]: b follows from a."""
    count = adding.shape[0]
    best, child, parent, kind = GAIN, -1, -1, NOTHING
    for c in range(count):
        for p in range(count):
            # parent -> child closes a cycle when child already leads to parent
            if adding[c, p] > best and not reach[c, p]:
                best, child, parent, kind = adding[c, p], c, p, ADD
    for c in range(count):
        for p in range(count):
            if dropping[c, p] > best:
                best, child, parent, kind = dropping[c, p], c, p, DELETE
    for c in range(count):
        for p in range(count):
            # delete parent -> child, add child -> parent
            if dropping[c, p] + adding[p, c] > best and not _leads_otherwise(reach, dropping, p, c):
                best, child, parent, kind = dropping[c, p] + adding[p, c], c, p, REVERSE
    return child, parent, kind


@compiled
def _leads_otherwise(reach: Bools, dropping: Floats, start: int, goal: int) -> bool:
    """Whether start leads to goal by a way other than the edge start -> goal itself."""
    for c in range(reach.shape[0]):  # noqa: SIM110 (numba has no generators)
        if c != goal and dropping[c, start] > -np.inf and reach[c, goal]:
            return True
    return False


@compiled
def reachable(edges: Bools) -> Bools:
    """reach[a, b]: there is a path of edges from a to b; edges[a, b]: there is an edge."""
    reach = edges.copy()
    for middle in range(len(reach)):
        through = reach[middle]
        for a in range(len(reach)):
            if reach[a, middle]:
                reach[a] |= through
    return reach

"""Greedy searches for edges (Lau 2009, §5.1): the edit that helps most, until none helps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from freshtake.errors import InvalidMotion
from freshtake.variation.paper.networks import Edges, shared_parents, topological_order
from freshtake.variation.paper.regression import Rule
from freshtake.variation.paper.scores import Evaluation, Resynthesis

GAIN = 1e-9  # an edit must be better than this
ROUNDS = 3  # of edits of single edges in a transition network, each followed by a run of all nodes together
NodeScore = Callable[[int, frozenset[int]], float]
Parents = list[frozenset[int]]


def search_acyclic(
    score: NodeScore,
    start: Sequence[frozenset[int]],
    candidates: Sequence[Sequence[int]],
    cap: int,
    kept: Sequence[frozenset[int]],
) -> tuple[Parents, float]:
    """Add, delete or reverse the edge that helps most, never closing a cycle, until nothing helps.

    `candidates` are the possible parents of each node, at most `cap` of them at once, and `kept` ones are never
    deleted. The score is a sum over nodes, so that an edit changes one node's share, a reversal two.
    """
    parents, shares = list(start), [score(k, p) for k, p in enumerate(start)]
    gains: list[dict[frozenset[int], float]] = [{} for _ in parents]

    def gain(node: int, new: frozenset[int]) -> float:
        if new not in gains[node]:
            gains[node][new] = score(node, new)
        return gains[node][new] - shares[node]

    def edits() -> Iterator[tuple[float, dict[int, frozenset[int]]]]:
        above = _ancestors(parents)
        for child, known in enumerate(parents):
            for p in candidates[child]:
                if p != child and p not in known and len(known) < cap and not above[p] >> child & 1:
                    yield gain(child, known | {p}), {child: known | {p}}
            for p in known - kept[child]:
                yield gain(child, known - {p}), {child: known - {p}}
                otherwise = any((above[q] | 1 << q) >> p & 1 for q in known - {p})
                if len(parents[p]) < cap and child in candidates[p] and not otherwise:
                    turned = {child: known - {p}, p: parents[p] | {child}}
                    yield gain(child, turned[child]) + gain(p, turned[p]), turned

    while True:
        value, edit = max(edits(), key=lambda each: each[0], default=(0.0, {}))
        if value <= GAIN:
            return parents, sum(shares)
        for node, new in edit.items():
            parents[node], shares[node] = new, score(node, new)


def _ancestors(parents: Sequence[frozenset[int]]) -> list[int]:
    """Return the nodes that lead to each node, as bits of a number."""
    out = [0] * len(parents)
    for node in topological_order(parents):
        for p in parents[node]:
            out[node] |= out[p] | 1 << p
    return out


def _acyclic(parents: Sequence[frozenset[int]]) -> bool:
    try:
        topological_order(parents)
    except InvalidMotion:
        return False
    return True


class Found(NamedTuple):
    """Edges of a transition network and their evaluation."""

    edges: Edges
    evaluation: Evaluation


def search_core(score: Resynthesis, rule: Rule, start: Sequence[int], pool: Sequence[int], cap: int) -> Found:
    """Edit the parents that all nodes share: one less, one more of `pool` or one exchanged, until nothing helps.

    The same parents for all nodes make them follow the same instances at the same phase, which keeps a body together.
    `start` has the parents in the order of their importance: the last one is exchanged.
    """
    dofs, core = len(score.takes.weights), list(start)

    def tried(nodes: Sequence[int]) -> Found:
        edges = shared_parents(dofs, score.order, nodes)
        return Found(edges, score.evaluate(edges, rule))

    best = tried(core)
    while True:
        fresh = [p for p in pool if p not in core]
        kept = core if len(core) + score.order < cap else core[:-1]
        trials = [[c for c in core if c != gone] for gone in core] + [[*kept, p] for p in fresh]
        found = [tried(trial) for trial in trials]
        top = max(range(len(found)), key=lambda k: found[k].evaluation.total, default=None)
        if top is None or not _better(found[top], best):
            return best
        core, best = trials[top], found[top]


def search_edges(score: Resynthesis, rule: Rule, start: Found, candidates: Sequence[Sequence[int]], cap: int) -> Found:
    """Edit single edges: the best edit of each node, found while all others run as they did, then all together.

    Of the edits that help their own nodes, best first, as many are kept as also help when all nodes run together.
    """
    best = start
    for _ in range(ROUNDS):
        edits = sorted(_node_edits(score, rule, best, candidates, cap), key=lambda edit: -edit[0])
        count, after = len(edits), None
        while count:
            trial = _with_edits(best.edges, [edit for _, edit in edits[:count]], score.order)
            after = Found(trial, score.evaluate(trial, rule))
            if _better(after, best):
                break
            after, count = None, count // 2
        if after is None:
            return best
        best = after
    return best


def _node_edits(
    score: Resynthesis, rule: Rule, now: Found, candidates: Sequence[Sequence[int]], cap: int
) -> Iterator[tuple[float, dict[int, frozenset[int]]]]:
    """Yield the gain and the edit of every node that gains by one edge more, less, or reversed."""
    dofs, order = len(now.edges), score.order
    shares = now.evaluation.scores.sum(axis=(0, 1))

    def gain(edit: dict[int, frozenset[int]], edges: Edges) -> float:
        return sum(score.node(k, edges, rule, now.evaluation) - float(shares[k]) for k in edit)

    for i, listed in enumerate(now.edges):
        known, own = frozenset(listed), {s * dofs + i for s in range(order)}
        trials = [{i: known | {p}} for p in candidates[i] if p not in known and len(known) < cap]
        trials += [{i: known - {p}} for p in known - own]
        for p in known - own:
            j = p - order * dofs
            if j >= 0 and len(now.edges[j]) < cap:  # only edges within the predicted frame can be reversed
                trials.append({i: known - {p}, j: frozenset(now.edges[j]) | {order * dofs + i}})
        after = [_with_edits(now.edges, [trial], order) for trial in trials]  # unchanged where it closes a cycle
        gains = [(gain(t, edges), t) for t, edges in zip(trials, after, strict=True) if edges != now.edges]
        top = max(gains, key=lambda each: each[0], default=(0.0, {}))
        if top[0] > GAIN:
            yield top


def _with_edits(edges: Edges, edits: Sequence[dict[int, frozenset[int]]], order: int) -> Edges:
    """Apply edits one after another, leaving out those that close a cycle or touch a node a second time."""
    first, out, touched = order * len(edges), [frozenset(p) for p in edges], set[int]()
    for edit in edits:
        after = [edit.get(k, p) for k, p in enumerate(out)]
        if touched & edit.keys() or not _acyclic([frozenset(p - first for p in q if p >= first) for q in after]):
            continue
        out, touched = after, touched | edit.keys()
    return tuple(tuple(sorted(p)) for p in out)


def _better(new: Found, old: Found) -> bool:
    """Return whether a network scores better by more than two standard errors, take by take with the same noise."""
    gain, error = old.evaluation.worse_by(new.evaluation)
    return gain > max(2.0 * error, GAIN)

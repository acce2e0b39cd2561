"""The paper's search for the transition network: every edge is decided by the joint score (Lau 2009, §5.1, eq. 4)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np

from freshtake.errors import InvalidMotion
from freshtake.methods.progress import Progress, Report
from freshtake.variation.network.joint_scores import JointScores, Mapper, Outcome
from freshtake.variation.network.networks import Edges, own_parents, topological_order
from freshtake.variation.network.node_scores import TransitionData, TransitionNode
from freshtake.variation.network.structure_search import GAIN, NodeScores
from freshtake.variation.settings import Settings

EXACT = 64  # up to this many edits, all are tried
THOROUGH = 4  # times as many rounds
FEWEST = 12  # candidates that a node keeps after the first round


class Proposal(NamedTuple):
    """A node with other parents, and how much better it alone would score."""

    node: int
    parents: frozenset[int]  # without its own
    gain: float


class SearchState(NamedTuple):
    """The current network, its joint score, and every example as it predicts it."""

    edges: Edges
    score: float
    outcomes: list[Outcome]


class Search(NamedTuple):
    """What stays the same over the rounds, and which edits were refused."""

    joint: JointScores
    data: TransitionData
    settings: Settings
    mapper: Mapper
    kept: frozenset[int]
    shortlists: Sequence[Sequence[int]]
    refused: set[tuple[int, frozenset[int]]]


def search_jointly(
    joint: JointScores,
    data: TransitionData,
    start: Edges,
    kept: frozenset[int],
    settings: Settings,
    report: Report,
    mapper: Mapper,
) -> Edges:
    """Greedy additions and deletions with all nodes propagated; candidates are single nodes, `kept` ones stay.

    Each node proposes, round after round, the edit that is best for itself while the others follow the paths that they
    take now. Proposals are put to eq. 4 with all nodes propagated, all at once, and in halves where that does not
    raise it; what raises it is taken. The budget is so many rounds (the paper's search ran for up to two hours); a
    reversal inside the predicted frame is a deletion and an addition. No edit closes a cycle inside that frame.
    """
    rounds = settings.chosen("rounds") * (THOROUGH if settings.thorough else 1)
    if rounds == 0:
        return start
    state = _evaluated(joint, start)
    search = Search(joint, data, settings, mapper, kept, _shortlists(joint, data, state, settings, mapper), set())
    changed = False
    for turn in range(rounds):
        report(Progress(0.45 + 0.3 * turn / rounds, f"what predicts what: round {turn + 1} of at most {rounds}"))
        wanted = _proposals(search, state)
        if not wanted and not changed:
            break
        if not wanted:  # what was refused may be good after what was taken since
            search.refused.clear()
            changed = False
            continue
        fresh = _take(joint, state, wanted, data.instances.order, search.refused)
        changed = changed or fresh is not state
        state = fresh
    return state.edges


def few_edits(dofs: int, settings: Settings) -> bool:
    """Whether all edits of a network can be tried, as of strokes."""
    return bool(dofs * (dofs - 1) * (settings.order + settings.chosen("slice_edges")) <= EXACT)


def steepest(joint: JointScores, settings: Settings, report: Report) -> Edges:
    """From own parents, the edit that raises the joint score most, until none does (Lau 2009, §5.1)."""
    order, dofs = joint.instances.order, joint.instances.rows.shape[1]
    state = _evaluated(joint, own_parents(dofs, order))
    cap, edits = settings.max_parents, 0
    while True:
        best = state
        for i, p in product(range(dofs), range((order + settings.chosen("slice_edges")) * dofs)):
            parents = frozenset(state.edges[i]) ^ {p}
            trial = (
                None if p % dofs == i or len(parents) > cap else _with(state.edges, Proposal(i, parents, 0.0), order)
            )
            fresh = best if trial is None else _evaluated(joint, trial)
            if fresh.score > best.score + GAIN:
                best = fresh
        edits += 1
        report(Progress(0.15 + 0.6 * (1.0 - 0.8**edits), f"what predicts what: change {edits}"))
        if best is state:
            return state.edges
        state = best


def _proposals(search: Search, state: SearchState) -> list[Proposal]:
    """The best edit of every node that would gain by one, the greatest gain first; if none would, of every node."""

    def propose(i: int, *, gaining: bool) -> Proposal:
        return _best_edit(search, state, i, gaining=gaining)

    for gaining in (True, False):
        proposals = search.mapper(partial(propose, gaining=gaining), range(len(search.data.columns)))
        legal = [p for p in proposals if np.isfinite(p.gain) and not (gaining and p.gain <= GAIN)]
        if legal:
            return sorted(legal, key=lambda p: (-p.gain, p.node))
    return []


def _take(
    joint: JointScores,
    state: SearchState,
    wanted: Sequence[Proposal],
    order: int,
    refused: set[tuple[int, frozenset[int]]],
) -> SearchState:
    """Proposals put to the joint score, all together, then by halves; single ones that do not raise it are remembered.

    Most proposals are good for the whole, so that this takes few scores.
    """
    waiting = [list(wanted)]
    while waiting:
        group = waiting.pop(0)
        trial = state.edges
        for proposal in group:
            trial = _with(trial, proposal, order) or trial
        fresh = state if trial == state.edges else _evaluated(joint, trial)
        if fresh.score > state.score + GAIN:
            state = fresh
        elif len(group) > 1:
            half = len(group) // 2
            waiting += [group[:half], group[half:]]
        else:
            refused.add((group[0].node, group[0].parents))
    return state


def _shortlists(
    joint: JointScores, data: TransitionData, state: SearchState, settings: Settings, mapper: Mapper
) -> list[list[int]]:
    """Per node the candidates that look best beside its own parents."""
    dofs, slices = len(data.columns), data.instances.order + settings.chosen("slice_edges")

    def listed(i: int) -> list[int]:
        candidates = [p for p in range(slices * dofs) if p % dofs != i]
        if settings.thorough or len(candidates) <= FEWEST:
            return candidates
        scores = seen_node(i, data, joint, state.outcomes, settings).glance(frozenset(), candidates)
        keep = max(FEWEST, int(np.ceil(settings.chosen("screening") * len(candidates))))
        best = {candidates[k] for k in np.argsort(-scores, kind="stable")[:keep]}
        return sorted(best | {p for p in state.edges[i] if p % dofs != i})

    return list(mapper(listed, range(dofs)))


def _evaluated(joint: JointScores, edges: Edges) -> SearchState:
    outcomes = joint.outcomes(edges)
    return SearchState(edges, float(joint.node_scores(outcomes).sum()), outcomes)


def seen_node(
    index: int, data: TransitionData, joint: JointScores, outcomes: Sequence[Outcome], settings: Settings
) -> NodeScores:
    """Scores of one node while the others are at the frames that they were propagated to (or, one step, at the data).

    The propagated frames stand behind the data, where queries look; instances are looked for in the data.
    """
    others = [outcome.values for outcome in outcomes] if settings.propagate else joint.clips
    if settings.regression != "kernel":
        from freshtake.variation.network.parametric_nodes import FittedNode, fitted_way

        velocity_weight = joint.way.rule.velocity_weight
        way = fitted_way(settings.regression, velocity_weight, data.instances.order, settings)
        return FittedNode(index, joint.pools, joint.clips, others, joint.weights, way)
    known = data.instances
    paths = np.concatenate(others).T.copy()
    paths[index] = data.columns[index]
    both = data._replace(
        columns=np.concatenate([data.columns, paths], axis=1),
        instances=known._replace(queries=known.queries + len(known.rows)),
    )
    how = {"deltas": settings.deltas, "propagate": settings.propagate, "calibrated": settings.calibrated}
    return TransitionNode(index, both, joint.way.rule, **how)


def _best_edit(search: Search, state: SearchState, index: int, *, gaining: bool) -> Proposal:
    """The addition or deletion that helps this node most and was not refused before; with `gaining`, only a gain."""
    edges, refused, order = state.edges, search.refused, search.data.instances.order
    scorer = seen_node(index, search.data, search.joint, state.outcomes, search.settings)
    dofs = len(edges)
    now = frozenset(p for p in edges[index] if p % dofs != index)
    value = scorer.score(now)
    above = value if gaining else -np.inf
    tried: list[tuple[float, frozenset[int]]] = []
    fresh = [c for c in search.shortlists[index] if c not in now and (index, now | {c}) not in refused]
    fresh = [c for c in fresh if _legal(edges, index, now | {c}, order)]
    if len(now) < search.settings.max_parents - order and fresh:
        tried += zip(scorer.additions(now, fresh, above).tolist(), [now | {c} for c in fresh], strict=True)
    gone = [now - {p} for p in sorted(now - search.kept) if (index, now - {p}) not in refused]
    tried += [(scorer.score(parents, above), parents) for parents in gone]
    finite = [(score, parents) for score, parents in tried if np.isfinite(score)]
    if not finite:
        return Proposal(index, now, -np.inf)
    best = max(range(len(finite)), key=lambda k: (finite[k][0], -k))
    return Proposal(index, finite[best][1], finite[best][0] - value)


def _with(edges: Edges, proposal: Proposal, order: int) -> Edges | None:
    """The edges after an edit, or None when that closes a cycle."""
    if not _legal(edges, proposal.node, proposal.parents, order):
        return None
    own_nodes = {proposal.node + s * len(edges) for s in range(order)}
    changed = tuple(sorted({*own_nodes, *proposal.parents}))
    return tuple(changed if i == proposal.node else parents for i, parents in enumerate(edges))


def _legal(edges: Edges, node: int, parents: frozenset[int], order: int) -> bool:
    first = order * len(edges)
    if not any(p >= first for p in parents):
        return True
    inside = [
        [p - first for p in (parents if i == node else node_parents) if p >= first]
        for i, node_parents in enumerate(edges)
    ]
    try:
        topological_order(inside)
    except InvalidMotion:
        return False
    return True

"""The paper's search for the transition network: every edge is decided by the joint score (Lau 2009, §5.1, eq. 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from freshtake.errors import InvalidMotion
from freshtake.motion.progress import Progress, Report
from freshtake.variation.joint_scores import JointScores, Mapper, Outcome
from freshtake.variation.network import Edges, own_parents, topological_order
from freshtake.variation.node_scores import TransitionData, TransitionNode
from freshtake.variation.settings import Settings
from freshtake.variation.structure_search import GAIN, NodeScores

EXACT = 64  # so many edits are all tried
THOROUGH = 4  # times as many rounds
FEWEST = 12  # candidates that a node keeps after the first round


class Proposal(NamedTuple):
    """A node with other parents, and how much better it alone would score."""

    node: int
    parents: frozenset[int]  # without its own
    gain: float


class Doing(NamedTuple):
    """Where the search stands."""

    edges: Edges
    score: float
    outcomes: list[Outcome]


def search_jointly(
    joint: JointScores, data: TransitionData, settings: Settings, report: Report, mapper: Mapper
) -> Edges:
    """Greedy additions and deletions from own parents alone; candidates are single nodes.

    With few DOFs (strokes) every edit is put to eq. 4 and the best one made, until none improves it, as the paper has
    it. With many, each node proposes, round after round, the edit that is best for itself while the others follow the
    paths that they take now; in the order of these gains every proposal is put to eq. 4 with all nodes propagated, and
    kept when that rises. The budget is `settings.rounds` rounds (the paper's search ran for up to two hours); a
    reversal inside the predicted frame is a deletion and an addition. No edit closes a cycle inside that frame.
    """
    dofs, order = len(data.columns), data.instances.order
    doing = _doing(joint, own_parents(dofs, order))
    if dofs * (dofs - 1) * (order + settings.edges_inside) <= EXACT:
        return _steepest(joint, doing, settings, report).edges
    shortlists = _shortlists(joint, data, doing, settings, mapper)
    refused: set[tuple[int, frozenset[int]]] = set()
    rounds = settings.rounds * (THOROUGH if settings.thorough else 1)
    changed = False
    for turn in range(rounds):

        def tell(done: float, turn: int = turn) -> None:
            text = f"transition network: round {turn + 1} of at most {rounds}"
            report(Progress(0.15 + 0.6 * (turn + done) / rounds, text))

        wanted = _proposals(joint, data, doing, shortlists, settings, refused, mapper)
        if not wanted and not changed:
            break
        if not wanted:  # what was refused may be good after what was taken since
            refused.clear()
            changed = False
            continue
        fresh = _take(joint, doing, wanted, order, refused, tell)
        changed = changed or fresh is not doing
        doing = fresh
    return doing.edges


def _steepest(joint: JointScores, doing: Doing, settings: Settings, report: Report) -> Doing:
    """The edit that raises the joint score most, again and again (Lau 2009, §5.1)."""
    dofs, order = len(doing.edges), joint.instances.order
    cap, made = settings.max_parents, 0
    while True:
        best = doing
        for i, p in product(range(dofs), range((order + settings.edges_inside) * dofs)):
            parents = frozenset(doing.edges[i]) ^ {p}
            trial = (
                None if p % dofs == i or len(parents) > cap else _with(doing.edges, Proposal(i, parents, 0.0), order)
            )
            fresh = best if trial is None else _doing(joint, trial)
            if fresh.score > best.score + GAIN:
                best = fresh
        made += 1
        report(Progress(0.15 + 0.6 * (1.0 - 0.8**made), f"transition network: edit {made}"))
        if best is doing:
            return doing
        doing = best


def _proposals(
    joint: JointScores,
    data: TransitionData,
    doing: Doing,
    shortlists: Sequence[Sequence[int]],
    settings: Settings,
    refused: set[tuple[int, frozenset[int]]],
    mapper: Mapper,
) -> list[Proposal]:
    """The best edit of every node that would gain by one, the greatest gain first; if none would, of every node."""
    order = data.instances.order

    def propose(i: int) -> Proposal:
        scorer = seen_node(i, data, joint, doing.outcomes, settings)
        return best_edit(scorer, i, doing.edges, order, shortlists[i], settings.max_parents - order, refused)

    found = [p for p in mapper(propose, range(len(data.columns))) if np.isfinite(p.gain)]
    gaining = [p for p in found if p.gain > GAIN]
    return sorted(gaining or found, key=lambda p: (-p.gain, p.node))


def _take(
    joint: JointScores,
    doing: Doing,
    wanted: Sequence[Proposal],
    order: int,
    refused: set[tuple[int, frozenset[int]]],
    tell: Callable[[float], None],
) -> Doing:
    """Every proposal put to the joint score in turn; those that do not raise it are remembered."""
    for number, proposal in enumerate(wanted):
        trial = _with(doing.edges, proposal, order)
        fresh = None if trial is None else _doing(joint, trial)
        if fresh is not None and fresh.score > doing.score + GAIN:
            doing = fresh
        else:
            refused.add((proposal.node, proposal.parents))
        tell((number + 1) / len(wanted))
    return doing


def _shortlists(
    joint: JointScores, data: TransitionData, doing: Doing, settings: Settings, mapper: Mapper
) -> list[list[int]]:
    """Per node the candidates that look best beside its own parents."""
    dofs, slices = len(data.columns), data.instances.order + settings.edges_inside

    def listed(i: int) -> list[int]:
        candidates = [p for p in range(slices * dofs) if p % dofs != i]
        if settings.thorough or len(candidates) <= FEWEST:
            return candidates
        found = seen_node(i, data, joint, doing.outcomes, settings).glance(frozenset(), candidates)
        keep = max(FEWEST, int(np.ceil(settings.screening * len(candidates))))
        return sorted(candidates[k] for k in np.argsort(-found, kind="stable")[:keep])

    return list(mapper(listed, range(dofs)))


def _doing(joint: JointScores, edges: Edges) -> Doing:
    outcomes = joint.outcomes(edges)
    return Doing(edges, float(joint.node_scores(outcomes).sum()), outcomes)


def seen_node(
    index: int, data: TransitionData, joint: JointScores, outcomes: Sequence[Outcome], settings: Settings
) -> NodeScores:
    """Scores of one node while the others are at the frames that they were propagated to.

    The propagated frames stand behind the data, where queries look; instances are looked for in the data.
    """
    if settings.regression != "kernel":
        from freshtake.variation.parametric_nodes import FittedNode

        return FittedNode(
            index, joint.pools, joint.clips, [found.values for found in outcomes], joint.weights,
            regression=settings.regression, velocity_weight=joint.way.rule.velocity_weight,
            order=data.instances.order, deltas=settings.deltas, propagate=settings.propagate, calibrated=False,
        )  # fmt: skip
    known = data.instances
    paths = np.concatenate([found.values for found in outcomes]).T.copy()
    paths[index] = data.columns[index]
    both = data._replace(
        columns=np.concatenate([data.columns, paths], axis=1),
        instances=known._replace(queries=known.queries + len(known.rows)),
    )
    return TransitionNode(
        index, both, joint.way.rule, deltas=settings.deltas, propagate=settings.propagate, calibrated=False
    )


def best_edit(
    scorer: NodeScores,
    index: int,
    edges: Edges,
    order: int,
    candidates: Sequence[int],
    cap: int,
    refused: set[tuple[int, frozenset[int]]],
) -> Proposal:
    """The addition or deletion that helps this node most and was not refused before."""
    dofs = len(edges)
    now = frozenset(p for p in edges[index] if p % dofs != index)
    value = scorer.score(now)
    tried: list[tuple[float, frozenset[int]]] = []
    fresh = [c for c in candidates if c not in now and (index, now | {c}) not in refused]
    if len(now) < cap and fresh:
        tried += zip(scorer.additions(now, fresh).tolist(), [now | {c} for c in fresh], strict=True)
    gone = [now - {p} for p in sorted(now) if (index, now - {p}) not in refused]
    tried += [(scorer.score(own), own) for own in gone]
    legal = [(score, own) for score, own in tried if np.isfinite(score) and _legal(edges, index, own, order)]
    if not legal:
        return Proposal(index, now, -np.inf)
    best = max(range(len(legal)), key=lambda k: (legal[k][0], -k))
    return Proposal(index, legal[best][1], legal[best][0] - value)


def _with(edges: Edges, proposal: Proposal, order: int) -> Edges | None:
    """The edges after an edit, or None when that closes a cycle."""
    if not _legal(edges, proposal.node, proposal.parents, order):
        return None
    own = {proposal.node + s * len(edges) for s in range(order)}
    changed = tuple(sorted({*own, *proposal.parents}))
    return tuple(changed if i == proposal.node else parents for i, parents in enumerate(edges))


def _legal(edges: Edges, node: int, parents: frozenset[int], order: int) -> bool:
    first = order * len(edges)
    if not any(p >= first for p in parents):
        return True
    inside = [[p - first for p in (parents if i == node else own) if p >= first] for i, own in enumerate(edges)]
    try:
        topological_order(inside)
    except InvalidMotion:
        return False
    return True

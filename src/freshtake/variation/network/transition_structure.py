"""Learning the transition network: what is scored, where searches start, which result is kept (Lau 2009, §5.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from freshtake.methods.progress import Progress, Report
from freshtake.numeric.arrays import Floats
from freshtake.variation.network.instances import TransitionInstances, pools
from freshtake.variation.network.joint_scores import JointScores, Mapper, way_of
from freshtake.variation.network.networks import Edges, TransitionNetwork, own_parents
from freshtake.variation.network.node_scores import TransitionData, TransitionNode
from freshtake.variation.network.regression import Regression
from freshtake.variation.network.regression_rules import largest_movers
from freshtake.variation.network.structure_search import NodeScores, search_node
from freshtake.variation.settings import Settings

SPARE = 6  # a sixth of a node's places is kept for parents of its own choice
TOLERANCE = 1.01  # how much the joint error may grow in exchange for better single nodes
SMALL = 5  # nodes that are taken or left together
THOROUGH_CORES = (-2, 0, 2)
_Tell = Callable[[float, str], None]


class CoreSearchResult(NamedTuple):
    """The edges found by searching every node alone, and their joint error."""

    edges: Edges
    error: float  # of all nodes propagated together
    core: frozenset[int]  # nodes that are parents of all


def transition_data(instances: TransitionInstances, weights: Floats) -> TransitionData:
    """Shared by all nodes; a candidate parent is a DOF at all known slices."""
    dofs = instances.rows.shape[1]
    members = np.arange(dofs)[:, None] + dofs * np.arange(instances.order)[None]
    return TransitionData(instances, np.ascontiguousarray(instances.rows.T), pools(instances), weights, members)


def single_nodes(data: TransitionData) -> TransitionData:
    """The same where a candidate is one node: X_j[t], X_j[t+1], and those of the predicted frame."""
    count = (data.instances.order + 1) * len(data.columns)
    return data._replace(members=np.arange(count)[:, None])


def node_scores(index: int, data: TransitionData, joint: JointScores, settings: Settings) -> NodeScores:
    """The scores of one node: by kernel regression, or by a fitted function."""
    rule = joint.way.rule
    if settings.regression == "kernel":
        return TransitionNode(
            index, data, rule, deltas=settings.deltas, propagate=settings.propagate, calibrated=settings.calibrated
        )
    from freshtake.variation.network.parametric_nodes import FittedNode, fitted_way

    way = fitted_way(settings.regression, rule.velocity_weight, data.instances.order, settings)
    return FittedNode(index, joint.pools, joint.clips, joint.clips, joint.weights, way)


def learn_transition(
    names: Sequence[str],
    data: TransitionData,
    rule: Regression,
    settings: Settings,
    rng: np.random.Generator,
    report: Report,
    mapper: Mapper,
) -> TransitionNetwork:
    """Own parents are always kept; the search starts from them and a shared core, which the paper does not have.

    First every node is searched with the others at the data; then, for some rounds, with all nodes propagated.
    """
    from freshtake.variation.network.joint_search import few_edits, search_jointly, steepest

    order, own = data.instances.order, own_parents(len(names), data.instances.order)
    joint = JointScores(data.instances, data.weights, way_of(rule, settings, pull=settings.chosen("pull")), mapper)
    if settings.parents in ("own", "none"):
        return TransitionNetwork(tuple(names), order, own)
    if settings.chosen("rounds") > 0 and settings.chosen("core") == 0 and few_edits(len(names), settings):
        edges = steepest(joint, settings, report)
    else:
        alone = _search_alone(names, joint, single_nodes(data), settings, report, mapper)
        edges = search_jointly(joint, single_nodes(data), alone.edges, alone.core, settings, report, mapper)
    if settings.parents == "random":
        edges = random_parents(edges, order, rng)
    return TransitionNetwork(tuple(names), order, edges)


def _search_alone(
    names: Sequence[str], joint: JointScores, data: TransitionData, settings: Settings, report: Report, mapper: Mapper
) -> CoreSearchResult:
    """The best of the searches from one core, or, when thorough, from several."""
    size: int = settings.chosen("core")
    sizes = {size + more for more in (THOROUGH_CORES if settings.thorough and size > 1 else (0,))}
    best: CoreSearchResult | None = None
    for number, size in enumerate(sorted(sizes)):

        def tell(done: float, what: str, number: int = number) -> None:
            report(Progress(0.15 + 0.3 * (number + done) / len(sizes), f"what predicts what: {what}"))

        result = _from_core(names, joint, data, settings, size, tell, mapper)
        if best is None or result.error < best.error:
            best = result
    assert best is not None
    return best


def _from_core(
    names: Sequence[str],
    joint: JointScores,
    data: TransitionData,
    settings: Settings,
    size: int,
    tell: _Tell,
    mapper: Mapper,
) -> CoreSearchResult:
    """Every node searched on its own beside a core of DOFs that all share, then checked with all propagated.

    A core departs from the paper: from own parents alone, four examples are overfitted. Nodes that were scored with
    the others at the data can drift together, hence the check.
    """
    dofs, order = len(names), data.instances.order
    cap = settings.max_parents - order
    movers = largest_movers(data)
    core = [(order - 1) * dofs + i for i in movers[: min(size, cap - cap // SPARE)]]
    rank = {dof: place for place, dof in enumerate(movers)}
    screening = 1.0 if settings.thorough else settings.chosen("screening")
    within: bool = settings.chosen("slice_edges")

    def search(index: int) -> tuple[int, ...]:
        kept = frozenset(p for p in core if p % dofs != index)
        known = [p for p in range(order * dofs) if p % dofs != index]
        inside = [order * dofs + j for j in range(dofs) if within and rank[j] < rank[index]]
        node = node_scores(index, data, joint, settings)
        found = search_node(node, known + inside, kept, cap=cap, screening=screening, kept=kept)
        return tuple(sorted(found.parents))

    own = own_parents(dofs, order)
    plain = tuple(tuple(sorted({*own[i], *(p for p in core if p % dofs != i)})) for i in range(dofs))
    edges = []
    for index, parents in enumerate(mapper(search, range(dofs))):
        edges.append(tuple(sorted({*own[index], *parents})))
        tell(0.9 * (index + 1) / dofs, names[index])
    tell(0.9, "all nodes together")
    return CoreSearchResult(*checked(joint, plain, tuple(edges), movers), frozenset(core))


def checked(joint: JointScores, safe: Edges, wanted: Edges, sequence: Sequence[int]) -> tuple[Edges, float]:
    """Take the wanted parents of as many nodes as the joint propagation bears; halves are tried where all fail."""
    current, least = safe, _size(joint.errors(safe))
    waiting = [list(sequence)]
    while waiting:
        group = waiting.pop(0)
        trial = tuple(wanted[i] if i in set(group) else parents for i, parents in enumerate(current))
        error = least if trial == current else _size(joint.errors(trial))
        if error <= TOLERANCE * least:
            current, least = trial, min(error, least)
        elif len(group) > SMALL:
            half = len(group) // 2
            waiting += [group[:half], group[half:]]
    return current, least


def _size(errors: Floats) -> float:
    return float(np.sqrt((errors * errors).mean()))


def random_parents(edges: Edges, order: int, rng: np.random.Generator) -> Edges:
    """As many parents for every node, own ones kept, the others drawn from all known nodes."""
    dofs = len(edges)
    out = []
    for i, parents in enumerate(edges):
        own_nodes = {i + s * dofs for s in range(order)}
        others = np.array([p for p in range(order * dofs) if p not in own_nodes])
        drawn = rng.choice(others, min(len(parents) - order, len(others)), replace=False)
        out.append(tuple(sorted({*own_nodes, *(int(p) for p in drawn)})))
    return tuple(out)

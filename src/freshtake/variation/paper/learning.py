"""Learn a PaperModel from examples, offline (Lau 2009, §5)."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip
from freshtake.motion.cycles.cycles import is_cyclic
from freshtake.numeric.arrays import Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.variation.examples import Material, check_examples, material_of
from freshtake.variation.paper.model import PaperModel, Settings
from freshtake.variation.paper.networks import Edges, PriorNetwork, TransitionNetwork, shared_parents
from freshtake.variation.paper.prior import PriorInstances, PriorScores, prior_instances
from freshtake.variation.paper.regression import Rule
from freshtake.variation.paper.search import (
    LONGEST,
    Found,
    Mapper,
    Resynthesis,
    Takes,
    search_acyclic,
    search_core,
    search_edges,
)
from freshtake.variation.phase import representative

NEIGHBORS = (30, 15, 60)  # §8; the first unless another scores better
VELOCITY_WEIGHTS = (1.0, 0.3, 3.0)  # chosen the same way
WIDTHS = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2)  # K_W as fractions of the usual distance between takes
FRESH = 6  # nodes tried as additional shared parents


@one_blas_thread()
def learn(
    examples: Sequence[Any],
    settings: Settings | None = None,
    *,
    rng: np.random.Generator,
    report: Report | None = None,
    names: Sequence[str] | None = None,
    frame_time: float | None = None,
    cyclic: bool | None = None,
) -> PaperModel:
    """Learn both networks from a few examples of one movement (usually four).

    Args:
        examples: clips, strokes, point clips, or arrays (frames, DOFs) with `names` and `frame_time` (in seconds).
        settings: the paper's parameters; parameters left at None are chosen by the score.
        rng: source of randomness for the noise in scoring and for the restarts.
        report: receives `Progress`; an exception that it raises ends the learning.
        cyclic: whether the movement repeats; detected from clips if None.

    Returns:
        A model that samples variants.
    """
    chosen, tell = settings or Settings(), report or silent
    tell(Progress(0.0, "reading the examples"))
    material = material_of(examples, names, frame_time)
    if len(examples) < 2:
        raise UsageError(
            "a structure cannot be learned from one example: give at least two, or reuse the structure of a learned "
            "model (--structure, with_examples)"
        )
    check_examples(examples, material, chosen.order + 2)
    repeats = cyclic if cyclic is not None else isinstance(examples[0], Clip) and is_cyclic(list(examples))
    with ThreadPoolExecutor() as pool:
        model = _learned(material, chosen, repeats, rng, tell, pool.map)
    tell(Progress(1.0, "done"))
    return model


def _learned(
    material: Material, settings: Settings, cyclic: bool, rng: np.random.Generator, report: Report, mapper: Mapper
) -> PaperModel:
    searched = [material.values[k] for k in representative(material.values)]
    takes = Takes(searched, material.weights, material.frame_time, cyclic)
    frames = int(LONGEST * max(map(len, searched)))
    # A single draw of a take may be lucky: score two draws.
    noise = rng.standard_normal((2, frames, len(material.names)))
    score = Resynthesis(takes, settings.order, noise, printed=settings.score == "printed", mapper=mapper)
    report(Progress(0.05, "choosing neighbours and widths"))
    moving = np.concatenate(list(takes.values)).std(axis=0) * takes.weights
    movers = [int(k) for k in np.argsort(-moving, kind="stable")]  # DOFs by how far they move the body
    # At first the largest movers at the newest known frame predict all nodes.
    core = [(settings.order - 1) * len(movers) + i for i in movers[: settings.max_parents - settings.order]]
    rule = _chosen_rule(score, shared_parents(len(movers), settings.order, core), settings)
    report(Progress(0.3, "searching the transition network"))
    network = _searched(score, rule, movers, core, settings, rng)
    rule = _chosen_width(score, network.edges, rule, settings)
    report(Progress(0.8, "searching the prior network"))
    pairs = prior_instances(searched, settings.prior_pairs, material.weights)
    prior, prior_rule = learn_prior(pairs, movers, settings, rule.neighbors, rng)
    return PaperModel(
        material, settings, cyclic,
        PriorNetwork(material.names, prior), TransitionNetwork(material.names, settings.order, network.edges),
        prior_rule, rule,
    )  # fmt: skip


def _chosen_rule(score: Resynthesis, edges: Edges, settings: Settings) -> Rule:
    """Choose K_W, then the velocity weight and k, each by the score of eq. 4, unless given."""
    rule = Rule(settings.neighbors or NEIGHBORS[0], 1.0, VELOCITY_WEIGHTS[0])
    if settings.velocity_weight is not None:
        rule = rule._replace(velocity_weight=settings.velocity_weight)
    rule = _chosen_width(score, edges, rule, settings)
    if settings.velocity_weight is None:
        rule = _best(score, edges, [rule._replace(velocity_weight=v) for v in VELOCITY_WEIGHTS])
    if settings.neighbors is None:
        rule = _best(score, edges, [rule._replace(neighbors=k) for k in NEIGHBORS])
    return rule


def _best(score: Resynthesis, edges: Edges, rules: Sequence[Rule]) -> Rule:
    """Return the first rule unless another scores better by more than two standard errors, take by take."""
    best, evaluation = rules[0], score.evaluate(edges, rules[0])
    for rule in rules[1:]:
        tried = score.evaluate(edges, rule)
        gain, error = evaluation.worse_by(tried)
        if gain > 2.0 * error:
            best, evaluation = rule, tried
    return best


def _chosen_width(score: Resynthesis, edges: Edges, rule: Rule, settings: Settings) -> Rule:
    """Choose K_W: the narrowest that scores as well as the best, within two standard errors, take by take.

    The paper does not say how it chose K_W. The score hardly changes from narrow to moderate widths and falls for
    wide ones, which blur the motion; noise grows with K_W, and noise that does not improve the score only shakes.
    """
    if settings.kernel_width is not None:
        return rule._replace(width=settings.kernel_width)
    unit = usual_distance(score.takes, edges, score.order)
    rules = [rule._replace(width=share * unit) for share in WIDTHS]
    tried = [score.evaluate(edges, each) for each in rules]
    best = max(tried, key=lambda each: each.total)
    gaps = [each.worse_by(best) for each in tried]
    return next(r for r, (gap, error) in zip(rules, gaps, strict=True) if gap <= 2.0 * error)


def usual_distance(takes: Takes, edges: Edges, order: int) -> float:
    """Return the median distance of an instance to the nearest in another take, by the parents of most nodes."""
    dofs = len(takes.weights)
    counts = np.bincount([p for parents in edges for p in parents if p < order * dofs], minlength=order * dofs)
    shared = [int(p) for p in np.flatnonzero(2 * counts >= min(2 * counts.max(), dofs))]
    steps, columns = [p // dofs for p in shared], [p % dofs for p in shared]
    rows = [
        np.stack([x[s : len(x) - order + s, c] * takes.weights[c] for s, c in zip(steps, columns, strict=True)], axis=1)
        for x in takes.values
    ]
    gaps = []
    for k, x in enumerate(rows):
        for y in rows[:k] + rows[k + 1 :]:
            squares = (x * x).sum(axis=1)[:, None] + (y * y).sum(axis=1) - 2.0 * x @ y.T
            gaps.append(np.sqrt(np.maximum(squares, 0.0)).min(axis=1))
    return max(float(np.median(np.concatenate(gaps))), 1e-9) if gaps else 1.0


def _searched(
    score: Resynthesis, rule: Rule, movers: Sequence[int], core: Sequence[int], settings: Settings,
    rng: np.random.Generator,
) -> Found:  # fmt: skip
    """Search the shared parents from the largest movers and from other starts; then single edges."""
    dofs, order, cap = len(movers), settings.order, settings.max_parents
    newest = (order - 1) * dofs
    pool = [newest + i for i in movers[len(core) : len(core) + FRESH // 2]]
    pool += [(order - 2) * dofs + i for i in movers[: FRESH - len(pool)]] if order > 1 else []
    best = search_core(score, rule, core, pool, cap)
    for _ in range(settings.restarts):
        others = [newest + int(movers[k]) for k in rng.permutation(min(dofs, 2 * len(core)))[: len(core)]]
        again = search_core(score, rule, others, [], cap)
        if again.evaluation.total > best.evaluation.total:
            best = again
    return search_edges(score, rule, best, _candidates(score.takes, order), cap)


def _candidates(takes: Takes, order: int) -> list[list[int]]:
    """Return for each node the nodes to be tried as additional parents.

    All nodes if there are few DOFs; else the nodes whose changes correlate most with the node's, at the newest known
    frame and at the predicted one.
    """
    dofs = len(takes.weights)
    # With up to eight DOFs, every edge can be tried.
    if dofs <= 8:
        return [[p for p in range((order + 1) * dofs) if p % dofs != i] for i in range(dofs)]
    steps = np.concatenate([np.diff(x, axis=0) for x in takes.values])
    # Try only two nodes at each of two slices: the cost of the search grows with the candidates.
    return [[s * dofs + j for s in (order - 1, order) for j in row] for row in _most_correlated(steps, 2)]


class LearnedPrior(NamedTuple):
    """The edges of the prior network and the parameters of its regression."""

    edges: Edges
    rule: Rule


def learn_prior(
    instances: PriorInstances, movers: Sequence[int], settings: Settings, neighbors: int, rng: np.random.Generator
) -> LearnedPrior:
    """Search the prior network by eq. 3 from several starts, with a separate K_W, chosen by the same score."""
    dofs = len(movers)
    neighbors = min(neighbors, max(2, len(instances.values) // 2))
    kept = [frozenset[int]()] * dofs + [frozenset([i]) for i in range(dofs)]
    start = _prior_start(movers)
    rule = _prior_rule(instances, start, settings, neighbors)
    scores = PriorScores(instances, rule)
    # Each node has a dozen candidates that correlate most, and its initial parents: more would slow the search down.
    correlated = _most_correlated(instances.values, 12)
    candidates = [sorted({*correlated[k], *parents} - {k}) for k, parents in enumerate(start)]
    cap = settings.max_parents
    best, value = search_acyclic(scores.node, start, candidates, cap, kept)
    for _ in range(settings.restarts):
        other = _prior_start([movers[k] for k in rng.permutation(dofs)])
        tried_edges, total = search_acyclic(scores.node, other, candidates, cap, kept)
        if total > value:
            best, value = tried_edges, total
    edges = tuple(tuple(sorted(parents)) for parents in best)
    return LearnedPrior(edges, _prior_rule(instances, best, settings, neighbors))


def _prior_start(movers: Sequence[int]) -> list[frozenset[int]]:
    """Return edges from the largest movers of the first frame to all nodes, and from each first value to its change."""
    dofs, core = len(movers), list(movers[:4])
    first = [frozenset(core[: core.index(i)]) if i in core else frozenset(core) for i in range(dofs)]
    return first + [frozenset(core) | {i} for i in range(dofs)]


def _prior_rule(instances: PriorInstances, start: Sequence[frozenset[int]], settings: Settings, neighbors: int) -> Rule:
    if settings.prior_width is not None:
        return Rule(neighbors, settings.prior_width, 0.0)
    scaled = instances.values * instances.weights
    columns = sorted(set().union(*start))
    gaps = np.sqrt(((scaled[:, None, columns] - scaled[None, :, columns]) ** 2).sum(axis=2))
    unit = max(float(np.median(gaps)), 1e-9)
    # There are few frame pairs at the start, so wider kernels are tried too.
    rules = [Rule(neighbors, share * unit, 0.0) for share in (*WIDTHS, 1.0)]
    edges = tuple(tuple(parents) for parents in start)
    return max(rules, key=lambda rule: PriorScores(instances, rule).total(edges))


def _most_correlated(values: Floats, count: int) -> list[list[int]]:
    """Return, for each column, the columns that correlate with it most."""
    with np.errstate(divide="ignore", invalid="ignore"):  # columns that do not change
        correlations = np.abs(np.nan_to_num(np.corrcoef(values, rowvar=False)))
    np.fill_diagonal(correlations, -1.0)
    return [[int(k) for k in row[:count]] for row in np.argsort(-correlations, axis=1, kind="stable")]

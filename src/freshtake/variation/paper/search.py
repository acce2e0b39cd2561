"""Learn the structure of the networks (Lau 2009, §5.1): score transition networks, and search greedily.

A network is scored by re-synthesizing every take from the other takes (eq. 4). Searches make the edit that helps most,
until none helps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from freshtake.errors import InvalidMotion, UsageError
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled
from freshtake.numeric.dtw import accumulate, backtrack
from freshtake.variation.examples import HORIZON
from freshtake.variation.paper.networks import Edges, shared_parents, topological_order
from freshtake.variation.paper.prior import prior_density
from freshtake.variation.paper.regression import (
    Pool,
    Rule,
    Unrolled,
    Wiring,
    log_density,
    pool_of,
    unroll,
    wiring_of,
)

if TYPE_CHECKING:
    from freshtake.variation.paper.model import PaperModel

Mapper = Callable[..., Iterable[Any]]
LONGEST = 1.5  # times the longest take: a longer re-synthesized take counts as endless
GAIN = 1e-9  # an edit must gain more than this
NodeScore = Callable[[int, frozenset[int]], float]
Parents = list[frozenset[int]]


class Takes(NamedTuple):
    """The rows (frames, n) of every take, the DOFs' weights, seconds per frame, and whether they repeat."""

    values: Sequence[Floats]
    weights: Floats
    frame_time: float
    cyclic: bool

    @property
    def earliest_end(self) -> int:
        """The first frame at which a take may end: half of the shortest take."""
        return min(map(len, self.values)) // 2


class Evaluation(NamedTuple):
    """The scores (takes, draws, n) of a network, and all runs with their alignment to the takes."""

    scores: Floats
    runs: list[Unrolled]
    paths: list[Ints]

    @property
    def total(self) -> float:
        """The score: the sum over takes and nodes."""
        return float(self.scores.sum())

    def worse_by(self, other: Evaluation) -> tuple[float, float]:
        """Return how far this score is below another: the sum over takes, and its standard error.

        Draws of one take are similar, so only takes are treated as independent.
        """
        gaps = (other.scores - self.scores).sum(axis=(1, 2))
        return float(gaps.sum()), float(gaps.std(ddof=1) * np.sqrt(len(gaps))) if len(gaps) > 1 else 0.0


class Resynthesis:
    """The score of transition networks, run as in synthesis: with noise, and until their motions end."""

    def __init__(self, takes: Takes, order: int, noise: Floats, *, printed: bool, mapper: Mapper) -> None:
        """Prepare, for each take, the pool of all others. `noise` (draws, frames, n) is the same for all networks."""
        self.takes, self.order, self.noise, self.printed, self.mapper = takes, order, noise, printed, mapper
        values = takes.values
        others = [[x for k, x in enumerate(values) if k != take] or [values[take]] for take in range(len(values))]
        self.pools = [pool_of(rest, takes.weights, order, takes.frame_time) for rest in others]
        self.views = [features(x, takes) for x in values]
        self.spread = _spread(self.views)
        self.runs = [(take, draw) for take in range(len(values)) for draw in range(len(noise))]

    def evaluate(self, edges: Edges, rule: Rule) -> Evaluation:
        """Run all nodes together for each take and draw, and score the runs."""
        wiring = wiring_of(edges, self.order)

        def run(which: tuple[int, int]) -> tuple[Floats, Unrolled, Ints]:
            unrolled = self._unrolled(which, wiring, rule)
            path = align(features(unrolled.values, self.takes), self.views[which[0]])
            return self._scores(which[0], unrolled, path), unrolled, path

        done = list(self.mapper(run, self.runs))
        scores = np.array([each[0] for each in done]).reshape(len(self.pools), len(self.noise), -1)
        return Evaluation(scores, [each[1] for each in done], [each[2] for each in done])

    def node(self, node: int, edges: Edges, rule: Rule, known: Evaluation) -> float:
        """Return a node's score if it alone is predicted again, with all others as in known runs."""
        wiring = wiring_of(edges, self.order)._replace(order=np.array([node], dtype=np.intp))
        total = 0.0
        for which, unrolled, path in zip(self.runs, known.runs, known.paths, strict=True):
            again = self._unrolled(which, wiring, rule, unrolled.values)
            total += self._scores(which[0], again, path, [node])[0]
        return total

    def _unrolled(self, which: tuple[int, int], wiring: Wiring, rule: Rule, known: Floats | None = None) -> Unrolled:
        take, draw = which
        takes, pool = self.takes, self.pools[take]
        longest = int(LONGEST * max(map(len, takes.values)))
        return unroll(
            wiring, pool, takes.weights, takes.frame_time, rule, takes.values[take][: self.order],
            self.noise[draw, : longest - self.order], earliest_end=takes.earliest_end, cyclic=takes.cyclic,
            known=known,
        )  # fmt: skip

    def _scores(self, take: int, made: Unrolled, path: Ints, nodes: Sequence[int] | None = None) -> Floats:
        chosen = list(range(len(self.takes.weights))) if nodes is None else list(nodes)
        real = self.takes.values[take]
        if self.printed:
            return printed_score(made, real, self.order, self.pools[take])[chosen]
        columns = np.concatenate([np.array(chosen) + k * len(self.takes.weights) for k in range(3)])
        return aligned_score(
            features(made.values, self.takes)[:, columns], self.views[take][:, columns], path, self.spread
        )


def features(rows: Floats, takes: Takes) -> Floats:
    """Return rows, velocities and accelerations (frames, 3n), weighted as body displacements over 0.1 s."""
    scaled = rows * takes.weights
    horizon = HORIZON / takes.frame_time
    speed = np.gradient(scaled, axis=0) * horizon
    return np.concatenate([scaled, speed, 0.5 * np.gradient(speed, axis=0) * horizon], axis=1)


def aligned_score(made: Floats, real: Floats, path: Ints, spread: Floats) -> Floats:
    """Return sum_j log P(X_i[j] | hat Pa(X_i[j])) up to a constant, j along a time warp, fixed variances for all nodes.

    The terms of Lau 2009, eq. 4, with three departures. Frames are compared at equal phase, because small differences
    of pace would outweigh everything else. The variance is that between takes, because the variance of eq. 6 rewards
    wide kernels however far their noise carries the motion. And velocities and accelerations count like values.
    """
    gaps = (made[path[:, 0]] - real[path[:, 1]]) ** 2
    each = gaps.sum(axis=0).reshape(3, -1) / spread[:, None]
    return np.asarray(-0.5 * each.sum(axis=0) * (len(real) / len(path)))


def printed_score(made: Unrolled, real: Floats, order: int, pool: Pool) -> Floats:
    """Return sum_j log P(X_i[j] | hat Pa(X_i[j])) of every node, frame by frame (Lau 2009, eq. 4)."""
    return _printed(made.values, made.means, made.variances, real, order, pool.deltas)


@compiled
def _printed(values: Floats, means: Floats, variances: Floats, real: Floats, order: int, deltas: Floats) -> Floats:
    out = np.zeros(real.shape[1])
    for j in range(order, len(real)):
        t = j - order
        for i in range(real.shape[1]):
            if t < len(means):
                out[i] += log_density(real[j, i], values[j - 1, i] + means[t, i], variances[t, i])
            else:  # it ended too early: it stays where it is, with the variance of all instances
                out[i] += log_density(real[j, i], values[-1, i], deltas[i].var())
    return out


def _spread(views: Sequence[Floats]) -> Floats:
    """Return mean squared distances of values, speeds, ... between takes after time warping, per node and frame."""
    gaps = [
        ((a[path[:, 0]] - b[path[:, 1]]) ** 2).mean(axis=0).reshape(3, -1).mean(axis=1)
        for k, a in enumerate(views)
        for b in views[:k]
        for path in [align(a, b)]
    ]
    one = views[0].var(axis=0).reshape(3, -1).mean(axis=1)
    return np.asarray(np.maximum(np.mean(gaps, axis=0) if gaps else one, 1e-12))


def align(a: Floats, b: Floats) -> Ints:
    """Return the cheapest time warp of two motions as pairs of frames (length, 2), from first to last."""
    squares = (a * a).sum(axis=1)[:, None] + (b * b).sum(axis=1) - 2.0 * a @ b.T
    gaps = np.maximum(squares, 0.0)
    return backtrack(gaps, accumulate(gaps, 0.0), 0.0)


def frame_scores(model: PaperModel, rows: Floats) -> tuple[float, Floats]:
    """Return log P of the first two frames, and of later frames and nodes (frames - order, n) given earlier frames.

    Predictions are not propagated here: this is the likelihood of a recorded motion, take by take (§9).
    """
    order, weights = model.settings.order, model.material.weights
    if len(rows) <= max(order, 1):
        raise UsageError(f"the motion has {len(rows)} frames: at least {order + 1} are needed for a score")
    wiring, pool = wiring_of(model.transition.edges, order), model.pool
    later = np.empty((len(rows) - order, rows.shape[1]))
    still = np.zeros((1, rows.shape[1]))
    for t in range(len(later)):
        window = rows[t : t + order + 1]
        run = unroll(
            wiring, pool, weights, model.frame_time, model.rule, window[:order], still,
            earliest_end=len(rows), cyclic=False, observed=window,
        )  # fmt: skip
        step = window[order] - window[order - 1]
        later[t] = [log_density(x, m, v) for x, m, v in zip(step, run.means[0], run.variances[0], strict=True)]
    first = np.concatenate([rows[0], rows[1] - rows[0]])
    return prior_density(model.prior, model.pairs, model.prior_rule, first), later


def search_acyclic(
    score: NodeScore,
    start: Sequence[frozenset[int]],
    candidates: Sequence[Sequence[int]],
    cap: int,
    kept: Sequence[frozenset[int]],
) -> tuple[Parents, float]:
    """Add, delete or reverse the edge that helps most, without closing a cycle, until nothing helps.

    `candidates` are the possible parents of each node, at most `cap` of them at once; `kept` edges are never deleted.
    The score is a sum over nodes, so an edit changes the term of one node, and a reversal two.
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
    """Return the nodes that lead to each node, as the bits of an integer."""
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
    """The edges of a transition network and their evaluation."""

    edges: Edges
    evaluation: Evaluation


def search_core(score: Resynthesis, rule: Rule, start: Sequence[int], pool: Sequence[int], cap: int) -> Found:
    """Edit the parents that all nodes share: remove one, add or substitute one from `pool`, until nothing helps.

    With the same parents, all nodes follow the same instances at the same phase, which keeps the body coordinated.
    `start` lists the parents in order of importance: the last parent is exchanged.
    """
    dofs, core = len(score.takes.weights), list(start)

    def tried(nodes: Sequence[int]) -> Found:
        edges = shared_parents(dofs, score.order, nodes)
        return Found(edges, score.evaluate(edges, rule))

    best = tried(core)
    while True:
        fresh = [p for p in pool if p not in core]
        base = core if len(core) + score.order < cap else core[:-1]
        trials = [[c for c in core if c != gone] for gone in core] + [[*base, p] for p in fresh]
        evaluated = [tried(trial) for trial in trials]
        top = max(range(len(evaluated)), key=lambda k: evaluated[k].evaluation.total, default=None)
        if top is None or not _better(evaluated[top], best):
            return best
        core, best = trials[top], evaluated[top]


def search_edges(score: Resynthesis, rule: Rule, start: Found, candidates: Sequence[Sequence[int]], cap: int) -> Found:
    """Edit single edges: the best edit of each node with all others unchanged, then all of these together.

    Of the edits that help their nodes, the best are kept: as many as also help when all nodes run together.
    """
    best = start
    # Each round runs all nodes together, which takes most of the time, so there are at most three rounds.
    for _ in range(3):
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
    """Yield the gain and the edit of every node that gains by adding, deleting or reversing one edge."""
    dofs, order = len(now.edges), score.order
    shares = now.evaluation.scores.sum(axis=(0, 1))

    def gain(edit: dict[int, frozenset[int]], edges: Edges) -> float:
        return sum(score.node(k, edges, rule, now.evaluation) - float(shares[k]) for k in edit)

    for i, listed in enumerate(now.edges):
        parents, past_values = frozenset(listed), {s * dofs + i for s in range(order)}
        trials = [{i: parents | {p}} for p in candidates[i] if p not in parents and len(parents) < cap]
        trials += [{i: parents - {p}} for p in parents - past_values]
        for p in parents - past_values:
            j = p - order * dofs
            if j >= 0 and len(now.edges[j]) < cap:  # only edges within the predicted frame can be reversed
                trials.append({i: parents - {p}, j: frozenset(now.edges[j]) | {order * dofs + i}})
        after = [_with_edits(now.edges, [trial], order) for trial in trials]  # unchanged if the edit closes a cycle
        gains = [(gain(t, edges), t) for t, edges in zip(trials, after, strict=True) if edges != now.edges]
        top = max(gains, key=lambda each: each[0], default=(0.0, {}))
        if top[0] > GAIN:
            yield top


def _with_edits(edges: Edges, edits: Sequence[dict[int, frozenset[int]]], order: int) -> Edges:
    """Apply edits in turn, except edits that close a cycle or change a node a second time."""
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

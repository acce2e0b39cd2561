"""Learning the transition network that is sampled: deviations, folds, the search for parents, coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from freshtake.methods.progress import Progress, Report
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.variation.examples import Material, rounded
from freshtake.variation.network.joint_scores import Mapper
from freshtake.variation.network.networks import Edges, TransitionNetwork
from freshtake.variation.network.parent_search import (
    OWN_RIDGE,
    RIDGE,
    Limits,
    Moments,
    TraitFolds,
    Weights,
    best_parents,
)
from freshtake.variation.settings import LEAST_STEP, Settings
from freshtake.variation.synthesis.common_phase import read_at
from freshtake.variation.synthesis.courses import Courses, node_names, node_weights
from freshtake.variation.synthesis.dynamics import ORDER, STABLE, Dynamics, growth_of
from freshtake.variation.synthesis.swing_nodes import swing_numbers
from freshtake.variation.synthesis.traits import TRAITS, Split, sizes_at, split_deviations, trait_readers

FEWEST_SLICES = 4
MOST_FOLDS = 8
MOST_KNOWN = 12  # takes by which traits are predicted in the search
MOST_CANDIDATES = 150  # nodes that may be parents of others: those that move the body most
LIKENESS = 0.5
MOST_STEP = 0.25  # seconds
FIT_RIDGE = 0.1  # of coefficients: more than in the search, which checks itself on takes left out
GAIN = 0.01  # per observation: an edge must make held-out errors smaller by about 2 %
LEAST_TRAIT = 0.3  # of its size that is left to a trait beside the rest
LEAST_NOISE = 1e-3  # of a node's variance


class Columns(NamedTuple):
    """Standardized deviations at the network's frames, and what they are worth."""

    rest: Floats  # (examples, slices, nodes)
    traits: Floats  # (examples, traits, nodes)
    cyclic: bool

    def stacked(self, rest: Floats) -> Floats:
        """Rows (frames, 3 nodes) of one example: t+2, t+1, t."""
        if self.cyclic:
            return np.concatenate([rest, np.roll(rest, 1, axis=0), np.roll(rest, 2, axis=0)], axis=1)
        return np.concatenate([rest[2:], rest[1:-1], rest[:-2]], axis=1)


def learn_dynamics(
    material: Material, courses: Courses, settings: Settings, rng: np.random.Generator, report: Report, mapper: Mapper
) -> Dynamics:
    """Deviations of the examples to a network with its coefficients."""
    split = split_deviations(courses)
    slices = slices_of(courses, settings.network_step / material.frame_time)
    moved = movement(courses, material)
    columns = columns_of(split, slices, courses.cyclic)
    report(Progress(0.3, "what predicts what: comparing takes"))
    swings = swing_numbers(courses.body.swings, len(moved))
    parents = _search(columns, moved, settings, report, mapper, swings, len(material.names) + 1)
    if settings.parents == "random":
        parents = random_parents(parents, moved, rng)
    network, columns_used = _network(node_names(material.names, material.rates, courses.body), parents)
    return _fitted(network, columns_used, columns, split, slices)


def usual_step(material: Material, courses: Courses) -> float:
    """Seconds in which the deviations of takes lose half of their likeness to what they were: the network's step.

    A body that moves slowly deviates slowly; frames closer than that would make it tremble.
    """
    rest = split_deviations(courses).rest * movement(courses, material)
    power, frames = float((rest * rest).sum()), 1
    for frames in range(1, rest.shape[1] // FEWEST_SLICES):
        if float((rest[:, frames:] * rest[:, :-frames]).sum()) < LIKENESS * power:
            break
    return float(np.clip(frames * material.frame_time, LEAST_STEP, MOST_STEP))


def slices_of(courses: Courses, step: float) -> int:
    """How many frames of the network a take has, `step` examples' frames apart and at least two."""
    period = int(courses.smooth.shape[1]) - 1
    return max(FEWEST_SLICES, round(period / max(step, 2.0)))


def columns_of(split: Split, slices: int, cyclic: bool) -> Columns:
    """The rest of the deviations at the frames of the network; cycles have no last frame."""
    at = np.arange(slices if cyclic else slices + 1) * ((split.rest.shape[1] - 1.0) / slices)
    return Columns(np.stack([read_at(x, at) for x in split.rest]), split.traits, cyclic)


def movement(courses: Courses, material: Material) -> Floats:
    """(nodes,): how far deviations of each node move the body; the tempo moves it least."""
    spread = np.sqrt(courses.smooth.var(axis=0).mean(axis=0))
    return np.asarray(node_weights(material, courses.smooth.shape[1], courses.body) * spread)


class Fold(NamedTuple):
    """Takes that are known and takes that are left out; of two takes, frames."""

    known: Ints
    left: Ints
    frames: Bools | None = None  # (frames,) that are left out


class Search(NamedTuple):
    """What every node's search shares."""

    columns: Columns
    folds: list[Fold]
    rank: Ints  # (nodes,): place of every node in the order
    usable: Ints  # nodes that may be parents of others
    weights: Weights
    most: int
    swings: Ints  # nodes that depend on one another and on the travel only, see swing_nodes
    travel: int

    def parents(self, i: int, moments: Moments | None, traits: TraitFolds | None) -> Ints:
        """The columns of a node's parents; moments are those of `usable` and the node itself."""
        nodes = len(self.rank)
        if i in self.swings:
            seen = np.append(self.travel, self.swings)
        else:
            seen = self.usable if i in self.usable else np.append(self.usable, i)
        moments = moments or moments_of(self.columns, self.folds, seen)
        traits = traits or trait_folds(self.columns, self.folds, seen)
        place, count = int(np.flatnonzero(seen == i)[0]), len(seen)
        inside = np.flatnonzero(self.rank[seen] < self.rank[i])
        before = count + np.flatnonzero(seen != i) if i not in self.swings else np.empty(0, np.intp)
        candidates = np.concatenate([inside, before]).astype(np.intp)
        limits = Limits(self.most, GAIN * self.weights.rest, RIDGE)
        chosen = best_parents(moments, traits, place, _own_past(place, count), candidates, limits, self.weights)
        return np.asarray(chosen // count * nodes + seen[chosen % count], dtype=np.intp)


def _search(
    columns: Columns, moved: Floats, settings: Settings, report: Report, mapper: Mapper, swings: Ints, travel: int
) -> list[Ints]:
    """For every node the columns of its parents: slice * nodes + node, slice 0 the newest."""
    nodes = len(moved)
    if settings.parents == "none":
        return [np.empty(0, dtype=np.intp) for _ in range(nodes)]
    if settings.parents == "own":
        return [_own_past(i, nodes) for i in range(nodes)]
    order = np.argsort(-moved, kind="stable")
    usable = np.setdiff1d(order[:MOST_CANDIDATES], swings)
    rank = np.argsort(order, kind="stable")
    search = Search(
        columns, folds_of(columns), rank, usable, observations(columns), settings.max_parents, swings, travel
    )
    shared = moments_of(columns, search.folds, usable), trait_folds(columns, search.folds, usable)
    among = set(usable.tolist())
    out: list[Ints] = []
    for parents in mapper(lambda i: search.parents(i, *(shared if i in among else (None, None))), range(nodes)):
        out.append(parents)
        report(Progress(0.3 + 0.6 * len(out) / nodes, f"what predicts what: {len(out)} of {nodes}"))
    return out


def _own_past(i: int, nodes: int) -> Ints:
    return np.array([nodes + i, 2 * nodes + i], dtype=np.intp)


def observations(columns: Columns) -> Weights:
    """How much evidence there is: frames of one take resemble their neighbours, takes are independent.

    n frames with correlation r from one to the next are worth n (1 - r^2) / (1 + r^2) independent ones.
    """
    examples, slices, _ = columns.rest.shape
    after = (columns.rest[:, 1:] * columns.rest[:, :-1]).mean(axis=(0, 1))
    r = float(np.mean(after / np.maximum((columns.rest**2).mean(axis=(0, 1)), 1e-12)))
    share = (1.0 - r * r) / (1.0 + r * r)
    per_trait = float(examples) if examples > 2 else 0.0  # two takes leave nothing to hold out
    return Weights(examples * slices * share, per_trait)


def folds_of(columns: Columns) -> list[Fold]:
    """Every take left out once, of many takes several together; of two takes, quarters of their length."""
    examples = len(columns.rest)
    everyone = np.arange(examples)
    if examples > 2:
        count = min(examples, MOST_FOLDS)
        return [Fold(everyone[everyone % count != k], everyone[everyone % count == k]) for k in range(count)]
    frames = len(columns.stacked(columns.rest[0]))
    quarter = np.arange(frames) * 4 // max(frames, 1)
    return [Fold(everyone, everyone, quarter == k) for k in range(4)]


def moments_of(columns: Columns, folds: Sequence[Fold], seen: Ints) -> Moments:
    """Second moments of the rest of some nodes' deviations in every fold."""
    by_fold = [_fold_moments(columns, columns.rest[:, :, seen], fold) for fold in folds]
    known, left = zip(*by_fold, strict=True)
    return Moments(np.stack(known), np.stack(left))


def _fold_moments(columns: Columns, rest: Floats, fold: Fold) -> tuple[Floats, Floats]:
    """Known takes deviate from their own mean; so do those left out, by (1 + 1 / known) times the variance."""
    if fold.frames is not None:
        rows = [columns.stacked(x) for x in rest]
        known = sum(x[~fold.frames].T @ x[~fold.frames] / max((~fold.frames).sum(), 1) for x in rows)
        left = sum(x[fold.frames].T @ x[fold.frames] / max(fold.frames.sum(), 1) for x in rows)
        return np.asarray(known), np.asarray(left)
    count = len(fold.known)
    mean = rest[fold.known].mean(axis=0)
    return (
        _stationary(columns, rest[fold.known] - mean, count - 1.0),
        _stationary(columns, (rest[fold.left] - mean) / np.sqrt(1.0 + 1.0 / count), float(len(fold.left))),
    )


def trait_folds(columns: Columns, folds: Sequence[Fold], seen: Ints) -> TraitFolds:
    """Traits of some nodes in every fold; of many takes, of some that stand for all."""
    traits = columns.traits[:, :, seen]
    some = [fold.known[:: -(-len(fold.known) // MOST_KNOWN)] for fold in folds]
    most, left = max(map(len, some)), max(len(fold.left) for fold in folds)
    known = np.zeros((len(folds), most, *traits.shape[1:]))
    left_traits = np.zeros((len(folds), left, *traits.shape[1:]))
    for k, (fold, chosen) in enumerate(zip(folds, some, strict=True)):
        mean = traits[chosen].mean(axis=0)
        known[k, : len(chosen)] = traits[chosen] - mean
        left_traits[k, : len(fold.left)] = (traits[fold.left] - mean) / np.sqrt(1.0 + 1.0 / len(chosen))
    counts = np.array([float(len(fold.left)) for fold in folds])
    ridge = RIDGE * np.array([max(len(chosen) - 1.0, 1.0) for chosen in some])
    return TraitFolds(known, left_traits, counts, ridge)


def _stationary(columns: Columns, rest: Floats, count: float) -> Floats:
    """Second moments (3 nodes, 3 nodes) that depend on how many frames lie between, not on which frames they are."""
    nodes = rest.shape[2]
    rows = np.concatenate([columns.stacked(x) for x in rest])
    total = rows.T @ rows / max(count, 1.0) / max(len(rows) / len(rest), 1.0)
    block = [[total[a * nodes : (a + 1) * nodes, b * nodes : (b + 1) * nodes] for b in range(3)] for a in range(3)]
    same = (block[0][0] + block[1][1] + block[2][2]) / 3.0
    one, two = (block[0][1] + block[1][2]) / 2.0, block[0][2]
    return np.block([[same, one, two], [one.T, same, one], [two.T, one.T, same]])


def random_parents(parents: Sequence[Ints], moved: Floats, rng: np.random.Generator) -> list[Ints]:
    """As many parents of each kind as were learned, own ones kept, the others drawn anew; for comparison."""
    nodes = len(moved)
    rank = np.argsort(np.argsort(-moved, kind="stable"), kind="stable")
    out = []
    for i, learned in enumerate(parents):
        inside, before = np.flatnonzero(rank < rank[i]), nodes + np.delete(np.arange(nodes), i)
        several = int((learned < nodes).sum())
        drawn = [
            rng.choice(inside, several, replace=False),
            rng.choice(before, len(learned) - 2 - several, replace=False),
        ]
        out.append(np.concatenate([_own_past(i, nodes), *drawn]).astype(np.intp))
    return out


def _network(names: tuple[str, ...], parents: Sequence[Ints]) -> tuple[TransitionNetwork, list[Ints]]:
    """The network, whose slices are counted from the oldest one, and the columns in the order of its edges."""
    nodes = len(names)
    edges: list[tuple[int, ...]] = []
    ordered: list[Ints] = []
    for node_parents in parents:
        numbers = (ORDER - node_parents // nodes) * nodes + node_parents % nodes
        places = np.argsort(numbers, kind="stable")
        edges.append(tuple(int(k) for k in numbers[places]))
        ordered.append(node_parents[places])
    found: Edges = tuple(edges)
    return TransitionNetwork(names, ORDER, found), ordered


def _fitted(
    network: TransitionNetwork,
    parents: Sequence[Ints],
    columns: Columns,
    split: Split,
    slices: int,
) -> Dynamics:
    """Coefficients by ridge regression on all takes, and how much they leave open."""
    examples, nodes, traits = len(columns.rest), len(network.dofs), len(TRAITS)
    moments = _stationary(columns, columns.rest, examples - 1.0)
    slopes: list[Floats] = []
    trait_slopes: list[Floats] = []
    noise, trait_noise = np.ones(nodes), np.ones((traits, nodes))
    for i, node_parents in enumerate(parents):
        fit, variance = _regressed(moments, i, node_parents, np.where(node_parents % nodes == i, OWN_RIDGE, FIT_RIDGE))
        slopes.append(fit)
        noise[i] = np.sqrt(variance)
        node_trait_slopes = np.zeros((traits, len(node_parents)))
        node_trait_slopes[:, node_parents < nodes], trait_noise[:, i] = regressed_traits(
            columns.traits, i, node_parents[node_parents < nodes]
        )
        trait_slopes.append(node_trait_slopes)
    dynamics = _stable(
        network, slices, np.concatenate(slopes), rounded(noise), rounded(np.concatenate(trait_slopes, axis=1)),
        rounded(trait_noise), rounded(split.trait_sizes), rounded(split.sizes),
    )  # fmt: skip
    return replace(dynamics, trait_sizes=rounded(_less_chance_traits(dynamics, split, columns.cyclic)))


def _less_chance_traits(dynamics: Dynamics, split: Split, cyclic: bool) -> Floats:
    """Trait sizes (traits, nodes) reduced by the part of the rest that looks like a trait by chance.

    In the takes the rest has no part in the traits, because they were taken out of it; what is drawn has. With r the
    rest's correlation from frame to frame, that part of a trait varies by the sum of size r size over all pairs of
    frames, both weighed as the trait is read.
    """
    slices = dynamics.slices
    at = np.arange(slices + (0 if cyclic else 1)) * ((split.basis.shape[1] - 1.0) / slices)
    sizes = read_at(sizes_at(dynamics.sizes, split.basis.shape[1]), at)
    lags = dynamics.autocorrelation(len(at))
    lag = np.abs(np.subtract.outer(np.arange(len(at)), np.arange(len(at))))
    readers = trait_readers(np.stack([read_at(basis, at) for basis in split.basis]), cyclic)
    by_chance = np.einsum("qan,abn,qbn->qn", readers * sizes, lags[lag], readers * sizes)
    whole = split.trait_sizes**2
    return np.asarray(np.sqrt(np.maximum(whole - by_chance, LEAST_TRAIT**2 * whole)))


def regressed_traits(traits: Floats, target: int, parents: Ints) -> tuple[Floats, Floats]:
    """Slopes (traits, parents) of a node's traits on its parents', and the standard deviation (traits,) of the rest.

    What is left is measured on takes left out: a few takes are met all too well by slopes that were fitted to them.
    """
    examples, kinds, _ = traits.shape
    chosen = traits[:, :, [target, *parents]]
    further = 1.0 + 1.0 / examples  # deviations are in units of a further take's
    inside, ridge = np.arange(1, len(parents) + 1), np.full(len(parents), FIT_RIDGE)
    slopes, left = np.empty((kinds, len(parents))), np.empty(kinds)
    for q in range(kinds):
        rows = chosen[:, q]
        moments = further / max(examples - 1.0, 1.0) * rows.T @ rows
        slopes[q], left[q] = _regressed(moments, 0, inside, ridge)
        if examples > 2 and len(parents):
            missed = [_missed(np.delete(rows, k, axis=0), rows[k], inside, ridge) for k in range(examples)]
            left[q] = np.clip(further * np.mean(missed), left[q], max(float(moments[0, 0]), left[q]))
    return slopes, np.sqrt(left)


def _missed(known: Floats, row: Floats, parents: Ints, ridge: Floats) -> float:
    """The squared error by which other takes (takes, 1 + parents) miss one, as if their mean were the true one."""
    count, mean = len(known), known.mean(axis=0)
    deviations = known - mean
    slopes, _ = _regressed(deviations.T @ deviations / max(count - 1.0, 1.0), 0, parents, ridge)
    deviation = row - mean
    return float((deviation[0] - deviation[parents] @ slopes) ** 2 * count / (count + 1.0))


def _regressed(moments: Floats, target: int, parents: Ints, ridge: Floats) -> tuple[Floats, float]:
    """Slopes (parents,) and the variance that they leave."""
    whole = max(float(moments[target, target]), LEAST_NOISE)
    if len(parents) == 0:
        return np.empty(0), whole
    inner, across = moments[np.ix_(parents, parents)], moments[parents, target]
    slopes = np.linalg.solve(inner + np.diag(ridge), across)
    left = moments[target, target] - 2.0 * slopes @ across + slopes @ inner @ slopes
    return slopes, max(float(left), LEAST_NOISE * whole)


def _stable(network: TransitionNetwork, slices: int, slopes: Floats, *rest: Floats) -> Dynamics:
    """Coefficients that let no deviation grow: those of earlier frames shrink with their age until none does.

    With slopes of age k times s^k, z[t] / s^t goes the way that z[t] went before, so that growth is s times as large.
    """
    nodes = len(network.dofs)
    parents = np.array([p for node_parents in network.edges for p in node_parents], dtype=np.intp)
    age = ORDER - parents // nodes
    largest = growth_of(network, slopes)
    shrink = 1.0 if largest <= STABLE else 0.999 * STABLE / largest
    return Dynamics(network, slices, rounded(slopes * shrink**age), *rest)

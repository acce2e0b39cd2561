"""The paper's own method on recorded takes: python -m benchmarks.paper_sampler [jump ...] [-n 30] [--alternatives].

For every movement, measures variants of four takes: the fraction that ends by itself within 15 % of the takes' length,
the distance to the nearest recorded pose, shake and diversity relative to the takes', and the cost of learning and
synthesis; then the same with random instead of learned parents. --alternatives adds the alternatives that the paper
rejected (§5.2, §8): first order, and linear and radial regression instead of kernel regression. Needs the folder that
FRESHTAKE_DATA names.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from benchmarks.quality import takes
from benchmarks.takes import KINDS, sets_here
from benchmarks.timing import table
from freshtake.evaluation import evaluate
from freshtake.variation.paper import PaperModel, Settings, learn
from freshtake.variation.paper.networks import TransitionNetwork

CENTERS, RIDGE = 20, 1e-3  # of radial functions; of both fits
Rows = Callable[[PaperModel, np.random.Generator], np.ndarray]


def kernel(model: PaperModel, rng: np.random.Generator) -> np.ndarray:
    """Make a variant by kernel regression, as the method does."""
    return model.rows(rng)


def fitted(radial: bool) -> Rows:
    """Make a variant in which every node's change is a fitted function of its parents, linear or a sum of bumps."""

    def draw(model: PaperModel, rng: np.random.Generator) -> np.ndarray:
        values, weights, n = model.material.values, model.material.weights, len(model.dofs)
        known = np.concatenate([np.concatenate([x[:-2], x[1:-1]], axis=1) for x in values]) * np.tile(weights, 2)
        steps = np.concatenate([x[2:] - x[1:-1] for x in values])
        frames = round(float(np.mean([len(x) for x in values])))
        rows = list(model.first_frames(rng))
        nodes = []
        for i, parents in enumerate(model.transition.edges):
            columns = [p for p in parents if p < 2 * n]
            basis = _bumps(known[:, columns], rng) if radial else _plane
            x = basis(known[:, columns])
            slopes = np.linalg.solve(x.T @ x + RIDGE * np.eye(x.shape[1]), x.T @ steps[:, i])
            nodes.append((columns, basis, slopes, float((steps[:, i] - x @ slopes).std())))
        for _ in range(frames - 2):
            past = np.concatenate([rows[-2], rows[-1]]) * np.tile(weights, 2)
            step = [float(b(past[None, c])[0] @ s) + e * rng.standard_normal() for c, b, s, e in nodes]
            rows.append(np.clip(rows[-1] + step, -1e6, 1e6))
        return np.array(rows)

    return draw


def _plane(x: np.ndarray) -> np.ndarray:
    return np.concatenate([x, np.ones((len(x), 1))], axis=1)


def _bumps(known: np.ndarray, rng: np.random.Generator) -> Callable[[np.ndarray], np.ndarray]:
    centers = known[rng.choice(len(known), min(CENTERS, len(known)), replace=False)]
    width = float(np.median(((known[:, None] - centers) ** 2).sum(axis=2))) or 1.0
    return lambda x: _plane(np.exp(-((x[:, None] - centers) ** 2).sum(axis=2) / width))


def random_parents(model: PaperModel, seed: int) -> PaperModel:
    """Return the model with random parents: every node keeps its own past and its number of other parents."""
    rng, n = np.random.default_rng(seed), len(model.dofs)
    edges = tuple(
        tuple(sorted({i, n + i, *map(int, rng.choice(2 * n, len(parents) - 2, replace=False))}))
        for i, parents in enumerate(model.transition.edges)
    )
    return replace(model, transition=TransitionNetwork(model.dofs, 2, edges))


def row(kind: str, label: str, model: PaperModel, draw: Rows, count: int, seed: int, spent: float) -> list[str]:
    """Return one line of the table."""
    begun = time.perf_counter()
    rows = [draw(model, np.random.default_rng([seed, k])) for k in range(count)]
    speed = sum(map(len, rows)) / (time.perf_counter() - begun)
    usual = np.mean([len(x) for x in model.material.values])
    ended = np.mean([0.85 * usual <= len(x) <= 1.15 * usual for x in rows])
    result = evaluate(takes(kind, kind), [model.decode(x) for x in rows], rng=np.random.default_rng(seed))
    cells = [f"{result.value(name):.2f}" for name in ("nearest", "jerk", "diversity")]
    return [kind, label, f"{ended:.0%}", f"{np.mean([len(x) for x in rows]):.0f} / {usual:.0f}", *cells,
            f"{spent:.0f}", f"{speed:,.0f}"]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.paper_sampler", description=__doc__)
    parser.add_argument("kinds", nargs="*", default=list(KINDS))
    parser.add_argument("-n", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--alternatives", action="store_true")
    given = parser.parse_args()
    rows = []
    for kind in sets_here(given.kinds):
        learn(takes(kind, kind), Settings(restarts=0), rng=np.random.default_rng(0))  # compiles
        begun = time.process_time()
        model = learn(takes(kind, kind), rng=np.random.default_rng(given.seed))
        spent = time.process_time() - begun
        rows.append(row(kind, "learned parents", model, kernel, given.n, given.seed, spent))
        rows.append(row(kind, "random parents", random_parents(model, given.seed), kernel, given.n, given.seed, 0.0))
        if given.alternatives:
            first = learn(takes(kind, kind), Settings(order=1, restarts=0), rng=np.random.default_rng(given.seed))
            rows.append(row(kind, "first order", first, kernel, given.n, given.seed, 0.0))
            for label, radial in (("linear", False), ("radial", True)):
                rows.append(row(kind, label, model, fitted(radial), min(given.n, 10), given.seed, 0.0))
    head = ["movement", "method", "end", "frames / takes'", "nearest pose", "jerk", "diversity", "CPU s", "rows/s"]
    print(table("The paper's own method", head, rows))


if __name__ == "__main__":
    main()

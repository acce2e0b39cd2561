"""Slow twins of the kernels, written from the paper's formulas, and small motions to learn from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freshtake.numeric.arrays import Floats


def slow_gaussian(
    squared: Floats, targets: Floats, neighbors: int, width: float, adaptive: bool, floor: float = 0.0
) -> tuple[float, float]:
    """Lau 2009, eq. 5-6, as printed."""
    limit = np.sort(squared)[min(neighbors, len(squared)) - 1]
    near = squared <= limit
    scale = width * limit if adaptive else width**2
    w, x = np.exp(-squared[near] / scale), targets[near]
    mean = (w * x).sum() / w.sum()
    n = np.count_nonzero(w)
    factor = n / (n - 1) if n > 1 else 1.0
    return float(mean), max(float(factor * (w * (x - mean) ** 2).sum() / w.sum()), floor)


def slow_log_density(x: float, mean: float, variance: float) -> float:
    return float(np.log(np.exp(-((x - mean) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)))


def slow_propagation(
    examples: Sequence[Floats],
    weights: Floats,
    node: int,
    parents: Sequence[int],
    order: int,
    *,
    neighbors: int,
    width: float,
    adaptive: bool,
    velocity_weight: float,
    floor: float,
    delta: bool,
    propagated: bool,
) -> tuple[Floats, Floats, Floats]:
    """Truth, means and variances of one DOF along every example, each predicted from the others (Lau 2009, eq. 4).

    `parents` are DOFs, each at all known frames; the node's own are always among them.
    """
    out: list[tuple[float, float, float]] = []
    for held, example in enumerate(examples):
        pool = [(x, t) for k, x in enumerate(examples) if k != held for t in range(order - 1, len(x) - 1)]
        past = [float(v) for v in example[:order, node]]
        for t in range(order - 1, len(example) - 1):
            if not propagated:
                past = [float(v) for v in example[t - order + 1 : t + 1, node]]
            squared = []
            for x, s in pool:
                total = sum((weights[node] * (past[-1 - b] - x[s - b, node])) ** 2 for b in range(order))
                for p in parents:
                    total += sum((weights[p] * (example[t - b, p] - x[s - b, p])) ** 2 for b in range(order))
                if order > 1:
                    moving = past[-1] - past[-2] - (x[s, node] - x[s - 1, node])
                    total += velocity_weight * (weights[node] * moving) ** 2
                squared.append(total)
            targets = np.array([x[s + 1, node] - (x[s, node] if delta else 0.0) for x, s in pool])
            mean, variance = slow_gaussian(np.array(squared), targets, neighbors, width, adaptive, floor)
            mean += past[-1] if delta else 0.0
            out.append((float(example[t + 1, node]), mean, variance))
            past = [*past[1:], mean]
    truth, means, variances = np.array(out).T
    return truth, means, variances


def takes(seed: int, *, dofs: int = 4, lengths: Sequence[int] = (21, 19, 22, 20), cyclic: bool = True) -> list[Floats]:
    """Takes of one smooth movement: phases and sizes vary from take to take, DOF 0 leads, DOF 2 follows DOF 1."""
    rng = np.random.default_rng(seed)
    lags, sizes = rng.uniform(0, 2 * np.pi, dofs), rng.uniform(0.5, 2.0, dofs)
    out = []
    for length in lengths:
        u = np.arange(length) / (length - 1)
        size = sizes * (1 + 0.15 * rng.normal(size=dofs))
        phase = 2 * np.pi * u[:, None] + lags + 0.1 * rng.normal(size=dofs)
        x = size * (np.sin(phase) + 0.3 * np.cos(2 * phase)) + 0.1 * rng.normal(size=dofs)
        if not cyclic:
            x = x * (0.3 + u[:, None]) + 3.0 * sizes * u[:, None] ** 2
        out.append(x)
    return out

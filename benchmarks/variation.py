"""Learning and synthesis of variants: CPU time, and how it grows with the examples."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import freshtake as ft
from benchmarks.takes import DATA, KINDS
from benchmarks.timing import table
from freshtake.variation import VariationModel, learn


def variation() -> str:
    """Return both tables."""
    models = {kind: example_clips(kind) for kind in KINDS}
    return "\n".join([learning(models), streaming(models)])


def example_clips(kind: str) -> list[Any]:
    """Return four takes, or synthetic rows of the size of the walk if these are absent."""
    paths = sorted((DATA / kind).glob(f"{kind}_*.bvh"))
    if paths:
        return [ft.read(path) for path in paths]
    rng = np.random.default_rng(0)
    lags, sizes = rng.uniform(0, 6, 75), rng.uniform(0.1, 1.0, 75)
    u = [np.linspace(0, 1, n)[:, None] for n in (68, 67, 67, 68)]
    return [sizes * np.sin(2 * np.pi * x + lags + 0.1 * rng.normal(size=75)) for x in u]


def best(act: Callable[[], object], runs: int = 3) -> tuple[float, float]:
    """Return the minimum CPU and wall time of several calls after a warm-up call."""
    act()
    cpu, wall = [], []
    for _ in range(runs):
        start, clock = time.process_time(), time.perf_counter()
        act()
        cpu.append(time.process_time() - start)
        wall.append(time.perf_counter() - clock)
    return min(cpu), min(wall)


def taught(examples: list[Any], kind: str) -> VariationModel:
    """Learn with the defaults."""
    cyclic = kind in ("walk", "swim")
    return learn(examples, rng=np.random.default_rng(0), cyclic=cyclic)


def learning(models: dict[str, list[Any]]) -> str:
    """Measure the seconds until there is a model, including all steps."""
    rows = []
    for kind, examples in models.items():
        cpu, wall = best(lambda x=examples, k=kind: taught(x, k), 2)
        model = taught(examples, kind)
        frames = sum(len(x) for x in model.material.values)
        rows.append([kind, str(len(model.dofs)), str(frames), f"{cpu:.2f}", f"{wall:.2f}"])
    return table("Learning (target: 3 s wall on two free cores)", ["type", "DOFs", "frames", "CPU s", "wall s"], rows)


def streaming(models: dict[str, list[Any]]) -> str:
    """Measure rows through the public iterator; whole variants of acyclic motion, including their starts."""
    rows = []
    for kind, examples in models.items():
        model = taught(examples, kind)
        frames = 20_000 if model.cyclic else 5_000
        cpu, _ = best(lambda m=model, n=frames: drain(m, n))
        rows.append(
            [
                kind,
                "endless stream" if model.cyclic else "whole variants",
                f"{1e6 * cpu / frames:.1f}",
                f"{frames / cpu:,.0f}",
            ]
        )
    return table("Synthesis (target: 40,000 rows/s on one core)", ["type", "what", "CPU µs per row", "rows/s"], rows)


def drain(model: VariationModel, frames: int) -> None:
    """Iterate over a number of rows."""
    rng, left = np.random.default_rng(1), frames
    while left > 0:
        left -= sum(1 for _ in itertools.islice(model.stream(rng), left))

"""Seams of loops against the steps that takes make from frame to frame: variants of models, and loops of takes.

python -m benchmarks loops
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

import freshtake as ft
from benchmarks.takes import DATA
from benchmarks.timing import table
from freshtake import samples
from freshtake.motion import Clip
from freshtake.motion.cycles import cut_cycles
from freshtake.motion.looping import played
from freshtake.motion.seams import seam_of, steps_of
from freshtake.workflows.looping import loop_of

COUNT = 200
STEADY = 0.1  # share by which the duration of a cycle may differ from the median: recorded runs start and stop
HEAD = ["takes", "loops", "step, median", "largest", "bend, median", "largest", "of its loop", "frames", "above 1"]


class Measured(NamedTuple):
    """Of one loop: step and bend at the seam over the takes' 99th percentiles, and the bend's rank in its loop."""

    step: float
    bend: float
    rank: float
    frames: int


def loops(count: int = COUNT) -> str:
    """Both tables."""
    return variants(count) + "\n" + clips()


def variants(count: int = COUNT) -> str:
    """Loops that models make."""
    sets = dict(_sets())
    made = [
        _row(name, takes, _variants(takes, count, cycles), cycles) for name, takes in sets.items() for cycles in (1, 3)
    ]
    return table(f"{count} planted variants, vary --loop", HEAD, made)


def clips() -> str:
    """The best loop of every take."""
    return table(
        "freshtake loop", HEAD, [_row(name, [take], [loop_of(take, cycles)[0]], 1) for name, take, cycles in _long()]
    )


def _sets() -> Iterator[tuple[str, list[Clip]]]:
    """Walk, swim and run as recorded, and the bundled samples."""
    for name in ("walk", "swim"):
        found = sorted((DATA / name).glob(f"{name}_?.bvh"))
        if found:
            yield name, [ft.read(path) for path in found]
    for path in (DATA / "cyclic").glob("run_circle*.bvh"):
        yield "run in circles, steady cycles", _steady(cut_cycles(ft.read(path)))
    yield "sample walk", [samples.walk(np.random.default_rng([7, k]), cycles=1) for k in range(4)]
    yield "sample run", _steady(cut_cycles(samples.run(np.random.default_rng(7), cycles=6)))


def _steady(cycles: Sequence[Clip]) -> list[Clip]:
    usual = float(np.median([len(cycle) for cycle in cycles]))
    return [cycle for cycle in cycles if abs(len(cycle) / usual - 1.0) <= STEADY]


def _long() -> Iterator[tuple[str, Clip, int | None]]:
    """Takes and how many cycles their loops have; None for takes that are one."""
    folders = {"cyclic/*.bvh": 1, "style/*.bvh": 1, "okwechime/bvh/*.bvh": 1, "walk/*.bvh": None, "swim/*.bvh": None}
    for path, cycles in ((path, cycles) for pattern, cycles in folders.items() for path in sorted(DATA.glob(pattern))):
        yield f"{path.parent.name}/{path.stem}", ft.read(path), cycles
    yield "sample run", samples.run(np.random.default_rng(7), cycles=6), 1


def _variants(takes: Sequence[Clip], count: int, cycles: int) -> Iterator[Clip]:
    model = ft.variation.learn(list(takes), rng=np.random.default_rng(0))
    return (model.sample(np.random.default_rng([1, k]), loop=True, cycles=cycles, plant=True) for k in range(count))


def _row(name: str, takes: Sequence[Clip], made: Iterator[Clip] | Sequence[Clip], cycles: int) -> list[str]:
    steps = [steps_of(take) for take in takes]
    limits = [float(np.percentile(np.concatenate(part), 99)) for part in zip(*steps, strict=True)]
    found = [_measured(loop, *limits) for loop in made]
    step, bend, rank, frames = (np.array(part) for part in zip(*found, strict=True))
    label = name if cycles == 1 else f"{name}, {cycles} cycles"
    return [
        label, str(len(found)), f"{np.median(step):.2f}", f"{step.max():.2f}", f"{np.median(bend):.2f}",
        f"{bend.max():.2f}", f"{rank.mean():.2f}", f"{frames.min()}-{frames.max()}",
        str(int(((step > 1.0) | (bend > 1.0)).sum())),
    ]  # fmt: skip


def _measured(loop: Clip, step: float, bend: float) -> Measured:
    seam, own = seam_of(loop), steps_of(played(loop, len(loop) + 2)).bend
    return Measured(seam.step / step, seam.bend / bend, float((own < seam.bend).mean()), len(loop))

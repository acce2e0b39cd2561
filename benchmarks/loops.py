"""Compare seams of loops with the takes' steps from frame to frame: variants of models, and loops of takes.

python -m benchmarks.loops
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

import freshtake as ft
from benchmarks.takes import DATA
from benchmarks.timing import table
from freshtake import samples
from freshtake.motion import Clip
from freshtake.motion.cycles.cycles import find_cycles
from freshtake.motion.cycles.looping import played
from freshtake.motion.cycles.seams import seam_of, steps_of
from freshtake.motion.edit import take_frames
from freshtake.variation import VariationModel
from freshtake.workflows.editing import loop_of

COUNT = 200
STEADY = 0.1  # fraction by which the duration of a cycle may differ from the median: recorded runs start and stop
FOLDERS: dict[str, tuple[str, int | None]] = {
    "long takes of walks, runs, swims": ("cyclic/*.bvh", 1),
    "walks of several styles": ("style/*.bvh", 1),
    "walks, runs, skips at 30 fps": ("okwechime/bvh/*.bvh", 1),
    "walks cut to one cycle, --whole": ("walk/*.bvh", None),
    "swims cut to one cycle, --whole": ("swim/*.bvh", None),
}
HEAD = ["takes", "loops", "step, median", "largest", "bend, median", "largest", "rank", "frames", "above 1"]


class Measured(NamedTuple):
    """One loop: step and bend at the seam over the takes' 99th percentiles, and the bend's rank in its loop."""

    step: float
    bend: float
    rank: float
    frames: int


def loops(count: int = COUNT) -> str:
    """Return both tables."""
    return variants(count) + "\n" + clips()


def variants(count: int = COUNT) -> str:
    """Measure loops that models make."""
    rows = []
    for name, takes in _sets():
        model = ft.variation.learn(takes, rng=np.random.default_rng(0))
        for cycles in (1, 3):
            drawn = (_drawn(model, k, cycles) for k in range(count))
            rows.append(_row(name if cycles == 1 else f"{name}, {cycles} cycles", _measured(drawn, takes)))
    return table(f"{count} planted variants, vary --loop", HEAD, rows)


def clips() -> str:
    """Measure the best loop of every take, one row for each folder."""
    rows = []
    for name, (pattern, cycles) in FOLDERS.items():
        takes = [ft.read(path) for path in sorted(DATA.glob(pattern))]
        found = [one for take in takes for one in _measured([loop_of(take, cycles)[0]], [take])]
        rows += [_row(name, found)] if found else []
    return table("freshtake loop", HEAD, rows)


def _sets() -> Iterator[tuple[str, list[Clip]]]:
    """Yield a recorded walk, swim and run, and the bundled samples."""
    for name in ("walk", "swim"):
        found = sorted((DATA / name).glob(f"{name}_?.bvh"))
        if found:
            yield name, [ft.read(path) for path in found]
    for path in (DATA / "cyclic").glob("run_circle*.bvh"):
        yield "run in circles, steady cycles", _steady(ft.read_clip(path))
    yield "sample walk", [samples.walk(np.random.default_rng([7, k]), cycles=1) for k in range(4)]
    yield "sample run", _steady(samples.run(np.random.default_rng(7), cycles=6))


def _steady(take: Clip) -> list[Clip]:
    cycles = [take_frames(take, start, stop + 1) for start, stop in find_cycles(take).spans]
    usual = float(np.median([len(cycle) for cycle in cycles]))
    return [cycle for cycle in cycles if abs(len(cycle) / usual - 1.0) <= STEADY]


def _drawn(model: VariationModel, number: int, cycles: int) -> Clip:
    made: Clip = model.sample(np.random.default_rng([1, number]), loop=True, cycles=cycles, plant=True)
    return made


def _measured(loops: Iterable[Clip], takes: Sequence[Clip]) -> list[Measured]:
    steps = [steps_of(take) for take in takes]
    step, bend = (float(np.percentile(np.concatenate(part), 99)) for part in zip(*steps, strict=True))
    found = []
    for loop in loops:
        seam, own = seam_of(loop), steps_of(played(loop, len(loop) + 2)).bend
        found.append(Measured(seam.step / step, seam.bend / bend, float((own < seam.bend).mean()), len(loop)))
    return found


def _row(name: str, found: Sequence[Measured]) -> list[str]:
    step, bend, rank, frames = (np.array(part) for part in zip(*found, strict=True))
    return [
        name, str(len(found)), f"{np.median(step):.2f}", f"{step.max():.2f}", f"{np.median(bend):.2f}",
        f"{bend.max():.2f}", f"{rank.mean():.2f}", f"{frames.min()}-{frames.max()}",
        str(int(((step > 1.0) | (bend > 1.0)).sum())),
    ]  # fmt: skip


if __name__ == "__main__":
    print(loops())

"""Texture: the cost of analysis, play and restoring, how it scales, and the size of model files.

python -m benchmarks.texture [analysis speed quality loops steering feet courses going compression]
    [--takes NAME ...] [--growth FILE.png]
"""

from __future__ import annotations

import argparse
import tracemalloc
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.texture_guiding import courses, feet, going
from benchmarks.texture_quality import loops, quality, steering
from benchmarks.texture_takes import long_clip, motions
from benchmarks.timing import least_cpu, table
from freshtake.motion import MeshSequence
from freshtake.texture import Settings, learn
from freshtake.texture.examples import material_of
from freshtake.texture.shape import Group, Shape
from freshtake.workflows import compression_table

LENGTHS = (1000, 2000, 5000, 10_000)


def texture() -> str:
    """Return all tables."""
    return "\n".join(made(()) for made in TABLES.values())


class Cost(NamedTuple):
    """Cost of learning from this many frames: CPU seconds from points and from a clip, and extra megabytes."""

    frames: int
    core: float
    whole: float
    memory: float


def growth() -> list[Cost]:
    """Measure the cost of learning by number of frames."""
    out = []
    for frames in LENGTHS:
        clip = long_clip(frames)
        rows = material_of(clip, Settings()).poses
        whole = least_cpu(partial(learn, clip), 2)
        out.append(Cost(frames, least_cpu(partial(learn, rows, frame_time=1 / 60), 2), whole, peak(rows)))
    return out


def analysis(takes: Sequence[str] = (), picture: Path | None = None) -> str:
    """Time learning from a clip, and from points: components, distances, jump map and calibration alone."""
    costs = growth()
    if picture is not None:
        draw(costs, picture)
    rows = [[f"{c.frames:,}", f"{c.core:.2f}", f"{c.whole:.2f}", f"{c.memory:.0f}"] for c in costs]
    head = ["frames", "CPU s from points", "CPU s from a clip, all included", "largest extra memory, MB"]
    return table("Analysis (targets: 1,000 frames in 0.3 s, 10,000 in 5 s and 100 MB)", head, rows)


def draw(costs: list[Cost], picture: Path) -> None:
    """Draw CPU time by number of frames, with the targets."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.0, 3.0), layout="constrained")
    axis = figure.add_subplot()
    frames = [cost.frames for cost in costs]
    axis.loglog(frames, [cost.whole for cost in costs], "o-", label="from a clip, all included")
    axis.loglog(frames, [cost.core for cost in costs], "s--", label="from points")
    axis.loglog([1000, 10_000], [0.3, 5.0], "k_", markersize=14, label="targets")
    axis.set(xlabel="frames", ylabel="CPU seconds")
    axis.legend(frameon=False)
    figure.savefig(picture, dpi=100)


def peak(rows: Any) -> float:
    """Return the peak additional memory for learning, in megabytes."""
    tracemalloc.start()
    learn(rows, frame_time=1 / 60)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 1e6


def speed(takes: Sequence[str] = ()) -> str:
    """Measure indices per second, and frames restored per second against a plain product per frame."""
    model = learn(long_clip(1000))
    rng = np.random.default_rng(0)
    state = model.start(rng)
    count = 1_000_000
    indices = least_cpu(lambda: model.play(state, rng, count))
    shape, weights = made_shape(20_000, 10), rng.normal(size=(512, 10)).astype(np.float32)
    out = np.empty((16, shape.columns), dtype=np.float32)
    modes, mean = shape.groups[0].modes, shape.groups[0].mean
    wide, middle = modes.astype(np.float64), mean.astype(np.float64)

    def batched() -> None:
        for first in range(0, len(weights), 16):
            shape.restore(weights[first : first + 16], out)

    def single() -> None:
        for w in weights:
            w @ modes + mean

    def double() -> None:
        for w in weights:
            w @ wide + middle

    ours, theirs, doubles = (len(weights) / least_cpu(act, 9) for act in (batched, single, double))
    rows = [
        ["frames chosen (indices)", f"{count / indices:,.0f}", ""],
        ["20,000 vertices, 10 modes, float32 batches of 16", f"{ours:,.0f}", f"{ours / theirs:.2f}"],
        ["the same, `weights @ modes + mean` per frame, float32", f"{theirs:,.0f}", "1"],
        ["the same in float64", f"{doubles:,.0f}", f"{doubles / theirs:.2f}"],
    ]
    return table("Play and restoring (targets: 1 M indices/s, 2 x the plain product)", ["what", "per s", "x"], rows)


def made_shape(vertices: int, modes: int) -> Shape:
    """Return a mesh of random modes."""
    rng, width = np.random.default_rng(0), 3 * vertices
    single = rng.normal(size=(modes + 1, width)).astype(np.float32)
    ones = np.ones(width, dtype=np.float32)
    return Shape((Group("mesh", np.arange(width), ones, single[0], single[1:], np.zeros(1 + modes)),))


def compression(takes: Sequence[str] = ()) -> str:
    """Measure sizes of model files (table 1), and E(c) relative to E(0)."""
    rows = []
    for name, motion in motions(takes):
        if not isinstance(motion, MeshSequence):
            continue
        for row in compression_table(motion, [(4, 0), (10, 0), (10, 16), (10, 8)]):
            rows.append(
                [
                    name, str(row.components), str(row.bits or 32), f"{row.bytes:,}", f"1:{row.ratio:.1f}",
                    f"1:{row.zipped_ratio:.1f}", f"{100 * row.relative_error:.2f}",
                ]
            )  # fmt: skip
    head = ["mesh", "c", "bits", "bytes", "of float32", "of float32 zipped", "E(c)/E(0), %"]
    return table("Model files of meshes (targets on human_walk: 4 % at 1:10, and at 1:15 quantized)", head, rows)


TABLES: dict[str, Callable[[Sequence[str]], str]] = {
    "analysis": analysis,
    "speed": speed,
    "quality": quality,
    "loops": loops,
    "steering": steering,
    "feet": feet,
    "courses": courses,
    "going": going,
    "compression": compression,
}


def main() -> None:
    """Print the named tables, or all tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.texture", description=__doc__)
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], help="default: all of them")
    parser.add_argument("--takes", nargs="+", default=[], help="only these takes, by the names of their files")
    parser.add_argument("--growth", type=Path, help="draw the cost of the analysis here (.png)")
    given = parser.parse_args()
    if given.growth is not None:
        print(analysis(picture=given.growth), flush=True)
    for name in given.tables or ([] if given.growth is not None else list(TABLES)):
        print(TABLES[name](given.takes), flush=True)


if __name__ == "__main__":
    main()

"""How far the paper's sampler holds: python -m benchmarks.paper_sampler [--frames 6000] [--picture FILE.png].

Long streams of the paper's and of the kernel method: mean |z| of the DOFs as time goes by, jerk and the pace of cycles,
all beside the examples'; and motions that should end by themselves. The picture shows a walk at its start and after 1,
10 and 60 seconds, beside a recorded one. Needs the folder that FRESHTAKE_DATA names.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from tests.conftest import DATA

from benchmarks.quality import takes
from freshtake.formats.report_files import write_figure
from freshtake.motion import Clip
from freshtake.motion.edit import take_frames
from freshtake.reports.overlay import stick_figures
from freshtake.variation import Settings, VariationModel, learn

METHODS = ("paper", "kernel")
MARKS = (0.0, 1.0, 10.0, 60.0)  # seconds
PIECE = 60  # frames


def size(model: VariationModel, rows: np.ndarray) -> float:
    """Mean |z|: by how many standard deviations of the examples DOFs lie from their means."""
    known = np.concatenate(model.material.values)
    return float(np.abs((rows - known.mean(axis=0)) / known.std(axis=0)).mean())


def shake(model: VariationModel, rows: np.ndarray) -> float:
    """Third differences against the examples', DOFs weighed by how far they move the body."""

    def third(x: np.ndarray) -> float:
        return float(np.sqrt(((np.diff(x, n=3, axis=0) * model.material.weights) ** 2).mean()))

    return third(rows) / float(np.mean([third(x) for x in model.material.values]))


def pace(model: VariationModel, rows: np.ndarray) -> float:
    """Frames per cycle against the examples': turns of the two main components round their middle."""
    known = np.concatenate(model.material.values)
    middle, weights = known.mean(axis=0), model.material.weights
    axes = np.linalg.svd((known - middle) * weights, full_matrices=False)[2][:2]

    def turns(x: np.ndarray) -> float:
        a, b = axes @ ((x - middle) * weights).T
        angle = np.unwrap(np.arctan2(b, a))
        return float(abs(angle[-1] - angle[0]))

    own = np.mean([turns(x) / (len(x) - 1) for x in model.material.values])
    return float(own / max(turns(rows) / (len(rows) - 1), 1e-9))


def stream_row(kind: str, method: str, model: VariationModel, frames: int, seed: int) -> tuple[str, np.ndarray]:
    rows = model.made(np.random.default_rng(seed), frames=frames).rows
    marks = [round(mark / model.frame_time) for mark in MARKS if mark / model.frame_time + PIECE <= frames]
    sizes = [f"{size(model, rows[at : at + PIECE]):.2f}" for at in marks]
    data = size(model, np.concatenate(model.material.values))
    late = rows[frames // 2 :]
    cells = [kind, method, *sizes, f"{data:.2f}", f"{shake(model, late):.2f}", f"{pace(model, rows):.2f}"]
    return f"| {' | '.join(cells)} |", rows


def end_row(kind: str, method: str, model: VariationModel, count: int, seed: int) -> str:
    lengths = np.array([len(model.rows(np.random.default_rng([seed, k]))) for k in range(count)])
    own = [len(x) for x in model.material.values]
    ended = int((lengths < 4 * max(own)).sum())
    return (
        f"| {kind} | {method} | {ended} of {count} | {lengths.mean():.0f} ± {lengths.std():.0f} | {np.mean(own):.0f} |"
    )


def learned(kind: str, method: str, seed: int) -> VariationModel:
    return learn(takes(kind, kind), Settings(method=method), rng=np.random.default_rng(seed))


def picture(path: Path, examples: list[Clip], streams: dict[str, Clip]) -> None:
    """Rows: an example, and each stream; columns: five poses a tenth of a second apart from each mark on."""
    from matplotlib.figure import Figure

    step = round(0.1 / examples[0].frame_time)
    joints = examples[0].positions()
    reach = float(np.ptp(joints[0], axis=0).max()) / 1.8
    figure = Figure(figsize=(10.0, 7.0), layout="constrained")
    grid = figure.subplots(1 + len(streams), len(MARKS))
    for row, (name, clip) in zip(grid, {"recorded": examples[0], **streams}.items(), strict=True):
        for axis, mark in zip(row, MARKS, strict=True):
            first = round(mark / clip.frame_time)
            first = first % (len(clip) - 5 * step) if name == "recorded" else first
            poses = take_frames(clip, first, first + 4 * step + 1)
            stick_figures(axis, poses, 5, reach=reach)
            axis.set_title(f"{name}, {mark:g} s" if name != "recorded" else "recorded", fontsize=9)
    write_figure(path, figure, dpi=80)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.paper_sampler", description=__doc__)
    parser.add_argument("--frames", type=int, default=6000)
    parser.add_argument("-n", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    if not DATA.is_dir():
        raise SystemExit("recorded motion is absent: set FRESHTAKE_DATA to its folder")
    heads = [f"after {mark:g} s" for mark in MARKS]
    heads = ["stream", "method", *heads, "examples", "third differences", "pace"]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    streams = {}
    for kind in ("walk", "swim"):
        for method in METHODS:
            model = learned(kind, method, given.seed)
            line, rows = stream_row(kind, method, model, given.frames, given.seed)
            print(line, flush=True)
            if kind == "walk":
                streams[method] = model.decode(rows)
    if given.picture is not None:
        picture(given.picture, takes("walk", "walk"), streams)
    print("\n| motion | method | ended by themselves | frames | inputs' |\n|---|---|---|---|---|")
    for kind in ("jump", "cheering", "throw"):
        for method in METHODS:
            print(end_row(kind, method, learned(kind, method, given.seed), given.n, given.seed), flush=True)


if __name__ == "__main__":
    main()

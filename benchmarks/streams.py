"""Long streams of recorded motion: python -m benchmarks.streams [KIND ...] [--frames 20000] [--seed 1].

Nearest-input distance over time, length of the cycles against the inputs', exactly repeated cycles, and the heading
with steering on and off. Needs the folder that FRESHTAKE_DATA names.
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.quality import takes
from benchmarks.takes import sets_here
from freshtake.evaluation import evaluate
from freshtake.motion.edit import take_frames
from freshtake.variation import Steering, VariationModel, learn

PIECES = 10


def cycle_lengths(model: VariationModel, phases: np.ndarray) -> np.ndarray:
    """Return the duration of every complete cycle in frames, with fractions."""
    last = len(model.phase_frames) - 1.0
    marks = np.interp(np.arange(1.0, np.floor(phases[-1] / last)) * last, phases, np.arange(len(phases)))
    return np.diff(marks)


def repeats(rows: np.ndarray, lengths: np.ndarray) -> int:
    """Count cycles whose every row recurs, to 1e-9, one or more cycles later."""
    kept = np.round(rows, 9)
    starts = np.concatenate([[0], np.cumsum(np.round(lengths))]).astype(int)
    seen = [kept[a : a + int(lengths.min())].tobytes() for a in starts if a + int(lengths.min()) <= len(kept)]
    return len(seen) - len(set(seen))


def run(kind: str, frames: int, seed: int) -> None:
    inputs = takes(kind, kind)
    model = learn(inputs, rng=np.random.default_rng(seed))
    made = model.draw(np.random.default_rng(seed), frames=frames)
    clip = model.decode(made.rows)
    size = frames // PIECES
    pieces = [take_frames(clip, k * size, k * size + min(size, 400)) for k in range(PIECES)]
    near = evaluate(inputs, pieces, rng=np.random.default_rng(seed)).figure("nearest").each
    trend = np.polyfit(np.linspace(0.0, 1.0, PIECES), near, 1)[0] / np.mean(near)
    lengths = cycle_lengths(model, made.phases)
    own = float(np.mean([len(x) - 1 for x in inputs]))
    print(f"\n### {kind}: {frames} frames\n")
    print("| figure | value |\n|---|---|")
    print(f"| nearest input, % leg, by tenths | {', '.join(f'{value:.2f}' for value in near)} |")
    print(f"| its trend over the stream | {100 * trend:+.1f} % |")
    print(f"| cycles | {len(lengths)} of {lengths.mean():.2f} +- {lengths.std():.2f} frames (inputs {own:.2f}) |")
    print(f"| mean cycle ÷ inputs' | {lengths.mean() / own:.4f} |")
    print(f"| exactly repeated cycles | {repeats(made.rows, lengths)} |")
    turn = next(k for k, name in enumerate(model.dofs) if name.endswith(".turn"))
    for name, steer in (("free", None), ("steered", Steering())):
        rows = model.draw(np.random.default_rng(seed), frames=frames, steer=steer).rows
        heading = np.degrees(np.cumsum(rows[:, turn]) * model.frame_time)
        print(f"| heading, {name} | {heading.min():.1f} to {heading.max():.1f} degrees |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streams", description=__doc__)
    parser.add_argument("kinds", nargs="*", default=["walk", "swim"])
    parser.add_argument("--frames", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for kind in sets_here(given.kinds):
        run(kind, given.frames, given.seed)


if __name__ == "__main__":
    main()

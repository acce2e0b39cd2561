"""How soon an observer model notices a repeat: python -m benchmarks.repetition [KIND ...] [--samples] [--picture FILE].

Cycle animations of the four training takes against sequences of variants, 15 and 100 clips long, joined by the same
blend. The observer's acuity is the distance of the two closest half seconds of different real takes, and half of it.
No people took part. Needs the folder that FRESHTAKE_DATA names, or --samples.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.baselines import SAMPLES, Takes, source_of, variants_of
from benchmarks.repeats import RATE, WINDOW, acuity, nearest_earlier, noticed_at, views
from benchmarks.takes import KINDS
from benchmarks.timing import table
from freshtake.evaluation.study.schedule import cycle_animation, variant_sequence
from freshtake.numeric.arrays import Floats

LENGTHS = (15, 100)
RUNS = 3


class Watched(NamedTuple):
    """Sequences of one condition and length: the distance of the nearest earlier half second at every moment."""

    condition: str
    clips: int
    apart: list[Floats]


def watched(takes: Takes, seed: int, runs: int = RUNS) -> tuple[float, float, list[Watched]]:
    """The observer's acuity, seconds per clip, and all sequences."""
    inputs, extra = takes
    variants = variants_of(inputs, max(LENGTHS), seed)
    kinds, sequences = [], []
    for clips in LENGTHS:
        for run in range(runs):
            rng = np.random.default_rng([seed, clips, run])
            pool = [variants[k] for k in rng.permutation(len(variants))[:clips]]
            kinds += [("cycle", clips), ("variants", clips)]
            sequences += [cycle_animation(inputs, clips, rng)[0], variant_sequence(pool, clips, rng)[0]]
    seen = views([*inputs, *extra, *sequences])
    real, rest = seen[: len(inputs) + len(extra)], seen[len(inputs) + len(extra) :]
    apart = [nearest_earlier(view, WINDOW) for view in rest]
    sets = [
        Watched(c, n, [a for k, a in zip(kinds, apart, strict=True) if k == (c, n)]) for c, n in dict.fromkeys(kinds)
    ]
    return acuity(real, WINDOW), float(np.mean([len(clip) for clip in inputs])) / inputs[0].fps, sets


def rows_of(kind: str, takes: Takes, seed: int) -> list[list[str]]:
    limit, clip_time, sets = watched(takes, seed)
    rows = []
    for one in sets:
        cells = [kind, f"{one.clips} clips, {one.condition}"]
        for share in (1.0, 0.5):
            seconds = np.array([noticed_at(a, [share * limit], WINDOW)[0] for a in one.apart])
            repeated = np.mean([(a < share * limit).mean() for a in one.apart])
            middle = float(np.median(seconds))
            never = int(np.isinf(seconds).sum())
            when = f"after {middle / clip_time:.1f} clips" if np.isfinite(middle) else "never"
            some = f" ({never} of {len(seconds)}: never)" if never and np.isfinite(middle) else ""
            cells += [when + some, f"{100 * repeated:.1f} %"]
        closest = float(np.median([a.min() for a in one.apart]))
        rows.append([*cells, f"{100 * closest:.2f} % (acuity {100 * limit:.2f} %)"])
    return rows


def picture(path: Path, takes: Takes, seed: int) -> None:
    """Draw the number of clips until a repeat is noticed over the observer's acuity."""
    from matplotlib.figure import Figure

    from freshtake.formats.report_files import write_figure

    limit, clip_time, sets = watched(takes, seed, 9)
    figure = Figure(figsize=(6.4, 3.4), layout="constrained")
    axis = figure.subplots()
    fractions = np.linspace(0.02, 1.6, 80)
    styles = {("cycle", 15): ":", ("cycle", 100): "-", ("variants", 15): ":", ("variants", 100): "-"}
    for one in sets:
        times = np.array([noticed_at(a, list(fractions * limit), WINDOW) for a in one.apart]) / clip_time
        ends = [(2 * len(a) + WINDOW) / RATE / clip_time for a in one.apart]
        middle = np.median(np.minimum(times, np.array(ends)[:, None]), axis=0)
        color = "#d9534f" if one.condition == "cycle" else "#35a264"
        label = f"{'cycle animation' if one.condition == 'cycle' else 'variants'}, {one.clips} clips"
        axis.plot(100 * fractions * limit, middle, styles[one.condition, one.clips], color=color, label=label)
    axis.axvline(100 * limit, color="#828b96", linewidth=0.8)
    axis.annotate("closest two real takes ", (100 * limit, 1.15), fontsize=8, color="#66707b", ha="right")
    axis.set_yscale("log")
    axis.set_yticks([1, 2, 5, 10, 20, 50, 100], ["1", "2", "5", "10", "20", "50", "100"])
    axis.set_xlabel("what the observer can tell apart [% of the leg]")
    axis.set_ylabel("clips until a repeat is noticed")
    axis.legend(fontsize=8, frameon=False)
    axis.spines[["top", "right"]].set_visible(False)
    write_figure(path, figure, dpi=100)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.repetition", description=__doc__)
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--samples", action="store_true")
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    source = source_of(given.samples)
    kinds: Sequence[Any] = given.kinds or (list(SAMPLES) if given.samples else list(KINDS))
    if given.picture:
        picture(given.picture, source(kinds[0]), given.seed)
        return
    head = ["", "sequence", "noticed", "repeated", "noticed at half the acuity", "repeated", "closest"]
    rows = [row for kind in kinds for row in rows_of(kind, source(kind), given.seed)]
    print(table("How soon an observer model notices a repeat", head, rows))


if __name__ == "__main__":
    main()

"""Measure how often a twin is in view: python -m benchmarks.crowd_repetition [--samples] [--picture FILE].

A crowd of 1,000 walks for three seconds; a camera sees 20 of it at a time. The observer of `benchmarks.repeats`,
whose acuity is set by real takes, looks for a half second that two of the visible characters share, at
any time. Cycle animation plays the training takes, a library its m loops, all from random phases; in unique mode every
character has its own motion. The curve is the prediction by chance: 1 - (1 - 1/m)^(v - 1) of v characters have a twin.
The acuity is the distance of the two closest half seconds of some eight real takes, 28 pairs. 20 characters are 190
pairs, among which closer pairs occur by chance, also in real takes, so results at half the acuity are shown, too. No
people took part. Needs the folder that FRESHTAKE_DATA names, or --samples.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import freshtake as ft
from benchmarks.baselines import SAMPLES, Takes, source_of
from benchmarks.repeats import RATE, WINDOW, acuity, nearest_other, views
from benchmarks.timing import table
from freshtake.crowd.characters import MotionRequest, body_of, make_motion
from freshtake.motion import Clip
from freshtake.motion.cycles.looping import closed
from freshtake.numeric.arrays import Floats

NUMBER, VISIBLE, SECONDS, VIEWS = 1000, 20, 3.0, 12
SIZES = (10, 32, 100, 320)
ACUITIES = (1.0, 0.5, 0.25)


def twins(seen: Sequence[Floats], limits: Floats) -> Floats:
    """Return for each limit the fraction of figures that share a half second with another figure."""
    nearest = np.full(len(seen), np.inf)
    for i, a in enumerate(seen):
        for j in range(i):
            apart = nearest_other(a, seen[j], WINDOW).min()
            nearest[i], nearest[j] = min(nearest[i], apart), min(nearest[j], apart)
    return np.array([(nearest < limit).mean() for limit in limits])


def played(loop: Floats, start: float) -> Floats:
    """Return the views of a loop within the time, starting at a phase."""
    frames = int(SECONDS * RATE)
    return loop[(int(start * len(loop)) + np.arange(frames)) % len(loop)]


def shares(takes: Takes, seed: int) -> tuple[dict[str, Floats], dict[int, Floats]]:
    """Return the fraction of characters with a twin in view at each acuity, by condition, and for libraries by size."""
    rng = np.random.default_rng(seed)
    inputs, extra = takes
    model = ft.variation.learn(inputs, rng=np.random.default_rng(0), cyclic=True)
    body = body_of(model, "model")
    asked = MotionRequest(seed, 0, SECONDS, None)
    loops = [_clip(model, body, asked._replace(number=k, loop=True)) for k in range(max(SIZES))]
    unique = [_clip(model, body, asked._replace(number=5000 + k)) for k in range(VISIBLE * VIEWS)]
    cycles = [closed(take, 0, len(take) - 1) for take in inputs]
    seen = views([*inputs, *extra, *cycles, *loops, *unique])
    real, rest = seen[: len(inputs) + len(extra)], seen[len(inputs) + len(extra) :]
    shown_cycles, rest = rest[: len(cycles)], rest[len(cycles) :]
    shown_loops, shown_unique = rest[: len(loops)], rest[len(loops) :]
    limits = acuity(real, WINDOW) * np.array(ACUITIES)

    def library(pool: list[Floats]) -> Floats:
        cast = rng.integers(len(pool), size=NUMBER)
        found = []
        for _ in range(VIEWS):
            visible = rng.choice(NUMBER, VISIBLE, replace=False)
            found.append(twins([played(pool[cast[k]], rng.random()) for k in visible], limits))
        return np.asarray(np.mean(found, axis=0))

    own = [twins(shown_unique[k * VISIBLE : (k + 1) * VISIBLE], limits) for k in range(VIEWS)]
    conditions = {"cycle animation": library(shown_cycles), "unique": np.asarray(np.mean(own, axis=0))}
    return conditions, {m: library(shown_loops[:m]) for m in SIZES}


def _clip(model: ft.VariationModel, body: object, asked: MotionRequest) -> Clip:
    made = make_motion(model, body, asked)  # type: ignore[arg-type]
    return Clip(body.skeleton, model.frame_time, made.root / body.scale, made.rotations)  # type: ignore[attr-defined]


def chance(m: float) -> float:
    return 1.0 - (1.0 - 1.0 / m) ** (VISIBLE - 1)


def picture(path: Path, conditions: dict[str, Floats], libraries: dict[int, Floats]) -> None:
    """Draw the fractions at half the acuity over the size of the library."""
    from matplotlib.figure import Figure

    from freshtake.formats.report_files import write_figure

    figure = Figure(figsize=(6.4, 3.4), layout="constrained")
    axis = figure.subplots()
    sizes = np.geomspace(4, 1000, 100)
    axis.plot(sizes, [100 * chance(m) for m in sizes], color="#828b96", linewidth=1, label="library, by chance")
    observed = [100 * v[1] for v in libraries.values()]
    axis.plot(list(libraries), observed, "o", color="#35a264", label="library, observed")
    for name, color in (("cycle animation", "#d9534f"), ("unique", "#3b7dd8")):
        axis.axhline(100 * conditions[name][1], color=color, linestyle="--", linewidth=1.2, label=f"{name}, observed")
    axis.set_xscale("log")
    axis.set_xticks([4, 10, 32, 100, 320, 1000], ["4", "10", "32", "100", "320", "1,000"])
    axis.set_ylim(-3, 103)
    axis.set_xlabel("motions in the library")
    axis.set_ylabel(f"characters with a twin\namong {VISIBLE} in view [%]")
    axis.legend(fontsize=8, frameon=False, loc="center right")
    axis.spines[["top", "right"]].set_visible(False)
    write_figure(path, figure, dpi=100)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.crowd_repetition", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--samples", action="store_true")
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    kind = next(iter(SAMPLES)) if given.samples else "walk"
    conditions, libraries = shares(source_of(given.samples)(kind), given.seed)
    if given.picture:
        picture(given.picture, conditions, libraries)

    def row(name: str, values: Floats, by_chance: float) -> list[str]:
        return [name, *[f"{100 * v:.0f} %" for v in values], f"{100 * by_chance:.0f} %"]

    rows = [row("cycle animation of 4 takes", conditions["cycle animation"], chance(4))]
    rows += [row(f"library of {m}", values, chance(m)) for m, values in libraries.items()]
    rows += [row("unique", conditions["unique"], 0.0)]
    head = ["crowd of 1,000", "observed", "at half the acuity", "at a quarter", "by chance"]
    print(table(f"Characters with a twin among {VISIBLE} in view", head, rows))


if __name__ == "__main__":
    main()

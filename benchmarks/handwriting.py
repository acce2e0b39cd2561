"""Handwriting: python -m benchmarks.handwriting [CHARACTER ...] [-n 50] [--seed 1] [--method paper].

Learns from the first four samples of every character, draws variants, and lets a classifier that knows real strokes of
all characters name them. Needs the folder that FRESHTAKE_DATA names.

The classifier is the nearest neighbour by dynamic time warping of paths: each sampled at forty points spaced evenly
along the path, relative to its middle, and of equal size, so it sees only the shape.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

import freshtake
from benchmarks.takes import DATA
from benchmarks.timing import table
from freshtake.evaluation import evaluate
from freshtake.evaluation.tracks import dtw_distances
from freshtake.motion import Stroke
from freshtake.variation import learn as learn_default
from freshtake.variation import paper

INPUTS, PLACES = 4, 40


class Real(NamedTuple):
    """A real stroke: its character, its number among them, and its shape."""

    character: str
    number: int
    shape: np.ndarray


def characters() -> dict[str, list[Stroke]]:
    """Return all similar samples of every character, in the order of their names."""
    folder = DATA / "handwriting"
    paths = {name: sorted((folder / "kast").glob(f"{name}_[0-9]*.csv")) for name in ("a", "2")}
    paths |= {place.name: sorted(place.glob("*.csv")) for place in sorted((folder / "omniglot").iterdir())}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # points with equal times are spread apart
        found = {name: [freshtake.read(path) for path in listed] for name, listed in paths.items()}
    return {name: [s for s in strokes if isinstance(s, Stroke)] for name, strokes in found.items() if strokes}


def shape(stroke: Stroke) -> np.ndarray:
    """Return forty points along the path (40, 2), relative to their middle, with root mean square 1."""
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(stroke.points, axis=0), axis=1))])
    at = np.linspace(0.0, way[-1], PLACES)
    points = np.stack([np.interp(at, way, column) for column in stroke.points.T], axis=1)
    points -= points.mean(axis=0)
    return points / np.sqrt((points**2).sum(axis=1).mean())


def named(strokes: Sequence[np.ndarray], known: Sequence[Real]) -> list[str]:
    """Return the character of the nearest real stroke."""
    apart = dtw_distances([(one, real.shape) for one in strokes for real in known]).reshape(len(strokes), -1)
    return [known[k].character for k in apart.argmin(axis=1)]


def right(strokes: Sequence[np.ndarray], known: Sequence[Real], character: str) -> float:
    """Return the fraction of strokes that get this name."""
    return float(np.mean([name == character for name in named(strokes, known)]))


def row(character: str, strokes: list[Stroke], known: list[Real], count: int, seed: int, method: str) -> list[str]:
    """Return one line of the table."""
    examples = strokes[:INPUTS]
    learn = paper.learn if method == "paper" else learn_default
    learn(examples, rng=np.random.default_rng(seed))  # compiles the kernels
    begun = time.process_time()
    model = learn(examples, rng=np.random.default_rng(seed))
    spent = time.process_time() - begun
    variants = [model.sample(np.random.default_rng([seed, k]), name=f"variant_{k + 1:03d}") for k in range(count)]
    shapes = [shape(stroke) for stroke in variants]
    unseen = [real for real in known if real.character != character or real.number >= INPUTS]
    result = evaluate(examples, variants, strokes[INPUTS:], rng=np.random.default_rng(seed))
    jerk, near = result.figure("jerk"), result.figure("nearest")
    return [
        character, f"{spent:.2f}", f"{100 * right(shapes, known, character):.0f} %",
        f"{100 * right(shapes, unseen, character):.0f} %", f"{jerk.value:.2f}", f"{np.median(jerk.each):.2f}",
        f"{min(jerk.real):.2f}-{max(jerk.real):.2f}",
        f"{result.value('copied'):.0%}", f"{near.value:.1f}", f"{min(near.extra):.1f}-{max(near.extra):.1f}",
        f"{result.value('diversity'):.2f}",
    ]  # fmt: skip


def handwriting(chosen: Sequence[str], count: int, seed: int, method: str) -> str:
    """Return the table, with the classifier's accuracy on real strokes above it."""
    found = characters()
    known = [Real(name, k, shape(s)) for name, strokes in found.items() for k, s in enumerate(strokes)]
    held = [named([real.shape], [other for other in known if other is not real])[0] for real in known]
    own = np.mean([name == real.character for name, real in zip(held, known, strict=True)])
    print(f"{len(known)} real strokes of {len(found)} characters, each named by the others: {100 * own:.1f} % right\n")
    rows = [row(name, found[name], known, count, seed, method) for name in chosen or found]
    head = ["character", "learning, CPU s", "named right", "by unseen strokes", "jerk", "its median", "jerk, real"]
    head += ["copied", "nearest", "nearest, real", "diversity"]
    return table(f"{count} variants each, seed {seed}, method {method}", head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.handwriting", description=__doc__)
    parser.add_argument("characters", nargs="*")
    parser.add_argument("-n", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--method", choices=("default", "paper"), default="default")
    given = parser.parse_args()
    if not DATA.is_dir():
        raise SystemExit("recorded strokes are absent: set FRESHTAKE_DATA to their folder")
    print(handwriting(given.characters, given.n, given.seed, given.method))


if __name__ == "__main__":
    main()

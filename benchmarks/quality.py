"""Check the variation method's targets on recorded motion: python -m benchmarks.quality [KIND ...] [-n 50] [--seed 1].

Learns from the four training takes of every kind, draws variants, and prints every figure next to the scores of
unseen real takes and the resulting limits. With --single K, variants are made from the K-th take alone, with
the sizes of deviations learned from all takes; with --plant, feet are planted like those of the takes. Needs the folder
that FRESHTAKE_DATA names.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

import freshtake
from benchmarks.takes import DATA, KINDS, sets_here
from benchmarks.timing import table
from freshtake.evaluation import evaluate
from freshtake.evaluation.results import Evaluation
from freshtake.motion import Clip
from freshtake.variation import VariationModel, learn


class Target(NamedTuple):
    """A figure, its target range, and its name."""

    name: str
    value: float
    low: float
    high: float

    @property
    def met(self) -> bool:
        return self.low - 1e-9 <= self.value <= self.high + 1e-9


def takes(kind: str, prefix: str) -> list[Clip]:
    found = [freshtake.read(path) for path in sorted((DATA / kind).glob(f"{prefix}_*.bvh"))]
    return [clip for clip in found if isinstance(clip, Clip)]


def targets(
    kind: str, result: Evaluation, inputs: Sequence[Clip], variants: Sequence[Clip], extra: Sequence[Clip]
) -> list[Target]:
    """Return the targets as ranges."""
    out = [Target("frames copied", result.value("copied"), 0.0, 0.0)]
    near = result.figure("nearest")
    out.append(Target("nearest input, % leg", near.value, 0.7 * min(near.extra), 1.3 * max(near.extra)))
    out.append(Target("diversity ÷ inputs'", result.value("diversity"), 0.8, 1.3))
    jerk = result.figure("jerk_limbs")
    out.append(Target("jerk, hands and feet", jerk.value, min(0.8, *jerk.real), max(1.2, *jerk.real)))
    if kind != "swim":
        feet = result.figure("planted_speed")
        own = feet.inputs if feet.inputs is not None else 0.0
        out.append(Target("planted-foot speed", feet.value, 0.0, max(1.5 * own, *feet.extra)))
    over = result.figure("overshoot")
    out.append(Target("range overshoot", over.value, 0.0, float(np.mean(over.extra))))
    length = float(np.mean([len(c) for c in variants])) / float(np.mean([len(c) for c in inputs]))
    out.append(Target("duration ÷ inputs'", length, 0.95, 1.05))
    if kind != "throw":  # its takes were cut to one length
        mean = float(np.mean([len(c) for c in inputs]))
        real = float(np.std([len(c) for c in (*inputs, *extra)]))
        out.append(
            Target(
                "duration spread, frames", float(np.std([len(c) for c in variants])), 1e-3, max(2 * real, 0.02 * mean)
            )
        )
    if kind in ("jump", "throw", "cheering"):
        out.append(Target("action once", result.value("action"), 0.95, 1.0))
    if kind != "throw":
        told = result.figure("auc")
        out.append(Target("classifier AUC", told.value, 0.0, max(0.75, *(v + 0.05 for v in told.real))))
    return out


def draw(model: VariationModel, inputs: Sequence[Clip], given: argparse.Namespace) -> list[Clip]:
    """Draw variants of all examples, or of one example."""
    chosen = model if given.single is None else model.with_examples([inputs[given.single - 1]])
    rngs = [np.random.default_rng([given.seed, k]) for k in range(given.n)]
    return [chosen.sample(rng, plant=given.plant, name=f"variant_{k + 1:03d}") for k, rng in enumerate(rngs)]


class Scored(NamedTuple):
    """The scores of one kind of motion: its targets, and the variance outside the inputs' span in words."""

    targets: list[Target]
    outside: str


def run(kind: str, given: argparse.Namespace) -> Scored:
    inputs, extra = takes(kind, kind), takes(kind, "extra")
    model = learn(inputs, rng=np.random.default_rng(given.seed))
    variants = draw(model, inputs, given)
    result = evaluate(inputs, variants, extra, rng=np.random.default_rng(given.seed))
    outside, inner = result.figure("outside_span"), result.interpolation.get("outside_span", float("nan"))
    shares = f"{outside.value:.2f} ({min(outside.real):.2f}–{max(outside.real):.2f}; convex mixtures {inner:.2f})"
    return Scored(targets(kind, result, inputs, variants, extra), shares)


def report(scored: Mapping[str, Scored]) -> str:
    """Return one table of all kinds: values, the range of real takes in brackets, ! outside."""
    cells = {kind: {row.name: cell(row) for row in one.targets} for kind, one in scored.items()}
    names = list(dict.fromkeys(name for column in cells.values() for name in column))
    rows = [[name, *(column.get(name, "–") for column in cells.values())] for name in names]
    rows.append(["variance outside the inputs' span", *(one.outside for one in scored.values())])
    every = [row for one in scored.values() for row in one.targets]
    title = f"{sum(row.met for row in every)} of {len(every)} targets met"
    return table(title, ["figure", *scored], rows)


def cell(row: Target) -> str:
    return f"{row.value:.3g}{'' if row.met else ' !'} ({row.low:.3g}–{row.high:.3g})"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("kinds", nargs="*", default=list(KINDS))
    parser.add_argument("-n", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--single", type=int)
    parser.add_argument("--plant", action="store_true")
    given = parser.parse_args()
    print(report({kind: run(kind, given) for kind in sets_here(given.kinds)}))


if __name__ == "__main__":
    main()

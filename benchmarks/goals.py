"""Measure how natural variants stay under demanding goals: python -m benchmarks.goals [KIND ...] [-n 16].

Free variants next to ones that start and end in poses of an unseen real take, pass through its middle pose, bring a
hand to a position a tenth of a leg away, or last 10 % longer. Needs the folder that FRESHTAKE_DATA names.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

from benchmarks.quality import takes
from benchmarks.takes import sets_here
from freshtake.evaluation import evaluate
from freshtake.motion import Clip
from freshtake.motion.body.roles import hands, leg_length
from freshtake.motion.pins import Pin
from freshtake.variation import Goals, PosePin, VariationModel, learn

FIGURES = ("nearest", "jerk_limbs", "planted_speed", "overshoot", "auc")


def wishes(extra: Clip) -> dict[str, Callable[[VariationModel, int], Goals]]:
    """Return goals by name; each may use the free variant of the same seed."""
    middle = 0.5 * extra.duration

    def hand(model: VariationModel, seed: int) -> Goals:
        free = model.sample(np.random.default_rng([1, seed]))
        joint, frame = hands(free.skeleton)[0], len(free) // 2
        away = np.random.default_rng([2, seed]).normal(size=3)
        place = free.positions()[frame, joint] + 0.1 * leg_length(free.skeleton) * away / np.linalg.norm(away)
        return Goals(targets=[Pin(free.skeleton.names[joint], frame, place)])

    return {
        "free": lambda model, seed: Goals(),
        "start and end poses": lambda model, seed: Goals(start=PosePin(extra), end=PosePin(extra, -1)),
        "middle pose": lambda model, seed: Goals(poses=[PosePin(extra, len(extra) // 2, middle)]),
        "hand at a place": hand,
        "10 % longer": lambda model, seed: Goals(duration=1.1 * mean_duration(model)),
    }


def mean_duration(model: VariationModel) -> float:
    return float(np.mean([len(x) - 1 for x in model.material.values])) * model.frame_time


def run(kind: str, count: int) -> None:
    inputs, extra = takes(kind, kind), takes(kind, "extra")
    model = learn(inputs, rng=np.random.default_rng(1))
    print(f"\n### {kind}\n\n| asked | {' | '.join(FIGURES)} | strain | met |\n|{'---|' * (len(FIGURES) + 3)}")
    for name, goals in wishes(extra[0]).items():
        made = [model.guided(np.random.default_rng([1, k]), goals(model, k)) for k in range(count)]
        result = evaluate(inputs, [one.motion for one in made], extra, rng=np.random.default_rng(1))
        known = {figure.key for figure in result.figures}
        cells = [f"{result.value(key):.3g}" if key in known else "-" for key in FIGURES]
        strain = np.mean([one.report.strain for one in made])
        off = max(
            max(one.report.pose_error, *(one.report.place_errors or (0.0,)))
            if name != "10 % longer"
            else abs(one.report.duration / (1.1 * mean_duration(model)) - 1.0)
            for one in made
        )
        print(f"| {name} | {' | '.join(cells)} | {strain:.1f} | off by at most {off:.2g} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.goals", description=__doc__)
    parser.add_argument("kinds", nargs="*", default=["cheering", "throw", "jump"])
    parser.add_argument("-n", type=int, default=16)
    given = parser.parse_args()
    for kind in sets_here(given.kinds):
        run(kind, given.n)


if __name__ == "__main__":
    main()

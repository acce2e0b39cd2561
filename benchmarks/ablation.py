"""What every choice is worth: python -m benchmarks.ablation [KIND ...] [-n 24] [--methods default kernel paper].

Variants with one setting changed at a time: the default method's; the kernel method's additions to the paper's sampler
switched off; the paper's method with what the paper tried besides, and with each addition switched on (--rounds makes
its search shorter). Figures as in benchmarks.quality; the last column says how many of its targets are met.
Needs the folder that FRESHTAKE_DATA names.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from tests.conftest import DATA

from benchmarks.quality import takes, targets
from freshtake.evaluation import evaluate
from freshtake.motion import Clip
from freshtake.variation import Settings, VariationModel, learn
from freshtake.variation.settings import METHODS

OURS: dict[str, dict[str, Any]] = {
    "default": {},
    "random parents, as many": {"parents": "random"},
    "own parents only": {"parents": "own"},
    "no parents": {"parents": "none"},
    "no traits": {"traits": False},
    "no split of detail": {"detail": False},
    "no tempo": {"tempo": False},
    "feet no nodes": {"foot_nodes": False},
    "swings no nodes": {"swing_nodes": False},
    "step of .07 s": {"step": 0.07},
    "step of .25 s": {"step": 0.25},
}
KERNELS: dict[str, dict[str, Any]] = {
    "kernel method": {},
    "no pull": {"pull": 0.0},
    "white noise": {"noise": "white"},
    "one width for all": {"adaptive": False},
    "no shared core": {"core": 0},
    "random parents, as many": {"parents": "random"},
    "own parents only": {"parents": "own"},
}
PAPERS: dict[str, dict[str, Any]] = {
    "paper's method": {},
    "order 1": {"order": 1},
    "linear regression": {"regression": "linear"},
    "radial-basis regression": {"regression": "radial"},
    "one-step score": {"propagate": False},
    "absolute values, not deltas": {"deltas": False},
    "no velocity term": {"velocity_weight": 0.0},
    "score by eq. 6's variances": {"calibrated": False},
    "no joint search": {"rounds": 0},
    "no edges among predicted nodes": {"slice_edges": False},
    "own parents only": {"parents": "own"},
    "with pull": {"pull": 0.1},
    "with smooth noise": {"noise": "smooth"},
    "with an adaptive width": {"adaptive": True},
    "with a shared core": {"core": 11},
    "second frame as a change": {"prior_deltas": True},
}
SHOWN = {
    "nearest input, % leg": "nearest", "diversity ÷ inputs'": "diversity", "jerk, hands and feet": "jerk",
    "planted-foot speed": "feet", "range overshoot": "overshoot", "duration ÷ inputs'": "duration",
    "action once": "once", "classifier AUC": "AUC",
}  # fmt: skip


def scored(inputs: list[Clip], extra: list[Clip], kind: str, model: VariationModel, count: int, seed: int) -> list[str]:
    """The cells of one row."""
    made = [model.sample(np.random.default_rng([seed, k])) for k in range(count)]
    result = evaluate(inputs, made, extra, rng=np.random.default_rng(seed))
    rows = targets(kind, result, inputs, made, extra)
    values = {SHOWN[row.name]: f"{row.value:.3g}{'' if row.met else ' !'}" for row in rows if row.name in SHOWN}
    cells = [values.get(name, "-") for name in SHOWN.values()]
    for key in ("coordination", "outside_span"):
        cells.append(f"{result.value(key):.3g}" if any(figure.key == key for figure in result.figures) else "-")
    return [*cells, f"{sum(row.met for row in rows)} of {len(rows)}"]


def run(kind: str, count: int, seed: int, methods: list[str], rounds: int | None) -> None:
    inputs, extra = takes(kind, kind), takes(kind, "extra")
    heads = ["setting", *SHOWN.values(), "coordination", "outside span", "met"]
    print(f"\n### {kind}\n\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    tables = {"default": OURS, "kernel": KERNELS, "paper": PAPERS}
    rows = [
        (name, {"method": method, "rounds": rounds, **changes})
        for method in methods
        for name, changes in tables[method].items()
    ]
    for name, changes in rows:
        model = learn(inputs, Settings(**changes), rng=np.random.default_rng(seed))
        print(f"| {name} | {' | '.join(scored(inputs, extra, kind, model, count, seed))} |", flush=True)
    if "default" in methods:
        few_and_many(inputs, extra, kind, count, seed)


def few_and_many(inputs: list[Clip], extra: list[Clip], kind: str, count: int, seed: int) -> None:
    """Rows for other numbers of input clips."""
    both = [*inputs, *extra]
    for clips in sorted({2, 3, len(both)} - {len(inputs)}):
        more = learn(both[:clips], rng=np.random.default_rng(seed))
        judged = extra if clips <= len(inputs) else both[clips - 4 :]
        cells = scored(inputs, judged, kind, more, count, seed)
        print(f"| {clips} input clips | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablation", description=__doc__)
    parser.add_argument("kinds", nargs="*", default=["walk", "jump"])
    parser.add_argument("-n", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--rounds", type=int, help="of the paper's search")
    given = parser.parse_args()
    if not DATA.is_dir():
        raise SystemExit("recorded motion is absent: set FRESHTAKE_DATA to its folder")
    for kind in given.kinds:
        run(kind, given.n, given.seed, given.methods, given.rounds)


if __name__ == "__main__":
    main()

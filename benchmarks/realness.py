"""Do variants move like real takes? python -m benchmarks.realness [SET ...] [-n 30] [--seeds 1 2 3] [--no-plant].

Measures the files that users get: `freshtake learn` and `freshtake vary` run as commands, and their files are read.
Every figure is given with the range of real takes; ! marks a figure outside its limits with any seed. There are two
tables: all sets, and the targets over all sets. With --settings KEY=VALUE ... models are learned in this process with
other settings. --keep FOLDER keeps models and variants. Needs the folder that FRESHTAKE_DATA names.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import freshtake as ft
from benchmarks.takes import DATA, sets_here
from benchmarks.telling_apart import SetAuc, mean_auc, tell_sets_apart
from benchmarks.timing import table
from freshtake.evaluation.comparable import Material, unpacked
from freshtake.evaluation.movement import measure_smoothness
from freshtake.evaluation.realness import realness_figures
from freshtake.evaluation.results import CLEAR, KEPT, Figure
from freshtake.evaluation.tracks import Gallery

Figures = dict[str, Figure]
Limits = tuple[float, float]
SLACK = 1e-9
COLUMNS = {
    "hip_jerk": "hip jerk", "static": "static", "peak": "peak", "depth": "depth, % leg", "foot_path": "foot path",
    "travel": "travel", "jerk": "jerk", "swing_hands": "swing, hands", "swing_feet": "swing, feet",
    "energy": "energy", "variogram": "variogram",
}  # fmt: skip
TOGETHER = ("hip_jerk", "static", "peak", "depth", "foot_path", "swing_hands", "swing_feet")


class Run(NamedTuple):
    """One seed: figures by set, and the results of the classifier on each set that it has not seen."""

    seed: int
    figures: dict[str, Figures]
    told: dict[str, SetAuc]
    mean_auc: dict[str, float]


def limits(figure: Figure) -> Limits | None:
    """Return the target range of a figure; None if there is no target."""
    if figure.key.startswith("swing"):
        own = figure.inputs or 0.0
        if abs(own) < CLEAR:
            return None
        return (KEPT, 1.0) if own > 0 else (-1.0, -KEPT)
    if not figure.real or figure.key not in _RANGES:
        return None
    return _RANGES[figure.key](min(figure.real), max(figure.real))


_RANGES: dict[str, Callable[[float, float], Limits]] = {
    "hip_jerk": lambda low, high: (low, high),
    "static": lambda low, high: (low, high),
    "peak": lambda low, high: (0.0, 1.3 * high),
    "depth": lambda low, high: (0.0, high + 0.5),
    "foot_path": lambda low, high: (min(0.8, low), max(1.2, high)),
    "travel": lambda low, high: (min(0.8, low), max(1.2, high)),
    "jerk": lambda low, high: (0.7 * low, 1.3 * high),
}


def met(figure: Figure | None) -> bool:
    """Whether a figure is within the limits; a figure that does not apply counts as met."""
    bounds = None if figure is None else limits(figure)
    return figure is None or bounds is None or bounds[0] - SLACK <= figure.value <= bounds[1] + SLACK


def near_real(figure: Figure, slack: float) -> bool:
    """Whether a figure is within the range of real takes, widened by a fraction of its ends."""
    return (1 - slack) * min(figure.real) - SLACK <= figure.value <= (1 + slack) * max(figure.real) + SLACK


def set_table(runs: Sequence[Run]) -> str:
    """Return a row per set and figure of real takes: means over seeds, ! if any seed is outside the limits."""
    rows = []
    for name in runs[0].figures:
        cells = [_cell([run.figures[name].get(key) for run in runs]) for key in COLUMNS]
        told = [_auc([run.told[name] for run in runs if run.told], part) for part in ("all", "hips")]
        rows.append([name, *cells, *told])
    head = ["set", *COLUMNS.values(), "AUC all (control)", "AUC hips (control)"]
    seeds = ", ".join(str(run.seed) for run in runs)
    return table(f"Variants (real takes), seeds {seeds}; ! outside the limits in a seed", head, rows)


def _cell(figures: Sequence[Figure | None]) -> str:
    found = [figure for figure in figures if figure is not None]
    if not found:
        return "–"
    first, value = found[0], float(np.mean([figure.value for figure in found]))
    mark = "" if all(met(figure) for figure in found) else " !"
    if first.key.startswith("swing"):
        return f"{value:.2f}{mark} ({first.inputs:.2f} / {first.extra[0]:.2f})"
    if first.key in ("energy", "variogram") or not first.real:
        return f"{value:.3f}"
    return f"{value:.2f}{mark} ({min(first.real):.2f}–{max(first.real):.2f})"


def _auc(told: Sequence[SetAuc], part: str) -> str:
    if not told:
        return "–"
    control = [one.control[part] for one in told if one.control]
    beside = f" ({np.mean(control):.2f})" if control else ""
    return f"{np.mean([one.auc[part] for one in told]):.2f}{beside}"


def target_table(runs: Sequence[Run], kinds: Mapping[str, Sequence[str]]) -> str:
    """Return the targets over all sets; a set meets a target if it does with every seed."""
    rows = [*_counts(runs), *_spans(runs), *_energy(runs, kinds)]
    if runs[0].mean_auc:
        found = {part: float(np.mean([run.mean_auc[part] for run in runs])) for part in runs[0].mean_auc}
        text = ", ".join(f"{part} {value:.2f}" for part, value in found.items())
        rows.append(["mean AUC, leave one set out", text, "all ≤ 0.70, hips ≤ 0.65"])
    return table("Targets", ["figure", "now", "target"], rows)


def _counts(runs: Sequence[Run]) -> Iterator[list[str]]:
    names = list(runs[0].figures)

    def passing(test: Callable[[Figures], bool]) -> str:
        good = [name for name in names if all(test(run.figures[name]) for run in runs)]
        bad = [name for name in names if name not in good]
        return f"{len(good)} of {len(names)}" + (f" (not {', '.join(bad)})" if bad else "")

    def together(found: Figures) -> bool:
        return all(met(found.get(key)) for key in TOGETHER)

    yield ["hip jerk, static, peak, depth, foot path, swing all as real takes", passing(together), "all sets"]
    yield ["jerk within real takes ±30 %", passing(lambda found: met(found.get("jerk"))), "all sets"]
    yield ["hip jerk within real takes", passing(lambda found: met(found.get("hip_jerk"))), "all sets"]
    yield ["… ±20 %", passing(lambda found: near_real(found["hip_jerk"], 0.2)), "all sets"]
    yield ["static share within real takes", passing(lambda found: met(found.get("static"))), "all sets"]
    yield ["peak acceleration ≤ 1.3 × real takes'", passing(lambda found: met(found.get("peak"))), "all sets"]
    yield ["depth ≤ real takes' + 0.5 % leg", passing(lambda found: met(found.get("depth"))), "all sets"]
    yield ["foot path 0.8–1.2, or as real takes", passing(lambda found: met(found.get("foot_path"))), "all sets"]
    swings = ("swing_hands", "swing_feet")
    yield [
        "swing: same sign, ≥ 0.5 where the inputs have r beyond ±0.8",
        passing(lambda found: all(met(found.get(key)) for key in swings)),
        "all sets",
    ]


def _spans(runs: Sequence[Run]) -> Iterator[list[str]]:
    for key, title in (("static", "static share"), ("peak", "peak acceleration ÷ inputs'"), ("hip_jerk", "hip jerk")):
        found = [figures[key] for run in runs for figures in run.figures.values() if key in figures]
        if not found:
            continue
        values, real = [f.value for f in found], [v for f in found for v in f.real]
        if key == "peak":
            often = sum(v > 2.0 * max(f.real) for f in found for v in f.each)
            yield ["variants with a peak above 2 × real takes'", f"{often}", "0"]
        yield [title, f"{min(values):.2f}–{max(values):.2f}", f"real takes {min(real):.2f}–{max(real):.2f}"]


def _energy(runs: Sequence[Run], kinds: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    for kind, names in kinds.items():
        found = [run.figures[name].get("energy") for run in runs for name in names if name in run.figures]
        values = [figure.value for figure in found if figure is not None]
        if values:
            yield [f"energy score, mean over {kind} sets", f"{np.mean(values):.3f}", "≤ 1.03"]


BENCHMARK = ("walk", "swim", "cheering", "throw", "jump")
VALIDATION = ("walk07", "swim126", "cheering13", "throw141")
OURS = ("OPENBLAS", "NUMBA", "OMP", "MKL")  # variables not set in a user's shell


class Takes(NamedTuple):
    """Return the files of one set: takes to learn from, and unseen takes."""

    inputs: list[Path]
    further: list[Path]


def takes_of(name: str) -> Takes:
    folder = DATA / name if name in BENCHMARK else DATA / "validation" / name
    found = Takes(*(sorted(folder.glob(f"{prefix}_*.bvh")) for prefix in (name.rstrip("0123456789"), "extra")))
    if not found.inputs:
        raise SystemExit(f"there are no takes in {folder}: the sets are {', '.join(BENCHMARK + VALIDATION)}")
    return found


def command(*words: object) -> None:
    """Run the installed program as a user does."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(OURS)}
    line = [sys.executable, "-m", "freshtake", *map(str, words)]
    done = subprocess.run(line, env=clean, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(line)}\n{done.stderr}")


def make(takes: Takes, folder: Path, given: argparse.Namespace) -> dict[int, list[Path]]:
    """Return variants by seed, as files."""
    model = folder / "model.ftm"
    folder.mkdir(parents=True, exist_ok=True)
    settings = dict(_setting(text) for text in given.settings)
    if settings:
        from freshtake.requests import Learn, Vary
        from freshtake.variation import Settings
        from freshtake.workflows import learn, vary

        learn(Learn(takes=takes.inputs, out=model), settings=Settings(**settings))
    else:
        command("learn", *takes.inputs, "--force", "-o", model)
    found = {}
    for seed in given.seeds:
        out = folder / f"seed_{seed}"
        if settings:
            vary(Vary(model=model, out=out, count=given.n, seed=seed, plant=given.plant))
        else:
            planting = () if given.plant else ("--no-plant",)
            command("vary", model, "-n", given.n, "--seed", seed, "-o", out, *planting)
        found[seed] = sorted(out.glob("*.bvh"))
    return found


def _setting(text: str) -> tuple[str, Any]:
    key, _, value = text.partition("=")
    try:
        return key, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return key, value


def jerk_figure(material: Material) -> Figure:
    """Return the jerk of all joints at 30 frames per second, divided by the inputs': variants, inputs, unseen takes."""
    gallery = Gallery(material.layout, material.inputs)
    sets = (material.variants, material.inputs, material.extra)
    made, own, further = (
        tuple(measure_smoothness(gallery, track)["jerk"].value for track in tracks) for tracks in sets
    )
    return Figure("jerk", float(np.mean(made)), made, own, further, 1.0)


def read(paths: Sequence[Path]) -> list[ft.Clip]:
    return [clip for path in paths if isinstance(clip := ft.read(path), ft.Clip)]


def runs_of(given: argparse.Namespace, scratch: Path) -> list[Run]:
    """Return, for each seed, the figures of all sets, and the results of classifiers that saw the other sets."""
    materials: dict[int, dict[str, Material]] = {seed: {} for seed in given.seeds}
    for name in sets_here(given.sets):
        takes = takes_of(name)
        real = [read(paths) for paths in takes]
        for seed, paths in make(takes, scratch / name, given).items():
            materials[seed][name] = unpacked(real[0], read(paths), real[1])
        print(f"{name}: made", file=sys.stderr, flush=True)
    runs = []
    for seed, sets in materials.items():
        figures = {}
        for name, material in sets.items():
            figures[name] = realness_figures(material, np.random.default_rng(0)) | {"jerk": jerk_figure(material)}
        told = tell_sets_apart(sets) if len(sets) > 2 else {}
        runs.append(Run(seed, figures, told, mean_auc(told) if told else {}))
    return runs


def as_json(runs: Sequence[Run]) -> dict[str, Any]:
    def one(figure: Figure) -> dict[str, Any]:
        low, high = (min(figure.real), max(figure.real)) if figure.real else (None, None)
        return {"value": figure.value, "real": [low, high], "inputs": figure.inputs, "each": figure.each}

    return {
        str(run.seed): {
            "sets": {name: {key: one(f) for key, f in found.items()} for name, found in run.figures.items()},
            "auc": {name: told._asdict() for name, told in run.told.items()},
            "mean_auc": run.mean_auc,
        }
        for run in runs
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.realness", description=__doc__)
    parser.add_argument("sets", nargs="*", default=[*BENCHMARK, *VALIDATION])
    parser.add_argument("-n", type=int, default=30)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--no-plant", dest="plant", action="store_false")
    parser.add_argument("--settings", nargs="+", default=[], metavar="KEY=VALUE")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        runs = runs_of(given, given.keep or Path(scratch))
    print(set_table(runs))
    print(target_table(runs, {"benchmark": BENCHMARK, "validation": VALIDATION}))
    if given.json:
        given.json.write_text(json.dumps(as_json(runs), indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Do variants move as real takes do? python -m benchmarks.realness [SET ...] [-n 30] [--seeds 1 2 3] [--no-plant].

Judges what users get: `freshtake learn` and `freshtake vary` run as commands, the files that they write are read back.
Every figure stands beside the range of real takes; ! marks one outside its limits (benchmarks.realness_limits), in any
of the seeds. With --settings KEY=VALUE ... models are learned in this process with other settings. --keep FOLDER keeps
models and variants. Needs the folder that FRESHTAKE_DATA names.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import freshtake as ft
from benchmarks.realness_limits import Run, set_table, target_table
from benchmarks.takes import DATA, sets_here
from freshtake.evaluation.comparable import Material, unpacked
from freshtake.evaluation.likeness import mean_auc, tell_sets_apart
from freshtake.evaluation.movement import measure_smoothness
from freshtake.evaluation.realness import realness_figures
from freshtake.evaluation.results import Figure
from freshtake.evaluation.tracks import Gallery

BENCHMARK = ("walk", "swim", "cheering", "throw", "jump")
VALIDATION = ("walk07", "swim126", "cheering13", "throw141")
OURS = ("OPENBLAS", "NUMBA", "OMP", "MKL")  # variables that a user's shell does not have


class Takes(NamedTuple):
    """Files of one set: those to learn from, and further ones."""

    inputs: list[Path]
    further: list[Path]


def takes_of(name: str) -> Takes:
    folder = DATA / name if name in BENCHMARK else DATA / "validation" / name
    found = Takes(*(sorted(folder.glob(f"{prefix}_*.bvh")) for prefix in (name.rstrip("0123456789"), "extra")))
    if not found.inputs:
        raise SystemExit(f"there are no takes in {folder}: the sets are {', '.join(BENCHMARK + VALIDATION)}")
    return found


def command(*words: object) -> None:
    """The installed program, as a user runs it."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(OURS)}
    line = [sys.executable, "-m", "freshtake", *map(str, words)]
    done = subprocess.run(line, env=clean, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(line)}\n{done.stderr}")


def make(takes: Takes, folder: Path, given: argparse.Namespace) -> dict[int, list[Path]]:
    """Variants by seed, as files."""
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
    """Jerk of all joints at 30 frames per second over that of all inputs together: variants, inputs, further takes."""
    gallery = Gallery(material.layout, material.inputs)
    sets = (material.variants, material.inputs, material.extra)
    made, own, further = (
        tuple(measure_smoothness(gallery, track)["jerk"].value for track in tracks) for tracks in sets
    )
    return Figure("jerk", float(np.mean(made)), made, own, further, 1.0)


def read(paths: Sequence[Path]) -> list[ft.Clip]:
    return [clip for path in paths if isinstance(clip := ft.read(path), ft.Clip)]


def runs_of(given: argparse.Namespace, scratch: Path) -> list[Run]:
    """Per seed the figures of all sets, and how well a classifier that saw the other sets tells variants."""
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

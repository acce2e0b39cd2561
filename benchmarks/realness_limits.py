"""Limits of the figures of benchmarks.realness, and its two tables: all sets, and the targets over all sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.timing import table
from freshtake.evaluation.likeness import SetAuc
from freshtake.evaluation.results import CLEAR, KEPT, Figure

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
    """One seed: figures by set, and what the classifier that is tried on a set it has not seen finds."""

    seed: int
    figures: dict[str, Figures]
    told: dict[str, SetAuc]
    mean_auc: dict[str, float]


def limits(figure: Figure) -> Limits | None:
    """The range that a figure has to lie in; None where there is nothing to judge it by."""
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
    """Within the limits; what does not apply is met."""
    bounds = None if figure is None else limits(figure)
    return figure is None or bounds is None or bounds[0] - SLACK <= figure.value <= bounds[1] + SLACK


def near_real(figure: Figure, slack: float) -> bool:
    """Within the range of real takes widened by a share of its ends."""
    return (1 - slack) * min(figure.real) - SLACK <= figure.value <= (1 + slack) * max(figure.real) + SLACK


def set_table(runs: Sequence[Run]) -> str:
    """One row per set and figure of real takes: means over seeds, ! where any seed is outside the limits."""
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
    """The targets over all sets; a set meets one if it does with every seed."""
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

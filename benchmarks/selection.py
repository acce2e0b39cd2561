"""Show which walks and letters are kept: python -m benchmarks.selection. Needs the folder of FRESHTAKE_DATA."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import freshtake as ft
from benchmarks.takes import DATA
from benchmarks.timing import table
from freshtake.variation import select

HEAD = ["", "by", "similar kept", "dissimilar rejected", "threshold", "similar", "dissimilar", "CPU s"]
SUBSETS = 70  # all choices of four out of eight trusted walks
SLOW_SUBSETS = 4  # likelihoods need a model for each


def _row(
    called: str,
    trusted: Sequence[Sequence[Path]],
    similar: Sequence[Path],
    unlike: Sequence[Path],
    **options: Any,
) -> list[str]:
    """Sums over several sets of trusted clips; CPU time of one set."""
    motions = [ft.read(path) for path in [*similar, *unlike]]
    count, figures, thresholds = len(similar), [], []
    kept = gone = 0
    start = time.process_time()
    for paths in trusted:
        found = select(motions, [ft.read(path) for path in paths], rng=np.random.default_rng(0), **options)
        figures.append([one.figure for one in found.verdicts])
        thresholds.append(found.threshold)
        kept += sum(one.kept for one in found.verdicts[:count])
        gone += sum(not one.kept for one in found.verdicts[count:])
    spent = (time.process_time() - start) / len(trusted)
    values, form = np.array(figures), "{:.2f}" if options else "{:.2g}"
    ranges = [f"{form.format(x.min())} – {form.format(x.max())}" for x in (values[:, :count], values[:, count:])]
    how = options.get("measure", "difference")
    how += ", among" if options.get("groups") == "candidates" else ""
    limit = form.format(float(np.mean(thresholds)))
    times = len(trusted)
    return [
        called, how, f"{kept} of {times * count}", f"{gone} of {times * len(unlike)}", limit, *ranges, f"{spent:.1f}"
    ]  # fmt: skip


def _fours(trusted: Sequence[Path], most: int) -> list[Sequence[Path]]:
    every = list(combinations(trusted, 4))
    return [every[k] for k in np.linspace(0, len(every) - 1, min(most, len(every))).round().astype(int)]


def selection() -> str:
    """Return the table of rates, figures and CPU time."""
    walks, letters = DATA / "walk_select", DATA / "handwriting" / "kast"
    if not walks.is_dir():
        return "### Selection\n\n(recorded motion is absent)\n"
    trusted, *rest = [sorted(walks.glob(f"{name}_*.bvh")) for name in ("train", "test", "dissimilar")]
    likely: dict[str, Any] = {"measure": "likelihood"}
    rows = [
        _row("walk, 8 trusted", [trusted], *rest),
        _row("walk, every 4 of the 8 trusted", _fours(trusted, SUBSETS), *rest),
        _row("walk, 8 trusted", [trusted], *rest, **likely),
        _row("walk, some 4 of the 8 trusted", _fours(trusted, SLOW_SUBSETS), *rest, **likely),
        _row("walk, 8 trusted", [trusted], *rest, **likely, groups="candidates"),
    ]
    other = DATA / "validation" / "walk07"
    if other.is_dir():
        parts = [sorted(other.glob(f"{name}_*.bvh")) for name in ("walk", "extra", "dissimilar")]
        rows += [_row("walk of another person, 4 trusted", [parts[0]], *parts[1:], **how) for how in ({}, likely)]
    for letter, count in (("a", 6), ("2", 5)):
        own = sorted(letters.glob(f"{letter}_[01]*.csv"))
        unlike = sorted(letters.glob(f"{letter}_dissimilar*.csv"))
        for how in ({}, likely):
            rows.append(_row(f"handwritten {letter}, first {count} trusted", [own[:count]], own[count:], unlike, **how))
            rows.append(
                _row(f"handwritten {letter}, last {count} trusted", [own[-count:]], own[:-count], unlike, **how)
            )
    return table("Selection of similar takes", HEAD, rows)


if __name__ == "__main__":
    print(selection())

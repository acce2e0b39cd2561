"""Which clips are kept: python -m benchmarks.selection. Walks and handwriting; needs the folder of FRESHTAKE_DATA."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import freshtake as ft
from benchmarks.takes import DATA
from benchmarks.timing import table
from freshtake.variation import select

HEAD = ["", "groups", "similar kept", "dissimilar rejected", "threshold", "similar", "dissimilar", "CPU s"]


def _row(
    called: str, trusted: Sequence[Path], similar: Sequence[Path], unlike: Sequence[Path], **options: Any
) -> list[str]:
    motions = [ft.read(path) for path in [*similar, *unlike]]
    known = [ft.read(path) for path in trusted]
    start = time.process_time()
    found = select(motions, known, rng=np.random.default_rng(0), **options)
    spent = time.process_time() - start
    count = len(similar)
    likely = [one.likelihood for one in found.verdicts]
    kept = sum(one.kept for one in found.verdicts[:count])
    gone = sum(not one.kept for one in found.verdicts[count:])
    ranges = [f"{min(part):.2f} – {max(part):.2f}" for part in (likely[:count], likely[count:])]
    how = options.get("groups", "trusted") + (", relearned" if options.get("relearn") else "")
    return [
        called, how, f"{kept} of {count}", f"{gone} of {len(unlike)}", f"{found.threshold:.2f}", *ranges, f"{spent:.1f}"
    ]  # fmt: skip


def selection(relearn: bool = False) -> str:
    """Rates, likelihoods and CPU time."""
    walks, letters = DATA / "walk_select", DATA / "handwriting" / "kast"
    if not walks.is_dir():
        return "### Selection\n\n(recorded motion is absent)\n"
    parts = [sorted(walks.glob(f"{name}_*.bvh")) for name in ("train", "test", "dissimilar")]
    options: list[dict[str, Any]] = [{}, {"groups": "candidates"}, *[{"relearn": True}] * relearn]
    rows = [_row("walk", *parts, **chosen) for chosen in options]
    for letter, count in (("a", 6), ("2", 5)):
        own = sorted(letters.glob(f"{letter}_[01]*.csv"))
        unlike = sorted(letters.glob(f"{letter}_dissimilar*.csv"))
        rows.append(_row(f"handwritten {letter}, first {count} trusted", own[:count], own[count:], unlike))
        rows.append(_row(f"handwritten {letter}, last {count} trusted", own[-count:], own[:-count], unlike))
    return table("Selection of similar takes", HEAD, rows)


if __name__ == "__main__":
    print(selection(relearn=True))

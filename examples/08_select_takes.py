"""Which takes are similar enough to learn from (Lau 2009, §9).

Run: python examples/08_select_takes.py OUTDIR
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import freshtake as ft
from freshtake.formats.report_files import write_figure
from freshtake.reports.selection_figure import selection_figure


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    walks = [ft.samples.walk(np.random.default_rng([7, take]), cycles=1) for take in range(9)]
    crouched = ft.samples.walk(np.random.default_rng([7, 20]), cycles=1, style="crouch")
    running = ft.samples.run(np.random.default_rng([7, 21]), cycles=1)

    # Six walks are trusted. Of the other takes, the walks should be kept and the rest rejected.
    candidates = {"walk_7": walks[6], "walk_8": walks[7], "walk_9": walks[8], "crouched": crouched, "running": running}
    found = ft.variation.select(list(candidates.values()), walks[:6], rng=np.random.default_rng(1))
    print(f"kept if at least {found.threshold:.0%} of the trusted kind are as far off")
    for name, verdict in zip(candidates, found.verdicts, strict=True):
        print(f"{name:9} {verdict.figure:8.2f} {'kept' if verdict.kept else verdict.reason}")
    write_figure(folder / "selection.png", selection_figure(found, list(candidates)))
    print(f"written to {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/selection"))

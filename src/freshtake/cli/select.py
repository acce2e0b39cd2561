"""`freshtake select`: which clips are similar enough to learn from."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from freshtake.cli.console import output, print_json, progress_bar, warn
from freshtake.cli.options import Json, Seed, SkeletonFile, SourceFps, Unit, Up

if TYPE_CHECKING:
    from freshtake.workflows.selecting import Selected


def select(
    *clips: str,
    trusted: Annotated[
        list[Path] | None,
        Parameter(consume_multiple=True, negative="", help="Clips that are known to work together, at least 3."),
    ] = None,
    among: Annotated[
        bool, Parameter(negative="", help="As in the paper: compare the clips in groups of themselves.")
    ] = False,
    relearn: Annotated[
        bool, Parameter(negative="", help="Learn a network for every group, not once; about five times slower.")
    ] = False,
    percentile: Annotated[
        float, Parameter(help="How many clips like the trusted ones may be rejected, in percent.")
    ] = 5.0,
    picture: Annotated[
        Path | None, Parameter(help="Draw likelihoods, and where clips are unlikely (.png, .svg, .pdf).")
    ] = None,
    seed: Seed = 0,
    skeleton: SkeletonFile = None,
    fps: SourceFps = None,
    unit: Unit = None,
    up: Up = None,
    json: Json = False,
) -> int:
    """Tell which clips are similar enough to trusted ones to learn from, and why the others are not.

    A network learned from the trusted clips gives every clip a likelihood; the threshold is what nineteen in twenty
    further clips of their kind should reach, given what the trusted clips have when they are left out.
    `--json` prints `kept` and `rejected` alone.

    **Examples**

    ```
    freshtake select new/*.bvh --trusted walk_*.bvh
    freshtake select new/*.bvh --trusted walk_*.bvh --picture why.png --json
    ```

    Parameters
    ----------
    clips
        Clips to choose from.
    """
    from freshtake.workflows import select as run

    reading = {"skeleton": skeleton, "fps": fps, "unit_m": unit, "up": up, "warn": warn}
    with progress_bar() as report:
        done = run(
            [Path(clip) for clip in clips], trusted or (),
            groups="candidates" if among else "trusted", relearn=relearn,
            percentile=percentile, picture=picture,
            seed=seed, reading=reading, report=report, warn=warn,
        )  # fmt: skip
    if json:
        print_json(done.as_dict(clips))
        return 0
    _print(done)
    if picture is not None:
        output().print(f"wrote {picture}", markup=False)
    return 0


def _print(done: Selected) -> None:
    """One line per clip, then the threshold and what it comes from."""
    found, console = done.found, output()
    for path, verdict in zip(done.sources, found.verdicts, strict=True):
        figure = f"{verdict.likelihood:8.2f}" if math.isfinite(verdict.likelihood) else "       -"
        word = "kept    " if verdict.kept else "rejected"
        console.print(f"{word} {figure}  {path}{'' if verdict.kept else ': ' + verdict.reason}", markup=False)
    low, high = float(found.trusted.min()), float(found.trusted.max())
    console.print(
        f"{len(done.kept)} of {len(done.sources)} kept; log-likelihood per frame and DOF, at least "
        f"{found.threshold:.2f} (trusted clips, when left out: {low:.2f} to {high:.2f})",
        markup=False,
    )

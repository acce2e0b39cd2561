"""`freshtake select`: which clips are similar enough to learn from."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from freshtake.cli.console import output, print_json, progress_bar, say, warn
from freshtake.cli.options import Json, Seed, option_group
from freshtake.cli.outputs import Force, prepare
from freshtake.cli.reading import READING, Reading, files

if TYPE_CHECKING:
    from freshtake.workflows.variation_selecting import Selected


@option_group
class Measure:
    """By what clips are compared."""

    likelihood: Annotated[
        bool,
        Parameter(
            negative="",
            help="Compare by what a model of the trusted clips expects (likelihood), not by how far clips differ.",
        ),
    ] = False
    among: Annotated[
        bool,
        Parameter(
            negative="", help="Like `--likelihood`, with the clips scored in groups among themselves, as in the paper."
        ),
    ] = False
    percentile: Annotated[
        float, Parameter(help="How many clips like the trusted ones may be rejected, in percent.")
    ] = 5.0


BY = Measure()


def select(
    *clips: str,
    trusted: Annotated[
        list[Path] | None,
        Parameter(consume_multiple=True, negative="", help="Clips that are known to work together, at least 3."),
    ] = None,
    by: Measure = BY,
    picture: Annotated[Path | None, Parameter(help="Draw how far off clips are, and where (.png, .svg, .pdf).")] = None,
    force: Force = False,
    seed: Seed = 0,
    reading: Reading = READING,
    json: Json = False,
) -> int:
    """Find which clips are similar enough to trusted ones to learn from, and why the others are not.

    A clip is kept unless it differs more from the trusted ones than all but a few clips of their kind would, given
    how far the trusted ones differ among themselves. `--json` prints `kept` and `rejected` alone.

    **Examples**

    ```
    freshtake select new/ --trusted walk_*.bvh
    freshtake select new/*.bvh --trusted walk_*.bvh --picture why.png --json
    ```

    Parameters
    ----------
    clips
        Clips to choose from.
    """
    from freshtake.workflows import variation_select as run
    from freshtake.workflows.variation_selecting import SelectOptions

    prepare(picture, force=force)
    paths = files(Path(clip) for clip in clips)
    with progress_bar() as report:
        done = run(
            paths,
            files(trusted),
            options=SelectOptions(
                measure="likelihood" if by.likelihood or by.among else "difference",
                groups="candidates" if by.among else "trusted",
                percentile=by.percentile,
                seed=seed,
            ),
            picture=picture,
            reading=reading.options(),
            report=report,
            warn=warn,
        )
    if json:
        print_json(done.as_dict([str(path) for path in paths]))
        return 0
    _print(done)
    if picture is not None:
        say(f"wrote {picture}")
    return 0


def _print(done: Selected) -> None:
    """One line per clip, then the threshold and what it comes from."""
    selection, console = done.selection, output()
    show = _chance if selection.measure == "difference" else "{:.2f}".format
    for path, verdict in zip(done.sources, selection.verdicts, strict=True):
        figure = show(verdict.figure) if math.isfinite(verdict.figure) else "-"
        word = "kept    " if verdict.kept else "rejected"
        console.print(f"{word} {figure:>8}  {path}{'' if verdict.kept else ': ' + verdict.reason}", markup=False)
    what = "a log-likelihood per frame and DOF"
    if selection.measure == "difference":
        what = "a share of similar clips that would be as far off"
    trusted_range = f"{show(float(selection.trusted.min()))} to {show(float(selection.trusted.max()))}"
    console.print(
        f"{len(done.kept)} of {len(done.sources)} kept: those with {what} of at least {show(selection.threshold)} "
        f"(trusted clips, each left out in turn: {trusted_range})",
        markup=False,
    )


def _chance(share: float) -> str:
    return f"{100 * share:.1f} %" if share >= 0.0005 else "< 0.1 %"

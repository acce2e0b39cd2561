"""`freshtake compress`: keep the few takes from which the others can be made again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from freshtake.cli.console import output, print_json, progress_bar, say, warn
from freshtake.cli.option_groups import Output
from freshtake.cli.options import Json, Seed, option_group
from freshtake.cli.reading import READING, Reading, files
from freshtake.errors import UsageError


@option_group
class CompressedOutput(Output):
    """Where the kept takes go."""

    out: Annotated[
        Path, Parameter(name=["--out", "-o"], help="A folder, or MODEL.ftm for the kept takes' model alone.")
    ]


def compress(
    *takes: Path,
    to: CompressedOutput,
    error: Annotated[
        str,
        Parameter(
            help="How far off a rebuilt take may be on average: 2 for 2 % of the leg, or 1.5cm (root mean square)."
        ),
    ] = "2",
    restore: Annotated[
        bool, Parameter(negative="", help="Rebuild the dropped takes of a folder that compress wrote.")
    ] = False,
    format: Annotated[str | None, Parameter(help="Ending of restored takes; default: as they were.")] = None,
    seed: Seed = 0,
    reading: Reading = READING,
    json: Json = False,
) -> int:
    """Keep only those takes from which all others can be rebuilt within an error.

    A dropped take is stored as shares of the kept ones and a time warp. The folder holds kept takes, their model (for
    `vary` and `stream`), and the numbers of the dropped ones.

    **Examples**

    ```
    freshtake compress walk_*.bvh -o walks/ --error 2
    freshtake vary walks/model.ftm -n 15 -o variants/
    freshtake compress walks/ --restore -o again/
    freshtake compress walk_*.bvh -o walk.ftm --error 1.5cm --unit 0.01
    ```

    Parameters
    ----------
    takes
        Takes of one movement, at least three; with --restore the folder.
    """
    out = to.prepare()
    if restore:
        return _restore(takes, out, format, json)
    from freshtake.workflows import variation_compress as run

    if format is not None:
        raise UsageError("--format goes with --restore only")
    with progress_bar() as report:
        done = run(files(takes), out, error, seed=seed, reading=reading.options(), report=report, warn=warn)
    if json:
        print_json({"written": [str(path) for path in done.written], **done.facts})
        return 0
    _print(done.facts)
    say(f"wrote {out}")
    return 0


def _restore(takes: tuple[Path, ...], out: Path, format: str | None, json: bool) -> int:
    from freshtake.workflows import variation_restore as run

    if len(takes) != 1:
        raise UsageError("--restore takes one folder that freshtake compress wrote")
    with progress_bar() as report:
        written = run(takes[0], out, ending=format, report=report)
    if json:
        print_json({"written": [str(path) for path in written]})
        return 0
    say(f"wrote {len(written)} takes to {out}")
    return 0


def _print(facts: dict[str, Any]) -> None:
    console = output()
    for path in facts["kept"]:
        console.print(f"kept     {path}", markup=False)
    for one in facts["dropped"]:
        figures = f"off by {one['error']:.2f} %, {100 * one['size']:.1f} % of its size"
        console.print(
            f"dropped  {one['take']}: {figures} (nearest kept take: {one['nearest_kept']:.2f} %)", markup=False
        )
    plain = facts["pca"]
    total = len(facts["kept"]) + len(facts["dropped"])
    size = f"{100 * facts['size']:.1f} % of the size, error at most {facts['bound']:.3g} %"
    pca = f"plain PCA: {plain['modes']} modes, {100 * plain['size']:.1f} %"
    console.print(f"{len(facts['kept'])} of {total} kept: {size} ({pca})", markup=False)

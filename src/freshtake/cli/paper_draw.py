"""`freshtake paper`: the figures of the paper that this project was built from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from freshtake.cli.console import print_json, progress_bar, say
from freshtake.cli.option_groups import Output
from freshtake.cli.options import Json, Seed, option_group

app = App(
    name="paper",
    help="The paper's own method (Lau 2009): its figures, beside those of the default method.",
    help_format="markdown",
)


@option_group
class FiguresOutput(Output):
    """Where the figures go."""

    out: Annotated[Path, Parameter(name=["--out", "-o"], help="Folder for the pictures; new or empty.")]


@app.command
def figures(
    *,
    to: FiguresOutput,
    data: Annotated[
        Path | None,
        Parameter(env_var="FRESHTAKE_DATA", help="Folder with recorded takes; default: the project's own samples."),
    ] = None,
    only: Annotated[tuple[str, ...], Parameter(negative="", help="Figures to draw: 1, 4, 5, 6, 7, 8.")] = (),
    seed: Seed = 0,
    json: Json = False,
) -> int:
    """Draw figures 1 and 4 to 8 of the paper: its own method and the default one side by side. Takes minutes.

    **Examples**

    ```
    freshtake paper figures -o figures/
    freshtake paper figures -o figures/ --data recorded/ --only 1 7
    ```
    """
    from freshtake.workflows import paper_figures as run

    out = to.prepare()
    with progress_bar() as report:
        written = run(out, data=data, only=only, seed=seed, report=report)
    if json:
        print_json({"written": [str(path) for path in written]})
    else:
        say(f"wrote {len(written)} figure{'s' * (len(written) > 1)}: {written[0]}" + " ..." * (len(written) > 1))
    return 0

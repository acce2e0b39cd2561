"""`freshtake paper`: the figures of the paper that this project was built from."""

from __future__ import annotations

from cyclopts import App

from freshtake.cli.console import print_json, progress_bar, say, warn
from freshtake.cli.outputs import Force, Json, prepare
from freshtake.requests.variation import PaperFigures

app = App(
    name="paper",
    help="The paper's own method (Lau 2009): its figures, beside those of the default method.",
    help_format="markdown",
)


@app.command
def figures(request: PaperFigures, *, force: Force = False, json: Json = False) -> int:
    """Draw figures 1 and 4 to 8 of the paper: its own method and the default one side by side. Takes minutes.

    **Examples**

    ```
    freshtake paper figures -o figures/
    freshtake paper figures -o figures/ --data recorded/ --only 1 7
    ```
    """
    from freshtake.workflows import paper_figures as run

    prepare(request.out, force=force)
    with progress_bar() as report:
        written = run(request, report, warn)
    if json:
        print_json({"written": [str(path) for path in written]})
    else:
        say(f"wrote {len(written)} figure{'s' * (len(written) > 1)}: {written[0]}" + " ..." * (len(written) > 1))
    return 0

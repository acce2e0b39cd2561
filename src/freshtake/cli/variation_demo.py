"""`freshtake demo`: the main job on the samples that come with freshtake."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from freshtake.cli.console import output, print_json, progress_bar
from freshtake.cli.options import Json, Seed
from freshtake.cli.outputs import Force, prepare_folder


def demo(
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"], help="Folder for the results.")] = Path("freshtake-demo"),
    force: Force = False,
    seed: Seed = 7,
    json: Json = False,
) -> int:
    """Run the main job on sample takes: learn from four walks, make fifteen new ones, judge and draw them.

    **Examples**

    ```
    freshtake demo
    freshtake demo -o /tmp/demo --seed 3
    ```
    """
    from freshtake.workflows import variation_demo as run

    prepare_folder(out, force=force)
    with progress_bar() as report:
        items = run(out, seed=seed, report=report)
    if json:
        print_json({"folder": str(out), "made": [{"what": m.what, "path": str(m.path)} for m in items]})
        return 0
    console = output()
    console.print("freshtake demo: what was made", markup=False)
    for item in items:
        console.print(f"  {item.what}\n      {item.path}", markup=False)
    return 0

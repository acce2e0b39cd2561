"""`freshtake vary`: new variants from a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from freshtake.cli.console import output, print_json, progress_bar
from freshtake.cli.options import Amount, Json, Seed


def vary(
    model: Path,
    /,
    *,
    out: Annotated[
        Path, Parameter(name=["--out", "-o"], help="Folder for the variants; it must not exist or be empty.")
    ],
    count: Annotated[int, Parameter(name=["--count", "-n"], help="How many.")] = 15,
    amount: Amount = 1.0,
    cycles: Annotated[int | None, Parameter(help="Cycles in each variant of a cyclic model; default: 1.")] = None,
    format: Annotated[
        str | None, Parameter(help="Ending of the files; default: as the examples (of AMC: bvh).")
    ] = None,
    seed: Seed = 0,
    json: Json = False,
) -> int:
    """Write new variants of the movement that a model has learned: variant_001, variant_002, ...

    The same seed gives the same variants, however many are asked for.

    **Examples**

    ```
    freshtake vary walk.ftm -n 15 -o variants/
    freshtake vary jump.ftm -n 100 -o jumps/ --amount 1.2 --seed 3
    freshtake vary walk.ftm -n 5 -o long/ --cycles 4 --format glb
    ```

    Parameters
    ----------
    model
        A model that `freshtake learn` wrote.
    """
    from freshtake.workflows import vary as run

    with progress_bar() as report:
        made = run(model, out, count, amount=amount, cycles=cycles, ending=format, seed=seed, report=report)
    if json:
        print_json({"written": [str(path) for path in made]})
    else:
        output().print(f"wrote {len(made)} variants: {made[0]} ... {made[-1].name}", markup=False)
    return 0

"""`freshtake augment`: a folder of takes becomes a larger one, for those who train models on it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from freshtake.cli.console import output, print_json, progress_bar, warn
from freshtake.cli.options import Amount, Json, Out, Seed
from freshtake.cli.outputs import Force, prepare
from freshtake.cli.reading import READING, Reading


def augment(
    folder: Path,
    /,
    *,
    out: Out,
    count: Annotated[int, Parameter(name=["--count", "-n"], help="How many variants of each group.")] = 10,
    by_likeness: Annotated[
        bool, Parameter(negative="", help="Add takes that are alone in their group to the group they are most like.")
    ] = False,
    amount: Amount = 1.0,
    force: Force = False,
    seed: Seed = 0,
    reading: Reading = READING,
    json: Json = False,
) -> int:
    """Copy a folder of takes and write variants of every action beside them, labelled, as training data.

    Takes whose names differ by the number at their end (walk_1, walk_2) are one action. labels.csv and labels.json list
    for every file its group, whether it is real or a variant, which takes it is from, and its seed.

    **Examples**

    ```
    freshtake augment takes/ -o training/ -n 10
    freshtake augment takes/ -o training/ -n 50 --by-likeness --seed 3 --json
    ```

    Parameters
    ----------
    folder
        Takes, in this folder and those below it.
    """
    from freshtake.workflows import variation_augment as run

    prepare(out, force=force)
    with progress_bar() as report:
        done = run(
            folder, out, count, by_likeness=by_likeness, amount=amount, seed=seed, reading=reading.options(),
            report=report, warn=warn,
        )  # fmt: skip
    if json:
        print_json({"written": str(done.folder), **done.as_dict()})
        return 0
    groups = {label.group for label in done.labels} - set(done.copied)
    output().print(
        f"wrote {out}: {len(done.labels) - done.variants} takes, {done.variants} variants of {len(groups)} "
        f"group{'s' * (len(groups) != 1)}; labels.csv, labels.json",
        markup=False,
    )
    return 0

"""`freshtake samples`: the motions that come with freshtake, and public takes to download."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter

from freshtake.cli.console import messages, output, print_json, progress_bar, say
from freshtake.cli.options import Json, Out, Seed
from freshtake.cli.outputs import Force, prepare_folder

app = App(
    name="samples",
    help="Example motions: made by freshtake itself, or public takes to download.",
    help_format="markdown",
    group_commands="Commands",
)


@app.command(name="list")
def list_samples(*, json: Json = False) -> int:
    """List what `samples write` makes and what `samples download` can fetch.

    **Examples**

    ```
    freshtake samples list
    ```
    """
    from freshtake.samples.download import takes
    from freshtake.workflows import SAMPLE_SETS

    if json:
        sample_sets = [{"name": s.name, "about": s.about} for s in SAMPLE_SETS]
        print_json({"made": sample_sets, "public": [t._asdict() for t in takes()]})
        return 0
    console = output()
    console.print("made by freshtake (freshtake samples write NAME... -o DIR):")
    for made_set in SAMPLE_SETS:
        console.print(f"  {made_set.name:<10} {made_set.about}", markup=False)
    console.print("public takes (freshtake samples download TAKE... -o DIR):")
    for take in takes():
        console.print(f"  {take.take:<10} {take.description} ({take.bytes // 1024} KiB)", markup=False)
    return 0


@app.command
def write(
    names: Annotated[list[str] | None, Parameter(help="Which sets; default: all.")] = None,
    /,
    *,
    out: Out,
    force: Force = False,
    takes: Annotated[int, Parameter(name=["--takes", "-n"], help="How many takes of each.")] = 4,
    seed: Seed = 7,
    json: Json = False,
) -> int:
    """Write sample takes that freshtake makes itself.

    **Examples**

    ```
    freshtake samples write walk -o walks/ -n 8
    freshtake samples write -o samples/
    ```
    """
    from freshtake.workflows import motion_samples

    prepare_folder(out, force=force, empty=False)
    with progress_bar() as report:
        paths = motion_samples(names or [], out, takes=takes, seed=seed, report=report)
    if json:
        print_json({"written": [str(path) for path in paths]})
    else:
        for path in paths:
            say(str(path))
    return 0


@app.command
def download(
    names: Annotated[list[str] | None, Parameter(help="Takes such as 35_01; default: all.")] = None,
    /,
    *,
    out: Out,
    force: Force = False,
    json: Json = False,
) -> int:
    """Download public takes of the CMU motion capture database, checked by their SHA-256.

    **Examples**

    ```
    freshtake samples download 35_01 35_02 -o cmu/
    ```
    """
    from freshtake.workflows import download_takes

    prepare_folder(out, force=force, empty=False)
    with progress_bar() as report:
        paths, credit = download_takes(names or [], out, report=report)
    if json:
        print_json({"written": [str(path) for path in paths], "credit": credit})
        return 0
    for path in paths:
        say(str(path))
    messages().print(credit, markup=False)
    return 0

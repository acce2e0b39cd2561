"""`freshtake samples`, `freshtake demo` and `freshtake warm-up`: to begin with."""

from __future__ import annotations

from cyclopts import App

from freshtake.cli.console import messages, output, print_json, progress_bar, say
from freshtake.cli.outputs import Force, Json, carry_out
from freshtake.requests.samples import Demo, SamplesDownload, SamplesWrite

app = App(
    name="samples",
    help_format="markdown",
    group_commands="Commands",
)


@app.command(name="list")
def list_samples(*, json: Json = False) -> None:
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
        return
    console = output()
    console.print("made by freshtake (freshtake samples write NAME... -o DIR):")
    for made_set in SAMPLE_SETS:
        console.print(f"  {made_set.name:<10} {made_set.about}", markup=False)
    console.print("public takes (freshtake samples download TAKE... -o DIR):")
    for take in takes():
        console.print(f"  {take.take:<10} {take.description} ({take.bytes // 1024} KiB)", markup=False)


@app.command
def write(request: SamplesWrite, *, force: Force = False, json: Json = False) -> None:
    """Write sample takes that freshtake makes itself.

    **Examples**

    ```
    freshtake samples write walk -o walks/ -n 8
    freshtake samples write -o samples/
    ```
    """
    paths = carry_out(request, force=force, folder=True)
    if json:
        print_json({"written": [str(path) for path in paths]})
    else:
        for path in paths:
            say(str(path))


@app.command
def download(request: SamplesDownload, *, force: Force = False, json: Json = False) -> None:
    """Download public takes of the CMU motion capture database, checked by their SHA-256.

    **Examples**

    ```
    freshtake samples download 35_01 35_02 -o cmu/
    ```
    """
    paths, credit = carry_out(request, force=force, folder=True)
    if json:
        print_json({"written": [str(path) for path in paths], "credit": credit})
        return
    for path in paths:
        say(str(path))
    messages().print(credit, markup=False)


def demo(request: Demo, *, force: Force = False, json: Json = False) -> None:
    """**Examples**

    ```
    freshtake demo
    freshtake demo -o /tmp/demo --seed 3
    ```
    """
    items = carry_out(request, request.out, force=force, folder=True)
    if json:
        print_json({"folder": str(request.out), "made": [{"what": m.what, "path": str(m.path)} for m in items]})
        return
    console = output()
    console.print("freshtake demo: what was made", markup=False)
    for item in items:
        console.print(f"  {item.what}\n      {item.path}", markup=False)


def warm_up(*, json: Json = False) -> None:
    """**Examples**

    ```
    freshtake warm-up
    ```
    """
    import time

    from freshtake.workflows.compiling import warm_up as run

    began = time.monotonic()
    with progress_bar() as report:
        run(report)
    seconds = time.monotonic() - began
    if json:
        print_json({"seconds": round(seconds, 1)})
    else:
        say(f"compiled and kept; this took {seconds:.0f} s")

"""`freshtake samples`, `freshtake demo` and `freshtake warm-up`: commands to start with."""

from cyclopts import App

from freshtake.cli.console import Force, Json, carry_out, messages, progress_bar, show
from freshtake.requests.samples import Demo, SamplesDownload, SamplesWrite

app = App(name="samples", help_format="markdown", group_commands="Commands")


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

    made = [{"name": one.name, "about": one.about} for one in SAMPLE_SETS]
    show(
        json, {"made": made, "public": takes()},
        "made by freshtake (freshtake samples write NAME... -o DIR):",
        *(f"  {one.name:<10} {one.about}" for one in SAMPLE_SETS),
        "public takes (freshtake samples download TAKE... -o DIR):",
        *(f"  {take.take:<10} {take.description} ({take.bytes // 1024} KiB)" for take in takes()),
    )  # fmt: skip


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
    show(json, {"written": paths}, *map(str, paths))


@app.command
def download(request: SamplesDownload, *, force: Force = False, json: Json = False) -> None:
    """Download public takes of the CMU motion capture database, checked by their SHA-256.

    **Examples**

    ```
    freshtake samples download 35_01 35_02 -o cmu/
    ```
    """
    paths, credit = carry_out(request, force=force, folder=True)
    show(json, {"written": paths, "credit": credit}, *map(str, paths))
    if not json:
        messages().print(credit, markup=False)


def demo(request: Demo, *, force: Force = False, json: Json = False) -> None:
    """**Examples**

    ```
    freshtake demo
    freshtake demo -o /tmp/demo --seed 3
    ```
    """
    items = carry_out(request, request.out, force=force, folder=True)
    lines = (f"  {item.what}\n      {item.path}" for item in items)
    show(json, {"folder": request.out, "made": items}, "freshtake demo: what was made", *lines)


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
    show(json, {"seconds": round(seconds, 1)}, f"compiled and cached; this took {seconds:.0f} s")

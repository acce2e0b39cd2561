"""`freshtake view`: motion on a page that plays it, as a strip or as a moving picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from freshtake.cli.console import print_json, progress_bar, say
from freshtake.cli.options import Json, Seed, option_group
from freshtake.cli.outputs import Force, prepare
from freshtake.cli.reading import MESH_READING, MeshReading


@option_group
class Showing:
    """What is shown, and where."""

    out: Annotated[
        Path | None,
        Parameter(name=["--out", "-o"], help="The page to write (.html); without it, the page opens in a browser."),
    ] = None
    force: Force = False
    variants: Annotated[
        list[Path] | None,
        Parameter(consume_multiple=True, negative="", help="More files, shown in green beside the others in blue."),
    ] = None
    png: Annotated[Path | None, Parameter(help="Write a strip of poses (.png), without a browser.")] = None
    gif: Annotated[Path | None, Parameter(help="Write a moving picture (.gif), without a browser.")] = None
    number: Annotated[int, Parameter(name=["--number", "-n"], help="How many variants of each model are shown.")] = 4
    layout: Annotated[
        Literal["row", "grid", "overlaid"] | None,
        Parameter(help="How motions are arranged; default: a row, or a grid for many."),
    ] = None
    title: Annotated[str, Parameter(help="Title of the page; default: the names of the files.")] = ""
    seed: Seed = 0


SHOWING = Showing()


def view(
    paths: list[Path],
    /,
    *,
    showing: Showing = SHOWING,
    reading: MeshReading = MESH_READING,
    json: Json = False,
) -> int:
    """Look at motions, side by side on one timeline: takes, variants, strokes, meshes, and new variants of models.

    **Examples**

    ```
    freshtake view walk_1.bvh walk_2.bvh
    freshtake view takes/ --variants variants/ -o compare.html
    freshtake view walk.ftm -n 9 --seed 3
    freshtake view fox_run.npz letter_a.csv -o both.html
    freshtake view takes/ --png strip.png --gif takes.gif
    ```

    Parameters
    ----------
    paths
        Motion files of any readable format, models (.ftm), or folders with any of them.
    """
    from freshtake.formats.take_files import MODELS, TAKES, take_files
    from freshtake.workflows import motion_view
    from freshtake.workflows.motion_viewing import ViewOptions

    out, png, gif = showing.out, showing.png, showing.gif
    prepare(out, png, gif, force=showing.force)
    page = _temporary() if out is None and png is None and gif is None else out
    kinds = TAKES | MODELS
    with progress_bar() as report:
        result = motion_view(
            take_files(paths, kinds),
            page,
            options=ViewOptions(
                variants=take_files(showing.variants or [], kinds),
                each=showing.number,
                layout=showing.layout or "",
                title=showing.title,
                seed=showing.seed,
            ),
            png=png,
            gif=gif,
            reading=reading.options(),
            report=report,
        )
    opened = page is not None and out is None and _opened(page)
    if json:
        shown = [{"name": shape.name, "role": shape.role, "frames": len(shape)} for shape in result.scene.shapes]
        print_json({"written": [str(path) for path in result.written], "shown": shown, "opened": opened})
        return 0
    for path in result.written:
        hint = "opened" if opened else "wrote"
        more = ": open it in a browser" if page is not None and out is None and not opened else ""
        say(f"{hint} {path}{more}")
    return 0


def _temporary() -> Path:
    """A new file that the system clears away some day."""
    import tempfile

    return Path(tempfile.mkdtemp(prefix="freshtake-")) / "view.html"


def _opened(page: Path) -> bool:
    import webbrowser

    try:
        return webbrowser.open(page.as_uri())
    except webbrowser.Error:
        return False

"""`freshtake info`: what is in a file or a model, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from freshtake.cli.console import output, print_json
from freshtake.cli.options import Json
from freshtake.cli.reading import MESH_READING, MeshReading, files_or_models

MANY = 3  # files that are described in full
PIPE_WIDTH = 160  # where there is no terminal that says how wide it is


def info(
    paths: list[Path],
    /,
    *,
    everything: Annotated[
        bool, Parameter(name="--all", negative="", help="Print everything about each file, not one line per file.")
    ] = False,
    reading: MeshReading = MESH_READING,
    json: Json = False,
) -> int:
    """Show what is in clips, strokes, point clips, mesh sequences and models, and what is wrong with them.

    **Examples**

    ```
    freshtake info walk.bvh
    freshtake info takes/*.amc --skeleton 35.asf --fps 60
    freshtake info character.glb --mesh --json
    freshtake info walk.ftm
    ```

    Parameters
    ----------
    paths
        BVH, AMC, ASF, C3D, glTF, CSV or npz files, folders of OBJ files, models (.ftm), or folders with any of them.
    """
    from freshtake.workflows.motion_describing import motion_infos, motion_set_info

    as_they_are = {**reading.options(), "rate": None}
    described = motion_infos(files_or_models(paths), **as_they_are)
    together = motion_set_info(described)
    if json:
        print_json({"files": [d.facts for d in described], "together": together})
        return 0
    if len(described) > MANY and not everything:
        _print_table([one.facts for one in described])
    else:
        for one in described:
            _print(one.facts)
    for sentence in together:
        output().print(f"[yellow]together:[/yellow] {_plain(sentence)}")
    return 0


def _print(facts: dict[str, Any]) -> None:
    console = output()
    console.print(f"[bold]{_plain(facts['file'])}[/bold]  {facts['kind']} ({facts['format']})")
    for key, value in facts.items():
        if key in ("file", "kind", "format", "findings", "up_from", "unit_m") or value in (None, "", []):
            continue
        if key == "up":
            value = f"{value} ({facts['up_from']})"
        if isinstance(value, dict):
            value = [f"{name} {number}" for name, number in value.items()]
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        console.print(f"  {key.replace('_', ' '):<12} {_plain(text)}")
    for finding in facts["findings"]:
        console.print(f"  [yellow]finding[/yellow]      {_plain(finding['sentence'])}")
    if not facts["findings"]:
        console.print("  [green]no problem found[/green]")


def _print_table(files: list[dict[str, Any]]) -> None:
    """A line for each file, then what is wrong with which, once for all."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("file", "kind", "frames", "fps", "seconds", "unit", "joints"):
        table.add_column(heading, justify="right" if heading in ("frames", "fps", "seconds", "joints") else "left")
    for facts in files:
        shown = [facts.get(key) for key in ("frames", "fps", "duration_s", "unit", "joints")]
        table.add_row(_plain(facts["file"]), facts["kind"], *("" if value is None else str(value) for value in shown))
    console = output()
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    console.print(table)
    wrong: dict[str, list[str]] = {}
    for facts in files:
        for finding in facts["findings"]:
            name, _, what = finding["sentence"].partition(": ")
            wrong.setdefault(what or name, []).append(name)
    for what, names in wrong.items():
        several = f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else names[0]
        console.print(f"[yellow]finding[/yellow] {_plain(several)}: {_plain(what)}")
    if not wrong:
        console.print("[green]no problem found[/green]")


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(text)

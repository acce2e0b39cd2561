"""`freshtake info` and `freshtake view`: look at files and models, in words and in motion."""

from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Annotated, Any

from cyclopts import Parameter

from freshtake.cli.console import Force, Json, carry_out, output, plain_table, print_json, print_table, show
from freshtake.requests.clips import Info, View

Everything = Annotated[
    bool, Parameter(name="--all", negative="", help="Print everything about each file, not one line per file.")
]


def info(request: Info, *, everything: Everything = False, json: Json = False) -> None:
    """**Examples**

    ```
    freshtake info walk.bvh
    freshtake info takes/*.amc --skeleton 35.asf --fps 60
    freshtake info character.glb --mesh --json
    freshtake info walk.ftm
    ```
    """
    from freshtake.workflows import motion_set_info

    described = carry_out(request)
    files, together = [one.facts for one in described], motion_set_info(described)
    if json:
        print_json({"files": files, "together": together})
        return
    # Up to three full descriptions fit on a screen.
    if len(files) > 3 and not everything:
        _print_table(files)
    else:
        for facts in files:
            _print(facts)
    for sentence in together:
        output().print(f"[yellow]together:[/yellow] {_plain(sentence)}")


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
    """Print a line for each file, then each problem once, with the files that it concerns."""
    table = plain_table(
        ("file", "kind", "frames", "fps", "seconds", "unit", "joints"), ("frames", "fps", "seconds", "joints")
    )
    for facts in files:
        shown = [facts.get(key) for key in ("frames", "fps", "duration_s", "unit", "joints")]
        table.add_row(_plain(facts["file"]), facts["kind"], *("" if value is None else str(value) for value in shown))
    console = output()
    print_table(table, console)
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


def view(request: View, *, force: Force = False, json: Json = False) -> None:
    """**Examples**

    ```
    freshtake view walk_1.bvh walk_2.bvh
    freshtake view takes/ --variants variants/ -o compare.html
    freshtake view walk.ftm -n 9 --seed 3
    freshtake view fox_run.npz letter_a.csv -o both.html
    freshtake view takes/ --png strip.png --gif takes.gif
    ```
    """
    targets = request.out, request.png, request.gif
    page = None
    if not any(targets):
        page = Path(mkdtemp(prefix="freshtake-")) / "view.html"
        request = replace(request, out=page)
    result = carry_out(request, *targets, force=force)
    opened = page is not None and _opened(page)
    shown = [{"name": shape.name, "role": shape.role, "frames": len(shape)} for shape in result.scene.shapes]
    hint = "opened" if opened else "wrote"
    more = ": open it in a browser" if page is not None and not opened else ""
    facts = {"written": result.written, "shown": shown, "opened": opened}
    show(json, facts, *(f"{hint} {path}{more}" for path in result.written))


def _opened(page: Path) -> bool:
    import webbrowser

    try:
        return webbrowser.open(page.as_uri())
    except webbrowser.Error:
        return False

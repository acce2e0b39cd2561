"""`freshtake explain`: what a model has learned."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from freshtake.cli.console import output, print_json, progress_bar, say
from freshtake.cli.options import Json
from freshtake.cli.outputs import Force, prepare
from freshtake.cli.reading import READING, Reading
from freshtake.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from freshtake.reports.explanation import Explanation, Named
    from freshtake.variation.paper import PaperModel

PIPE_WIDTH = 120
MOST_LINKS, MOST_CHILDREN = 20, 10


def explain(
    model: Path,
    /,
    *,
    joint: Annotated[
        str, Parameter(help="A joint, marker or dimension, or one of its angles, such as LeftLeg.x; default: all.")
    ] = "",
    clip: Annotated[Path | None, Parameter(help="How likely this clip is, frame by frame and joint by joint.")] = None,
    out: Annotated[
        Path | None,
        Parameter(name=["--out", "-o"], help="A page (.html), or a folder with page and pictures."),
    ] = None,
    force: Force = False,
    reading: Reading = READING,
    json: Json = False,
) -> int:
    """Show what a model has learned: which joints vary together, and where a clip is unlike the takes.

    **Examples**

    ```
    freshtake explain walk.ftm
    freshtake explain walk.ftm --joint LeftLeg -o left_leg.html
    freshtake explain walk.ftm --clip new_walk.bvh -o likelihood.html
    freshtake explain letter.ftm --joint x --json
    ```

    Parameters
    ----------
    model
        A model that `freshtake learn` wrote.
    """
    from freshtake.formats.ftm import is_model, read_stored
    from freshtake.reports.joint_words import link_sentences
    from freshtake.workflows import variation_explain as run

    prepare(out, force=force)
    if is_model(model) and (stored := read_stored(model)).method == "paper":
        return _explain_paper(stored.model, joint, clip is not None or out is not None, json)
    with progress_bar() as report:
        done = run(model, joint=joint, clip=clip, target=out, reading=reading.options(), report=report)
    written = [str(path) for path in done.written]
    if json:
        print_json({**done.facts, "written": written})
        return 0
    for sentence in link_sentences(done.explanation.links):
        say(sentence)
    _print(done.explanation)
    for sentence in done.notes:
        say(sentence)
    for path in written:
        say(f"wrote {path}")
    return 0


def _explain_paper(model: PaperModel, joint: str, more: bool, json: bool) -> int:
    """Print what predicts what in the paper's networks."""
    from rich.table import Table

    from freshtake.workflows import paper_explain

    if more:
        raise UsageError("of a model of --method paper only the networks are shown: leave --clip and --out out")
    facts = paper_explain(model, joint)
    if json:
        print_json({**facts, "written": []})
        return 0
    say(f"every DOF is predicted by its own last frames and by {', '.join(facts['shared_parents']) or 'no other'}")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("DOF", "is also predicted by"):
        table.add_column(heading)
    for dof, parents in facts["transition"].items():
        own = {*facts["shared_parents"], f"{dof}[t]", f"{dof}[t+1]"}
        table.add_row(dof, ", ".join(p for p in parents if p not in own) or "-")
    console = output()
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    console.print(table)
    return 0


def _print(edges: Explanation) -> None:
    from rich.table import Table

    console = output()
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    table = Table(box=None, pad_edge=False, header_style="bold")
    if edges.links and not edges.joint:
        for heading in ("from", "to", "summed strength"):
            table.add_column(heading, justify="right" if "strength" in heading else "left")
        for link in edges.links[:MOST_LINKS]:
            table.add_row(link.parent, link.child, f"{link.strength:.3f}")
        console.print(table)
        return
    for heading in ("DOF", "varies with", "strength", "spread without"):
        table.add_column(heading, justify="right" if heading in ("strength", "spread without") else "left")
    _add_edges(table, edges.parents)
    if edges.children:
        table.add_row("", "", "", "")
        table.add_row(f"[bold]varies with {edges.joint}, moves less[/bold] ({len(edges.children)} in all)", "", "", "")
        _add_edges(table, edges.children[:MOST_CHILDREN])
    console.print(table)


def _add_edges(table: Table, edges: tuple[Named, ...]) -> None:
    from freshtake.reports.explain_page import error_text, strength_text

    for edge in edges:
        parent = f"{edge.parent} at {', '.join(edge.slices)}"
        table.add_row(edge.child, parent, strength_text(edge), error_text(edge))

"""`freshtake select` and `freshtake explain`: which takes to learn from, and what was learned."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from freshtake.cli.console import PIPE_WIDTH, output, print_json, say
from freshtake.cli.outputs import Force, Json, carry_out
from freshtake.requests.variation import Explain, Select

if TYPE_CHECKING:
    from rich.table import Table

    from freshtake.reports.explanation import Explanation, Named
    from freshtake.workflows.learning import Selected


def select(request: Select, *, force: Force = False, json: Json = False) -> None:
    """A clip is kept unless it differs more from the trusted ones than all but a few clips of their kind would, given
    how far the trusted ones differ among themselves. `--json` prints `kept` and `rejected` alone.

    **Examples**

    ```
    freshtake select new/ --trusted walk_*.bvh
    freshtake select new/*.bvh --trusted walk_*.bvh --picture why.png --json
    ```
    """
    done = carry_out(request, request.picture, force=force)
    if json:
        print_json(done.as_dict())
        return
    _print_selection(done)
    if request.picture is not None:
        say(f"wrote {request.picture}")


def _print_selection(done: Selected) -> None:
    """Print one line per clip, then the threshold and where it comes from."""
    selection, console = done.selection, output()
    show = _chance if selection.measure == "difference" else "{:.2f}".format
    for path, verdict in zip(done.sources, selection.verdicts, strict=True):
        figure = show(verdict.figure) if math.isfinite(verdict.figure) else "-"
        word = "kept    " if verdict.kept else "rejected"
        console.print(f"{word} {figure:>8}  {path}{'' if verdict.kept else ': ' + verdict.reason}", markup=False)
    what = "a log-likelihood per frame and DOF"
    if selection.measure == "difference":
        what = "a share of similar clips that would be as far off"
    trusted_range = f"{show(float(selection.trusted.min()))} to {show(float(selection.trusted.max()))}"
    console.print(
        f"{len(done.kept)} of {len(done.sources)} kept: those with {what} of at least {show(selection.threshold)} "
        f"(trusted clips, each left out in turn: {trusted_range})",
        markup=False,
    )


def _chance(share: float) -> str:
    return f"{100 * share:.1f} %" if share >= 0.0005 else "< 0.1 %"


def explain(request: Explain, *, force: Force = False, json: Json = False) -> None:
    """**Examples**

    ```
    freshtake explain walk.ftm
    freshtake explain walk.ftm --joint LeftLeg -o left_leg.html
    freshtake explain walk.ftm --clip new_walk.bvh -o likelihood.html
    freshtake explain letter.ftm --joint x --json
    ```
    """
    from freshtake.reports.wording import link_sentences
    from freshtake.workflows.describing import PaperExplained

    done = carry_out(request, request.out, force=force)
    written = [] if isinstance(done, PaperExplained) else [str(path) for path in done.written]
    if json:
        print_json({**done.facts, "written": written})
        return
    if isinstance(done, PaperExplained):
        _print_networks(done.facts)
        return
    for sentence in link_sentences(done.explanation.links):
        say(sentence)
    _print_links(done.explanation)
    for sentence in done.notes:
        say(sentence)
    for line in written:
        say(f"wrote {line}")


def _print_networks(facts: dict[str, Any]) -> None:
    """Print what predicts what in the paper's networks."""
    from rich.table import Table

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


def _print_links(edges: Explanation) -> None:
    from rich.table import Table

    console = output()
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    table = Table(box=None, pad_edge=False, header_style="bold")
    if edges.links and not edges.joint:
        for heading in ("from", "to", "summed strength"):
            table.add_column(heading, justify="right" if "strength" in heading else "left")
        # The strongest links first; --json has all of them.
        for link in edges.links[:20]:
            table.add_row(link.parent, link.child, f"{link.strength:.3f}")
        console.print(table)
        return
    for heading in ("DOF", "varies with", "strength", "spread without"):
        table.add_column(heading, justify="right" if heading in ("strength", "spread without") else "left")
    _add_edges(table, edges.parents)
    if edges.children:
        table.add_row("", "", "", "")
        table.add_row(f"[bold]varies with {edges.joint}, moves less[/bold] ({len(edges.children)} in all)", "", "", "")
        _add_edges(table, edges.children[:10])
    console.print(table)


def _add_edges(table: Table, edges: tuple[Named, ...]) -> None:
    from freshtake.reports.explanation import error_text, strength_text

    for edge in edges:
        parent = f"{edge.parent} at {', '.join(edge.slices)}"
        table.add_row(edge.child, parent, strength_text(edge), error_text(edge))

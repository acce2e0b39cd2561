"""`freshtake select` and `freshtake explain`: choose takes to learn from, and show what a model has learned."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from freshtake.cli.console import Force, Json, carry_out, output, plain_table, print_json, print_table, say, show
from freshtake.requests.variation import Explain, Select

if TYPE_CHECKING:
    from rich.table import Table

    from freshtake.reports.explanation import Explanation, Named
    from freshtake.workflows.learning import Selected


def select(request: Select, *, force: Force = False, json: Json = False) -> None:
    """A clip is kept unless it differs more from the trusted clips than nearly all clips of their kind would, given
    how far the trusted clips differ among themselves. `--json` prints only `kept` and `rejected`.

    **Examples**

    ```
    freshtake select new/ --trusted walk_*.bvh
    freshtake select new/*.bvh --trusted walk_*.bvh --picture why.png --json
    ```
    """
    done = carry_out(request, request.picture, force=force)
    written = [] if request.picture is None else [f"wrote {request.picture}"]
    show(json, done, *_selection_lines(done), *written)


def _selection_lines(done: Selected) -> Iterator[str]:
    """Yield one line per clip, then the threshold and its origin."""
    selection = done.selection
    figure_of = _chance if selection.measure == "difference" else "{:.2f}".format
    for path, verdict in zip(done.sources, selection.verdicts, strict=True):
        figure = figure_of(verdict.figure) if math.isfinite(verdict.figure) else "-"
        word = "kept    " if verdict.kept else "rejected"
        yield f"{word} {figure:>8}  {path}{'' if verdict.kept else ': ' + verdict.reason}"
    what = "a log-likelihood per frame and DOF"
    if selection.measure == "difference":
        what = "a fraction of similar clips that would be as far off"
    trusted_range = " to ".join(figure_of(float(end)) for end in (selection.trusted.min(), selection.trusted.max()))
    yield (
        f"{len(selection.kept)} of {len(done.sources)} kept: clips with {what} of at least "
        f"{figure_of(selection.threshold)} "
        f"(trusted clips, each left out in turn: {trusted_range})"
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

    done = carry_out(request, request.out, force=force)
    if json:
        print_json({**done.facts, "written": done.written})
    elif done.explanation is None:
        _print_networks(done.facts)
    else:
        say(*link_sentences(done.explanation.links))
        _print_links(done.explanation)
        say(*done.notes, *(f"wrote {path}" for path in done.written))


def _print_networks(facts: dict[str, Any]) -> None:
    shared = ", ".join(facts["shared_parents"]) or "no other"
    say(f"every DOF is predicted by its own last frames and by {shared}")
    table = plain_table(("DOF", "is also predicted by"))
    for dof, parents in facts["transition"].items():
        own = {*facts["shared_parents"], f"{dof}[t]", f"{dof}[t+1]"}
        table.add_row(dof, ", ".join(p for p in parents if p not in own) or "-")
    print_table(table, output())


def _print_links(edges: Explanation) -> None:
    if edges.links and not edges.joint:
        table = plain_table(("from", "to", "summed strength"), ("summed strength",))
        # The strongest links first; --json has all of them.
        for link in edges.links[:20]:
            table.add_row(link.parent, link.child, f"{link.strength:.3f}")
        print_table(table, output())
        return
    table = plain_table(("DOF", "varies with", "strength", "spread without"), ("strength", "spread without"))
    _add_edges(table, edges.parents)
    if edges.children:
        table.add_row("", "", "", "")
        table.add_row(f"[bold]varies with {edges.joint}, moves less[/bold] ({len(edges.children)} in all)", "", "", "")
        _add_edges(table, edges.children[:10])
    print_table(table, output())


def _add_edges(table: Table, edges: tuple[Named, ...]) -> None:
    from freshtake.reports.explanation import error_text, strength_text

    for edge in edges:
        parent = f"{edge.parent} at {', '.join(edge.slices)}"
        table.add_row(edge.child, parent, strength_text(edge), error_text(edge))

"""`freshtake evaluate`: how alike, how new, how natural variants are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from freshtake.cli.console import output, print_json, progress_bar, say
from freshtake.cli.options import Files, Json, Seed, option_group
from freshtake.cli.outputs import Force, prepare
from freshtake.cli.reading import READING, Reading, files
from freshtake.errors import UsageError

if TYPE_CHECKING:
    from freshtake.evaluation import Evaluation, Figure

PIPE_WIDTH = 120  # where there is no terminal that says how wide it is
COLORS = {"good": "green", "above": "yellow", "below": "yellow", "": ""}
KINDS = ("strawman", "perlin", "pca", "convex", "replay")


@option_group
class Sets:
    """Which files are judged beside which."""

    inputs: Annotated[Files, Parameter(help="The clips that were learned from.")] = None
    outputs: Annotated[Files, Parameter(help="The variants to judge.")] = None
    extra: Annotated[Files, Parameter(help="Further real takes of the same action: the target.")] = None


SETS = Sets()


@option_group
class Judging:
    """What is judged and shown."""

    action: Annotated[
        str,
        Parameter(help="Peaks to count: auto, none, root-height, hand-height, hand-speed, left- or right-hand-speed."),
    ] = "auto"
    baselines: Annotated[
        bool,
        Parameter(negative="", help="Score noise, combinations and replays of the inputs too, beside the variants."),
    ] = False
    everything: Annotated[
        bool, Parameter(name="--all", negative="", help="Print all figures, not only the main ones.")
    ] = False
    title: Annotated[str, Parameter(help="Heading of the report.")] = ""
    model: Annotated[
        Path | None, Parameter(help="The model that made the variants: the report shows which joints vary together.")
    ] = None
    seed: Seed = 7


JUDGING = Judging()


def evaluate(
    *,
    sets: Sets = SETS,
    out: Annotated[
        Path | None, Parameter(name=["--out", "-o"], help="Report: a page (.html), or a folder with figures and plots.")
    ] = None,
    force: Force = False,
    judging: Judging = JUDGING,
    reading: Reading = READING,
    json: Json = False,
) -> int:
    """Judge variants beside real takes: how they move, how new and how natural they are, and whether feet stand still.

    Every figure stands beside the same figure of real takes: each input scored against the other inputs, and each
    `--extra` take against the inputs.

    **Examples**

    ```
    freshtake evaluate --inputs walk_*.bvh --outputs variants/*.bvh -o report.html
    freshtake evaluate --inputs a_1.bvh a_2.bvh --outputs v*.bvh --extra e*.bvh -o report/ --json
    freshtake evaluate --inputs a_0*.csv --outputs letters/*.csv --all --model a.ftm -o letters.html
    freshtake evaluate --inputs walks/ --outputs variants/ --baselines -o report.html
    ```
    """
    from freshtake.workflows import motion_evaluate as run
    from freshtake.workflows.motion_evaluating import EvaluationFiles, EvaluationOptions

    prepare(out, force=force)
    for option, paths in (("--inputs", sets.inputs), ("--outputs", sets.outputs)):
        if not paths:
            raise UsageError(f"evaluate needs {option}: name at least one file")
    if judging.model is not None and out is None:
        raise UsageError("--model draws what varies together into the report: name one with -o")
    with progress_bar() as report:
        done = run(
            EvaluationFiles(files(sets.inputs), files(sets.outputs), files(sets.extra)),
            target=out,
            options=EvaluationOptions(judging.action, judging.seed, judging.title, KINDS if judging.baselines else ()),
            model=judging.model,
            reading=reading.options(),
            report=report,
        )
    written = [str(path) for path in done.written]
    if json:
        print_json({**done.result.as_dict(), "written": written})
        return 0
    _print(done.result, judging.everything)
    for path in written:
        say(f"wrote {path}")
    return 0


def _print(result: Evaluation, everything: bool) -> None:
    """The main figures as a table; diversity comes with smoothness and foot speed below it."""
    from rich.table import Table

    from freshtake.evaluation.figure_kinds import GROUPS
    from freshtake.reports.baseline_table import terminal_cells
    from freshtake.reports.verdict import verdict_of

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    for heading in ("variants", "real takes"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for column in result.baselines:
        table.add_column(column.name, justify="right", no_wrap=True)
    for group in GROUPS:
        figures = [f for f in result.figures if f.kind.group == group and (everything or f.kind.main)]
        if figures:
            table.add_row(f"[bold]{group}[/bold]")
        for figure in figures:
            table.add_row(*_row(figure), *terminal_cells(result.baselines, figure.key))
    console = output()
    if not console.is_terminal:
        console.width = PIPE_WIDTH + 12 * len(result.baselines)
    console.print(table)
    console.print(verdict_of(result).sentence, markup=False)
    for note in result.notes:
        console.print(f"note: {note}", markup=False)
    if everything:
        for key, reason in result.missing.items():
            console.print(f"note: {key} is not available: {reason}", markup=False)


def _row(figure: Figure) -> tuple[str, str, str, str]:
    from freshtake.reports.wording import real_range, shown, verdict

    sign, words = verdict(figure)
    color = COLORS[figure.verdict]
    mark = f"[{color}]{sign} {words.removesuffix(' real takes')}[/{color}]" if words else ""
    return f"  {figure.kind.title}", shown(figure.value, figure.kind.unit), real_range(figure), mark

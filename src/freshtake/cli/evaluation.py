"""`freshtake evaluate`, `study` and `paper`: assess variants by figures, by people, and next to the paper's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from freshtake.cli.console import PIPE_WIDTH, Force, Json, carry_out, counted, output, plain_table, show
from freshtake.requests.evaluation import Evaluate, StudyAnalyze, StudyDesign
from freshtake.requests.variation import PaperFigures

if TYPE_CHECKING:
    from freshtake.evaluation import Figure
    from freshtake.evaluation.study import Outcome
    from freshtake.workflows.evaluating import Evaluated

COLORS = {"good": "green", "above": "yellow", "below": "yellow", "": ""}
Everything = Annotated[bool, Parameter(name="--all", negative="", help="Print all figures, not only the main ones.")]
study = App(name="study", help_format="markdown", group_commands="Commands")
paper = App(name="paper", help_format="markdown")


def evaluate(request: Evaluate, *, everything: Everything = False, force: Force = False, json: Json = False) -> None:
    """Each figure is shown next to the same figure for real takes: each input scored against the other inputs, and each
    `--extra` take against the inputs.

    **Examples**

    ```
    freshtake evaluate --inputs walk_*.bvh --outputs variants/*.bvh -o report.html
    freshtake evaluate --inputs a_1.bvh a_2.bvh --outputs v*.bvh --extra e*.bvh -o report/ --json
    freshtake evaluate --inputs a_0*.csv --outputs letters/*.csv --all --model a.ftm -o letters.html
    freshtake evaluate --inputs walks/ --outputs variants/ --baselines -o report.html
    ```
    """
    done = carry_out(request, request.out, force=force)
    if not json:
        _print(done, everything)
    facts = {**done.result.as_dict(), "checks": done.checks, "written": done.written}
    show(json, facts, *(f"wrote {path}" for path in done.written))


def _print(done: Evaluated, everything: bool) -> None:
    from freshtake.evaluation.figure_kinds import GROUPS
    from freshtake.reports.evaluation_page import terminal_cells
    from freshtake.reports.verdict import verdict_of, with_checks

    result = done.result
    table = plain_table([""])
    for heading in ("variants", "real takes", "", *(column.name for column in result.baselines)):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
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
    console.print(with_checks(verdict_of(result), done.checks).sentence, markup=False)
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


@study.command
def design(request: StudyDesign, *, force: Force = False, json: Json = False) -> None:
    """Write a study: stimuli under neutral names, ratings.csv to fill in, and key.csv, which you keep.

    Experiment A shows single variants among captured takes and asks how natural they are; experiment B shows long
    sequences of variants among cycle animations and asks how repetitive they are; scores are whole numbers from 1 to 9.
    Experiment C hides two clones among twelve walkers and records the seconds until they are found; experiment D shows
    a variant next to a captured take and asks which looks more natural.

    **Examples**

    ```
    freshtake study design --motion walk --variants variants/*.bvh --inputs walk_*.bvh -o walk_study/
    freshtake study design --motion walk --experiment CD --variants variants/ --captured takes/ -o clones/
    freshtake study design --motion jump --experiment A --variants v*.bvh --captured takes/*.bvh -o jump_study/
    ```
    """
    done = carry_out(request, request.out, force=force, folder=True)
    counts = f"{len(done.stimuli)} stimuli and {done.trials} trials for {request.participants} participants"
    show(json, done, f"wrote {done.folder}: {counts}")


@study.command
def analyze(request: StudyAnalyze, *, force: Force = False, json: Json = False) -> None:
    """Analyze the scores: means, how certain they are, and whether the conditions differ.

    **Examples**

    ```
    freshtake study analyze walk_study/ratings.csv -o figure8.png
    freshtake study analyze walk_study/ cheering_study/ --json
    ```
    """
    outcomes = carry_out(request, request.out, force=force)
    lines = [line for outcome in outcomes for line in _outcome_lines(outcome)]
    if request.out is not None:
        lines.append(f"wrote {request.out}")
    show(json, {"outcomes": outcomes}, *lines)


def _outcome_lines(outcome: Outcome) -> Iterator[str]:
    from freshtake.reports.study_figure import WARNING, p_value

    anova, difference = outcome.anova, outcome.apart
    counted = "choices" if anova is None else "scores"
    note = f" ({WARNING})" if outcome.simulated else ""
    yield f"experiment {outcome.experiment}, {outcome.motion}: {outcome.measure}{note}"
    for group in outcome.groups:
        interval = f"{group.mean.mean:.2f} ({group.mean.low:.2f} to {group.mean.high:.2f})"
        yield f"  {group.condition:<11} {interval}, {group.scores} {counted}"
    test = "sign test" if anova is None else f"F({anova.df_between}, {anova.df_within}) = {anova.f:.3g}"
    test = f"{test}, {p_value(outcome.p)}"
    yield f"  {test}; by participants {p_value(outcome.by_participant)}"
    yield f"  difference {difference.mean:+.2f} ({difference.low:+.2f} to {difference.high:+.2f})"
    if outcome.not_found:
        yield f"  in {outcome.not_found} trials the clones were not found within a minute"
    if outcome.unanswered:
        yield f"  {outcome.unanswered} trials have no score"


@paper.command
def figures(request: PaperFigures, *, force: Force = False, json: Json = False) -> None:
    """Draw figures 1 and 4 to 8 of the paper: its own method and the default one side by side. Takes minutes.

    **Examples**

    ```
    freshtake paper figures -o figures/
    freshtake paper figures -o figures/ --data recorded/ --only 1 7
    ```
    """
    written = carry_out(request, request.out, force=force)
    more = " ..." if len(written) > 1 else ""
    show(json, {"written": written}, f"wrote {counted(len(written), 'figure')}: {written[0]}{more}")

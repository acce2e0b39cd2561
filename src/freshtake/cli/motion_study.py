"""`freshtake study`: the user study, from stimuli to figure 8."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from freshtake.cli.console import output, print_json, progress_bar, say
from freshtake.cli.option_groups import Output
from freshtake.cli.options import Files, Json, Seed, option_group
from freshtake.cli.outputs import Force, prepare, prepare_folder
from freshtake.cli.reading import READING, Reading, files
from freshtake.errors import UsageError

if TYPE_CHECKING:
    from freshtake.evaluation.study import Outcome

app = App(
    name="study",
    help="A user study: who watches what, and what the scores show.",
    help_format="markdown",
    group_commands="Commands",
)


@option_group
class Sets:
    """Which files are shown in which experiment."""

    variants: Annotated[Files, Parameter(help="Variants to be judged.")] = None
    inputs: Annotated[Files, Parameter(help="The takes they were learned from: replayed in experiment B.")] = None
    captured: Annotated[Files, Parameter(help="Real takes for experiment A; default: the inputs.")] = None


SETS = Sets()


@option_group
class StudyOutput(Output):
    """Where the study goes."""

    out: Annotated[Path, Parameter(name=["--out", "-o"], help="Folder for the study; new or empty.")]


@option_group
class StudyNumbers:
    """What is shown to whom."""

    motion: Annotated[str, Parameter(help="What the movement is called.")] = "motion"
    experiment: Annotated[str, Parameter(help="A: how natural, B: how repetitive, AB: both.")] = "AB"
    participants: Annotated[int, Parameter(help="People who take part.")] = 15
    trials: Annotated[int, Parameter(help="Stimuli that each person watches per experiment.")] = 15
    sequences: Annotated[int, Parameter(help="Long sequences per condition of experiment B.")] = 15
    clips: Annotated[int, Parameter(help="Clips that are joined in a long sequence.")] = 15
    blend: Annotated[float, Parameter(help="Seconds over which the step from clip to clip fades.")] = 0.25
    format: Annotated[str, Parameter(help="Ending of the stimuli.")] = "bvh"


STUDY_NUMBERS = StudyNumbers()


@app.command
def design(
    *,
    sets: Sets = SETS,
    to: StudyOutput,
    planned: StudyNumbers = STUDY_NUMBERS,
    seed: Seed = 0,
    reading: Reading = READING,
    json: Json = False,
) -> int:
    """Write a study: stimuli under neutral names, ratings.csv to be filled in, and key.csv, which stays with you.

    Experiment A shows single variants among captured takes and asks how natural they are; experiment B shows long
    sequences of variants among cycle animations and asks how repetitive they are. Scores are whole numbers from 1 to 9.

    **Examples**

    ```
    freshtake study design --motion walk --variants variants/*.bvh --inputs walk_*.bvh -o walk_study/
    freshtake study design --motion jump --experiment A --variants v*.bvh --captured takes/*.bvh -o jump_study/
    ```
    """
    from freshtake.workflows import study_design
    from freshtake.workflows.motion_studying import StudyPlan, StudySets

    prepare_folder(to.out, force=to.force)
    if not sets.variants:
        raise UsageError("study design needs --variants: name at least one file")
    plan = StudyPlan(planned.participants, planned.trials, planned.clips, planned.sequences, planned.blend)
    with progress_bar() as report:
        done = study_design(
            to.out,
            planned.motion,
            files(sets.variants),
            sets=StudySets(
                captured=files(sets.captured),
                inputs=files(sets.inputs),
                experiments=tuple(planned.experiment.upper()),
                ending=planned.format,
                seed=seed,
            ),
            plan=plan,
            reading=reading.options(),
            report=report,
        )
    if json:
        facts = {"stimuli": [s._asdict() for s in done.stimuli], "trials": done.trials}
        print_json({"folder": str(done.folder), **facts})
    else:
        counts = f"{len(done.stimuli)} stimuli and {done.trials} trials for {planned.participants} participants"
        say(f"wrote {done.folder}: {counts}")
    return 0


@app.command
def analyze(
    *tables: Path,
    key: Annotated[Path | None, Parameter(help="The key; default: key.csv beside each table.")] = None,
    out: Annotated[
        Path | None, Parameter(name=["--out", "-o"], help="Picture of the means (.png, .svg, .pdf): figure 8.")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Analyze the scores: means, how certain they are, and whether the conditions differ.

    **Examples**

    ```
    freshtake study analyze walk_study/ratings.csv -o figure8.png
    freshtake study analyze walk_study/ cheering_study/ --json
    ```

    Parameters
    ----------
    tables
        Filled-in tables of ratings, or the folders of their studies.
    """
    from freshtake.workflows import study_analyze

    prepare(out, force=force)
    outcomes = study_analyze(tables, key, out)
    if json:
        print_json({"outcomes": [outcome.as_dict() for outcome in outcomes]})
        return 0
    for outcome in outcomes:
        _print(outcome)
    if out is not None:
        say(f"wrote {out}")
    return 0


def _print(outcome: Outcome) -> None:
    from freshtake.reports.study_figure import WARNING, p_value

    console, anova, difference = output(), outcome.anova, outcome.apart
    note = f" ({WARNING})" if outcome.simulated else ""
    console.print(f"experiment {outcome.experiment}, {outcome.motion}: {outcome.measure}{note}", markup=False)
    for group in outcome.groups:
        interval = f"{group.mean.mean:.2f} ({group.mean.low:.2f} to {group.mean.high:.2f})"
        console.print(f"  {group.condition:<9} {interval}, {group.scores} scores", markup=False)
    test = f"F({anova.df_between}, {anova.df_within}) = {anova.f:.3g}, {p_value(anova.p)}"
    console.print(f"  {test}; by participants {p_value(outcome.by_participant)}", markup=False)
    console.print(
        f"  difference {difference.mean:+.2f} ({difference.low:+.2f} to {difference.high:+.2f})", markup=False
    )
    if outcome.unanswered:
        console.print(f"  {outcome.unanswered} trials have no score", markup=False)

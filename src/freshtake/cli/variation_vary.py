"""`freshtake vary`: new variants from a model."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from freshtake.cli.console import print_json, progress_bar, say, warn
from freshtake.cli.option_groups import (
    AMOUNTS,
    FEET,
    LOOP_TRAVEL,
    ONTO,
    Amounts,
    Feet,
    Length,
    LoopTravel,
    OntoCharacter,
    OutName,
    Output,
)
from freshtake.cli.options import GroundPath, Heading, Json, Seed, Unit, option_group
from freshtake.cli.outputs import KeepGoing, Seconds

if TYPE_CHECKING:
    from freshtake.variation.goals.goals import Goals
    from freshtake.workflows.variation_varying import Written


@option_group
class VariantsOutput(Output):
    """Where variants go."""

    out: Annotated[
        Path,
        OutName,
        Parameter(help="Folder for the variants, or a file: one.bvh with -n 1, all.fbx or .glb for all."),
    ]


@option_group
class Drawing:
    """How many variants are drawn, and from how wide a range."""

    count: Annotated[int, Parameter(name=["--count", "-n"], help="How many.")] = 15
    amounts: Amounts = AMOUNTS
    feet: Feet = FEET
    guard: Annotated[
        bool, Parameter(help="Redraw variants that no body could do, or that go too far beyond the takes.")
    ] = True
    cycles: Annotated[
        int | None, Parameter(help="Cycles in each variant of a cyclic model; default: by its length, or 1.")
    ] = None


@option_group
class VariantLength(Length):
    """How long variants are to be."""

    seconds: Annotated[Seconds, Parameter(name=["--seconds", "--duration"])] = None


@option_group
class GoalChoices:
    """What every variant has to do."""

    start: Annotated[str | None, Parameter(help="The pose to start with: FILE or FILE:FRAME.")] = None
    end: Annotated[str | None, Parameter(help="The pose to end with: FILE (its last frame) or FILE:FRAME.")] = None
    pose: Annotated[
        tuple[str, ...],
        Parameter(negative="", help="A pose at a time, FILE:FRAME@SECONDS (negative: before the end); repeatable."),
    ] = ()
    pins: Annotated[Path | None, Parameter(help="Joints at places, JSON or CSV; see the docs on planting.")] = None
    length: VariantLength = VariantLength()
    speed: Annotated[float | None, Parameter(help="Mean ground speed, in the clip's unit of length per second.")] = None
    heading: Heading = None
    path: GroundPath = None

    def goals(self) -> Goals:
        """As goals, with the files that they name."""
        from freshtake.workflows.goal_options import GoalOptions, goals_of

        return goals_of(GoalOptions(self.start, self.end, self.pose, self.pins, self.speed, self.heading, self.path))


@option_group
class Writing:
    """How variants are written."""

    loop: Annotated[
        bool, Parameter(negative="", help="Loops that play forever: the last frame leads into the first.")
    ] = False
    travel: LoopTravel = LOOP_TRAVEL
    onto: OntoCharacter = ONTO
    format: Annotated[str | None, Parameter(help="Ending of the files; default: as the examples (of AMC: bvh).")] = None
    unit: Unit = None
    keep_going: KeepGoing = False
    limits: Annotated[
        Path | None, Parameter(help="Limits of a robot's joints (CSV: joint,low,high), at which values stop.")
    ] = None


DRAWING, GOAL_CHOICES, WRITING = Drawing(), GoalChoices(), Writing()


def vary(
    model: Path,
    /,
    *,
    to: VariantsOutput,
    drawing: Drawing = DRAWING,
    wanted: GoalChoices = GOAL_CHOICES,
    writing: Writing = WRITING,
    seed: Seed = 0,
    json: Json = False,
) -> int:
    """Write new variants of the movement that a model has learned: variant_001, variant_002, ...

    The same seed gives the same variants, however many you make.

    **Examples**

    ```
    freshtake vary walk.ftm -n 15 -o variants/
    freshtake vary walk.ftm -n 1 -o one_walk.glb
    freshtake vary walk.ftm -n 50 -o walks.fbx
    freshtake vary jump.ftm -n 100 -o jumps/ --amount 1.2 --seed 3
    freshtake vary walk.ftm -n 5 -o long/ --cycles 4 --format glb
    freshtake vary walk.ftm -n 20 -o loops/ --loop --in-place --format glb
    freshtake vary reach.ftm -n 20 -o reaches/ --limits arm_limits.csv
    freshtake vary walk.ftm -n 20 -o hero_walks/ --character hero.glb
    freshtake vary cheer.ftm -o wild/ --part arms=1.5 --part legs=0.3
    freshtake vary throw.ftm -o throws/ --start idle.bvh:0 --end idle.bvh:0 --seconds 2.5
    ```

    Parameters
    ----------
    model
        A model that `freshtake learn` wrote.
    """
    from freshtake.workflows import variation_vary as run
    from freshtake.workflows.motion_finishing import Finish
    from freshtake.workflows.variation_varying import VariantOptions

    out, goals = to.prepare(), wanted.goals()
    with progress_bar() as report:
        result = run(
            model, out, drawing.count,
            options=VariantOptions(
                drawing.amounts.value(), drawing.cycles, wanted.length.value_or_none(), goals, drawing.guard,
                writing.loop, writing.limits, seed,
            ),
            finish=Finish(
                drawing.feet.value(), writing.travel.value(), writing.onto.value(), writing.unit, writing.format,
                writing.keep_going,
            ),
            report=report, warn=warn,
        )  # fmt: skip
    if json:
        print_json(_facts(result))
    else:
        _print(result)
    return 0


def _facts(written: Written) -> dict[str, Any]:
    return {
        "written": [str(path) for path in written.paths],
        "goals": [asdict(report) for report in written.reports],
        "guards": [report._asdict() for report in written.guards],
        "verdicts": [{"color": one.color, "remarks": one.sentences} for one in written.verdicts],
        **({"path": [followed._asdict() for followed in written.followed]} if written.followed else {}),
        **({"playback": written.playbacks} if any(written.playbacks) else {}),
    }


def _print(written: Written) -> None:
    from freshtake.motion.verdict import verdict_line
    from freshtake.workflows.path_following import path_sentence

    first, last, count = written.paths[0], written.paths[-1], len(written.reports)
    files = f"{count} variant{'s' * (count > 1)}: {first}" + (f" ... {last.name}" if first != last else "")
    say(f"wrote {files}")
    if written.verdicts:
        say(verdict_line(written.verdicts, f"{count} variant{'s' * (count > 1)}"))
    if written.followed and written.last is not None:
        say(path_sentence(written.followed, written.last))

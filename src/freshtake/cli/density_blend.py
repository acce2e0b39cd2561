"""`freshtake blend`: densities of several classes of motion, and motion that changes between them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from freshtake.cli.console import made_facts, print_json, progress_bar, say, say_made, warn
from freshtake.cli.option_groups import FINISHING, LENGTH, Finishing, Length, ModelOutput, OutName, Output, given
from freshtake.cli.options import GroundPath, Heading, Json, Seed, option_group
from freshtake.cli.reading import READING, Reading

if TYPE_CHECKING:
    from freshtake.density.control import Control
    from freshtake.density.settings import Settings

app = App(
    name="blend",
    help="Learn classes of motion (walk, run, skip) and synthesize motion that changes between them by weights.",
    help_format="markdown",
    group_commands="Commands",
)


@option_group
class Described:
    """What clips are described by, and how finely."""

    method: Annotated[
        str | None,
        Parameter(help="`default`: blends; `switch`: one class at a time; `paper`: to the letter; `aligned` (eq. 5)."),
    ] = None
    poses: Annotated[
        str | None,
        Parameter(
            help="What clips are described by: `positions` of joints, or their rotations as `expmap` or `euler`."
        ),
    ] = None
    energy: Annotated[
        float | None,
        Parameter(help="Share of the movement that is kept exactly, 0 to 1; default: 0.95 (energy of the eigenspace)."),
    ] = None
    modes: Annotated[int | None, Parameter(help="Or how many ways of moving together are kept (modes).")] = None
    alpha: Annotated[
        float | None, Parameter(help="How far around a pose others count as like it; default: 0.25 (kernel widths).")
    ] = None


@option_group
class Learning:
    """How classes are learned."""

    described: Described = Described()
    acyclic: Annotated[
        list[str] | None, Parameter(help="Classes that do not repeat in cycles; default: found from the takes.")
    ] = None
    residuals: Annotated[bool, Parameter(help="Keep the fine detail too, to be given back.")] = True
    alone: Annotated[bool, Parameter(negative="", help="Allow a single class, to be synthesized.")] = False
    common: Annotated[bool, Parameter(negative="", help="Use only the markers that all takes have.")] = False

    def settings(self) -> Settings:
        """As the model takes them."""
        from freshtake.density.settings import Settings

        return Settings(**given(self.described), residuals=self.residuals)


LEARNING = Learning()


@app.command
def learn(
    classes: Annotated[
        list[str], Parameter(help="NAME=CLIP or NAME=FOLDER; more clips of a class follow it, or repeat NAME=.")
    ],
    /,
    *,
    to: ModelOutput,
    learning: Learning = LEARNING,
    reading: Reading = READING,
    json: Json = False,
) -> int:
    """Learn two or more classes of motion, such as walk and run, to change between them later.

    **Examples**

    ```
    freshtake blend learn walk=walk.bvh run=run.bvh -o gait.ftm
    freshtake blend learn walk=w1.bvh w2.bvh skip=skip.bvh -o gait.ftm --energy 0.99
    freshtake blend learn walk=walk.c3d -o walk.ftm --alone
    ```
    """
    from freshtake.workflows import density_facts, density_learn, named_takes
    from freshtake.workflows.density_blending import ClassRules

    out = to.prepare()
    with progress_bar() as report:
        model = density_learn(
            named_takes(classes),
            out,
            learning.settings(),
            rules=ClassRules(
                alone=learning.alone, common=learning.common, cyclic=dict.fromkeys(learning.acyclic or (), False)
            ),
            reading=reading.options(),
            report=report,
            warn=warn,
        )
    facts = density_facts(model)
    if json:
        print_json({"written": str(out), **facts})
        return 0
    class_counts = ", ".join(f"{name} ({count} frames)" for name, count in facts["kernels"].items())
    how = "blended into one another" if facts["blends"] else "changed between, one at a time"
    say(
        f"wrote {out}: {class_counts}, {how}; next: freshtake blend sample {out} --seconds 6 -o new.bvh --weights "
        f'"{model.classes[0]}:1->{model.classes[-1]}:1"',
    )
    return 0


@option_group
class Blending:
    """Which class is followed when, and where the motion goes."""

    weights: Annotated[
        str | None,
        Parameter(
            help='"walk:1", "walk:0.7,run:0.3", "walk:1->run:1": linear from first to last frame. Default: the '
            "first class."
        ),
    ] = None
    method: Annotated[
        str | None,
        Parameter(help="`default`, `switch`, `paper` or `aligned`, as in `blend learn`; default: as learned."),
    ] = None
    noise: Annotated[
        float | None, Parameter(help="Let poses vary smoothly; 0 is not at all, 1 is a lot (in kernel widths).")
    ] = None
    speed: Annotated[
        float | None,
        Parameter(help="Lengths per second over the ground; chooses the weights, between those of classes."),
    ] = None
    turn: Annotated[float | None, Parameter(help="Turn by this many degrees per second, to the left.")] = None
    heading: Heading = None
    path: GroundPath = None
    residuals: Annotated[bool, Parameter(help="Give back the fine detail.")] = True

    def control(self) -> Control | None:
        """How fast and where the motion goes; None where no such option is given."""
        from freshtake.workflows.density_blending import control_of

        return control_of(self.speed, self.turn, self.heading, self.path)


BLENDING = Blending()


@app.command
def sample(
    model: Path,
    /,
    *,
    to: Output,
    length: Length = LENGTH,
    blending: Blending = BLENDING,
    finishing: Finishing = FINISHING,
    seed: Seed = 0,
    json: Json = False,
) -> int:
    """Synthesize motion whose class follows weights over time.

    **Examples**

    ```
    freshtake blend sample gait.ftm --weights "walk:1->run:1" --frames 240 -o walk_to_run.bvh
    freshtake blend sample gait.ftm --weights "walk:1->run:1->walk:1" --frames 900 -o there_and_back.bvh
    freshtake blend sample gait.ftm --weights "walk:0.5,run:0.5" --frames 300 -o jog.bvh
    freshtake blend sample gait.ftm --weights "walk:1->run:1" --method switch --frames 240 -o change.bvh
    freshtake blend sample gait.ftm --speed 180 --path way.csv --frames 900 -o along_the_way.bvh
    ```

    Parameters
    ----------
    model
        A model that `freshtake blend learn` wrote.
    """  # fmt: skip
    from freshtake.workflows import density_sample
    from freshtake.workflows.density_blending import BlendOptions

    out = to.prepare()
    with progress_bar() as report:
        result = density_sample(
            model, out, length.value(),
            options=BlendOptions(
                blending.weights, blending.method, blending.noise, blending.residuals, blending.control(), seed
            ),
            finish=finishing.value(), report=report, warn=warn,
        )  # fmt: skip
    if json:
        print_json(made_facts(result))
    else:
        say_made(result)
    return 0


@option_group
class PageOutput(Output):
    """Where a page goes."""

    out: Annotated[Path, OutName, Parameter(help="A page (.html) or a folder.")]


@app.command(name="report")
def write_page(
    model: Path,
    /,
    *,
    to: PageOutput,
    seed: Seed = 0,
    json: Json = False,
) -> int:
    """Draw a model: modes, sine fits, densities, synthesized paths, strips of figures, and how long synthesis holds.

    **Examples**

    ```
    freshtake blend report gait.ftm -o gait.html
    ```

    Parameters
    ----------
    model
        A model that `freshtake blend learn` wrote.
    """
    from freshtake.workflows import density_report

    out = to.prepare()
    with progress_bar() as report:
        written = density_report(model, out, seed=seed, report=report)
    if json:
        print_json({"written": [str(path) for path in written]})
    else:
        say("wrote " + ", ".join(map(str, written)))
    return 0

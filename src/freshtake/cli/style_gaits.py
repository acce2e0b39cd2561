"""`freshtake style gaits learn` and `sample`: style and speed as two sliders."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from freshtake.cli.console import output, print_json, progress_bar, say
from freshtake.cli.option_groups import LENGTH, ONTO, Length, ModelOutput, OntoCharacter, Output
from freshtake.cli.options import Json, Unit, option_group
from freshtake.cli.reading import READING, Reading

app = App(name="gaits", help="Style and speed as two sliders, from one clip of every style at every speed.")


@app.command
def learn(
    cells: Annotated[list[str], Parameter(help="STYLE@SPEED=CLIP, for every style at every speed.")],
    /,
    *,
    to: ModelOutput,
    ranks: Annotated[
        tuple[int, int] | None, Parameter(help="How many coordinates styles and speeds have; default: all.")
    ] = None,
    reading: Reading = READING,
    json: Json = False,
) -> int:
    """Learn style and speed of a gait as two sliders, from one clip of every style at every speed.

    A clip holds one cycle or more, of which the steadiest is taken. The first clip given is the clock of all.

    **Examples**

    ```
    freshtake style gaits learn normal@0.9=a.bvh normal@1.7=b.bvh crouch@0.9=c.bvh crouch@1.7=d.bvh -o gaits.ftm
    ```
    """
    from freshtake.workflows import gaits_facts, gaits_learn

    out = to.prepare()
    with progress_bar() as bar:
        model = gaits_learn(cells, out, ranks=ranks, reading=reading.options(), report=bar)
    if json:
        print_json({"written": str(out), **gaits_facts(model)})
        return 0
    console = output()
    styles, speeds = (", ".join(map(str, levels)) for levels in (model.styles, model.speeds))
    console.print(f"{styles} at {speeds}, {model.code.frames} frames per cycle", markup=False, highlight=False)
    console.print(f"wrote {out}", markup=False)
    return 0


@option_group
class Walking:
    """Which walk is made, and how much of it."""

    style: Annotated[str, Parameter(help="A style, or weights that sum to 1: normal=0.5,crouch=0.5.")]
    speed: Annotated[str, Parameter(help="A speed; where all are numbers any number, between them or beyond.")]
    cycles: Annotated[int, Parameter(help="How many cycles, where no length is given.")] = 4
    length: Length = LENGTH


@option_group
class WalkOutput(Output):
    """Where the walk goes."""

    out: Annotated[Path, Parameter(name=["--out", "-o"], help="The clip to write.")]


@app.command
def sample(
    model: Path,
    /,
    *,
    walk: Walking,
    to: WalkOutput,
    onto: OntoCharacter = ONTO,
    unit: Unit = None,
    json: Json = False,
) -> int:
    """Write a walk in any mixture of the model's styles and speeds; its end meets its start.

    **Examples**

    ```
    freshtake style gaits sample gaits.ftm --style crouch --speed 1.3 -o walk.bvh
    freshtake style gaits sample gaits.ftm --style normal=1.3,crouch=-0.3 --speed 2.0 --cycles 10 -o walk.bvh
    ```
    """
    from freshtake.workflows import gaits_sample
    from freshtake.workflows.style_gaits_making import Walk

    out, length = to.prepare(), walk.length.value_or_none()
    with progress_bar():
        clip = gaits_sample(
            model, out, Walk(walk.style, walk.speed, walk.cycles, length), unit_m=unit, onto=onto.value(),
        )  # fmt: skip
    if json:
        print_json({"frames": len(clip), **({"cycles": walk.cycles} if length is None else {}), "written": str(out)})
        return 0
    say(f"wrote {out}: {len(clip)} frames")
    return 0

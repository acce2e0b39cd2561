"""`freshtake stream`: endless motion from a cyclic model, as long as asked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cyclopts import Parameter

from freshtake.cli.console import made_facts, print_json, progress_bar, say_made, warn
from freshtake.cli.option_groups import (
    AMOUNTS,
    FEET,
    LENGTH,
    ONTO,
    TRAVEL,
    Amounts,
    Feet,
    Length,
    OntoCharacter,
    Output,
    Travel,
)
from freshtake.cli.options import GroundPath, Heading, Json, Seed, Unit


@Parameter(name="*")
@dataclass(frozen=True)
class Streaming:
    """What the motion is like, and how it is written."""

    length: Length = LENGTH
    amounts: Amounts = AMOUNTS
    feet: Feet = FEET
    heading: Heading = None
    path: GroundPath = None
    travel: Travel = TRAVEL
    onto: OntoCharacter = ONTO
    unit: Unit = None
    seed: Seed = 0


STREAMING = Streaming()


def stream(model: Path, /, *, to: Output, asked: Streaming = STREAMING, json: Json = False) -> int:
    """Write one motion that goes on without repeating itself, from a model of a cyclic movement.

    **Examples**

    ```
    freshtake stream walk.ftm --frames 3600 -o walk_60s.bvh
    freshtake stream walk.ftm --seconds 60 -o walk_60s.glb
    freshtake stream swim.ftm --frames 20000 -o swim.npz --amount 0.5
    freshtake stream walk.ftm --frames 3600 -o straight.bvh --heading 0
    freshtake stream walk.ftm --frames 3600 -o round_the_house.bvh --path way.csv
    ```

    Parameters
    ----------
    model
        A model that `freshtake learn` wrote.
    """
    from freshtake.workflows import variation_stream as run
    from freshtake.workflows.motion_delivering import playback_summary
    from freshtake.workflows.variation_asking import Asked, goals_of

    out = to.prepare()
    steer = goals_of(Asked(heading=asked.heading, path=asked.path)).steer
    with progress_bar() as report:
        made = run(
            model, out, asked.length.asked(),
            amount=asked.amounts.asked(), steer=steer, plant=asked.feet.asked(), delivery=asked.travel.asked(),
            onto=asked.onto.asked(), unit_m=asked.unit, seed=asked.seed, report=report, warn=warn,
        )  # fmt: skip
    if json:
        found = playback_summary(made.motion)
        print_json({**made_facts(made), **({} if found is None else {"playback": found})})
    else:
        say_made(made)
    return 0

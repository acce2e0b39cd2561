"""`freshtake vary`: new variants from a model."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from freshtake.cli.console import output, print_json, progress_bar, warn
from freshtake.cli.options import (
    Amount,
    AmountOfTime,
    BodyMaps,
    Character,
    ClosingFrame,
    GroundPath,
    Heading,
    InPlace,
    Json,
    Lock,
    Parts,
    Plant,
    RootMotion,
    Seed,
    Unit,
)
from freshtake.cli.outputs import Force, Frames, Seconds, prepare


def vary(
    model: Path,
    /,
    *,
    out: Annotated[
        Path,
        Parameter(
            name=["--out", "-o"], help="Folder for the variants, or a file: one.bvh with -n 1, all.fbx or .glb for all."
        ),
    ],
    force: Force = False,
    count: Annotated[int, Parameter(name=["--count", "-n"], help="How many.")] = 15,
    amount: Amount = 1.0,
    amount_time: AmountOfTime = None,
    part: Parts = (),
    plant: Plant = True,
    lock: Lock = "soft",
    guard: Annotated[bool, Parameter(help="Draw again what a body cannot do or does in no take.")] = True,
    cycles: Annotated[
        int | None, Parameter(help="Cycles in each variant of a cyclic model; default: by its length, or 1.")
    ] = None,
    start: Annotated[str | None, Parameter(help="The pose to start with: FILE or FILE:FRAME.")] = None,
    end: Annotated[str | None, Parameter(help="The pose to end with: FILE (its last frame) or FILE:FRAME.")] = None,
    pose: Annotated[
        tuple[str, ...],
        Parameter(negative="", help="A pose at a time, FILE:FRAME@SECONDS (negative: before the end); repeatable."),
    ] = (),
    pins: Annotated[Path | None, Parameter(help="Joints at places, JSON or CSV; see the docs on planting.")] = None,
    frames: Frames = None,
    seconds: Annotated[Seconds, Parameter(name=["--seconds", "--duration"])] = None,
    speed: Annotated[
        float | None, Parameter(help="Mean speed over the ground, in the clip's lengths a second.")
    ] = None,
    heading: Heading = None,
    path: GroundPath = None,
    loop: Annotated[
        bool, Parameter(negative="", help="Loops that play for ever: the last frame leads into the first.")
    ] = False,
    closing_frame: ClosingFrame = False,
    root_motion: RootMotion = None,
    in_place: InPlace = False,
    character: Character = None,
    body_map: BodyMaps = None,
    format: Annotated[
        str | None, Parameter(help="Ending of the files; default: as the examples (of AMC: bvh).")
    ] = None,
    unit: Unit = None,
    limits: Annotated[
        Path | None, Parameter(help="Limits of a robot's joints (joint,low,high) at which its table stops.")
    ] = None,
    seed: Seed = 0,
    json: Json = False,
) -> int:
    """Write new variants of the movement that a model has learned: variant_001, variant_002, ...

    The same seed gives the same variants, however many are asked for.

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
    from freshtake.workflows.length_asking import length_asked
    from freshtake.workflows.motion_delivering import delivery_asked
    from freshtake.workflows.motion_retargeting import character_asked
    from freshtake.workflows.path_following import path_sentence
    from freshtake.workflows.variation_asking import Asked, amount_asked, goals_of

    prepare(out, force=force)
    length = None if frames is None and seconds is None else length_asked(frames, seconds)
    much = amount_asked(amount, amount_time, part)
    goals = goals_of(Asked(start, end, pose, pins, speed, heading, path))
    delivery = delivery_asked(root_motion, in_place, closing_frame)
    onto = character_asked(character, body_map, warn)
    with progress_bar() as report:
        made = run(
            model, out, count,
            amount=much, cycles=cycles, goals=goals, plant=plant and lock, guard=guard, ending=format, unit_m=unit,
            limits=limits, length=length, seed=seed, loop=loop, delivery=delivery, onto=onto, report=report, warn=warn,
        )  # fmt: skip
    if json:
        print_json(
            {
                "written": [str(path) for path in made.paths],
                "goals": [asdict(report) for report in made.reports],
                "guards": [report._asdict() for report in made.guards],
                **({"path": [found._asdict() for found in made.followed]} if made.followed else {}),
                **({"playback": made.playbacks} if any(made.playbacks) else {}),
            }
        )
    else:
        first, last, count = made.paths[0], made.paths[-1], len(made.reports)
        files = f"{count} variant{'s' * (count > 1)}: {first}" + (f" ... {last.name}" if first != last else "")
        output().print(f"wrote {files}", markup=False)
        if made.followed and made.last is not None:
            output().print(path_sentence(made.followed, made.last), markup=False)
    return 0

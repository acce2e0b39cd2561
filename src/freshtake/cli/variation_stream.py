"""`freshtake stream`: endless motion from a cyclic model, as long as asked."""

from __future__ import annotations

from pathlib import Path

from freshtake.cli.console import in_words, output, print_json, progress_bar, warn
from freshtake.cli.options import (
    Amount,
    AmountOfTime,
    BodyMaps,
    Character,
    GroundPath,
    Heading,
    InPlace,
    Json,
    Lock,
    Out,
    Parts,
    Plant,
    RootMotion,
    Seed,
    Unit,
)
from freshtake.cli.outputs import Force, Frames, Seconds, prepare


def stream(
    model: Path,
    /,
    *,
    out: Out,
    force: Force = False,
    frames: Frames = None,
    seconds: Seconds = None,
    amount: Amount = 1.0,
    amount_time: AmountOfTime = None,
    part: Parts = (),
    plant: Plant = True,
    lock: Lock = "soft",
    heading: Heading = None,
    path: GroundPath = None,
    root_motion: RootMotion = None,
    in_place: InPlace = False,
    character: Character = None,
    body_map: BodyMaps = None,
    unit: Unit = None,
    seed: Seed = 0,
    json: Json = False,
) -> int:
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
    from freshtake.workflows.length_asking import length_asked
    from freshtake.workflows.motion_delivering import delivery_asked, playback_summary
    from freshtake.workflows.motion_retargeting import character_asked
    from freshtake.workflows.path_following import path_sentence
    from freshtake.workflows.variation_asking import Asked, amount_asked, goals_of

    prepare(out, force=force)
    steer = goals_of(Asked(heading=heading, path=path)).steer
    much = amount_asked(amount, amount_time, part)
    with progress_bar() as report:
        made = run(
            model, out, length_asked(frames, seconds),
            amount=much, steer=steer, plant=plant and lock, delivery=delivery_asked(root_motion, in_place),
            onto=character_asked(character, body_map, warn), unit_m=unit, seed=seed, report=report, warn=warn,
        )  # fmt: skip
    if json:
        found = playback_summary(made.motion)
        told = {"written": str(made.path), "frames": len(made.motion), "duration_s": made.motion.duration}
        way = {} if made.followed is None else {"path": made.followed._asdict()}
        print_json({**told, **way, **({} if found is None else {"playback": found})})
    else:
        output().print(f"wrote {made.path}: {in_words(made.motion)}", markup=False)
        if made.followed is not None:
            output().print(path_sentence([made.followed], made.motion), markup=False)
    return 0

"""`freshtake stream`: endless motion from a cyclic model, into a file of a given length, or live to avatars."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

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
    Parts,
    Plant,
    RootMotion,
    Seed,
    Unit,
)
from freshtake.cli.outputs import Force, Frames, KeepGoing, Seconds, prepare
from freshtake.errors import UsageError


def stream(
    model: Path,
    /,
    *,
    out: Annotated[Path | None, Parameter(name=["--out", "-o"], help="Where the result goes.")] = None,
    live: Annotated[str | None, Parameter(help="Send it live to avatars instead: vmc://127.0.0.1:39539.")] = None,
    host: Annotated[bool, Parameter(negative="", help="Send to, and listen to, other machines too.")] = False,
    listen: Annotated[
        int | None, Parameter(help="Port for OSC messages that steer the live motion, such as /freshtake/amount 0.5.")
    ] = None,
    speed: Annotated[float, Parameter(help="How fast live motion is played, 0.1 to 4.")] = 1.0,
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
    keep_going: KeepGoing = False,
    seed: Seed = 0,
    json: Json = False,
) -> int:
    """Write one motion that goes on without repeating itself, from a model of a cyclic movement; or send it live.

    With --live it goes to VRM apps and engines by the VMC protocol, 60 poses a second, until --seconds are over or q is
    pressed; models of blends and textures can be sent too. Keys: + - amount, w s speed, a d heading, f free heading.

    **Examples**

    ```
    freshtake stream walk.ftm --frames 3600 -o walk_60s.bvh
    freshtake stream walk.ftm --seconds 60 -o walk_60s.glb
    freshtake stream swim.ftm --frames 20000 -o swim.npz --amount 0.5
    freshtake stream walk.ftm --frames 3600 -o straight.bvh --heading 0
    freshtake stream walk.ftm --frames 3600 -o round_the_house.bvh --path way.csv
    freshtake stream walk.ftm --live vmc://127.0.0.1:39539
    freshtake stream walk.ftm --live vmc://127.0.0.1:39539 --seconds 60 --in-place --listen 39541 --json
    ```

    Parameters
    ----------
    model
        A model that `freshtake learn` wrote.
    """
    if live is not None:
        from freshtake.cli.live_session import Session, send_live

        unused: dict[str, object] = {
            "-o": out,
            "--frames": frames,
            "--path": path,
            "--character": character,
            "--map": body_map,
        }
        unused |= {"--root-motion": root_motion, "--amount-time": amount_time, "--part": part or None}
        return send_live(
            model, live, Session(unused, host, listen, seconds, amount, speed, heading, in_place, keep_going),
            plant=plant and lock, unit_m=unit, seed=seed, json=json,
        )  # fmt: skip
    if out is None:
        raise UsageError("name where the motion goes: -o FILE, or --live vmc://127.0.0.1:39539")
    if listen is not None or host or speed != 1.0:
        raise UsageError("--listen, --host and --speed belong to --live vmc://...: add it, or leave them out")
    from freshtake.motion.verdict import verdict_line
    from freshtake.workflows import variation_stream as run
    from freshtake.workflows.goal_options import GoalOptions, amount_from, goals_of
    from freshtake.workflows.lengths import length_of
    from freshtake.workflows.motion_delivering import chosen_delivery, playback_summary
    from freshtake.workflows.motion_retargeting import chosen_character
    from freshtake.workflows.path_following import path_sentence

    prepare(out, force=force)
    steer = goals_of(GoalOptions(heading=heading, path=path)).steer
    amounts = amount_from(amount, amount_time, part)
    with progress_bar() as report:
        result = run(
            model, out, length_of(frames, seconds),
            amount=amounts, steer=steer, plant=plant and lock, delivery=chosen_delivery(root_motion, in_place),
            onto=chosen_character(character, body_map, warn), unit_m=unit, keep_going=keep_going, seed=seed,
            report=report, warn=warn,
        )  # fmt: skip
    if json:
        playback = playback_summary(result.motion)
        facts = {"written": str(result.path), "frames": len(result.motion), "duration_s": result.motion.duration}
        way = {} if result.followed is None else {"path": result.followed._asdict()}
        checks = {"verdicts": [{"color": one.color, "remarks": one.sentences} for one in result.verdicts]}
        print_json({**facts, **checks, **way, **({} if playback is None else {"playback": playback})})
    else:
        output().print(f"wrote {result.path}: {in_words(result.motion)}", markup=False)
        if result.verdicts:
            output().print(verdict_line(result.verdicts, "it"), markup=False)
        if result.followed is not None:
            output().print(path_sentence([result.followed], result.motion), markup=False)
    return 0

"""`freshtake pack`: groups of variants for engines, any of which follows any other of its group."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from freshtake.cli.console import output, print_json, progress_bar, warn
from freshtake.cli.options import Amount, BodyMaps, Character, InPlace, Json, Plant, Seed, Unit
from freshtake.cli.outputs import Force, KeepGoing, prepare


def pack(
    models: list[str],
    /,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"], help="Folder for the pack.")],
    force: Force = False,
    count: Annotated[int, Parameter(name=["--count", "-n"], help="How many clips of each model.")] = 12,
    format: Annotated[
        list[str] | None,
        Parameter(consume_multiple=True, negative="", help="Formats, such as fbx glb usd bvh; default: glb."),
    ] = None,
    character: Character = None,
    body_map: BodyMaps = None,
    root_motion: Annotated[
        Literal["hips", "joint", "none", "both"] | None,
        Parameter(
            help="Where the travel is: hips (default), joint (a root joint above them), none (in place), both (files "
            "with a root joint, and files in place)."
        ),
    ] = None,
    in_place: InPlace = False,
    beat: Annotated[
        float | None, Parameter(help="Seconds of a beat: every clip lasts a whole number of beats.")
    ] = None,
    cycles: Annotated[int | None, Parameter(help="Cycles in each clip of a cyclic model; default: 1.")] = None,
    closing_frame: Annotated[
        bool, Parameter(help="Repeat the first frame at the end of each clip, for players that go by time.")
    ] = True,
    amount: Amount = 1.0,
    plant: Plant = True,
    guard: Annotated[
        bool, Parameter(help="Redraw variants that no body could do, or that go too far beyond the takes.")
    ] = True,
    keep: Annotated[
        Path | None, Parameter(help="stars.json from the preview page: rejected clips are redrawn, the others stay.")
    ] = None,
    only: Annotated[str | None, Parameter(help="Make only this clip of the pack, by its name.")] = None,
    preview: Annotated[bool, Parameter(help="Write the contact sheet and the preview page.")] = True,
    unit: Unit = None,
    keep_going: KeepGoing = False,
    seed: Seed = 0,
    json: Json = False,
) -> int:
    """Write a pack of variants: loops that share their first and last pose, so that any can follow any other.

    The folder gets one file per model and format (one per clip in bvh), `pack.json` with every clip's seed, speed,
    footprints and quality, a contact sheet `sheet.png` and `preview.html`, where you star and reject clips.

    **Examples**

    ```
    freshtake pack walk.ftm -n 20 -o pack/
    freshtake pack idle=standing.ftm walk.ftm run.ftm -o pack/ --character hero.glb --format fbx glb usd bvh
    freshtake pack walk.ftm -n 50 -o pack/ --root-motion both --beat 0.5
    freshtake pack walk.ftm -n 20 -o second/ --keep stars.json
    freshtake pack walk.ftm -n 20 -o one/ --only walk_007
    ```

    Parameters
    ----------
    models
        Models that `freshtake learn` wrote, each as MODEL or NAME=MODEL; the name is that of the group and its files.
    """
    from freshtake.motion.verdict import verdict_line
    from freshtake.workflows import variation_pack as run
    from freshtake.workflows.motion_delivering import chosen_delivery
    from freshtake.workflows.motion_retargeting import chosen_character
    from freshtake.workflows.pack_contents import PackSettings

    prepare(out, force=force)
    where = chosen_delivery(root_motion, in_place).root_motion
    settings = PackSettings(amount, cycles, beat, where, closing_frame, plant, guard)
    onto = chosen_character(character, body_map, warn)
    with progress_bar() as report:
        result = run(
            models, out, count,
            formats=format or ("glb",), settings=settings, onto=onto, keep=keep, only=only, preview=preview,
            unit_m=unit, keep_going=keep_going, seed=seed, report=report, warn=warn,
        )  # fmt: skip
    if json:
        verdicts = [{"color": one.color, "remarks": one.sentences} for one in result.verdicts]
        print_json({"written": [str(path) for path in result.paths], **result.facts, "verdicts": verdicts})
    else:
        clips, groups = len(result.facts["clips"]), len(result.facts["groups"])
        what = f"{clips} clip{'s' * (clips > 1)} in {groups} group{'s' * (groups > 1)}"
        output().print(f"wrote {out}: {what}, {len(result.paths)} files", markup=False)
        output().print(verdict_line(result.verdicts, f"{clips} clip{'s' * (clips > 1)}"), markup=False)
    return 0

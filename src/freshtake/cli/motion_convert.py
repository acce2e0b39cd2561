"""`freshtake convert`: any readable format to any writable one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from freshtake.cli.console import output, print_json, warn
from freshtake.cli.options import (
    Animation,
    BodyMaps,
    Character,
    InPlace,
    Json,
    Mesh,
    RootMotion,
    SkeletonFile,
    SourceFps,
    Unit,
    Up,
)
from freshtake.cli.outputs import Force, prepare
from freshtake.errors import UsageError


def convert(
    paths: list[Path],
    /,
    *,
    fps: Annotated[float | None, Parameter(help="Resample to this rate; for files without a rate, their rate.")] = None,
    start: Annotated[str | None, Parameter(help="First frame (from 0), or a time such as 1.5s.")] = None,
    end: Annotated[str | None, Parameter(help="Frame (or time) to stop before.")] = None,
    skeleton: SkeletonFile = None,
    source_fps: SourceFps = None,
    unit: Unit = None,
    source_up: Up = None,
    up: Annotated[str | None, Parameter(help="Turn the result so that y or z points up.")] = None,
    animation: Animation = None,
    mesh: Mesh = False,
    character: Character = None,
    body_map: BodyMaps = None,
    repair: Annotated[
        list[str] | None,
        Parameter(consume_multiple=True, negative="", help="Named repairs, in order; `info` says which."),
    ] = None,
    root_motion: RootMotion = None,
    in_place: InPlace = False,
    force: Force = False,
    json: Json = False,
) -> int:
    """Convert IN to OUT; the ending of OUT says the format. Nothing is repaired unless asked for.

    **Examples**

    ```
    freshtake convert take.amc take.bvh --skeleton 35.asf --fps 60
    freshtake convert walk.bvh walk.glb --unit 0.0564 --start 10 --end 2.5s
    freshtake convert a.bvh b.bvh both.fbx --unit 0.01
    freshtake convert raw.bvh clean.bvh --repair drop-tpose unwrap
    ```

    Parameters
    ----------
    paths
        IN and OUT; several IN only for glTF, FBX and USD, as named animations of one file.
    """
    from freshtake.workflows import motion_convert as run
    from freshtake.workflows.motion_delivering import delivery_asked, playback_summary
    from freshtake.workflows.motion_retargeting import character_asked

    if len(paths) < 2:
        raise UsageError("convert takes IN and OUT: name the file to read and the file to write")
    *sources, target = paths
    prepare(target, force=force)
    rate = fps if source_fps is None else source_fps
    reading = {"skeleton": skeleton, "fps": rate, "unit_m": unit, "up": source_up, "animation": animation, "mesh": mesh}
    made = run(
        sources,
        target,
        reading={**reading, "warn": warn},
        fps=fps,
        start=start,
        end=end,
        up=up,
        unit_m=unit,
        onto=character_asked(character, body_map, warn),
        repairs=repair or [],
        delivery=delivery_asked(root_motion, in_place),
    )
    if json:
        told = {"written": str(target), "from": [str(s) for s in sources], "frames": [len(m) for m in made]}
        found = [playback_summary(motion) for motion in made]
        print_json({**told, "playback": found} if any(found) else told)
    else:
        output().print(f"wrote {target}: {', '.join(map(repr, made))}", markup=False)
    return 0

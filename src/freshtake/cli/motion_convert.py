"""`freshtake convert`: any readable format to any writable one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from freshtake.cli.console import in_words, output, print_json, progress_bar, warn
from freshtake.cli.options import (
    Animation,
    BodyMaps,
    Character,
    Ending,
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
from freshtake.cli.reading import files
from freshtake.errors import UsageError


def convert(
    paths: list[Path],
    /,
    *,
    out: Annotated[
        Path | None, Parameter(name=["--out", "-o"], help="The file to write, or a folder: then every path is read.")
    ] = None,
    format: Ending = None,
    fps: SourceFps = None,
    start: Annotated[str | None, Parameter(help="First frame (from 0), or a time such as 1.5s.")] = None,
    end: Annotated[str | None, Parameter(help="Frame (or time) to stop before.")] = None,
    skeleton: SkeletonFile = None,
    source_fps: Annotated[
        float | None, Parameter(help="Frames per second of files that do not say it, where --fps resamples them.")
    ] = None,
    unit: Unit = None,
    up: Up = None,
    to_up: Annotated[str | None, Parameter(help="Turn the result so that y or z points up.")] = None,
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
    freshtake convert takes/ -o glb/ --format glb --unit cm
    freshtake convert raw.bvh clean.bvh --repair drop-tpose unwrap
    ```

    Parameters
    ----------
    paths
        IN and OUT; several IN go into one glTF, FBX or USD file as named animations, or with -o into a folder.
    """
    from freshtake.workflows import motion_convert as run
    from freshtake.workflows.motion_delivering import delivery_asked, playback_summary
    from freshtake.workflows.motion_retargeting import character_asked

    if out is None:
        if len(paths) < 2:
            raise UsageError("convert takes IN and OUT: name the file to read and the file to write")
        *paths, out = paths
    prepare(out, force=force)
    rate = fps if source_fps is None else source_fps
    reading = {"skeleton": skeleton, "fps": rate, "unit_m": unit, "up": up, "animation": animation, "mesh": mesh}
    with progress_bar() as report:
        made = run(
            files(paths), out, reading={**reading, "warn": warn}, fps=fps, start=start, end=end, up=to_up, unit_m=unit,
            onto=character_asked(character, body_map, warn), repairs=repair or [],
            delivery=delivery_asked(root_motion, in_place), ending=format, report=report,
        )  # fmt: skip
    if json:
        told = {
            "written": str(out) if len(made.paths) == 1 and made.paths[0] == out else [str(p) for p in made.paths],
            "from": [str(s) for s in made.sources],
            "frames": [len(m) for m in made.motions],
        }
        found = [playback_summary(motion) for motion in made.motions]
        print_json({**told, "playback": found} if any(found) else told)
    elif len(made.paths) == 1:
        several = len(made.motions) > 1
        said = "; ".join((f"{motion.name!r} " if several else "") + in_words(motion) for motion in made.motions)
        output().print(f"wrote {made.paths[0]}: {said}", markup=False)
    else:
        for path, motion in zip(made.paths, made.motions, strict=True):
            output().print(f"wrote {path}: {in_words(motion)}", markup=False)
    return 0

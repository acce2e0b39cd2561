"""`freshtake convert`: any readable format to any writable one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from freshtake.cli.console import in_words, print_json, progress_bar, say, warn
from freshtake.cli.option_groups import ONTO, TRAVEL, OntoCharacter, Travel
from freshtake.cli.options import Animation, Ending, Json, Mesh, SkeletonFile, SourceFps, Unit, Up, option_group
from freshtake.cli.outputs import Force, prepare
from freshtake.cli.reading import files
from freshtake.errors import UsageError


@option_group
class Piece:
    """Which frames are written, at which rate, in which format."""

    format: Ending = None
    fps: SourceFps = None
    start: Annotated[str | None, Parameter(help="First frame (from 0), or a time such as 1.5s.")] = None
    end: Annotated[str | None, Parameter(help="Frame (or time) to stop before.")] = None


@option_group
class Source:
    """How files are read, and which axis points up afterwards."""

    skeleton: SkeletonFile = None
    source_fps: Annotated[
        float | None, Parameter(help="Frames per second of files that do not state it, where --fps resamples them.")
    ] = None
    unit: Unit = None
    up: Up = None
    to_up: Annotated[str | None, Parameter(help="Turn the result so that y or z points up.")] = None
    animation: Animation = None
    mesh: Mesh = False

    def options(self, fps: float | None) -> dict[str, Any]:
        """As arguments of `freshtake.read`; `fps` is the rate where no other is given."""
        return {
            "skeleton": self.skeleton, "fps": fps if self.source_fps is None else self.source_fps, "unit_m": self.unit,
            "up": self.up, "animation": self.animation, "mesh": self.mesh, "warn": warn,
        }  # fmt: skip


@option_group
class Changes:
    """What is done to motions on the way."""

    onto: OntoCharacter = ONTO
    repair: Annotated[
        list[str] | None,
        Parameter(consume_multiple=True, negative="", help="Named repairs, in order; `info` suggests them."),
    ] = None
    travel: Travel = TRAVEL


PIECE, SOURCE, CHANGES = Piece(), Source(), Changes()


def convert(
    paths: list[Path],
    /,
    *,
    out: Annotated[
        Path | None, Parameter(name=["--out", "-o"], help="The file to write, or a folder; then all PATHS are read.")
    ] = None,
    piece: Piece = PIECE,
    source: Source = SOURCE,
    changes: Changes = CHANGES,
    force: Force = False,
    json: Json = False,
) -> int:
    """Convert IN to OUT; the ending of OUT gives the format. Nothing is repaired without --repair.

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
    from freshtake.workflows.motion_converting import ConvertOptions
    from freshtake.workflows.motion_delivering import playback_summary
    from freshtake.workflows.motion_finishing import Finish

    if out is None:
        if len(paths) < 2:
            raise UsageError("convert takes IN and OUT: name the file to read and the file to write")
        *paths, out = paths
    prepare(out, force=force)
    with progress_bar() as report:
        result = run(
            files(paths),
            out,
            finish=Finish(unit_m=source.unit, onto=changes.onto.value(), delivery=changes.travel.value()),
            options=ConvertOptions(
                fps=piece.fps, start=piece.start, end=piece.end, up=source.to_up, repairs=changes.repair or []
            ),
            reading=source.options(piece.fps),
            ending=piece.format,
            report=report,
        )
    if json:
        facts = {
            "written": str(out)
            if len(result.paths) == 1 and result.paths[0] == out
            else [str(p) for p in result.paths],
            "from": [str(s) for s in result.sources],
            "frames": [len(m) for m in result.motions],
        }
        playbacks = [playback_summary(motion) for motion in result.motions]
        print_json({**facts, "playback": playbacks} if any(playbacks) else facts)
    elif len(result.paths) == 1:
        several = len(result.motions) > 1
        lengths = "; ".join((f"{motion.name!r} " if several else "") + in_words(motion) for motion in result.motions)
        say(f"wrote {result.paths[0]}: {lengths}")
    else:
        for path, motion in zip(result.paths, result.motions, strict=True):
            say(f"wrote {path}: {in_words(motion)}")
    return 0

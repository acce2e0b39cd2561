"""`freshtake loop`: a clip that plays for ever."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from freshtake.cli.console import output, print_json, warn
from freshtake.cli.options import BodyMaps, Character, ClosingFrame, InPlace, Json, Lock, Plant, RootMotion
from freshtake.cli.outputs import Force, prepare
from freshtake.cli.reading import SOURCE_READING, SourceReading
from freshtake.errors import UsageError


def loop(
    clip: Path,
    /,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"], help="The file to write.")],
    force: Force = False,
    cycles: Annotated[int | None, Parameter(help="Cycles in the loop; default: 1.")] = None,
    whole: Annotated[bool, Parameter(negative="", help="The clip as a whole is one cycle: cut nothing off.")] = False,
    plant: Plant = True,
    lock: Lock = "soft",
    closing_frame: ClosingFrame = False,
    root_motion: RootMotion = None,
    in_place: InPlace = False,
    character: Character = None,
    body_map: BodyMaps = None,
    reading: SourceReading = SOURCE_READING,
    json: Json = False,
) -> int:
    """Make a loop of a clip: find its cycle, cut it where its ends agree best, and close what is left.

    The last frame leads into the first: a loop of N frames lasts N frame times, and frame N is frame 0 moved on by the
    travel of one loop. It begins above the origin and faces forward, and it goes straight: a turn is spread over the
    loop and so taken out.

    **Examples**

    ```
    freshtake loop walk.bvh -o walk_loop.bvh
    freshtake loop run.bvh -o run_loop.glb --in-place --unit cm
    freshtake loop one_cheer.bvh -o cheer_loop.bvh --whole
    freshtake loop swim.bvh -o swim_loop.npz --cycles 2 --json
    ```

    Parameters
    ----------
    clip
        A clip of a movement that repeats itself, or of one cycle.
    """
    from freshtake.workflows import motion_loop as run
    from freshtake.workflows.motion_delivering import delivery_asked, turn_note
    from freshtake.workflows.motion_retargeting import character_asked

    prepare(out, force=force)
    if whole and cycles is not None:
        raise UsageError("--whole takes the clip as one cycle: leave --cycles out")
    made = run(
        clip,
        out,
        cycles=None if whole else 1 if cycles is None else cycles,
        plant=plant and lock,
        delivery=delivery_asked(root_motion, in_place, closing_frame),
        onto=character_asked(character, body_map, warn),
        unit_m=reading.unit,
        reading=reading.options(),
    )
    if (note := turn_note([made.summary()["playback"]])) is not None:
        warn(note)
    if json:
        print_json(made.summary())
        return 0
    info = made.motion.playback
    assert info is not None
    frames = f"{len(made.motion)} frames ({info.seconds:.3g} s), of frames {made.span.start} to {made.span.stop - 1}"
    seam = f"{made.seam.step:.3g} at the seam, where the clip's largest steps are {made.usual.step:.3g}"
    output().print(f"wrote {out}: {frames}; speed {info.speed:.3g} a second; step {seam}", markup=False)
    return 0

"""`freshtake loop`: a clip that plays for ever."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from freshtake.cli.console import each_with_progress, output, print_json, progress_bar, warn
from freshtake.cli.options import (
    BodyMaps,
    Character,
    ClosingFrame,
    Ending,
    InPlace,
    Json,
    Lock,
    Plant,
    RootMotion,
)
from freshtake.cli.outputs import Force, prepare
from freshtake.cli.reading import READING, Reading, files
from freshtake.errors import UsageError

if TYPE_CHECKING:
    from freshtake.workflows.motion_looping import Looped


def loop(
    clips: list[Path],
    /,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"], help="The file to write; for several clips a folder.")],
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
    format: Ending = None,
    reading: Reading = READING,
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
    freshtake loop walks/ -o loops/ --format glb
    ```

    Parameters
    ----------
    clips
        A clip of a movement that repeats itself, or of one cycle; several, or a folder of them, become a loop each.
    """
    from freshtake.workflows import motion_loop as run
    from freshtake.workflows.motion_delivering import delivery_asked, turn_note
    from freshtake.workflows.motion_retargeting import character_asked
    from freshtake.workflows.output_naming import targets_of

    prepare(out, force=force)
    if whole and cycles is not None:
        raise UsageError("--whole takes the clip as one cycle: leave --cycles out")
    takes = files(clips)
    made = []
    with progress_bar() as report:
        for take, target in each_with_progress(takes, targets_of(takes, out, format), report):
            made.append(
                run(
                    take, target, cycles=None if whole else 1 if cycles is None else cycles, plant=plant and lock,
                    delivery=delivery_asked(root_motion, in_place, closing_frame), unit_m=reading.unit,
                    onto=character_asked(character, body_map, warn), reading=reading.options(),
                )
            )  # fmt: skip
    if (note := turn_note([one.summary()["playback"] for one in made])) is not None:
        warn(note)
    if json:
        print_json(made[0].summary() if len(made) == 1 else {"loops": [one.summary() for one in made]})
        return 0
    for one in made:
        output().print(_sentence(one), markup=False)
    return 0


def _sentence(made: Looped) -> str:
    from freshtake.motion.body.size import unit_name, unit_of

    info = made.motion.playback
    assert info is not None
    frames = f"{len(made.motion)} frames ({info.seconds:.3g} s), of frames {made.span.start} to {made.span.stop - 1}"
    seam = f"{made.seam.step:.3g} at the seam, where the clip's largest steps are {made.usual.step:.3g}"
    metres = unit_of(made.motion)
    unit = "units of the clip" if metres is None else unit_name(metres)
    return f"wrote {made.path}: {frames}; speed {info.speed:.3g} {unit} a second; step {seam}"

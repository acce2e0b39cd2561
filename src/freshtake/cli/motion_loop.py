"""`freshtake loop`: a clip that plays forever."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from freshtake.cli.console import each_with_progress, print_json, progress_bar, say, warn
from freshtake.cli.option_groups import FEET, LOOP_TRAVEL, ONTO, ClipsOutput, Feet, LoopTravel, OntoCharacter
from freshtake.cli.options import Ending, Json, option_group
from freshtake.cli.outputs import KeepGoing
from freshtake.cli.reading import READING, Reading, files
from freshtake.errors import UsageError

if TYPE_CHECKING:
    from freshtake.workflows.motion_looping import Looped


@option_group
class Cutting:
    """What of a clip becomes the loop."""

    cycles: Annotated[int | None, Parameter(help="Cycles in the loop; default: 1.")] = None
    whole: Annotated[bool, Parameter(negative="", help="Treat the whole clip as one cycle: cut nothing off.")] = False


CUTTING = Cutting()


@option_group
class Writing:
    """How the loop is written."""

    travel: LoopTravel = LOOP_TRAVEL
    onto: OntoCharacter = ONTO
    format: Ending = None
    keep_going: KeepGoing = False


WRITING = Writing()


def loop(
    clips: list[Path],
    /,
    *,
    to: ClipsOutput,
    cutting: Cutting = CUTTING,
    feet: Feet = FEET,
    writing: Writing = WRITING,
    reading: Reading = READING,
    json: Json = False,
) -> int:
    """Make a loop from a clip: find its cycle, cut it where its ends match best, and close the gap.

    The last frame leads into the first: a loop of N frames lasts N frame times, and frame N is frame 0 moved on by the
    travel of one loop. It begins above the origin, faces forward and goes straight: a turn is removed evenly over the
    loop.

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
        A clip of a movement that repeats, or of one cycle; each of several clips, or of a folder, becomes a loop.
    """
    from freshtake.motion.verdict import verdict_line
    from freshtake.workflows import motion_loop as run
    from freshtake.workflows.motion_delivering import turn_note
    from freshtake.workflows.motion_finishing import Finish
    from freshtake.workflows.output_naming import targets_of

    out = to.prepare()
    if cutting.whole and cutting.cycles is not None:
        raise UsageError("--whole takes the clip as one cycle: leave --cycles out")
    takes = files(clips)
    cycles = None if cutting.whole else 1 if cutting.cycles is None else cutting.cycles
    loops = []
    with progress_bar() as report:
        for take, target in each_with_progress(takes, targets_of(takes, out, writing.format), report):
            loops.append(
                run(
                    take,
                    target,
                    finish=Finish(
                        plant=feet.value(),
                        delivery=writing.travel.value(),
                        unit_m=reading.unit,
                        onto=writing.onto.value(),
                        keep_going=writing.keep_going,
                    ),
                    cycles=cycles,
                    reading=reading.options(),
                    warn=warn,
                )
            )
    if (note := turn_note([one.summary()["playback"] for one in loops])) is not None:
        warn(note)
    if json:
        print_json(loops[0].summary() if len(loops) == 1 else {"loops": [one.summary() for one in loops]})
        return 0
    for one in loops:
        say(_sentence(one))
    say(verdict_line([verdict for one in loops for verdict in one.verdicts], "it" if len(loops) == 1 else "all loops"))
    return 0


def _sentence(looped: Looped) -> str:
    from freshtake.motion.body.size import unit_name, unit_of

    info = looped.motion.playback
    assert info is not None
    frames = (
        f"{len(looped.motion)} frames ({info.seconds:.3g} s) from frames {looped.span.start} to {looped.span.stop - 1}"
    )
    seam = f"{looped.seam.step:.3g} at the seam (largest steps in the clip: {looped.usual.step:.3g})"
    metres = unit_of(looped.motion)
    unit = "units of the clip" if metres is None else unit_name(metres)
    return f"wrote {looped.path}: {frames}; speed {info.speed:.3g} {unit} a second; joints step {seam}"

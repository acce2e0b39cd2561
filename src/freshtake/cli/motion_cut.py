"""`freshtake cut`: takes into clips of one phase."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from freshtake.cli.console import print_json, progress_bar, say
from freshtake.cli.option_groups import Output
from freshtake.cli.options import Ending, Json, option_group
from freshtake.cli.reading import READING, Reading, files


@option_group
class CutChoices:
    """Where a take is cut."""

    cycles: Annotated[bool, Parameter(negative="", help="Cut into cycles (the default).")] = False
    between: Annotated[
        str | None, Parameter(name="--range", help="Cut out A:B, frames (from 0, B not included) or times: 1.5s:4s.")
    ] = None
    like: Annotated[Path | None, Parameter(help="Cut out every part that is like this short clip.")] = None


CUT_CHOICES = CutChoices()


def cut(
    takes: list[Path],
    /,
    *,
    to: Output,
    where: CutChoices = CUT_CHOICES,
    format: Ending = None,
    reading: Reading = READING,
    json: Json = False,
) -> int:
    """Cut a take into clips: its cycles, the repetitions of an action, or a range of frames.

    **Examples**

    ```
    freshtake cut walk_10s.bvh -o cycles/
    freshtake cut take.bvh -o jumps/ --like jump_1.bvh
    freshtake cut take.bvh -o piece/ --range 120:360
    freshtake cut take.bvh -o piece.glb --range 1.5s:4s
    freshtake cut takes/ -o cycles/
    ```

    Parameters
    ----------
    takes
        The recording to cut; several, or a folder of them, are cut one by one into one folder.
    """
    from freshtake.workflows import motion_cut as run
    from freshtake.workflows.motion_cutting import CutAt

    out = to.prepare()
    with progress_bar() as report:
        pieces = run(
            files(takes),
            out,
            at=CutAt(cycles=where.cycles, between=where.between, like=where.like),
            ending=format,
            reading=reading.options(),
            report=report,
        )
    if json:
        print_json({"clips": [{"file": str(c.path), "start": c.start, "stop": c.stop} for c in pieces]})
        return 0
    for piece in pieces:
        say(f"{piece.path}  frames {piece.start}..{piece.stop - 1}")
    return 0

"""`freshtake cut`: takes into clips of one phase."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from freshtake.cli.console import output, print_json
from freshtake.cli.options import Json, Out
from freshtake.cli.outputs import Force, prepare
from freshtake.cli.reading import READING, Reading


def cut(
    take: Path,
    /,
    *,
    out: Out,
    force: Force = False,
    cycles: Annotated[bool, Parameter(negative="", help="Cut into cycles (the default).")] = False,
    frames: Annotated[str | None, Parameter(help="Cut out frames A:B (from 0, B not included).")] = None,
    like: Annotated[Path | None, Parameter(help="Cut out what is like this short clip.")] = None,
    format: Annotated[str | None, Parameter(help="Ending of the files written; default: as the take.")] = None,
    reading: Reading = READING,
    json: Json = False,
) -> int:
    """Cut a take into clips: its cycles, the repetitions of an action, or a range of frames.

    **Examples**

    ```
    freshtake cut walk_10s.bvh -o cycles/
    freshtake cut take.bvh -o jumps/ --like jump_1.bvh
    freshtake cut take.bvh -o piece/ --frames 120:360
    ```

    Parameters
    ----------
    take
        The recording to cut.
    """
    from freshtake.workflows import motion_cut

    prepare(out, force=force)
    made = motion_cut(take, out, cycles=cycles, frames=frames, like=like, ending=format, reading=reading.options())
    if json:
        print_json({"clips": [{"file": str(c.path), "start": c.start, "stop": c.stop} for c in made]})
        return 0
    for piece in made:
        output().print(f"{piece.path}  frames {piece.start}..{piece.stop - 1}", markup=False)
    return 0

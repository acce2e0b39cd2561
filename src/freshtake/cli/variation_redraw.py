"""`freshtake redraw`: other versions of a stretch, or of a part of the body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freshtake.cli.console import print_json, progress_bar, say, warn
from freshtake.cli.outputs import Force, Json, prepare
from freshtake.requests.variation import Redraw

if TYPE_CHECKING:
    from freshtake.workflows.redrawing import Redrawn


def redraw(request: Redraw, *, force: Force = False, json: Json = False) -> int:
    """Draw a stretch of a clip again, or a part of the body, and keep everything else to the byte; or let it go on.

    Frames outside the stretch and joints of other parts stay as they are. The new frames join smoothly, and feet that
    stand stay where they are. A stretch that reaches an end of the clip is free there.

    **Examples**

    ```
    freshtake redraw take.bvh --model walk.ftm --from 2.0s --to 3.5s -n 8 -o redrawn/
    freshtake redraw take.bvh --model cheer.ftm --part arms -n 8 -o other_arms/
    freshtake redraw take.bvh --model walk.ftm --from 20 --to 50 --part head --part "left arm" -n 1 -o better.bvh
    freshtake redraw take.bvh --model walk.ftm --extend 4s -n 3 -o longer/
    ```
    """
    from freshtake.workflows import redraw as run

    prepare(request.out, force=force)
    with progress_bar() as report:
        result = run(request, report, warn)
    if json:
        print_json(result.summary())
    else:
        _print(result)
    return 0


def _print(redrawn: Redrawn) -> None:
    from freshtake.motion.verdict import verdict_line

    first, last, count = redrawn.paths[0], redrawn.paths[-1], len(redrawn.paths)
    start, stop = redrawn.frames
    say(f"wrote {first}" + (f" ... {last.name}" if count > 1 else "") + f": frames {start} to {stop - 1} are new")
    worst = [max(values) for values in zip(*redrawn.joins, strict=True)]
    if any(worst):
        say(f"joins: steps up to {worst[0]:.2f} and bends up to {worst[1]:.2f} of the takes' largest (99 of 100)")
    if redrawn.verdicts:
        say(verdict_line(redrawn.verdicts, f"{count} clip{'s' * (count > 1)}"))

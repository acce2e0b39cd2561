"""`freshtake robot`: clips onto a robot."""

from __future__ import annotations

from freshtake.cli.console import print_json, progress_bar, say, warn
from freshtake.cli.outputs import Force, Json, prepare
from freshtake.requests.robot import Robot


def robot(request: Robot, *, force: Force = False, json: Json = False) -> int:
    """Put clips onto a robot (URDF or MuJoCo model): joints within their limits, feet held where they stand.

    **Examples**

    ```
    freshtake robot walk_1.bvh --onto g1.urdf -o walk.csv
    freshtake robot variants/ --onto humanoid.xml -o robot/
    freshtake robot variants/ --onto g1.urdf -o robot/ --format pkl
    ```
    """
    from freshtake.workflows import robot as run

    prepare(request.out, force=force)
    with progress_bar() as report:
        written = run(request, report, warn)
    if json:
        print_json({"written": [{**one._asdict(), "path": str(one.path)} for one in written]})
        return 0
    for one in written:
        say(
            f"wrote {one.path}: {one.frames} frames, {100 * one.off:.1f} cm from the clip on average, standing feet "
            f"slide {100 * one.sliding:.1f} % of a leg per second (clip {100 * one.source_sliding:.1f})"
        )
    return 0

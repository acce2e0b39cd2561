"""`freshtake style gaits learn` and `sample`: style and speed as two sliders."""

from __future__ import annotations

from cyclopts import App

from freshtake.cli.console import output, print_json, progress_bar, say, warn
from freshtake.cli.outputs import Force, Json, prepare
from freshtake.requests.style import GaitsLearn, GaitsSample

app = App(name="gaits", help="Style and speed as two sliders, from one clip of every style at every speed.")


@app.command
def learn(request: GaitsLearn, *, force: Force = False, json: Json = False) -> int:
    """Learn style and speed of a gait as two sliders, from one clip of every style at every speed.

    A clip holds one cycle or more, of which the steadiest is taken. The first clip given is the clock of all.

    **Examples**

    ```
    freshtake style gaits learn normal@0.9=a.bvh normal@1.7=b.bvh crouch@0.9=c.bvh crouch@1.7=d.bvh -o gaits.ftm
    ```
    """
    from freshtake.workflows import gaits_facts, gaits_learn

    prepare(request.out, force=force)
    with progress_bar() as report:
        model = gaits_learn(request, report, warn)
    if json:
        print_json({"written": str(request.out), **gaits_facts(model)})
        return 0
    console = output()
    styles, speeds = (", ".join(map(str, levels)) for levels in (model.styles, model.speeds))
    console.print(f"{styles} at {speeds}, {model.code.frames} frames per cycle", markup=False, highlight=False)
    console.print(f"wrote {request.out}", markup=False)
    return 0


@app.command
def sample(request: GaitsSample, *, force: Force = False, json: Json = False) -> int:
    """Write a walk in any mixture of the model's styles and speeds; its end meets its start.

    **Examples**

    ```
    freshtake style gaits sample gaits.ftm --style crouch --speed 1.3 -o walk.bvh
    freshtake style gaits sample gaits.ftm --style normal=1.3,crouch=-0.3 --speed 2.0 --cycles 10 -o walk.bvh
    ```
    """
    from freshtake.workflows import gaits_sample

    prepare(request.out, force=force)
    with progress_bar() as report:
        clip = gaits_sample(request, report, warn)
    if json:
        by_cycles = request.frames is None and request.seconds is None
        print_json(
            {"frames": len(clip), **({"cycles": request.cycles} if by_cycles else {}), "written": str(request.out)}
        )
        return 0
    say(f"wrote {request.out}: {len(clip)} frames")
    return 0

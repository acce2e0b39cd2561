"""`freshtake blend`: densities of several classes of motion, and motion that changes between them."""

from __future__ import annotations

from cyclopts import App

from freshtake.cli.console import made_facts, print_json, progress_bar, say, say_made, warn
from freshtake.cli.outputs import Force, Json, prepare
from freshtake.requests.blending import BlendLearn, BlendReport, BlendSample

app = App(
    name="blend",
    help="Learn classes of motion (walk, run, skip) and synthesize motion that changes between them by weights.",
    help_format="markdown",
    group_commands="Commands",
)


@app.command
def learn(request: BlendLearn, *, force: Force = False, json: Json = False) -> int:
    """Learn two or more classes of motion, such as walk and run, to change between them later.

    **Examples**

    ```
    freshtake blend learn walk=walk.bvh run=run.bvh -o gait.ftm
    freshtake blend learn walk=w1.bvh w2.bvh skip=skip.bvh -o gait.ftm --energy 0.99
    freshtake blend learn walk=walk.c3d -o walk.ftm --alone
    ```
    """
    from freshtake.workflows import blend_learn, density_facts

    prepare(request.out, force=force)
    with progress_bar() as report:
        model = blend_learn(request, report, warn)
    facts = density_facts(model)
    if json:
        print_json({"written": str(request.out), **facts})
        return 0
    class_counts = ", ".join(f"{name} ({count} frames)" for name, count in facts["kernels"].items())
    how = "blended into one another" if facts["blends"] else "changed between, one at a time"
    say(
        f"wrote {request.out}: {class_counts}, {how}; next: freshtake blend sample {request.out} --seconds 6 "
        f'-o new.bvh --weights "{model.classes[0]}:1->{model.classes[-1]}:1"',
    )
    return 0


@app.command
def sample(request: BlendSample, *, force: Force = False, json: Json = False) -> int:
    """Synthesize motion whose class follows weights over time.

    **Examples**

    ```
    freshtake blend sample gait.ftm --weights "walk:1->run:1" --frames 240 -o walk_to_run.bvh
    freshtake blend sample gait.ftm --weights "walk:1->run:1->walk:1" --frames 900 -o there_and_back.bvh
    freshtake blend sample gait.ftm --weights "walk:0.5,run:0.5" --frames 300 -o jog.bvh
    freshtake blend sample gait.ftm --weights "walk:1->run:1" --method switch --frames 240 -o change.bvh
    freshtake blend sample gait.ftm --speed 180 --path way.csv --frames 900 -o along_the_way.bvh
    ```
    """
    from freshtake.workflows import blend_sample

    prepare(request.out, force=force)
    with progress_bar() as report:
        result = blend_sample(request, report, warn)
    if json:
        print_json(made_facts(result))
    else:
        say_made(result)
    return 0


@app.command(name="report")
def write_page(request: BlendReport, *, force: Force = False, json: Json = False) -> int:
    """Draw a model: modes, sine fits, densities, synthesized paths, strips of figures, and how long synthesis holds.

    **Examples**

    ```
    freshtake blend report gait.ftm -o gait.html
    ```
    """
    from freshtake.workflows import blend_report

    prepare(request.out, force=force)
    with progress_bar() as report:
        written = blend_report(request, report)
    if json:
        print_json({"written": [str(path) for path in written]})
    else:
        say("wrote " + ", ".join(map(str, written)))
    return 0

"""`freshtake blend`: learn several classes of motion, and make motion that changes between them."""

from cyclopts import App

from freshtake.cli.console import Force, Json, carry_out, show, show_motion
from freshtake.requests.blending import BlendLearn, BlendReport, BlendSample

app = App(name="blend", help_format="markdown", group_commands="Commands")


@app.command
def learn(request: BlendLearn, *, force: Force = False, json: Json = False) -> None:
    """Learn two or more classes of motion, such as walk and run, to change between them later.

    **Examples**

    ```
    freshtake blend learn walk=walk.bvh run=run.bvh -o gait.ftm
    freshtake blend learn walk=w1.bvh w2.bvh skip=skip.bvh -o gait.ftm --energy 0.99
    freshtake blend learn walk=walk.c3d -o walk.ftm --alone
    ```
    """
    from freshtake.workflows import density_facts

    model = carry_out(request, request.out, force=force)
    facts = density_facts(model)
    class_counts = ", ".join(f"{name} ({count} frames)" for name, count in facts["kernels"].items())
    how = "blended into one another" if facts["blends"] else "used one at a time"
    show(
        json, {"written": request.out, **facts},
        f"wrote {request.out}: {class_counts}, {how}; next: freshtake blend sample {request.out} --seconds 6 "
        f'-o new.bvh --weights "{model.classes[0]}:1->{model.classes[-1]}:1"',
    )  # fmt: skip


@app.command
def sample(request: BlendSample, *, force: Force = False, json: Json = False) -> None:
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
    show_motion(json, carry_out(request, request.out, force=force))


@app.command(name="report")
def write_page(request: BlendReport, *, force: Force = False, json: Json = False) -> None:
    """Draw a model: modes, sine fits, densities, synthesized paths, strips of figures, and how long synthesis lasts.

    **Examples**

    ```
    freshtake blend report gait.ftm -o gait.html
    ```
    """
    written = carry_out(request, request.out, force=force)
    show(json, {"written": written}, "wrote " + ", ".join(map(str, written)))

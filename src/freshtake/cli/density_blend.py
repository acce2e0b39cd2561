"""`freshtake blend`: densities of several classes of motion, and motion that changes between them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from freshtake.cli.console import in_words, output, print_json, progress_bar, warn
from freshtake.cli.options import BodyMaps, Character, GroundPath, Heading, Json, Lock, Out, Plant, Seed, Unit
from freshtake.cli.outputs import Force, Frames, Seconds, prepare
from freshtake.cli.reading import READING, Reading

app = App(
    name="blend",
    help="Learn classes of motion (walk, run, skip) and synthesize motion that changes between them by weights.",
    help_format="markdown",
)


@app.command
def learn(
    classes: Annotated[
        list[str], Parameter(help="NAME=CLIP or NAME=FOLDER; more clips of a class follow it, or repeat NAME=.")
    ],
    /,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"], help="The model to write (.ftm).")],
    force: Force = False,
    method: Annotated[
        str | None,
        Parameter(help="`default`: blends; `switch`: one class at a time; `paper`: to the letter; `aligned` (eq. 5)."),
    ] = None,
    poses: Annotated[
        str | None,
        Parameter(
            help="What clips are described by: `positions` of joints, or their rotations as `expmap` or `euler`."
        ),
    ] = None,
    energy: Annotated[
        float | None,
        Parameter(help="Share of the movement that is kept exactly, 0 to 1; default: 0.95 (energy of the eigenspace)."),
    ] = None,
    modes: Annotated[int | None, Parameter(help="Or how many ways of moving together are kept (modes).")] = None,
    alpha: Annotated[
        float | None, Parameter(help="How far around a pose others count as like it; default: 0.25 (kernel widths).")
    ] = None,
    acyclic: Annotated[
        list[str] | None, Parameter(help="Classes that do not repeat in cycles; default: found from the takes.")
    ] = None,
    residuals: Annotated[bool, Parameter(help="Keep the fine detail too, to be given back.")] = True,
    alone: Annotated[bool, Parameter(negative="", help="Allow a single class, to be synthesized.")] = False,
    common: Annotated[bool, Parameter(negative="", help="Use only the markers that all takes have.")] = False,
    reading: Reading = READING,
    json: Json = False,
) -> int:
    """Learn two or more classes of motion, such as walk and run, to change between them later.

    **Examples**

    ```
    freshtake blend learn walk=walk.bvh run=run.bvh -o gait.ftm
    freshtake blend learn walk=w1.bvh w2.bvh skip=skip.bvh -o gait.ftm --energy 0.99
    freshtake blend learn walk=walk.c3d -o walk.ftm --alone
    ```
    """
    from freshtake.density.settings import Settings
    from freshtake.workflows import density_facts, density_learn, named_takes

    prepare(out, force=force)
    given: dict[str, Any] = {
        "method": method, "poses": poses, "energy": energy, "modes": modes, "alpha": alpha, "residuals": residuals,
    }  # fmt: skip
    settings = Settings(**{name: value for name, value in given.items() if value is not None})
    with progress_bar() as report:
        model = density_learn(
            named_takes(classes), out, settings,
            alone=alone, common=common, cyclic=dict.fromkeys(acyclic or (), False),
            reading=reading.options(), report=report, warn=warn,
        )  # fmt: skip
    facts = density_facts(model)
    if json:
        print_json({"written": str(out), **facts})
        return 0
    told = ", ".join(f"{name} ({count} frames)" for name, count in facts["kernels"].items())
    how = "blended into one another" if facts["blends"] else "changed between, one at a time"
    output().print(
        f"wrote {out}: {told}, to be {how}; next: freshtake blend sample {out} --seconds 6 -o new.bvh --weights "
        f'"{model.classes[0]}:1->{model.classes[-1]}:1"',
        markup=False,
    )
    return 0


@app.command
def sample(
    model: Path,
    /,
    *,
    out: Out,
    force: Force = False,
    frames: Frames = None,
    seconds: Seconds = None,
    weights: Annotated[
        str | None,
        Parameter(
            help='"walk:1", "walk:0.7,run:0.3", "walk:1->run:1": linear from first to last frame. Default: the '
            "first class."
        ),
    ] = None,
    method: Annotated[
        str | None,
        Parameter(help="`default`, `switch`, `paper` or `aligned`, as in `blend learn`; default: as learned."),
    ] = None,
    noise: Annotated[
        float | None, Parameter(help="Let poses stray, smoothly; 0 is not at all, 1 is much (in kernel widths).")
    ] = None,
    speed: Annotated[
        float | None,
        Parameter(help="Lengths per second over the ground; chooses the weights, between those of classes."),
    ] = None,
    turn: Annotated[float | None, Parameter(help="Turn by this many degrees per second, to the left.")] = None,
    heading: Heading = None,
    path: GroundPath = None,
    residuals: Annotated[bool, Parameter(help="Give back the fine detail.")] = True,
    plant: Plant = True,
    lock: Lock = "soft",
    character: Character = None,
    body_map: BodyMaps = None,
    unit: Unit = None,
    seed: Seed = 0,
    json: Json = False,
) -> int:
    """Synthesize motion whose class follows weights over time.

    **Examples**

    ```
    freshtake blend sample gait.ftm --weights "walk:1->run:1" --frames 240 -o walk_to_run.bvh
    freshtake blend sample gait.ftm --weights "walk:1->run:1->walk:1" --frames 900 -o there_and_back.bvh
    freshtake blend sample gait.ftm --weights "walk:0.5,run:0.5" --frames 300 -o jog.bvh
    freshtake blend sample gait.ftm --weights "walk:1->run:1" --method switch --frames 240 -o change.bvh
    freshtake blend sample gait.ftm --speed 180 --path way.csv --frames 900 -o along_the_way.bvh
    ```

    Parameters
    ----------
    model
        A model that `freshtake blend learn` wrote.
    """  # fmt: skip
    from freshtake.workflows import density_sample
    from freshtake.workflows.density_blending import control_of
    from freshtake.workflows.length_asking import length_asked
    from freshtake.workflows.motion_retargeting import character_asked
    from freshtake.workflows.path_following import path_sentence

    prepare(out, force=force)
    with progress_bar() as report:
        made = density_sample(
            model, out, length_asked(frames, seconds),
            weights=weights, method=method, noise=noise, residuals=residuals,
            control=control_of(speed, turn, heading, path), plant=plant and lock,
            onto=character_asked(character, body_map, warn), unit_m=unit,
            seed=seed,
            report=report,
            warn=warn,
        )  # fmt: skip
    if json:
        way = {} if made.followed is None else {"path": made.followed._asdict()}
        print_json({"written": str(made.path), "frames": len(made.motion), "duration_s": made.motion.duration, **way})
    else:
        output().print(f"wrote {made.path}: {in_words(made.motion)}", markup=False)
        if made.followed is not None:
            output().print(path_sentence([made.followed], made.motion), markup=False)
    return 0


@app.command(name="report")
def write_page(
    model: Path,
    /,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"], help="A page (.html) or a folder.")],
    force: Force = False,
    seed: Seed = 0,
    json: Json = False,
) -> int:
    """Draw a model: modes, sine fits, densities, synthesized paths, strips of figures, and how long synthesis holds.

    **Examples**

    ```
    freshtake blend report gait.ftm -o gait.html
    ```

    Parameters
    ----------
    model
        A model that `freshtake blend learn` wrote.
    """
    from freshtake.workflows import density_report

    prepare(out, force=force)
    with progress_bar() as report:
        written = density_report(model, out, seed=seed, report=report)
    if json:
        print_json({"written": [str(path) for path in written]})
    else:
        output().print("wrote " + ", ".join(map(str, written)), markup=False)
    return 0

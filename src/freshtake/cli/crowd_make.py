"""`freshtake crowd`: many characters from a model or a plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter

from freshtake.cli.console import output, print_json, progress_bar, warn
from freshtake.cli.options import Json
from freshtake.cli.outputs import Force, KeepGoing, prepare, prepare_folder

if TYPE_CHECKING:
    from freshtake.crowd.plan import Plan

app = App(name="crowd", help_format="markdown", group_commands="Commands")  # its help is that of the command below


@app.default
def crowd(
    source: Path,
    /,
    *,
    out: Annotated[
        Path, Parameter(name=["--out", "-o"], help="Folder for the crowd; one that was begun by this command goes on.")
    ],
    force: Force = False,
    count: Annotated[int | None, Parameter(name=["--count", "-n"], help="How many characters (200).")] = None,
    seconds: Annotated[float | None, Parameter(help="How long each moves (2).")] = None,
    fps: Annotated[float | None, Parameter(help="Frames per second; default: as the model.")] = None,
    mode: Annotated[
        Literal["unique", "library"] | None,
        Parameter(help="A motion for each character (unique, default), or a library of loops that they share."),
    ] = None,
    variants: Annotated[int | None, Parameter(help="How many motions a library has (32).")] = None,
    avoid: Annotated[
        bool, Parameter(negative="", help="Characters that walk do not walk through each other (unique mode).")
    ] = False,
    character: Annotated[
        Path | None, Parameter(help="A skinned character (.glb) that all motions are retargeted onto.")
    ] = None,
    format: Annotated[
        Literal["npz", "usd", "bvh", "zarr", "glb", "fbx"],
        Parameter(help="Files to write; glb and fbx hold libraries."),
    ] = "npz",
    engine: Annotated[
        Literal["local", "dask"], Parameter(help="Processes of this machine, or workers of Dask.")
    ] = "local",
    workers: Annotated[int | None, Parameter(help="How many processes; default: one per core.")] = None,
    scheduler: Annotated[
        str | None, Parameter(help="Address of a Dask scheduler, such as tcp://10.0.0.1:8786; default: one of its own.")
    ] = None,
    shard: Annotated[str | None, Parameter(help="Make part K of N only, as 3/16: for render farms.")] = None,
    openjd: Annotated[
        Path | None,
        Parameter(help="Write a job template (Open Job Description, .yaml) for a render farm instead."),
    ] = None,
    keep_going: KeepGoing = False,
    seed: Annotated[int | None, Parameter(help="The same seed gives the same result.")] = None,
    json: Json = False,
) -> int:
    """Make a crowd: hundreds to a hundred thousand characters, each with a motion of its own.

    The same command goes on where it was stopped: finished shards are kept. The same seed gives the same bytes on any
    engine and with any number of workers.

    **Examples**

    ```
    freshtake crowd walk.ftm -n 200 --seconds 2 -o crowd/
    freshtake crowd walk.ftm -n 5000 --mode library --variants 40 -o crowd/
    freshtake crowd walk.ftm -n 200 --seconds 10 --avoid -o crowd/
    freshtake crowd plan.toml -o crowd/ --format usd
    freshtake crowd plan.toml -o crowd/ --shard 3/16
    freshtake crowd plan.toml -o crowd/ --engine dask --scheduler tcp://10.0.0.1:8786
    freshtake crowd plan.toml -o crowd/ --openjd job.yaml
    ```

    Parameters
    ----------
    source
        A model (.ftm), or a plan (.toml) that names models.
    """
    from freshtake.crowd.making import check_folder, crowd_make
    from freshtake.crowd.plan_request import requested_plan
    from freshtake.crowd.shards import part_asked

    prepare_folder(out, force=force, empty=False)
    prepare(openjd, force=force)
    check_folder(out)
    part = part_asked(shard)
    changes = {"number": count, "seconds": seconds, "fps": fps, "mode": mode, "variants": variants, "seed": seed}
    changes = {key: value for key, value in changes.items() if value is not None}
    plan, places = requested_plan(source, changes, avoid=avoid, character=character)
    if openjd is not None:
        wears = None if character is None else character.resolve()
        options = {**changes, "format": format, "avoid": avoid, "character": wears, "keep-going": keep_going}
        return _job(openjd, source, out, plan, options, json)
    with progress_bar() as report:
        made = crowd_make(
            plan, out, format=format, part=part, engine=engine, workers=workers, scheduler=scheduler, places=places,
            anew=force, keep_going=keep_going, report=report,
        )  # fmt: skip
    amber, red = (sum(record.get(color, 0) for record in made.records) for color in ("amber", "red"))
    if amber + red:
        fail = "1 motion fails" if amber + red == 1 else f"{amber + red} motions fail"
        warn(f"{fail} the body checks in every draw, {red} of them badly: see shards in manifest.json")
    if json:
        print_json(
            {
                "folder": str(out), "characters": made.characters, "frames": made.frames, "shards_made": made.made,
                "shards_kept": made.kept, "shards_missing": made.missing, "amber": amber, "red": red,
                "manifest": None if made.missing else str(out / "manifest.json"),
            }
        )  # fmt: skip
    else:
        kept = f", {made.kept} were finished before" if made.kept else ""
        rest = f"; {made.missing} are still to be made" if made.missing else f": see {out / 'manifest.json'}"
        shards = "1 shard" if made.made == 1 else f"{made.made} shards"
        output().print(f"made {shards} of a crowd of {made.characters:,}{kept}{rest}", markup=False)
    return 0


def _job(target: Path, source: Path, out: Path, plan: Plan, options: dict[str, Any], json: bool) -> int:
    """Write a job template instead of shards."""
    from freshtake.crowd.openjd import write_job

    words = []
    for key, value in options.items():
        name = f"--{'count' if key == 'number' else key}"
        words += [name] if value is True else [] if value is None or value is False else [name, str(value)]
    parts = write_job(target, source, out, plan, words)
    if json:
        print_json({"written": str(target), "parts": parts})
    else:
        output().print(f"wrote {target}: {parts} tasks; try it with openjd run {target}", markup=False)
    return 0


@app.command
def preview(
    folder: Path,
    /,
    *,
    out: Annotated[Path | None, Parameter(name=["--out", "-o"], help="The page to write (.html).")] = None,
    png: Annotated[Path | None, Parameter(help="A picture (.png) from above and at eye level.")] = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Look at a crowd: a page that plays it, or a picture.

    **Examples**

    ```
    freshtake crowd preview crowd/ -o crowd.html
    freshtake crowd preview crowd/ --png crowd.png
    ```

    Parameters
    ----------
    folder
        A folder that `freshtake crowd` has filled (npz).
    """
    from freshtake.crowd.previewing import crowd_preview
    from freshtake.errors import UsageError

    prepare(out, png, force=force)
    if out is None and png is None:
        raise UsageError("say what to write: -o PAGE.html, --png PICTURE.png, or both")
    made = crowd_preview(folder, out, png)
    if json:
        told = {"characters": made.characters, "motions": made.motions, "motions_of_the_crowd": made.of}
        print_json({"written": [str(path) for path in made.written], **told})
    else:
        for path in made.written:
            output().print(f"wrote {path}: {made.characters} characters, {made.motions} motions", markup=False)
    return 0


@app.command
def textures(
    folder: Path,
    /,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"], help="Folder for the textures.")],
    format: Annotated[Literal["exr", "png"], Parameter(help="32-bit floats, or 16 bits in two halves.")] = "exr",
    force: Force = False,
    json: Json = False,
) -> int:
    """Write bone matrices as textures, for engines and web pages that draw one mesh many times.

    **Examples**

    ```
    freshtake crowd walk.ftm -n 5000 --mode library -o crowd/
    freshtake crowd textures crowd/ -o textures/
    freshtake crowd textures crowd/ -o textures/ --format png
    ```

    Parameters
    ----------
    folder
        A folder that `freshtake crowd` has filled (npz).
    """
    from freshtake.crowd.bone_textures import crowd_textures

    prepare_folder(out, force=force)
    made = crowd_textures(folder, out, format)
    if json:
        print_json({"written": [str(path) for path in made.written], "motions": made.motions, "frames": made.frames})
    else:
        output().print(f"wrote {out}: {made.motions} motions, {made.frames} frames, see bones.json", markup=False)
    return 0

"""`freshtake crowd`: many characters from a model or a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cyclopts import App

from freshtake.cli.console import print_json, say
from freshtake.cli.outputs import Force, Json, carry_out
from freshtake.requests.crowd import Crowd, CrowdPreview, CrowdTextures

if TYPE_CHECKING:
    from freshtake.crowd.making import CrowdMade, JobWritten

app = App(name="crowd", help_format="markdown", group_commands="Commands")  # its help is that of the command below


@app.default
def crowd(request: Crowd, *, force: Force = False, json: Json = False) -> None:
    """The same command continues where it was stopped: finished shards are kept. The same seed gives the same bytes on
    any engine and with any number of workers.

    **Examples**

    ```
    freshtake crowd walk.ftm -n 200 --seconds 2 -o crowd/
    freshtake crowd walk.ftm -n 5000 --mode library --variants 40 -o crowd/
    freshtake crowd walk.ftm -n 200 --seconds 10 --avoid -o crowd/
    freshtake crowd plan.toml -o crowd/ --format usd
    freshtake crowd plan.toml -o crowd/ --shard 3/16
    freshtake crowd plan.toml -o crowd/ --engine dask --scheduler tcp://10.0.0.1:8786
    freshtake crowd plan.toml -o crowd/ --job job.yaml
    freshtake crowd plan.toml -o crowd/ --job flamenco_crowd.js
    ```
    """
    from freshtake.crowd.making import JobWritten

    made = carry_out(request, request.job, force=force, folder=True)
    if isinstance(made, JobWritten):
        _print_job(made, json)
    elif json:
        print_json(_facts(made))
    elif request.plan_only:
        say(f"planned a crowd of {made.characters:,}: make its parts with --shard K/N")
    else:
        kept = f", {made.kept} {'was' if made.kept == 1 else 'were'} finished before" if made.kept else ""
        rest = f"; {made.missing} are still to be made" if made.missing else f": see {made.folder / 'manifest.json'}"
        shards = "1 shard" if made.made == 1 else f"{made.made} shards"
        say(f"made {shards} of a crowd of {made.characters:,}{kept}{rest}")


def _facts(made: CrowdMade) -> dict[str, object]:
    return {
        "folder": str(made.folder),
        "characters": made.characters,
        "frames": made.frames,
        "shards_made": made.made,
        "shards_kept": made.kept,
        "shards_missing": made.missing,
        "amber": made.count_of("amber"),
        "red": made.count_of("red"),
        "manifest": None if made.missing else str(made.folder / "manifest.json"),
    }


def _print_job(job: JobWritten, json: bool) -> None:
    if json:
        print_json({"written": str(job.path), "parts": job.parts})
        return
    use = "copy it into Flamenco Manager's folder scripts" if job.path.suffix == ".js" else f"openjd run {job.path}"
    many = "1 part" if job.parts == 1 else f"{job.parts} parts"
    say(f"wrote {job.path}: {many}; to use it: {use}")


@app.command
def preview(request: CrowdPreview, *, force: Force = False, json: Json = False) -> None:
    """Look at a crowd: a page that plays it, or a picture.

    **Examples**

    ```
    freshtake crowd preview crowd/ -o crowd.html
    freshtake crowd preview crowd/ --png crowd.png
    ```
    """
    made = carry_out(request, request.out, request.png, force=force)
    if json:
        shown = {"characters": made.characters, "motions": made.motions, "motions_of_the_crowd": made.of}
        print_json({"written": [str(path) for path in made.written], **shown})
    else:
        for path in made.written:
            say(f"wrote {path}: {made.characters} characters, {made.motions} motions")


@app.command
def textures(request: CrowdTextures, *, force: Force = False, json: Json = False) -> None:
    """Write bone matrices as textures, for engines and web pages that draw one mesh many times.

    **Examples**

    ```
    freshtake crowd walk.ftm -n 5000 --mode library -o crowd/
    freshtake crowd textures crowd/ -o textures/
    freshtake crowd textures crowd/ -o textures/ --format png
    ```
    """
    made = carry_out(request, request.out, force=force, folder=True)
    if json:
        print_json({"written": [str(path) for path in made.written], "motions": made.motions, "frames": made.frames})
    else:
        say(f"wrote {request.out}: {made.motions} motions, {made.frames} frames, see bones.json")

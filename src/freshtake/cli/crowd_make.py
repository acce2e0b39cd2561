"""`freshtake crowd`: many characters from a model or a plan."""

from __future__ import annotations

from cyclopts import App

from freshtake.cli.console import Force, Json, carry_out, counted, show
from freshtake.requests.crowd import Crowd, CrowdPreview, CrowdTextures

app = App(name="crowd", help_format="markdown", group_commands="Commands")  # the command below provides its help


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
        use = (
            "copy it into Flamenco Manager's folder scripts" if made.path.suffix == ".js" else f"openjd run {made.path}"
        )
        parts = counted(made.parts, "part")
        show(json, {"written": made.path, "parts": made.parts}, f"wrote {made.path}: {parts}; to use it: {use}")
        return
    manifest = made.folder / "manifest.json"
    facts = {
        "folder": made.folder, "characters": made.characters, "frames": made.frames, "shards_made": made.made,
        "shards_kept": made.kept, "shards_missing": made.missing, "amber": made.count_of("amber"),
        "red": made.count_of("red"), "manifest": None if made.missing else manifest,
    }  # fmt: skip
    if request.plan_only:
        line = f"planned a crowd of {made.characters:,}: make its parts with --shard K/N"
    else:
        kept = f", {made.kept} {'was' if made.kept == 1 else 'were'} finished before" if made.kept else ""
        missing = f"; {made.missing} have not been made yet" if made.missing else f": see {manifest}"
        line = f"made {counted(made.made, 'shard')} of a crowd of {made.characters:,}{kept}{missing}"
    show(json, facts, line)


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
    facts = {"characters": made.characters, "motions": made.motions, "motions_of_the_crowd": made.of}
    lines = (f"wrote {path}: {made.characters} characters, {made.motions} motions" for path in made.written)
    show(json, {"written": made.written, **facts}, *lines)


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
    facts = {"written": made.written, "motions": made.motions, "frames": made.frames}
    show(json, facts, f"wrote {request.out}: {made.motions} motions, {made.frames} frames, see bones.json")

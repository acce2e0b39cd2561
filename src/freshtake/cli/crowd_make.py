"""`freshtake crowd`: many characters from a model or a plan."""

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

    result = carry_out(request, request.job, force=force, folder=True)
    if isinstance(result, JobWritten):
        flamenco = result.path.suffix == ".js"
        use = "copy it into Flamenco Manager's folder scripts" if flamenco else f"openjd run {result.path}"
        parts = counted(result.parts, "part")
        show(json, {"written": result.path, "parts": result.parts}, f"wrote {result.path}: {parts}; to use it: {use}")
        return
    manifest = result.folder / "manifest.json"
    facts = {
        "folder": result.folder, "characters": result.characters, "frames": result.frames, "shards_made": result.made,
        "shards_kept": result.kept, "shards_missing": result.missing, "amber": result.count_of("amber"),
        "red": result.count_of("red"), "manifest": None if result.missing else manifest,
    }  # fmt: skip
    if request.plan_only:
        line = f"planned a crowd of {result.characters:,}: make its parts with --shard K/N"
    else:
        kept = f", {result.kept} {'was' if result.kept == 1 else 'were'} finished before" if result.kept else ""
        missing = f"; {result.missing} have not been made yet" if result.missing else f": see {manifest}"
        line = f"made {counted(result.made, 'shard')} of a crowd of {result.characters:,}{kept}{missing}"
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
    result = carry_out(request, request.out, request.png, force=force)
    facts = {"characters": result.characters, "motions": result.motions, "motions_of_the_crowd": result.of}
    lines = (f"wrote {path}: {result.characters} characters, {result.motions} motions" for path in result.written)
    show(json, {"written": result.written, **facts}, *lines)


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
    result = carry_out(request, request.out, force=force, folder=True)
    facts = {"written": result.written, "motions": result.motions, "frames": result.frames}
    show(json, facts, f"wrote {request.out}: {result.motions} motions, {result.frames} frames, see bones.json")

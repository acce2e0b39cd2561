"""`freshtake texture`: endless, looped and steered motion from one animation of a mesh or skeleton."""

from collections.abc import Iterator, Sequence
from typing import Any

from cyclopts import App

from freshtake.cli.console import Force, Json, carry_out, counted, show, warn
from freshtake.requests.texturing import TextureFigures, TextureLearn, TextureSample, TextureTables

app = App(name="texture", help_format="markdown", group_commands="Commands")


@app.command
def learn(request: TextureLearn, *, force: Force = False, json: Json = False) -> None:
    """Learn where an animation can jump from one frame to another.

    **Examples**

    ```
    freshtake texture learn flag.npz -o flag.ftm
    freshtake texture learn human_walk.npz -o walk.ftm --bits 8
    freshtake texture learn Fox.glb -o fox.ftm --animation Walk
    freshtake texture learn walk_turns.bvh -o steer.ftm --turns
    freshtake texture learn forward=f_1.bvh forward=f_2.bvh left=l.bvh right=r.bvh -o steer.ftm
    ```
    """
    facts = carry_out(request, request.out, request.picture, force=force).facts
    cells = f"; cells {', '.join(facts['cells'])}" if len(facts["cells"]) > 1 else ""
    size = f"; {facts['bytes']:,} bytes"
    if "ratio" in facts:
        size += f", {_times(facts['ratio'])} the vertices and {_times(facts['ratio_to_zipped'])} the same zipped"
    if facts.get("ratio_to_zipped", 1.0) < 1.0 and not json:
        warn(
            f"the model has {1.0 / facts['ratio_to_zipped']:.2g} times the size of the zipped vertices: the mesh is "
            "too short to be compressed this way; --error keeps fewer shapes, --bits 8 stores them more coarsely"
        )
    show(
        json, {"written": request.out, **facts},
        f"wrote {request.out}: {facts['frames']} frames of {facts['motion']} at {facts['fps']:g} fps{cells}{size}; "
        f"next: freshtake texture sample {request.out} --seconds 10 -o new.glb",
    )  # fmt: skip


def _times(ratio: float) -> str:
    """Describe a ratio of sizes without calling a larger file compressed."""
    return f"{ratio:.3g} times less than" if ratio >= 1.0 else f"{1.0 / max(ratio, 1e-9):.3g} times as much as"


@app.command
def sample(request: TextureSample, *, force: Force = False, json: Json = False) -> None:
    """Write new motion: a stretch of endless playback, a loop, or a steered sequence.

    A mesh goes to .npz, to a folder of OBJ files, or to .glb with its modes as morph targets. A skeleton's feet are
    planted where they were in the takes. A loop goes straight, and its file states this.

    **Examples**

    ```
    freshtake texture sample flag.ftm --frames 3600 -o flag.glb
    freshtake texture sample walk.ftm --frames 160 --loop -o walk_loop.bvh
    freshtake texture sample walk.ftm --frames 160 --loop --from 3s --to 9s -o part.bvh
    freshtake texture sample walk.ftm --frames 160 --loop --in-place -o on_the_spot.bvh
    freshtake texture sample walk.ftm --frames 600 --loop --course closed -o round.bvh
    freshtake texture sample walk.ftm --frames 900 --heading 0 --steer 5:heading=90 -o corner.bvh
    freshtake texture sample walk.ftm --frames 900 --path way.csv --speed 1.2 -o along.bvh
    freshtake texture sample steer.ftm --frames 900 --cell forward --steer 3:left 6.5:forward 10:right -o path.bvh
    freshtake texture sample fox.ftm --frames 1200 --character Fox.glb -o fox_for_ever.glb
    ```
    """
    from freshtake.workflows.outputs import path_sentence

    result = carry_out(request, request.out, request.candidates, force=force)
    facts = {"frames": result.frames, "duration_s": round(result.duration, 4), "jumps": result.jumps}
    length = f"{result.frames} frames, {result.duration:.2f} s, {counted(result.jumps, 'jump')}"
    lines = [f"wrote {result.path}: {length}{_loop_text(result.loops, request.candidate)}"]
    if result.followed is not None:
        facts["path"] = result.followed
        lines.append(path_sentence([result.followed], result.motion))
    if result.loops:
        facts |= {"candidate": request.candidate, "candidates": result.loops}
    show(json, {"written": result.path, **facts, "playback": result.playback}, *lines)


def _loop_text(loops: Sequence[dict[str, Any]], candidate: int) -> str:
    if not loops:
        return ""
    chosen = loops[candidate - 1]
    pieces = ", ".join(f"{a}-{b}" for a, b in chosen["pieces"][:4]) + (", …" if len(chosen["pieces"]) > 4 else "")
    speed = "" if chosen["travel"] is None else f" at {chosen['travel']:.2f} times the speed of the take"
    faster = 100.0 * chosen["tempo"] - 100.0
    tempo = f", played {abs(faster):.0f} % {'faster' if faster > 0.0 else 'slower'}" if faster else ""
    return f"; loop {candidate} of {len(loops)}: frames {pieces}{speed}{tempo}"


@app.command
def tables(request: TextureTables, *, json: Json = False) -> None:
    """Print compression ratios with real file sizes, and errors, by number of components (tables 1 and 2 of the paper).

    **Examples**

    ```
    freshtake texture tables human_walk.npz
    ```
    """
    facts = carry_out(request)
    show(json, facts, *_table_lines(facts))


def _table_lines(facts: dict[str, Any]) -> Iterator[str]:
    for path, tables in facts.items():
        yield f"{path}\n  c  bits      bytes   1:raw  1:zipped  E(c)/E(0)"
        for row in tables["compression"]:
            yield (
                f"{row['components']:3d}  {row['bits'] or 32:4d} {row['bytes']:10,} {row['ratio']:7.1f} "
                f"{row['zipped_ratio']:9.1f} {row['relative_error']:10.4f}"
            )
        yield "  c    E per frame   E* (sums)   E printed   E* printed"
        for row in tables["errors"]:
            yield (
                f"{row['components']:3d} {row['position']:14.5f} {row['velocity']:11.4f} "
                f"{row['printed_position']:11.3f} {row['printed_velocity']:12.3f}"
            )


@app.command
def figures(request: TextureFigures, *, force: Force = False, json: Json = False) -> None:
    """Draw how similar a take's frames are, and where it can jump (figs. 3 and 5-9 of the paper).

    **Examples**

    ```
    freshtake texture figures flag.npz -o pictures/
    ```
    """
    paths = carry_out(request, request.out, force=force, folder=True)
    show(json, {"written": paths}, f"wrote {len(paths)} pictures into {request.out}")

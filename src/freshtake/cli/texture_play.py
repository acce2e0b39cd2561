"""`freshtake texture`: endless, looped and steered motion from one animation of a mesh or skeleton."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from freshtake.cli.console import output, print_json, progress_bar, say, warn
from freshtake.cli.option_groups import (
    FINISHING,
    LENGTH,
    LOOP_TRAVEL,
    Finishing,
    Length,
    LoopTravel,
    ModelOutput,
    Output,
    given,
)
from freshtake.cli.options import GroundPath, Heading, Json, Seed, option_group
from freshtake.cli.outputs import Force, prepare_folder
from freshtake.cli.reading import MESH_READING, READING, MeshReading, Reading, files
from freshtake.errors import UsageError

app = App(
    name="texture",
    help="Endless, looped and steered motion from one animation of a mesh or skeleton.",
    help_format="markdown",
    group_commands="Commands",
)


@option_group
class Learning:
    """How frames are described, and where jumps are."""

    components: Annotated[int | None, Parameter(help="How many shapes a mesh is mixed from (modes); default: 10.")] = (
        None
    )
    energy: Annotated[float | None, Parameter(help="Or: the share of the movement that they keep, 0 to 1.")] = None
    error: Annotated[float | None, Parameter(help="Or: how far off vertices may be on average (root mean square).")] = (
        None
    )
    bits: Annotated[
        int | None, Parameter(help="How finely shapes are stored: 8, 16 (default), or 0: in full (float32).")
    ] = None
    parts: Annotated[int | None, Parameter(help="Parts of the mesh with modes of their own; default: 1.")] = None
    normals: Annotated[
        str | None,
        Parameter(
            help="Of a mesh: mixed with its shapes (`joint`, the default), on their own (`own`), or left out (`drop`)."
        ),
    ] = None
    root: Annotated[
        str | None,
        Parameter(
            help="`heading` (default): bodies may jump to any place and way; `absolute`: they stay where they were."
        ),
    ] = None
    jump_time: Annotated[float | None, Parameter(help="Mean seconds from jump to jump; default: 1.5.")] = None
    largest_jump: Annotated[
        float | None,
        Parameter(help="How unlike two frames may be to jump between them, in usual steps; default: from the data."),
    ] = None
    blend: Annotated[
        str | None,
        Parameter(help="How a jump is smoothed: `inertial` (default), `constant`, `variable`, `printed` or `none`."),
    ] = None
    blend_frames: Annotated[int | None, Parameter(help="Length of a blend; default: 1/6 s, or 3.")] = None
    clusters: Annotated[int | None, Parameter(help="Groups of frames with shapes of their own; default: 1.")] = None
    method: Annotated[str | None, Parameter(help="default, or paper: Sattler 2004 to the letter.")] = None
    velocity_components: Annotated[int | None, Parameter(help="Modes of the velocities (c*); default: 5.")] = None
    q: Annotated[float | None, Parameter(help="With --method paper: emphasis of near poses (q), 0 to 1.")] = None
    velocity_q: Annotated[
        float | None, Parameter(help="With --method paper: emphasis of near velocities (q*), 0 to 1.")
    ] = None
    recent: Annotated[int | None, Parameter(help="Last frames that are not jumped back to (m); default: 4.")] = None
    sigma: Annotated[
        float | None, Parameter(help="Instead of --jump-time: how unlike frames may be, as a number (sigma).")
    ] = None


LEARNING = Learning()


@app.command
def learn(
    takes: list[str],
    /,
    *,
    to: ModelOutput,
    turns: Annotated[bool, Parameter(negative="", help="Cut a walk into the cells forward, left and right.")] = False,
    learning: Learning = LEARNING,
    picture: Annotated[Path | None, Parameter(help="Draw the matrices and the jump map here (.png).")] = None,
    reading: MeshReading = MESH_READING,
    json: Json = False,
) -> int:
    """Learn where an animation can be left and entered again.

    **Examples**

    ```
    freshtake texture learn flag.npz -o flag.ftm
    freshtake texture learn human_walk.npz -o walk.ftm --bits 8
    freshtake texture learn Fox.glb -o fox.ftm --animation Walk
    freshtake texture learn walk_turns.bvh -o steer.ftm --turns
    freshtake texture learn forward=f_1.bvh forward=f_2.bvh left=l.bvh right=r.bvh -o steer.ftm
    ```

    Parameters
    ----------
    takes
        Mesh sequences, clips or strokes of one kind; NAME=FILE puts a take into a cell that can be steered to.
    """
    from freshtake.texture.settings import Settings
    from freshtake.workflows import texture_learn

    out = to.prepare(picture)
    settings = Settings(**given(learning))
    with progress_bar() as report:
        learned = texture_learn(
            _by_cell(takes),
            out,
            settings,
            turns=turns,
            picture=picture,
            reading=reading.options(),
            report=report,
            warn=warn,
        )
    _print_learned(out, learned.facts, json)
    return 0


def _by_cell(takes: list[str]) -> list[Path] | dict[str, list[Path]]:
    """Paths, or paths by the name before the equals sign."""
    named = [take.partition("=") for take in takes]
    if not any(sign for _, sign, _ in named) or any(Path(take).exists() for take in takes):
        return files(Path(take) for take in takes)
    if not all(name and path for name, _, path in named):
        raise UsageError("either all takes are NAME=FILE, or none is")
    cells: dict[str, list[Path]] = {}
    for name, _, path in named:
        cells.setdefault(name, []).extend(files([Path(path)]))
    return cells


def _print_learned(out: Path, facts: dict[str, Any], json: bool) -> None:
    if json:
        print_json({"written": str(out), **facts})
        return
    cells = f"; cells {', '.join(facts['cells'])}" if len(facts["cells"]) > 1 else ""
    size = f"; {facts['bytes']:,} bytes"
    if "ratio" in facts:
        size += f", {_times(facts['ratio'])} the vertices and {_times(facts['ratio_to_zipped'])} the same zipped"
    say(
        f"wrote {out}: {facts['frames']} frames of {facts['motion']} at {facts['fps']:g} fps{cells}{size}; "
        f"next: freshtake texture sample {out} --seconds 10 -o new.glb",
    )


def _times(ratio: float) -> str:
    """A size against another, in words that do not call what is larger compressed."""
    return f"{ratio:.3g} times less than" if ratio >= 1.0 else f"{1.0 / max(ratio, 1e-9):.3g} times as much as"


@option_group
class Playing:
    """How long the motion is, and whether it is a loop."""

    length: Length = LENGTH
    loop: Annotated[bool, Parameter(negative="", help="Make a loop of exactly this length.")] = False
    times: Annotated[int, Parameter(help="How many times the loop is written.")] = 1
    variety: Annotated[float, Parameter(help="How strongly a loop avoids repeating itself; 0: not at all.")] = 1.0
    stretch: Annotated[
        float | None, Parameter(help="Share by which a loop's tempo may differ from the takes'; default: 0.12.")
    ] = None
    start: Annotated[
        str | None,
        Parameter(name="--from", help="Make a loop only of what follows this moment of the take: 180, or 3s."),
    ] = None
    end: Annotated[
        str | None, Parameter(name="--to", help="Make a loop only of what comes before this moment: 540, or 9s.")
    ] = None
    candidate: Annotated[
        int, Parameter(help="Which of the loops that were found, the best first; `--json` lists them.")
    ] = 1
    candidates: Annotated[Path | None, Parameter(help="Draw all loops that were found here (.png).")] = None


PLAYING = Playing()


@option_group
class Steered:
    """Where the motion goes."""

    cell: Annotated[str | None, Parameter(help="The cell to start in.")] = None
    steer: Annotated[
        list[str] | None,
        Parameter(
            consume_multiple=True,
            help="SECONDS:CELL, SECONDS:heading=DEGREES or SECONDS:speed=NUMBER, what to do at which time.",
        ),
    ] = None
    heading: Heading = None
    path: GroundPath = None
    speed: Annotated[float | None, Parameter(help="Go at this speed, in lengths a second, as far as tempo allows.")] = (
        None
    )
    course: Annotated[
        str | None,
        Parameter(
            help="Where a loop goes: straight (default where it travels), closed (back to its start), free (as the "
            "frames turn), or by how many degrees it turns, such as 90."
        ),
    ] = None


STEERED = Steered()


@option_group
class Writing:
    """How the motion is written."""

    travel: LoopTravel = LOOP_TRAVEL
    finishing: Finishing = FINISHING


WRITING = Writing()


@app.command
def sample(
    model: Path,
    /,
    *,
    to: Output,
    playing: Playing = PLAYING,
    steered: Steered = STEERED,
    writing: Writing = WRITING,
    seed: Seed = 0,
    json: Json = False,
) -> int:
    """Write new motion: a piece of endless play, a loop, or a steered sequence.

    A mesh goes to .npz, to a folder of OBJ files, or to .glb with its modes as morph targets. Feet of a skeleton stand
    where they stood in the takes. A loop goes straight and says so in its file.

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

    Parameters
    ----------
    model
        A model that `freshtake texture learn` wrote.
    """
    from freshtake.workflows import texture_sample
    from freshtake.workflows.lengths import moment_of
    from freshtake.workflows.motion_delivering import turn_note
    from freshtake.workflows.path_following import path_sentence
    from freshtake.workflows.texture_playing import guide_of
    from freshtake.workflows.texture_sampling import PlayOptions, PlayRoute

    out, course = to.prepare(playing.candidates), steered.course
    is_guided = not (steered.heading is None and steered.path is None and steered.speed is None)
    guide = guide_of(steered.heading, steered.path, steered.speed) if is_guided else None
    with progress_bar() as report:
        result = texture_sample(
            model, out, playing.length.value(),
            options=PlayOptions(
                playing.loop, playing.variety, playing.stretch, playing.times,
                PlayRoute(steered.cell, _plan(steered.steer or []), guide, _course(course)), seed,
                (moment_of(playing.start), moment_of(playing.end)), playing.candidate, playing.candidates,
            ),
            finish=writing.finishing.value(writing.travel.value()), report=report, warn=warn,
        )  # fmt: skip
    if course is None and (note := turn_note([result.playback])) is not None:
        warn(note)
    if json:
        facts = {"frames": result.frames, "duration_s": round(result.duration, 4), "jumps": result.jumps}
        path_facts = {} if result.followed is None else {"path": result.followed._asdict()}
        loops = {"candidate": playing.candidate, "candidates": list(result.loops)} if result.loops else {}
        print_json({"written": str(result.path), **facts, **path_facts, **loops, "playback": result.playback})
    else:
        jumps = f"{result.jumps} jump{'s' * (result.jumps != 1)}"
        text = f"wrote {result.path}: {result.frames} frames, {result.duration:.2f} s, {jumps}"
        say(text + _loop_text(result.loops, playing.candidate))
        if result.followed is not None:
            say(path_sentence([result.followed], result.motion))
    return 0


def _loop_text(loops: Sequence[dict[str, Any]], candidate: int) -> str:
    """Name the loop that was chosen among the candidates."""
    if not loops:
        return ""
    chosen = loops[candidate - 1]
    pieces = ", ".join(f"{a}-{b}" for a, b in chosen["pieces"][:4]) + (", …" if len(chosen["pieces"]) > 4 else "")
    speed = "" if chosen["travel"] is None else f" at {chosen['travel']:.2f} times the speed of the take"
    return f"; loop {candidate} of {len(loops)}: frames {pieces}{speed}"


def _course(text: str | None) -> str | float | None:
    """A course by its name, or as a number of degrees."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _plan(stops: list[str]) -> list[tuple[float, str]]:
    plan = []
    for stop in stops:
        when, _, name = stop.partition(":")
        try:
            seconds = float(when)
        except ValueError:
            seconds = -1.0
        if not (0.0 <= seconds < 1e9 and name):
            raise UsageError(f"--steer wants SECONDS:CELL, such as 3:left, or 3:heading=90, not {stop!r}")
        plan.append((seconds, name))
    return plan


@app.command
def tables(
    meshes: list[Path],
    /,
    *,
    reading: Reading = READING,
    json: Json = False,
) -> int:
    """Print compression ratios with real file sizes, and errors, by number of components (tables 1 and 2 of the paper).

    **Examples**

    ```
    freshtake texture tables human_walk.npz
    ```
    """
    from freshtake.formats.registry import read
    from freshtake.motion import MeshSequence
    from freshtake.motion.kind_words import kind_word
    from freshtake.workflows import compression_table, error_table

    facts: dict[str, Any] = {}
    for path in files(meshes):
        mesh = read(path, **{**reading.options(), "mesh": True})
        if not isinstance(mesh, MeshSequence):
            raise UsageError(f"{path}: the tables are of mesh sequences, not of a {kind_word(mesh)}")
        most = min(10, len(mesh))
        choices = [(c, 0) for c in (1, 2, 4, 6, 8, 10) if c <= most] + [(most, 16), (most, 8)]
        with progress_bar() as report:
            sizes = compression_table(mesh, choices, report)
        facts[str(path)] = {
            "compression": [row._asdict() for row in sizes],
            "errors": [row._asdict() for row in error_table(mesh)],
        }
    if json:
        print_json(facts)
    else:
        _print_tables(facts)
    return 0


def _print_tables(facts: dict[str, Any]) -> None:
    console = output()
    for path, tables in facts.items():
        console.print(f"{path}\n  c  bits      bytes   1:raw  1:zipped  E(c)/E(0)", markup=False)
        for row in tables["compression"]:
            console.print(
                f"{row['components']:3d}  {row['bits'] or 32:4d} {row['bytes']:10,} {row['ratio']:7.1f} "
                f"{row['zipped_ratio']:9.1f} {row['relative_error']:10.4f}",
                markup=False,
            )
        console.print("  c    E per frame   E* (sums)   E printed   E* printed", markup=False)
        for row in tables["errors"]:
            console.print(
                f"{row['components']:3d} {row['position']:14.5f} {row['velocity']:11.4f} "
                f"{row['printed_position']:11.3f} {row['printed_velocity']:12.3f}",
                markup=False,
            )


@app.command
def figures(
    take: Path,
    /,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"], help="Folder for the pictures; new or empty.")],
    force: Force = False,
    reading: MeshReading = MESH_READING,
    seed: Seed = 0,
    json: Json = False,
) -> int:
    """Draw how alike a take's frames are, and where it can be left and entered (figs. 3 and 5-9 of the paper).

    **Examples**

    ```
    freshtake texture figures flag.npz -o pictures/
    ```
    """
    from freshtake.workflows import texture_study_draw

    prepare_folder(out, force=force)
    with progress_bar() as report:
        paths = texture_study_draw(take, out, seed=seed, report=report, **reading.options())
    if json:
        print_json({"written": [str(path) for path in paths]})
    else:
        say(f"wrote {len(paths)} pictures into {out}")
    return 0

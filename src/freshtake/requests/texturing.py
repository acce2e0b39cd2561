"""Endless, looped and steered motion from one animation: learn it, and play it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from freshtake.requests.fields import (
    Finishing,
    Heading,
    Length,
    LoopTravel,
    MeshReading,
    ModelOut,
    Option,
    Out,
    OutNames,
    Reading,
    Request,
    Seed,
    Steer,
)


@dataclass(frozen=True, kw_only=True)
class TextureLearning(Request):
    """How frames are described, and where jumps are, wherever takes come from."""

    turns: Annotated[bool, Option("Cut a walk into the cells forward, left and right.")] = False
    components: Annotated[int | None, Option("How many shapes a mesh is mixed from (modes); default: 10.")] = None
    energy: Annotated[float | None, Option("Or: the share of the movement that they keep, 0 to 1.")] = None
    error: Annotated[float | None, Option("Or: how far off vertices may be on average (root mean square).")] = None
    bits: Annotated[int | None, Option("How finely shapes are stored: 8, 16 (default), or 0: in full (float32).")] = (
        None
    )
    parts: Annotated[int | None, Option("Parts of the mesh with separate modes; default: 1.")] = None
    normals: Annotated[
        str | None,
        Option("Normals of a mesh: mixed with its shapes (`joint`, the default), apart (`own`), or left out (`drop`)."),
    ] = None
    root: Annotated[
        str | None,
        Option("`heading` (default): bodies may jump to any place and heading; `absolute`: they stay where they were."),
    ] = None
    jump_time: Annotated[float | None, Option("Mean seconds from jump to jump; default: 1.5.")] = None
    largest_jump: Annotated[
        float | None,
        Option("How unlike two frames may be to jump between them, in usual steps; default: from the data."),
    ] = None
    blend: Annotated[
        str | None,
        Option("How a jump is smoothed: `inertial` (default), `constant`, `variable`, `printed` or `none`."),
    ] = None
    blend_frames: Annotated[int | None, Option("Length of a blend; default: 1/6 s, or 3.")] = None
    method: Annotated[str | None, Option("`default`, or `paper`: Sattler 2004 to the letter.")] = None
    velocity_components: Annotated[int | None, Option("Modes of the velocities (c*); default: 5.")] = None
    q: Annotated[float | None, Option("With --method paper: emphasis of near poses (q), 0 to 1.")] = None
    velocity_q: Annotated[float | None, Option("With --method paper: emphasis of near velocities (q*), 0 to 1.")] = None
    recent: Annotated[int | None, Option("Last frames that are not jumped back to (m); default: 4.")] = None
    sigma: Annotated[float | None, Option("Instead of --jump-time: how unlike frames may be, as a number (sigma).")] = (
        None
    )


@dataclass(frozen=True, kw_only=True)
class TextureLearn(TextureLearning, MeshReading):
    """Learn where an animation can be left and entered again."""

    takes: Annotated[
        list[str],
        Option(
            "Mesh sequences, clips or strokes of one kind; NAME=FILE puts a take into a cell that can be steered to.",
            positional=True,
        ),
    ]
    out: ModelOut
    picture: Annotated[Path | None, Option("Draw the matrices and the jump map here (.png).")] = None


@dataclass(frozen=True, kw_only=True)
class Playing(Length):
    """How long a motion is, whether it is a loop, and where it goes."""

    loop: Annotated[bool, Option("Make a loop of this length, or of the nearest that the take has.")] = False
    times: Annotated[int, Option("How many times the loop is written.", least=1, most=1_000_000)] = 1
    variety: Annotated[
        float, Option("How strongly a loop avoids repeating itself; 0: not at all.", least=0.0, most=1e6)
    ] = 1.0
    stretch: Annotated[
        float | None,
        Option("Share by which a loop's tempo may differ from the takes'; default: 0.05.", least=0.0, most=0.5),
    ] = None
    start: Annotated[
        str | None,
        Option("Make a loop only of what follows this moment of the take: 180, or 3s.", names=("--from",)),
    ] = None
    end: Annotated[
        str | None, Option("Make a loop only of what comes before this moment: 540, or 9s.", names=("--to",))
    ] = None
    candidate: Annotated[
        int, Option("Which of the loops that were found, the best first; `--json` lists them.", least=1, most=1000)
    ] = 1
    jump_time: Annotated[float | None, Option("Mean seconds from jump to jump; default: as learned.", above=0.0)] = None
    cell: Annotated[
        str | None, Option("The cell to start in, or that a loop is made of.", names=("--cell", "--action"))
    ] = None
    steer: Annotated[
        list[str] | None,
        Option("SECONDS:CELL, SECONDS:heading=DEGREES or SECONDS:speed=NUMBER, what to do at which time."),
    ] = None
    heading: Heading = None
    speed: Annotated[float | None, Option("Go at this speed, in lengths a second, as far as tempo allows.")] = None
    course: Annotated[
        str | float | None,
        Option(
            "Where a loop goes: straight (default where it travels), closed (back to its start), free (as the frames "
            "turn), or by how many degrees it turns, such as 90."
        ),
    ] = None
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class TextureSample(Playing, Steer, LoopTravel, Finishing):
    """Write new motion: a piece of endless play, a loop, or a steered sequence."""

    model: Annotated[Path, Option("A model that `freshtake texture learn` wrote.", positional=True)]
    out: Out
    candidates: Annotated[Path | None, Option("Draw all loops that were found here (.png).")] = None


@dataclass(frozen=True, kw_only=True)
class TextureTables(Reading):
    """Measure compression ratios and errors by the number of components."""

    meshes: Annotated[list[Path], Option("Mesh sequences.", positional=True)]


@dataclass(frozen=True, kw_only=True)
class TextureFigures(MeshReading):
    """Draw how alike a take's frames are, and where it can be left and entered."""

    take: Annotated[Path, Option("A mesh sequence, clip or stroke.", positional=True)]
    out: Annotated[Path, Option("Folder for the pictures; new or empty.", names=OutNames)]
    seed: Seed = 0

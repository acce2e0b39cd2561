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
    """Settings for learning a texture, whatever the source of the takes."""

    turns: Annotated[bool, Option("Cut a walk into the cells forward, left and right.")] = False
    components: Annotated[int | None, Option("How many shapes a mesh is mixed from (modes); default: 10.")] = None
    energy: Annotated[float | None, Option("Or: the fraction of the movement that they keep, 0 to 1.")] = None
    error: Annotated[float | None, Option("Or: how far off vertices may be on average (root mean square).")] = None
    bits: Annotated[int | None, Option("Bits per number in stored shapes: 8, 16 (default), 0 full (float32).")] = None
    parts: Annotated[int | None, Option("Parts of the mesh with separate modes; default: 1.")] = None
    normals: Annotated[
        str | None,
        Option("Normals of a mesh: mixed with its shapes (`joint`, the default), separately (`own`), or `drop`."),
    ] = None
    root: Annotated[
        str | None,
        Option("`heading` (default): jumps ignore where bodies are and which way they face; `absolute`: they do not."),
    ] = None
    jump_time: Annotated[float | None, Option("Mean seconds from jump to jump; default: 1.5.")] = None
    largest_jump: Annotated[
        float | None,
        Option("How different two frames may be for a jump between them, in usual steps; default: from the data."),
    ] = None
    blend: Annotated[
        str | None, Option("How to smooth a jump: `inertial` (default), `constant`, `variable`, `printed` or `none`.")
    ] = None
    blend_frames: Annotated[int | None, Option("Length of a blend; default: 1/6 s, or 3.")] = None
    method: Annotated[str | None, Option("`default`, or `paper`: Sattler 2004 to the letter.")] = None
    velocity_components: Annotated[int | None, Option("Modes of the velocities (c*); default: 5.")] = None
    q: Annotated[float | None, Option("With --method paper: emphasis on near poses (q), 0 to 1.")] = None
    velocity_q: Annotated[float | None, Option("With --method paper: emphasis on near velocities (q*), 0 to 1.")] = None
    recent: Annotated[int | None, Option("How many recent frames are not jumped back to (m); default: 4.")] = None
    sigma: Annotated[float | None, Option("Instead of --jump-time: how different frames may be (sigma).")] = None


@dataclass(frozen=True, kw_only=True)
class TextureLearn(TextureLearning, MeshReading):
    """Learn where an animation can jump from one frame to another."""

    takes: Annotated[
        list[str],
        Option(
            "Mesh sequences, clips or strokes of one kind; NAME=FILE puts a take into a cell, to steer to by name.",
            positional=True,
        ),
    ]
    out: ModelOut
    picture: Annotated[Path | None, Option("Draw the matrices and the jump map here (.png).")] = None


@dataclass(frozen=True, kw_only=True)
class Playing(Length):
    """Settings for playing a texture: length, loop or not, and direction."""

    loop: Annotated[bool, Option("Make a loop of this length, or of the nearest length that the take allows.")] = False
    times: Annotated[int, Option("How many times to write the loop.", least=1, most=1_000_000)] = 1
    variety: Annotated[float, Option("How much a loop avoids repetition; 0: not at all.", least=0.0, most=1e6)] = 1.0
    stretch: Annotated[
        float | None,
        Option("How far a loop's tempo may be from the takes', as a fraction; default: 0.05.", least=0.0, most=0.5),
    ] = None
    start: Annotated[
        str | None, Option("Make the loop only from the take after this moment: frame 180, or 3s.", names=("--from",))
    ] = None
    end: Annotated[
        str | None, Option("Make the loop only from the take before this moment: frame 540, or 9s.", names=("--to",))
    ] = None
    candidate: Annotated[int, Option("Which of the loops, best first; `--json` lists them.", least=1, most=1000)] = 1
    jump_time: Annotated[float | None, Option("Mean seconds from jump to jump; default: as learned.", above=0.0)] = None
    cell: Annotated[str | None, Option("The cell to start in, or to make a loop of.", names=("--cell", "--action"))] = (
        None
    )
    steer: Annotated[
        list[str] | None, Option("What to do and when: SECONDS:CELL, SECONDS:heading=DEGREES or SECONDS:speed=NUMBER.")
    ] = None
    heading: Heading = None
    speed: Annotated[float | None, Option("Ground speed in the unit of length per second, if the tempo allows.")] = None
    course: Annotated[
        str | float | None,
        Option(
            "Where a loop goes: straight (default if it travels), closed (back to its start), free (as the frames "
            "turn), or by how many degrees it turns, such as 90."
        ),
    ] = None
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class TextureSample(Playing, Steer, LoopTravel, Finishing):
    """Write new motion: a stretch of endless playback, a loop, or a steered sequence."""

    model: Annotated[Path, Option("A model that `freshtake texture learn` wrote.", positional=True)]
    out: Out
    candidates: Annotated[Path | None, Option("Draw all loops found (.png).")] = None


@dataclass(frozen=True, kw_only=True)
class TextureTables(Reading):
    """Measure compression ratios and errors for different numbers of components."""

    meshes: Annotated[list[Path], Option("Mesh sequences.", positional=True)]


@dataclass(frozen=True, kw_only=True)
class TextureFigures(MeshReading):
    """Draw how similar a take's frames are, and where it can jump."""

    take: Annotated[Path, Option("A mesh sequence, clip or stroke.", positional=True)]
    out: Annotated[Path, Option("Folder for the pictures; new or empty.", names=OutNames)]
    seed: Seed = 0

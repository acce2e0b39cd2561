"""Options that several commands share, each spelled and explained once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

Out = Annotated[Path, Parameter(name=["--out", "-o"], help="Where the result goes.")]
Json = Annotated[bool, Parameter(name="--json", negative="", help="Print a machine-readable summary alone on stdout.")]
SkeletonFile = Annotated[
    Path | None, Parameter(help="The .asf that belongs to an .amc; default: the only one in its folder.")
]
SourceFps = Annotated[
    float | None, Parameter(help="Frames per second of files that do not say (AMC: 120, OBJ folders: 30).")
]
Unit = Annotated[
    float | None, Parameter(help="Metres per unit of length, where the file does not say (0.01 for centimetres).")
]
Animation = Annotated[str | None, Parameter(help="Name or number of one of several animations in a glTF file.")]
Mesh = Annotated[bool, Parameter(negative="", help="Read a glTF character as a baked mesh sequence.")]
Seed = Annotated[int, Parameter(help="The same seed gives the same result.")]
Amount = Annotated[
    float, Parameter(help="How far variants differ, 0 to 2: 0 gives the mean motion, 1 the variety of the examples.")
]
AmountOfTime = Annotated[float | None, Parameter(help="The same for timing; default: as --amount.")]
Parts = Annotated[
    tuple[str, ...],
    Parameter(
        name="--part", negative="", help="An amount for a body part, joint or DOF, such as arms=1.5; may be repeated."
    ),
]
Plant = Annotated[bool, Parameter(help="Hold feet where they stand.")]
Lock = Annotated[
    Literal["soft", "hard"],
    Parameter(help="How still feet stand: soft, with the small movement of real ones, or hard."),
]
Heading = Annotated[float | None, Parameter(help="Keep this heading, in degrees from that of the start.")]
GroundPath = Annotated[Path | None, Parameter(name="--path", help="Follow a way over the ground: CSV with x,z or x,y.")]

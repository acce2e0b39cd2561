"""Options that several commands share, each spelled and explained once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeVar, dataclass_transform

from cyclopts import Parameter, Token

from freshtake.errors import UsageError

Group = TypeVar("Group")


@dataclass_transform(frozen_default=True)
def option_group(group: type[Group]) -> type[Group]:
    """A class of options that belong together: its fields are options of the command that takes one."""
    return Parameter(name="*")(dataclass(frozen=True)(group))


Files = Annotated[list[Path] | None, Parameter(consume_multiple=True, negative="")]
Out = Annotated[Path, Parameter(name=["--out", "-o"], help="Where the result goes.")]
Json = Annotated[bool, Parameter(name="--json", negative="", help="Print a machine-readable summary alone on stdout.")]
SkeletonFile = Annotated[
    Path | None, Parameter(help="The .asf that belongs to an .amc; default: the only one in its folder.")
]
SourceFps = Annotated[
    float | None,
    Parameter(
        help="Frames per second of files that do not state it (AMC: 120, OBJ folders: 30); others are resampled."
    ),
]


def _metres(_: object, tokens: Sequence[Token]) -> float:
    """A unit by its name, or as a number of metres."""
    from freshtake.motion.body.size import UNITS

    text = tokens[0].value
    for unit in UNITS:
        if text.lower() in (unit.short, unit.name, unit.name.removesuffix("s")):
            return unit.metres
    try:
        return float(text)
    except ValueError:
        names = ", ".join(unit.short for unit in UNITS)
        raise UsageError(f"{text!r} is not a unit of length: give one of {names}, or metres per unit") from None


Unit = Annotated[
    float | None,
    Parameter(
        converter=_metres,
        help="Unit of length, where the file does not state it: m, cm, mm, in, ft, cmu, or metres per unit.",
    ),
]
Up = Annotated[
    str | None,
    Parameter(help="The axis that points up in the files, y or z; default: as they state, or from the body."),
]
Animation = Annotated[str | None, Parameter(help="Name or number of one of several animations in a file.")]
Mesh = Annotated[bool, Parameter(negative="", help="Read a glTF or FBX character as a baked mesh sequence.")]
Ending = Annotated[
    str | None, Parameter(help="Kind of the files in a folder, such as glb; default: as the takes (of AMC: bvh).")
]
Seed = Annotated[int, Parameter(help="The same seed gives the same result.")]
Amount = Annotated[
    float, Parameter(help="How far variants differ, 0 to 4: 0 gives the mean motion, 1 the variety of the examples.")
]
AmountOfTime = Annotated[float | None, Parameter(help="The same for timing; default: as --amount.")]
Parts = Annotated[
    tuple[str, ...],
    Parameter(
        name="--part", negative="", help="An amount for a body part or joint, such as arms=1.5; may be repeated."
    ),
]
Plant = Annotated[bool, Parameter(help="Hold feet where they stand.")]
Character = Annotated[
    Path | None,
    Parameter(
        help="Put the motion onto this character (glTF or FBX with a skin, or a skeleton); other joints are retargeted."
    ),
]
BodyMaps = Annotated[
    Path | None,
    Parameter(name="--map", help="Which joints are which part of the body (TOML or JSON); default: detected."),
]
ClosingFrame = Annotated[
    bool,
    Parameter(negative="", help="Repeat the first frame at the end of a loop, for players that need both ends."),
]
RootMotion = Annotated[
    Literal["hips", "joint", "none"] | None,
    Parameter(help="Where the travel is: hips (default), joint (a root joint above them), none (in place)."),
]
InPlace = Annotated[
    bool,
    Parameter(negative="", help="Take the travel out; speed and direction go into --json, glTF and npz."),
]
Lock = Annotated[
    Literal["soft", "hard"],
    Parameter(help="How still feet stand: soft keeps the small movement of real feet, hard has none."),
]
Heading = Annotated[float | None, Parameter(help="Keep this heading, in degrees from that of the start.")]
GroundPath = Annotated[
    Path | None,
    Parameter(
        name="--path",
        help="Follow a path on the ground, from its first point: CSV with x,z or x,y, in the clip's unit.",
    ),
]

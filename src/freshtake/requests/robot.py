"""Motion for robots."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from freshtake.requests.fields import Option
from freshtake.requests.shared import KeepGoing, OutNames, Reading


@dataclass(frozen=True, kw_only=True)
class Robot(Reading):
    """Put clips onto a robot, within its joint limits."""

    clips: Annotated[
        list[Path], Option("Clips of bodies with two arms and two legs: takes, or variants.", positional=True)
    ]
    onto: Annotated[Path, Option("The robot: a URDF, or a MuJoCo model (.xml).")]
    out: Annotated[Path, Option("A folder, or a file for one clip: .csv, .npz or .pkl.", names=OutNames)]
    format: Annotated[
        Literal["csv", "npz", "pkl"] | None,
        Option("Kind of the files: csv (default), npz, or pkl (the pickle that GMR writes, which MimicKit converts)."),
    ] = None
    keep_going: KeepGoing = False

"""Options for reading and writing: facts that files do not state."""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import TypedDict

from freshtake.errors import UsageError
from freshtake.motion import Clip, MeshSequence, PointClip, Stroke
from freshtake.motion.validation import UP_AXES

Motion = Clip | Stroke | PointClip | MeshSequence


def choose_for(motion: object) -> str:
    """Return the remedy of an error: the formats that can hold a motion."""
    if isinstance(motion, MeshSequence):
        return "choose .npz, .abc or a folder of OBJ files; `freshtake texture learn` and `sample` write meshes as .glb"
    return "choose .npz, .bvh or .glb" if isinstance(motion, Clip) else "choose .npz or .csv"


def _python_warning(message: str) -> None:
    warnings.warn(message, stacklevel=4)


@dataclass(frozen=True)
class ReadOptions:
    """`skeleton`: the ASF of an AMC. `fps`: for files without a rate. `unit_m`: metres per unit, if not stated.

    `rate`: frames per second to which the motion is resampled.
    `up`: the vertical axis, y or z, if the format does not fix it; default: from the file, or from the body.
    `animation`: name or number of one of the file's animations. `mesh`: bake a skinned glTF or FBX character into a
    mesh sequence instead of reading its skeleton. `warn` receives one sentence for each thing that had to be assumed.
    """

    skeleton: str | PathLike[str] | None = None
    fps: float | None = None
    rate: float | None = None
    unit_m: float | None = None
    up: str | None = None
    animation: str | int | None = None
    mesh: bool = False
    warn: Callable[[str], None] = _python_warning

    def __post_init__(self) -> None:
        for name, value in (("fps", self.fps), ("rate", self.rate), ("unit_m", self.unit_m)):
            if value is not None and not (math.isfinite(value) and value > 0):
                raise UsageError(f"{name} must be a finite number above 0, but is {value:g}")
        if self.up is not None and self.up not in UP_AXES:
            raise UsageError(f"up must be one of {', '.join(UP_AXES)}, but is {self.up!r}")


class ReadKeywords(TypedDict, total=False):
    """The fields of `ReadOptions` as keywords, which editors complete."""

    skeleton: str | PathLike[str] | None
    fps: float | None
    rate: float | None
    unit_m: float | None
    up: str | None
    animation: str | int | None
    mesh: bool
    warn: Callable[[str], None]


@dataclass(frozen=True)
class WriteOptions:
    """`unit_m`: metres per unit for formats that need it. `character`: a glTF or FBX file to animate.

    `warn` receives one sentence for each thing that had to be assumed.
    """

    unit_m: float | None = None
    character: str | PathLike[str] | None = None
    warn: Callable[[str], None] = _python_warning


class WriteKeywords(TypedDict, total=False):
    """The fields of `WriteOptions` as keywords, which editors complete."""

    unit_m: float | None
    character: str | PathLike[str] | None
    warn: Callable[[str], None]

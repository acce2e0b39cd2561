"""Motion that changes between classes: learn them, and blend them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from freshtake.requests.fields import (
    Finishing,
    Length,
    ModelOut,
    Option,
    Out,
    OutNames,
    Reading,
    Request,
    Seed,
    Steer,
    Travel,
)


@dataclass(frozen=True, kw_only=True)
class Classes(Request):
    """Settings for learning classes, whatever the source of their takes."""

    method: Annotated[
        str | None,
        Option(
            "`default` blends, `switch` plays one class at a time, `paper` keeps to the paper, `aligned` is its eq. 5."
        ),
    ] = None
    poses: Annotated[str | None, Option("Describe poses by `positions`, or rotations as `expmap` or `euler`.")] = None
    energy: Annotated[float | None, Option("Fraction of the movement (energy) to keep, 0 to 1; default: 0.95.")] = None
    modes: Annotated[int | None, Option("Or how many patterns of movement to keep (modes).")] = None
    alpha: Annotated[
        float | None, Option("How near poses must be to count as similar (kernel widths); default: 0.25.")
    ] = None
    search: Annotated[
        str | None,
        Option("How `paper` climbs the density: `coordinate` (default), `kernels`, `mean shift` or `powell`."),
    ] = None
    acyclic: Annotated[tuple[str, ...], Option("Classes that do not repeat in cycles; default: detected.")] = ()
    residuals: Annotated[bool, Option("Keep the fine detail too, to restore it later.")] = True
    alone: Annotated[bool, Option("Allow a single class, only to synthesize it.")] = False
    common: Annotated[bool, Option("Use only the markers present in all takes.")] = False


@dataclass(frozen=True, kw_only=True)
class BlendLearn(Classes, Reading):
    """Learn two or more classes of motion."""

    classes: Annotated[
        list[str],
        Option("NAME=CLIP or NAME=FOLDER for each class; more clips of a class can follow it.", positional=True),
    ]
    out: ModelOut


@dataclass(frozen=True, kw_only=True)
class Blend(Length):
    """The classes that a motion follows over time, and its speed."""

    weights: Annotated[
        str | None,
        Option('"walk:1", "walk:0.7,run:0.3", "walk:1->run:1": linear over the motion. Default: the first class.'),
    ] = None
    method: Annotated[str | None, Option("`default`, `switch`, `paper` or `aligned`; default: as learned.")] = None
    speed: Annotated[
        float | None, Option("Ground speed, in the takes' unit of length per second; determines the weights.")
    ] = None
    turn: Annotated[float | None, Option("Turn by this many degrees per second, to the left.")] = None
    residuals: Annotated[bool, Option("Restore the fine detail.")] = True
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class BlendSample(Blend, Steer, Travel, Finishing):
    """Write motion whose class follows weights over time."""

    model: Annotated[Path, Option("A model that `freshtake blend learn` wrote.", positional=True)]
    out: Out


@dataclass(frozen=True, kw_only=True)
class BlendReport(Request):
    """Draw a model: modes, densities, synthesized paths, and how long synthesis lasts."""

    model: Annotated[Path, Option("A model that `freshtake blend learn` wrote.", positional=True)]
    out: Annotated[Path, Option("A page (.html) or a folder.", names=OutNames)]
    seed: Seed = 0

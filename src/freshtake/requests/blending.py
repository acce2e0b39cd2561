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
    """How classes are learned, wherever their takes come from."""

    method: Annotated[
        str | None,
        Option("`default`: blends; `switch`: one class at a time; `paper`: to the letter; `aligned` (eq. 5)."),
    ] = None
    poses: Annotated[
        str | None,
        Option("What clips are described by: `positions` of joints, or their rotations as `expmap` or `euler`."),
    ] = None
    energy: Annotated[
        float | None,
        Option("Share of the movement that is kept exactly, 0 to 1; default: 0.95 (energy of the eigenspace)."),
    ] = None
    modes: Annotated[int | None, Option("Or how many ways of moving together are kept (modes).")] = None
    alpha: Annotated[
        float | None, Option("How far around a pose others count as like it; default: 0.25 (kernel widths).")
    ] = None
    search: Annotated[
        str | None,
        Option("How `paper` climbs the density: `coordinate` (default), `kernels`, `mean shift` or `powell`."),
    ] = None
    acyclic: Annotated[
        tuple[str, ...], Option("Classes that do not repeat in cycles; default: found from the takes.")
    ] = ()
    residuals: Annotated[bool, Option("Keep the fine detail too, to be given back.")] = True
    alone: Annotated[bool, Option("Allow a single class, to be synthesized.")] = False
    common: Annotated[bool, Option("Use only the markers that all takes have.")] = False


@dataclass(frozen=True, kw_only=True)
class BlendLearn(Classes, Reading):
    """Learn two or more classes of motion."""

    classes: Annotated[
        list[str],
        Option("NAME=CLIP or NAME=FOLDER; more clips of a class follow it, or repeat NAME=.", positional=True),
    ]
    out: ModelOut


@dataclass(frozen=True, kw_only=True)
class Blend(Length):
    """Which classes are followed when, and how fast."""

    weights: Annotated[
        str | None,
        Option('"walk:1", "walk:0.7,run:0.3", "walk:1->run:1": linear over the motion. Default: the first class.'),
    ] = None
    method: Annotated[
        str | None, Option("`default`, `switch`, `paper` or `aligned`, as in `blend learn`; default: as learned.")
    ] = None
    speed: Annotated[
        float | None, Option("Lengths per second over the ground; chooses the weights, between those of classes.")
    ] = None
    turn: Annotated[float | None, Option("Turn by this many degrees per second, to the left.")] = None
    residuals: Annotated[bool, Option("Give back the fine detail.")] = True
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class BlendSample(Blend, Steer, Travel, Finishing):
    """Write motion whose class follows weights over time."""

    model: Annotated[Path, Option("A model that `freshtake blend learn` wrote.", positional=True)]
    out: Out


@dataclass(frozen=True, kw_only=True)
class BlendReport(Request):
    """Draw a model: modes, densities, synthesized paths, and how long synthesis holds."""

    model: Annotated[Path, Option("A model that `freshtake blend learn` wrote.", positional=True)]
    out: Annotated[Path, Option("A page (.html) or a folder.", names=OutNames)]
    seed: Seed = 0

"""A motion in another style: learn a style, apply it, align two motions, and gaits as sliders."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from freshtake.requests.fields import (
    Ending,
    Feet,
    KeepGoing,
    Length,
    ModelOut,
    OnCharacter,
    Option,
    OutNames,
    Reading,
    Request,
    Unit,
    numbers_of,
)

STRONGEST = 2.0  # same limit as in `style.columns`, which refuses larger values
_WEIGHTS = partial(numbers_of, alone=1.0)
Page = Annotated[Path | None, Option("Report: a page (.html), or a folder with figures and pictures.")]


@dataclass(frozen=True, kw_only=True)
class StyleLearning(Request):
    """Settings for learning a style, whatever the source of its takes."""

    order: Annotated[
        int | None,
        Option("How much each joint remembers (states); 0: nothing; default: from the data.", least=0, most=40),
    ] = None


@dataclass(frozen=True, kw_only=True)
class StyleLearn(StyleLearning, Reading):
    """Learn how one style becomes another from pairs of clips with the same content."""

    source: Annotated[list[Path], Option("Clips in the source style, or a folder.")]
    target: Annotated[list[Path], Option("Clips in the target style, or a folder.")]
    out: ModelOut
    report: Page = None


@dataclass(frozen=True, kw_only=True)
class Styling(Feet):
    """Settings for applying a style."""

    strength: Annotated[
        float, Option("0 leaves the clip as it is, 1 gives the style, more exaggerates.", least=0.0, most=STRONGEST)
    ] = 1.0
    parts: Annotated[
        Mapping[str, float],
        Option(
            "Style only this part, such as arms or arms=0.5; may be given several times.",
            least=0.0,
            most=STRONGEST,
            names=("--part",),
            parse=_WEIGHTS,
            repeated=True,
        ),
    ] = field(default_factory=dict)
    time_warp: Annotated[bool, Option("Change the timing too; without it, frames keep their times.")] = True
    generalize: Annotated[
        bool | None, Option("Keep the clip's own motion where it is unlike the examples; default: the model's setting.")
    ] = None
    speed: Annotated[
        Literal["proportion", "source", "style"],
        Option(
            "How fast it goes: `proportion` (default: as the style's takes to the others), `source` or `style`; "
            "the latter two change the tempo but not the length of steps."
        ),
    ] = "proportion"


@dataclass(frozen=True, kw_only=True)
class StyleApply(Styling, OnCharacter, Reading):
    """Put clips into the style of a model, or into a weighted mix of several styles."""

    paths: Annotated[
        list[Path],
        Option(
            "A model that `freshtake style learn` wrote (.ftm), omitted if --style names models; then clips in "
            "the source style, on any skeleton of a person, or a folder of them.",
            positional=True,
        ),
    ]
    out: Annotated[Path, Option("The clip to write; for several clips a folder.", names=OutNames)]
    styles: Annotated[
        Mapping[str, float],
        Option(
            "A style and its weight, as in oldman.ftm=0.4; several are mixed.",
            least=-STRONGEST,
            most=STRONGEST,
            names=("--style",),
            parse=_WEIGHTS,
            repeated=True,
        ),
    ] = field(default_factory=dict)
    format: Ending = None
    report: Page = None
    keep_going: KeepGoing = False


@dataclass(frozen=True, kw_only=True)
class StyleAlign(Reading):
    """Find which frames of two motions correspond, although their styles differ."""

    first: Annotated[Path, Option("The motion to warp, in the source style.", positional=True)]
    second: Annotated[Path, Option("The motion to align it to, in the target style.", positional=True)]
    out: Annotated[Path | None, Option("Write the second motion on the first one's clock.", names=OutNames)] = None
    plot: Annotated[Path | None, Option("Draw the correspondences (.png), or a page with the motions (.html).")] = None
    onto: Annotated[
        Literal["first", "second"], Option("Whose clock --out uses: first, or second (then the first is written).")
    ] = "first"
    method: Annotated[
        Literal["imw", "time-warp", "dtw-1", "dtw-3"],
        Option("`imw`: in time and space; `time-warp`: in time alone; `dtw-1`, `dtw-3`: the usual methods (DTW)."),
    ] = "imw"
    against: Annotated[str, Option("The method to compare it with.")] = "dtw-1"
    scale: Annotated[
        Literal["auto", "raw", "zscore"],
        Option("Compare joints as they are (`auto`, `raw`), or each relative to how much it moves (`zscore`)."),
    ] = "auto"
    slope: Annotated[int, Option("The warp runs between 1/slope and slope times as fast.")] = 2
    smoothness: Annotated[float, Option("How slowly the change in space may vary over time.")] = 100.0
    cut: Annotated[bool, Option("First cut cyclic clips at the same phase, to the same number of cycles.")] = True
    dof: Annotated[str | None, Option("What to draw, such as LeftUpLeg.x.")] = None


@dataclass(frozen=True, kw_only=True)
class GaitsLearn(Reading):
    """Learn style and speed of a gait as two sliders."""

    cells: Annotated[list[str], Option("STYLE@SPEED=CLIP, for each style at each speed.", positional=True)]
    out: ModelOut
    ranks: Annotated[tuple[int, int] | None, Option("How many coordinates styles and speeds have; default: all.")] = (
        None
    )


@dataclass(frozen=True, kw_only=True)
class GaitsSample(OnCharacter, Length):
    """Write a walk in any mixture of the model's styles and speeds."""

    model: Annotated[Path, Option("A model that `freshtake style gaits learn` wrote.", positional=True)]
    out: Annotated[Path, Option("The clip to write.", names=OutNames)]
    style: Annotated[str, Option("A style, or weights that sum to 1: normal=0.5,crouch=0.5.")]
    speed: Annotated[str, Option("A speed; if all are numbers, any number between or beyond them.")]
    cycles: Annotated[int, Option("How many cycles, if no length is given.")] = 4
    unit: Unit = None

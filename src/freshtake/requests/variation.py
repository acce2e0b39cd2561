"""New takes from a few: learn a model, and vary it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from freshtake.errors import UsageError
from freshtake.requests.fields import (
    Amounts,
    Ending,
    Feet,
    Finishing,
    Guard,
    HowMuch,
    KeepGoing,
    Length,
    LoopTravel,
    ModelOut,
    Option,
    OutNames,
    Plant,
    Reading,
    Request,
    Seed,
    Steer,
    Travel,
)

MOST_VARIANTS = 99_999
# Fields of a stream that have no meaning for live motion.
_FOR_FILES = {
    "out": "-o", "frames": "--frames", "path": "--path", "character": "--character", "body_map": "--map",
    "root_motion": "--root-motion", "amount_time": "--amount-time", "parts": "--part",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Learning(Request):
    """Settings for learning a model, whether its takes are files, items of a project or clips of another program."""

    cyclic: Annotated[bool | None, Option("Whether the movement repeats; default: detected.", negative="--acyclic")] = (
        None
    )
    pieces: Annotated[
        Literal["auto", "whole", "cycles"],
        Option(
            "Whether takes are cut into their cycles: auto cuts takes of several cycles.",
            flags={
                "whole": "Learn from takes as they are, without cutting.",
                "cycles": "Cut every take into its cycles.",
            },
        ),
    ] = "auto"
    keep: Annotated[bool, Option("Also learn from takes that are unlike the others.")] = False
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class Learn(Learning, Reading):
    """Learn a model from one take or a few of one movement."""

    takes: Annotated[
        list[Path],
        Option(
            "Takes of one movement on one skeleton at one rate, long or short; files or folders. Cycles are cut "
            "at a common phase, takes unlike the others are left out, and both are reported.",
            positional=True,
        ),
    ]
    out: ModelOut
    structure: Annotated[
        Path | None, Option("Learn nothing: vary these takes, or a single take, as this model varies its own.")
    ] = None
    method: Annotated[str | None, Option("`default`, or `paper` (Lau 2009), which has the options below.")] = None
    order: Annotated[int | None, Option("How many frames predict the next: 1, 2 (default) or 3.")] = None
    neighbors: Annotated[
        int | None, Option("How many similar moments each prediction uses (neighbors); default: from the data.")
    ] = None
    kernel_width: Annotated[
        float | None, Option("How similar moments must be to count (kernel width); default: from the data.")
    ] = None
    velocity_weight: Annotated[float | None, Option("Weight of velocity against pose; default: from the data.")] = None
    max_parents: Annotated[int | None, Option("How many numbers may predict a number (parents of a node).")] = None
    prior_starts: Annotated[int | None, Option("How often the search for first poses restarts (prior network).")] = None


@dataclass(frozen=True, kw_only=True)
class Variants(Amounts, Feet, LoopTravel, Length):
    """The variants to make, whatever the source of the goals and the destination of the results."""

    count: Annotated[int, Option("How many.", least=1, most=MOST_VARIANTS, names=("--count", "-n"))] = 15
    first: Annotated[
        int,
        Option(
            "Number of the first variant: --first 3 -n 1 makes variant 3 alone, with the same seed.",
            least=1,
            most=MOST_VARIANTS,
        ),
    ] = 1
    seed: Seed = 0
    guard: Guard = True
    cycles: Annotated[
        int | None,
        Option("Cycles in each variant of a cyclic model; default: by its length, or 1.", least=1, most=100_000),
    ] = None
    loop: Annotated[bool, Option("Loops that play forever: the last frame leads into the first.")] = False


@dataclass(frozen=True, kw_only=True)
class PoseGoals(Request):
    """Poses, positions and a speed that variants must have."""

    panel: ClassVar[str] = "Poses and positions"

    start: Annotated[str | None, Option("The pose to start with: FILE[:FRAME].", names=("--start", "--begin"))] = None
    end: Annotated[str | None, Option("The pose to end with: FILE (its last frame) or FILE:FRAME.")] = None
    pose: Annotated[
        tuple[str, ...],
        Option(
            "A pose at a time, FILE:FRAME@SECONDS (negative: before the end); repeatable.", names=("--pose", "--at")
        ),
    ] = ()
    placed: Annotated[bool, Option("Also take the position and heading of these poses from their files.")] = False
    pins: Annotated[Path | None, Option("Joints pinned to positions (JSON); see the docs on planting.")] = None
    speed: Annotated[float | None, Option("Mean ground speed, in the clip's unit of length per second.")] = None


@dataclass(frozen=True, kw_only=True)
class Vary(Variants, PoseGoals, Steer, Finishing):
    """Write variants of a model into files."""

    model: Annotated[Path, Option("A model that `freshtake learn` wrote.", positional=True)]
    out: Annotated[
        Path, Option("Folder for the variants, or a file: one.bvh with -n 1, or all.fbx or all.glb.", names=OutNames)
    ]
    limits: Annotated[Path | None, Option("Clamp a robot's joints to their limits (CSV: joint,low,high).")] = None
    format: Annotated[str | None, Option("Format of the files; default: that of the examples (AMC: bvh).")] = None


@dataclass(frozen=True, kw_only=True)
class Redrawing(Request):
    """Settings of the part of a clip to redraw, whatever its source and destination."""

    start: Annotated[str | None, Option("First new frame, or a time such as 2s; default: 0.", names=("--from",))] = None
    stop: Annotated[str | None, Option("First frame or time to keep again; default: the end.", names=("--to",))] = None
    extend: Annotated[
        str | None, Option("Continue after the clip's end instead: a number of frames, or a time such as 4s.")
    ] = None
    part: Annotated[
        tuple[str, ...],
        Option("Redraw only this: arms, legs, head or a joint; may be repeated. Default: the whole body."),
    ] = ()
    amount: HowMuch = 1.0
    plant: Plant = True
    guard: Guard = True
    count: Annotated[int, Option("How many clips.", least=1, most=MOST_VARIANTS, names=("--count", "-n"))] = 8
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class Redraw(Redrawing, Reading):
    """Redraw a stretch of a clip, or a part of the body, and keep everything else; or continue the clip."""

    take: Annotated[
        Path,
        Option(
            "A take or variant of the movement, on the rig of the model's takes and at their rate.", positional=True
        ),
    ]
    model: Annotated[Path, Option("A model of the movement (.ftm).", names=("--model", "-m"))]
    out: Annotated[Path, Option("Folder for the clips, or a file with -n 1.", names=OutNames)]
    format: Ending = None
    keep_going: KeepGoing = False


@dataclass(frozen=True, kw_only=True)
class Stream(Amounts, Length, Travel, Steer, Finishing):
    """Write one endless motion that does not repeat itself, or send it live."""

    model: Annotated[Path, Option("A model that `freshtake learn` wrote.", positional=True)]
    out: Annotated[Path | None, Option("Where the result goes.", names=OutNames)] = None
    live: Annotated[str | None, Option("Send it live to avatars instead: vmc://127.0.0.1:39539.")] = None
    host: Annotated[bool, Option("Also send to, and listen to, other machines.")] = False
    listen: Annotated[
        int | None, Option("Port for OSC messages that steer live motion, such as /freshtake/amount 0.5.")
    ] = None
    style: Annotated[
        Path | None,
        Option("Put the motion into this style, a model of `freshtake style learn`; it can follow a path too."),
    ] = None
    speed: Annotated[float, Option("How fast live motion is played, 0.1 to 4.")] = 1.0
    seed: Seed = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.live is None:
            if self.listen is not None or self.host or self.speed != 1.0:
                raise UsageError("--listen, --host and --speed belong to --live vmc://...: add it, or leave them out")
            return
        if self.style is not None:
            raise UsageError("--style is for files here: put live motion into a style in the studio, or name -o FILE")
        for name, option in _FOR_FILES.items():
            if getattr(self, name) not in (None, {}):
                raise UsageError(f"{option} is for files, not for --live: leave one of them out")


@dataclass(frozen=True, kw_only=True)
class Select(Reading):
    """Find which clips are similar enough to trusted ones."""

    clips: Annotated[list[Path], Option("Clips to choose from.", positional=True)]
    trusted: Annotated[list[Path] | None, Option("Clips that are known to work together, at least 3.")] = None
    likelihood: Annotated[
        bool, Option("Compare by what a model of the trusted clips expects (likelihood), not by how far clips differ.")
    ] = False
    among: Annotated[
        bool, Option("Like `--likelihood`, with groups of the clips scored among themselves, as in the paper.")
    ] = False
    percentile: Annotated[float, Option("How many clips like the trusted ones may be rejected, in percent.")] = 5.0
    picture: Annotated[Path | None, Option("Draw how far off each clip is, and where (.png, .svg, .pdf).")] = None
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class Explain(Reading):
    """Show what a model has learned."""

    model: Annotated[Path, Option("A model that `freshtake learn` wrote.", positional=True)]
    joint: Annotated[str, Option("A joint, marker, dimension or angle such as LeftLeg.x; default: all.")] = ""
    clip: Annotated[Path | None, Option("How likely this clip is, frame by frame and joint by joint.")] = None
    out: Annotated[Path | None, Option("A page (.html), or a folder with page and pictures.", names=OutNames)] = None


@dataclass(frozen=True, kw_only=True)
class Augment(Reading):
    """Copy a folder of takes and write variants of every action next to them."""

    folder: Annotated[Path, Option("Takes, in this folder and its subfolders.", positional=True)]
    out: Annotated[
        Path,
        Option(
            "A folder, or a file for learners: .tar (WebDataset), .npz (one body) or .parquet (needs pyarrow).",
            names=OutNames,
        ),
    ]
    count: Annotated[int, Option("Variants of each group.", least=1, most=MOST_VARIANTS, names=("--count", "-n"))] = 10
    by_likeness: Annotated[bool, Option("Add takes that are alone in their group to the most similar group.")] = False
    mirror: Annotated[bool, Option("Also add every take and variant mirrored (left and right swapped).")] = False
    speeds: Annotated[
        list[float] | None,
        Option(
            "Also add every take and variant at these multiples of its speed: 0.9 1.1.",
            least=0.1,
            most=10.0,
            names=("--speed",),
        ),
    ] = None
    licence: Annotated[
        str, Option("Licence of the takes, for the labels; default: the name of a LICENSE file in the folder.")
    ] = ""
    amount: HowMuch = 1.0
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class PaperFigures(Request):
    """Draw figures of the paper: its own method and the default one side by side."""

    out: Annotated[Path, Option("Folder for the pictures; new or empty.", names=OutNames)]
    data: Annotated[
        Path | None,
        Option("Folder with recorded takes (cheering/cheering_1.bvh, ...); movements not in it are samples."),
    ] = None
    only: Annotated[tuple[str, ...], Option("Figures to draw: 1, 4, 5, 6, 7, 8.")] = ()
    seed: Seed = 0

"""Requests for one clip or a few: loop, plant, cut, convert, retarget to a character or robot, view."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from freshtake.errors import UsageError
from freshtake.requests.fields import (
    BodyMaps,
    Ending,
    Feet,
    Finishing,
    KeepGoing,
    Lock,
    LoopTravel,
    MeshReading,
    OnCharacter,
    Option,
    Out,
    OutNames,
    Reading,
    Seed,
    Travel,
)

ClipsOut = Annotated[Path, Option("The file to write; for several clips a folder.", names=OutNames)]


@dataclass(frozen=True, kw_only=True)
class Looping(Feet, LoopTravel):
    """Settings for making a loop of a clip."""

    cycles: Annotated[int | None, Option("Cycles in the loop; default: 1.", least=1, most=10_000)] = None
    whole: Annotated[bool, Option("Treat the whole clip as one cycle: cut nothing off.")] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.whole and self.cycles is not None:
            raise UsageError("--whole treats the clip as one cycle: leave --cycles out")


@dataclass(frozen=True, kw_only=True)
class Loop(Looping, Finishing, Reading):
    """Make a loop from each clip."""

    clips: Annotated[
        list[Path], Option("Clips that repeat a movement, or show one cycle of it; files or folders.", positional=True)
    ]
    out: ClipsOut
    format: Ending = None


@dataclass(frozen=True, kw_only=True)
class Plant(OnCharacter, Reading):
    """Plant feet, and move pinned joints to their positions."""

    clips: Annotated[list[Path], Option("The clips to clean, one by one; files or folders.", positional=True)]
    out: ClipsOut
    contacts: Annotated[Path | None, Option("When feet are planted (JSON or CSV); default: detected.")] = None
    pins: Annotated[Path | None, Option("Where joints must be, and when (JSON).")] = None
    mapping: Annotated[Path | None, Option("Which joints are legs and arms (JSON); default: guessed.")] = None
    like: Annotated[list[Path] | None, Option("Clips with good foot contacts, to detect others by.")] = None
    floor: Annotated[float | None, Option("Height of the joints of planted feet, in the clip's unit.")] = None
    lock: Lock = "soft"
    format: Ending = None


@dataclass(frozen=True, kw_only=True)
class Cut(Reading):
    """Cut takes into clips."""

    takes: Annotated[list[Path], Option("The recordings to cut, one by one; files or folders.", positional=True)]
    out: Out
    cycles: Annotated[bool, Option("Cut into cycles (the default).")] = False
    between: Annotated[
        str | None, Option("Cut out A:B, frames (from 0, B not included) or times: 1.5s:4s.", names=("--range",))
    ] = None
    like: Annotated[Path | None, Option("Cut out every part similar to this short clip.")] = None
    format: Ending = None


@dataclass(frozen=True, kw_only=True)
class Convert(Travel, OnCharacter, MeshReading):
    """Convert motion to another format."""

    paths: Annotated[
        list[Path],
        Option(
            "IN and OUT; several IN go into one glTF, FBX or USD file as named animations, or with -o into a folder.",
            positional=True,
        ),
    ]
    out: Annotated[Path | None, Option("The file or folder to write; all PATHS are then read.", names=OutNames)] = None
    format: Ending = None
    start: Annotated[str | None, Option("First frame (from 0), or a time such as 1.5s.")] = None
    end: Annotated[str | None, Option("Frame (or time) to stop before.")] = None
    source_fps: Annotated[float | None, Option("Frames per second of files without a rate; --fps resamples.")] = None
    to_up: Annotated[str | None, Option("Turn the result so that y or z points up.")] = None
    repair: Annotated[list[str] | None, Option("Named repairs, in order; `info` suggests them.")] = None

    def sources_and_target(self) -> tuple[list[Path], Path]:
        """Return the files to read, and the file or folder to write."""
        if self.out is not None:
            return self.paths, self.out
        if len(self.paths) < 2:
            raise UsageError("convert takes IN and OUT: name the file to read and the file to write")
        return self.paths[:-1], self.paths[-1]


@dataclass(frozen=True, kw_only=True)
class Retargeting(Travel):
    """Settings for retargeting clips to a skeleton."""

    plant: Annotated[bool, Option("Keep feet planted as in the source.")] = True
    hands: Annotated[bool, Option("Keep hands as high above floor, hips and shoulders as in the source.")] = False


@dataclass(frozen=True, kw_only=True)
class Retarget(Retargeting, Reading):
    """Put clips onto a character with another skeleton."""

    clips: Annotated[list[Path], Option("Clips with a skeleton; files or folders.", positional=True)]
    onto: Annotated[Path, Option("Character: glTF or FBX with a skin, or a skeleton.", names=("--onto", "--character"))]
    out: Annotated[Path, Option("A file; for several clips .glb, .fbx, .usd or a folder.", names=OutNames)]
    body_map: BodyMaps = None
    save_map: Annotated[Path | None, Option("Write the detected map (TOML or JSON), to check or edit.")] = None
    keep_going: KeepGoing = False
    format: Annotated[str | None, Option("File format in a folder; default: the character's.")] = None


@dataclass(frozen=True, kw_only=True)
class View(MeshReading):
    """Show motions side by side on one timeline."""

    paths: Annotated[list[Path], Option("Motion files, models (.ftm), or folders with any of them.", positional=True)]
    out: Annotated[Path | None, Option("Page to write (.html); default: shown in a browser.", names=OutNames)] = None
    variants: Annotated[list[Path] | None, Option("More files, shown in green next to the others, in blue.")] = None
    png: Annotated[Path | None, Option("Write a strip of poses (.png), without a browser.")] = None
    gif: Annotated[Path | None, Option("Write an animated picture (.gif), without a browser.")] = None
    count: Annotated[int, Option("How many variants of each model.", least=1, most=1000, names=("--count", "-n"))] = 4
    layout: Annotated[
        Literal["row", "grid", "overlaid"] | None, Option("How to arrange motions; default: a row, or a grid for many.")
    ] = None
    title: Annotated[str, Option("Title of the page; default: the names of the files.")] = ""
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class Info(MeshReading):
    """Describe files and their problems."""

    paths: Annotated[
        list[Path],
        Option("Motion files of any readable format, models (.ftm), or folders with any of them.", positional=True),
    ]


@dataclass(frozen=True, kw_only=True)
class Robot(Reading):
    """Put clips onto a robot, within its joint limits."""

    clips: Annotated[list[Path], Option("Clips of bodies with two arms and two legs.", positional=True)]
    onto: Annotated[Path, Option("The robot: a URDF, or a MuJoCo model (.xml).")]
    out: Annotated[Path, Option("A folder, or a file for one clip: .csv, .npz or .pkl.", names=OutNames)]
    format: Annotated[
        Literal["csv", "npz", "pkl"] | None,
        Option("File format: csv (default), npz, or pkl (the pickle that GMR writes, which MimicKit converts)."),
    ] = None
    keep_going: KeepGoing = False

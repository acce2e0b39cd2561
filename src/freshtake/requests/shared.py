"""Fields that several tasks share, each named, limited and explained in one place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from freshtake.errors import UsageError
from freshtake.requests.fields import Option, Request

# Seeds go through JSON and JavaScript, whose integers are exact up to this.
LARGEST_SEED = 2**53
LARGEST_AMOUNT = 4.0


def metres_of(text: str) -> float:
    """Parse a unit by its name, or as a number of metres."""
    from freshtake.motion.body.orientation import UNITS

    for unit in UNITS:
        if text.lower() in (unit.short, unit.name, unit.name.removesuffix("s")):
            return unit.metres
    try:
        return float(text)
    except ValueError:
        names = ", ".join(unit.short for unit in UNITS)
        raise UsageError(f"{text!r} is not a unit of length: give one of {names}, or metres per unit") from None


def parts_of(texts: Sequence[str]) -> dict[str, float]:
    """Parse amounts of body parts, each written as NAME=AMOUNT."""
    parts = {}
    for text in texts:
        name, sign, value = text.rpartition("=")
        try:
            parts[name] = float(value)
        except ValueError:
            sign = ""
        if not (sign and name):
            raise UsageError(f"{text!r} gives no amount for a part: write NAME=AMOUNT, such as arms=1.5")
    return parts


Seed = Annotated[int, Option("The same seed gives the same result.", least=0, most=LARGEST_SEED)]
Unit = Annotated[
    float | None,
    Option(
        "Unit of length, where the file does not state it: m, cm, mm, in, ft, cmu, or metres per unit.",
        above=0.0,
        parse=metres_of,
    ),
]
KeepGoing = Annotated[
    bool, Option("Write motions that fail the checks too: what no body could do is refused otherwise.")
]
Ending = Annotated[
    str | None, Option("Kind of the files in a folder, such as glb; default: as the takes (of AMC: bvh).")
]
Lock = Annotated[
    Literal["soft", "hard"],
    Option("How still feet stand: soft keeps the small movement of real feet, hard has none."),
]
BodyMaps = Annotated[
    Path | None,
    Option("Which joints are which part of the body (TOML or JSON); default: detected.", names=("--map",)),
]
HowMuch = Annotated[
    float,
    Option(
        "How far variants differ, 0 to 4: 0 gives the mean motion, 1 the variety of the examples.",
        least=0.0,
        most=LARGEST_AMOUNT,
    ),
]
Heading = Annotated[float | None, Option("Keep this heading, in degrees from that of the start.")]
InPlace = Annotated[bool, Option("Take the travel out; speed and direction go into --json, glTF and npz.")]
Plant = Annotated[bool, Option("Hold feet where they stand.")]
Guard = Annotated[bool, Option("Redraw variants that no body could do, or that go too far beyond the takes.")]
OutNames = ("--out", "-o")
Out = Annotated[Path, Option("Where the result goes.", names=OutNames)]
ModelOut = Annotated[Path, Option("The model to write (.ftm).", names=OutNames)]


@dataclass(frozen=True, kw_only=True)
class Reading(Request):
    """What a motion file may leave out: the arguments of `freshtake.read`."""

    panel: ClassVar[str] = "Reading takes"

    skeleton: Annotated[
        Path | None, Option("The .asf that belongs to an .amc; default: the only one in its folder.")
    ] = None
    fps: Annotated[
        float | None,
        Option(
            "Frames per second of files that do not state it (AMC: 120, OBJ folders: 30); others are resampled.",
            above=0.0,
        ),
    ] = None
    unit: Unit = None
    up: Annotated[
        str | None, Option("The axis that points up in the files, y or z; default: as they state, or from the body.")
    ] = None
    animation: Annotated[str | None, Option("Name or number of one of several animations in a file.")] = None

    def reading(self, warn: Any = None) -> dict[str, Any]:
        """Return these as arguments of `freshtake.read`."""
        return {
            "skeleton": self.skeleton, "fps": self.fps, "rate": self.fps, "unit_m": self.unit, "up": self.up,
            "animation": self.animation, "warn": warn,
        }  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class MeshReading(Reading):
    """The fields of `Reading` for takes that may be meshes."""

    mesh: Annotated[bool, Option("Read a glTF or FBX character as a baked mesh sequence.")] = False

    def reading(self, warn: Any = None) -> dict[str, Any]:
        """Return these as arguments of `freshtake.read`."""
        return {**super().reading(warn), "mesh": self.mesh}


@dataclass(frozen=True, kw_only=True)
class Amounts(Request):
    """How far variants differ."""

    panel: ClassVar[str] = "How much they differ"

    amount: HowMuch = 1.0
    amount_time: Annotated[
        float | None, Option("The same for timing; default: as --amount.", least=0.0, most=LARGEST_AMOUNT)
    ] = None
    parts: Annotated[
        Mapping[str, float],
        Option(
            "An amount for a body part or joint, such as arms=1.5; may be repeated.",
            least=0.0,
            most=LARGEST_AMOUNT,
            names=("--part",),
            parse=parts_of,
            repeated=True,
        ),
    ] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Feet(Request):
    """Whether feet are held, and how still."""

    panel: ClassVar[str] = "Feet"

    plant: Plant = True
    lock: Lock = "soft"

    @property
    def planting(self) -> Literal[False, "soft", "hard"]:
        """How still feet stand; False where they are left alone."""
        return self.plant and self.lock


@dataclass(frozen=True, kw_only=True)
class Travel(Request):
    """Where the travel of a motion is."""

    panel: ClassVar[str] = "Travel and loops"

    root_motion: Annotated[
        Literal["hips", "joint", "none"] | None,
        Option("Where the travel is: hips (default), joint (a root joint above them), none (in place)."),
    ] = None
    in_place: InPlace = False


@dataclass(frozen=True, kw_only=True)
class LoopTravel(Travel):
    """How loops end, and where their travel is."""

    panel: ClassVar[str] = Travel.panel

    closing_frame: Annotated[
        bool, Option("Repeat the first frame at the end of a loop, for players that need both ends.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class Length(Request):
    """How long a motion is."""

    panel: ClassVar[str] = "How long"

    frames: Annotated[int | str | None, Option("How long: a number of frames such as 360, or a time such as 6s.")] = (
        None
    )
    seconds: Annotated[float | None, Option("How long, in seconds; instead of --frames.")] = None


@dataclass(frozen=True, kw_only=True)
class OnCharacter(Request):
    """The character that motion is retargeted to."""

    panel: ClassVar[str] = "Character"

    character: Annotated[
        Path | None,
        Option(
            "Put the motion onto this character (glTF or FBX with a skin, or a skeleton); other joints are retargeted."
        ),
    ] = None
    body_map: BodyMaps = None


@dataclass(frozen=True, kw_only=True)
class Steer(Request):
    """Where a moving body goes."""

    panel: ClassVar[str] = "Where it goes"

    heading: Heading = None
    path: Annotated[
        Path | None,
        Option("Follow a path on the ground, from its first point: CSV with x,z or x,y, in the clip's unit."),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Finishing(Feet, OnCharacter):
    """What is done to a new motion before it is written."""

    unit: Unit = None
    keep_going: KeepGoing = False

"""Self-describing fields of requests, the check that every front end makes, and fields shared by tasks.

A request is a frozen dataclass. Each field is `Annotated[type, Option(help, limits)]`. The command line, the studio's
bodies and the bridge's messages are derived from these annotations, so each field is named, limited and explained once.
Annotations are values here, not text (no `from __future__`), because classes in other modules inherit them.
"""

import math
import re
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from freshtake.errors import UsageError


@dataclass(frozen=True)
class Option:
    """Describes one field: `help` is one line for `--help`, the API's schema and tooltips."""

    help: str
    least: float | None = None  # the smallest allowed value of a number
    most: float | None = None
    above: float | None = None  # a number has to be larger than this
    names: tuple[str, ...] = ()  # on the command line; default: the field's name with dashes
    positional: bool = False  # whether the command line takes the field by position
    negative: str = ""  # the opposite of an optional flag, such as --acyclic
    flags: Mapping[str, str] = field(default_factory=dict)  # values of a choice that are spelled as flags, with help
    parse: Callable[[Any], Any] | None = None  # parses the text, or texts, from the command line
    repeated: bool = False  # whether the option may be given several times
    agents: bool = True  # whether agents may set the field; false for connections that can bring in code

    def limits(self) -> str:
        """Return the limits in words, such as "between 0 and 4"; empty if there are none."""
        if self.least is not None and self.most is not None:
            low, high = (int(value) if value == int(value) else value for value in (self.least, self.most))
            return f"lie between {low} and {high}"
        words = [
            f"{word} {value:g}"
            for word, value in (("at least", self.least), ("a finite number above", self.above), ("at most", self.most))
            if value is not None
        ]
        return f"be {' and '.join(words)}" if words else ""

    def allows(self, value: float) -> bool:
        """Return whether a number is within the limits; NaN and infinity never are."""
        return (
            math.isfinite(value)
            and (self.least is None or value >= self.least)
            and (self.most is None or value <= self.most)
            and (self.above is None or value > self.above)
        )


class RequestField(NamedTuple):
    """A field of a request: its name, plain type, default (MISSING if required) and description."""

    name: str
    type: Any
    default: Any
    option: Option

    @property
    def required(self) -> bool:
        """Whether a value must be given."""
        return self.default is MISSING


@dataclass(frozen=True, kw_only=True)
class Request:
    """Base of all requests: constructing a request refuses values outside the limits."""

    @classmethod
    def task(cls) -> str:
        """Return the name of the workflow that carries out the request: `style_apply` for `StyleApply`."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    def given(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the named fields that are not None."""
        return {name: value for name in names if (value := getattr(self, name)) is not None}

    def __post_init__(self) -> None:
        for one in fields_of(type(self)):
            value = getattr(self, one.name)
            numbers = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else (value,)
            for number in numbers:
                if isinstance(number, int | float) and not isinstance(number, bool) and not one.option.allows(number):
                    need = one.option.limits() or "be a finite number"
                    raise UsageError(f"{one.name.replace('_', ' ')} must {need}, but is {number:g}")


# Resolving annotations takes longer than making a request, which happens once per variant.
_fields: dict[type[Request], tuple[RequestField, ...]] = {}


def fields_of(request: type[Request]) -> tuple[RequestField, ...]:
    """Return the fields of a request in definition order, fields of its base classes first."""
    if request in _fields:
        return _fields[request]
    hints = get_type_hints(request, include_extras=True)
    out = []
    for one in fields(request):
        plain, *extras = get_args(hints[one.name]) or (None,)
        # The last description wins, so a request can describe an inherited field in its own context.
        option = next((extra for extra in reversed(extras) if isinstance(extra, Option)), None)
        if option is None:
            raise TypeError(f"{request.__name__}.{one.name} does not describe itself: annotate it with an Option")
        default = one.default if one.default_factory is MISSING else one.default_factory()
        out.append(RequestField(one.name, plain, default, option))
    _fields[request] = tuple(out)
    return _fields[request]


def from_values(request: type[Request], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of another program's JSON message that are fields of a request; None counts as not given."""
    out = {}
    for one in fields_of(request):
        value = values.get(one.name)
        if value is None:
            continue
        if not conforms(value, one.type):
            raise UsageError(f"{one.name} cannot be {str(value)[:40]!r}")
        out[one.name] = value
    return out


def conforms(value: Any, hint: Any) -> bool:
    """Return whether a JSON value has the type of a field; an integer also counts as a float, a bool does not."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(conforms(value, one) for one in inner)
    if origin is Literal:
        return value in inner
    if origin is Annotated:
        return conforms(value, inner[0])
    if origin in (tuple, list):
        return isinstance(value, list | tuple) and all(conforms(one, inner[0]) for one in value)
    if origin in (dict, Mapping):
        return isinstance(value, Mapping) and all(
            conforms(k, inner[0]) and conforms(v, inner[1]) for k, v in value.items()
        )
    if hint is float:
        return type(value) in (int, float)
    if hint is Path:
        return isinstance(value, str | Path)
    return type(value) is hint or (hint is type(None) and value is None)


# Seeds go through JSON and JavaScript, whose integers are exact up to this.
LARGEST_SEED = 2**53
LARGEST_AMOUNT = 4.0


def metres_of(text: str) -> float:
    """Parse a unit of length, given by name or as a number of metres."""
    from freshtake.motion.body.orientation import UNITS

    for unit in UNITS:
        if text.lower() in (unit.short, unit.name, unit.name.removesuffix("s")):
            return unit.metres
    try:
        return float(text)
    except ValueError:
        names = ", ".join(unit.short for unit in UNITS)
        raise UsageError(f"{text!r} is not a unit of length: give one of {names}, or metres per unit") from None


def numbers_of(texts: Sequence[str], alone: float | None = None) -> dict[str, float]:
    """Parse numbers by name, each written as NAME=NUMBER; a name alone gets the number `alone`, if there is one."""
    numbers = {}
    for text in texts:
        name, sign, value = text.rpartition("=")
        if not sign and alone is not None:
            numbers[text] = alone
            continue
        try:
            numbers[name] = float(value)
        except ValueError:
            name = ""
        if not name:
            how = "NAME=NUMBER" if alone is None else "NAME or NAME=NUMBER"
            raise UsageError(f"{text!r} gives no number: write {how}, such as arms=1.5")
    return numbers


Seed = Annotated[int, Option("The same seed gives the same result.", least=0, most=LARGEST_SEED)]
Unit = Annotated[
    float | None,
    Option(
        "Unit of length, if the file does not state it: m, cm, mm, in, ft, cmu, or metres per unit.",
        above=0.0,
        parse=metres_of,
    ),
]
KeepGoing = Annotated[bool, Option("Write motions that fail the checks; otherwise, impossible motions are refused.")]
Ending = Annotated[str | None, Option("Format of files in a folder, such as glb; default: as the takes (AMC: bvh).")]
Lock = Annotated[
    Literal["soft", "hard"],
    Option("How firmly feet are planted: soft keeps the small movement of real feet, hard removes it."),
]
BodyMaps = Annotated[
    Path | None,
    Option("File that says which joint is which part of the body (TOML or JSON); default: detected.", names=("--map",)),
]
HowMuch = Annotated[
    float,
    Option(
        "How far variants differ, 0 to 4: 0 is the mean motion, 1 is like the examples.", least=0.0, most=LARGEST_AMOUNT
    ),
]
Heading = Annotated[float | None, Option("Keep this heading, in degrees from the starting one.")]
InPlace = Annotated[bool, Option("Remove the travel; speed and direction go into --json, glTF and npz.")]
Plant = Annotated[bool, Option("Hold feet where they stand.")]
Guard = Annotated[bool, Option("Redraw variants that no body could do, or that go too far beyond the takes.")]
OutNames = ("--out", "-o")
Out = Annotated[Path, Option("Where the result goes.", names=OutNames)]
ModelOut = Annotated[Path, Option("The model to write (.ftm).", names=OutNames)]


@dataclass(frozen=True, kw_only=True)
class Reading(Request):
    """Details that a motion file may omit: the arguments of `freshtake.read`."""

    panel: ClassVar[str] = "Reading takes"

    skeleton: Annotated[Path | None, Option("The .asf of an .amc; default: the only one in its folder.")] = None
    fps: Annotated[
        float | None,
        Option("Frames per second of files without a rate (AMC: 120, OBJ: 30); others are resampled.", above=0.0),
    ] = None
    unit: Unit = None
    up: Annotated[str | None, Option("The axis that points up, y or z; default: as stated or from the body.")] = None
    animation: Annotated[str | None, Option("Name or number of one of several animations in a file.")] = None

    def reading(self, warn: Any = None) -> dict[str, Any]:
        """Return the fields as arguments of `freshtake.read`."""
        return {
            "skeleton": self.skeleton, "fps": self.fps, "rate": self.fps, "unit_m": self.unit, "up": self.up,
            "animation": self.animation, "warn": warn,
        }  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class MeshReading(Reading):
    """The fields of `Reading` for takes that may be meshes."""

    mesh: Annotated[bool, Option("Read a glTF or FBX character as a baked mesh sequence.")] = False

    def reading(self, warn: Any = None) -> dict[str, Any]:
        """Return the fields as arguments of `freshtake.read`."""
        return {**super().reading(warn), "mesh": self.mesh}


@dataclass(frozen=True, kw_only=True)
class Amounts(Request):
    """The amount of variation."""

    panel: ClassVar[str] = "How much they differ"

    amount: HowMuch = 1.0
    amount_time: Annotated[
        float | None, Option("The same for timing; default: that of --amount.", least=0.0, most=LARGEST_AMOUNT)
    ] = None
    parts: Annotated[
        Mapping[str, float],
        Option(
            "An amount for a body part or joint, such as arms=1.5; may be repeated.",
            least=0.0,
            most=LARGEST_AMOUNT,
            names=("--part",),
            parse=numbers_of,
            repeated=True,
        ),
    ] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Feet(Request):
    """Whether feet are planted, and how firmly."""

    panel: ClassVar[str] = "Feet"

    plant: Plant = True
    lock: Lock = "soft"

    @property
    def planting(self) -> Literal[False, "soft", "hard"]:
        """How firmly feet are planted; False to leave them alone."""
        return self.plant and self.lock


@dataclass(frozen=True, kw_only=True)
class Travel(Request):
    """The joint that carries the travel of a motion."""

    panel: ClassVar[str] = "Travel and loops"

    root_motion: Annotated[
        Literal["hips", "joint", "none"] | None,
        Option("What carries the travel: hips (default), joint (a root joint above them), none (in place)."),
    ] = None
    in_place: InPlace = False


@dataclass(frozen=True, kw_only=True)
class LoopTravel(Travel):
    """The last frame of loops, and the joint that carries their travel."""

    panel: ClassVar[str] = Travel.panel

    closing_frame: Annotated[bool, Option("Repeat a loop's first frame at its end, for players that need it.")] = False


@dataclass(frozen=True, kw_only=True)
class Length(Request):
    """The length of a motion."""

    panel: ClassVar[str] = "How long"

    frames: Annotated[int | str | None, Option("How long: a number of frames such as 360, or a time such as 6s.")] = (
        None
    )
    seconds: Annotated[
        float | None, Option("How long, in seconds; instead of --frames.", names=("--seconds", "--duration"))
    ] = None


@dataclass(frozen=True, kw_only=True)
class OnCharacter(Request):
    """The character that motion is retargeted to."""

    panel: ClassVar[str] = "Character"

    character: Annotated[
        Path | None, Option("Retarget the motion to this character: glTF or FBX with a skin, or any skeleton.")
    ] = None
    body_map: BodyMaps = None


@dataclass(frozen=True, kw_only=True)
class Steer(Request):
    """The heading or path of a moving body."""

    panel: ClassVar[str] = "Where it goes"

    heading: Heading = None
    path: Annotated[
        Path | None,
        Option("Follow a path on the ground, from its first point: CSV with x,z or x,y, in the clip's unit."),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Finishing(Feet, OnCharacter):
    """Finishing touches to a new motion before it is written."""

    unit: Unit = None
    keep_going: KeepGoing = False

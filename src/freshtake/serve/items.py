"""The content of a project, as stored and sent."""

import re
import secrets
from pathlib import PurePosixPath, PureWindowsPath
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, create_model
from pydantic_core import PydanticCustomError

from freshtake.requests.fields import Request, fields_of

Id = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]


def _shown(text: str) -> str:
    if not (plain := _printable(text)):
        raise PydanticCustomError("no_name", "a name needs at least one visible character")
    return plain


def _printable(text: str) -> str:
    return "".join(c for c in text if c.isprintable()).strip()


Name = Annotated[str, StringConstraints(min_length=1, max_length=120), AfterValidator(_shown)]
Kind = Literal["movement", "take", "variant", "model", "strokes", "character", "export", "report", "crowd"]
State = Literal["waiting", "running", "done", "failed", "cancelled", "interrupted"]
ENDED: tuple[State, ...] = ("done", "failed", "cancelled", "interrupted")


class Shape(BaseModel):
    """Base of all shapes: immutable, and unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def shape_of(request: type[Request], *, optional: bool = False) -> type[Shape]:
    """Return a body class with the fields of a request, their limits and help; subclasses may narrow the limits.

    With `optional`, every field may be omitted, for requests that change others.
    """
    definitions: dict[str, Any] = {}
    for one in fields_of(request):
        option = one.option
        limits = Field(ge=option.least, le=option.most, gt=option.above)
        # Limits of a mapping apply to its values, which the request checks itself.
        numeric = not isinstance(one.default, dict)
        type_ = Annotated[one.type, limits] if numeric and option.limits() else one.type
        default = None if optional else one.default
        definitions[one.name] = (type_ | None if optional else type_, Field(default, description=option.help))
    return create_model(f"{request.__name__}Body", __base__=Shape, **definitions)


class Finding(Shape):
    """A problem with a take, and its repair, if there is one."""

    words: str
    remedy: str | None = None


class Item(Shape):
    """An item of the project. `trim` is the first and last frame used, `star` is 1, 0 or -1 (rejected).

    A variant is number `number` of its `seed`, as on the command line; variants of older projects all have number 1.
    `movement` is the movement it belongs to; characters and styles are shared by all and belong to none.
    """

    id: Id
    kind: Kind
    name: str
    created: float
    group: str | None = None
    movement: Id | None = None
    parent: Id | None = None
    seed: int | None = None
    number: int = 1
    star: Literal[-1, 0, 1] = 0
    facts: dict[str, Any] = Field(default_factory=dict)
    findings: list[Finding] = Field(default_factory=list)
    settings: dict[str, Any] = Field(default_factory=dict)
    trim: tuple[int, int] | None = None


class Job(Shape):
    """A requested job: its progress, results and notes."""

    id: Id
    task: str
    state: State = "waiting"
    phase: str = ""
    done: float = 0.0
    of: float = 1.0
    seconds_left: float | None = None
    error: str | None = None
    notes: list[str] = Field(default_factory=list)
    made: list[Id] = Field(default_factory=list)
    created: float
    items: list[Id] = Field(default_factory=list)
    movement: Id | None = None


class ProjectView(Shape):
    """A complete project; `undo` and `redo` describe the step that would be undone or redone."""

    name: str
    change: int
    items: list[Item]
    jobs: list[Job]
    presets: dict[str, Any]
    undo: str | None
    redo: str | None


class ItemChange(Shape):
    """Changes of an item; omitted fields are unchanged. Changes with the same `step` are undone together."""

    name: Name | None = None
    star: Literal[-1, 0, 1] | None = None
    trim: tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]] | None = None
    step: Annotated[str, StringConstraints(max_length=40)] | None = None


class Removal(Shape):
    """Items to remove in one step."""

    items: Annotated[list[Id], Field(min_length=1, max_length=1000)]


class Regrouping(Shape):
    """Takes to move to another movement or, if none is given, to a new one with the given name."""

    items: Annotated[list[Id], Field(min_length=1, max_length=1000)]
    movement: Id | None = None
    name: Name | None = None


class Changed(Shape):
    """The number of the newest change."""

    change: int


class Sample(Shape):
    """A motion that comes with freshtake."""

    name: str
    about: str


class Problem(Shape):
    """The reason why a request was refused, in one sentence with the fix."""

    error: str


def new_id() -> str:
    """Return a unique, unguessable ID."""
    return secrets.token_hex(8)


def display_name(text: str) -> str:
    """Return a client's name without folders and control characters; for display only, never as a file name."""
    last = PurePosixPath(PureWindowsPath(text.replace("\0", "")).name).name
    plain = _printable(last)
    return plain[:120] if plain.strip(".") else "unnamed"


def ending_of(name: str, known: frozenset[str]) -> str:
    """Return the extension of a name if it is known, else an empty string."""
    match = re.search(r"\.[a-z0-9]{1,5}$", name.lower())
    return match[0] if match and match[0] in known else ""

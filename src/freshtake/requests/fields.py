"""How a field of a request describes itself, and the check that every front end makes with that description.

A request is a frozen dataclass. Each field is `Annotated[type, Option(help, limits)]`; the command line, the studio's
bodies and the bridge's messages are derived from these annotations, so a field is named, limited and explained once.
Annotations are values here, not text (no `from __future__`), because classes in other modules inherit them.
"""

import math
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from freshtake.errors import UsageError


@dataclass(frozen=True)
class Option:
    """Describes one field.

    Args:
        help: One line for `--help`, the API's schema and tooltips.
        least: The smallest allowed value of a number.
        most: The largest allowed value of a number.
        above: A number has to be larger than this.
        names: Spellings on the command line; without any, the field's name with dashes.
        positional: Whether the command line takes it by its place.
        negative: How the command line spells the opposite of a flag that may be left open, such as `--acyclic`.
        flags: For a choice: the values that the command line spells as flags, with the help of each.
        parse: Makes the value from the text (or texts, where it may be repeated) of the command line.
        repeated: Whether the text may be given several times.
        agents: Whether agents may set it; not where it opens a connection over which code arrives.
    """

    help: str
    least: float | None = None
    most: float | None = None
    above: float | None = None
    names: tuple[str, ...] = ()
    positional: bool = False
    negative: str = ""
    flags: Mapping[str, str] = field(default_factory=dict)
    parse: Callable[[Any], Any] | None = None
    repeated: bool = False
    agents: bool = True

    def limits(self) -> str:
        """Return the limits in words, such as "between 0 and 4"; empty where there are none."""
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
    """A field of a request: its name, plain type, default (MISSING where it is required) and description."""

    name: str
    type: Any
    default: Any
    option: Option

    @property
    def required(self) -> bool:
        """Whether it has to be given."""
        return self.default is MISSING


@dataclass(frozen=True, kw_only=True)
class Request:
    """Base of all requests: values outside the limits are refused when a request is constructed, by every front end."""

    def __post_init__(self) -> None:
        for one in fields_of(type(self)):
            value = getattr(self, one.name)
            numbers = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else (value,)
            for number in numbers:
                if isinstance(number, int | float) and not isinstance(number, bool) and not one.option.allows(number):
                    need = one.option.limits() or "be a finite number"
                    raise UsageError(f"{one.name.replace('_', ' ')} must {need}, but is {number:g}")


def fields_of(request: type[Request]) -> tuple[RequestField, ...]:
    """Return the fields of a request in the order of their definition, those of its base classes first."""
    # Resolving annotations takes longer than making the request, which happens once per variant.
    if request not in _known:
        _known[request] = tuple(_read_fields(request))
    return _known[request]


_known: dict[type[Request], tuple[RequestField, ...]] = {}


def _read_fields(request: type[Request]) -> Iterator[RequestField]:
    hints = get_type_hints(request, include_extras=True)
    for one in fields(request):
        plain, option = _described(hints[one.name])
        if option is None:
            raise TypeError(f"{request.__name__}.{one.name} does not describe itself: annotate it with an Option")
        yield RequestField(one.name, plain, _default(one), option)


def _described(hint: Any) -> tuple[Any, Option | None]:
    if get_origin(hint) is not Annotated:
        return hint, None
    plain, *extras = get_args(hint)
    # The last description wins, so that a request can describe an inherited field in its context.
    return plain, next((extra for extra in reversed(extras) if isinstance(extra, Option)), None)


def _default(one: Field[Any]) -> Any:
    return one.default if one.default_factory is MISSING else one.default_factory()


def from_values(request: type[Request], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of another program's message that are fields of a request.

    Args:
        request: The class of the request.
        values: Values as JSON has them; None counts as not given.

    Returns:
        Arguments for `request`, of the types that its fields have.
    """
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
    """Return whether a JSON value has the type of a field; an integer is a float too, a bool is not."""
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

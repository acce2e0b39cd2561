"""Parts that the model files of several methods have: settings, the frame time, and the recipe of the rows."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, NamedTuple, TypeVar

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.ftm.header_fields import Array, Fields, ReadParts
from freshtake.motion.features import Recipe

FRAME_TIMES = (1e-5, 1e3)  # seconds; what lasts a while has more frames than memory with shorter ones
RECIPE = "recipe_"  # before the names of the recipe's arrays
S = TypeVar("S")


class RecipeParts(NamedTuple):
    """To be written: the header's field `recipe`, and arrays whose names start with RECIPE."""

    header: dict[str, Any] | None
    arrays: dict[str, Array]


def recipe_parts(recipe: Recipe | None) -> RecipeParts:
    """What `read_recipe` makes the same recipe from."""
    if recipe is None:
        return RecipeParts(None, {})
    parts = recipe.to_parts()
    return RecipeParts(parts.header, {RECIPE + name: array for name, array in parts.arrays.items()})


def read_recipe(parts: ReadParts) -> Recipe | None:
    """The recipe of a model's rows, where it has one."""
    header = parts.fields.get("recipe", "dict | None")
    if header is None:
        return None
    arrays = arrays_after(RECIPE, parts)
    with np.errstate(over="ignore", invalid="ignore"):  # numbers that are no indices become ones that are refused
        return Recipe.from_parts(header, arrays)


def arrays_after(prefix: str, parts: ReadParts) -> dict[str, Array]:
    """The arrays whose names start with a prefix, without it; all of them hold numbers."""
    matching = {name: array for name, array in parts.arrays.items() if name.startswith(prefix)}
    for name, array in matching.items():
        if array.dtype.kind not in "fiub":
            raise FormatError(parts.fields.path, f"numbers were expected, not {array.dtype}", f"array {name!r}")
    return {name.removeprefix(prefix): array for name, array in matching.items()}


def read_frame_time(header: Fields) -> float:
    """Seconds from frame to frame."""
    frame_time: float = header.get("frame_time", "float")
    low, high = FRAME_TIMES
    if not low <= frame_time <= high:
        header.wrong("frame_time", f"a time between {low:g} and {high:g} seconds was expected, not {frame_time:g}")
    return frame_time


def check_frame_time(header: Fields, recipe: Recipe | None, frame_time: float) -> None:
    """Refuse a recipe of another rate than the model's."""
    if recipe is not None and recipe.frame_time != frame_time:
        header.wrong("frame_time", f"the recipe's frame time, {recipe.frame_time:g}, was expected")


def read_names(header: Fields, name: str, most: int) -> tuple[str, ...]:
    """A list of different names, at least one."""
    names = header.texts(name)
    if not 0 < len(names) <= most or len(set(names)) < len(names):
        header.wrong(name, f"1 to {most} different names were expected")
    return names


def read_settings(header: Fields, kind: type[S]) -> S:
    """Settings, which are a dataclass of plain values; those left out are at their defaults."""
    kinds = {field.name: str(field.type) for field in fields(kind)}  # type: ignore[arg-type]
    unknown = [name for name in header.values if name not in kinds]
    if unknown:
        header.wrong(unknown[0][:80], "this freshtake has no such setting: update it, or learn the model again")
    return kind(**{name: header.get(name, kinds[name]) for name in header.values})

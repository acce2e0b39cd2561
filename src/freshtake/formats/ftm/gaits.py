"""Convert a GaitModel (style × speed) to parts of a model file and back."""

from freshtake.formats.ftm.io import LARGEST, ReadParts, recipe_parts
from freshtake.formats.ftm.style import read_clip_recipe
from freshtake.motion.validation import Parts
from freshtake.style.bilinear import Factors, GaitCode, GaitModel, Level

MOST_LEVELS, MOST_FRAMES = 4096, 1 << 20
FARTHEST = 1e6  # largest absolute value in a table of gaits


def to_parts(model: GaitModel) -> Parts:
    """Return the parts from which `from_parts` restores the model."""
    recipe = recipe_parts(model.code.recipe)
    header = {
        "styles": list(model.styles),
        "speeds": list(model.speeds),
        "frames": int(model.code.frames),
        "ranks": [int(size) for size in model.factors.core.shape[:2]],
        "recipe": recipe.header,
    }
    arrays = {
        "style_coordinates": model.factors.styles,
        "speed_coordinates": model.factors.contents,
        "core": model.factors.core,
    }
    return Parts(header, arrays | recipe.arrays)


def from_parts(parts: ReadParts) -> GaitModel:
    """Restore the model; raise a FreshtakeError if the parts are invalid."""
    header = parts.fields
    recipe = read_clip_recipe(parts)
    styles, speeds = _levels(parts, "styles"), _levels(parts, "speeds")
    ranks = header.whole_numbers("ranks", 1, MOST_LEVELS)
    frames = header.get("frames", "int")
    good = len(ranks) == 2 and 1 <= frames <= MOST_FRAMES
    header.require("ranks", good, "two ranks, and frames from 1, were expected")
    numbers = frames * (len(recipe.names) + 1)
    factors = Factors(
        parts.numbers("style_coordinates", (len(styles), ranks[0]), -FARTHEST, FARTHEST),
        parts.numbers("speed_coordinates", (len(speeds), ranks[1]), -FARTHEST, FARTHEST),
        parts.numbers("core", (*ranks, numbers), -FARTHEST, FARTHEST),
    )
    return GaitModel(styles, speeds, factors, GaitCode(recipe, frames))


def _levels(parts: ReadParts, name: str) -> tuple[Level, ...]:
    """Return distinct names, or distinct numbers that are not too large."""
    levels = parts.fields.get(name, "list")
    sound = all(isinstance(x, str) or (type(x) in (int, float) and abs(x) <= LARGEST) for x in levels)
    good = sound and 0 < len(levels) <= MOST_LEVELS and len(set(levels)) == len(levels)
    parts.fields.require(name, good, f"names, or numbers between ±{LARGEST:g}, each once, were expected")
    return tuple(x if isinstance(x, str) else float(x) for x in levels)

"""Convert between motions and the arrays that models learn from: exactly invertible, with a name for every DOF.

    recipe = features.recipe(walks, angles="expmap")
    rows = features.encode(recipe, walks[0])            # Features: rows.values is (frames, DOFs)
    again = features.decode(recipe, rows)               # the same walk
    new = features.decode(recipe, synthesized_values)   # new motion, starting at the origin

A recipe is learned from examples: it contains the layout of all columns, which of them never change (they are left out
and put back), the references of angles, and the weight of each DOF. Row t contains the step from frame t - 1 to t.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from freshtake.errors import InvalidMotion, UsageError
from freshtake.motion.clip import Clip
from freshtake.motion.features.angles import AT_ORIGIN, Start, start_of
from freshtake.motion.features.clip_features import ANGLES, ClipLayout, clip_layout
from freshtake.motion.features.mesh_features import MeshLayout, mesh_layout
from freshtake.motion.features.point_features import ROOTS, PointLayout, point_layout
from freshtake.motion.features.stroke_features import StrokeLayout, stroke_layout
from freshtake.motion.kinds import MeshSequence, PointClip, Stroke, kind_word
from freshtake.motion.skeleton import Skeleton
from freshtake.motion.validation import Array, Parts, frozen, same_rate
from freshtake.numeric.arrays import Bools, Floats, Ints

__all__ = ["Features", "Motion", "Recipe", "Start", "decode", "encode", "recipe", "where_it_ends"]

Motion = Clip | PointClip | MeshSequence | Stroke
Layout = ClipLayout | PointLayout | MeshLayout | StrokeLayout
MOTIONS: dict[str, type[Motion]] = {"clip": Clip, "points": PointClip, "mesh": MeshSequence, "stroke": Stroke}
LAYOUTS: dict[str, type[Layout]] = {
    "clip": ClipLayout, "points": PointLayout, "mesh": MeshLayout, "stroke": StrokeLayout,
}  # fmt: skip
SCALES = ("none", "std", "fk")
VERSION = 1
STILL = 1e-12  # a column that moves by less (times its size, if that is above 1) is constant


@dataclass(frozen=True, eq=False, repr=False)
class Recipe:
    """The layout of all columns, which of them are DOFs, the fixed values of the others, and the DOFs' weights.

    `kept` (DOFs,) are column numbers, `fixed` (columns,) the values of the omitted columns, `weights` (DOFs,) the
    contribution of one unit of each DOF to a distance, `center` (DOFs,) the origin of scaled values.
    """

    layout: Layout
    scale: str
    kept: Ints
    fixed: Floats
    weights: Floats
    center: Floats

    def __post_init__(self) -> None:
        put = object.__setattr__
        columns = self.layout.width
        put(self, "kept", frozen(self.kept, "kept", (None,), np.intp))
        inside = len(self.kept) == 0 or (self.kept[0] >= 0 and self.kept[-1] < columns)
        # Compare, do not subtract: differences of the numbers in a hostile file may wrap around.
        if not inside or not (self.kept[1:] > self.kept[:-1]).all():
            raise InvalidMotion(f"kept must be increasing column numbers below {columns}")
        put(self, "fixed", frozen(self.fixed, "fixed", (columns,)))
        put(self, "weights", frozen(self.weights, "weights", (len(self.kept),)))
        put(self, "center", frozen(self.center, "center", (len(self.kept),)))
        if not (self.weights > 0.0).all():
            raise InvalidMotion("weights must be above 0")

    def __repr__(self) -> str:
        return f"Recipe({self.layout.kind}, {len(self.kept)} DOFs of {len(self.fixed)} columns, scale {self.scale})"

    @property
    def frame_time(self) -> float:
        """Seconds from one row to the next."""
        return self.layout.frame_time

    @property
    def skeleton(self) -> Skeleton | None:
        """The skeleton that clips are decoded on (the first example's); None for motions without a skeleton."""
        return self.layout.skeleton if isinstance(self.layout, ClipLayout) else None

    @property
    def motion_type(self) -> type[Motion]:
        """The kind of motion that is encoded and decoded."""
        return MOTIONS[self.layout.kind]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The DOFs by name."""
        names = self.layout.names()
        return tuple(names[k] for k in self.kept)

    @cached_property
    def units(self) -> tuple[str, ...]:
        """The quantity that each DOF measures: angle, length, speed, turn, time or plain."""
        units = self.layout.units()
        return tuple(units[k] for k in self.kept)

    def fill(self, values: Floats) -> Floats:
        """Return all columns: the DOFs in their columns, the others at their fixed values."""
        columns = np.empty((len(values), len(self.fixed)))
        columns[:] = self.fixed
        columns[:, self.kept] = values
        return columns

    def check_constants(self, columns: Floats, what: str) -> None:
        """Raise, naming the DOF, if an omitted column has another value."""
        dropped = np.setdiff1d(np.arange(len(self.fixed)), self.kept, assume_unique=True)
        off = np.abs(columns[:, dropped] - self.fixed[dropped]).max(axis=0, initial=0.0)
        # Constants may differ by rounding between motions, but not by more.
        wrong = off > 1e-9 * np.maximum(1.0, np.abs(self.fixed[dropped]))
        if wrong.any():
            column = int(dropped[off.argmax()])
            frame = int(np.abs(columns[:, column] - self.fixed[column]).argmax())
            name = self.layout.names()[column]
            values = f"{self.fixed[column]:.9g} in all examples, but {columns[frame, column]:.9g} in frame {frame}"
            raise UsageError(f"{name} is {values} of {what}: make the recipe with this motion or drop_constant=False")

    def to_parts(self) -> Parts:
        """Return a JSON-able header and arrays by name, for a model file."""
        header, arrays = self.layout.parts()
        recipe_header = {"recipe": VERSION, "kind": self.layout.kind, "scale": self.scale, "layout": header}
        recipe_arrays: dict[str, Array] = {
            "kept": np.asarray(self.kept, dtype=np.int64),
            "fixed": self.fixed,
            "weights": self.weights,
            "center": self.center,
        }
        return Parts(recipe_header, recipe_arrays | {f"layout_{name}": value for name, value in arrays.items()})

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: dict[str, Array]) -> Recipe:
        """Return the recipe from its parts; raise InvalidMotion if they do not form a recipe."""
        parts = Parts(header, arrays)
        if parts.field("recipe", int) != VERSION:
            raise InvalidMotion(f"a recipe of version {header['recipe']} cannot be read: this is version {VERSION}")
        layout = LAYOUTS[parts.choice("kind", tuple(LAYOUTS))]
        inner = {name.removeprefix("layout_"): value for name, value in arrays.items() if name.startswith("layout_")}
        return cls(
            layout.from_parts(Parts(parts.field("layout", dict), inner)), parts.choice("scale", SCALES),
            *(parts.array(name) for name in ("kept", "fixed", "weights", "center")),
        )  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Features:
    """A motion as the models see it: values (frames, DOFs), and where the first frame is.

    `skeleton` is set if the motion's skeleton differs from the recipe's in lengths or layout: decoding then uses it.
    """

    recipe: Recipe
    values: Floats
    start: Start = AT_ORIGIN
    name: str = ""
    scaled: bool = False
    skeleton: Skeleton | None = None

    def __repr__(self) -> str:
        return f"Features({self.name!r}, {len(self.values)} frames, {self.values.shape[1]} DOFs)"

    def __len__(self) -> int:
        return len(self.values)

    @property
    def names(self) -> tuple[str, ...]:
        """The DOFs by name."""
        return self.recipe.names

    @property
    def frame_time(self) -> float:
        """Seconds from one row to the next."""
        return self.recipe.frame_time


def recipe(
    examples: Sequence[Motion],
    *,
    angles: str | None = None,
    root: str | None = None,
    scale: str = "fk",
    drop_constant: bool = True,
    horizon: float | None = None,
) -> Recipe:
    """Learn how to convert motions like the examples to features and back.

    `angles`: "euler" (continuous, in each joint's order; Lau), "expmap" (rotation vectors about each joint's mean;
    Hsu) or "positions" (of joints, tips and helper points relative to the root; Okwechime). `root`: "heading" (speeds
    and turn rate in the heading frame, height, two swings; default for clips) or "absolute" (default otherwise).
    `scale`: the weights of the DOFs: "fk" (the movement of the body per unit; rates act for `horizon` seconds, default
    one frame), "std" or "none".
    """
    layout = _layout(examples, angles, root)
    _check_choice("scale", scale, SCALES)
    columns = [layout.encode(example)[0] for example in examples]  # type: ignore[arg-type]
    measures = layout.units()
    constant, fixed = _constant_columns(columns, measures)
    left_out = constant if drop_constant else constant & layout.spare() & (np.abs(fixed) < 1e-9)
    kept = np.flatnonzero(~left_out)
    units = [measures[k] for k in kept]
    weights, center = np.ones(len(kept)), np.zeros(len(kept))
    if scale != "none":
        center, deviation = (part[kept] for part in spread(columns))
        effects = layout.effects(columns, horizon or layout.frame_time)[kept] if scale == "fk" else center
        weights = floored_effects(effects, units) if scale == "fk" else std_weights(deviation, units)
    return Recipe(layout, scale, kept, fixed, weights, center)


def spread(examples: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Return the mean and standard deviation of each column over all frames of all examples."""
    count = sum(len(values) for values in examples)
    mean = np.asarray(sum(values.sum(axis=0) for values in examples) / count)
    variance = np.asarray(sum(((values - mean) ** 2).sum(axis=0) for values in examples) / count)
    return mean, np.sqrt(variance)


def std_weights(deviation: Floats, units: Sequence[str]) -> Floats:
    """Return 1 / standard deviation, floored at a hundredth of the RMS deviation of the DOFs with the same unit."""
    usual = _by_unit(deviation, units, lambda of_unit: float(np.sqrt(np.mean(of_unit**2))))
    floored = np.maximum(deviation, 0.01 * usual)
    return 1.0 / np.where(floored > 0.0, floored, 1.0)


def floored_effects(effects: Floats, units: Sequence[str]) -> Floats:
    """Return effects raised above zero (a leaf joint's twist moves nothing), so that scaling can be inverted.

    The floor is a thousandth of the largest effect among the DOFs with the same unit.
    """
    floored = np.maximum(effects, 1e-3 * _by_unit(effects, units, lambda of_unit: float(of_unit.max())))
    return np.where(floored > 0.0, floored, 1.0)


def _by_unit(values: Floats, units: Sequence[str], summary: Callable[[Floats], float]) -> Floats:
    """Summarize, for each DOF, all DOFs with the same unit."""
    kinds = np.array(units)
    out = np.zeros(len(values))
    for unit in set(units):
        out[kinds == unit] = summary(values[kinds == unit])
    return out


def _constant_columns(examples: Sequence[Floats], units: Sequence[str]) -> tuple[Bools, Floats]:
    """Return flags of the columns that never change in any example, and the middle value of each column."""
    low = np.min([values.min(axis=0) for values in examples], axis=0)
    high = np.max([values.max(axis=0) for values in examples], axis=0)
    tolerance = STILL * np.maximum(1.0, np.maximum(np.abs(low), np.abs(high)))
    tolerance = np.where(np.array(units) == "angle", 10.0 * STILL, tolerance)
    return np.asarray(high - low <= tolerance), low + (high - low) / 2.0


def _layout(examples: Sequence[Motion], angles: str | None, root: str | None) -> Layout:
    """Return the columns that fit all examples."""
    if not examples:
        raise UsageError("a recipe needs at least one example")
    kinds = {type(example) for example in examples}
    if len(kinds) > 1:
        raise UsageError(f"the examples are of different kinds: {', '.join(sorted(kind.__name__ for kind in kinds))}")
    first = examples[0]
    root_mode = root or ("heading" if isinstance(first, Clip) else "absolute")
    _check_choice("root", root_mode, ROOTS)
    _check_choice("angles", angles or "euler", ANGLES)
    if not isinstance(first, Clip) and angles not in (None, "positions"):
        raise UsageError(f"angles={angles!r} needs clips with a skeleton, but the examples are {kind_word(first)}s")
    if isinstance(first, Stroke):
        if root_mode == "heading":
            raise UsageError("strokes have no heading: use root='absolute'")
        return stroke_layout(examples, root is None)  # type: ignore[arg-type]
    _check_rates(examples)
    if isinstance(first, PointClip):
        return point_layout(examples, root_mode)  # type: ignore[arg-type]
    if isinstance(first, MeshSequence):
        return mesh_layout(examples, root_mode)  # type: ignore[arg-type]
    return clip_layout(examples, angles or "euler", root_mode)  # type: ignore[arg-type]


def _check_choice(what: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise UsageError(f"{what} must be one of {', '.join(choices)}, but is {value!r}")


def _check_rates(examples: Sequence[Motion]) -> None:
    """Check that all examples have the same rate and unit of length."""
    first = examples[0]
    assert not isinstance(first, Stroke)
    for example in examples[1:]:
        assert not isinstance(example, Stroke)
        name, other = example.name or "an example", first.name or "the first one"
        if not same_rate(example.frame_time, first.frame_time):
            raise UsageError(f"{name} has {example.fps:g} fps and {other} {first.fps:g}: resample one of them first")
        if example.unit_m and first.unit_m and abs(example.unit_m / first.unit_m - 1.0) > 1e-6:
            units = f"{example.unit_m:g} m and in {other} {first.unit_m:g} m"
            raise UsageError(f"a unit of length in {name} is {units}: scale one of them first")


def encode(recipe: Recipe, motion: Motion, *, scaled: bool = False, strict: bool = True) -> Features:
    """Return a motion as rows of DOFs. With `scaled` they are (value - recipe.center) * recipe.weights.

    A DOF that never changes in the recipe's examples has no column. A motion with another value of such a DOF cannot be
    represented, which is an error unless `strict` is off.
    """
    layout = recipe.layout
    if recipe.motion_type is not type(motion):
        name = getattr(motion, "name", "") or "this"
        kinds = kind_word(recipe.motion_type)
        raise UsageError(f"{name} is a {kind_word(motion)}, but the model is of {kinds}s: give a {kinds}")
    if not isinstance(motion, Stroke) and not same_rate(motion.frame_time, layout.frame_time):
        rates = f"{motion.fps:g} fps and the recipe {1.0 / layout.frame_time:g}"
        raise UsageError(f"{motion.name or 'the motion'} has {rates}: resample it first")
    columns, start = layout.encode(motion)  # type: ignore[arg-type]
    if strict:
        recipe.check_constants(columns, motion.name or "the motion")
    values = columns[:, recipe.kept]
    other_skeleton, usual = None, recipe.skeleton
    if isinstance(motion, Clip) and usual is not None and replace(motion.skeleton, base=usual.base) != usual:
        other_skeleton = motion.skeleton  # with other lengths or another layout
    values = (values - recipe.center) * recipe.weights if scaled else values
    return Features(recipe, values, start, motion.name, scaled, other_skeleton)


def decode(
    recipe: Recipe,
    values: npt.ArrayLike | Features,
    *,
    start: Start | None = None,
    scaled: bool = False,
    resume: bool = False,
    skeleton: Skeleton | None = None,
    name: str = "",
) -> Motion:
    """Return the motion that rows of DOFs describe: the exact inverse of `encode`, and defined for any other rows.

    `start` is the position of row 0 (default: the origin, or the start in the Features). With `resume` it is the
    position of the frame before row 0, so that a stream can be decoded piece by piece. `skeleton` puts a clip on a
    compatible skeleton with other lengths.
    """
    if isinstance(values, Features):
        start, name, skeleton = start or values.start, name or values.name, skeleton or values.skeleton
        scaled, values = values.scaled, values.values
    columns = _columns(recipe, values, scaled)
    return recipe.layout.decode(columns, start or AT_ORIGIN, resume, skeleton, name)


def where_it_ends(recipe: Recipe, values: npt.ArrayLike, *, start: Start | None = None, resume: bool = False) -> Start:
    """Return the position of the last row: the `start` from which to resume."""
    columns, begin = _columns(recipe, values, False), start or AT_ORIGIN
    if len(columns) == 0:
        return begin
    layout = recipe.layout
    if isinstance(layout, StrokeLayout):
        return begin._replace(time=float(layout.times(columns, begin, resume)[-1]))
    if layout.root == "absolute":
        return begin
    return start_of(layout.path(columns, begin, resume), -1, layout.up)


def _columns(recipe: Recipe, values: npt.ArrayLike, scaled: bool) -> Floats:
    """Return all columns from the DOFs."""
    rows = checked_rows(values, recipe.names)
    return recipe.fill(rows / recipe.weights + recipe.center if scaled else rows)


def checked_rows(rows: npt.ArrayLike, names: Sequence[str]) -> Floats:
    """Return rows (frames, DOFs), or a single row (DOFs,), as (frames, DOFs); refuse values that are not finite."""
    try:
        values = np.asarray(rows, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise InvalidMotion("a row must be numbers, one per DOF") from None
    if values.ndim == 1:
        values = values[None]
    if values.ndim != 2 or values.shape[1] != len(names):
        width = f"{values.shape[1]} numbers" if values.ndim == 2 else "the wrong shape"
        raise InvalidMotion(
            f"a row has {width}, but the model has {len(names)} DOFs: encode the motion with the same model"
        )
    if not np.isfinite(values).all():
        frame, dof = map(int, np.argwhere(~np.isfinite(values))[0])
        raise InvalidMotion(f"the DOF {names[dof]!r} is {values[frame, dof]} in row {frame}: leave that frame out")
    return values

"""Recipe: all that is needed to turn motions into features and back, stored without pickle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from freshtake.errors import InvalidMotion, UsageError
from freshtake.motion.clip import Clip
from freshtake.motion.features import recipe_parts as stored
from freshtake.motion.features.clip_features import ClipLayout
from freshtake.motion.features.mesh_features import MeshLayout
from freshtake.motion.features.point_features import PointLayout
from freshtake.motion.features.scale import SCALES
from freshtake.motion.features.stroke_features import StrokeLayout
from freshtake.motion.kinds import MeshSequence, PointClip, Stroke
from freshtake.motion.skeleton import Skeleton
from freshtake.motion.validation import frozen
from freshtake.numeric.arrays import Bools, Floats, Ints

Motion = Clip | PointClip | MeshSequence | Stroke
Layout = ClipLayout | PointLayout | MeshLayout | StrokeLayout
MOTIONS: dict[str, type[Motion]] = {"clip": Clip, "points": PointClip, "mesh": MeshSequence, "stroke": Stroke}
LAYOUTS: dict[str, type[Layout]] = {
    "clip": ClipLayout, "points": PointLayout, "mesh": MeshLayout, "stroke": StrokeLayout,
}  # fmt: skip
VERSION = 1
STILL = 1e-12  # a column that moves by less (times its size, where that is above 1) is constant


@dataclass(frozen=True, eq=False, repr=False)
class Recipe:
    """The layout of all columns, which of them are DOFs, what the others are fixed at, and weights of the DOFs.

    `kept` (DOFs,) are column numbers, `fixed` (columns,) the values of those left out, `weights` (DOFs,) how much
    one unit of each DOF counts in a distance, `center` (DOFs,) what scaled values are measured from.
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
        # Compared, not subtracted: differences of the numbers that a hostile file may hold wrap around.
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
        """The skeleton that clips are decoded on (the first example's); None for motions without."""
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
        """What each DOF measures: angle, length, speed, turn, time or plain."""
        units = self.layout.units()
        return tuple(units[k] for k in self.kept)

    def scale_up(self, values: Floats) -> Floats:
        """Return (value - center) * weight."""
        return (values - self.center) * self.weights

    def scale_down(self, values: Floats) -> Floats:
        """Return the inverse of `scale_up`."""
        return values / self.weights + self.center

    def fill(self, values: Floats) -> Floats:
        """Return all columns: the DOFs where they belong, the others at their fixed values."""
        columns = np.empty((len(values), len(self.fixed)))
        columns[:] = self.fixed
        columns[:, self.kept] = values
        return columns

    def check_constants(self, columns: Floats, what: str) -> None:
        """Raise with the name of the DOF when a column that was left out has another value."""
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

    def to_parts(self) -> stored.Parts:
        """Return a JSON-able header and arrays by name, for a model file."""
        header, arrays = self.layout.parts()
        recipe_header = {"recipe": VERSION, "kind": self.layout.kind, "scale": self.scale, "layout": header}
        recipe_arrays: dict[str, stored.Array] = {
            "kept": np.asarray(self.kept, dtype=np.int64),
            "fixed": self.fixed,
            "weights": self.weights,
            "center": self.center,
        }
        return stored.Parts(recipe_header, recipe_arrays | {f"layout_{name}": value for name, value in arrays.items()})

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], arrays: Mapping[str, stored.Array]) -> Recipe:
        """Return the recipe from its parts; raise InvalidMotion where they cannot be one."""
        if stored.field(header, "recipe", int) != VERSION:
            raise InvalidMotion(f"a recipe of version {header['recipe']} cannot be read: this is version {VERSION}")
        kind = stored.choice(header, "kind", tuple(LAYOUTS))
        inner = {name.removeprefix("layout_"): value for name, value in arrays.items() if name.startswith("layout_")}
        return cls(
            LAYOUTS[kind].from_parts(stored.field(header, "layout", dict), inner),
            stored.choice(header, "scale", SCALES),
            *(stored.array(arrays, name) for name in ("kept", "fixed", "weights", "center")),
        )


def constant_columns(examples: Sequence[Floats], units: Sequence[str]) -> tuple[Bools, Floats]:
    """Return which columns never change over all examples, and the middle value of every column."""
    low = np.min([values.min(axis=0) for values in examples], axis=0)
    high = np.max([values.max(axis=0) for values in examples], axis=0)
    middle = low + (high - low) / 2.0
    tolerance = STILL * np.maximum(1.0, np.maximum(np.abs(low), np.abs(high)))
    angle = np.array(units) == "angle"
    tolerance = np.where(angle, 10.0 * STILL, tolerance)
    return np.asarray(high - low <= tolerance), middle

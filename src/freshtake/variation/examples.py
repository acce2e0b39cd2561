"""The input of a model: the examples as rows of DOFs, and their hinges.

A hinge is a joint that rotates about a single axis in all examples. Its DOFs are an angle times a direction, but they
vary as if they were independent, so variants are projected onto the direction to keep knees from bending sideways.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.features import Recipe, Start, decode, encode, recipe
from freshtake.motion.features.angles import AT_ORIGIN
from freshtake.motion.features.clip_features import ClipLayout
from freshtake.motion.skeleton import Skeleton
from freshtake.motion.validation import frozen
from freshtake.motion.verdict import require_unflung
from freshtake.numeric.arrays import Bools, Floats, Ints, rounded

HORIZON = 0.1  # seconds: speeds are weighted by the distance covered in this time
FEWEST = 4  # frames of an example: the minimum for velocities and the frames before them


@dataclass(frozen=True, eq=False)
class Material:
    """Rows (frames, DOFs) of each example, rounded to float32 so that a saved model equals the model in memory."""

    values: tuple[Floats, ...]
    names: tuple[str, ...]
    weights: Floats
    rates: Bools
    frame_time: float
    recipe: Recipe | None = None
    starts: tuple[Start, ...] = ()  # where each example begins; empty: all at the origin

    def __post_init__(self) -> None:
        if not self.starts:
            object.__setattr__(self, "starts", (AT_ORIGIN,) * len(self.values))

    @property
    def layout(self) -> ClipLayout | None:
        """How columns form a clip; None for motions without a body."""
        return self.recipe.layout if self.recipe is not None and isinstance(self.recipe.layout, ClipLayout) else None

    @property
    def skeleton(self) -> Skeleton | None:
        """The skeleton of the examples; None for motions without a body."""
        return None if self.recipe is None else self.recipe.skeleton

    @property
    def owners(self) -> tuple[str, ...]:
        """The joint of each DOF."""
        return tuple(name.rpartition(".")[0] for name in self.names)

    @property
    def moves_root(self) -> Bools:
        """The mask of DOFs that move the root."""
        layout, recipe = self.layout, self.recipe
        return np.zeros(len(self.names), bool) if layout is None or recipe is None else recipe.kept < layout.root_width

    def dofs_of(self, joints: Collection[str]) -> Bools:
        """Return the mask (DOFs,) of the DOFs of these joints."""
        return np.array([owner in joints for owner in self.owners], dtype=np.bool_)

    @property
    def timing(self) -> Bools:
        """The mask of DOFs that are time steps, as in strokes: they depend on the movement of all other DOFs."""
        if self.recipe is None:
            return np.zeros(len(self.names), dtype=np.bool_)
        return np.array([unit == "time" for unit in self.recipe.units])

    @property
    def pose_dofs(self) -> Bools:
        """The mask of DOFs that describe a pose: neither speeds nor time steps."""
        return np.asarray(~(self.rates | self.timing))


def material_of(examples: Sequence[Any], names: Sequence[str] | None, frame_time: float | None) -> Material:
    """Encode motions, or use plain arrays (frames, DOFs) with their names unchanged."""
    if not examples:
        raise UsageError("there is nothing to learn from: give at least one example")
    if any(isinstance(example, np.ndarray) for example in examples):
        return _from_arrays(examples, names, frame_time)
    are_clips = isinstance(examples[0], Clip)
    how = {"angles": "expmap", "root": "heading"} if are_clips else {"angles": None, "root": None}
    layout = recipe(examples, **how, horizon=HORIZON)
    encoded = [encode(layout, example) for example in examples]
    rows = tuple(rounded(one.values) for one in encoded)
    rates = np.array([unit in ("speed", "turn") for unit in layout.units])
    starts = tuple(one.start for one in encoded) if are_clips else ()
    return Material(rows, layout.names, rounded(layout.weights), rates, layout.frame_time, layout, starts)


def _from_arrays(examples: Sequence[Any], names: Sequence[str] | None, frame_time: float | None) -> Material:
    rows = tuple(rounded(frozen(x, f"example {k + 1}", (None, None))) for k, x in enumerate(examples))
    width = rows[0].shape[1]
    if any(x.shape[1] != width for x in rows):
        raise UsageError(f"the examples have different numbers of DOFs: {sorted({x.shape[1] for x in rows})}")
    called = tuple(names) if names is not None else tuple(f"x{k}" for k in range(width))
    if len(called) != width:
        raise UsageError(f"{len(called)} names are given for {width} DOFs")
    spread = np.concatenate(rows).std(axis=0)
    if (spread <= 0).any():
        raise UsageError(f"the DOF {called[int(spread.argmin())]!r} never changes: remove it")
    return Material(rows, called, rounded(1.0 / spread), np.zeros(width, dtype=np.bool_), frame_time or 1.0)


def check_examples(examples: Sequence[Any], material: Material, least: int) -> None:
    """Refuse examples that cannot be learned from: still, identical, or with fewer than `least` frames."""
    values = material.values
    names = [getattr(example, "name", "") for example in examples]
    titles = [f"example {k + 1} ({name})" if name else f"example {k + 1}" for k, name in enumerate(names)]
    if not material.names:
        raise UsageError("nothing moves in these examples: there is nothing to learn")
    for a, x in enumerate(values):
        if len(x) < least:
            raise UsageError(f"{titles[a]} has {len(x)} frames: at least {least} are needed")
        if (x == x[0]).all():
            raise UsageError(f"{titles[a]} never moves: leave it out")
        for b in range(a):
            if x.shape == values[b].shape and np.array_equal(x, values[b]):
                raise UsageError(f"examples {b + 1} and {a + 1} are identical: remove one of them")


class Hinge(NamedTuple):
    """The columns of a joint's DOFs and the unit vector along which they move."""

    columns: Ints
    direction: Floats


def hinges_of(material: Material) -> tuple[Hinge, ...]:
    """Find all joints of a body that rotate about a single axis in the examples."""
    if material.skeleton is None:
        return ()
    rows, hinges = np.concatenate(material.values), []
    for joint in dict.fromkeys(material.owners):
        columns = np.flatnonzero(material.dofs_of([joint]))
        if joint == material.skeleton.names[0] or len(columns) < 2:
            continue
        _, sizes, directions = np.linalg.svd(rows[:, columns], full_matrices=False)
        # rounding and file formats leave up to 1e-4 of a hinge's movement off its axis
        if sizes[1] <= 1e-4 * sizes[0]:
            hinges.append(Hinge(columns, directions[0]))
    return tuple(hinges)


def on_hinges(hinges: Sequence[Hinge], rows: Floats) -> Floats:
    """Return rows (frames, DOFs) whose hinged joints rotate about their axes only."""
    if not hinges:
        return rows
    out = rows.copy()
    for size in {len(hinge.columns) for hinge in hinges}:
        same_size = [hinge for hinge in hinges if len(hinge.columns) == size]
        columns, directions = np.stack([h.columns for h in same_size]), np.stack([h.direction for h in same_size])
        along = np.einsum("fhc,hc->fh", rows[:, columns], directions)
        out[:, columns] = along[..., None] * directions
    return out


class ExampleModel:
    """The common part of both methods' models: their examples, and motions as rows of the examples' DOFs."""

    material: Material
    cyclic: bool
    method = "variation"
    hinges: Sequence[Hinge] = ()

    def __repr__(self) -> str:
        kind = "cyclic" if self.cyclic else "acyclic"
        return f"{type(self).__name__}({len(self.material.values)} {kind} examples, {len(self.dofs)} DOFs)"

    @property
    def dofs(self) -> tuple[str, ...]:
        """The names of the DOFs."""
        return self.material.names

    @property
    def frame_time(self) -> float:
        """The seconds per frame."""
        return self.material.frame_time

    def decode(self, rows: Floats, *, start: Start | None = None, resume: bool = False, name: str = "") -> Any:
        """Return rows as a motion of the same kind as the examples.

        Args:
            rows: (frames, DOFs).
            start: Where the motion starts; default: at the origin.
            resume: Whether the rows continue a motion that ended at `start`.
            name: Its name.

        Returns:
            A clip (stroke, ...), or the rows themselves if the examples were arrays.
        """
        if self.material.recipe is None:
            return rows
        rows = on_hinges(self.hinges, rows)
        motion = decode(self.material.recipe, rows, start=start, resume=resume, name=name)
        require_unflung(motion, resumed=resume)
        return motion.changed(provenance=f"made by freshtake: {self.method}") if isinstance(motion, Clip) else motion

    def encode(self, example: Any) -> Floats:
        """Return a motion as rows of this model's DOFs.

        Args:
            example: A motion of the same kind, rig and frame rate as the examples.

        Returns:
            (frames, DOFs), in radians and the examples' unit of length.
        """
        if self.material.recipe is not None:
            return rounded(encode(self.material.recipe, example, strict=False).values)
        if not isinstance(example, np.ndarray | Sequence):
            raise UsageError("this model was learned from plain rows of numbers: pass such rows, not a motion")
        return rounded(example)

    def _encoded_examples(self, examples: Sequence[Any], least: int) -> tuple[Floats, ...]:
        """Return rows that replace the examples; refuse an empty list and examples with fewer than `least` frames."""
        if not examples:
            raise UsageError("with_examples needs at least one example")
        values = tuple(self.encode(example) for example in examples)
        for number, rows in enumerate(values, start=1):
            if len(rows) < least:
                raise UsageError(f"example {number} has {len(rows)} frames: at least {least} are needed")
        return values

"""The inputs on one common phase, from which all baselines start (Lau 2009, §8)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.body.roles import leg_length
from freshtake.motion.edit import resample
from freshtake.motion.features import Recipe, Start, decode, encode, recipe
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.variation.examples import HORIZON
from freshtake.variation.phase import ALIGNMENT, align, read_at


@dataclass(frozen=True, eq=False)
class Basis:
    """Inputs as rows of DOFs, the frame of each phase in each input, and the DOFs that noise may change."""

    recipe: Recipe
    names: tuple[str, ...]
    rows: tuple[Floats, ...]  # (frames, DOFs) each
    starts: tuple[Start, ...]
    phase_frames: Floats  # (phases, inputs)
    chosen: Ints  # columns that may change
    size: float  # the unit of length for differences: the leg, or a stroke's diagonal

    @property
    def frame_time(self) -> float:
        """Seconds per frame."""
        return self.recipe.frame_time

    @cached_property
    def rates(self) -> Bools:
        """Flags (DOFs,) of the DOFs that are speeds: they are per second of the take's time."""
        return np.array([unit in ("speed", "turn") for unit in self.recipe.units])

    @cached_property
    def weights(self) -> Floats:
        """How far a unit of each DOF moves the body, relative to its size (root mean square over joints), (DOFs,)."""
        return np.asarray(self.recipe.weights / self.size)

    @cached_property
    def warped(self) -> Floats:
        """All inputs at the same phases, (inputs, phases, DOFs)."""
        return np.stack([read_at(rows, self.phase_frames[:, k]) for k, rows in enumerate(self.rows)])

    @cached_property
    def spread(self) -> Floats:
        """Standard deviation over the inputs, DOF by DOF, (phases, DOFs); 0 for DOFs that are not chosen."""
        self.require_two()
        out = np.zeros(self.warped.shape[1:])
        out[:, self.chosen] = self.warped[:, :, self.chosen].std(axis=0, ddof=1)
        return out

    @cached_property
    def compared(self) -> Ints:
        """The chosen columns other than speeds, over which changes are summed."""
        still = self.chosen[~self.rates[self.chosen]]
        return still if len(still) else self.chosen

    def phases(self, number: int) -> Floats:
        """Return the phase of each frame of one input."""
        phase_frames = self.phase_frames[:, number]
        return np.interp(
            np.arange(len(self.rows[number])), phase_frames, np.arange(len(phase_frames), dtype=np.float64)
        )

    def require_two(self) -> None:
        """Refuse a single input: the strength of noise is the difference between inputs."""
        if len(self.rows) < 2:
            raise UsageError("the strength of noise comes from the differences between inputs: give at least two takes")

    def encode(self, motion: Any) -> Floats:
        """Return a motion as rows of the same DOFs; a clip with another rate is resampled first."""
        # Files round frame times: rates that differ by less than a thousandth are the same.
        if isinstance(motion, Clip) and abs(motion.frame_time / self.frame_time - 1.0) > 1e-3:
            motion = resample(motion, 1.0 / self.frame_time)
        elif isinstance(motion, Clip):
            motion = motion.changed(frame_time=self.frame_time)
        return encode(self.recipe, motion, strict=False).values

    def decode(self, rows: Floats, *, start: Start | None = None, name: str = "") -> Any:
        """Return rows as a motion."""
        return decode(self.recipe, rows, start=start, name=name)


def basis_of(inputs: Sequence[Any], joints: Sequence[str] = ()) -> Basis:
    """Align the inputs to one another; `joints` names those that noise may change (default: all).

    A name denotes a joint, or a single DOF such as LeftArm.x. The root moves by its speeds, so noise on a leg
    makes its foot slide, as it does when angles are edited by hand.
    """
    if not inputs:
        raise UsageError("there are no takes to make a baseline from: give at least one")
    first = inputs[0]
    clips = isinstance(first, Clip)
    layout = recipe(inputs, angles="expmap" if clips else None, horizon=HORIZON)
    coded = [encode(layout, motion) for motion in inputs]
    rows = tuple(np.asarray(c.values) for c in coded)
    short = next((k for k, r in enumerate(rows) if len(r) < 4), None)
    if short is not None:
        raise UsageError(f"{inputs[short].name or 'a take'} has {len(rows[short])} frames: at least 4 are needed")
    phase_frames = align(rows, layout.weights, ALIGNMENT / layout.frame_time)
    diagonals = [np.linalg.norm(np.ptp(r, axis=0)) for r in rows]
    return Basis(
        layout,
        tuple(motion.name for motion in inputs),
        rows,
        tuple(c.start for c in coded),
        phase_frames,
        _chosen(layout.names, joints),
        leg_length(first.skeleton) if clips else max(float(np.median(diagonals)), 1e-12),
    )


def _chosen(names: Sequence[str], joints: Sequence[str]) -> Ints:
    """Return the columns of the joints; all columns if no joints are given."""
    if not joints:
        return np.arange(len(names), dtype=np.intp)
    owners = [name.rsplit(".", 1)[0] for name in names]
    valid = dict.fromkeys(owners)
    for joint in joints:
        if joint not in valid and joint not in names:
            raise UsageError(f"no joint {joint!r} moves in these takes; those that do are {', '.join(valid)}")
    picked = [k for k, name in enumerate(names) if name in joints or owners[k] in joints]
    return np.array(picked, dtype=np.intp)

"""LearnedKernels: the eigenspace, the kernels of all classes and their densities; all that is saved of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from freshtake.density.class_weights import changes, schedule
from freshtake.density.even_jumps import JumpTable
from freshtake.density.pose_density import Density, density, motion_widths, pose_widths, velocities
from freshtake.density.settings import Settings
from freshtake.errors import UsageError
from freshtake.motion.features import Recipe
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.pca import Pca


@dataclass(frozen=True, eq=False, repr=False)
class LearnedKernels:
    """What was learned.

    `weights` (kernels, modes), `rates` (kernels, 0 or 4; see decoding) and `residuals` (kernels, DOFs or 0) run over
    classes, their runs and frames; `lengths` are those of the runs by class.
    """

    settings: Settings
    classes: tuple[str, ...]
    names: tuple[str, ...]
    frame_time: float
    recipe: Recipe | None
    scale: Floats
    pca: Pca
    weights: Floats
    rates: Floats
    residuals: Floats
    lengths: tuple[tuple[int, ...], ...]
    allowed: Bools  # (kernels,): may be jumped to
    cyclic: tuple[bool, ...]
    limits: Floats  # (classes, 3): second difference and distance that jumps keep to; frames per cycle
    errors: tuple[float, ...]  # per class: what the eigenspace leaves out, in centimetres (arrays: their own unit)
    jumps: JumpTable
    notes: tuple[str, ...] = ()  # which frames were left out, and why
    periodic: tuple[bool, ...] = ()  # per class: whether it repeats in cycles, so that it can be blended

    def __repr__(self) -> str:
        kernels = ", ".join(f"{name} {sum(runs)}" for name, runs in zip(self.classes, self.lengths, strict=True))
        return f"DensityModel({len(self.pca.modes)} modes, kernels: {kernels})"

    @property
    def modes(self) -> int:
        """Dimensions of the eigenspace."""
        return len(self.pca.modes)

    @cached_property
    def owners(self) -> Ints:
        """The class of every kernel, (kernels,)."""
        counts = [sum(runs) for runs in self.lengths]
        return np.repeat(np.arange(len(counts)), counts)

    @cached_property
    def run_stops(self) -> Ints:
        """One past the last kernel of every run."""
        return np.cumsum([length for runs in self.lengths for length in runs])

    def runs(self, name: str) -> list[Floats]:
        """The mode weights of one class, run by run."""
        own = self.class_number(name)
        edges = [0, *self.run_stops.tolist()]
        return [self.weights[a:b] for a, b in pairwise(edges) if self.owners[a] == own]

    def class_number(self, name: str) -> int:
        """Where a class stands among the classes."""
        if name not in self.classes:
            raise UsageError(f"there is no class {name!r}; the classes are {', '.join(self.classes)}")
        return self.classes.index(name)

    @cached_property
    def speeds(self) -> Floats:
        """dy/dt (kernels, modes) of eq. 7, run by run."""
        return np.concatenate([velocities(run) for name in self.classes for run in self.runs(name)])

    @cached_property
    def widths(self) -> Floats:
        """Widths of the kernels in pose and motion, (2 modes,): eq. 8."""
        return motion_widths(self.pca.variances, self.speeds, self.settings.alpha)

    @cached_property
    def pose_densities(self) -> tuple[Density, ...]:
        """P(y) of every class: eq. 6."""
        widths = pose_widths(self.pca.variances, self.settings.alpha)
        return tuple(density(self.weights[self.owners == k], widths) for k in range(len(self.classes)))

    @cached_property
    def motion_densities(self) -> tuple[Density, ...]:
        """P(y, dy/dt) of every class: eq. 6 with the widths of eq. 8."""
        both = np.concatenate([self.weights, self.speeds], axis=1)
        return tuple(density(both[self.owners == k], self.widths) for k in range(len(self.classes)))

    def mixture(self, weights: Any = None) -> Floats:
        """Return weights of the classes that do not change over time.

        Args:
            weights: a mapping, a single w of two classes, a text without arrows, an array (classes,), or None.

        Returns:
            Weights (classes,), summing to 1.
        """
        if isinstance(weights, str) and changes(weights):
            raise UsageError(
                f"{weights!r} changes from a first frame to a last: say how many frames, or give a function"
            )
        if weights is None or isinstance(weights, str | Mapping):
            plan = schedule(self.classes, weights, 1)
        else:
            values = np.asarray(weights, dtype=np.float64)
            plan = schedule(self.classes, values if values.ndim == 0 else values[None], 1)
        mix: Floats = plan[0]
        return mix

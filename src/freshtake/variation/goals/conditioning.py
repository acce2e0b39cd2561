"""Condition variants on given values: a drawn variant x becomes one that has exactly the pinned values y.

Matheron's rule: x + K_xp K_pp^-1 (y - x_p), with the covariance K of the Gaussian that variants are drawn from.
"""

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.variation.deviations import Deviations
from freshtake.variation.phase import read_at


class PinnedValues(NamedTuple):
    """Values that a variant must pass through."""

    frames: Ints  # (values,)
    dofs: Ints  # (values,)
    values: Floats  # (values,)


class Spread(NamedTuple):
    """The Gaussian along one variant."""

    factors: Floats  # (takes, frames, DOFs): deviations of whole takes, in standard deviations
    sizes: Floats  # (frames, DOFs): standard deviations of the prior
    phases: Floats  # (frames,)
    deviations: Deviations

    @property
    def total(self) -> Floats:
        """The total standard deviation, (frames, DOFs)."""
        return np.asarray(np.sqrt((self.factors**2).sum(axis=0) + self.sizes**2))

    def within(self, frame: int) -> Floats:
        """Return the covariance (DOFs, DOFs) at one frame."""
        factors = self.factors[:, frame]
        return np.asarray(factors.T @ factors + np.diag(self.sizes[frame] ** 2))


def spread_along(deviations: Deviations, phases: Floats, moving: Bools, cyclic: bool) -> Spread:
    """Return the Gaussian at the phases (frames,) of a variant; DOFs that are not `moving` (DOFs,) have size 0."""
    last = len(deviations.takes.mean) - 1.0
    places = np.mod(phases, last) if cyclic else np.clip(phases, 0.0, last)
    dofs = deviations.dofs
    deltas = (deviations.weight_size * deviations.takes.deltas)[..., :dofs]
    factors = [read_at(delta, places) * moving for delta in deltas]
    sizes = np.maximum(read_at(deviations.prior_size[:dofs] * deviations.sizes, places), 1e-9)
    return Spread(np.stack(factors), sizes * moving, phases, deviations)


def condition(rows: Floats, pinned: PinnedValues, spread: Spread) -> Floats:
    """Return a variant (frames, DOFs) conditioned on pinned values; DOFs that must not move are unchanged."""
    if len(pinned.frames) == 0:
        return rows
    factors = spread.factors[:, pinned.frames, pinned.dofs]  # (takes, values)
    size = spread.sizes[pinned.frames, pinned.dofs]
    free = size > 0.0
    missing = np.where(free, pinned.values - rows[pinned.frames, pinned.dofs], 0.0)
    apart = np.subtract.outer(spread.phases[pinned.frames], spread.phases[pinned.frames])
    correlations = spread.deviations.correlation(apart) * (pinned.dofs[:, None] == pinned.dofs)
    between = factors.T @ factors + np.outer(size, size) * correlations
    # 1e-9 of the pinned values' mean variance keeps the matrix positive definite
    between[np.diag_indices_from(between)] += np.where(free, 1e-9 * (size**2).mean(), 1.0)
    pull = np.linalg.solve(between, missing)
    out = rows + np.einsum("l,lfd->fd", factors @ pull, spread.factors)
    when, which = np.unique(pinned.frames, return_inverse=True)
    strength = np.zeros((len(when), rows.shape[1]))
    np.add.at(strength, (which, pinned.dofs), size * pull)
    near = spread.deviations.correlation(np.subtract.outer(spread.phases, spread.phases[when]))
    return np.asarray(out + spread.sizes * (near @ strength))


def strain(rows: Floats, pinned: PinnedValues, spread: Spread) -> float:
    """Return the distance of pinned values from a drawn variant, in standard deviations, at the farthest frame.

    This is the root mean square over DOFs: about 1.4 if both deviate as usual. The farthest single value would
    mean little, because among a hundred DOFs there is always one that hardly varies at that phase.
    """
    size = spread.total[pinned.frames, pinned.dofs]
    away = (pinned.values - rows[pinned.frames, pinned.dofs]) / np.maximum(size, 1e-12)
    return max((float(np.sqrt((away[pinned.frames == t] ** 2).mean())) for t in np.unique(pinned.frames)), default=0.0)

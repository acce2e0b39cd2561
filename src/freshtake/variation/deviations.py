"""How takes differ: one Gaussian over phases and DOFs, from which variants are drawn, conditioned and evaluated.

A take is x = mean + sqrt(share) * d + sqrt(1 - share) * e, both with the variance of a further take:

    d(p) = sum_l g_l delta_l(p)                whole takes: delta_l = take l - mean, g_l normal, one for the whole take
    e_i(p) = sqrt(1 + 1/L) size_i(p) z_i(p)    the prior: z_i smooth in time, independent from DOF to DOF

delta_l carries all coordination that the takes show; e has what so few takes cannot show. The share of whole takes
follows from their number L, share = (L - 1) / (L - 1 + prior): one take leaves everything to the prior, forty hardly
anything. As a Dynamic Bayesian Network (Lau 2009, §4): g is a hidden, static node and a parent of every DOF at every
frame; the other parents of a DOF are its values in the frames before, which z continues.

Variants that pass through given values are conditioned on them: a drawn variant x becomes one that holds the pinned
values y exactly (Matheron's rule), x + K_xp K_pp^-1 (y - x_p), with the covariance K of the same Gaussian.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from freshtake.motion.body.limbs import limb_joints
from freshtake.motion.features.clip_features import ClipLayout
from freshtake.motion.validation import between
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.curves import gaussian_filter1d
from freshtake.variation import population
from freshtake.variation.examples import Material, rounded
from freshtake.variation.phase import Takes, read_at

EVEN = 0.3  # share of a DOF's mean variance in its variance at each phase: a few takes may agree by chance
SUPPORT = 0.25  # what the prior is worth in legs and root, relative to elsewhere
KNOTS = 4  # of a cubic spline that determine its value at a time


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a variation model is learned.

    Attributes:
        prior: How many further takes the prior is worth next to the takes themselves, 0 to 100. Takes show only as many
            ways of deviating as there are takes less one; the prior has all others. 0 combines whole takes alone.
    """

    prior: float = 2.0

    def __post_init__(self) -> None:
        between(self, "prior", 0.0, 100.0)


@dataclass(frozen=True, eq=False)
class Deviations:
    """The Gaussian of how takes differ.

    Attributes:
        takes: The takes on their common phase.
        sizes: (phases, DOFs): standard deviation of the prior.
        share: (columns,): share of the variance that comes from whole takes.
        spacing: Phases between the knots of the prior's splines.
    """

    takes: Takes
    sizes: Floats
    share: Floats
    spacing: float

    @property
    def further(self) -> float:
        """The factor by which the variance of a further take exceeds that of the takes: their mean is uncertain, too.

        A single take has no mean to be uncertain about; it is varied as much as takes vary.
        """
        count = len(self.takes.rows)
        return 1.0 + 1.0 / count if count > 1 else 1.0

    @cached_property
    def weight_size(self) -> Floats:
        """The factor of the takes' weights, (columns,), where g is standard normal."""
        return np.asarray(np.sqrt(self.share * self.further / max(len(self.takes.rows) - 1, 1)))

    @cached_property
    def prior_size(self) -> Floats:
        """The factor of the sizes, (columns,)."""
        return np.asarray(np.sqrt((1.0 - self.share) * self.further))

    @cached_property
    def timing(self) -> tuple[float, float]:
        """The prior's standard deviations of the logarithms of tempo and of the pace within a take."""
        log_pace = self.takes.log_pace
        tempo, count = log_pace.mean(axis=1), len(log_pace)
        if count == 1:
            return population.TEMPO, population.PACE
        within = log_pace - tempo[:, None]
        seen = (tempo.var(ddof=1), within.var(axis=0, ddof=1).mean())
        worth = population.WORTH
        both = [
            np.sqrt((worth * usual**2 + (count - 1.0) * variance) / (worth + count - 1.0))
            for usual, variance in zip((population.TEMPO, population.PACE), seen, strict=True)
        ]
        return float(both[0]), float(both[1])

    @property
    def dofs(self) -> int:
        """How many columns are DOFs; parts of the trajectory that never vary come after them."""
        return int(self.sizes.shape[1])

    @cached_property
    def all_sizes(self) -> Floats:
        """Sizes of all columns of the takes: 0 for columns that are no DOF."""
        extra = self.takes.rows.shape[2] - self.dofs
        return np.concatenate([self.sizes, np.zeros((len(self.sizes), extra))], axis=1)

    @cached_property
    def total_sizes(self) -> Floats:
        """The expected deviation of a further take, (phases, DOFs): one standard deviation."""
        whole = ((self.weight_size * self.takes.deltas) ** 2).sum(axis=0) + (self.prior_size * self.all_sizes) ** 2
        return np.asarray(np.sqrt(whole[:, : self.dofs]))

    @cached_property
    def ground_sizes(self) -> Floats:
        """The expected distance of a further take from the mean's place, (phases,): one standard deviation."""
        course = self.takes.course
        if course is None:
            return np.zeros(len(self.takes.mean))
        whole = ((self.weight_size * self.takes.deltas)[..., course.ground] ** 2).sum(axis=(0, 2))
        prior = ((self.prior_size * self.all_sizes)[:, course.ground] ** 2).sum(axis=1)
        return np.asarray(np.sqrt(whole + prior))

    def correlation(self, apart: Floats) -> Floats:
        """Return the correlation of z between phases this far `apart`."""
        return spline_correlation(np.abs(apart) / self.spacing)


def share_of(settings: Settings, takes: int, worth: float = 1.0) -> float:
    """Return the share of the variance that comes from whole takes, with `worth` times the usual prior."""
    return (takes - 1.0) / (takes - 1.0 + worth * settings.prior) if takes > 1 else 0.0


def shares(settings: Settings, material: Material, takes: Takes) -> Floats:
    """Return the share of the variance that comes from whole takes, (columns,).

    Legs and root, which carry the body, are so tightly coordinated (both feet step equally far, and the hips with them)
    that a prior without coordination is worth less there than in trunk, head and arms.
    """
    count, columns = len(takes.rows), takes.rows.shape[2]
    out = np.full(columns, share_of(settings, count))
    recipe = material.recipe
    if recipe is None or not isinstance(recipe.layout, ClipLayout):
        return out
    skeleton = recipe.layout.skeleton
    legs = {skeleton.names[joint] for _, joints, is_leg in limb_joints(skeleton) if is_leg for joint in joints}
    if not legs:
        return out
    owners = [name.rpartition(".")[0] for name in material.names]
    in_leg = np.array([owner in legs for owner in owners])
    support = np.concatenate([in_leg | (recipe.kept < recipe.layout.root_width), np.ones(columns - len(owners), bool)])
    # a single take has no differences to combine: its share only says how little the prior does there
    out[support] = share_of(settings, count, SUPPORT) if count > 1 else 1.0 - SUPPORT
    return out


def prior_sizes(material: Material, takes: Takes) -> Floats:
    """Return the size of deviations at every phase, (phases, DOFs), from the takes and from the population.

    The population's size of a DOF counts like a few takes (its error is known); its overall scale follows the takes
    half-way, because takes that were chosen for being alike understate how far a further one deviates.
    """
    rows = takes.rows[..., : len(material.names)]
    mean, count = rows.mean(axis=0), len(rows)
    usual = population.usual_sizes(material.recipe, material.names, mean)
    if count == 1:
        return rounded(np.broadcast_to(usual, mean.shape))
    variance = ((rows - mean) ** 2).sum(axis=0) / (count - 1.0)
    seen = np.sqrt(variance.mean(axis=0))
    # DOFs that never move, or that the population does not have, say nothing about the scale.
    usable = (usual > 0.0) & (seen > 0.0)
    scale = np.exp(0.5 * np.log(seen[usable] / usual[usable]).mean()) if usable.any() else 1.0
    # smooth sizes along the phase by 0.08 s
    variance = gaussian_filter1d(variance, 0.08 / material.frame_time, axis=0, mode="nearest")
    # Where a few takes happen to agree, a further one need not: every phase keeps some variance.
    variance = (1.0 - EVEN) * variance + EVEN * variance.mean(axis=0)
    worth = population.WORTH
    return rounded(np.sqrt((worth * (scale * usual) ** 2 + (count - 1.0) * variance) / (worth + count - 1.0)))


def spline_basis(at: Floats, first: int, count: int) -> Floats:
    """Return the matrix that turns independent normals at knots into a smooth process of variance 1.

    Args:
        at: (phases,): phases in units of the knots' spacing.
        first: Number of the first knot.
        count: How many knots there are; the value at t depends on those from floor(t) to floor(t) + 3.

    Returns:
        (phases, knots).
    """
    low = np.floor(at).astype(np.intp)
    t = at - low
    weights = np.stack([
        (1.0 - t) ** 3, 3.0 * t**3 - 6.0 * t**2 + 4.0, -3.0 * t**3 + 3.0 * t**2 + 3.0 * t + 1.0, t**3,
    ], axis=1)  # fmt: skip
    # B-spline weights have less variance between knots than at them; deviations would pulse with the knots.
    weights /= np.sqrt((weights**2).sum(axis=1, keepdims=True))
    out = np.zeros((len(at), count))
    np.put_along_axis(out, low[:, None] - first + np.arange(KNOTS), weights, axis=1)
    return out


def spline_correlation(apart: Floats) -> Floats:
    """Return the autocorrelation of such a process, `apart` in units of the spacing, averaged over places."""
    grid, along = _correlation_table()
    return np.asarray(np.interp(apart, grid, along, right=0.0))


@lru_cache(maxsize=1)
def _correlation_table() -> tuple[Floats, Floats]:
    """Return distances and correlations, dense enough for linear interpolation."""
    grid = np.linspace(0.0, float(KNOTS), 50 * KNOTS + 1)
    basis = [spline_basis(start + grid, 0, 2 * KNOTS + 1) for start in (0.0, 0.25, 0.5, 0.75)]
    return grid, np.mean([one @ one[0] for one in basis], axis=0)


class PinnedValues(NamedTuple):
    """Values that a variant has to pass through."""

    frames: Ints  # (values,)
    dofs: Ints  # (values,)
    values: Floats  # (values,)


class Spread(NamedTuple):
    """The Gaussian along one variant.

    Attributes:
        factors: (takes, frames, DOFs): the deviations of whole takes, in standard deviations.
        sizes: (frames, DOFs): standard deviation of the prior.
        phases: (frames,).
        deviations: The model of how takes differ.
    """

    factors: Floats
    sizes: Floats
    phases: Floats
    deviations: Deviations

    @property
    def total(self) -> Floats:
        """The total standard deviation, (frames, DOFs)."""
        return np.asarray(np.sqrt((self.factors**2).sum(axis=0) + self.sizes**2))

    def within(self, frame: int) -> Floats:
        """Return the covariance (DOFs, DOFs) of one frame."""
        factors = self.factors[:, frame]
        return np.asarray(factors.T @ factors + np.diag(self.sizes[frame] ** 2))


def spread_along(deviations: Deviations, phases: Floats, moving: Bools, cyclic: bool) -> Spread:
    """Return the Gaussian at the phases of a variant.

    Args:
        deviations: How takes differ.
        phases: (frames,): of the variant.
        moving: (DOFs,): which DOFs may move; the others have size 0.
        cyclic: Whether the first phase follows the last one.

    Returns:
        The Gaussian along the variant.
    """
    last = len(deviations.takes.mean) - 1.0
    places = np.mod(phases, last) if cyclic else np.clip(phases, 0.0, last)
    dofs = deviations.dofs
    # takes may agree by chance at a phase: keep 0.3 of each DOF's mean size
    size = deviations.prior_size[:dofs] * np.maximum(deviations.sizes, 0.3 * deviations.sizes.mean(axis=0))
    deltas = (deviations.weight_size * deviations.takes.deltas)[..., :dofs]
    factors = [read_at(delta, places) * moving for delta in deltas]
    sizes = np.maximum(read_at(size, places), 1e-9)
    return Spread(np.stack(factors), sizes * moving, phases, deviations)


def conditioned(rows: Floats, held: PinnedValues, spread: Spread) -> Floats:
    """Condition a variant on pinned values.

    Args:
        rows: (frames, DOFs): the variant as drawn.
        held: The values that it has to pass through.
        spread: The Gaussian along it.

    Returns:
        Rows that hold the pinned values; DOFs that may not move stay as they were.
    """
    if len(held.frames) == 0:
        return rows
    factors = spread.factors[:, held.frames, held.dofs]  # (takes, values)
    size = spread.sizes[held.frames, held.dofs]
    free = size > 0.0
    missing = np.where(free, held.values - rows[held.frames, held.dofs], 0.0)
    apart = np.subtract.outer(spread.phases[held.frames], spread.phases[held.frames])
    alike = spread.deviations.correlation(apart) * (held.dofs[:, None] == held.dofs)
    between = factors.T @ factors + np.outer(size, size) * alike
    # 1e-9 of the pinned values' mean variance keeps the matrix positive definite
    between[np.diag_indices_from(between)] += np.where(free, 1e-9 * (size**2).mean(), 1.0)
    pull = np.linalg.solve(between, missing)
    out = rows + np.einsum("l,lfd->fd", factors @ pull, spread.factors)
    when, which = np.unique(held.frames, return_inverse=True)
    strength = np.zeros((len(when), rows.shape[1]))
    np.add.at(strength, (which, held.dofs), size * pull)
    near = spread.deviations.correlation(np.subtract.outer(spread.phases, spread.phases[when]))
    return np.asarray(out + spread.sizes * (near @ strength))


def strain(rows: Floats, held: PinnedValues, spread: Spread) -> float:
    """Return how many standard deviations pinned values lie from a drawn variant, at the farthest frame.

    The root mean square over DOFs: about 1.4 where both deviate as usual. The farthest single value would mean
    little, because among a hundred DOFs one always hardly varies at that phase.
    """
    size = spread.total[held.frames, held.dofs]
    away = (held.values - rows[held.frames, held.dofs]) / np.maximum(size, 1e-12)
    return max((float(np.sqrt((away[held.frames == t] ** 2).mean())) for t in np.unique(held.frames)), default=0.0)

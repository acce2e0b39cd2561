"""The differences between takes: one Gaussian over phases and DOFs, used to draw, condition and score variants.

A take is x = mean + sqrt(share) * d + sqrt(1 - share) * e, both with the variance of a further take:

    d(p) = sum_l g_l delta_l(p)                whole takes: delta_l = take l - mean, g_l normal, one for the whole take
    e_i(p) = sqrt(1 + 1/L) size_i(p) z_i(p)    the prior: z_i smooth in time, independent from DOF to DOF

delta_l carries all coordination that the takes show; e adds what so few takes cannot show. The fraction from whole
takes depends on their number L, share = (L - 1) / (L - 1 + prior): one take leaves everything to the prior, forty
hardly anything. As a Dynamic Bayesian Network (Lau 2009, §4): g is a hidden, static node and a parent of each DOF at
every frame; the other parents of a DOF are its values in the previous frames, which z continues.

For a movement that no population contains, the standard deviation of a DOF among takes follows from how far the DOF
moves and from the body part (`SIZES`),

    log size = intercept + slope * log range,    range: standard deviation of the DOF along the take
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.limbs import limb_joints
from freshtake.motion.body.roles import leg_length
from freshtake.motion.features import Recipe
from freshtake.motion.skeleton import Skeleton
from freshtake.motion.validation import between
from freshtake.numeric.arrays import Floats, rounded
from freshtake.numeric.curves import gaussian_filter1d
from freshtake.variation.examples import Material
from freshtake.variation.phase import Takes

EVEN = 0.3  # weight of a DOF's mean variance in that of each phase: a few takes may agree by chance
SUPPORT = 0.25  # weight of the prior in legs and root, relative to elsewhere
KNOTS = 4  # knots of a cubic spline that determine its value at a time
TEMPO_SIZE = 0.066  # standard deviation of the logarithm of the duration
PACE_SIZE = 0.02  # standard deviation of the logarithm of the pace within a take
WORTH = 2.0  # number of takes that this estimate of a DOF's size is worth: its error is a factor of 1.6
STEP = 0.3  # seconds between knots of the prior: variants then change as fast as takes (fitted to the odd performers)
PLAIN = (-1.5, 1.0)  # for motions without a body: in proportion to the range, like a body's limbs on average
LEAST_RANGE = 1e-4  # radians or leg lengths: a smaller range is ignored
# Intercept and slope by body part, printed by `benchmarks/population.py` from 60 sets of takes of 24 performers; the
# remaining error is a factor of about 1.6. Angles are in radians, lengths in lengths of a leg. The data used in this
# project was obtained from mocap.cs.cmu.edu. The database was created with funding from NSF EIA-0196217.
SIZES: dict[str, tuple[float, float]] = {
    "forward": (-3.40, 0.37), "sideways": (-3.02, 0.33), "turn": (-1.72, 0.47), "height": (-3.40, 0.28),
    "hips": (-3.43, 0.09), "spine": (-3.25, 0.24), "neck": (-1.31, 0.43), "head": (-2.32, 0.30),
    "upper_arm": (-1.56, 0.49), "lower_arm": (-1.61, 0.50), "hand": (-1.12, 0.57),
    "upper_leg": (-2.57, 0.30), "lower_leg": (-2.33, 0.46), "foot": (-1.34, 0.64), "toes": (-0.65, 0.71),
    "other": (-1.99, 0.41),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings that a variation model is learned with.

    Attributes:
        prior: How many additional takes the prior is worth, 0 to 100. Takes show as many independent deviations as
            there are takes, minus one; the prior adds the rest. At 0, only whole takes are combined.
    """

    prior: float = 2.0

    def __post_init__(self) -> None:
        between(self, "prior", 0.0, 100.0)


@dataclass(frozen=True, eq=False)
class Deviations:
    """The Gaussian of the differences between takes."""

    takes: Takes  # on their common phase
    sizes: Floats  # (phases, DOFs): standard deviation of the prior
    share: Floats  # (columns,): fraction of the variance that comes from whole takes
    spacing: float  # phases between the knots of the prior's splines

    @property
    def further(self) -> float:
        """The factor by which the variance of a further take exceeds the takes' variance: their mean is uncertain, too.

        A single take has no mean to be uncertain about; it varies as much as takes do.
        """
        count = len(self.takes.rows)
        return 1.0 + 1.0 / count if count > 1 else 1.0

    @cached_property
    def weight_size(self) -> Floats:
        """The factor on the takes' weights g, which are standard normal, (columns,)."""
        return np.asarray(np.sqrt(self.share * self.further / max(len(self.takes.rows) - 1, 1)))

    @cached_property
    def prior_size(self) -> Floats:
        """The factor on the sizes, (columns,)."""
        return np.asarray(np.sqrt((1.0 - self.share) * self.further))

    @cached_property
    def timing(self) -> tuple[float, float]:
        """The prior's standard deviations of the logarithmic tempo and the logarithmic pace within a take."""
        log_pace = self.takes.log_pace
        tempo, count = log_pace.mean(axis=1), len(log_pace)
        if count == 1:
            return TEMPO_SIZE, PACE_SIZE
        within = log_pace - tempo[:, None]
        seen = (tempo.var(ddof=1), within.var(axis=0, ddof=1).mean())
        both = [
            float(np.sqrt((WORTH * usual**2 + (count - 1.0) * variance) / (WORTH + count - 1.0)))
            for usual, variance in zip((TEMPO_SIZE, PACE_SIZE), seen, strict=True)
        ]
        return both[0], both[1]

    @property
    def dofs(self) -> int:
        """The number of columns that are DOFs; constant parts of the trajectory come after them."""
        return int(self.sizes.shape[1])

    @cached_property
    def all_sizes(self) -> Floats:
        """The sizes of all columns of the takes: 0 for columns that are not DOFs."""
        extra = self.takes.rows.shape[2] - self.dofs
        return np.concatenate([self.sizes, np.zeros((len(self.sizes), extra))], axis=1)

    @cached_property
    def total_sizes(self) -> Floats:
        """The expected deviation of a further take, (phases, DOFs): one standard deviation."""
        whole = ((self.weight_size * self.takes.deltas) ** 2).sum(axis=0) + (self.prior_size * self.all_sizes) ** 2
        return np.asarray(np.sqrt(whole[:, : self.dofs]))

    @cached_property
    def ground_sizes(self) -> Floats:
        """The expected distance of a further take from the mean position, (phases,): one standard deviation."""
        trajectory = self.takes.trajectory
        if trajectory is None:
            return np.zeros(len(self.takes.mean))
        whole = ((self.weight_size * self.takes.deltas)[..., trajectory.ground] ** 2).sum(axis=(0, 2))
        prior = ((self.prior_size * self.all_sizes)[:, trajectory.ground] ** 2).sum(axis=1)
        return np.asarray(np.sqrt(whole + prior))

    def correlation(self, apart: Floats) -> Floats:
        """Return the correlation of z between phases this far `apart`."""
        return spline_correlation(np.abs(apart) / self.spacing)


def share_of(settings: Settings, takes: int, worth: float = 1.0) -> float:
    """Return the fraction of the variance that comes from whole takes, with `worth` times the usual prior."""
    return (takes - 1.0) / (takes - 1.0 + worth * settings.prior) if takes > 1 else 0.0


def shares(settings: Settings, material: Material, takes: Takes) -> Floats:
    """Return the fraction of the variance that comes from whole takes, (columns,).

    Legs and root, which carry the body, are so tightly coordinated (both feet step equally far, and the hips with them)
    that an uncoordinated prior is worth less there than in trunk, head and arms.
    """
    count, columns = len(takes.rows), takes.rows.shape[2]
    out = np.full(columns, share_of(settings, count))
    skeleton = material.skeleton
    if skeleton is None:
        return out
    legs = {skeleton.names[joint] for _, joints, is_leg in limb_joints(skeleton) if is_leg for joint in joints}
    if not legs:
        return out
    carries = material.dofs_of(legs) | material.moves_root
    support = np.concatenate([carries, np.ones(columns - len(carries), bool)])
    # a single take has no differences to combine: its share only weakens the prior there
    out[support] = share_of(settings, count, SUPPORT) if count > 1 else 1.0 - SUPPORT
    return out


def prior_sizes(material: Material, takes: Takes) -> Floats:
    """Return the size of deviations at every phase, (phases, DOFs), from the takes and from the population.

    The population's size of a DOF is weighted like a few takes (its error is known). Its overall scale follows the
    takes half-way, because takes chosen for being similar understate the deviation of a further take.
    """
    rows = takes.rows[..., : len(material.names)]
    mean, count = rows.mean(axis=0), len(rows)
    usual = usual_sizes(material.recipe, material.names, mean)
    if count == 1:
        return rounded(np.broadcast_to(usual, mean.shape))
    variance = ((rows - mean) ** 2).sum(axis=0) / (count - 1.0)
    seen = np.sqrt(variance.mean(axis=0))
    # DOFs that never move, or are not in the population, do not determine the scale.
    usable = (usual > 0.0) & (seen > 0.0)
    scale = np.exp(0.5 * np.log(seen[usable] / usual[usable]).mean()) if usable.any() else 1.0
    # smooth sizes along the phase over 0.08 s
    variance = gaussian_filter1d(variance, 0.08 / material.frame_time, axis=0, mode="nearest")
    # A few takes may agree where a further take does not, so every phase keeps some variance.
    variance = (1.0 - EVEN) * variance + EVEN * variance.mean(axis=0)
    return rounded(np.sqrt((WORTH * (scale * usual) ** 2 + (count - 1.0) * variance) / (WORTH + count - 1.0)))


def usual_sizes(recipe: Recipe | None, names: tuple[str, ...], mean: Floats) -> Floats:
    """Return the usual deviations (DOFs,) of takes of a movement with this mean (phases, DOFs)."""
    ranges = mean.std(axis=0)
    skeleton = None if recipe is None else recipe.skeleton
    if recipe is None or skeleton is None:
        return np.asarray(np.exp(PLAIN[0]) * ranges ** PLAIN[1])
    leg = leg_length(skeleton)
    roles = joint_roles(skeleton)
    out = np.empty(len(names))
    for k, (name, unit) in enumerate(zip(names, recipe.units, strict=True)):
        joint, _, dof = name.rpartition(".")
        role = dof if dof in SIZES else roles.get(joint, "other")
        intercept, slope = SIZES[role]
        scale = leg if unit in ("length", "speed") else 1.0
        out[k] = scale * np.exp(intercept) * max(float(ranges[k]) / scale, LEAST_RANGE) ** slope
    return out


def joint_roles(skeleton: Skeleton) -> dict[str, str]:
    """Return the body part of each joint identified by name or shape, without sides; empty if the body is not human."""
    from freshtake.motion.retarget.mapping import find_body  # only learning needs it

    try:
        body = find_body(skeleton)
    except UsageError:
        return {}
    roles = {}
    for role, joints in body.joints.items():
        part = role.removeprefix("left_").removeprefix("right_")
        for joint in joints:
            roles[skeleton.names[joint]] = part if part in SIZES else "other"
    return roles


def spline_basis(at: Floats, first: int, count: int) -> Floats:
    """Return the matrix (phases, knots) that turns independent normals at knots into a smooth process of variance 1.

    `at` (phases,) is in units of the knots' spacing; the value at t depends on the knots floor(t) to floor(t) + 3,
    which are counted from `first`.
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
    """Return the autocorrelation of a smooth process, `apart` in units of the spacing, averaged over positions."""
    grid, along = _correlation_table()
    return np.asarray(np.interp(apart, grid, along, right=0.0))


@lru_cache(maxsize=1)
def _correlation_table() -> tuple[Floats, Floats]:
    """Return distances and correlations, dense enough for linear interpolation."""
    grid = np.linspace(0.0, float(KNOTS), 50 * KNOTS + 1)
    basis = [spline_basis(start + grid, 0, 2 * KNOTS + 1) for start in (0.0, 0.25, 0.5, 0.75)]
    return grid, np.mean([one @ one[0] for one in basis], axis=0)

"""Limits learned from takes on how far a body may go beyond them, and measuring a clip against them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from freshtake.motion.body.roles import leg_length
from freshtake.motion.clip import Clip
from freshtake.motion.verdict.limit_kernels import BodyPlan, body_plan, measure
from freshtake.numeric.arrays import Bools, Floats, Ints

BEND, DEPTH, CLEARANCE, PEAK = "bend", "depth", "clearance", "peak"  # kinds; those of one kind are pooled
FARTHER = {
    "stretch": "{who} stretches {more:.0f}° farther than in any take",
    "wrong": "{who} bends {value:.0f}° the wrong way, {more:.0f}° more than in any take",
    "bend": "{who} bends {more:.0f}° farther than in any take",
    "side": "{who} bends sideways by {more:.0f}° more than in any take",
    "depth": "{who} goes {more:.1f} % of a leg deeper than in any take",
    "near": "{who} come {more:.0f} % nearer than in any take",
    "peak": "joints accelerate {more:.1f} times as much as in any take",
}
ALARMS = 0.01  # share of further takes that may exceed any limit
ALARMS_STRICT = 0.05  # of one figure that a body cannot exceed much: depth, and stretching beyond straight
LEAST = {BEND: math.radians(1.0), DEPTH: 0.001, CLEARANCE: 0.02, PEAK: 0.02}  # smallest gaps
SUNK = 0.005  # leg lengths that any body may go deeper
PEAKS = 2.0  # times the largest acceleration of any take


class Figure(NamedTuple):
    """A figure of a take or variant that is worse the larger it is.

    Bends are in radians, depths in leg lengths; clearances and accelerations are logarithms (clearances negative).
    """

    kind: str
    what: str
    who: str

    def sentence(self, value: float, more: float) -> str:
        """Return in words what the figure is, or by how much it is larger than in the takes."""
        # Damaged models reach logarithms that exp cannot take.
        shown = {
            BEND: math.degrees(more),
            DEPTH: 100.0 * more,
            CLEARANCE: 100.0 * -math.expm1(-more),
            PEAK: math.exp(min(more, 99.0)),
        }
        what = "wrong" if self.what == "stretch" and value > 0.0 else self.what
        return FARTHER[what].format(who=self.who, more=shown[self.kind], value=math.degrees(value))


class Measured(NamedTuple):
    """The largest value of every figure, and the frame where it is."""

    values: Floats
    frames: Ints


def figures_of(plan: BodyPlan, names: Sequence[str]) -> tuple[Figure, ...]:
    """Return the figures in the order of `measure`; `names` are those of the joints."""
    bends = [Figure(BEND, what, names[limb[1]]) for limb in plan.limbs for what in ("stretch", "bend", "side")]
    depths = [Figure(DEPTH, "depth", who) for who in ("a foot", "the body")]
    near = [Figure(CLEARANCE, "near", who) for who in ("arm and trunk", "the legs")]
    return (*bends, *depths, *near, Figure(PEAK, "peak", "joints"))


def measured(plan: BodyPlan, clip: Clip, leg: float) -> Measured:
    """Return the figures of a clip; -inf for parts its body does not have."""
    count = 3 * len(plan.limbs) + 5
    values, frames = np.empty(count), np.empty(count, dtype=np.intp)
    offsets = clip.skeleton.offsets[None] if clip.joint_translations is None else clip.joint_translations
    measure(
        plan, np.ascontiguousarray(clip.root), np.ascontiguousarray(clip.rotations), np.ascontiguousarray(offsets),
        values, frames,
    )  # fmt: skip
    depth, near, peak = values[-5:-3], values[-3:-1], values[-1:]
    depth /= leg
    with np.errstate(divide="ignore"):
        near[:] = np.where(np.isneginf(near), near, -np.log(np.maximum(-near / leg, 1e-9)))
        peak[:] = 0.5 * np.log(np.maximum(peak, 0.0)) - math.log(leg * clip.frame_time**2)
    return Measured(values, frames)


@dataclass(frozen=True, eq=False)
class BodyCheck:
    """The figures of a clip and their limits."""

    figures: tuple[Figure, ...]
    measured: Measured
    most: Floats
    limits: Floats
    gaps: Floats

    @property
    def over(self) -> Bools:
        """Which limits are exceeded, (figures,)."""
        return np.asarray(self.measured.values > self.limits)

    @property
    def passed(self) -> bool:
        """Whether no limit is exceeded."""
        return not self.over.any()

    @property
    def excess(self) -> float:
        """The largest excess over a limit, in gaps between takes; 0 where none is exceeded."""
        over = self.over
        return float(((self.measured.values[over] - self.limits[over]) / self.gaps[over]).max(initial=0.0))

    @property
    def sentences(self) -> tuple[str, ...]:
        """The exceeded limits, and by how much they exceed the takes."""
        values = self.measured.values
        over = np.flatnonzero(self.over).tolist()
        return tuple(self.figures[k].sentence(float(values[k]), float(values[k] - self.most[k])) for k in over)


@dataclass(frozen=True, eq=False)
class BodyLimits:
    """Learned by `learn_limits`. `most` (figures,) is the largest value in any take, `gaps` how far takes are apart.

    A gap is how far a take goes beyond all others, on average over the two outermost ones of a figure, but not less
    than on average over the figures of its kind.
    """

    plan: BodyPlan
    figures: tuple[Figure, ...]
    most: Floats
    gaps: Floats
    takes: int
    duration: float  # seconds, of a take
    leg: float

    def check(self, clip: Clip, *, amount: float = 1.0, rate: float = 1.0) -> BodyCheck:
        """Measure a clip against its limits, for an amount of variation and a rate relative to the takes' pace."""
        length = max(clip.duration / self.duration, 1.0)
        limits = self.limits(length, max(amount, 1.0), max(rate, 1.0))
        return BodyCheck(self.figures, measured(self.plan, clip, self.leg), self.most, limits, self.gaps)

    @lru_cache(maxsize=64)  # noqa: B019 - a crowd asks for the same ones again and again
    def limits(self, length: float = 1.0, amount: float = 1.0, rate: float = 1.0) -> Floats:
        """Return (figures,) for a clip `length` times as long as a take.

        If tails are exponential, takes exceed the largest of n others with probability 1 / (n + 1), and then by more
        than x with probability exp(-x / gap); (1 + x / (m gap))⁻ᵐ where the gap itself is known from m gaps only. What
        no body can do does not grow with the amount of variation.
        """
        rare = len(self.figures) * length / (ALARMS * (self.takes + 1))
        m = self.pooled
        margin = m * (rare ** (1.0 / m) - 1.0) * self.gaps
        strict = max(math.log(length / (ALARMS_STRICT * (self.takes + 1))), 0.0) * self.gaps
        if self.takes > 1:
            margin = np.where(self._of(DEPTH), np.minimum(margin, SUNK + strict), margin)
        straight = np.maximum(-self.most, 0.0)
        stretch = np.minimum(margin, straight + strict)
        peak = np.minimum(margin, math.log(PEAKS)) + math.log(amount * rate * rate)
        bends = np.where(self._stretches, stretch, margin * amount)
        margin = np.where(self._of(BEND), bends, np.where(self._of(PEAK), peak, margin))
        limits = np.asarray(self.most + margin)
        limits.setflags(write=False)
        return limits

    @cached_property
    def pooled(self) -> Floats:
        """From how many gaps each figure's gap was estimated, (figures,)."""
        kinds = [figure.kind for figure in self.figures]
        return max(min(2, self.takes - 1), 1) * np.array([float(kinds.count(kind)) for kind in kinds])

    @cached_property
    def _stretches(self) -> Bools:
        return np.array([figure.what == "stretch" for figure in self.figures])

    def _of(self, kind: str) -> Bools:
        return self._kinds[kind]

    @cached_property
    def _kinds(self) -> dict[str, Bools]:
        return {kind: np.array([figure.kind == kind for figure in self.figures]) for kind in LEAST}


def learn_limits(takes: Sequence[Clip]) -> BodyLimits:
    """Learn limits of a body that moves as in these takes; a single take gives hardly any."""
    plan, leg = body_plan(takes), leg_length(takes[0].skeleton)
    values = np.array([measured(plan, take, leg).values for take in takes])
    figures = figures_of(plan, takes[0].skeleton.names)
    gaps = _gaps(values)
    for kind, least in LEAST.items():
        of_kind = np.array([figure.kind == kind for figure in figures])
        gaps[of_kind] = np.maximum(gaps[of_kind], max(float(gaps[of_kind].mean()), least) if of_kind.any() else 0.0)
    duration = max(float(np.mean([take.duration for take in takes])), takes[0].frame_time)
    return BodyLimits(plan, figures, values.max(axis=0), gaps, len(takes), duration, leg)


def _gaps(values: Floats) -> Floats:
    """Return how far the outermost takes lie beyond the others, (figures,)."""
    if len(values) < 2:
        return np.zeros(values.shape[1])
    finite = np.where(np.isfinite(values), values, 0.0)
    order = np.sort(finite, axis=0)
    return np.asarray(0.5 * (order[-1] - order[-2] + order[1] - order[0]))

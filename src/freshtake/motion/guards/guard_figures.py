"""What guards measure: one figure per thing a body may overdo, and its sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.motion.clip import Clip
from freshtake.motion.guards.guard_kernels import measure
from freshtake.motion.guards.guard_plan import BodyPlan
from freshtake.numeric.arrays import Floats, Ints

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


class Figure(NamedTuple):
    """A figure of a take or variant that is worse the larger it is.

    Bends are in radians, depths in leg lengths; clearances and accelerations are logarithms (clearances negative).
    """

    kind: str
    what: str
    who: str

    def sentence(self, value: float, more: float) -> str:
        """In words what the figure is, or by how much it is larger than in the takes."""
        shown = {
            BEND: math.degrees(more), DEPTH: 100.0 * more, CLEARANCE: 100.0 * -math.expm1(-more), PEAK: math.exp(more)
        }  # fmt: skip
        what = "wrong" if self.what == "stretch" and value > 0.0 else self.what
        return FARTHER[what].format(who=self.who, more=shown[self.kind], value=math.degrees(value))


class Measured(NamedTuple):
    """The largest value of every figure, and the frame where it is."""

    values: Floats
    frames: Ints


def figures_of(plan: BodyPlan, names: Sequence[str]) -> tuple[Figure, ...]:
    """The figures in the kernel's order; `names` are those of the joints."""
    bends = [Figure(BEND, what, names[limb[1]]) for limb in plan.limbs for what in ("stretch", "bend", "side")]
    depths = [Figure(DEPTH, "depth", who) for who in ("a foot", "the body")]
    near = [Figure(CLEARANCE, "near", who) for who in ("arm and trunk", "the legs")]
    return (*bends, *depths, *near, Figure(PEAK, "peak", "joints"))


def measured(plan: BodyPlan, clip: Clip, leg: float) -> Measured:
    """The figures of a clip; -inf for parts its body does not have."""
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

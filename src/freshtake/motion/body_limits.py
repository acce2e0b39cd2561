"""Limits on how far a body may exceed its takes: bends of limbs, heights, clearances and accelerations.

The extremes over all frames are measured by compiled functions.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from freshtake.motion.body.limbs import limb_joints
from freshtake.motion.body.roles import HEAD, HELPER, TRUNK, body_parts, feet, leg_length
from freshtake.motion.clip import Clip
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.compiled import compiled, uncounted
from freshtake.numeric.limb_kernels import carry_into, copy_into, turn_into
from freshtake.numeric.rotations import inverse, rotate

ARM, LEG = 0, 1
TINY = 1e-12
BEND, DEPTH, CLEARANCE, PEAK = "bend", "depth", "clearance", "peak"  # figures of one kind are pooled
FARTHER = {
    "stretch": "{who} stretches {more:.0f}° farther than in any take",
    "wrong": "{who} bends {value:.0f}° the wrong way, {more:.0f}° more than in any take",
    "bend": "{who} bends {more:.0f}° farther than in any take",
    "side": "{who} bends sideways by {more:.0f}° more than in any take",
    "depth": "{who} goes {more:.1f} % of a leg deeper than in any take",
    "near": "{who} come {more:.0f} % nearer than in any take",
    "peak": "joints accelerate {more:.1f} times as much as in any take",
}
ALARMS = 0.01  # fraction of further takes that may exceed any limit
ALARMS_STRICT = 0.05  # the same fraction for a figure that anatomy limits: depth, stretching beyond straight
LEAST = {BEND: math.radians(1.0), DEPTH: 0.001, CLEARANCE: 0.02, PEAK: 0.02}  # smallest gaps


class BodyPlan(NamedTuple):
    """The input of the compiled functions.

    `limbs` (limbs, 3) are hip, knee, ankle or shoulder, elbow, hand; `frames` (limbs, 3, 3) are three directions in the
    frame of the upper joint: along the upper segment, towards the bend, and sideways. `counted` (joints,) is 0 for
    joints that are not part of the body, 2 for feet, else 1. `pairs` (pairs, 5) are the ends of two segments, and
    whether they belong to an arm (0) or to legs (1).
    """

    parents: Ints
    limbs: Ints
    frames: Floats
    counted: Ints
    pairs: Ints
    up: int


def body_plan(clips: Sequence[Clip]) -> BodyPlan:
    """Return the plan of a body, with the bending directions of limbs learned from clips."""
    skeleton = clips[0].skeleton
    limbs = limb_joints(skeleton)
    worlds = [clip.world() for clip in clips]
    positions = np.concatenate([world.positions for world in worlds])
    rotations = np.concatenate([world.rotations for world in worlds])
    joints = np.array([limb[:3] for _, limb, _ in limbs], dtype=np.intp).reshape(-1, 3)
    frames = np.array([_bending(positions, rotations, *limb) for limb in joints.tolist()]).reshape(-1, 3, 3)
    legs, arms = ([limb for _, limb, is_leg in limbs if is_leg is are_legs] for are_legs in (True, False))
    counted = np.ones(len(skeleton), dtype=np.intp)
    counted[[joint for foot in feet(skeleton) for joint in foot.joints]] = 2
    counted[targets(skeleton)] = 0
    return BodyPlan(
        np.ascontiguousarray(skeleton.parents, dtype=np.intp), joints, frames, counted,
        _pairs(skeleton, legs, arms), clips[0].up_index,
    )  # fmt: skip


def _bending(positions: Floats, rotations: Floats, upper: int, middle: int, end: int) -> Floats:
    """Return right-handed directions (3, 3) in the upper joint's frame: along the limb, towards its bend, sideways."""
    back = inverse(rotations[:, upper])
    along = rotate(back, positions[:, middle] - positions[:, upper]).mean(axis=0)
    along /= max(float(np.linalg.norm(along)), 1e-12)
    lower = rotate(back, positions[:, end] - positions[:, middle]).mean(axis=0)
    bend = lower - (lower @ along) * along
    if np.linalg.norm(bend) <= 1e-9 * np.linalg.norm(lower):  # an always straight limb shows no bending direction
        bend = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    bend = bend / max(float(np.linalg.norm(bend)), 1e-12)
    return np.stack([along, bend, np.cross(along, bend)])


def targets(skeleton: Skeleton) -> list[int]:
    """Return the joints next to the body that are not bones, such as targets of inverse kinematics."""
    carried = () if skeleton.base is None else skeleton.base.carried
    helpers = [joint for joint, name in enumerate(skeleton.names) if HELPER.search(name)]
    return sorted({below for joint in (*carried, *helpers) for below in skeleton.descendants(joint)})


def _pairs(skeleton: Skeleton, legs: Sequence[tuple[int, ...]], arms: Sequence[tuple[int, ...]]) -> Ints:
    """Pair forearms and hands with trunk and head, and the shanks of two legs."""
    pairs: list[tuple[int, ...]] = []
    for arm in arms:
        forearm = [(arm[1], arm[2]), *_segments(skeleton, skeleton.descendants(arm[2])[1:3])]
        middle = _segments(skeleton, _middle(skeleton, arm[0]))
        pairs += [(*segment, *other, ARM) for segment in forearm for other in middle]
    if len(legs) == 2:
        pairs.append((*legs[0][1:3], *legs[1][1:3], LEG))
    return np.array(pairs, dtype=np.intp).reshape(-1, 5)


def _middle(skeleton: Skeleton, arm: int) -> list[int]:
    """Return the trunk joints on the way to an arm, and the neck joints on the way to the head."""
    parts = body_parts(skeleton)
    heads = [j for j, name in enumerate(skeleton.names) if parts[j] == HEAD and re.search("head", name, re.I)]
    trunk = [joint for joint in skeleton.chain(arm) if parts[joint] == TRUNK]
    return trunk + [joint for joint in skeleton.chain(heads[0]) if parts[joint] == HEAD] if heads else trunk


def _segments(skeleton: Skeleton, joints: Sequence[int]) -> list[tuple[int, int]]:
    """Return pairs of parent and joint that are not at the same position."""
    lengths = skeleton.lengths()
    return [(int(skeleton.parents[joint]), joint) for joint in joints if joint > 0 and lengths[joint] > 0]


@compiled
def measure(plan: BodyPlan, root: Floats, rotations: Floats, offsets: Floats, worst: Floats, at: Ints) -> None:
    """Compute the largest value of every figure over all frames, worst (figures,), and its frame, at (figures,).

    The figures are, for each limb, how far it is stretched, bent and bent sideways, in radians; the depths of feet and
    body and the distances of arms from the trunk and of legs from each other (negative), in the clip's unit; the
    largest second difference, squared. Figures of parts that the body does not have are -inf.
    """
    joints = len(plan.parents)
    _measure(plan, root, rotations, offsets, np.empty((3, joints, 3)), np.empty((joints + 2, 4)), worst, at)


@uncounted
def _measure(
    plan: BodyPlan, root: Floats, rotations: Floats, offsets: Floats, places: Floats, turns: Floats, worst: Floats,
    at: Ints,
) -> None:  # fmt: skip
    """Measure frame by frame; `places` (3, joints, 3) and `turns` (joints + 2, 4) are workspaces."""
    for k in range(len(worst)):
        worst[k], at[k] = -math.inf, 0
    for frame in range(len(root)):
        # Three poses, reused in turn, are enough for a second difference.
        here = places[frame % 3]
        _pose(plan, root[frame], rotations[frame], offsets[min(frame, len(offsets) - 1)], here, turns)
        _bends(plan, here, turns, frame, worst, at)
        first = 3 * len(plan.limbs)
        _depths(plan, here, frame, worst[first:], at[first:])
        first += 2
        _clearances(plan, here, frame, worst[first:], at[first:])
        if frame > 1:
            last = len(worst) - 1
            _jolt(plan, places[(frame - 2) % 3], places[(frame - 1) % 3], here, frame - 1, worst[last:], at[last:])


@uncounted
def _pose(plan: BodyPlan, root: Floats, rotations: Floats, offsets: Floats, places: Floats, turns: Floats) -> None:
    """Compute forward kinematics of one frame."""
    for joint in range(len(plan.parents)):
        parent = plan.parents[joint]
        if parent < 0:
            copy_into(root, places[joint])
            copy_into(rotations[joint], turns[joint])
            continue
        carry_into(turns[parent], offsets[joint], places[joint])
        for axis in range(3):
            places[joint, axis] += places[parent, axis]
        turn_into(turns[parent], rotations[joint], turns[joint])


@uncounted
def _keep(value: float, frame: int, number: int, worst: Floats, at: Ints) -> None:
    if value > worst[number]:
        worst[number], at[number] = value, frame


@uncounted
def _bends(plan: BodyPlan, places: Floats, turns: Floats, frame: int, worst: Floats, at: Ints) -> None:
    """Measure the bends of knees and elbows: to either side in their bending plane, and out of it."""
    back, lower = turns[len(turns) - 2], turns[len(turns) - 1, :3]
    for limb in range(len(plan.limbs)):
        upper, middle, end = plan.limbs[limb, 0], plan.limbs[limb, 1], plan.limbs[limb, 2]
        # The shank in the thigh's frame: rotated back by the conjugate of the thigh's rotation.
        back[0] = turns[upper, 0]
        size = 0.0
        for axis in range(3):
            back[1 + axis] = -turns[upper, 1 + axis]
            lower[axis] = places[end, axis] - places[middle, axis]
            size += lower[axis] * lower[axis]
        carry_into(back, lower, lower)
        along = bent = sideways = 0.0
        for axis in range(3):
            along += plan.frames[limb, 0, axis] * lower[axis]
            bent += plan.frames[limb, 1, axis] * lower[axis]
            sideways += plan.frames[limb, 2, axis] * lower[axis]
        # Signed about the usual direction, so a knee bent backwards is negative rather than a large bend.
        flexion = math.atan2(bent, along)
        side = math.asin(min(max(sideways / max(math.sqrt(size), TINY), -1.0), 1.0))
        _keep(-flexion, frame, 3 * limb, worst, at)
        _keep(flexion, frame, 3 * limb + 1, worst, at)
        _keep(abs(side), frame, 3 * limb + 2, worst, at)


@uncounted
def _depths(plan: BodyPlan, places: Floats, frame: int, worst: Floats, at: Ints) -> None:
    """Measure the lowest joint of a foot, and the lowest of the body."""
    for joint in range(len(plan.parents)):
        if plan.counted[joint] == 0:
            continue
        depth = -places[joint, plan.up]
        _keep(depth, frame, 1, worst, at)
        if plan.counted[joint] == 2:
            _keep(depth, frame, 0, worst, at)


@uncounted
def _clearances(plan: BodyPlan, places: Floats, frame: int, worst: Floats, at: Ints) -> None:
    """Measure the smallest distance between the segments of every pair."""
    for pair in range(len(plan.pairs)):
        a, b, c, d, group = plan.pairs[pair]
        _keep(-segment_distance(places[a], places[b], places[c], places[d]), frame, group, worst, at)


@uncounted
def segment_distance(a: Floats, b: Floats, c: Floats, d: Floats) -> float:
    """Return the distance between the segments a to b and c to d, by their nearest points s and t."""
    aa = bb = ab = ac = bc = 0.0
    for k in range(3):
        u, v, w = b[k] - a[k], d[k] - c[k], a[k] - c[k]
        aa += u * u
        bb += v * v
        ab += u * v
        ac += u * w
        bc += v * w
    # Parallel segments have no single nearest pair: any point of the first will do.
    across = aa * bb - ab * ab
    s = min(max((ab * bc - ac * bb) / across, 0.0), 1.0) if across > TINY * aa * bb else 0.0
    t = (ab * s + bc) / bb if bb > 0.0 else 0.0
    # Beyond an end of the second segment, that end is nearest, and the point on the first moves with it.
    if t < 0.0 or t > 1.0:
        t = min(max(t, 0.0), 1.0)
        s = min(max((ab * t - ac) / aa, 0.0), 1.0) if aa > 0.0 else 0.0
    total = 0.0
    for k in range(3):
        gap = a[k] + s * (b[k] - a[k]) - c[k] - t * (d[k] - c[k])
        total += gap * gap
    return math.sqrt(total)


@uncounted
def _jolt(plan: BodyPlan, first: Floats, second: Floats, third: Floats, frame: int, worst: Floats, at: Ints) -> None:
    """Measure the square of the largest second difference of any joint."""
    for joint in range(len(plan.parents)):
        if plan.counted[joint] > 0:
            total = 0.0
            for axis in range(3):
                total += (first[joint, axis] - 2.0 * second[joint, axis] + third[joint, axis]) ** 2
            _keep(total, frame, 0, worst, at)


class Figure(NamedTuple):
    """A figure of a take or variant; larger is worse.

    Bends are in radians, depths in leg lengths; clearances and accelerations are logarithms (negated for clearances).
    """

    kind: str
    what: str
    who: str

    def sentence(self, value: float, more: float) -> str:
        """Return the sentence for a figure that is larger than in the takes by `more`."""
        # Damaged models yield logarithms too large for exp.
        shown = {
            BEND: math.degrees(more),
            DEPTH: 100.0 * more,
            CLEARANCE: 100.0 * -math.expm1(-more),
            PEAK: math.exp(min(more, 99.0)),
        }
        what = "wrong" if self.what == "stretch" and value > 0.0 else self.what
        return FARTHER[what].format(who=self.who, more=shown[self.kind], value=math.degrees(value))


class Measured(NamedTuple):
    """The largest value of each figure, and the frame in which it occurs."""

    values: Floats
    frames: Ints


def measure_clip(plan: BodyPlan, clip: Clip, leg: float) -> Measured:
    """Return the figures of a clip; -inf for parts that its body does not have."""
    count = 3 * len(plan.limbs) + 5
    values, frames = np.empty(count), np.empty(count, dtype=np.intp)
    measure(
        plan, np.ascontiguousarray(clip.root), np.ascontiguousarray(clip.rotations), clip.bone_offsets(), values,
        frames,
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
        """Flags of the exceeded limits, (figures,)."""
        return np.asarray(self.measured.values > self.limits)

    @property
    def passed(self) -> bool:
        """Whether no limit is exceeded."""
        return not self.over.any()

    @property
    def excess(self) -> float:
        """The largest excess over a limit, in gaps between takes; 0 if none is exceeded."""
        over = self.over
        return float(((self.measured.values[over] - self.limits[over]) / self.gaps[over]).max(initial=0.0))

    @property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each exceeded limit."""
        values = self.measured.values
        over = np.flatnonzero(self.over).tolist()
        return tuple(self.figures[k].sentence(float(values[k]), float(values[k] - self.most[k])) for k in over)


@dataclass(frozen=True, eq=False)
class BodyLimits:
    """Limits from `learn_limits`: `most` (figures,) are the largest values in any take, `gaps` distances between takes.

    A gap is the distance of an outermost take from all others, averaged over the largest and the smallest value of a
    figure, but not less than the average over the figures of its kind.
    """

    plan: BodyPlan
    figures: tuple[Figure, ...]
    most: Floats
    gaps: Floats
    takes: int
    duration: float  # of a take, in seconds
    leg: float

    def check(self, clip: Clip, *, amount: float = 1.0, rate: float = 1.0) -> BodyCheck:
        """Measure a clip against its limits, for an amount of variation and a rate relative to the takes' pace."""
        length = max(clip.duration / self.duration, 1.0)
        limits = self.limits(length, max(amount, 1.0), max(rate, 1.0))
        return BodyCheck(self.figures, measure_clip(self.plan, clip, self.leg), self.most, limits, self.gaps)

    @lru_cache(maxsize=64)  # noqa: B019 - a crowd requests the same limits again and again
    def limits(self, length: float = 1.0, amount: float = 1.0, rate: float = 1.0) -> Floats:
        """Return (figures,) for a clip `length` times as long as a take.

        If tails are exponential, takes exceed the largest of n others with probability 1 / (n + 1), and then by more
        than x with probability exp(-x / gap), or (1 + x / (m gap))⁻ᵐ if the gap itself is estimated from only m gaps.
        Limits that no body can exceed do not grow with the amount of variation.
        """
        rare = len(self.figures) * length / (ALARMS * (self.takes + 1))
        kinds = [figure.kind for figure in self.figures]
        # The number of gaps from which each figure's gap was estimated.
        m = max(min(2, self.takes - 1), 1) * np.array([float(kinds.count(kind)) for kind in kinds])
        margin = m * (rare ** (1.0 / m) - 1.0) * self.gaps
        strict = max(math.log(length / (ALARMS_STRICT * (self.takes + 1))), 0.0) * self.gaps
        of_kind = {kind: np.array(kinds) == kind for kind in LEAST}
        stretches = np.array([figure.what == "stretch" for figure in self.figures])
        if self.takes > 1:  # no body sinks far below its takes: allow a two-hundredth of a leg
            margin = np.where(of_kind[DEPTH], np.minimum(margin, 0.005 + strict), margin)
        straight = np.maximum(-self.most, 0.0)
        stretch = np.minimum(margin, straight + strict)
        # No variant may accelerate more than twice as much as any take.
        peak = np.minimum(margin, math.log(2.0)) + math.log(amount * rate * rate)
        bends = np.where(stretches, stretch, margin * amount)
        margin = np.where(of_kind[BEND], bends, np.where(of_kind[PEAK], peak, margin))
        limits = np.asarray(self.most + margin)
        limits.setflags(write=False)
        return limits


def learn_limits(takes: Sequence[Clip]) -> BodyLimits:
    """Learn limits of a body that moves as in these takes; a single take shows hardly any limits."""
    plan, leg = body_plan(takes), leg_length(takes[0].skeleton)
    values = np.array([measure_clip(plan, take, leg).values for take in takes])
    names = takes[0].skeleton.names
    figures = (  # in the order of `measure`
        *(Figure(BEND, what, names[limb[1]]) for limb in plan.limbs for what in ("stretch", "bend", "side")),
        *(Figure(DEPTH, "depth", who) for who in ("a foot", "the body")),
        *(Figure(CLEARANCE, "near", who) for who in ("arm and trunk", "the legs")),
        Figure(PEAK, "peak", "joints"),
    )
    # The distance of the outermost takes from the others; a single take does not show it.
    order = np.sort(np.where(np.isfinite(values), values, 0.0), axis=0)
    gaps = 0.5 * (order[-1] - order[-2] + order[1] - order[0]) if len(takes) > 1 else np.zeros(len(figures))
    for kind, least in LEAST.items():
        of_kind = np.array([figure.kind == kind for figure in figures])
        gaps[of_kind] = np.maximum(gaps[of_kind], max(float(gaps[of_kind].mean()), least) if of_kind.any() else 0.0)
    duration = max(float(np.mean([take.duration for take in takes])), takes[0].frame_time)
    return BodyLimits(plan, figures, values.max(axis=0), gaps, len(takes), duration, leg)

"""Infer a body's vertical axis, facing and unit of length, which files such as BVH do not state.

They are inferred from head, feet, floor, travel and leg length, never from the root. Recurrences are recognized by
poses relative to the body, which do not depend on travel, heading, size or frame rate.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from freshtake.motion.body.roles import HELPER, LOOSE, SIDE, feet, leg_length, mirror_pairs, pelvis, rest_positions
from freshtake.motion.clip import Clip
from freshtake.motion.kinds import MeshSequence, PointClip
from freshtake.motion.skeleton import Skeleton
from freshtake.motion.validation import UP_AXES
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import about_axis, forward, inverse, mean, multiply, rotate, twist_angle, unit

FROM_BODY, FROM_REST, ASSUMED = "found from the body", "found from the rest pose", "assumed"
AGREED = "as in the other takes of this skeleton"
HEADS, SOLES = "head", "foot|ankle|toe|heel"
MOST_FRAMES = 200  # examine at most this many frames
# Standing: the lower foot keeps its height (lower three quarters, in legs), and the body moves across the axis. In
# recordings the height stays within 0.12 when people stand or walk; along a swimmer's body it varies by 0.13 to 0.29.
# Runners and jumpers leave the floor, but move farther across than up and down; swimmers move along their bodies.
FLOOR = 0.12


def across(skeleton: Skeleton) -> tuple[int, int] | None:
    """Return the body's first left joint off the middle and its right partner; None if names do not show sides."""
    partner, lengths = mirror_pairs(skeleton), skeleton.lengths()
    for joint, name in enumerate(skeleton.names):
        if HELPER.search(name):
            continue
        if SIDE["left"].search(name) and partner[joint] != joint and lengths[joint] > 0:
            return joint, int(partner[joint])
    return None


def facing(clip: Clip) -> Floats | None:
    """Return the heading (frames,) of the body about the vertical, 0 for z (with z up: -y); None if unknown."""
    pair = across(clip.skeleton)
    if pair is None:
        return _toes_forward(clip)
    positions = clip.positions()
    line = positions[:, pair[0]] - positions[:, pair[1]]
    # A body facing z (with z up: -y) has its left side at x.
    depth = -line[:, 2] if clip.up == "y" else line[:, 1]
    return np.asarray(np.arctan2(depth, line[:, 0]))


def _toes_forward(clip: Clip) -> Floats | None:
    """Return the heading from the direction of the toes, for bodies whose joint names do not tell left from right."""
    pairs = [foot.joints for foot in feet(clip.skeleton) if foot.toe is not None]
    if len(pairs) < 2:
        return None
    positions = clip.positions()
    lines = np.sum([positions[:, toe] - positions[:, ankle] for ankle, toe in pairs], axis=0)
    return np.asarray(np.arctan2(lines[:, 0], lines[:, 2] if clip.up == "y" else -lines[:, 1]))


def mean_angle(angles: Floats) -> tuple[float, float]:
    """Return the circular mean and how closely the angles agree (0 to 1)."""
    mean = np.exp(1j * angles).mean()
    return float(np.angle(mean)), float(np.abs(mean))


class Upright(NamedTuple):
    """The vertical axis, how it was inferred, and whether a body was present but inconclusive.

    With `sure`, the body stands so clearly that other takes of its skeleton cannot overrule it.
    """

    axis: str
    how: str
    doubtful: bool = False
    sure: bool = False


class Body(NamedTuple):
    """A body over time, in any coordinates: direction from feet to trunk, lowest foot, and middle, in leg lengths."""

    posture: Floats  # (frames, 3), of length 1
    lowest: Floats  # (frames, 3), along each axis separately
    middle: Floats  # (frames, 3)
    rest: Floats | None = None  # (3,), the posture at rest
    named: bool = True  # whether joints are named head and foot, so this is a body


def find_up(motion: Clip | PointClip) -> Upright:
    """Return the vertical axis of a clip from its skeleton, or of points from the names of head and feet."""
    body = _clip_body(motion) if isinstance(motion, Clip) else _point_body(motion)
    return Upright("y", ASSUMED) if body is None else upright_of(body)


def agreed(estimates: Sequence[Upright]) -> list[Upright]:
    """Return one vertical axis for all takes of a skeleton: the most frequent axis among those with the best evidence.

    Only a body that clearly stands along another axis keeps it: programs turn entire files, while bodies lie or climb.
    """
    by_evidence = [
        [estimate for estimate in estimates if estimate.sure],
        *[[estimate for estimate in estimates if estimate.how == how] for how in (FROM_BODY, FROM_REST)],
        list(estimates),
    ]
    axis = Counter(estimate.axis for estimate in next(filter(None, by_evidence))).most_common(1)[0][0]
    settled = not all(estimate.doubtful for estimate in estimates)
    return [
        each if each.sure or (each.axis == axis and not (each.doubtful and settled)) else Upright(axis, AGREED)
        for each in estimates
    ]


def upright_of(body: Body) -> Upright:
    """Return the common axis of posture and rest pose, else the axis of a standing body, else the rest pose's axis.

    If the rest pose does not show a body (bones along x, as in many exporters), feet on a floor are enough.
    """
    posture = _axis(body.posture.mean(axis=0))
    rest = None if body.rest is None else _axis(body.rest)
    grounded = posture is not None and rest is None and keeps_floor(body, posture)
    stands_so = posture is not None and (grounded or stands(body, posture))
    # A body this upright overrules all other takes.
    sure = stands_so and float(body.posture.mean(axis=0).max()) > 0.95
    if posture is not None and (posture == rest or sure or (stands_so and rest is None)):
        return Upright(posture, FROM_BODY, sure=sure)
    if rest is not None:
        return Upright(rest, FROM_REST)
    return Upright("y", ASSUMED, doubtful=body.named)


def stands(body: Body, axis: str) -> bool:
    """Return whether the body moves across this axis on feet that keep their height, or moves far across it.

    A body that stays on the spot must have still feet at height 0: a lying body has its middle near 0, not its soles.
    """
    up = "xyz".index(axis)
    travel = np.ptp(body.middle, axis=0)
    across = np.delete(travel, up).max()
    at_zero = abs(float(np.percentile(body.lowest[:, up], 5.0))) < FLOOR
    on_the_spot = at_zero and all(keeps_floor(body, other) for other in "xyz")
    walks = across > 0.15 and keeps_floor(body, axis)
    return bool(on_the_spot or walks or (across > 0.6 and travel[up] < 0.5 * across))


def keeps_floor(body: Body, axis: str) -> bool:
    """Return whether the lower foot keeps its height along this axis."""
    low, high = np.percentile(body.lowest[:, "xyz".index(axis)], [5.0, 75.0])
    return bool(high - low < FLOOR)


def _axis(direction: Floats) -> str | None:
    """Return the axis (y or z) along which a direction points."""
    for axis in UP_AXES:
        # Standing people have a cosine above 0.97; 0.8 also accepts bodies that bend.
        if direction["xyz".index(axis)] > 0.8:
            return axis
    return None


def _places(clip: Clip | PointClip) -> Floats:
    """Return positions (frames, joints or points, 3) in the examined frames."""
    rows = np.unique(np.linspace(0, len(clip) - 1, min(len(clip), MOST_FRAMES)).astype(np.intp))
    if isinstance(clip, PointClip):
        return clip.positions[rows]
    return forward(clip.skeleton.parents, clip.local_translations()[rows], clip.rotations[rows]).positions


def _posture(positions: Floats, trunk: list[int], ankles: list[int]) -> Floats:
    line = positions[..., trunk, :].mean(axis=-2) - positions[..., ankles, :].mean(axis=-2)
    return unit(line)


def _trunk(skeleton: Skeleton, middle: int, ankles: list[int]) -> list[int]:
    """Return the joints that hang on the pelvis, except legs: spine, head and arms."""
    legs = {joint for ankle in ankles for joint in skeleton.chain(ankle) + skeleton.descendants(ankle)}
    return [joint for joint in skeleton.descendants(middle) if joint not in legs]


def _clip_body(clip: Clip) -> Body | None:
    skeleton = clip.skeleton
    both_feet, middle = feet(skeleton), pelvis(skeleton)
    ankles = [foot.ankle for foot in both_feet]
    trunk = _trunk(skeleton, middle, ankles)
    if len(both_feet) < 2 or not trunk:
        return None
    positions = _places(clip)
    leg = leg_length(skeleton)
    soles = [joint for foot in both_feet for joint in foot.joints]
    return Body(
        _posture(positions, trunk, ankles), positions[:, soles].min(axis=1) / leg, positions[:, middle] / leg,
        _posture(rest_positions(skeleton), trunk, ankles),
        bool(_named(skeleton.names, HEADS) and _named(skeleton.names, SOLES)),
    )  # fmt: skip


@lru_cache(maxsize=64)
def rest_axis(skeleton: Skeleton) -> str | None:
    """Return the axis along which the skeleton's body stands at rest; None if unclear."""
    ankles = [foot.ankle for foot in feet(skeleton)]
    trunk = _trunk(skeleton, pelvis(skeleton), ankles)
    return _axis(_posture(rest_positions(skeleton), trunk, ankles)) if len(ankles) > 1 and trunk else None


def find_paws(clip: Clip) -> tuple[int, ...]:
    """Return the ends of limbs, other than the known feet, that touch the floor like feet, such as a fox's hands.

    Only for skeletons whose offsets do not show a body (bones along x, as in many exporters): in others, the rest pose
    shows the feet.
    """
    skeleton, known_feet = clip.skeleton, feet(clip.skeleton)
    if len(known_feet) < 2 or rest_axis(skeleton) is not None or len(clip) == 0:
        return skeleton.paws
    positions = _places(clip)
    heights = positions[..., clip.up_index]
    # A paw is no higher than the ankles of known feet (the higher ankle, if feet are lifted in turn).
    ankles = heights[:, [foot.ankle for foot in known_feet]].max(axis=1)
    legs = {joint for foot in known_feet for joint in skeleton.chain(foot.ankle) + skeleton.descendants(foot.ankle)}
    loose = [joint for joint, name in enumerate(skeleton.names) if HELPER.search(name) or LOOSE.search(name)]
    hanging = {below for joint in loose for below in skeleton.descendants(joint)}
    # In a walk, a paw is lifted now and then, so it must be low in most frames, not in all.
    low = [
        joint for joint in range(1, len(skeleton))
        if not skeleton.children(joint) and joint not in legs | hanging
        and float((heights[:, joint] <= ankles).mean()) > 0.8
    ]  # fmt: skip
    partner = mirror_pairs(skeleton)
    return tuple(joint for joint in low if partner[joint] != joint and partner[joint] in low)


def hides_up(clip: Clip) -> bool:
    """Return whether a file that cannot state the vertical axis would be read back with another axis."""
    return rest_axis(clip.skeleton) != clip.up and find_up(clip).axis != clip.up


def _named(names: tuple[str, ...], words: str) -> list[int]:
    return [k for k, name in enumerate(names) if re.search(words, name, re.I)]


def _point_body(clip: PointClip) -> Body | None:
    """Find markers or joints named head and foot; half their distance is used as the leg length."""
    head, sole = _named(clip.names, HEADS), _named(clip.names, SOLES)
    if not head or not sole:
        return None
    positions = _places(clip)
    positions = positions[np.isfinite(positions[:, head + sole]).all(axis=(1, 2))]
    if len(positions) == 0:
        return None
    tall = np.linalg.norm(positions[:, head].mean(axis=1) - positions[:, sole].mean(axis=1), axis=-1)
    leg = max(float(np.median(tall)) / 2.0, 1e-12)
    middle = (positions[:, head].mean(axis=1) + positions[:, sole].mean(axis=1)) / 2.0
    return Body(_posture(positions, head, sole), positions[:, sole].min(axis=1) / leg, middle / leg)


# From the pelvis through the hip to the ankle, in metres: people of 1.4 to 2.1 m. Joints of people in the CMU and ACCAD
# libraries give 0.87 to 1.05. The ranges of two units do not overlap.
LEGS = (0.75, 1.15)
ADULT_LEG = 0.9  # metres: the assumed leg length if neither the file nor the body's size shows the unit


class LengthUnit(NamedTuple):
    """A unit of length: its name, its abbreviation and its size in metres."""

    name: str
    short: str
    metres: float


UNITS = (
    LengthUnit("metres", "m", 1.0),
    LengthUnit("centimetres", "cm", 0.01),
    LengthUnit("millimetres", "mm", 0.001),
    LengthUnit("decimetres", "dm", 0.1),
    LengthUnit("inches", "in", 0.0254),
    LengthUnit("feet", "ft", 0.3048),
    LengthUnit("CMU units of 5.644 cm", "cmu", 0.0254 / 0.45),
)


def guess_unit(skeleton: Skeleton) -> LengthUnit | None:
    """Return the unit in which the legs have a person's length; None if no unit fits or there are not two feet."""
    if len(feet(skeleton)) != 2:
        return None
    leg = leg_length(skeleton)
    return next((unit for unit in UNITS if LEGS[0] <= leg * unit.metres <= LEGS[1]), None)


def unlikely_unit(skeleton: Skeleton, unit_m: float) -> str:
    """Return why a unit is unlikely, or "": in this unit the body is far from human size, but another unit fits."""
    guess, leg = guess_unit(skeleton), leg_length(skeleton) * unit_m
    # a child's leg of 0.3 m or a giant's of 3 m may be intended
    if guess is None or 0.3 <= leg <= 3.0:
        return ""
    return (
        f"in {unit_name(unit_m)} the legs are {leg:.2g} m long: by its size the body is in {guess.name} "
        f"(--unit {guess.short})"
    )


def unit_name(unit_m: float) -> str:
    """Return the unit in words: "centimetres", or "units of 0.3 m" if the unit has no name."""
    named = (unit.name for unit in UNITS if abs(unit_m / unit.metres - 1.0) < 1e-3)
    return next(named, f"units of {unit_m:g} m")


def unit_of(motion: Clip | PointClip | MeshSequence) -> float | None:
    """Return metres per unit: stated by the motion, else guessed from a clip's body."""
    if motion.unit_m is not None or not isinstance(motion, Clip):
        return motion.unit_m
    guess = guess_unit(motion.skeleton)
    return None if guess is None else guess.metres


RATE = 60.0  # frames per second: enough to find recurrences


def body_poses(clip: Clip, reference: Floats | None = None) -> Floats:
    """Return (frames, joints, 3): positions relative to the body, heading removed, in leg lengths.

    Position and heading are the pelvis's. The heading is measured from `reference` (a rotation of the pelvis;
    default: the clip's mean rotation), so a lying body has a heading too. Clips to be compared need the same reference.
    """
    pose, center = clip.world(), pelvis(clip.skeleton)
    facing = pose.rotations[:, center]
    turn_from_reference = multiply(facing, inverse(mean(facing) if reference is None else reference))
    turn = about_axis(np.eye(3)[clip.up_index], -twist_angle(turn_from_reference, clip.up_index))
    return rotate(turn[:, None], pose.positions - pose.positions[:, [center]]) / leg_length(clip.skeleton)


def usual_facing(clip: Clip) -> Floats:
    """Return the mean rotation of the pelvis, as a reference for headings."""
    return mean(clip.world().rotations[:, pelvis(clip.skeleton)])


def pose_points(clip: Clip, reference: Floats | None = None) -> Floats:
    """Return (frames, dimensions): poses and their velocities, and the vertical velocity of the pelvis.

    Each joint is weighted by the distance to its parent, so that a hand full of fingers does not outweigh a leg.
    """
    lengths = clip.skeleton.lengths()
    weights = np.sqrt(lengths / max(float(lengths.sum()), 1e-12))
    poses = (body_poses(clip, reference) * weights[:, None]).reshape(len(clip), -1)
    rise = clip.positions()[:, [pelvis(clip.skeleton)], clip.up_index] / leg_length(clip.skeleton)
    velocities = velocity(np.concatenate([poses, rise], axis=1), clip.frame_time)
    # Weight a velocity as the distance covered in a tenth of a second.
    return np.concatenate([poses, 0.1 * velocities], axis=1)


def velocity(values: Floats, frame_time: float) -> Floats:
    """Return the rate of change (frames, columns) over a window of fixed duration, shorter at the ends."""
    frames = len(values)
    if frames < 2:
        return np.zeros_like(values)
    # Measure velocities over 1/30 s to either side, at any rate.
    reach = max(1, round(1.0 / 30.0 / frame_time))
    here = np.arange(frames)
    before, after = np.maximum(here - reach, 0), np.minimum(here + reach, frames - 1)
    return (values[after] - values[before]) / ((after - before) * frame_time)[:, None]


def principal(points: Floats, dimensions: int = 24) -> Floats:
    """Project the points onto their leading principal directions: nearly the same distances with fewer numbers."""
    centered = points - points.mean(axis=0)
    directions = np.linalg.eigh(centered.T @ centered)[1][:, ::-1]
    out: Floats = centered @ directions[:, :dimensions]
    return out


def distances(a: Floats, b: Floats) -> Floats:
    """Return the Euclidean distance between each row of a and each row of b."""
    squared = (a * a).sum(1)[:, None] + (b * b).sum(1)[None] - 2.0 * (a @ b.T)
    out: Floats = np.sqrt(np.maximum(squared, 0.0))
    return out

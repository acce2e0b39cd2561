"""Limbs: which joints make up legs and arms, and how hinges, hips and ankles can move, learned from clips or files."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.roles import Foot, feet, hands
from freshtake.motion.clip import Clip
from freshtake.motion.skeleton import Skeleton, require_compatible
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import IDENTITY, about_axis, inverse, mean, multiply, rotate, to_matrix, to_rotvec

NEVER = 10.0  # radians: used as a low end above the high end, which freezes a coordinate
_TWIST = re.compile(r"twist|roll", re.IGNORECASE)
_LEG = re.compile(r"leg|foot", re.IGNORECASE)
_ARM = re.compile(r"arm|hand", re.IGNORECASE)


def hinge_axis(rotations: Floats, upper: Floats, lower: Floats) -> Floats | None:
    """Return the axis about which a joint mostly turns, from its rotations (poses, 4).

    If the joint hardly moves or turns about several axes, return the axis perpendicular to both segments if the limb is
    bent, otherwise None.
    """
    reference = mean(rotations)
    seen = to_rotvec(multiply(inverse(reference), rotations))
    moments, axes = np.linalg.eigh(seen.T @ seen / len(seen))
    # A hinge rotates by 5° or more, four fifths of it about one axis.
    if moments[-1] >= np.radians(5.0) ** 2 and moments[-1] >= 0.8 * moments.sum():
        return np.asarray(axes[:, -1])
    across = np.cross(rotate(inverse(reference), upper), lower)
    size = float(np.linalg.norm(across))
    # A limb that is bent by less than 4° does not show the direction of its bend.
    if size < np.sin(np.radians(4.0)) * float(np.linalg.norm(upper) * np.linalg.norm(lower)):
        return None
    return np.asarray(across / size)


def flexion(rotations: Floats, axis: Floats, upper: Floats, lower: Floats) -> Floats:
    """Return the angles (poses,) about the axis by which a hinge at these rotations (poses, 4) is bent from straight.

    With upper segment u and lower segment s, |u + R(θ) s| is largest when u · R(θ) s = a cos θ + b sin θ + c is.
    """
    turned, hinge = rotate(rotations, lower), rotate(rotations, axis)
    across = turned - (turned * hinge).sum(axis=1, keepdims=True) * hinge
    return np.asarray(-np.arctan2(np.cross(hinge, turned) @ upper, across @ upper))


def principal_axes(seen: Floats) -> tuple[Floats, Floats]:
    """Return root mean squares (3,), largest first, and their axes as the columns of a right-handed basis (3, 3)."""
    moments, axes = np.linalg.eigh(seen.T @ seen / len(seen))
    axes = axes[:, ::-1] * np.array([1.0, 1.0, -1.0])
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    return np.sqrt(np.maximum(moments[::-1], 0.0)), axes


def first_angle(rotations: Floats, first: Floats, second: Floats) -> Floats:
    """Return angles α (poses,) about the axis a of rotations exp(a α) exp(b β), for perpendicular axes a and b."""
    turned = rotate(rotations, second)
    return np.asarray(np.arctan2(turned @ np.cross(first, second), turned @ second))


class Chain(NamedTuple):
    """A joint's one or two links, each turning by reference exp(basis y), low ≤ y ≤ high.

    `reference` (n, 4), `basis` (n, 3, 3), `low` and `high` (3n,). A coordinate whose low end is above its high end is
    frozen: it keeps its value in the sample.
    """

    reference: Floats
    basis: Floats
    low: Floats
    high: Floats


def free_directions(skeleton: Skeleton, rotations: Floats, joint: int, *, ball: bool = False) -> Chain | None:
    """Return the directions in which a joint turns, from its rotations (poses, 4); None: all.

    If the file gives the joint one or two angles, return their axes; otherwise freeze directions that never move,
    except those of a ball joint.
    """
    order = skeleton.orders[joint]
    if len(order) == 2:
        # Two hinges at the same position, as the file defines them.
        a, b = (stated_axis(skeleton, joint, axis) for axis in order)
        first = first_angle(rotations, a, b)
        second = to_rotvec(multiply(about_axis(a, -first), rotations)) @ b
        return _hinges(skeleton, joint, order, [first, second])
    if len(order) == 1:
        angles = to_rotvec(rotations) @ stated_axis(skeleton, joint, order)
        return _hinges(skeleton, joint, order, [angles])
    if ball:
        return None
    reference = mean(rotations)
    seen = to_rotvec(multiply(inverse(reference), rotations))
    spread, basis = principal_axes(seen)
    # An axis is fixed if the joint turns about it by less than 0.3° and less than a tenth of the turn about its main
    # axis, which must be 1° or more.
    still = (spread < np.radians(0.3)) & (spread < 0.1 * spread[0]) & (spread[0] >= np.radians(1.0))
    if not still.any():
        return None
    y = seen @ basis
    low, high = _widened(y.min(axis=0), y.max(axis=0))
    return Chain(reference[None], basis[None], np.where(still, NEVER, low), np.where(still, -NEVER, high))


def knee_hinge(skeleton: Skeleton, rotations: Floats, joint: int, end: int) -> Floats:
    """Return the axis of a knee or elbow in its frame, flexion positive, from rotations (poses, 4); 0 if unknown."""
    order = skeleton.orders[joint]
    upper, lower = skeleton.offsets[joint], skeleton.offsets[end]
    axis = stated_axis(skeleton, joint, order[-1]) if 0 < len(order) < 3 else hinge_axis(rotations, upper, lower)
    if axis is None:
        return np.zeros(3)
    bent = flexion(rotations, axis, upper, lower)
    return axis if bent.max() >= -bent.min() else -axis


def stated_axis(skeleton: Skeleton, joint: int, axis: str) -> Floats:
    """Return an axis of the file, in the joint's local frame."""
    return np.asarray(_axes(skeleton, joint)[:, "XYZ".index(axis)])


def _axes(skeleton: Skeleton, joint: int) -> Floats:
    return to_matrix(IDENTITY if skeleton.axes is None else skeleton.axes[joint])


def _widened(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    # Leave a margin in proportion to the observed range: a few takes do not show the joint's full range.
    more = np.radians(25.0) + 0.2 * (high - low)
    return low - more, high + more


def _hinges(skeleton: Skeleton, joint: int, order: str, seen: Sequence[Floats]) -> Chain:
    """Return hinges about the file's axes, given observed angles; limits are the file's, or the range with a margin."""
    stated = skeleton.limits[joint] if skeleton.limits is not None else ()
    limits = dict(zip(skeleton.channels[joint], stated, strict=False))  # Acclaim files state them
    basis, low, high = [], [], []
    for axis, angles in zip(order, seen, strict=True):
        first = "XYZ".index(axis)
        basis.append(_axes(skeleton, joint)[:, [first, (first + 1) % 3, (first + 2) % 3]])
        least, most = limits.get(f"r{axis.lower()}") or _widened(angles.min(), angles.max())
        low += [float(least), NEVER, NEVER]
        high += [float(most), -NEVER, -NEVER]
    return Chain(np.tile(IDENTITY, (len(basis), 1)), np.stack(basis), np.array(low), np.array(high))


LimbNames = dict[str, list[str]]  # "left_leg": [hip, knee, ankle(, toe)], "left_arm": [shoulder, elbow, hand]


class Limb(NamedTuple):
    """One leg or arm: hip, knee, ankle and toe, or shoulder, elbow and hand (toe None), and how they can move.

    `hinge` (3,) is the axis of the knee or elbow in its local frame, 0 if unknown; `reach` the smallest and largest
    distance from hip to ankle, as fractions of the straight limb; `base` and `ankle` the directions in which hip and
    ankle turn (None: all).
    """

    name: str
    is_leg: bool
    upper: int
    middle: int
    end: int
    toe: int | None
    hinge: Floats
    reach: tuple[float, float]
    base: Chain | None
    ankle: Chain | None

    @property
    def points(self) -> tuple[int, ...]:
        """The joints that can be pinned to a position: the end and, for a leg, its toe."""
        return (self.end,) if self.toe is None else (self.end, self.toe)


def learn_limbs(clips: Sequence[Clip], mapping: LimbNames | None = None) -> tuple[Limb, ...]:
    """Learn legs, then arms, with hinges and ranges from the clips; the file's axes and limits take precedence.

    Joints are guessed from names and geometry; mapped legs replace all guessed legs, mapped arms all guessed arms.
    """
    skeleton = clips[0].skeleton
    for clip in clips[1:]:
        require_compatible(skeleton, clip.skeleton)
    rotations = np.concatenate([clip.rotations for clip in clips])
    positions = np.concatenate([clip.positions() for clip in clips])
    limbs = []
    for name, joints, is_leg in limb_joints(skeleton, mapping):
        upper, middle, end = joints[:3]
        toe = joints[3] if len(joints) == 4 else None
        hinge = knee_hinge(skeleton, rotations[:, middle], middle, end)
        # Arms can move far more than a single motion shows.
        reach = _reach(skeleton, positions, upper, end) if is_leg else (0.3, 1.0)
        base = free_directions(skeleton, rotations[:, upper], upper, ball=True)
        ankle = free_directions(skeleton, rotations[:, end], end) if is_leg else None
        limbs.append(Limb(name, is_leg, upper, middle, end, toe, hinge, reach, base, ankle))
    return tuple(limbs)


def limb_joints(skeleton: Skeleton, mapping: LimbNames | None = None) -> list[tuple[str, tuple[int, ...], bool]]:
    """Return name, joints (hip, knee, ankle(, toe) or shoulder, elbow, hand) and whether it is a leg, for each limb."""
    mapped = [_mapped(skeleton, name, joints) for name, joints in (mapping or {}).items()]
    legs, arms = ([limb for limb in mapped if limb[2] is is_leg] for is_leg in (True, False))
    names = skeleton.names
    if not legs:
        guessed = [(foot, _above(skeleton, foot.ankle)) for foot in feet(skeleton)]
        legs = [(names[foot.ankle], (*above, *foot.joints), True) for foot, above in guessed if len(above) == 2]
    if not arms:
        pairs = [(hand, _above(skeleton, hand)) for hand in hands(skeleton)]
        arms = [(names[hand], (*above, hand), False) for hand, above in pairs if len(above) == 2]
    return legs + arms


def limb_feet(limbs: Sequence[Limb], skeleton: Skeleton) -> tuple[Foot, ...]:
    """Return the feet of the legs, in the order of the limbs."""
    return tuple(Foot(skeleton.names[limb.end], limb.end, limb.toe) for limb in limbs if limb.is_leg)


def _above(skeleton: Skeleton, end: int) -> tuple[int, ...]:
    """Return the two bending joints above the end, skipping twist joints and joints where the next joint is."""
    lengths, path = skeleton.lengths(), skeleton.chain(end)
    reach = lengths[path].max()
    joints: list[int] = []
    gap = lengths[end]
    for joint in reversed(path[:-1]):
        if joint == 0:
            break
        if gap > 0.02 * reach and not _TWIST.search(skeleton.names[joint]):
            joints.insert(0, joint)
            gap = 0.0
        gap += lengths[joint]
    return tuple(joints[-2:])


def _mapped(skeleton: Skeleton, name: str, joints: Sequence[str]) -> tuple[str, tuple[int, ...], bool]:
    """Check one entry of a mapping against the skeleton."""
    is_leg = _LEG.search(name) is not None and not _ARM.search(name)
    if not is_leg and not _ARM.search(name):
        raise UsageError(f"the mapping's limb {name!r} is neither a leg nor an arm: call it left_leg or right_arm")
    if len(joints) not in ((3, 4) if is_leg else (3,)):
        expected = "hip, knee, ankle and perhaps toe" if is_leg else "shoulder, elbow and hand"
        raise UsageError(f"the mapping's limb {name!r} has {len(joints)} joints: give {expected}")
    numbers = tuple(skeleton.index(joint) for joint in joints)
    for above, below in pairwise(numbers):
        if above not in skeleton.chain(below)[:-1]:
            raise UsageError(
                f"the mapping's limb {name!r} lists {skeleton.names[above]!r} before {skeleton.names[below]!r}, "
                "which does not hang on it"
            )
    return name, numbers, is_leg


def _reach(skeleton: Skeleton, positions: Floats, upper: int, end: int) -> tuple[float, float]:
    """Return the smallest and largest observed distances, relative to the length of the straight limb."""
    path = skeleton.chain(end)
    full = max(float(skeleton.lengths()[path[path.index(upper) + 1 :]].sum()), 1e-12)
    seen = np.linalg.norm(positions[:, end] - positions[:, upper], axis=1) / full
    # Legs may fold a little more than was observed.
    return 0.9 * float(seen.min()), float(seen.max())

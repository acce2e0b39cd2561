"""What the joints of a limb can do: their usual pose, the hinge of knee or elbow, and their ranges."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.motion.hinges import first_angle, frame_of, hinge_axis, principal_axes, straight_angle
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.euler import from_euler
from freshtake.numeric.limb_solver import Chain
from freshtake.numeric.rotations import about_axis, inverse, mean, multiply, to_matrix, to_rotvec

LEG_MARGIN = np.radians(25.0)  # beyond the range that hips and ankles were seen in
ARM_MARGIN = np.radians(90.0)  # the same for shoulders, which can do far more than one motion shows
BEND = np.radians(150.0)  # how far knees and elbows bend from straight
SHARE = 0.2  # and this share of it
HINGE_MARGIN = np.radians(1.0)  # across a hinge
STRAIGHT = np.radians(1.0)  # how far from straight a hinge stops
ACROSS_STIFFNESS = 20.0  # cost of bending a hinge sideways
STILL = np.radians(0.3)  # directions that move less than this, RMS, are none of a joint's own
STILL_SHARE = 0.1  # nor do they move more than this share of its main one
MOVING = np.radians(1.0)  # a joint that moves less shows nothing
NEVER = 10.0  # radians: as low end above the high end
UNTURNED = np.array([1.0, 0.0, 0.0, 0.0])


class Link(NamedTuple):
    """One turn of a joint, reference exp(basis y): reference (4,), basis (3, 3), stiffness, low and high (3,).

    A coordinate whose low end is above its high end is frozen: it stays where the sample has it.
    """

    reference: Floats
    basis: Floats
    stiffness: Floats
    low: Floats
    high: Floats

    @property
    def frozen(self) -> Bools:
        """(3,): the coordinates that the solver must not change."""
        return np.asarray(self.low > self.high)


class Bend(NamedTuple):
    """What is asked about a joint: which it is, the end below it where it is a knee or elbow, whether it is a ball."""

    joint: int
    end: int | None = None
    ball: bool = False
    margin: float = LEG_MARGIN


def joint_links(skeleton: Skeleton, rotations: Floats, bend: Bend) -> list[Link]:
    """The links of one joint from rotations (poses, 4): two where the file gives it two angles, else one.

    The file's axes and limits go first; without them, directions and ranges are those that the joint was seen in.
    """
    order = skeleton.orders[bend.joint]
    if len(order) == 2:
        return _two_axes(skeleton, rotations, bend)
    if len(order) == 1 or _limits(skeleton, bend.joint):
        stated = _stated(skeleton, rotations, bend)
        if stated is not None:
            return [stated]
    return [_learned(skeleton, rotations, bend)]


def chain_of(links: Sequence[Link], length: float) -> Chain:
    """Links one after the other as the solver wants them."""
    return Chain(
        np.stack([link.reference for link in links]),
        np.stack([link.basis for link in links]),
        np.concatenate([link.stiffness for link in links]),
        np.concatenate([link.low for link in links]),
        np.concatenate([link.high for link in links]),
        max(length, 1e-12),
    )


def frozen_link() -> Link:
    """Stays at the sample in every direction."""
    return Link(UNTURNED, np.eye(3), np.ones(3), np.full(3, NEVER), np.full(3, -NEVER))


def _learned(skeleton: Skeleton, rotations: Floats, bend: Bend) -> Link:
    """Ranges with a margin; directions that never move are frozen, except those of a ball.

    A knee or elbow gets its hinge as coordinate 0, flexion positive.
    """
    reference = mean(rotations)
    seen = to_rotvec(multiply(inverse(reference), rotations))
    spread, axes = principal_axes(seen)
    still = (spread < STILL) & (spread < STILL_SHARE * spread[0]) & (spread[0] >= MOVING) & (not bend.ball)
    basis, stiffness, margin = axes, np.ones(3), np.full(3, bend.margin)
    hinged = None
    if bend.end is not None:
        hinged = hinge_axis(seen, reference, skeleton.offsets[bend.joint], skeleton.offsets[bend.end])
    if hinged is not None:
        basis = axes if abs(float(axes[:, 0] @ hinged)) > 1.0 - 1e-12 else frame_of(hinged)
        still = still if basis is axes else np.zeros(3, dtype=bool)
        stiffness = np.array([1.0, ACROSS_STIFFNESS, ACROSS_STIFFNESS])
        margin = np.array([0.0, HINGE_MARGIN, HINGE_MARGIN])
    y = seen @ basis
    low, high = y.min(axis=0), y.max(axis=0)
    low, high = low - margin - SHARE * (high - low), high + margin + SHARE * (high - low)
    link = Link(reference, basis, stiffness, np.where(still, NEVER, low), np.where(still, -NEVER, high))
    return link if hinged is None else _bending(skeleton, link, y[:, 0], bend)


def _bending(skeleton: Skeleton, link: Link, y: Floats, bend: Bend) -> Link:
    """A knee or elbow whose coordinate 0 is its hinge, seen at y (poses,): flexion positive, from straight on."""
    assert bend.end is not None
    basis, low, high = link.basis, link.low.copy(), link.high.copy()
    straight = straight_angle(skeleton, link.reference, basis[:, 0], bend.joint, bend.end)
    if abs(y.min() - straight) > abs(y.max() - straight):  # it bends the other way
        basis, straight = basis * np.array([-1.0, 1.0, -1.0]), -straight
        low[[0, 2]], high[[0, 2]] = -link.high[[0, 2]], -link.low[[0, 2]]
    low[0], high[0] = straight + STRAIGHT, max(high[0], straight + BEND)
    return link._replace(basis=basis, low=low, high=high)


def _limits(skeleton: Skeleton, joint: int) -> dict[str, tuple[float, float]]:
    """The limits that the file states (Acclaim), by axis."""
    limits = skeleton.limits[joint] if skeleton.limits is not None else ()
    named = zip(skeleton.channels[joint], limits, strict=False)
    return {channel[1].upper(): pair for channel, pair in named if channel[0] == "r" and pair is not None}


def _axes(skeleton: Skeleton, joint: int) -> Floats:
    """The rotation about which a joint's angles are measured."""
    return UNTURNED if skeleton.axes is None else skeleton.axes[joint]


def _hinge(skeleton: Skeleton, joint: int, axis: str, seen: Floats, margin: float) -> Link:
    """A hinge about one of the file's axes, at angles `seen`; limits are the file's, else the range with a margin."""
    first = "XYZ".index(axis)
    basis = to_matrix(_axes(skeleton, joint))[:, [first, (first + 1) % 3, (first + 2) % 3]]
    size = SHARE * float(np.ptp(seen)) + margin
    ends = _limits(skeleton, joint).get(axis, (float(seen.min()) - size, float(seen.max()) + size))
    low, high = np.array([ends[0], NEVER, NEVER]), np.array([ends[1], -NEVER, -NEVER])
    return Link(UNTURNED, basis, np.ones(3), low, high)


def _two_axes(skeleton: Skeleton, rotations: Floats, bend: Bend) -> list[Link]:
    """Two hinges in one place, as the file has them."""
    order, turned = skeleton.orders[bend.joint], to_matrix(_axes(skeleton, bend.joint))
    a, b = (turned[:, "XYZ".index(axis)] for axis in order)
    first = first_angle(rotations, a, b)
    second = to_rotvec(multiply(about_axis(a, -first), rotations)) @ b
    pairs = zip(order, (first, second), strict=True)
    return [_hinge(skeleton, bend.joint, axis, seen, bend.margin) for axis, seen in pairs]


def _stated(skeleton: Skeleton, rotations: Floats, bend: Bend) -> Link | None:
    """One angle about the file's axis, or the file's limits of three as a box round them (Acclaim)."""
    order, axes = skeleton.orders[bend.joint], _axes(skeleton, bend.joint)
    if len(order) == 1:
        angles = to_rotvec(rotations) @ to_matrix(axes)[:, "XYZ".index(order)]
        link = _hinge(skeleton, bend.joint, order, angles, bend.margin)
        stated = bool(_limits(skeleton, bend.joint))
        return link if stated or bend.end is None else _bending(skeleton, link, angles, bend)
    if len(order) != 3:
        return None
    ends = [_limits(skeleton, bend.joint).get(axis, (-np.pi, np.pi)) for axis in order]
    reference = mean(rotations)
    corners = np.array(list(itertools.product(*[np.linspace(max(a, -3.0), min(b, 3.0), 5) for a, b in ends])))
    local = multiply(multiply(axes, from_euler(corners, order)), inverse(axes))
    y = to_rotvec(multiply(inverse(reference), local)) @ to_matrix(axes)
    return Link(reference, to_matrix(axes), np.ones(3), y.min(axis=0), y.max(axis=0))

"""A limb's joints as the solver sees them: links one after the other, and the joint at the end that follows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.motion.hinges import first_angle
from freshtake.motion.limb_ranges import (
    ARM_MARGIN,
    LEG_MARGIN,
    Bend,
    Link,
    chain_of,
    frozen_link,
    joint_links,
)
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.limb_solver import Chain
from freshtake.numeric.rotations import about_axis, from_rotvec, inverse, multiply, to_rotvec


class Links(NamedTuple):
    """The chain, the number in `turning` of every link's joint, and the links of a joint that follows the limb."""

    chain: Chain
    owners: Ints
    follower: Chain | None


def learned_links(
    skeleton: Skeleton, rotations: Floats, turning: tuple[int, ...], middle: int, end: int, free: set[int],
    is_leg: bool, last: int | None,
) -> Links:  # fmt: skip
    """The links of a limb from all poses (poses, joints, 4) that were seen of it.

    `middle` is the knee or elbow; joints that are not in `free` stay as they are; `last` is the joint that follows.
    """
    margin = LEG_MARGIN if is_leg else ARM_MARGIN
    links: list[Link] = []
    owners: list[int] = []
    for number, joint in enumerate(turning):
        bend = Bend(joint, end if joint == middle else None, joint == turning[0], margin)
        found = joint_links(skeleton, rotations[:, joint], bend) if joint in free else [frozen_link()]
        links += found
        owners += [number] * len(found)
    length = float(skeleton.lengths()[skeleton.chain(end)][-len(turning) :].sum())
    follower = None
    if last is not None:
        bend = Bend(last, margin=margin if last == end else 0.0)
        follower = chain_of(joint_links(skeleton, rotations[:, last], bend), length)
    return Links(chain_of(links, length), np.array(owners, dtype=np.intp), follower)


def coordinates(links: Links, rotations: Floats) -> Floats:
    """Local rotations (frames, n, 4) of a limb's turning joints to the solver's coordinates (frames, 3 links)."""
    y = [link_coordinates(links.chain, own, rotations[:, joint]) for joint, own in enumerate(_spans(links))]
    return np.concatenate(y, axis=1)


def link_coordinates(chain: Chain, own: slice, rotations: Floats) -> Floats:
    """Rotations (frames, 4) of a joint to the coordinates (frames, 3 or 6) of its one or two links.

    Of two links the first takes what it can about its own axis, the second all the rest.
    """
    reference, basis = chain.reference[own], chain.basis[own]
    if len(reference) == 1:
        return np.asarray(to_rotvec(multiply(inverse(reference[0]), rotations)) @ basis[0])
    angle = first_angle(rotations, basis[0, :, 0], basis[1, :, 0])
    rest = to_rotvec(multiply(about_axis(basis[0, :, 0], -angle), rotations)) @ basis[1]
    return np.concatenate([angle[:, None], np.zeros((len(angle), 2)), rest], axis=1)


def turns(links: Links, y: Floats) -> Floats:
    """The inverse: coordinates (frames, 3 links) to local rotations (frames, n, 4)."""
    return np.stack([_turned(links.chain, own, y) for own in _spans(links)], axis=1)


def _turned(chain: Chain, own: slice, y: Floats) -> Floats:
    """The product of a joint's links at coordinates (frames, 3 links of the whole chain)."""
    vectors = np.einsum("nij,fnj->fni", chain.basis[own], y.reshape(len(y), y.shape[1] // 3, 3)[:, own])
    each = multiply(chain.reference[own], from_rotvec(vectors))
    return each[:, 0] if each.shape[1] == 1 else multiply(each[:, 0], each[:, 1])


def _spans(links: Links) -> list[slice]:
    """The links of every joint."""
    count = int(links.owners[-1]) + 1
    return [slice(*np.searchsorted(links.owners, [joint, joint + 1]).tolist()) for joint in range(count)]


def followed(follower: Chain, sample: Floats, wanted: Floats) -> Floats:
    """Local rotations (frames, 4) of the joint that follows: as near to `wanted` as its own directions allow.

    Frozen directions and what lies beyond the joint's range stay as the sample has them.
    """
    own = slice(0, len(follower.reference))
    here, there = link_coordinates(follower, own, sample), link_coordinates(follower, own, wanted)
    frozen = follower.low > follower.high
    if frozen[-3:].tolist() == [False, True, True]:
        there[:, -3] = _nearest_angle(follower, there)
    y = np.clip(there, np.minimum(follower.low, here), np.maximum(follower.high, here))
    return _turned(follower, own, y)


def _nearest_angle(follower: Chain, y: Floats) -> Floats:
    """The angle about the last link's hinge that comes nearest to its coordinates: the twist about it."""
    turn = from_rotvec(y[:, -3:])
    angle = 2.0 * np.arctan2(turn[:, 1], turn[:, 0])
    return np.asarray((angle + np.pi) % (2.0 * np.pi) - np.pi)

"""Which joints are feet, hands, left and right: guessed from names and geometry, for any skeleton with limbs."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats, Ints

SIDES = (
    (re.compile(r"^left|left$|(?<=[a-z_.\-: ])left(?![a-z])|(?<=[a-z])Left"), "left", "right"),
    (re.compile(r"^Left|(?<=[^A-Za-z])Left"), "Left", "Right"),
    (re.compile(r"^LEFT|(?<=[^A-Z])LEFT"), "LEFT", "RIGHT"),
    (re.compile(r"^L(?=[A-Z_.\- ])|(?<=[_.\- :])L(?=[_.\- ]|$)"), "L", "R"),
    (re.compile(r"^l(?=[_.\- ])|(?<=[_.\- :])l(?=[_.\- ]|$)"), "l", "r"),
    (re.compile(r"^l"), "l", "r"),
)


class Foot(NamedTuple):
    """The joints of one foot that can stand on the floor: ankle, and the toe joint where there is one."""

    name: str
    ankle: int
    toe: int | None

    @property
    def joints(self) -> tuple[int, ...]:
        """Ankle and toe, or the ankle alone."""
        return (self.ankle,) if self.toe is None else (self.ankle, self.toe)


def mirror_pairs(skeleton: Skeleton) -> Ints:
    """For every joint the one on the other side, itself where there is none."""
    partner = np.arange(len(skeleton))
    for joint, name in enumerate(skeleton.names):
        for other in _other_side(name):
            if other in skeleton.names and partner[joint] == joint:
                match = skeleton.names.index(other)
                partner[joint], partner[match] = match, joint
    return partner


def _other_side(name: str) -> list[str]:
    """What the right-hand partner of a left-hand joint would be called, most specific spelling first."""
    return [pattern.sub(right, name, count=1) for pattern, _, right in SIDES if pattern.search(name)]


def feet(skeleton: Skeleton) -> tuple[Foot, ...]:
    """Feet by name; where no joint is called foot, ankle or toe, by being the lowest tips at rest."""
    ankles = [j for j, n in enumerate(skeleton.names) if re.search(r"foot|ankle", n, re.I)]
    ankles = [j for j in ankles if not _is_tip_name(skeleton.names[j])]
    ankles = [j for j in ankles if not set(skeleton.chain(j)[:-1]) & set(ankles)]
    found = []
    for ankle in ankles:
        below = [j for j in skeleton.descendants(ankle)[1:] if not _is_tip_name(skeleton.names[j])]
        toes = [j for j in below if re.search(r"toe|ball", skeleton.names[j], re.I)] or below
        found.append(Foot(skeleton.names[ankle], ankle, toes[0] if toes else None))
    return tuple(found) or _lowest_tips(skeleton)


def _is_tip_name(name: str) -> bool:
    return re.search(r"nub|end$|_end|tip$|site", name, re.I) is not None


def _lowest_tips(skeleton: Skeleton) -> tuple[Foot, ...]:
    """The two leaves that reach farthest down (against the longest direction from the root) at rest."""
    rest = rest_positions(skeleton)
    leaves = [j for j in range(1, len(skeleton)) if not skeleton.children(j)]
    if len(leaves) < 2:
        return ()
    low = sorted(leaves, key=lambda j: rest[j, 1])[:2]
    reach = rest[:, 1].max() - rest[:, 1].min()
    if reach <= 0 or abs(rest[low[0], 1] - rest[low[1], 1]) > 0.1 * reach or rest[low[1], 1] > rest[0, 1] - 0.2 * reach:
        return ()
    return tuple(Foot(skeleton.names[j], j, None) for j in low)


def hands(skeleton: Skeleton) -> tuple[int, ...]:
    """Hand (or wrist) joints by name, the one nearest to the body on each arm."""
    named = [j for j, n in enumerate(skeleton.names) if re.search(r"hand|wrist", n, re.I)]
    named = [j for j in named if not re.search(r"thumb|index|finger|middle|ring|pinky", skeleton.names[j], re.I)]
    return tuple(j for j in named if not set(skeleton.chain(j)[:-1]) & set(named))


def rest_positions(skeleton: Skeleton) -> Floats:
    """Joint positions with all rotations zero and the root at the origin."""
    out = np.zeros((len(skeleton), 3))
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            out[joint] = out[parent] + skeleton.offsets[joint]
    return out


def leg_length(skeleton: Skeleton) -> float:
    """Summed offsets from the root down to the first foot; without feet, half the longest chain's length."""
    lengths = skeleton.lengths()
    found = feet(skeleton)
    if found:
        return float(lengths[skeleton.chain(found[0].ankle)].sum())
    reach = [float(lengths[skeleton.chain(j)].sum()) for j in range(len(skeleton))]
    return max(max(reach) / 2.0, 1e-12)

"""The joints by which figures of the whole body are taken: hips, hands, feet, upper and lower body, and the leg."""

from __future__ import annotations

import re
from typing import NamedTuple

from freshtake.motion.body import feet, hands, leg_length, pelvis
from freshtake.motion.skeleton import Skeleton


class Joints(NamedTuple):
    """Joint numbers, and the length of a leg from the hips to the ankle.

    `body` holds the hips and all that hangs on them: not what a rig has above or beside them on the floor. `toes`
    holds each foot's toe (its ankle where it has none). `upper` holds where the arms part, the head, and of each arm
    hand, elbow and shoulder; `lower` of each leg knee, ankle and toe.
    """

    hips: int
    leg: float
    body: tuple[int, ...]
    hands: tuple[int, ...]
    ankles: tuple[int, ...]
    toes: tuple[int, ...]
    upper: tuple[int, ...]
    lower: tuple[int, ...]


def body_joints(skeleton: Skeleton) -> Joints:
    """Found by names and by the tree; what a skeleton does not have is empty."""
    hips, found = pelvis(skeleton), feet(skeleton)
    ankles = tuple(foot.ankle for foot in found)
    toes = tuple(foot.joints[-1] for foot in found)
    knees = [int(skeleton.parents[ankle]) for ankle in ankles]
    lower = tuple(sorted({*knees, *ankles, *toes} - {-1, hips}))
    body = tuple(skeleton.descendants(hips))
    return Joints(hips, leg_length(skeleton), body, hands(skeleton), ankles, toes, _upper(skeleton, hips), lower)


def _upper(skeleton: Skeleton, hips: int) -> tuple[int, ...]:
    chains = [skeleton.chain(hand) for hand in hands(skeleton)]
    arms = {joint for chain in chains for joint in chain[-3:]}
    heads = [j for j, name in enumerate(skeleton.names) if re.search("head", name, re.I)][:1]
    parting = {max(set(chains[0]).intersection(*chains[1:]))} if len(chains) > 1 else set()
    return tuple(sorted((arms | parting | set(heads)) - {hips}))

"""How the bones of one body at rest have to turn to lie as those of another: the differences of T-, A- and other poses.

Long bones of arms, legs and fingers are laid on one another exactly, each by the smallest turn that is left after that
of the bone above it. Feet are turned about the vertical alone, so that a sole which is flat at rest stays flat. Trunk,
head and collar bones keep their own rest: where a rig puts the joints of a spine says nothing about its posture.
"""

from __future__ import annotations

import numpy as np

from freshtake.motion.retarget.body_map import FINGERS, BodyMap, above
from freshtake.motion.retarget.rest import SEEN, Rest
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import IDENTITY, about_axis, multiply, rotate, shortest_arc

LIMBS = ("upper_leg", "lower_leg", "upper_arm", "lower_arm")
NEXT = {"upper_leg": "lower_leg", "lower_leg": "foot", "upper_arm": "lower_arm", "lower_arm": "hand", "foot": "toes"}


def bone(rest: Rest, body: BodyMap, role: str, place: int = 0) -> Floats | None:
    """The direction (3,) of a part's bone at rest, in the body's axes; None where it ends nowhere."""
    side, _, part = role.partition("_")
    joint = body.joints[role][place]
    ends = [rest.places[joint_below] for joint_below in body.joints[role][place + 1 : place + 2]]
    if NEXT.get(part) and f"{side}_{NEXT[part]}" in body:
        ends.append(rest.places[body.one(f"{side}_{NEXT[part]}")])
    if part == "hand" and f"{side}_middle" in body:
        ends.append(rest.places[body.one(f"{side}_middle")])
    if not ends and part in ("foot", "toes", "lower_arm", *FINGERS):
        ends += [rest.places[joint] + rotate(rest.turns[joint], np.asarray(site.offset))
                 for site in rest.skeleton.end_sites if site.joint == joint]  # fmt: skip
    if not ends:
        return None
    line = ends[0] - rest.places[joint]
    length = float(np.linalg.norm(line))
    return None if length < 1e-9 else np.asarray(line / length)


def alignments(source: Rest, source_body: BodyMap, target: Rest, target_body: BodyMap) -> dict[tuple[str, int], Floats]:
    """By part and number in its chain, the turn (4,) that lays the source's bone on the target's at rest."""
    out: dict[tuple[str, int], Floats] = {}
    for role, joints in target_body.joints.items():
        if role not in source_body:
            continue
        lead = above(target_body.joints, role)
        turn = out.get((lead, len(target_body.joints[lead]) - 1), IDENTITY) if lead is not None else IDENTITY
        part = role.partition("_")[2]
        for place in range(min(len(joints), len(source_body.joints[role]))):
            if part in ("foot", "toes"):
                foot = f"{role.partition('_')[0]}_foot"
                turn = _yaw(bone(source, source_body, foot), bone(target, target_body, foot))
            elif part in (*LIMBS, "hand", *FINGERS):
                turn = _laid_on(turn, bone(source, source_body, role, place), bone(target, target_body, role, place))
            else:
                turn = IDENTITY
            out[role, place] = turn
    return out


def trunk_turn(source: Rest, target: Rest) -> Floats:
    """No turn between two rest poses; where one is a frame of a take, the turn that lays one trunk on the other."""
    if SEEN not in (source.how, target.how):
        return IDENTITY
    return shortest_arc(source.trunk, target.trunk)


def _laid_on(turn: Floats, source: Floats | None, target: Floats | None) -> Floats:
    """The turn of the bone above, then the smallest that is left."""
    if source is None or target is None:
        return turn
    return multiply(shortest_arc(rotate(turn, source), target), turn)


def _yaw(source: Floats | None, target: Floats | None) -> Floats:
    """The turn about the vertical between two directions."""
    if source is None or target is None:
        return IDENTITY
    angle = np.arctan2(target[0], target[2]) - np.arctan2(source[0], source[2])
    return about_axis(np.array([0.0, 1.0, 0.0]), angle)

"""Rig: a skeleton with its body map, its feet and the rest pose of a standing body.

Rest poses in files differ widely: arms out or down, feet apart, bones along x, lying on the back. Motion is transferred
relative to rest poses in the body's axes (x left, y up, z forward), after the bones of one body are turned to align
with the other body's.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.roles import Foot, rest_positions
from freshtake.motion.clip import Clip
from freshtake.motion.edit import tilt, with_up
from freshtake.motion.retarget.mapping import FINGERS, SIDES, TRUNK, BodyMap, above, find_body
from freshtake.motion.skeleton import EndSite, Skeleton
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import (
    IDENTITY,
    about_axis,
    forward,
    from_matrix,
    inverse,
    local_rotations,
    mean,
    multiply,
    rotate,
    shortest_arc,
    unit,
)

ZERO, STATED, SEEN = "zero pose", "rest pose of the file", "straightest frame"
LIMBS = ("upper_leg", "lower_leg", "upper_arm", "lower_arm")
NEXT = {"upper_leg": "lower_leg", "lower_leg": "foot", "upper_arm": "lower_arm", "lower_arm": "hand", "foot": "toes"}


class Stated(NamedTuple):
    """A rest pose stated by a file: positions (joints, 3) and rotations (joints, 4) in the file's axes."""

    places: Floats
    turns: Floats


@dataclass(frozen=True, eq=False)
class Rest:
    """A skeleton at rest: `places` (joints, 3) and `turns` (joints, 4) in the body's axes, and `local` rotations.

    `how` is the source of the pose, `score` (up to 1) its resemblance to a standing body. `trunk` (3,) is the
    direction from hips to shoulders.
    """

    skeleton: Skeleton
    places: Floats
    turns: Floats
    local: Floats
    trunk: Floats
    how: str
    score: float


class _Pose(NamedTuple):
    how: str
    places: Floats
    turns: Floats
    local: Floats
    up: Floats | None  # the vertical of the world from which the pose was taken, if known


def find_rest(clip: Clip, body: BodyMap, stated: Stated | None = None) -> Rest:
    """Return the first pose of a standing body: the file's rest pose, all rotations zero, or the straightest frame.

    If no pose is good, return the best pose.
    """
    skeleton, up = clip.skeleton, np.eye(3)[clip.up_index]
    turns = np.tile(IDENTITY, (len(skeleton), 1))
    poses = [_Pose(ZERO, rest_positions(skeleton), turns, turns, None)]
    if stated is not None:
        local = local_rotations(skeleton.parents, stated.turns)
        poses.insert(0, _Pose(STATED, stated.places, stated.turns, local, None))
    scores = [_score(pose.places[None], body, pose.up)[0] for pose in poses]
    # Poses with a lower score are not rest poses of a body.
    good = next((k for k, score in enumerate(scores) if score >= 0.75), None)
    if good is None:
        # A few hundred frames are enough to find one in which the body is standing.
        rows = np.unique(np.linspace(0, len(clip) - 1, min(len(clip), 400)).astype(np.intp))
        seen = forward(skeleton.parents, clip.local_translations()[rows], clip.rotations[rows])
        frame_scores = _score(seen.positions, body, up)
        best = int(frame_scores.argmax())
        poses.append(_Pose(SEEN, seen.positions[best], seen.rotations[best], clip.rotations[rows[best]], up))
        scores.append(frame_scores.max())
        good = int(np.argmax(scores))
    rest = _in_body_axes(skeleton, body, poses[good], float(scores[good]))
    return _with_usual_trunk(rest, clip, body) if rest.how == SEEN else rest


def _line(places: Floats, body: BodyMap, upper: str, lower: str) -> Floats:
    return unit(places[..., body.one(lower), :] - places[..., body.one(upper), :])


def _across(places: Floats, body: BodyMap, part: str) -> Floats:
    return _line(places, body, f"right_{part}", f"left_{part}")


def trunk_line(places: Floats, body: BodyMap) -> Floats:
    """Return the vector from the middle of the hip joints to the middle of the shoulder joints."""
    ends = [[body.one(f"{side}_{part}") for side in SIDES] for part in ("upper_leg", "upper_arm")]
    low, high = (places[..., joints, :].sum(axis=-2) for joints in ends)
    return unit(high - low)


def _score(places: Floats, body: BodyMap, up: Floats | None) -> Floats:
    """Return scores (frames,) up to 1: straight legs, upright trunk, level hips and shoulders, arms not raised."""
    trunk = trunk_line(places, body)
    vertical = trunk if up is None else up
    hips, shoulders = _across(places, body, "upper_leg"), _across(places, body, "upper_arm")
    terms = [_dot(hips, shoulders), 1.0 - np.abs(_dot(hips, trunk)), _dot(trunk, vertical)]
    for side in SIDES:
        thigh = _line(places, body, f"{side}_upper_leg", f"{side}_lower_leg")
        shank = _line(places, body, f"{side}_lower_leg", f"{side}_foot")
        arm = _line(places, body, f"{side}_upper_arm", f"{side}_lower_arm")
        terms += [-_dot(thigh, trunk), -_dot(shank, trunk), _dot(thigh, shank), 1.0 - np.maximum(_dot(arm, trunk), 0.0)]
        if f"{side}_toes" in body:
            foot = _line(places, body, f"{side}_foot", f"{side}_toes")
            ahead = np.cross(hips, trunk)
            terms.append(np.minimum(_dot(foot, ahead) + 0.3, 1.0))
        if f"{side}_hand" in body:
            terms.append(_dot(arm, _line(places, body, f"{side}_lower_arm", f"{side}_hand")))
    table = np.stack(np.broadcast_arrays(*terms), axis=-1)
    return np.asarray(0.5 * table.mean(axis=-1) + 0.5 * np.sort(table, axis=-1)[..., :3].mean(axis=-1))


def _dot(a: Floats, b: Floats) -> Floats:
    return np.asarray((a * b).sum(axis=-1))


def _in_body_axes(skeleton: Skeleton, body: BodyMap, pose: _Pose, score: float) -> Rest:
    up = unit(_snapped(trunk_line(pose.places, body)) if pose.up is None else pose.up)
    left = _across(pose.places, body, "upper_leg")
    back = inverse(_axes(left if pose.how == SEEN else _snapped(left), up))
    trunk = rotate(back, trunk_line(pose.places, body))
    return Rest(skeleton, rotate(back, pose.places), multiply(back, pose.turns), pose.local, trunk, pose.how, score)


def _axes(left: Floats, up: Floats) -> Floats:
    """Return the rotation (..., 4) of the body's axes: up as given, left as close as possible."""
    level = unit(left - _dot(left, up)[..., None] * up)
    return from_matrix(np.stack([level, np.broadcast_to(up, level.shape), np.cross(level, up)], axis=-1))


def _with_usual_trunk(rest: Rest, clip: Clip, body: BodyMap) -> Rest:
    """Set hips, spine, head and collar bones to their mean, relative to where the hips face.

    If no pose is at rest, a single frame of a run does not show the usual trunk.
    """
    world = clip.world()
    back = inverse(_axes(_across(world.positions, body, "upper_leg"), np.eye(3)[clip.up_index]))
    roles = [role for role in body.joints if role in TRUNK or role.endswith("shoulder")]
    joints = [joint for role in roles for joint in body.joints[role]]
    turns = rest.turns.copy()
    turns[joints] = mean(multiply(back[:, None], world.rotations[:, joints]))
    trunk = unit(rotate(back, trunk_line(world.positions, body)).mean(axis=0))
    return replace(rest, turns=turns, trunk=trunk)


def _snapped(direction: Floats) -> Floats:
    """Return the axis of the file that is nearly parallel to a direction, or the direction itself."""
    best = int(np.abs(direction).argmax())
    # Snap directions near an axis of the file to it: rest poses are modeled along axes.
    if abs(direction[best]) < 0.9:
        return direction
    return np.asarray(np.sign(direction[best]) * np.eye(3)[best])


def bone(rest: Rest, body: BodyMap, role: str, place: int = 0) -> Floats | None:
    """Return the direction (3,) of a part's bone at rest, in the body's axes; None if the bone has no end."""
    side, _, part = role.partition("_")
    joint = body.joints[role][place]
    ends = [rest.places[joint_below] for joint_below in body.joints[role][place + 1 : place + 2]]
    if NEXT.get(part) and f"{side}_{NEXT[part]}" in body:
        ends.append(rest.places[body.one(f"{side}_{NEXT[part]}")])
    if part == "hand" and f"{side}_middle" in body:
        ends.append(rest.places[body.one(f"{side}_middle")])
    if not ends and part in ("foot", "toes", "lower_arm", *FINGERS):
        ends += [_tip(rest, site) for site in rest.skeleton.end_sites if site.joint == joint]
    if not ends:
        return None
    line = ends[0] - rest.places[joint]
    length = float(np.linalg.norm(line))
    return None if length < 1e-9 else np.asarray(line / length)


def _tip(rest: Rest, site: EndSite) -> Floats:
    """Return the position (3,) of an end site at rest, in the body's axes."""
    return np.asarray(rest.places[site.joint] + rotate(rest.turns[site.joint], np.asarray(site.offset)))


def alignments(source: Rest, source_body: BodyMap, target: Rest, target_body: BodyMap) -> dict[tuple[str, int], Floats]:
    """Return the turns (4,) that align the source's bones to the target's at rest, by part and number in its chain."""
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
                # The turn of the bone above, followed by the smallest remaining turn.
                seen, goal = bone(source, source_body, role, place), bone(target, target_body, role, place)
                if seen is not None and goal is not None:
                    turn = multiply(shortest_arc(rotate(turn, seen), goal), turn)
            else:
                turn = IDENTITY
            out[role, place] = turn
    return out


def _yaw(source: Floats | None, target: Floats | None) -> Floats:
    """Return the turn about the vertical between two directions."""
    if source is None or target is None:
        return IDENTITY
    angle = np.arctan2(target[0], target[2]) - np.arctan2(source[0], source[2])
    return about_axis(np.array([0.0, 1.0, 0.0]), angle)


@dataclass(frozen=True, eq=False)
class Rig:
    """A skeleton from or to which motion is transferred: a clip of it, its parts and its rest pose."""

    clip: Clip
    body: BodyMap
    rest: Rest

    @cached_property
    def feet(self) -> tuple[Foot, ...]:
        """Feet of the map, left first."""
        names, joints = self.clip.skeleton.names, self.body.joints
        return tuple(
            Foot(names[joints[f"{side}_foot"][0]], joints[f"{side}_foot"][0], joints.get(f"{side}_toes", (None,))[0])
            for side in SIDES
        )


def make_rig(clip: Clip, stated: Stated | None = None, body: BodyMap | None = None, who: str = "the skeleton") -> Rig:
    """Return the rig of a clip, with its parts and rest pose; `stated` is the file's rest pose."""
    if body is None:
        # Map by names, else by the shape of the rest pose, the zero pose or the first frame.
        zero = rest_positions(clip.skeleton)
        poses = [zero] if stated is None else [stated.places, zero]
        poses = [turned for places in poses for turned in (places, rotate(tilt("z", "y"), places))]
        body = find_body(clip.skeleton, [*poses, with_up(clip, "y").positions()[0]], who)
    rig = Rig(clip, body, find_rest(clip, body, stated))
    # Legs shorter than a thousandth of the body are not legs.
    if not leg(rig.rest, body) > 1e-3 * float(np.ptp(rig.rest.places, axis=0).max(initial=0.0)):
        raise UsageError(f"{who}: its legs have no length, so its size is unknown: check the skeleton's offsets")
    return rig


def leg(rest: Rest, body: BodyMap) -> float:
    """Return the length of a leg (upper and lower), averaged over both sides."""
    total = 0.0
    for side in SIDES:
        joints = [body.one(f"{side}_{part}") for part in ("upper_leg", "lower_leg", "foot")]
        total += float(np.linalg.norm(np.diff(rest.places[joints], axis=0), axis=1).sum())
    return max(total / 2.0, 1e-12)


def stands_on_zero(rig: Rig) -> bool:
    """Return whether the file's rest pose has its soles at height 0."""
    if rig.rest.how != STATED:
        return False
    lowest = float(rig.rest.places[:, 1].min()) / leg(rig.rest, rig.body)
    return -0.05 < lowest < 0.2


def ankle_height(rig: Rig) -> float:
    """Return the mean height of the ankles at rest, above height 0 or above the lowest point of the feet."""
    rest, ankles = rig.rest, [foot.ankle for foot in rig.feet]
    height = float(rest.places[ankles, 1].mean())
    if stands_on_zero(rig):
        return height
    below = [joint for ankle in ankles for joint in rest.skeleton.descendants(ankle)]
    tips = [_tip(rest, site) for site in rest.skeleton.end_sites if site.joint in below]
    return height - float(np.stack([*rest.places[below], *tips])[:, 1].min())


def toe_drop(rig: Rig) -> float:
    """Return the height of ankles above toes at rest, the mean of both feet; 0 without toes."""
    return float(np.mean([rig.rest.places[f.ankle, 1] - rig.rest.places[f.joints[-1], 1] for f in rig.feet]))

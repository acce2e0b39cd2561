"""Rest: a pose in which a skeleton stands like a body, in the body's own axes: x left, y up, z forward.

Files rest in very different poses: arms out or down, feet apart, bones along x, lying on their backs. Motion is carried
over relative to rest, so a rest pose has to be found first, and to be turned into axes that all bodies share.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from freshtake.motion.clip import Clip
from freshtake.motion.retarget.body_map import SIDES, TRUNK, BodyMap
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats
from freshtake.numeric.kinematics import forward, local_rotations
from freshtake.numeric.rotations import IDENTITY, from_matrix, inverse, mean, multiply, rotate

MOST_FRAMES = 400  # frames of a take that are looked at for one in which the body stands
GOOD = 0.75  # of 1: poses that score less are no rest of a body
ALONG = 0.9  # cosine within which a direction is taken for an axis of the file
ZERO, STATED, SEEN = "zero pose", "rest pose of the file", "straightest frame"


class Stated(NamedTuple):
    """The rest pose that a file states: places (joints, 3) and rotations (joints, 4) in axes of its own."""

    places: Floats
    turns: Floats


@dataclass(frozen=True, eq=False)
class Rest:
    """A skeleton at rest: `places` (joints, 3) and `turns` (joints, 4) in the body's axes, and `local` rotations.

    `how` says where the pose is from, `score` (up to 1) how much it is like a standing body. `trunk` (3,) is the
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
    up: Floats | None  # the vertical of the world that the pose was taken in, where known


def zero_places(skeleton: Skeleton) -> Floats:
    """(joints, 3): with all rotations zero and the root at the origin."""
    return _zero(skeleton).places


def find_rest(clip: Clip, body: BodyMap, stated: Stated | None = None) -> Rest:
    """The first of: the file's own rest pose, all rotations zero, the straightest frame, in which a body stands.

    Where no pose is good, the best of them.
    """
    poses = [_zero(clip.skeleton)]
    if stated is not None:
        local = local_rotations(clip.skeleton.parents, stated.turns)
        poses.insert(0, _Pose(STATED, stated.places, stated.turns, local, None))
    scores = [_score(pose.places[None], body, pose.up)[0] for pose in poses]
    good = next((k for k, score in enumerate(scores) if score >= GOOD), None)
    if good is None:
        rows = np.unique(np.linspace(0, len(clip) - 1, min(len(clip), MOST_FRAMES)).astype(np.intp))
        seen = forward(clip.skeleton.parents, clip.local_translations()[rows], clip.rotations[rows]).positions
        frame_scores = _score(seen, body, np.eye(3)[clip.up_index])
        poses.append(_frame(clip, int(rows[frame_scores.argmax()]), SEEN))
        scores.append(frame_scores.max())
        good = int(np.argmax(scores))
    rest = _in_body_axes(clip.skeleton, body, poses[good], float(scores[good]))
    return _with_usual_trunk(rest, clip, body) if rest.how == SEEN else rest


def _zero(skeleton: Skeleton) -> _Pose:
    local = np.tile(IDENTITY, (len(skeleton), 1))
    offsets = skeleton.offsets.copy()
    offsets[0] = 0.0
    pose = forward(skeleton.parents, offsets, local)
    return _Pose(ZERO, pose.positions, pose.rotations, local, None)


def _frame(clip: Clip, frame: int, how: str) -> _Pose:
    pose = forward(clip.skeleton.parents, clip.local_translations()[frame], clip.rotations[frame])
    return _Pose(how, pose.positions, pose.rotations, clip.rotations[frame], np.eye(3)[clip.up_index])


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / np.maximum(np.linalg.norm(vector, axis=-1, keepdims=True), 1e-12))


def _line(places: Floats, body: BodyMap, upper: str, lower: str) -> Floats:
    return _unit(places[..., body.one(lower), :] - places[..., body.one(upper), :])


def _across(places: Floats, body: BodyMap, part: str) -> Floats:
    return _line(places, body, f"right_{part}", f"left_{part}")


def trunk_line(places: Floats, body: BodyMap) -> Floats:
    """From between the hip joints to between the shoulder joints."""
    low, high = (
        sum(places[..., body.one(f"{side}_{part}"), :] for side in SIDES) for part in ("upper_leg", "upper_arm")
    )
    return _unit(np.asarray(high) - np.asarray(low))


def _score(places: Floats, body: BodyMap, up: Floats | None) -> Floats:
    """(frames,), up to 1: straight legs below an upright trunk, level hips and shoulders, arms that are not raised."""
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
    up = _unit(_snapped(trunk_line(pose.places, body)) if pose.up is None else pose.up)
    left = _across(pose.places, body, "upper_leg")
    back = inverse(_axes(left if pose.how == SEEN else _snapped(left), up))
    trunk = rotate(back, trunk_line(pose.places, body))
    return Rest(skeleton, rotate(back, pose.places), multiply(back, pose.turns), pose.local, trunk, pose.how, score)


def _axes(left: Floats, up: Floats) -> Floats:
    """The rotation (..., 4) of the body's axes: up as given, left as near as can be."""
    level = _unit(left - _dot(left, up)[..., None] * up)
    return from_matrix(np.stack([level, np.broadcast_to(up, level.shape), np.cross(level, up)], axis=-1))


def _with_usual_trunk(rest: Rest, clip: Clip, body: BodyMap) -> Rest:
    """Hips, spine, head and collar bones as they are on average, seen from where the hips face.

    Where no pose is one of rest, a single frame of a run says little about how a trunk is held.
    """
    world = clip.world()
    back = inverse(_axes(_across(world.positions, body, "upper_leg"), np.eye(3)[clip.up_index]))
    joints = [
        j
        for role, role_joints in body.joints.items()
        if role in TRUNK or role.endswith("shoulder")
        for j in role_joints
    ]
    turns = rest.turns.copy()
    turns[joints] = mean(multiply(back[:, None], world.rotations[:, joints]))
    trunk = _unit(rotate(back, trunk_line(world.positions, body)).mean(axis=0))
    return replace(rest, turns=turns, trunk=trunk)


def _snapped(direction: Floats) -> Floats:
    """The axis of the file that a direction runs along, or the direction itself."""
    best = int(np.abs(direction).argmax())
    if abs(direction[best]) < ALONG:
        return direction
    return np.asarray(np.sign(direction[best]) * np.eye(3)[best])

"""A neutral body for human skeletons without a skin.

The body is a signed distance field, a smooth union of cones and ellipsoids, whose surface is extracted by surface nets
(Gibson 1998). It is computed once per process and fitted to the rest pose that retargeting estimates: each bone
of the body is aligned to a bone of the skeleton, scaled to its length, and then moved by that joint. A vertex v of
bone b is shown at p_j + Q_j (K_b v), with the joint's position p_j, its rotation from rest Q_j, and the fit K_b (3, 4).
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import FreshtakeError
from freshtake.motion import Clip, Skeleton
from freshtake.motion.body.roles import leg_length, rest_positions
from freshtake.motion.retarget.mapping import SIDES, BodyMap, find_body
from freshtake.motion.retarget.rest import Rest, find_rest
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import forward, inverse, multiply, rotate, to_matrix
from freshtake.reports.viewport.scene import LEG, Skin

FINE, COARSE = 0.0215, 0.036  # metres between samples of the field, for near bodies and for many distant bodies
UPRIGHT = 0.5  # 0 to 1: a rest pose with a lower score is not an upright person
BEND = 0.03  # metres over which a joint's influence fades
ARM = np.array(
    [0.66, -0.75, 0.02]
)  # direction of the left arm: halfway down, so that shoulders bend in both directions


class Bone(NamedTuple):
    """A bone of the template: its ends, thickness and parent."""

    name: str
    start: Floats
    end: Floats
    radius: float
    parent: str | None


def _point(x: float, y: float, z: float) -> Floats:
    return np.array([x, y, z])


def _template() -> tuple[Bone, ...]:
    """Return the bones of a person 1.75 m tall who faces z, in metres; left is +x."""
    bones = [
        Bone("pelvis", _point(0, 0.92, 0), _point(0, 1.04, 0), 0.14, None),
        Bone("waist", _point(0, 1.1, 0), _point(0, 1.2, 0), 0.12, "pelvis"),
        Bone("chest", _point(0, 1.26, 0), _point(0, 1.43, -0.01), 0.13, "waist"),
        Bone("neck", _point(0, 1.47, -0.012), _point(0, 1.54, 0.005), 0.05, "chest"),
        Bone("head", _point(0, 1.57, 0.012), _point(0, 1.69, 0.02), 0.085, "neck"),
    ]
    # Arms are slightly apart from the trunk, so that the smooth union does not merge them.
    arm = ARM / np.linalg.norm(ARM)
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        mirror = np.array([sign, 1.0, 1.0])
        shoulder = _point(0.168, 1.42, -0.012)
        elbow, wrist = shoulder + 0.285 * arm, shoulder + 0.53 * arm + _point(0, 0, 0.02)
        hip, knee, ankle = _point(0.092, 0.9, 0), _point(0.098, 0.49, 0.012), _point(0.1, 0.085, -0.022)
        ball, toe = _point(0.107, 0.026, 0.105), _point(0.11, 0.022, 0.175)
        for name, start, end, radius, parent in (
            ("upper_arm", shoulder, elbow, 0.045, "chest"),
            ("lower_arm", elbow, wrist, 0.036, f"{side}_upper_arm"),
            ("hand", wrist, wrist + 0.17 * arm, 0.03, f"{side}_lower_arm"),
            ("upper_leg", hip, knee, 0.07, "pelvis"),
            ("lower_leg", knee, ankle, 0.045, f"{side}_upper_leg"),
            ("foot", ankle, ball, 0.035, f"{side}_lower_leg"),
            ("toes", ball, toe, 0.025, f"{side}_foot"),
        ):
            bones.append(Bone(f"{side}_{name}", start * mirror, end * mirror, radius, parent))
    return tuple(bones)


BONES = _template()
# The bone whose joint is at the end of each bone: its child or, at the end of a limb, the bone itself.
ENDS = np.array(
    [next((k for k, other in enumerate(BONES) if other.parent == bone.name), own) for own, bone in enumerate(BONES)]
)


# The field: negative inside.


def _ellipsoid(points: Floats, center: Floats, radii: Floats) -> Floats:
    scaled = (points - center) / radii
    length = np.linalg.norm(scaled, axis=-1)
    return np.asarray((length - 1.0) * float(np.min(radii)) * np.clip(length, 0.5, 1.0))


def _cone(points: Floats, start: Floats, end: Floats, first: float, last: float) -> Floats:
    along = end - start
    share = np.clip((points - start) @ along / (along @ along), 0.0, 1.0)
    away = np.linalg.norm(points - start - share[..., None] * along, axis=-1)
    return np.asarray(away - first - share * (last - first))


def _melt(one: Floats, other: Floats, blend: float = 0.03) -> Floats:
    """Return the union of two fields, rounded where they meet (polynomial smooth minimum)."""
    share = np.maximum(blend - np.abs(one - other), 0.0) / blend
    return np.asarray(np.minimum(one, other) - 0.25 * blend * share * share)


def body_field(points: Floats) -> Floats:
    """Return the signed distance (points,) in metres of points (points, 3) from the body's surface; symmetric in x."""
    at = points * [1.0, 1.0, 1.0]
    # Only the left side is modelled; the right side is its mirror image.
    at[..., 0] = np.abs(at[..., 0])
    bone = {one.name: one for one in BONES}
    trunk = _ellipsoid(at, _point(0, 1.325, -0.002), _point(0.158, 0.16, 0.108))
    trunk = _melt(trunk, _ellipsoid(at, _point(0, 1.14, 0.004), _point(0.128, 0.17, 0.092)), 0.09)
    trunk = _melt(trunk, _ellipsoid(at, _point(0, 0.965, -0.008), _point(0.155, 0.115, 0.108)), 0.09)
    trunk = _melt(trunk, _cone(at, _point(0, 1.47, -0.02), _point(0.15, 1.43, -0.014), 0.05, 0.05), 0.05)
    trunk = _melt(trunk, _cone(at, _point(0, 1.43, -0.018), _point(0, 1.57, 0.006), 0.058, 0.05), 0.05)
    head = _ellipsoid(at, _point(0, 1.655, 0.012), _point(0.076, 0.1, 0.094))
    head = _melt(head, _ellipsoid(at, _point(0, 1.6, 0.04), _point(0.05, 0.062, 0.058)), 0.05)
    head = _melt(head, _cone(at, _point(0, 1.645, 0.095), _point(0, 1.618, 0.112), 0.01, 0.014), 0.015)
    arm, forearm, hand = (bone[f"left_{name}"] for name in ("upper_arm", "lower_arm", "hand"))
    limb = _melt(_cone(at, arm.start, arm.end, 0.056, 0.04), _cone(at, forearm.start, forearm.end, 0.042, 0.028))
    # Three fingers and a thumb keep the number of vertices small.
    across = np.array([0.0, 0.0, 1.0])
    palm = hand.start + 0.55 * (hand.end - hand.start)
    for shift, reach in ((-0.02, 0.92), (0.0, 1.0), (0.02, 0.95)):  # a hand is broad along z and thin across
        tip = hand.start + reach * (hand.end - hand.start) + shift * across
        limb = _melt(limb, _cone(at, hand.start + 0.7 * shift * across, tip, 0.023, 0.013), 0.022)
    limb = _melt(limb, _cone(at, hand.start + 0.02 * across, palm + 0.055 * across, 0.016, 0.011), 0.015)
    thigh, shin, foot, toes = (bone[f"left_{name}"] for name in ("upper_leg", "lower_leg", "foot", "toes"))
    leg = _melt(
        _cone(at, thigh.start - _point(0, 0.02, 0), thigh.end, 0.086, 0.055),
        _cone(at, shin.start, shin.end, 0.053, 0.034),
    )
    # The calf is added, so that the shin is not a plain cone.
    leg = _melt(leg, _ellipsoid(at, shin.start + _point(0.004, -0.12, -0.026), _point(0.046, 0.13, 0.046)), 0.05)
    sole = _melt(
        _cone(at, foot.start + _point(0, -0.045, -0.03), foot.end + _point(-0.004, 0.012, 0), 0.036, 0.04),
        _cone(at, foot.end, toes.end, 0.036, 0.026),
    )
    leg = _melt(leg, np.maximum(sole, 0.004 - at[..., 1]), 0.04)  # soles are flat
    return _melt(_melt(_melt(trunk, head, 0.03), limb, 0.05), leg, 0.045)


@lru_cache(maxsize=2)
def body_mesh(step: float) -> Skin:
    """Return the body in its template pose: metres, weights over BONES; about 5,000 vertices."""
    # The box encloses the template with a margin, which surface_net needs at its faces.
    low, high = np.array([-0.66, -0.04, -0.2]), np.array([0.66, 1.82, 0.24])
    counts = np.ceil((high - low) / step).astype(int) + 1
    axes = [low[k] + step * np.arange(counts[k]) for k in range(3)]
    axes[0] -= axes[0].mean()  # symmetric about x = 0
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    field = body_field(grid.reshape(-1, 3)).reshape(counts)
    vertices, faces = surface_net(field)
    vertices = vertices * step + np.array([axis[0] for axis in axes])
    joints, weights = _weights(vertices)
    return Skin(vertices.astype(np.float32), None, faces.astype(np.int32), joints, weights)


def surface_net(field: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Return vertices (n, 3), in units of the grid, and triangles of the surface where a field (x, y, z) is zero.

    Every cell that the surface crosses has a vertex, the mean of the crossings with the cell's edges. Every grid edge
    that the surface crosses joins the vertices of the four cells around the edge.
    """
    inside = field < 0.0
    cells = np.zeros(tuple(size - 1 for size in field.shape), dtype=np.int64)
    sums = np.zeros((*cells.shape, 3))
    for axis in range(3):
        a, b = ([part if k == axis else slice(None) for k in range(3)] for part in (slice(None, -1), slice(1, None)))
        first, second = field[tuple(a)], field[tuple(b)]
        crossed = inside[tuple(a)] != inside[tuple(b)]
        # The zero crossing between two samples, by linear interpolation.
        share = np.where(crossed, first / np.where(crossed, first - second, 1.0), 0.0)
        others = [other for other in range(3) if other != axis]
        for corner in ((0, 0), (0, 1), (1, 0), (1, 1)):
            part = [slice(None)] * 3
            for other, shift in zip(others, corner, strict=True):
                part[other] = slice(shift, shift + cells.shape[other])
            hit = crossed[tuple(part)]
            cells += hit
            place = np.zeros((*cells.shape, 3))
            place[..., axis] = share[tuple(part)]
            place[..., others] = corner
            sums += np.where(hit[..., None], place, 0.0)
    # Vertices are numbered in cell order, so that neighbors are close in memory.
    used = np.argwhere(cells)
    number = np.full(cells.shape, -1)
    number[tuple(used.T)] = np.arange(len(used))
    vertices = used + sums[tuple(used.T)] / cells[tuple(used.T)][:, None]
    return vertices, np.concatenate([_quads(inside, number, axis) for axis in range(3)])


def _quads(inside: npt.NDArray[np.bool_], number: npt.NDArray[np.int64], axis: int) -> npt.NDArray[np.int64]:
    """Return two triangles for every edge along an axis that the surface crosses, facing outwards."""
    one, two = (axis + 1) % 3, (axis + 2) % 3
    a, b = ([part if k == axis else slice(1, -1) for k in range(3)] for part in (slice(None, -1), slice(1, None)))
    start, end = inside[tuple(a)], inside[tuple(b)]
    edges = np.argwhere(start != end)
    leaves = start[tuple(edges.T)]
    edges[:, [one, two]] += 1
    corners = []
    for shift_one, shift_two in ((-1, -1), (0, -1), (0, 0), (-1, 0)):
        cell = edges.copy()
        cell[:, one] += shift_one
        cell[:, two] += shift_two
        corners.append(number[tuple(cell.T)])
    quad = np.stack(corners, axis=1)
    # The vertex order is reversed where the edge leaves the surface.
    quad[~leaves] = quad[~leaves][:, ::-1]
    return np.concatenate([quad[:, [0, 1, 2]], quad[:, [0, 2, 3]]])


def _weights(vertices: Floats) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """Return the bones (vertices, 4) that move each vertex, the nearest and its neighbors, and their weights."""
    away = np.stack([_cone(vertices, bone.start, bone.end, bone.radius, bone.radius) for bone in BONES], axis=1)
    sides = np.sign([bone.start[0] for bone in BONES])
    away[(vertices[:, :1] * sides) < -1e-3] = np.inf  # bones of one side never move vertices of the other
    nearest = away.argmin(axis=1)
    index = {bone.name: k for k, bone in enumerate(BONES)}
    # Only adjacent bones share a vertex, so that a hand near the hip does not deform it.
    adjacent = np.eye(len(BONES), dtype=bool)
    for k, bone in enumerate(BONES):
        if bone.parent is not None:
            adjacent[k, index[bone.parent]] = adjacent[index[bone.parent], k] = True
    share = np.where(adjacent[nearest], np.exp(-(away - away.min(axis=1, keepdims=True)) / BEND), 0.0)
    joints = np.argsort(-share, axis=1)[:, :4]
    weights = np.take_along_axis(share, joints, axis=1)
    return joints.astype(np.int32), (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)


# Fitting to a skeleton.


@dataclass(frozen=True, eq=False)
class Fit:
    """The fit of the body to a skeleton: a joint per bone, and the map (bones, 3, 4) from the template to that joint.

    `at_rest` (joints, 4) are the rotations of the skeleton's joints at rest; lengths are in the skeleton's unit.
    """

    joints: npt.NDArray[np.int64]
    binds: Floats
    at_rest: Floats


def fit_of(clip: Clip) -> Fit | None:
    """Return the fit of the neutral body to a clip's skeleton, or None for skeletons that are not human."""
    if clip.skeleton not in _fits:
        if len(_fits) > 64:
            _fits.clear()
        _fits[clip.skeleton] = _fit(clip)
    return _fits[clip.skeleton]


_fits: dict[Skeleton, Fit | None] = {}


def _fit(clip: Clip) -> Fit | None:
    try:
        body = find_body(clip.skeleton, [rest_positions(clip.skeleton)])
        rest = find_rest(clip, body)
    except FreshtakeError:
        return None
    # A body whose rest pose is not upright may be an animal, so its bones are drawn instead.
    if rest.score < UPRIGHT or "head" not in body:
        return None
    size = leg_length(clip.skeleton) / LEG
    joints = [_joint(body, bone.name) for bone in BONES]
    binds = [_bind(rest, body, bone, joint, size) for bone, joint in zip(BONES, joints, strict=True)]
    return Fit(np.array(joints), np.stack(binds), rest.turns)


def _joint(body: BodyMap, name: str) -> int:
    """Return the joint that moves a bone or, if the skeleton lacks it, the joint of the parent bone."""
    spine = body.joints.get("spine", (body.one("hips"),))
    if name in ("pelvis", "waist", "chest"):
        return {"pelvis": body.one("hips"), "waist": spine[max(0, len(spine) - 2) // 2], "chest": spine[-1]}[name]
    if name == "neck":
        return body.joints.get("neck", (body.one("head"),))[0]
    if name in body:
        return body.one(name)
    parent = next(bone.parent for bone in BONES if bone.name == name)
    return _joint(body, parent or "pelvis")


def _bind(rest: Rest, body: BodyMap, bone: Bone, joint: int, size: float) -> Floats:
    """Return K (3, 4), which scales and aligns a bone to the skeleton's, relative to the joint."""
    places = rest.places
    hips, shoulders = (
        0.5 * sum((places[body.one(f"{side}_{part}")] for side in SIDES), np.zeros(3))
        for part in ("upper_leg", "upper_arm")
    )
    low, high = _middle("upper_leg"), _middle("upper_arm")
    if bone.name in ("pelvis", "waist", "chest"):
        # Trunks have two to six joints, so the template's bones are distributed between hips and shoulders.
        share = float((bone.start - low) @ (high - low) / ((high - low) @ (high - low)))
        tall = float(np.linalg.norm(shoulders - hips) / np.linalg.norm(high - low))
        part = {"pelvis": "upper_leg", "chest": "upper_arm"}.get(bone.name)
        wide = size if part is None else _width(places, body, part)
        linear = _smallest_turn(high - low, shoulders - hips) @ np.diag([_near(wide, size), _near(tall, size), size])
        start = hips + share * (shoulders - hips)
        return _affine(linear, bone.start, start - places[joint])
    end = _end(rest, body, bone.name)
    stem = bone.end - bone.start
    if bone.name == "neck":
        head = places[body.one("head")]
        return _affine(size * np.eye(3), bone.end, head - places[joint] - np.array([0.0, 0.02, 0.0]) * size)
    if end is None or bone.name == "head":
        return _affine(size * np.eye(3), bone.start, np.zeros(3))
    along = end - places[joint]
    # Limbs are as long as the skeleton's, so that hands and feet are where the clip has them.
    stretch = _near(float(np.linalg.norm(along) / np.linalg.norm(stem)), size, 1.8)
    axis = stem / np.linalg.norm(stem)
    # Hands and feet are scaled uniformly, limbs only in length, because long arms are not thicker.
    thick = size if not bone.name.endswith(("hand", "foot", "toes")) else 0.5 * (size + stretch)
    linear = _smallest_turn(stem, along) @ (thick * np.eye(3) + (stretch - thick) * np.outer(axis, axis))
    return _affine(linear, bone.start, np.zeros(3))


def _affine(linear: Floats, origin: Floats, place: Floats) -> Floats:
    return np.concatenate([linear, (place - linear @ origin)[:, None]], axis=1)


def _middle(part: str) -> Floats:
    start = next(bone.start for bone in BONES if bone.name == f"left_{part}")
    return np.asarray(start * [0.0, 1.0, 1.0])


def _width(places: Floats, body: BodyMap, part: str) -> float:
    apart = np.linalg.norm(places[body.one(f"left_{part}")] - places[body.one(f"right_{part}")])
    return float(apart / (2.0 * next(bone.start[0] for bone in BONES if bone.name == f"left_{part}")))


def _near(value: float, usual: float, most: float = 1.35) -> float:
    """Limit a scale to a range around the usual scale, so that unusual joints do not distort the body."""
    return float(np.clip(value, usual / most, usual * most))


def _end(rest: Rest, body: BodyMap, name: str) -> Floats | None:
    """Return the end of a skeleton's bone at rest: the next joint, or the end site of a hand or foot."""
    side, _, part = name.partition("_")
    after = next((bone.name for bone in BONES if bone.parent == name), "")
    if after in body:
        return np.asarray(rest.places[body.one(after)])
    if name not in body:
        return None
    joint = body.one(name)
    if part == "hand" and f"{side}_middle" in body:
        finger = body.joints[f"{side}_middle"]
        first, last = rest.places[finger[0]], rest.places[finger[-1]]
        return np.asarray(last + (0.3 * (last - first) if len(finger) > 1 else 0.9 * (first - rest.places[joint])))
    sites = [site for site in rest.skeleton.end_sites if site.joint == joint]
    if sites and np.linalg.norm(sites[0].offset) > 0.0 and part != "toes":
        return np.asarray(rest.places[joint] + rotate(rest.turns[joint], np.array(sites[0].offset)))
    return None


def _smallest_turn(start: Floats, end: Floats) -> Floats:
    """Return the matrix of the smallest rotation from one direction to another."""
    a, b = start / np.linalg.norm(start), end / max(float(np.linalg.norm(end)), 1e-12)
    axis, cos = np.cross(a, b), float(a @ b)
    # Opposite directions have no unique smallest rotation: any half turn is one.
    if cos < -0.999:
        return np.diag([-1.0, -1.0, 1.0])
    cross = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
    return np.asarray(np.eye(3) + cross + cross @ cross / (1.0 + cos))


def turns_of(clip: Clip, fit: Fit, heading: float) -> Floats:
    """Return each bone's rotation from rest, Q (frames, bones, 4), with the y-up clip turned by `heading`."""
    pose = forward(clip.skeleton.parents, clip.local_translations(), clip.rotations)
    about_y = np.array([np.cos(0.5 * heading), 0.0, np.sin(0.5 * heading), 0.0])
    since = multiply(pose.rotations, inverse(fit.at_rest))
    return np.asarray(multiply(about_y, since)[:, fit.joints])


def posed(skin: Skin, binds: Floats, starts: Floats, turns: Floats) -> Floats:
    """Return the vertices (vertices, 3) of the body with joints at `starts` (bones, 3), rotated by `turns`."""
    matrices = to_matrix(turns) @ binds
    matrices[..., 3] += starts
    return carried(skin, matrices)


def carried(skin: Skin, matrices: Floats) -> Floats:
    """Return the vertices (vertices, 3) of a skin moved by its joints' matrices (joints, 3, 4)."""
    blended = np.einsum("vk,vkij->vij", skin.weights, matrices[skin.joints])
    return np.asarray(np.einsum("vij,vj->vi", blended[..., :3], skin.vertices) + blended[..., 3])

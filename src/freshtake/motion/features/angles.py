"""Convert positions and local rotations of a body to the numbers that models see, and back.

Rotations are three numbers per joint: continuous Euler angles, or exponential maps about a mean; the root's are heading
and swing, about a reference orientation that may be upright, lying or hanging. A position in the ground plane is
g = forward + i sideways, so turning by a heading is multiplying by exp(i heading): travel and heading are rates,
integrated to positions. With y up, forward is +z and sideways +x; with z up, forward is -y and sideways +x (the same
body tilted upright).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.rotations import (
    IDENTITY,
    about_axis,
    by_order,
    continuous,
    continuous_euler,
    equivalent,
    from_euler,
    from_rotvec,
    full_order,
    inverse,
    multiply,
    rotate,
    shortest_arc,
    to_rotvec,
)

Complexes = npt.NDArray[np.complex128]


class Start(NamedTuple):
    """Where a motion begins: position in the ground plane (world x and z, or x and y), heading, time in seconds.

    `moved` (dimensions,) is the offset of a stroke from the mean position of the recipe's examples.
    """

    ground: tuple[float, float] = (0.0, 0.0)
    heading: float = 0.0
    time: float = 0.0
    moved: tuple[float, ...] = ()


AT_ORIGIN = Start()


class Columns:
    """Base of the layouts of all kinds of motion."""

    def units(self) -> list[str]:
        """Return what each column measures: angle, length, time, or speed and turn, which are rates per second."""
        raise NotImplementedError

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.units())

    def spare(self) -> Bools:
        """Return flags of columns to leave out if they stay zero: none, unless the file may lack them."""
        return np.zeros(self.width, dtype=np.bool_)


class Path(NamedTuple):
    """Position (frames,) in the ground plane as complex numbers, and heading (frames,) in radians."""

    ground: Complexes
    heading: Floats


def ground_of(places: Floats, up: str) -> Complexes:
    """Project world vectors (..., 3) to the ground plane (...,)."""
    forward = places[..., 2] if up == "y" else -places[..., 1]
    return np.asarray(forward + 1j * places[..., 0])


def path_on_ground(points: Floats, up: str) -> Floats:
    """Project a path (points, 2) of world x and z (z up: x and y) to the ground plane, relative to its first point.

    Return real and imaginary parts (points, 2), omitting points that repeat the previous point.
    """
    world = np.zeros((len(points), 3))
    world[:, [0, 2] if up == "y" else [0, 1]] = points
    ground = ground_of(world, up)
    ground = ground[np.concatenate([[True], np.diff(ground) != 0.0])]
    return np.stack([ground.real - ground[0].real, ground.imag - ground[0].imag], axis=1)


def set_ground(places: Floats, ground: Complexes, up: str) -> None:
    """Write the ground plane (...,) into world vectors (..., 3), leaving the height as it is."""
    places[..., 0] = ground.imag
    if up == "y":
        places[..., 2] = ground.real
    else:
        places[..., 1] = -ground.real


def turned_back(vectors: Floats, heading: Floats, up: str) -> Floats:
    """Return vectors (frames, ..., 3) turned about the vertical by minus the heading (frames,)."""
    spin = np.exp(-1j * heading).reshape(-1, *[1] * (vectors.ndim - 2))
    out = vectors.copy()
    set_ground(out, ground_of(vectors, up) * spin, up)
    return out


def start_of(path: Path, frame: int, up: str) -> Start:
    """Return the placement of one frame of a path."""
    place = np.zeros(3)
    set_ground(place, path.ground[frame], up)
    first, second = place[[0, 2] if up == "y" else [0, 1]].tolist()
    return Start((first, second), float(path.heading[frame]))


def rates(path: Path, frame_time: float) -> Floats:
    """Return forward and sideways speed (in the heading of the frame before) and turn rate, (frames, 3) per second.

    Row t holds the step from frame t - 1 to t (Hsu 2005, §4.1). Row 0 has no step, so it repeats row 1.
    """
    out = np.zeros((len(path.ground), 3))
    step = np.diff(path.ground) * np.exp(-1j * path.heading[:-1]) / frame_time
    out[1:, 0], out[1:, 1] = step.real, step.imag
    out[1:, 2] = np.diff(path.heading) / frame_time
    out[:1] = out[1:2] if len(out) > 1 else 0.0
    return out


def summed(rate: Floats, frame_time: float, start: Start, up: str, resume: bool = False) -> Path:
    """Sum `rates` to a path: row 0 is at `start`, or one step after it when resuming from there."""
    place = np.zeros(3)
    place[[0, 2] if up == "y" else [0, 1]] = start.ground
    step = rate * frame_time
    if not resume:
        step[:1] = 0.0
    heading = start.heading + np.cumsum(step[:, 2])
    before = np.concatenate([[start.heading], heading[:-1]]) if len(step) else heading
    travel = (step[:, 0] + 1j * step[:, 1]) * np.exp(1j * before)
    return Path(ground_of(place, up) + np.cumsum(travel), heading)


TURN = 2.0 * np.pi


def angle_letters(order: str) -> list[str]:
    """Return the axis letters of a joint's three angles, made distinct if an axis occurs twice: z, x, z2."""
    full = full_order(order).lower()
    return [letter if letter not in full[:k] else f"{letter}2" for k, letter in enumerate(full)]


def outside_layout(skeleton: Skeleton) -> Bools:
    """Return flags (joints, 3) of the angles without a channel in the file, which are DOFs only if a clip uses them."""
    return np.array([[place >= len(order) for place in range(3)] for order in skeleton.orders])


def euler_angles(skeleton: Skeleton, rotations: Floats, reference: Floats | None = None) -> Floats:
    """Return continuous angles (frames, joints, 3), each joint in its Euler order and about its axes.

    With a reference (joints, 3), each joint uses the equivalent triple and full turns nearest to the reference.
    """
    local = skeleton.about_axes(rotations)
    out = np.empty((*rotations.shape[:-1], 3))
    for order, joints in _by_order(skeleton).items():
        angles = continuous_euler(local[:, joints], order)
        out[:, joints] = angles if reference is None else _on_branch(angles, order, reference[joints])
    return out


def euler_rotations(skeleton: Skeleton, angles: Floats) -> Floats:
    """Return local rotations from angles (frames, joints, 3): the inverse of `euler_angles`."""
    out = np.empty((*angles.shape[:-1], 4))
    for order, joints in _by_order(skeleton).items():
        out[:, joints] = from_euler(angles[:, joints], order)
    return skeleton.from_axes(out)


def euler_reference(skeleton: Skeleton, examples: Sequence[Floats]) -> Floats:
    """Return the mean angles (joints, 3) over all examples, as equivalent triples near those of the first example."""
    near = _without_outside(skeleton, euler_angles(skeleton, examples[0])).mean(axis=0)
    near -= TURN * np.round(near / TURN)
    total = sum((euler_angles(skeleton, q, near).sum(axis=0) for q in examples), start=np.zeros_like(near))
    return np.asarray(total / sum(len(q) for q in examples))


def _without_outside(skeleton: Skeleton, angles: Floats) -> Floats:
    """Return angles or their equivalent triples, whichever are smaller where the file has no channel."""
    unused = outside_layout(skeleton)
    out = angles.copy()
    for order, joints in _by_order(skeleton).items():
        both = np.stack([angles[:, joints], equivalent(angles[:, joints], order)])
        sizes = np.abs(both - TURN * np.round(both / TURN)).mean(axis=1)
        cost = (sizes * unused[joints]).sum(-1)  # (2, joints)
        flip = cost[1] < cost[0] - 1e-6
        out[:, joints] = np.where(flip[:, None], both[1], both[0])
    return out


def _on_branch(angles: Floats, order: str, reference: Floats) -> Floats:
    """Return angles or their equivalent triples, shifted by full turns, whichever are nearer to the reference."""
    middle = angles.mean(axis=0)
    differences = np.stack([middle, equivalent(middle, order)]) - reference  # (2, joints, 3)
    turns = TURN * np.round(differences / TURN)
    flip = np.diff(np.abs(differences - turns).sum(-1), axis=0)[0] < 0.0  # (joints,)
    if flip.any():
        angles = angles.copy()
        angles[:, flip] = equivalent(angles[:, flip], order)
    shift = np.where(flip[:, None], turns[1], turns[0])
    return angles - shift if shift.any() else angles


def _by_order(skeleton: Skeleton) -> dict[str, list[int]]:
    return by_order([full_order(order) for order in skeleton.orders])


def rotation_vectors(rotations: Floats, reference: Floats) -> Floats:
    """Return log(reference^-1 q), (frames, joints, 3), continuous over time (Hsu 2005, §4.1)."""
    return continuous_rotvec(multiply(inverse(reference), rotations))


def continuous_rotvec(q: Floats) -> Floats:
    """Return rotation vectors (frames, joints, 3) that grow beyond pi instead of jumping to the opposite side."""
    vectors = to_rotvec(q)
    jumps = np.linalg.norm(np.diff(vectors, axis=0), axis=-1) > np.pi
    for joint in np.flatnonzero(jumps.any(axis=0)):
        vectors[:, joint] = _followed(vectors[:, joint])
    return vectors


def _followed(vectors: Floats) -> Floats:
    """Shift each frame by full turns towards its neighbour, starting at the frame nearest to zero."""
    out = vectors.copy()
    anchor = int(np.linalg.norm(vectors, axis=-1).argmin())
    for frames in (range(anchor + 1, len(out)), range(anchor - 1, -1, -1)):
        before = out[anchor].tolist()
        for frame in frames:
            before = _nearest_turn(out[frame].tolist(), before)
            out[frame] = before
    return out


def _nearest_turn(vector: list[float], before: list[float]) -> list[float]:
    """Return the vector shifted by full turns towards the vector before it."""
    angle = math.sqrt(sum(x * x for x in vector))
    axis, length = (vector, angle) if angle > 1e-9 else (before, math.sqrt(sum(x * x for x in before)))
    if length < 1e-9:
        return vector
    along = sum(x * y for x, y in zip(axis, before, strict=True)) / length
    turns = TURN * round((along - angle) / TURN) / length
    return [x + turns * u for x, u in zip(vector, axis, strict=True)]


def upright_reference(rotations: Sequence[Floats], up: int) -> Floats:
    """Return the smallest rotation r (4,) that makes the body's mean vertical upright; for a walker it is very small.

    It does not depend on heading, and the swings of q = T(heading) exp(swing) r are about zero. With z up, the body is
    made upright as if y were up and then tilted, so a body has the same heading with either axis up.
    """
    vertical = np.eye(3)[up]
    body = sum((rotate(inverse(q), vertical).sum(axis=0) for q in rotations), start=np.zeros(3))
    length = float(np.linalg.norm(body))
    if length < 1e-6 * sum(len(q) for q in rotations):
        return IDENTITY.copy()
    upright = shortest_arc(body / length, np.array([0.0, 1.0, 0.0]))
    return upright if up == 1 else multiply(about_axis([1.0, 0.0, 0.0], np.pi / 2), upright)


def split_heading(rotations: Floats, reference: Floats, up: int) -> tuple[Floats, Floats]:
    """Split rotations (frames, 4) into heading (frames,) and swing (frames, 2): q = T(heading) exp(swing) reference.

    The swing has no component about the vertical, so two numbers suffice. Both are continuous; a swing may pass pi.
    With z up, the second swing is about -y: the same body has the same numbers with y up and with z up.
    """
    p = continuous(multiply(rotations, inverse(reference)))
    half = np.unwrap(np.arctan2(p[:, 1 + up], p[:, 0]), period=np.pi)
    half -= np.pi * np.round(half[0] / np.pi)
    heading = 2.0 * half
    swing = continuous_rotvec(multiply(about_axis(np.eye(3)[up], -heading), p)[:, None])[:, 0]
    return heading, np.delete(swing, up, axis=1) * _signs(up)


def join_heading(heading: Floats, swing: Floats, reference: Floats, up: int) -> Floats:
    """Return rotations from heading and swing: the inverse of `split_heading`."""
    vector = np.insert(swing * _signs(up), up, 0.0, axis=1)
    return multiply(multiply(about_axis(np.eye(3)[up], heading), from_rotvec(vector)), reference)


def _signs(up: int) -> Floats:
    """Return the signs of the two swings: the quarter turn about x that brings y up to z brings z to -y."""
    return np.array([1.0, 1.0 if up == 1 else -1.0])

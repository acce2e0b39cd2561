"""Arms and legs that are led to places: the hinge bends a little more or less, then the limb swings as a whole."""

from __future__ import annotations

import math

import numpy as np

from freshtake.motion.retarget.rig import Rig
from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import compiled
from freshtake.numeric.limb_kernels import bend_angle, carry_into, exponential_into, swing_into
from freshtake.numeric.rotations import inverse, multiply, rotate

Limb = tuple[str, str, str]
LEG: Limb = ("upper_leg", "lower_leg", "foot")
ARM: Limb = ("upper_arm", "lower_arm", "hand")
STRAIGHT = 0.3  # sine of a bend above which the bend itself shows the hinge's axis


def lead_limb(rig: Rig, side: str, limb: Limb, world: Floats, places: Floats, moves: Floats, most: float) -> None:
    """Move the end of a limb by (frames, 3); world rotations are changed, the end keeps its own."""
    skeleton = rig.rest.skeleton
    first, middle, end = (rig.body.one(f"{side}_{part}") for part in limb)
    upper, lower = places[:, middle] - places[:, first], places[:, end] - places[:, middle]
    hinge = rotate(world[:, first], rotate(inverse(rig.rest.turns[first]), _hinge_at_rest(rig, first, middle, limb)))
    if limb == ARM:
        hinge = _seen_hinge(upper, lower, hinge)
    swing, bend = np.empty((2, len(world), 4))
    limb_turns(upper, lower, hinge, places[:, end] + moves - places[:, first], most, swing, bend)
    beyond, below = skeleton.descendants(end), skeleton.descendants(middle)
    near = [joint for joint in skeleton.descendants(first) if joint not in below]
    far = [joint for joint in below if joint not in beyond]
    world[:, near] = multiply(swing[:, None], world[:, near])
    world[:, far] = multiply(multiply(swing, bend)[:, None], world[:, far])


def _hinge_at_rest(rig: Rig, first: int, middle: int, limb: Limb) -> Floats:
    """The axis in the body's axes: knees bend back about the left, elbows forward."""
    if limb == LEG:
        return np.array([1.0, 0.0, 0.0])
    across = np.cross(rig.rest.places[middle] - rig.rest.places[first], np.array([0.0, 0.0, 1.0]))
    return np.asarray(across / max(float(np.linalg.norm(across)), 1e-12))


def _seen_hinge(upper: Floats, lower: Floats, hinge: Floats) -> Floats:
    """The normal of a limb that is bent, the axis at rest of one that is straight, and what lies between."""
    normal = np.cross(upper, lower)
    size = np.linalg.norm(upper, axis=-1) * np.linalg.norm(lower, axis=-1)
    share = np.minimum(np.linalg.norm(normal, axis=-1) / (STRAIGHT * size), 1.0)[:, None]
    normal /= np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1e-12)
    axis = share * normal + (1.0 - share) * hinge
    return np.asarray(axis / np.maximum(np.linalg.norm(axis, axis=-1, keepdims=True), 1e-12))


@compiled
def limb_turns(
    upper: Floats, lower: Floats, hinge: Floats, goal: Floats, most: float, swing: Floats, bend: Floats
) -> None:
    """Turns (frames, 4) of the lower part (`bend`) and then of the whole limb (`swing`) that bring its end to its goal.

    All vectors (frames, 3) are seen from the limb's first joint; `hinge` is the axis of knee or elbow, flexion
    positive, and `most` the angle beyond which it hardly bends more or less than it did.
    """
    turned, line = np.empty(3), np.empty(3)
    for frame in range(len(goal)):
        distance = 0.0
        for axis in range(3):
            distance += goal[frame, axis] ** 2
        angle = bend_angle(upper[frame], lower[frame], hinge[frame], distance**0.5, 0.0)
        angle = most * math.tanh(angle / most)
        for axis in range(3):
            turned[axis] = angle * hinge[frame, axis]
        exponential_into(turned, bend[frame])
        carry_into(bend[frame], lower[frame], turned)
        for axis in range(3):
            line[axis] = upper[frame, axis] + turned[axis]
        swing_into(line, goal[frame], swing[frame])

"""Keep feet standing as the source's do, although the target's legs have other proportions.

Where a foot of the source stands, the target's foot gets the source's small movement, scaled, and the height at which
it stands on the floor; limbs are brought to such places by bending the hinge first, then swinging the whole limb.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from freshtake.motion.planting.contacts import runs
from freshtake.motion.retarget.rest import Rig
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.compiled import compiled
from freshtake.numeric.limb_kernels import bend_angle, carry_into, exponential_into, swing_into
from freshtake.numeric.rotations import inverse, multiply, rotate

LEG: Limb = ("upper_leg", "lower_leg", "foot")
ARM: Limb = ("upper_arm", "lower_arm", "hand")
LONG_GAP = 0.5  # seconds: in a longer step the correction fades away and comes back
STRAY = 0.03  # leg lengths beyond which a foot hardly strays from where its leg would put it
BEND = math.radians(3.0)  # the most by which a knee bends more or less for the height of its foot


Limb = tuple[str, str, str]


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
    # Only a clear bend shows the hinge's axis; near straight legs it is taken from other frames.
    share = np.minimum(np.linalg.norm(normal, axis=-1) / (0.3 * size), 1.0)[:, None]
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


class Steps(NamedTuple):
    """One foot: where it is on the target and where the source's scaled foot is, and when it stands.

    `off` (frames, points, 3) is the one minus the other, `stands` (frames, points) when a point of the foot stands:
    the ankle, then the toe where both have one.
    """

    off: Floats
    stands: Bools

    @property
    def standing(self) -> Bools:
        """(frames,): when any of them stands."""
        return np.asarray(self.stands.any(axis=1))


def corrections(steps: Steps, frame_time: float) -> Floats:
    """(frames, 3): by how much the ankle has to be moved, y up."""
    frames = len(steps.off)
    out = np.zeros((frames, 3))
    spans = runs(steps.standing)
    for start, stop in spans:
        out[start:stop] = _held(steps.off[start:stop], steps.stands[start:stop])
    if not spans:
        return out
    out[: spans[0][0]], out[spans[-1][1] :] = (
        _fade(out, spans[0][0], -1, frame_time),
        _fade(out, spans[-1][1] - 1, 1, frame_time),
    )
    for (_, end), (start, _) in pairwise(spans):
        _bridge(out, end - 1, start, frame_time)
    return out


def hip_lift(moves: Sequence[Floats], stands: Sequence[Bools], frame_time: float) -> Floats:
    """(frames,): what standing feet have in common upright, smoothed: it is left to the hips, and knees are kept.

    A leg that is nearly straight would have to bend by eight degrees to shorten by a two-hundredth part.
    """
    weights = np.stack(stands, axis=1).astype(np.float64)
    total = weights.sum(axis=1)
    frames = np.arange(len(total))
    known = np.flatnonzero(total)
    if len(known) == 0:
        return np.zeros(len(total))
    lifts = (np.stack([move[:, 1] for move in moves], axis=1) * weights).sum(axis=1)
    filled = np.interp(frames, known, lifts[known] / total[known])
    # Average the lift of the hips over a tenth of a second to either side, or steps would show as jolts.
    reach = max(1, round(0.1 / frame_time))
    window = np.hanning(2 * reach + 1)[1:-1]
    return np.asarray(np.convolve(np.pad(filled, reach - 1, mode="edge"), window / window.sum(), mode="valid"))


def _held(off: Floats, stands: Bools) -> Floats:
    """What takes out the movement that the source does not make, with as little change on average as can be.

    Along the ground the changes of the standing points are taken back; upright the height is met.
    """
    weights = stands / stands.sum(axis=1, keepdims=True)
    out = np.zeros((len(off), 3))
    out[1:] = -np.cumsum(((off[1:] - off[:-1]) * weights[1:, :, None]).sum(axis=1), axis=0)
    out -= out.mean(axis=0)
    gentle = np.stack(
        [np.convolve(np.pad(column, 2, mode="edge"), np.full(5, 0.2), mode="valid") for column in weights.T]
    )
    out[:, 1] = -(off[..., 1] * gentle.T).sum(axis=1)
    return out


def limited(moves: Floats, most: float) -> Floats:
    """Moves (frames, n) whose lengths hardly exceed `most`, and that are kept where they are well below it."""
    length = np.linalg.norm(moves, axis=1, keepdims=True) / most
    return np.asarray(moves * np.where(length > 1e-9, np.tanh(length**3) ** (1 / 3) / np.maximum(length, 1e-9), 1.0))


def _smooth(share: Floats) -> Floats:
    return np.asarray(share**3 * (10.0 - 15.0 * share + 6.0 * share**2))


def _fade(out: Floats, at: int, way: int, frame_time: float) -> Floats:
    """Before the first and after the last contact the correction fades away."""
    count = at if way < 0 else len(out) - 1 - at
    ahead = np.arange(1, count + 1) * frame_time / LONG_GAP
    faded = out[at] * (1.0 - _smooth(np.minimum(ahead, 1.0)))[:, None]
    return np.asarray(faded[::-1] if way < 0 else faded)


def _bridge(out: Floats, end: int, start: int, frame_time: float) -> None:
    """Between two contacts, from one correction to the other, or to none and back in a long step."""
    count = start - end - 1
    if count * frame_time > 2.0 * LONG_GAP:
        out[end + 1 : start] += _fade(out[:start], end, 1, frame_time)
        out[end + 1 : start] += _fade(out[end + 1 :], start - end - 1, -1, frame_time)
        return
    share = _smooth(np.arange(1, count + 1) / (count + 1))[:, None]
    out[end + 1 : start] = (1.0 - share) * out[end] + share * out[start]

"""What the tests of gaits measure: joints, angles, contacts and heights of a clip of the sample humanoid."""

from __future__ import annotations

import numpy as np

from freshtake.motion import Clip
from freshtake.numeric.arrays import Bools, Floats

SIDES = ("Left", "Right")


def rng(seed: int = 11) -> np.random.Generator:
    return np.random.default_rng(seed)


def joint(clip: Clip, name: str) -> Floats:
    return np.asarray(clip.positions()[:, clip.skeleton.index(name)])


def hinge(clip: Clip, name: str) -> Floats:
    """Rotation about x of a joint that turns about nothing else, in degrees."""
    q = clip.rotations[:, clip.skeleton.index(name)]
    assert np.allclose(q[:, 2:], 0.0, atol=1e-9)
    return np.asarray(np.degrees(np.mod(2.0 * np.arctan2(q[:, 1], q[:, 0]) + np.pi, 2.0 * np.pi) - np.pi))


def planted(clip: Clip, side: str, within: float = 0.05) -> Bools:
    """Whether the toe joint is on the floor: within half a millimetre of its height when the foot is flat."""
    toe = joint(clip, f"{side}ToeBase")
    return np.asarray(np.abs(toe[:, 1] - toe[:, 1].min()) < within)


def swing_angles(clip: Clip, side: str) -> dict[str, Floats]:
    """Sagittal angles (degrees) of thigh, knee, sole, upper arm and elbow, against the direction of travel."""
    place = clip.positions()
    ahead = place[-1, 0] - place[0, 0]
    ahead[1] = 0.0
    ahead /= np.linalg.norm(ahead)
    down = np.array([0.0, -1.0, 0.0])

    def lean(a: str, b: str) -> Floats:
        bone = place[:, clip.skeleton.index(side + b)] - place[:, clip.skeleton.index(side + a)]
        return np.asarray(np.degrees(np.unwrap(np.arctan2(bone @ ahead, bone @ down))))

    thigh, shank, foot = lean("UpLeg", "Leg"), lean("Leg", "Foot"), lean("Foot", "ToeBase")
    arm, forearm = lean("Arm", "ForeArm"), lean("ForeArm", "Hand")
    return {"hip": thigh, "knee": thigh - shank, "foot": foot, "shoulder": arm, "elbow": forearm - arm}


def over_cycle(values: Floats) -> Floats:
    return np.interp(np.linspace(0, 1, 101), np.linspace(0, 1, len(values)), values)


def lower_foot(clip: Clip) -> Floats:
    """Height (cm) above the floor of whatever is lowest: toe joint or heel, left or right."""
    low = [np.minimum(joint(clip, f"{s}ToeBase")[:, 1], joint(clip, f"{s}Foot")[:, 1] - 6.0) for s in SIDES]
    return np.asarray(np.minimum(*low) - 2.0)


def stance_shares(clip: Clip) -> tuple[float, float]:
    left, right = (float(planted(clip, side, 1.0).mean()) for side in SIDES)
    return left, right

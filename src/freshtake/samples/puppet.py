"""From what a performer intends (pelvis, chest and head in the world, feet on the floor, arms) to a clip."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from freshtake.motion import Clip, Skeleton
from freshtake.numeric.arrays import Floats
from freshtake.numeric.kinematics import forward
from freshtake.numeric.rotations import about_axis, continuous, from_rotvec, inverse, multiply, rotate, to_rotvec
from freshtake.samples import two_bone
from freshtake.samples.humanoid import HEEL, SIDES, TOE, UNIT_M, Build, skeleton

X, Y, Z = np.eye(3)


def turn(yaw: Floats, pitch: Floats | float = 0.0, roll: Floats | float = 0.0) -> Floats:
    """World rotation of a body part, in degrees: yaw to the left, pitch forward (down), roll to the right; yaw first.

    R = Ry(yaw) Rx(pitch) Rz(roll), for a part that faces +z.
    """
    yaw, pitch, roll = np.broadcast_arrays(*(np.radians(angle) for angle in (yaw, pitch, roll)))
    return multiply(multiply(about_axis(Y, yaw), about_axis(X, pitch)), about_axis(Z, roll))


@dataclass(frozen=True)
class FootTrack:
    """One foot over time: place of the toe joint (frames, 3), then angles in degrees (frames,).

    `pitch` is that of the sole (toes up positive), `toe` that of the toes alone, both against the floor; `free` is
    0 where the foot stands and up to 1 where it is in the air.
    """

    ball: Floats
    yaw: Floats
    pitch: Floats
    toe: Floats
    free: Floats | float = 0.0


@dataclass(frozen=True)
class ArmTrack:
    """One arm by its angles in degrees (frames,).

    Shoulder flexion (forward), abduction (outward, of the flexed arm), axial twist (inward), elbow flexion, and how
    far the collar bone is raised.
    """

    flexion: Floats
    abduction: Floats
    twist: Floats
    elbow: Floats
    collar: Floats | float = 0.0


@dataclass(frozen=True)
class HandTrack:
    """One arm by where the hand is: at `home` seen from the chest, at `goal` in the world, or between them.

    `home`, `goal` and `elbow` (where the elbow points, seen from the chest) are (frames, 3) or (3,); `share` (frames,)
    is 0 at home and 1 at the goal.
    """

    home: Floats
    goal: Floats
    share: Floats
    elbow: Floats
    collar: Floats | float = 0.0


@dataclass(frozen=True)
class Posture:
    """All that a motion decides, over frames; feet and arms as (left, right), rotations in the world."""

    root: Floats
    pelvis: Floats
    chest: Floats
    head: Floats
    feet: tuple[FootTrack, FootTrack]
    arms: tuple[ArmTrack | HandTrack, ArmTrack | HandTrack]
    curl: Floats | float = 25.0  # of the fingers, degrees: 0.6 of it at the knuckles, all of it beyond
    wrist: tuple[Floats | float, Floats | float] = field(default=(0.0, 0.0))  # flexion, degrees


def foot_points(build: Build) -> tuple[Floats, Floats]:
    """Where toe joint and heel (on the floor) are, as seen from the ankle of a flat foot facing +z."""
    return np.array(TOE) * build.scale, np.array(HEEL) * build.scale


def ankle_of(foot: FootTrack, build: Build) -> Floats:
    """The ankle's place for a foot track."""
    return foot.ball - rotate(turn(foot.yaw, -foot.pitch), foot_points(build)[0])


def perform(posture: Posture, build: Build, fps: float, name: str = "", provenance: str = "") -> Clip:
    """The clip of a posture over time: spine shared out, legs and arms solved, rotations continuous."""
    body = skeleton(build)
    rotations = np.zeros((len(posture.root), len(body), 4))
    rotations[..., 0] = 1.0
    rotations[:, 0] = posture.pelvis
    _bend_spine(rotations, body, posture)
    for side in (0, 1):
        _place_leg(rotations, body, posture, side, build)
        _place_arm(rotations, body, posture, side)
        _close_hand(rotations, body, posture, side)
    return Clip(
        body, 1.0 / fps, posture.root, continuous(rotations), name=name, provenance=provenance, up="y", unit_m=UNIT_M
    )


def _bend_spine(rotations: Floats, body: Skeleton, posture: Posture) -> None:
    """Share the turn from pelvis to chest, and from chest to head, equally among the joints between."""
    for low, high, names in (
        (posture.pelvis, posture.chest, ("LowerBack", "Spine", "Spine1")),
        (posture.chest, posture.head, ("Neck", "Neck1", "Head")),
    ):
        part = from_rotvec(to_rotvec(multiply(inverse(low), high)) / len(names))
        for name in names:
            rotations[:, body.index(name)] = part


def _chain(rotations: Floats, body: Skeleton, root: Floats, joint: int) -> tuple[Floats, Floats]:
    """World place and rotation of a joint, from the joints above it alone."""
    path = body.chain(joint)
    translations = np.repeat(body.offsets[path][None], len(root), axis=0)
    translations[:, 0] = root
    pose = forward(np.arange(len(path)) - 1, translations, rotations[:, path])
    return pose.positions[:, -1], pose.rotations[:, -1]


def _place_leg(rotations: Floats, body: Skeleton, posture: Posture, side: int, build: Build) -> None:
    """Hip, knee, ankle and toe rotations that put the foot at its target."""
    foot = posture.feet[side]
    hip = body.index(f"{SIDES[side]}UpLeg")
    rotations[:, hip] = np.array([1.0, 0.0, 0.0, 0.0])
    start, pelvis = _chain(rotations, body, posture.root, hip)
    ahead = rotate(about_axis(Y, np.radians(foot.yaw)), Z) + rotate(pelvis, Z)
    ahead[:, 1] = 0.0
    limb = two_bone.solve(start, ankle_of(foot, build), ahead, (build.thigh, build.shank), free=foot.free)
    knee = about_axis(X, limb.hinge)
    sole = turn(foot.yaw, -foot.pitch)
    rotations[:, hip] = multiply(inverse(pelvis), limb.upper)
    rotations[:, hip + 1] = knee
    rotations[:, hip + 2] = multiply(inverse(multiply(limb.upper, knee)), sole)
    rotations[:, hip + 3] = about_axis(X, np.radians(foot.pitch - foot.toe))


def _place_arm(rotations: Floats, body: Skeleton, posture: Posture, side: int) -> None:
    """Collar bone, shoulder and elbow from the arm's angles or from the hand's place."""
    arm, outward = posture.arms[side], (1.0, -1.0)[side]
    upper = body.index(f"{SIDES[side]}Arm")
    rotations[:, upper - 1] = about_axis(Z, np.broadcast_to(outward * np.radians(arm.collar), len(rotations)))
    if isinstance(arm, ArmTrack):
        sideways, twist = outward * np.radians(arm.abduction), -outward * np.radians(arm.twist)
        carried = multiply(about_axis(Z, sideways), about_axis(Y, twist))
        rotations[:, upper] = multiply(about_axis(X, -np.radians(arm.flexion)), carried)
        rotations[:, upper + 1] = about_axis(X, -np.radians(arm.elbow))
        return
    rotations[:, upper] = np.array([1.0, 0.0, 0.0, 0.0])
    start, collar = _chain(rotations, body, posture.root, upper)
    lengths = (-float(body.offsets[upper + 1, 1]), -float(body.offsets[upper + 2, 1]))
    middle, chest = _chain(rotations, body, posture.root, body.index("Spine1"))
    home = middle + rotate(chest, np.broadcast_to(arm.home, middle.shape))
    hand = home + arm.share[:, None] * (arm.goal - home)
    pole = rotate(chest, np.broadcast_to(arm.elbow, middle.shape))
    limb = two_bone.solve(start, hand, pole, lengths, bend=-1, free=1.0)
    rotations[:, upper] = multiply(inverse(collar), limb.upper)
    rotations[:, upper + 1] = about_axis(X, -limb.hinge)


def _close_hand(rotations: Floats, body: Skeleton, posture: Posture, side: int) -> None:
    """Wrist flexion and curled fingers: fingers bend towards the palm, which faces the body."""
    outward = (1.0, -1.0)[side]
    hand = body.index(f"{SIDES[side]}Hand")
    bend = np.broadcast_to(np.radians(posture.wrist[side]), len(rotations))
    rotations[:, hand] = about_axis(X, -bend)
    curl = np.broadcast_to(np.radians(posture.curl), len(rotations))
    for joint, share in ((hand + 1, 0.6), (hand + 2, 1.0)):
        rotations[:, joint] = about_axis(Z, -outward * share * curl)
    rotations[:, hand + 3] = about_axis(X, 0.4 * curl)

"""The sample performer: 31 joints with the names of the CMU motion library, posed by tracks of feet and hands.

Proportions, in centimetres, are not copied from anyone. A posture (pelvis, chest and head in the world, feet on the
floor, arms) becomes a clip by solving limbs of two bones.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip, EndSite, Skeleton
from freshtake.motion.skeleton import JOINT_CHANNELS
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import (
    about_axis,
    continuous,
    forward,
    from_matrix,
    from_rotvec,
    inverse,
    multiply,
    rotate,
    to_rotvec,
)

UNIT_M = 0.01
SIDES = ("Left", "Right")
ROOT_LAYOUT = ("tx", "ty", "tz", "ry", "rx", "rz")  # yaw outermost: a turning walk never meets gimbal lock

HIP = (9.0, -8.0, 0.0)  # from the root to the left hip joint
TOE = (0.0, -6.0, 13.0)  # from the ankle to the toe joint
HEEL = (0.0, -8.0, -5.0)  # from the ankle to the point at which the heel meets the floor
# name, parent, offset: x to the performer's left, y up, z forward; a body of 175 cm with arms hanging down.
LEG = (
    ("{0}HipJoint", "Hips", (0.0, 0.0, 0.0)),
    ("{1}UpLeg", "{0}HipJoint", HIP),
    ("{1}Leg", "{1}UpLeg", (0.0, -43.0, 0.0)),
    ("{1}Foot", "{1}Leg", (0.0, -42.0, 0.0)),
    ("{1}ToeBase", "{1}Foot", TOE),
)
TRUNK = (
    ("LowerBack", "Hips", (0.0, 2.0, -1.0)),
    ("Spine", "LowerBack", (0.0, 10.0, -0.5)),
    ("Spine1", "Spine", (0.0, 11.0, 0.0)),
    ("Neck", "Spine1", (0.0, 22.0, -1.0)),
    ("Neck1", "Neck", (0.0, 5.0, 1.0)),
    ("Head", "Neck1", (0.0, 5.0, 1.0)),
)
ARM = (
    ("{1}Shoulder", "Spine1", (3.0, 17.0, 0.0)),
    ("{1}Arm", "{1}Shoulder", (15.0, 2.0, -1.0)),
    ("{1}ForeArm", "{1}Arm", (0.0, -29.0, 0.0)),
    ("{1}Hand", "{1}ForeArm", (0.0, -25.0, 0.0)),
    ("{1}FingerBase", "{1}Hand", (0.0, -8.0, 0.0)),
    ("{1}HandIndex1", "{1}FingerBase", (0.0, -3.0, 0.0)),
    ("{0}Thumb", "{1}Hand", (0.0, -2.0, 2.0)),
)
TIPS = (("{1}ToeBase", (0.0, 0.0, 6.0)), ("{1}HandIndex1", (0.0, -6.0, 0.0)), ("{0}Thumb", (0.0, -4.0, 2.0)))
HEAD_TIP = (0.0, 19.0, 0.0)


@dataclass(frozen=True)
class Build:
    """A performer's body: height in centimetres, and lengths relative to the default proportions."""

    height: float = 175.0
    leg_ratio: float = 1.0
    arm_ratio: float = 1.0
    shoulder_width: float = 1.0
    hip_width: float = 1.0

    def __post_init__(self) -> None:
        if not 80.0 <= self.height <= 250.0:
            raise UsageError(f"a performer's height must be 80 to 250 cm, but is {self.height}")
        for name in ("leg_ratio", "arm_ratio", "shoulder_width", "hip_width"):
            if not 0.7 <= getattr(self, name) <= 1.4:
                raise UsageError(f"{name} must be 0.7 to 1.4, but is {getattr(self, name)}")

    @property
    def scale(self) -> float:
        """Height relative to the default build's."""
        return self.height / 175.0

    @property
    def thigh(self) -> float:
        """Hip joint to knee (cm)."""
        return 43.0 * self.scale * self.leg_ratio

    @property
    def shank(self) -> float:
        """Knee to ankle (cm)."""
        return 42.0 * self.scale * self.leg_ratio

    @property
    def hip(self) -> Floats:
        """From the root to the left hip joint (cm)."""
        return np.array(HIP) * [self.scale * self.hip_width, self.scale, self.scale]

    def reach(self, knee: Floats | float) -> Floats:
        """Return the distance from hip joint to ankle (cm) with the knee bent by an angle in radians."""
        return np.asarray(np.sqrt(self.thigh**2 + self.shank**2 + 2.0 * self.thigh * self.shank * np.cos(knee)))

    @property
    def leg(self) -> float:
        """Hip joint to floor of a standing performer, in metres."""
        return (self.thigh + self.shank + 8.0 * self.scale) * UNIT_M

    @property
    def standing(self) -> float:
        """Height of the root above the floor with straight legs (cm)."""
        return self.thigh + self.shank + 16.0 * self.scale


DEFAULT = Build()
TALL = Build(height=188.0, leg_ratio=1.05, shoulder_width=1.08)
SMALL = Build(height=160.0, leg_ratio=0.96, shoulder_width=0.9, hip_width=1.05)


def skeleton(build: Build = DEFAULT) -> Skeleton:
    """Return the 31 joints of a performer of this build."""
    rows = [("Hips", "", (0.0, 0.0, 0.0))]
    rows += [_named(row, side) for side in SIDES for row in LEG]
    rows += list(TRUNK)
    rows += [_named(row, side) for side in SIDES for row in ARM]
    names = tuple(name for name, _, _ in rows)
    parents = [names.index(parent) if parent else -1 for _, parent, _ in rows]
    offsets = np.array([_sized(name, offset, build) for name, _, offset in rows])
    sites = [("Head", HEAD_TIP)]
    sites += [(name.format(side[0], side), offset) for side in SIDES for name, offset in TIPS]
    ends = sorted(EndSite(names.index(name), _sized("", offset, build)) for name, offset in sites)
    layout = (ROOT_LAYOUT, *[JOINT_CHANNELS] * (len(names) - 1))
    return Skeleton(names, np.array(parents), offsets, tuple(ends), layout)


def _named(row: tuple[str, str, tuple[float, float, float]], side: str) -> tuple[str, str, tuple[float, float, float]]:
    name, parent, (x, y, z) = row
    return name.format(side[0], side), parent.format(side[0], side), (x if side == "Left" else -x, y, z)


def _sized(name: str, offset: tuple[float, float, float], build: Build) -> tuple[float, float, float]:
    """Return an offset at the build's size: legs and arms lengthen, hips and shoulders widen."""
    x, y, z = (build.scale * value for value in offset)
    if name.endswith("UpLeg"):
        x *= build.hip_width
    elif name.endswith(("Shoulder", "Arm")) and not name.endswith("ForeArm"):
        x *= build.shoulder_width
    elif name.endswith("Leg") or name in ("LeftFoot", "RightFoot"):
        y *= build.leg_ratio
    elif name.endswith(("ForeArm", "Hand")):
        y *= build.arm_ratio
    return x, y, z


REACH = 0.9985  # of the straight limb: a hinge is never quite straight (about 6 degrees remain)


class Limb(NamedTuple):
    """World rotation of the upper bone (frames, 4), hinge angle (frames,) in radians, and the end position reached."""

    upper: Floats
    hinge: Floats
    end: Floats


def solve_limb(
    start: Floats, target: Floats, pole: Floats, lengths: tuple[float, float], bend: int = 1, free: Floats | float = 0.0
) -> Limb:
    """Rotate bones that hang along -y so that the lower bone's end meets the target.

    The hinge points towards `pole`. It turns about the bones' x axis by +angle for `bend` 1 (a knee: the lower bone
    goes back when the pole is in front), by -angle for `bend` -1 (an elbow). Targets out of reach are pulled in, more
    gently for an end that is `free` (0..1).
    """
    a, b = lengths
    along = target - start
    distance = np.linalg.norm(along, axis=-1, keepdims=True)
    axis = along / distance
    stretch = distance / (a + b)
    # An end that touches nothing is pulled in more gently.
    stretch = stretch + np.asarray(free)[..., None] * (_soft_limit(stretch, 0.03) - stretch)
    # A target out of reach is limited smoothly, over the last part of the reach.
    reached = np.maximum(_soft_limit(stretch, 0.004) * (a + b), abs(a - b) + 0.02 * (a + b))
    inner = np.clip((a * a + reached**2 - b * b) / (2.0 * a * reached), -1.0, 1.0)
    hinge = np.pi - np.arccos(np.clip((a * a + b * b - reached[..., 0] ** 2) / (2.0 * a * b), -1.0, 1.0))
    side = np.cross(-axis, bend * pole)
    side /= np.linalg.norm(side, axis=-1, keepdims=True)
    out = np.cross(side, -axis) * bend
    bone = axis * inner + out * np.sqrt(1.0 - inner**2)
    frame = np.stack([side, -bone, np.cross(side, -bone)], axis=-1)
    return Limb(from_matrix(frame), hinge, start + axis * reached)


def _soft_limit(distance: Floats, soft: float) -> Floats:
    """Return distances, as fractions of the straight limb, unchanged up to `soft` below `REACH`, then rounded off."""
    over = np.maximum(distance - (REACH - soft), 0.0) / soft
    return np.where(over > 0.0, REACH - soft + soft * np.tanh(over), distance)


X, Y, Z = np.eye(3)


def turn(yaw: Floats, pitch: Floats | float = 0.0, roll: Floats | float = 0.0) -> Floats:
    """Return the rotation of a body part from degrees: yaw to the left, pitch forward (down), roll to the right.

    R = Ry(yaw) Rx(pitch) Rz(roll), for a part that faces +z.
    """
    yaw, pitch, roll = np.broadcast_arrays(*(np.radians(angle) for angle in (yaw, pitch, roll)))
    return multiply(multiply(about_axis(Y, yaw), about_axis(X, pitch)), about_axis(Z, roll))


@dataclass(frozen=True)
class FootTrack:
    """One foot over time: position of the toe joint (frames, 3), then angles in degrees (frames,).

    `pitch` is the angle of the sole to the floor (toes up positive), `toe` the angle of the toes alone; `free` is
    0 while the foot is planted and up to 1 while it is in the air.
    """

    ball: Floats
    yaw: Floats
    pitch: Floats
    toe: Floats
    free: Floats | float = 0.0


@dataclass(frozen=True)
class ArmTrack:
    """One arm by its angles in degrees (frames,).

    Shoulder flexion (forward), abduction (outward, of the flexed arm), axial twist (inward), elbow flexion, and
    elevation of the collar bone.
    """

    flexion: Floats
    abduction: Floats
    twist: Floats
    elbow: Floats
    collar: Floats | float = 0.0


@dataclass(frozen=True)
class HandTrack:
    """One arm by the position of its hand: at `home` relative to the chest, at `goal` in the world, or between them.

    `home`, `goal` and `elbow` (its direction relative to the chest) are (frames, 3) or (3,); `share` (frames,) is 0
    at home and 1 at the goal.
    """

    home: Floats
    goal: Floats
    share: Floats
    elbow: Floats
    collar: Floats | float = 0.0


@dataclass(frozen=True)
class Posture:
    """Everything that determines a motion, over frames; feet and arms as (left, right), rotations in the world."""

    root: Floats
    pelvis: Floats
    chest: Floats
    head: Floats
    feet: tuple[FootTrack, FootTrack]
    arms: tuple[ArmTrack | HandTrack, ArmTrack | HandTrack]
    curl: Floats | float = 25.0  # bend of the fingers in degrees; 0.6 times as much at the knuckles
    wrist: tuple[Floats | float, Floats | float] = (0.0, 0.0)  # flexion, degrees


def foot_points(build: Build) -> tuple[Floats, Floats]:
    """Return the positions of toe joint and heel (on the floor), relative to the ankle of a flat foot facing +z."""
    return np.array(TOE) * build.scale, np.array(HEEL) * build.scale


def ankle_of(foot: FootTrack, build: Build) -> Floats:
    """Return the ankle's position for a foot track."""
    return foot.ball - rotate(turn(foot.yaw, -foot.pitch), foot_points(build)[0])


def perform(posture: Posture, build: Build, fps: float, name: str = "", provenance: str = "") -> Clip:
    """Return the clip of a posture over time: spine bent evenly, legs and arms solved, rotations continuous."""
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
    """Distribute the rotations from pelvis to chest and from chest to head equally over the joints between."""
    for low, high, names in (
        (posture.pelvis, posture.chest, ("LowerBack", "Spine", "Spine1")),
        (posture.chest, posture.head, ("Neck", "Neck1", "Head")),
    ):
        part = from_rotvec(to_rotvec(multiply(inverse(low), high)) / len(names))
        for name in names:
            rotations[:, body.index(name)] = part


def _chain(rotations: Floats, body: Skeleton, root: Floats, joint: int) -> tuple[Floats, Floats]:
    """Return a joint's position and rotation in the world, computed from the joints above it."""
    path = body.chain(joint)
    translations = np.repeat(body.offsets[path][None], len(root), axis=0)
    translations[:, 0] = root
    pose = forward(np.arange(len(path)) - 1, translations, rotations[:, path])
    return pose.positions[:, -1], pose.rotations[:, -1]


def _place_leg(rotations: Floats, body: Skeleton, posture: Posture, side: int, build: Build) -> None:
    """Rotate hip, knee, ankle and toe so that the foot is at its target."""
    foot = posture.feet[side]
    hip = body.index(f"{SIDES[side]}UpLeg")
    rotations[:, hip] = np.array([1.0, 0.0, 0.0, 0.0])
    start, pelvis = _chain(rotations, body, posture.root, hip)
    ahead = rotate(about_axis(Y, np.radians(foot.yaw)), Z) + rotate(pelvis, Z)
    ahead[:, 1] = 0.0
    limb = solve_limb(start, ankle_of(foot, build), ahead, (build.thigh, build.shank), free=foot.free)
    knee = about_axis(X, limb.hinge)
    sole = turn(foot.yaw, -foot.pitch)
    rotations[:, hip] = multiply(inverse(pelvis), limb.upper)
    rotations[:, hip + 1] = knee
    rotations[:, hip + 2] = multiply(inverse(multiply(limb.upper, knee)), sole)
    rotations[:, hip + 3] = about_axis(X, np.radians(foot.pitch - foot.toe))


def _place_arm(rotations: Floats, body: Skeleton, posture: Posture, side: int) -> None:
    """Rotate collar bone, shoulder and elbow by the arm's angles or towards the hand's position."""
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
    limb = solve_limb(start, hand, pole, lengths, bend=-1, free=1.0)
    rotations[:, upper] = multiply(inverse(collar), limb.upper)
    rotations[:, upper + 1] = about_axis(X, -limb.hinge)


def _close_hand(rotations: Floats, body: Skeleton, posture: Posture, side: int) -> None:
    """Flex the wrist and curl the fingers towards the palm, which faces the body."""
    outward = (1.0, -1.0)[side]
    hand = body.index(f"{SIDES[side]}Hand")
    bend = np.broadcast_to(np.radians(posture.wrist[side]), len(rotations))
    rotations[:, hand] = about_axis(X, -bend)
    curl = np.broadcast_to(np.radians(posture.curl), len(rotations))
    for joint, share in ((hand + 1, 0.6), (hand + 2, 1.0)):
        rotations[:, joint] = about_axis(Z, -outward * share * curl)
    rotations[:, hand + 3] = about_axis(X, 0.4 * curl)

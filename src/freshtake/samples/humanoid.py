"""The sample performer: 31 joints with the names of the CMU motion library, proportions of our own, in centimetres."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import EndSite, Skeleton
from freshtake.motion.skeleton import JOINT_CHANNELS
from freshtake.numeric.arrays import Floats

UNIT_M = 0.01
SIDES = ("Left", "Right")
ROOT_LAYOUT = ("tx", "ty", "tz", "ry", "rx", "rz")  # yaw outermost: a turning walk never meets gimbal lock

HIP = (9.0, -8.0, 0.0)  # from the root to the left hip joint
TOE = (0.0, -6.0, 13.0)  # from the ankle to the toe joint
HEEL = (0.0, -8.0, -5.0)  # from the ankle to where the heel meets the floor
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
TIPS = (
    ("{1}ToeBase", (0.0, 0.0, 6.0)),
    ("{1}HandIndex1", (0.0, -6.0, 0.0)),
    ("{0}Thumb", (0.0, -4.0, 2.0)),
)
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
        """Height against the default build's."""
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
    """The 31 joints of a performer of this build."""
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
    """An offset at the build's size: legs and arms lengthen, hips and shoulders widen."""
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

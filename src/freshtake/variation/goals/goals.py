"""Goals of a variant: poses at times, joints at places, a duration, a speed, a path on the ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.pins import Pin
from freshtake.numeric.arrays import Floats
from freshtake.variation.goals.steering import Steering


@dataclass(frozen=True, eq=False)
class PosePin:
    """A pose at a time.

    Attributes:
        motion: The motion that shows the pose.
        frame: Its frame there; negative: from the end.
        time: Seconds after the variant's start at which it is met (negative: before its end).
        joints: The joints that are pinned; default: all. The others follow as the model predicts.
        placed: Whether the variant is then where the motion is, and faces as it does, too.
    """

    motion: Any
    frame: int = 0
    time: float = 0.0
    joints: tuple[str, ...] = ()
    placed: bool = False

    def __post_init__(self) -> None:
        count = len(self.motion)
        if not -count <= self.frame < count:
            raise UsageError(f"the pose to pin is frame {self.frame} of a motion with {count} frames")
        if not np.isfinite(self.time):
            raise UsageError("the time of a pinned pose must be a number of seconds")
        if self.placed and not isinstance(self.motion, Clip):
            raise UsageError("only poses of a body have a place on the ground: leave out that they are placed")


@dataclass(frozen=True, eq=False)
class Goals:
    """The goals of one variant: `start`, `end` and, in between, `poses` are pinned; `targets` are places of joints.

    `duration` is in seconds, `speed` in lengths per second over the ground, `steer` a heading or a path.
    """

    start: PosePin | None = None
    end: PosePin | None = None
    poses: Sequence[PosePin] = ()
    targets: Sequence[Pin] = ()
    duration: float | None = None
    speed: float | None = None
    steer: Steering | None = None

    def __post_init__(self) -> None:
        for name in ("duration", "speed"):
            value = getattr(self, name)
            if value is not None and not (np.isfinite(value) and value > 0.0):
                raise UsageError(f"the {name} to reach must be greater than 0, but is {value}")

    def pose_pins(self, frames: int, frame_time: float) -> list[tuple[int, PosePin]]:
        """Return the pinned poses by frame.

        Args:
            frames: How many frames the variant has.
            frame_time: Seconds from frame to frame.

        Returns:
            A frame number and the pose pinned there, for each. Two poses at one frame raise a UsageError.
        """
        pins = [(0, self.start)] if self.start is not None else []
        for pin in self.poses:
            frame = round(pin.time / frame_time) + (frames - 1 if pin.time < 0.0 else 0)
            if not 0 <= frame < frames:
                length = (frames - 1) * frame_time
                raise UsageError(f"a pose is pinned at {pin.time:g} s, but the variant lasts {length:.3g} s")
            pins.append((frame, pin))
        if self.end is not None:
            pins.append((frames - 1, self.end))
        twice = {frame for frame, _ in pins if sum(frame == other for other, _ in pins) > 1}
        if twice:
            raise UsageError(f"two poses are pinned at frame {min(twice)}: leave one of them out")
        return pins


@dataclass(frozen=True)
class GoalReport:
    """How well a variant met its goals.

    `strain` says how many standard deviations (root mean square over its DOFs) the farthest pinned pose lay from the
    variant as it was first drawn: about 1.4 is usual, above 3 the examples give little reason to go there.
    `pose_error` is the largest miss of a pinned angle, in radians; `length_error` that of a pinned height, or of any
    other DOF that is no angle, in its unit; `place_errors` are in lengths.
    """

    rate: float
    duration: float
    speed: float | None
    strain: float
    pose_error: float
    place_errors: tuple[float, ...]
    length_error: float = 0.0


def ground_speed(clip: Any) -> float | None:
    """Return the mean speed of the root along its path on the ground, in lengths per second."""
    if not isinstance(clip, Clip) or len(clip) < 2:
        return None
    steps: Floats = clip.root[1:] - clip.root[:-1]
    steps[:, clip.up_index] = 0.0
    return float(np.sqrt((steps * steps).sum(axis=1)).sum() / clip.duration)

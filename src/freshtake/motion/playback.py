"""Playback: what an engine needs to know of a clip to play it: whether it repeats, and how the body travels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from freshtake.errors import InvalidMotion
from freshtake.motion.validation import frozen
from freshtake.numeric.arrays import Floats

ROOT_MOTIONS = ("hips", "joint", "none")
LEADS, REPEATS = "leads into the first", "repeats the first"


@dataclass(frozen=True, eq=False)
class Playback:
    """`travel` (3,) is the way along the ground in `seconds`; of a loop, once through it.

    A loop of N frames lasts N frame times: its last frame leads into its first, and frame N is frame 0 moved on by the
    travel. With `closing` that frame is in the clip too, as its last one. `root_motion` says where the travel is: on
    the hips, on a joint above them, or (none) nowhere in the clip. `turn` is what was taken out of a loop so that it
    goes straight, in radians. `events` are (seconds from the first frame, name) in order, such as feet that touch down.
    """

    travel: Floats
    seconds: float
    loop: bool = False
    closing: bool = False
    cycles: int = 1
    turn: float = 0.0
    root_motion: str = "hips"
    events: tuple[tuple[float, str], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "travel", frozen(self.travel, "travel", (3,)))
        if not (np.isfinite(self.seconds) and self.seconds >= 0.0 and np.isfinite(self.turn)):
            raise InvalidMotion(f"a travel takes 0 seconds or more, not {self.seconds}")
        if self.root_motion not in ROOT_MOTIONS:
            raise InvalidMotion(f"root motion is one of {', '.join(ROOT_MOTIONS)}, not {self.root_motion!r}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Playback):
            return NotImplemented
        return self.summary() == other.summary()

    def __hash__(self) -> int:
        return hash((self.seconds, self.loop, self.closing, self.cycles))

    @property
    def speed(self) -> float:
        """Lengths per second along the ground, in the direction of the travel."""
        return float(np.linalg.norm(self.travel)) / self.seconds if self.seconds > 0.0 else 0.0

    @property
    def direction(self) -> Floats:
        """(3,): the travel at length 1; 0 where there is none."""
        length = float(np.linalg.norm(self.travel))
        return np.asarray(self.travel / length if length > 0.0 else np.zeros(3))

    def changed(self, **changes: Any) -> Playback:
        """A copy with some fields replaced."""
        return replace(self, **changes)

    def fits(self, frames: int, frame_time: float) -> bool:
        """Whether a clip with this many frames matches this playback; a loop read at another rate does not."""
        return not self.loop or round(self.seconds / frame_time) == frames - self.closing

    def summary(self) -> dict[str, Any]:
        """Plain values, for JSON and for files that can hold them."""
        out: dict[str, Any] = {"loop": self.loop}
        if self.loop:
            last = REPEATS if self.closing else LEADS
            out |= {"cycles": self.cycles, "last_frame": last, "turn_removed_deg": float(np.degrees(self.turn))}
        if self.events:
            out["events"] = [{"seconds": seconds, "name": name} for seconds, name in self.events]
        return out | {
            "seconds": self.seconds,
            "travel": self.travel.tolist(),
            "speed": self.speed,
            "direction": self.direction.tolist(),
            "root_motion": self.root_motion,
        }


def playback_from(values: Any) -> Playback | None:
    """The inverse of `summary`; None where a file holds something else."""
    if not isinstance(values, Mapping):
        return None
    try:
        return Playback(
            np.array(values["travel"], dtype=np.float64), float(values["seconds"]), bool(values["loop"]),
            values.get("last_frame") == REPEATS, int(values.get("cycles", 1)),
            float(np.radians(float(values.get("turn_removed_deg", 0.0)))), str(values["root_motion"]),
            tuple((float(event["seconds"]), str(event["name"])) for event in values.get("events", ())),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, OverflowError, InvalidMotion):
        return None

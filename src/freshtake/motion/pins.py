"""Pins: a hand, a foot or the root at a given position and time."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion.clip import Clip
from freshtake.numeric.arrays import Floats


@dataclass(frozen=True, eq=False)
class Pin:
    """A joint at a position in a single frame or a run of frames, given as a number, a range or a list.

    `position` is a point (3,), a path (frames, 3), or None for the joint's mean position in those frames. A hard pin
    may move the root if the limb alone cannot reach it; a soft pin may not. The motion blends into the pin and back
    within `blend` seconds to either side.
    """

    joint: str
    frames: int | range | Sequence[int]
    position: npt.ArrayLike | None = None
    hard: bool = True
    blend: float = 0.25

    def __post_init__(self) -> None:
        numbers = [self.frames] if isinstance(self.frames, int | np.integer) else list(self.frames)
        if not numbers or min(numbers) < 0 or any(b != a + 1 for a, b in pairwise(numbers)):
            raise UsageError(
                f"the pin of {self.joint!r} needs a frame number, or a run of frames without gaps, numbered from 0"
            )
        if not (np.isfinite(self.blend) and self.blend >= 0):
            raise UsageError(f"the pin of {self.joint!r} has a blend time of {self.blend}: give 0 seconds or more")
        put = object.__setattr__
        put(self, "frames", range(int(numbers[0]), int(numbers[-1]) + 1))
        if self.position is not None:
            put(self, "position", self._checked(self.position, len(numbers)))

    def _checked(self, position: npt.ArrayLike, count: int) -> Floats:
        try:
            place = np.array(position, dtype=np.float64)
        except (TypeError, ValueError):
            place = np.empty(0)
        if place.shape not in ((3,), (count, 3)) or not np.isfinite(place).all():
            raise UsageError(f"the pin of {self.joint!r} needs a position of 3 numbers, or 3 for each of its frames")
        place.setflags(write=False)
        return place

    @property
    def start(self) -> int:
        """The first pinned frame."""
        return self.run.start

    @property
    def stop(self) -> int:
        """The frame after the last pinned frame."""
        return self.run.stop

    @property
    def run(self) -> range:
        """The pinned frames."""
        assert isinstance(self.frames, range)
        return self.frames

    def check(self, clip: Clip) -> None:
        """Refuse a joint or frames that the clip does not have."""
        clip.skeleton.index(self.joint)
        if self.stop > len(clip):
            raise UsageError(
                f"the pin of {self.joint!r} at frame {self.stop - 1} is beyond the clip's {len(clip)} frames"
            )

"""What every motion with a steady rate can tell: how fast, how long."""

from __future__ import annotations

from collections.abc import Sized

from freshtake.motion.validation import fps_of


class Timed(Sized):
    """A motion of evenly spaced frames; `frame_time` is in seconds, as its file has it."""

    frame_time: float

    @property
    def fps(self) -> float:
        """Frames per second, the reciprocal of the frame time."""
        return fps_of(self.frame_time)

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last."""
        return (len(self) - 1) * self.frame_time

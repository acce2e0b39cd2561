"""How long a motion is to be: a number of frames, or seconds, since a model's rate is only known once it is read."""

from __future__ import annotations

import re
from typing import NamedTuple

from freshtake.errors import UsageError


class Seconds(NamedTuple):
    """A length in time."""

    seconds: float


Length = int | Seconds


def length_of(frames: str | None, seconds: float | None) -> Length:
    """The length given by --frames (360, or 6s) or --seconds (6); exactly one of them is needed."""
    if (frames is None) == (seconds is None):
        raise UsageError("give the length once: --frames 360, --frames 6s or --seconds 6")
    if seconds is not None:
        return _seconds(seconds)
    number = re.fullmatch(r"\s*([+-]?\d+)\s*", frames or "")
    if number is not None:
        return int(number[1])
    try:
        if (frames or "").strip().endswith("s"):
            return _seconds(float((frames or "").strip()[:-1]))
    except ValueError:
        pass
    raise UsageError(f"{frames!r} is not a length: write a number of frames such as 360, or a time such as 6s")


def moment_of(text: str | None) -> Length | None:
    """Parse a moment of a take, such as 180 (a frame) or 3s; None stays None."""
    if text is None:
        return None
    try:
        value = float(text.strip().removesuffix("s"))
    except ValueError:
        value = -1.0
    if not 0.0 <= value < 1e9 or not (text.strip().endswith("s") or value == int(value)):
        raise UsageError(f"{text!r} is not a moment of a take: write a frame such as 180, or a time such as 3s")
    return Seconds(value) if text.strip().endswith("s") else int(value)


def frame_at(moment: Length, frame_time: float) -> int:
    """Return the frame of a moment."""
    return round(moment.seconds / frame_time) if isinstance(moment, Seconds) else moment


def _seconds(value: float) -> Seconds:
    if not 0.0 < value < 1e9:
        raise UsageError(f"a time above 0 was expected, not {value:g} s")
    return Seconds(value)


def frame_count(length: Length, frame_time: float) -> int:
    """A length in frames, at least one."""
    return max(round(length.seconds / frame_time), 1) if isinstance(length, Seconds) else length

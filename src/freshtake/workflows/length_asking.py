"""How long a motion shall be: a number of frames, or seconds of a model whose rate is not known before it is read."""

from __future__ import annotations

import re
from typing import NamedTuple

from freshtake.errors import UsageError


class Seconds(NamedTuple):
    """A length in time."""

    seconds: float


Length = int | Seconds


def length_asked(frames: str | None, seconds: float | None) -> Length:
    """What --frames (360, or 6s) and --seconds (6) say; one of them is needed."""
    if (frames is None) == (seconds is None):
        raise UsageError("say how long: --frames 360, --frames 6s or --seconds 6, one of them")
    if seconds is not None:
        return _seconds(seconds)
    found = re.fullmatch(r"\s*([+-]?\d+)\s*", frames or "")
    if found is not None:
        return int(found[1])
    try:
        if (frames or "").strip().endswith("s"):
            return _seconds(float((frames or "").strip()[:-1]))
    except ValueError:
        pass
    raise UsageError(f"{frames!r} is no length: write a number of frames, such as 360, or a time, such as 6s")


def _seconds(value: float) -> Seconds:
    if not 0.0 < value < 1e9:
        raise UsageError(f"a time above 0 was expected, not {value:g} s")
    return Seconds(value)


def frame_count(length: Length, frame_time: float) -> int:
    """A length in frames, at least one."""
    return max(round(length.seconds / frame_time), 1) if isinstance(length, Seconds) else length
